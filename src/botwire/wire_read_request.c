// Reads the requests that a server gets (B11.14-B11.17) in one pass: fields of the wrong type are noted, context is
// read as far as it makes sense, and the verdict follows when the whole text was read.
#include "botwire/internal.h"

// DEPTH: part of the API (the table of B11.18 says 400 for more).
enum { DEPTH = 32, MAX_FIELDS = 4 };

// A field, and the function that reads its value if the type is right.
struct row {
    struct wire_field field;
    void (*read)(struct json_reader *r, struct wire_request *q);
};

// --- values at the top

static void skip_value(struct json_reader *r, struct wire_request *q)
{
    (void)q;
    json_skip(r);
}

static void read_position(struct json_reader *r, struct wire_request *q)
{
    q->seat = wire_read_name(r, wire_seats);
}

static void read_match_id(struct json_reader *r, struct wire_request *q)
{
    if (json_string_copy(json_read_string(r), q->match, sizeof q->match) < 0)
        q->match[0] = 0;
}

static void read_seed(struct json_reader *r, struct wire_request *q)
{
    struct json_reader ahead = *r, negative = *r;
    json_skip(r);
    q->has_seed = true;
    q->seed = json_read_uint(&ahead, UINT64_MAX);
    if (ahead.error)
        q->seed = (uint64_t)json_read_int(&negative, INT64_MIN, 0);
}

static void read_deck_size(struct json_reader *r, struct wire_request *q)
{
    q->is_wrong_deck = wire_read_number(r, BELOTE_CARDS) != BELOTE_CARDS;
}

static void add_choice(struct wire_request *q, struct game_action a)
{
    if (!game_has_choice(q->choices, q->count, a))
        q->choices[q->count++] = (struct game_choice){.first = a, .max_amount = a.amount};
}

static struct game_action action_of_word(int word)
{
    static const struct {
        uint8_t first, kind;
    } kinds[] = {{BELOTE_SAY_REDOUBLE, BELOTE_REDOUBLE},
                 {BELOTE_SAY_DOUBLE, BELOTE_DOUBLE},
                 {BELOTE_SAY_ACCEPT, BELOTE_ACCEPT},
                 {BELOTE_SAY_MODE, BELOTE_ANNOUNCE}};
    int i = 0;
    while (word < kinds[i].first)
        i++;
    return (struct game_action){.kind = kinds[i].kind, .arg = {(uint8_t)(word - kinds[i].first)}};
}

// B11.16: entries with unknown words are skipped, those that are no objects are not.
static void enter_choices(struct json_reader *r, struct wire_request *q)
{
    q->listed = true;
    q->count = 0;
    json_enter_array(r);
}

static bool enter_choice(struct json_reader *r, struct wire_request *q)
{
    if (json_peek(r) == JSON_OBJECT)
        return true;
    q->listed = false;
    json_skip(r);
    return false;
}

static void read_actions(struct json_reader *r, struct wire_request *q)
{
    int player;
    for (enter_choices(r, q); json_next_item(r);) {
        int word = enter_choice(r, q) ? wire_read_one_word(r, &player) : -1;
        if (word >= 0)
            add_choice(q, action_of_word(word));
    }
}

static void read_plays(struct json_reader *r, struct wire_request *q)
{
    for (enter_choices(r, q); json_next_item(r);) {
        int card = enter_choice(r, q) ? wire_read_one_card(r) : -1;
        if (card >= 0)
            add_choice(q, (struct game_action){.kind = BELOTE_PLAY, .arg = {(uint8_t)card}});
    }
}

// --- the fields of each request (B11.1-B11.10)

#define MATCH(read_)                                                                                                   \
    {                                                                                                                  \
        {"matchState", JSON_OBJECT, "an object"}, read_                                                                \
    }
#define HAND                                                                                                           \
    {                                                                                                                  \
        {"hand", JSON_ARRAY, "an array of cards"}, wire_read_hand                                                      \
    }
#define HAND_STATE(read_)                                                                                              \
    {                                                                                                                  \
        {"handState", JSON_OBJECT, "an object"}, read_                                                                 \
    }
#define TALK                                                                                                           \
    {                                                                                                                  \
        {"negotiationState", JSON_OBJECT, "an object"}, wire_read_negotiation                                          \
    }

static const struct row rows[WIRE_CALLS][MAX_FIELDS] = {
    [WIRE_CREATE] = {{{"position", JSON_STRING, "one of Bottom, Left, Top, Right"}, read_position},
                     {{"matchId", JSON_STRING, "a string of 1 to 256 bytes"}, read_match_id},
                     {{"seed", JSON_INT, "a 64-bit integer or null"}, read_seed}},
    [WIRE_CUT] = {{{"deckSize", JSON_INT, "32"}, read_deck_size}, MATCH(wire_read_match)},
    [WIRE_NEGOTIATE] = {{{"validActions", JSON_ARRAY, "an array of actions"}, read_actions},
                        HAND,
                        TALK,
                        MATCH(wire_read_match)},
    [WIRE_CARD] = {{{"validPlays", JSON_ARRAY, "an array of cards"}, read_plays},
                   HAND,
                   HAND_STATE(wire_read_hand_state),
                   MATCH(wire_read_match)},
    [WIRE_DEAL_STARTED] = {MATCH(wire_read_match)},
    [WIRE_MATCH_ENDED] = {MATCH(skip_value)},
    [WIRE_NEGOTIATED] = {TALK, MATCH(wire_read_match)},
    [WIRE_PLAYED] = {{{"player", JSON_STRING, "a seat"}, skip_value},
                     {{"card", JSON_OBJECT, "a card"}, skip_value},
                     HAND_STATE(skip_value),
                     MATCH(skip_value)},
    [WIRE_TRICK] = {{{"completedTrick", JSON_OBJECT, "a trick"}, skip_value},
                    {{"winner", JSON_STRING, "a seat"}, skip_value},
                    HAND_STATE(skip_value),
                    MATCH(skip_value)},
    [WIRE_ENDED] = {{{"result", JSON_OBJECT, "a deal result"}, skip_value}, HAND_STATE(skip_value), MATCH(skip_value)},
};

// --- verdicts

static enum wire_verdict refuse_field(struct wire_request *q, const struct wire_field *f, enum wire_verdict verdict)
{
    q->field = f->name;
    q->expected =
        verdict == WIRE_UNUSABLE && f->type == JSON_ARRAY ? "a list with an entry that is known here" : f->expected;
    return verdict;
}

// Checks what must be present, after all types were found to be right.
static enum wire_verdict check_required(struct wire_request *q, enum wire_call call)
{
    const struct row *row = rows[call];
    switch (call) {
    case WIRE_CREATE:
        if (q->seat < 0)
            return refuse_field(q, &row[0].field, WIRE_BAD_FIELD);
        return q->match[0] ? WIRE_FINE : refuse_field(q, &row[1].field, WIRE_BAD_FIELD);
    case WIRE_CUT:
        q->choices[q->count++] = (struct game_choice){
            .first = {.kind = BELOTE_CUT, .arg = {1}, .amount = BELOTE_CUT_MIN}, .max_amount = BELOTE_CUT_MAX};
        return q->is_wrong_deck ? refuse_field(q, &row[0].field, WIRE_UNUSABLE) : WIRE_FINE;
    case WIRE_NEGOTIATE:
    case WIRE_CARD:
        if (!q->listed)
            return refuse_field(q, &row[0].field, WIRE_BAD_FIELD);
        return q->count ? WIRE_FINE : refuse_field(q, &row[0].field, WIRE_UNUSABLE);
    default:
        return WIRE_FINE;
    }
}

static struct span without_mark(struct span body)
{
    bool mark = body.size >= 3 && memcmp(body.at, "\xEF\xBB\xBF", 3) == 0;
    return mark ? (struct span){body.at + 3, body.size - 3} : body;
}

static const struct row *row_of(enum wire_call call, struct json_string key)
{
    for (int i = 0; i < MAX_FIELDS && rows[call][i].read; i++)
        if (json_string_is(key, rows[call][i].field.name))
            return &rows[call][i];
    return NULL;
}

// Clears a field that occurs again: of two members with one name the last counts.
static void clear_field(struct wire_request *q, const struct row *row)
{
    if (row->read == read_actions || row->read == read_plays)
        q->listed = false, q->count = 0;
    if (row->read == read_position)
        q->seat = -1;
    if (row->read == read_match_id)
        q->match[0] = 0;
    if (row->read == read_seed)
        q->has_seed = false;
    if (row->read == read_deck_size)
        q->is_wrong_deck = false;
}

enum wire_verdict wire_read_request(struct span body, enum wire_call call, struct wire_request *q)
{
    struct json_reader r = json_reader_of(without_mark(body), DEPTH);
    struct json_string key;
    const struct row *wrong = NULL;
    *q = (struct wire_request){.seat = -1, .last.sweep = BELOTE_NONE, .deal.mode = BELOTE_NONE};
    q->match_state.winner = BELOTE_NONE;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        const struct row *row = row_of(call, key);
        enum json_type type = json_peek(&r);
        if (row)
            clear_field(q, row);
        if (row && type == row->field.type) {
            row->read(&r, q);
            continue;
        }
        if (row && type != JSON_NULL)
            wrong = wrong ? wrong : row;
        json_skip(&r);
    }
    if (json_finish(&r) != OK)
        return WIRE_BAD_JSON;
    return wrong ? refuse_field(q, &wrong->field, WIRE_BAD_FIELD) : check_required(q, call);
}

// --- for other dialects: where the fields are

enum wire_verdict wire_find_fields(struct span body, const struct wire_field *list, int count, struct json_reader *at,
                                   const struct wire_field **wrong)
{
    struct json_reader r = json_reader_of(without_mark(body), DEPTH);
    struct json_string key;
    *wrong = NULL;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        enum json_type type = json_peek(&r);
        int i = 0;
        while (i < count && !json_string_is(key, list[i].name))
            i++;
        if (i < count)
            at[i] = type == JSON_NULL ? (struct json_reader){0} : r;
        if (i < count && type != JSON_NULL && type != list[i].type)
            *wrong = *wrong ? *wrong : &list[i];
        json_skip(&r);
    }
    if (json_finish(&r) != OK)
        return WIRE_BAD_JSON;
    return *wrong ? WIRE_BAD_FIELD : WIRE_FINE;
}
