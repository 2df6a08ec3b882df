// Requests as a server gets them (B11.14-B11.17). The text is checked first, with the types of the fields at its top;
// what lies deeper is context, and only counts as unknown when it makes no sense.
#include "botwire/inside.h"

enum { DEPTH = 32, MAX_FIELDS = 4, MAX_POINTS = 1000000 };

#define MATCH                                                                                                          \
    {                                                                                                                  \
        "matchState", JSON_OBJECT, "an object"                                                                         \
    }
#define HAND                                                                                                           \
    {                                                                                                                  \
        "hand", JSON_ARRAY, "an array of cards"                                                                        \
    }
#define HAND_STATE                                                                                                     \
    {                                                                                                                  \
        "handState", JSON_OBJECT, "an object"                                                                          \
    }
#define TALK                                                                                                           \
    {                                                                                                                  \
        "negotiationState", JSON_OBJECT, "an object"                                                                   \
    }

// B11.1-B11.10. The first field of WIRE_CREATE, and the last of decisions with a list, is required.
static const struct wire_field fields[WIRE_CALLS][MAX_FIELDS] = {
    [WIRE_CREATE] = {{"position", JSON_STRING, "one of Bottom, Left, Top, Right"},
                     {"matchId", JSON_STRING, "a string of 1 to 256 bytes"},
                     {"seed", JSON_INT, "a 64-bit integer or null"}},
    [WIRE_CUT] = {{"deckSize", JSON_INT, "32"}, MATCH},
    [WIRE_NEGOTIATE] = {HAND, TALK, MATCH, {"validActions", JSON_ARRAY, "an array of actions"}},
    [WIRE_CARD] = {HAND, HAND_STATE, MATCH, {"validPlays", JSON_ARRAY, "an array of cards"}},
    [WIRE_DEAL_STARTED] = {MATCH},
    [WIRE_MATCH_ENDED] = {MATCH},
    [WIRE_NEGOTIATED] = {TALK, MATCH},
    [WIRE_PLAYED] = {{"player", JSON_STRING, "a seat"}, {"card", JSON_OBJECT, "a card"}, HAND_STATE, MATCH},
    [WIRE_TRICK] = {{"completedTrick", JSON_OBJECT, "a trick"}, {"winner", JSON_STRING, "a seat"}, HAND_STATE, MATCH},
    [WIRE_ENDED] = {{"result", JSON_OBJECT, "a deal result"}, HAND_STATE, MATCH},
};

// Where the value of each field of the call begins; at NULL when it is absent or null.
struct found {
    struct json_reader at[MAX_FIELDS];
};

static enum wire_verdict refuse(struct wire_request *q, const struct wire_field *f)
{
    q->bad = f->name;
    q->want = f->want;
    return WIRE_BAD_FIELD;
}

static int field_of(const struct wire_field *list, int count, struct json_string key)
{
    for (int i = 0; i < count && list[i].name; i++)
        if (json_string_is(key, list[i].name))
            return i;
    return -1;
}

static struct span without_mark(struct span body)
{
    bool mark = body.size >= 3 && memcmp(body.at, "\xEF\xBB\xBF", 3) == 0;
    return mark ? (struct span){body.at + 3, body.size - 3} : body;
}

enum wire_verdict wire_find_fields(struct span body, const struct wire_field *list, int count, struct json_reader *at,
                                   const struct wire_field **wrong)
{
    struct json_reader r = json_reader_of(without_mark(body), DEPTH);
    struct json_string key;
    *wrong = NULL;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        int i = field_of(list, count, key);
        enum json_type type = json_peek(&r);
        if (i >= 0)
            at[i] = type == JSON_NULL ? (struct json_reader){0} : r;
        if (i >= 0 && type != JSON_NULL && type != list[i].type)
            *wrong = *wrong ? *wrong : &list[i];
        json_skip(&r);
    }
    if (json_finish(&r) != OK)
        return WIRE_BAD_JSON;
    return *wrong ? WIRE_BAD_FIELD : WIRE_FINE;
}

// --- pieces: each reads one value, whatever it is; -1 when it is not what it should be

static int read_name(struct json_reader *r, const char *const *names)
{
    if (json_peek(r) == JSON_STRING)
        return json_string_among(json_read_string(r), names);
    json_skip(r);
    return -1;
}

static int read_number(struct json_reader *r, int max)
{
    struct json_reader ahead = *r;
    json_skip(r);
    int64_t number = json_read_int(&ahead, 0, max);
    return ahead.error ? -1 : (int)number;
}

static bool enter_object(struct json_reader *r)
{
    if (json_peek(r) == JSON_OBJECT) {
        json_enter_object(r);
        return true;
    }
    json_skip(r);
    return false;
}

static bool enter_array(struct json_reader *r)
{
    if (json_peek(r) == JSON_ARRAY) {
        json_enter_array(r);
        return true;
    }
    json_skip(r);
    return false;
}

static int read_card(struct json_reader *r)
{
    struct json_string key;
    int rank = -1, suit = -1;
    if (!enter_object(r))
        return -1;
    while (json_next_key(r, &key))
        if (json_string_is(key, "rank"))
            rank = read_name(r, wire_ranks);
        else if (json_string_is(key, "suit"))
            suit = read_name(r, wire_suits);
        else
            json_skip(r);
    return rank < 0 || suit < 0 ? -1 : BELOTE_RANKS * suit + rank;
}

// The word, and who said it: -1 where nobody is named.
static int read_word(struct json_reader *r, int *player)
{
    static const int first[] = {BELOTE_SAY_MODE, BELOTE_SAY_ACCEPT, BELOTE_SAY_DOUBLE, BELOTE_SAY_REDOUBLE};
    struct json_string key;
    int type = -1, mode = -1, target = -1;
    *player = -1;
    if (!enter_object(r))
        return -1;
    while (json_next_key(r, &key))
        if (json_string_is(key, "type"))
            type = read_name(r, wire_word_types);
        else if (json_string_is(key, "player"))
            *player = read_name(r, wire_seats);
        else if (json_string_is(key, "mode"))
            mode = read_name(r, wire_modes);
        else if (json_string_is(key, "targetMode"))
            target = read_name(r, wire_modes);
        else
            json_skip(r);
    int of = type == 0 ? mode : type == 1 ? 0 : target;
    return type < 0 || of < 0 ? -1 : first[type] + of;
}

// --- context

static void read_hand(struct json_reader r, struct wire_request *q)
{
    uint32_t seen = 0;
    bool sound = true;
    if (!r.at)
        return;
    for (json_enter_array(&r); json_next_item(&r);) {
        int card = read_card(&r);
        sound = sound && card >= 0 && q->cards < BELOTE_HAND && !(seen >> card & 1);
        if (!sound)
            continue;
        seen |= 1u << card;
        q->hand[q->cards++] = (uint8_t)card;
    }
    q->knows_hand = sound;
}

static struct belote_deal read_deal(struct json_reader *r)
{
    struct belote_deal d = {.sweep = BELOTE_NONE};
    struct json_string key;
    int mode = -1, multiplier = -1, team = -1, sweep, points[4] = {-1, -1, -1, -1};
    static const char *const numbers[] = {"team1CardPoints", "team2CardPoints", "team1MatchPoints", "team2MatchPoints",
                                          NULL};
    if (!enter_object(r))
        return d;
    while (json_next_key(r, &key)) {
        int number = json_string_among(key, numbers);
        if (number >= 0)
            points[number] = read_number(r, number < 2 ? 300 : 255);
        else if (json_string_is(key, "gameMode"))
            mode = read_name(r, wire_modes);
        else if (json_string_is(key, "multiplier"))
            multiplier = read_name(r, wire_multipliers);
        else if (json_string_is(key, "announcerTeam"))
            team = read_name(r, wire_teams);
        else if (json_string_is(key, "sweepingTeam"))
            d.sweep = (uint8_t)((sweep = read_name(r, wire_teams)) < 0 ? BELOTE_NONE : sweep);
        else
            json_skip(r);
    }
    if (mode < 0 || multiplier < 0 || team < 0 || points[0] < 0 || points[1] < 0 || points[2] < 0 || points[3] < 0)
        return (struct belote_deal){.sweep = BELOTE_NONE};
    d.mode = (uint8_t)mode;
    d.multiplier = (uint8_t)(1 << multiplier);
    d.team = (uint8_t)team;
    for (int i = 0; i < 2; i++) {
        d.card_points[i] = (uint16_t)points[i];
        d.match_points[i] = (uint8_t)points[2 + i];
    }
    return d;
}

// Only the last is looked at: no player asks for more, and a match may have many.
static void read_deals(struct json_reader *r, struct wire_request *q)
{
    struct json_reader last = {0};
    if (!enter_array(r))
        return;
    while (json_next_item(r)) {
        last = *r;
        q->match_state.count++;
        json_skip(r);
    }
    if (last.at)
        q->last = read_deal(&last);
}

static void read_match(struct json_reader r, struct wire_request *q)
{
    struct json_string key;
    int target = -1, points[2] = {-1, -1}, dealer = -1;
    if (!r.at)
        return;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "targetScore"))
            target = read_number(&r, MAX_POINTS);
        else if (json_string_is(key, "team1MatchPoints"))
            points[0] = read_number(&r, MAX_POINTS);
        else if (json_string_is(key, "team2MatchPoints"))
            points[1] = read_number(&r, MAX_POINTS);
        else if (json_string_is(key, "currentDealer"))
            dealer = read_name(&r, wire_seats);
        else if (json_string_is(key, "completedDeals"))
            read_deals(&r, q);
        else
            json_skip(&r);
    q->knows_match = target > 0 && points[0] >= 0 && points[1] >= 0 && dealer >= 0;
    if (!q->knows_match)
        return;
    q->match_state.target = target;
    q->match_state.points[0] = points[0];
    q->match_state.points[1] = points[1];
    q->match_state.dealer = (uint8_t)dealer;
}

// Actions in order; false when one is strange, too many, or said by somebody whose turn it was not.
static bool read_words(struct json_reader *r, struct wire_deal *d)
{
    int player;
    bool sound = true;
    if (!enter_array(r))
        return false;
    while (json_next_item(r)) {
        int word = read_word(r, &player);
        sound = sound && word >= 0 && d->bids < BELOTE_MAX_BIDS &&
                (player < 0 || player == (d->dealer + 1 + d->bids) % BELOTE_SEATS);
        if (sound)
            wire_add_bid(d, word);
    }
    return sound;
}

static void read_negotiation(struct json_reader r, struct wire_request *q)
{
    struct json_reader words = {0};
    struct json_string key;
    int dealer = -1;
    if (!r.at)
        return;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "dealer")) {
            dealer = read_name(&r, wire_seats);
        } else if (json_string_is(key, "currentPlayer")) {
            q->seat = read_name(&r, wire_seats);
        } else {
            if (json_string_is(key, "actions"))
                words = r;
            json_skip(&r);
        }
    if (dealer < 0 || !words.at)
        return;
    wire_start_deal(&q->deal, dealer);
    q->knows_bids = read_words(&words, &q->deal);
}

struct trick {
    int leader;
    int count; // of cards, -1: they make no sense
    uint8_t card[4];
};

static void read_played_card(struct json_reader *r, int *player, int *card)
{
    struct json_string key;
    *player = *card = -1;
    if (!enter_object(r))
        return;
    while (json_next_key(r, &key))
        if (json_string_is(key, "player"))
            *player = read_name(r, wire_seats);
        else if (json_string_is(key, "card"))
            *card = read_card(r);
        else
            json_skip(r);
}

static void read_played(struct json_reader *r, struct trick *k)
{
    bool sound = enter_array(r);
    k->count = sound ? 0 : -1;
    while (sound && json_next_item(r)) {
        int player, card;
        read_played_card(r, &player, &card);
        if (card < 0 || k->count < 0 || k->count == 4 ||
            (player >= 0 && k->leader >= 0 && player != (k->leader + k->count) % BELOTE_SEATS))
            k->count = -1;
        else
            k->card[k->count++] = (uint8_t)card;
    }
}

static struct trick read_trick(struct json_reader *r)
{
    struct trick k = {.leader = -1, .count = -1};
    struct json_reader played = {0};
    struct json_string key;
    if (!enter_object(r))
        return k;
    while (json_next_key(r, &key)) {
        if (json_string_is(key, "leader")) {
            k.leader = read_name(r, wire_seats);
            continue;
        }
        if (json_string_is(key, "playedCards"))
            played = *r;
        json_skip(r);
    }
    if (played.at)
        read_played(&played, &k);
    return k;
}

// A trick onto the deal: who leads must be who took the last one; the first leader sits behind the dealer.
static bool join_trick(struct wire_deal *d, const struct trick *k, bool complete)
{
    if (k->leader < 0 || k->count < 0 || (k->count == 4) != complete || d->plays + k->count > BELOTE_CARDS)
        return false;
    if (d->plays == 0) {
        d->dealer = (uint8_t)((k->leader + 3) % BELOTE_SEATS);
        d->leader[0] = (uint8_t)k->leader;
    }
    if (d->leader[d->plays / 4] != k->leader)
        return false;
    for (int i = 0; i < k->count; i++)
        wire_add_play(d, k->card[i]);
    return true;
}

static bool read_tricks(struct json_reader complete, struct json_reader current, int mode, struct wire_request *q)
{
    bool sound = mode >= 0 && complete.at;
    q->deal.mode = (uint8_t)mode;
    if (complete.at && enter_array(&complete))
        while (json_next_item(&complete)) {
            struct trick k = read_trick(&complete);
            sound = sound && join_trick(&q->deal, &k, true);
        }
    struct trick now = {.leader = -1, .count = -1};
    if (current.at)
        now = read_trick(&current);
    if (now.leader >= 0 && now.count >= 0) // B11.28
        q->seat = (now.leader + now.count) % BELOTE_SEATS;
    return sound && join_trick(&q->deal, &now, false);
}

static void read_hand_state(struct json_reader r, struct wire_request *q)
{
    struct json_reader complete = {0}, current = {0};
    struct json_string key;
    int mode = -1;
    if (!r.at)
        return;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        if (json_string_is(key, "gameMode")) {
            mode = read_name(&r, wire_modes);
            continue;
        }
        if (json_string_is(key, "completedTricks"))
            complete = r;
        else if (json_string_is(key, "currentTrick"))
            current = r;
        json_skip(&r);
    }
    q->knows_plays = read_tricks(complete, current, mode, q);
}

// --- lists

static void add_choice(struct wire_request *q, struct game_action a)
{
    if (!game_has_choice(q->choices, q->count, a))
        q->choices[q->count++] = (struct game_choice){.first = a, .max_amount = a.amount};
}

static struct game_action say(int word)
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

// B11.16
static enum wire_verdict read_list(struct json_reader r, enum wire_call call, struct wire_request *q)
{
    const struct wire_field *f = &fields[call][MAX_FIELDS - 1];
    int player;
    if (!r.at)
        return refuse(q, f);
    for (json_enter_array(&r); json_next_item(&r);) {
        if (json_peek(&r) != JSON_OBJECT) {
            q->count = 0;
            return refuse(q, f);
        }
        int entry = call == WIRE_CARD ? read_card(&r) : read_word(&r, &player);
        if (entry >= 0)
            add_choice(q, call == WIRE_CARD ? (struct game_action){.kind = BELOTE_PLAY, .arg = {(uint8_t)entry}}
                                            : say(entry));
    }
    q->bad = f->name;
    q->want = "at least one entry that is known here";
    return q->count ? WIRE_FINE : WIRE_UNUSABLE;
}

// --- requests

static enum wire_verdict read_create(const struct found *f, struct wire_request *q)
{
    struct json_reader at[3] = {f->at[0], f->at[1], f->at[2]};
    q->seat = at[0].at ? read_name(&at[0], wire_seats) : -1;
    if (q->seat < 0)
        return refuse(q, &fields[WIRE_CREATE][0]);
    int size = at[1].at ? json_string_copy(json_read_string(&at[1]), q->match, sizeof q->match) : 0;
    if (size < 1)
        return refuse(q, &fields[WIRE_CREATE][1]);
    q->has_seed = at[2].at;
    if (q->has_seed) {
        struct json_reader negative = at[2];
        q->seed = json_read_uint(&at[2], UINT64_MAX);
        if (at[2].error)
            q->seed = (uint64_t)json_read_int(&negative, INT64_MIN, 0);
    }
    return WIRE_FINE;
}

static enum wire_verdict read_cut(const struct found *f, struct wire_request *q)
{
    struct json_reader size = f->at[0];
    read_match(f->at[1], q);
    q->choices[q->count++] = (struct game_choice){.first = {.kind = BELOTE_CUT, .arg = {1}, .amount = BELOTE_CUT_MIN},
                                                  .max_amount = BELOTE_CUT_MAX};
    q->bad = "deckSize";
    q->want = "32";
    return size.at && read_number(&size, BELOTE_CARDS) != BELOTE_CARDS ? WIRE_UNUSABLE : WIRE_FINE;
}

static enum wire_verdict read_decision(const struct found *f, enum wire_call call, struct wire_request *q)
{
    read_hand(f->at[0], q);
    if (call == WIRE_CARD)
        read_hand_state(f->at[1], q);
    else
        read_negotiation(f->at[1], q);
    read_match(f->at[2], q);
    return read_list(f->at[3], call, q);
}

enum wire_verdict wire_read_request(struct span body, enum wire_call call, struct wire_request *q)
{
    struct found f = {0};
    *q = (struct wire_request){.seat = -1, .last.sweep = BELOTE_NONE, .deal.mode = BELOTE_NONE};
    q->match_state.winner = BELOTE_NONE;
    const struct wire_field *wrong;
    enum wire_verdict verdict = wire_find_fields(body, fields[call], MAX_FIELDS, f.at, &wrong);
    if (verdict != WIRE_FINE)
        return wrong ? refuse(q, wrong) : verdict;
    switch (call) {
    case WIRE_CREATE:
        return read_create(&f, q);
    case WIRE_CUT:
        return read_cut(&f, q);
    case WIRE_NEGOTIATE:
    case WIRE_CARD:
        return read_decision(&f, call, q);
    case WIRE_DEAL_STARTED:
        read_match(f.at[0], q);
        return WIRE_FINE;
    case WIRE_NEGOTIATED:
        read_negotiation(f.at[0], q);
        read_match(f.at[1], q);
        return WIRE_FINE;
    default:
        return WIRE_FINE;
    }
}
