// The generic dialect (protocol/bot-api): any game, in the neutral JSON of its codec.
#include "front/botapi/internal.h"

#include "base/hash.h"
#include "crypto/crypto.h"

static const char *const decisions[] = {"choose-action", NULL};

enum { GAME, SEAT_FIELD, SEATS, MATCH, SEED, CREATE_FIELDS };
static const struct wire_field create_fields[CREATE_FIELDS] = {
    {"game", JSON_STRING, "the name of the game that is played here"},
    {"seat", JSON_INT, "the number of a seat, from 0"},
    {"seats", JSON_ARRAY, "the names of all seats, each different and of 1 to 31 bytes"},
    {"matchId", JSON_STRING, "a string of 1 to 256 bytes"},
    {"seed", JSON_INT, "a 64-bit integer or null"},
};

enum { PHASE, VIEW, LEGAL, DECIDE_FIELDS };
static const struct wire_field decide_fields[DECIDE_FIELDS] = {
    {"phase", JSON_STRING, "a string"},
    {"view", JSON_OBJECT, "an object"},
    {"legal", JSON_ARRAY, "an array of actions"},
};

static const struct wire_field notify_fields[1] = {{"events", JSON_ARRAY, "an array of events"}};

static enum wire_verdict refuse_field(struct field_error *error, const struct wire_field *f)
{
    *error = (struct field_error){f->name, f->expected};
    return WIRE_BAD_FIELD;
}

static enum wire_verdict find_fields(struct span body, const struct wire_field *list, int count, struct json_reader *at,
                                     struct field_error *error)
{
    const struct wire_field *wrong;
    enum wire_verdict verdict = wire_find_fields(body, list, count, at, &wrong);
    if (wrong)
        refuse_field(error, wrong);
    return verdict;
}

// Reads the names of seats. False if there are too few, too many, or two equal ones.
static bool read_names(const struct game *g, struct json_reader *r, struct session *s)
{
    for (json_enter_array(r); json_next_item(r); s->seats++) {
        char name[SESSION_NAME];
        if (json_peek(r) != JSON_STRING || s->seats == GAME_MAX_SEATS)
            return false;
        if (json_string_copy(json_read_string(r), name, sizeof name) < 1)
            return false;
        for (int i = 0; i < s->seats; i++)
            if (strcmp(s->name[i], name) == 0)
                return false;
        memcpy(s->name[s->seats], name, sizeof name);
    }
    return s->seats >= g->min_seats && s->seats <= g->max_seats;
}

static void seed_session(struct session *s, struct json_reader *r)
{
    uint8_t key[CRYPTO_KEY_BYTES];
    if (!r->at) {
        crypto_random(key, sizeof key);
    } else {
        struct json_reader negative = *r;
        uint64_t seed = json_read_uint(r, UINT64_MAX);
        // All 64-bit integers are allowed: a negative one counts as its bits.
        crypto_seed_key(key, "bot-api.session", r->error ? (uint64_t)json_read_int(&negative, INT64_MIN, 0) : seed);
    }
    s->root = rng_from_key(key);
}

static enum wire_verdict create(const struct botapi *b, struct span body, struct session *s, struct field_error *error)
{
    const struct game *g = b->options.codec->game;
    struct json_reader at[CREATE_FIELDS] = {0};
    char match[WIRE_MATCH_ID + 1];
    enum wire_verdict verdict = find_fields(body, create_fields, CREATE_FIELDS, at, error);
    if (verdict != WIRE_FINE)
        return verdict;
    if (!at[GAME].at || !json_string_is(json_read_string(&at[GAME]), g->name))
        return refuse_field(error, &create_fields[GAME]);
    if (!at[SEATS].at || !read_names(g, &at[SEATS], s))
        return refuse_field(error, &create_fields[SEATS]);
    int64_t seat = at[SEAT_FIELD].at ? json_read_int(&at[SEAT_FIELD], 0, s->seats - 1) : 0;
    if (!at[SEAT_FIELD].at || at[SEAT_FIELD].error)
        return refuse_field(error, &create_fields[SEAT_FIELD]);
    if (!at[MATCH].at || json_string_copy(json_read_string(&at[MATCH]), match, sizeof match) < 1)
        return refuse_field(error, &create_fields[MATCH]);
    s->seat = (uint8_t)seat;
    seed_session(s, &at[SEED]);
    return WIRE_FINE;
}

static struct codec_table table_of(const struct session *s, const char *names[GAME_MAX_SEATS])
{
    for (int i = 0; i < s->seats; i++)
        names[i] = s->name[i];
    return (struct codec_table){.seat = names, .seats = s->seats, .viewer = s->seat};
}

static enum wire_verdict read_legal(const struct codec *codec, struct json_reader r, const struct codec_table *table,
                                    struct decision *d, struct field_error *error)
{
    const struct wire_field *f = &decide_fields[LEGAL];
    if (!r.at)
        return refuse_field(error, f);
    for (json_enter_array(&r); json_next_item(&r);) {
        if (json_peek(&r) != JSON_OBJECT)
            return refuse_field(error, f);
        struct json_reader entry = r;
        json_skip(&r);
        // B11.16: an entry that is not understood is skipped, so that an engine may know more than this program.
        if (d->count < GAME_MAX_CHOICES && codec_read_choice(codec, &entry, table, &d->choices[d->count]))
            d->count++;
    }
    *error = (struct field_error){f->name, "a list with at least one action of this game"};
    return d->count ? WIRE_FINE : WIRE_UNUSABLE;
}

static enum wire_verdict decide(struct botapi *b, int which, struct span body, struct session *s, struct decision *d,
                                struct field_error *error)
{
    (void)which;
    const struct codec *codec = b->options.codec;
    const char *names[GAME_MAX_SEATS];
    struct codec_table table = table_of(s, names);
    struct json_reader at[DECIDE_FIELDS] = {0};
    d->count = 0;
    enum wire_verdict verdict = find_fields(body, decide_fields, DECIDE_FIELDS, at, error);
    if (verdict == WIRE_FINE)
        verdict = read_legal(codec, at[LEGAL], &table, d, error);
    if (verdict != WIRE_FINE)
        return verdict;
    int phase = at[PHASE].at ? json_string_among(json_read_string(&at[PHASE]), codec->phases) : -1;
    d->has_view = phase >= 0 && at[VIEW].at && codec_read_view(codec, at[VIEW], &table, phase, &d->view);
    // B11.26: drawn from what the request tells, so that a repeated request gets the same answer.
    uint64_t seen = d->has_view ? hash_bytes(&d->view, codec->game->view_size) : 1;
    d->dice = rng_split(&s->root, seen * 31 + hash_bytes(d->choices, (size_t)d->count * sizeof *d->choices));
    d->ask = (struct bot_ask){.game = codec->game, .seat = s->seat, .seats = s->seats, .aggro = b->options.aggro};
    return WIRE_FINE;
}

static void read_events(const struct codec *codec, struct json_reader r, struct session *s)
{
    const char *names[GAME_MAX_SEATS];
    struct codec_table table = table_of(s, names);
    if (!codec->read_event || !s->events || !r.at)
        return;
    for (json_enter_array(&r); json_next_item(&r);) {
        struct game_event e = {0};
        struct json_reader entry = r;
        json_skip(&r);
        if (json_peek(&entry) == JSON_OBJECT && codec->read_event(&entry, &table, &e))
            session_add_event(s, &e);
    }
}

static enum wire_verdict notify(struct botapi *b, struct span event, struct span body, struct session *s,
                                struct field_error *error)
{
    struct json_reader at[1] = {0};
    bool known = span_is(event, "events");
    enum wire_verdict verdict = find_fields(body, notify_fields, known, at, error);
    if (verdict == WIRE_FINE && known)
        read_events(b->options.codec, at[0], s);
    if (verdict == WIRE_FINE && span_is(event, "match-ended"))
        sessions_end(&b->sessions, s);
    return verdict;
}

static void write_answer(const struct botapi *b, const struct session *s, struct game_action a, struct text *t)
{
    const char *names[GAME_MAX_SEATS];
    struct codec_table table = table_of(s, names);
    codec_write_action(b->options.codec, t, &table, a, false);
}

const struct bot_dialect bot_dialect_generic = {decisions, create, decide, NULL, notify, write_answer};
