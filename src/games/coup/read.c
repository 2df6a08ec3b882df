#include "games/coup/codec.h"

enum { MAX_COINS = 60 }; // what a byte holds safely; is_possible asks the rules

static int read_roles(struct json_reader *r, uint8_t *out, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        uint8_t role = codec_read_word(r, coup_role_names, COUP_ROLES + 1);
        if (count == room || role == COUP_NO_ROLE)
            json_fail(r, ERR_RANGE);
        else
            out[count++] = role;
    }
    return count;
}

// Revealed cards first: which slot a card lies in matters only while both are hidden.
static void lay_cards(struct coup_seat *seat, const uint8_t *up, int ups, const uint8_t *down, int downs)
{
    for (int i = 0; i < ups; i++) {
        seat->card[i] = up[i];
        seat->up |= (uint8_t)(1 << i);
    }
    for (int i = 0; i < downs && ups + i < 2; i++)
        seat->card[ups + i] = down[i];
}

static void read_seat(struct json_reader *r, const struct codec_table *table, struct coup_view *v)
{
    static const char *const statuses[] = {"eliminated", "alive"};
    struct json_string key;
    uint8_t up[2] = {0}, seat = COUP_MAX_SEATS, coins = 0, alive = 0;
    int ups = 0;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "seat"))
            seat = (uint8_t)codec_read_seat(r, table);
        else if (json_string_is(key, "coins"))
            coins = (uint8_t)json_read_int(r, 0, MAX_COINS);
        else if (json_string_is(key, "revealed"))
            ups = read_roles(r, up, 2);
        else if (json_string_is(key, "status"))
            alive = codec_read_word(r, statuses, 2);
        else
            json_skip(r);
    if (r->error || seat >= COUP_MAX_SEATS || seat >= table->seats) {
        json_fail(r, ERR_MISSING);
        return;
    }
    v->seat[seat].coins = coins;
    v->seat[seat].up = 0;
    lay_cards(&v->seat[seat], up, ups, NULL, 0);
    v->in_play |= (uint8_t)(alive << seat);
}

static void read_pending(struct json_reader *r, const struct codec_table *table, struct coup_view *v)
{
    struct json_string key;
    if (json_read_if_null(r))
        return;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "action"))
            v->log.action = codec_read_word(r, coup_action_names, COUP_TURN_ACTIONS + 1);
        else if (json_string_is(key, "target"))
            v->log.target = codec_read_seat_or(r, table, 0);
        else if (json_string_is(key, "blocker"))
            v->log.blocker = codec_read_seat_or(r, table, 0);
        else if (json_string_is(key, "block_role"))
            v->log.block_role = json_read_if_null(r) ? 0 : codec_read_word(r, coup_role_names, COUP_ROLES + 1);
        else if (json_string_is(key, "loser"))
            v->log.loser = codec_read_seat_or(r, table, 0);
        else
            json_skip(r);
}

static void read_member(struct json_reader *r, const struct codec_table *table, struct json_string key,
                        struct coup_view *v, uint8_t own[2], int *owned)
{
    if (json_string_is(key, "cards")) {
        *owned = read_roles(r, own, 2);
    } else if (json_string_is(key, "actor")) {
        v->log.actor = codec_read_seat_or(r, table, 0);
    } else if (json_string_is(key, "pending")) {
        read_pending(r, table, v);
    } else if (json_string_is(key, "exchange_cards")) {
        if (read_roles(r, v->exchange, 2) != 2)
            json_fail(r, ERR_RANGE);
    } else if (json_string_is(key, "deck_count")) {
        v->deck_count = (uint8_t)json_read_int(r, 0, COUP_CARDS);
    } else if (json_string_is(key, "seats")) {
        for (json_enter_array(r); json_next_item(r);)
            read_seat(r, table, v);
    } else {
        json_skip(r);
    }
}

static bool has_seats(const struct coup_view *v)
{
    const struct coup_log *log = &v->log;
    const uint8_t seats[] = {log->actor, log->target, log->challenger, log->blocker, log->loser, log->block_challenger};
    bool all = v->seats <= COUP_MAX_SEATS && v->viewer < v->seats;
    for (unsigned i = 0; i < sizeof seats; i++)
        all &= seats[i] < v->seats;
    return all;
}

// The phases in which a seat answers an action need an action.
static bool is_sound(const struct coup_view *v)
{
    bool needs_action = v->phase != COUP_PHASE_ACTION && v->phase != COUP_PHASE_LOSE_INFLUENCE;
    bool others = v->in_play & ~(1u << v->viewer);
    return has_seats(v) && v->phase < COUP_PHASE_DONE && others && (v->in_play >> v->viewer & 1) &&
           (!needs_action || v->log.action) && (v->phase != COUP_PHASE_CHALLENGE_BLOCK || v->log.block_role) &&
           (v->phase != COUP_PHASE_EXCHANGE_RETURN || v->exchange[0]);
}

static bool has_copies(const struct coup_view *v)
{
    int seen[COUP_ROLES + 1] = {0};
    for (int i = 0; i < v->seats; i++)
        for (int slot = 0; slot < 2; slot++)
            seen[v->seat[i].card[slot]]++;
    seen[v->exchange[0]]++;
    seen[v->exchange[1]]++;
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++)
        if (seen[role] > COUP_COPIES)
            return false;
    return true;
}

// Bots sample the hidden cards and play on from there, so the view must be consistent with the rules.
static bool is_possible(const struct coup_view *v)
{
    if (!has_copies(v))
        return false;
#ifndef AGON_BROWSER // which reads what its own referee wrote
    struct coup_state s;
    struct rng dice = {0};
    coup_game.imagine(&s, v, &dice);
    if (coup_game.check(&s))
        return false;
#endif
    return true;
}

bool coup_is_playable(const struct coup_view *v)
{
    return is_sound(v) && is_possible(v);
}

bool coup_read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view)
{
    struct coup_view *v = view;
    struct json_string key;
    uint8_t own[2] = {0};
    int owned = 0;
    v->viewer = (uint8_t)table->viewer;
    v->seats = (uint8_t)table->seats;
    v->phase = (uint8_t)phase;
    v->asked = (uint8_t)(1u << v->viewer); // who else is, no view tells
    for (json_enter_object(r); json_next_key(r, &key);)
        read_member(r, table, key, v, own, &owned);
    if (r->error || !is_sound(v))
        return false;
    struct coup_seat *me = &v->seat[v->viewer];
    if (owned != coup_influence(me))
        return false;
    lay_cards(me, me->card, __builtin_popcount(me->up), own, owned);
    return is_possible(v);
}

// ---- Events ---------------------------------------------------------------------------------------------------------

static void read_fact(struct json_reader *r, struct json_string key, struct coup_fact *f)
{
    static const char *const results[] = {NULL, "fail", "success"};
    if (json_string_is(key, "action"))
        f->action = codec_read_word(r, coup_action_names, COUP_TURN_ACTIONS + 1);
    else if (json_string_is(key, "claimed_role"))
        f->role = codec_read_word(r, coup_role_names, COUP_ROLES + 1);
    else if (json_string_is(key, "card") || json_string_is(key, "revealed_card"))
        f->card = codec_read_word(r, coup_role_names, COUP_ROLES + 1);
    else if (json_string_is(key, "result"))
        f->result = codec_read_word(r, results, 3);
    else
        json_skip(r);
}

// Whether the event says what memories want to know of its kind.
static bool is_whole(int kind, const struct coup_fact *f)
{
    switch ((enum coup_event)kind) {
    case COUP_EVENT_ACTION:
        return f->action;
    case COUP_EVENT_BLOCK:
        return f->action && f->role;
    case COUP_EVENT_CHALLENGE:
    case COUP_EVENT_CHALLENGE_BLOCK:
        return f->role;
    case COUP_EVENT_CHALLENGE_RESULT:
    case COUP_EVENT_CHALLENGE_BLOCK_RESULT:
        return f->result;
    case COUP_EVENT_INFLUENCE_LOST:
        return f->card;
    case COUP_EVENT_EXCHANGE_COMPLETE:
    case COUP_EVENT_ACTION_RESOLVED:
        return true;
    default:
        return false;
    }
}

bool coup_read_event(struct json_reader *r, const struct codec_table *table, struct game_event *e)
{
    struct coup_fact f = {0};
    struct json_string key;
    int kind = 0, seat = -1;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "type") && json_peek(r) == JSON_STRING)
            kind = codec_read_word(r, coup_codec.event_types, COUP_EVENTS);
        else if (json_string_is(key, "seat"))
            seat = codec_read_seat(r, table);
        else
            read_fact(r, key, &f);
    if (r->error || seat < 0 || seat >= table->seats || seat >= COUP_MAX_SEATS || !is_whole(kind, &f))
        return false;
    *e = (struct game_event){.kind = (uint8_t)kind, .seat = (uint8_t)seat, .to = EVERYONE};
    memcpy(e->data, &f, sizeof f);
    return true;
}
