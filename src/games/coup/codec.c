#include "games/coup/codec.h"

const char *const coup_role_names[COUP_ROLES + 2] = {"", "Duke", "Assassin", "Captain", "Ambassador", "Contessa", NULL};

const char *const coup_action_names[COUP_ACTIONS + 1] = {
    "",         "income",    "foreign_aid", "coup",  "tax",       "assassinate",  "steal",
    "exchange", "challenge", "pass",        "block", "lose_card", "return_cards", NULL};

static const char *const phases[] = {"action",         "challenge_action", "block", "challenge_block",
                                     "lose_influence", "exchange_return",  "done",  NULL};

static const struct codec_action actions[] = {
    {"income", COUP_INCOME, false},
    {"foreign_aid", COUP_FOREIGN_AID, false},
    {"coup", COUP_COUP, false},
    {"tax", COUP_TAX, false},
    {"assassinate", COUP_ASSASSINATE, false},
    {"steal", COUP_STEAL, false},
    {"exchange", COUP_EXCHANGE, false},
    {"challenge", COUP_CHALLENGE, false},
    {"pass", COUP_PASS, false},
    {"block", COUP_BLOCK, false},
    {"lose_card", COUP_LOSE_CARD, false},
    {"return_cards", COUP_RETURN_CARDS, false},
    {"drop", GAME_DROP, true},
    {NULL, 0, false},
};

static const char *const event_types[] = {
    [0] = NULL,
    [COUP_EVENT_ACTION] = "action",
    [COUP_EVENT_CHALLENGE_PASS] = "challenge_pass",
    [COUP_EVENT_BLOCK_PASS] = "block_pass",
    [COUP_EVENT_BLOCK_CHALLENGE_PASS] = "block_challenge_pass",
    [COUP_EVENT_CHALLENGE] = "challenge",
    [COUP_EVENT_CHALLENGE_RESULT] = "challenge_result",
    [COUP_EVENT_BLOCK] = "block",
    [COUP_EVENT_BLOCK_ACCEPTED] = "block_accepted",
    [COUP_EVENT_CHALLENGE_BLOCK] = "challenge_block",
    [COUP_EVENT_CHALLENGE_BLOCK_RESULT] = "challenge_block_result",
    [COUP_EVENT_INFLUENCE_LOST] = "influence_lost",
    [COUP_EVENT_PLAYER_ELIMINATED] = "player_eliminated",
    [COUP_EVENT_PLAYER_DISCONNECTED] = "player_disconnected",
    [COUP_EVENT_EXCHANGE_DRAW] = "exchange_draw",
    [COUP_EVENT_EXCHANGE_COMPLETE] = "exchange_complete",
    [COUP_EVENT_ACTION_RESOLVED] = "action_resolved",
    [COUP_EVENT_GAME_OVER] = "game_over",
};
_Static_assert(sizeof event_types / sizeof *event_types == COUP_EVENTS, "every event has a type");

static const char *const windows_names[] = {"first", "deterministic", NULL};
static const char *const result_names[] = {NULL, "fail", "success"};

// --- pieces ---

static const char *role_or_null(int role)
{
    return role ? coup_role_names[role] : NULL;
}

void coup_write_roles(struct text *t, const uint8_t *roles, int count)
{
    json_begin_array(t);
    for (int i = 0; i < count; i++)
        json_write_text(t, coup_role_names[roles[i]]);
    json_end_array(t);
}

int coup_list_slots(const struct coup_seat *seat, unsigned slots, uint8_t roles[2])
{
    int count = 0;
    for (int slot = 0; slot < 2; slot++)
        if (slots >> slot & 1)
            roles[count++] = seat->card[slot];
    return count;
}

void coup_write_slots(struct text *t, const struct coup_seat *seat, unsigned slots)
{
    uint8_t roles[2];
    coup_write_roles(t, roles, coup_list_slots(seat, slots, roles));
}

static uint8_t read_role(struct json_reader *r)
{
    int role = json_string_among(json_read_string(r), coup_role_names);
    if (role < COUP_DUKE)
        json_fail(r, ERR_UNKNOWN);
    return role < COUP_DUKE ? COUP_NO_ROLE : (uint8_t)role;
}

// An array of roles: how many, at most `room`.
static int read_roles(struct json_reader *r, uint8_t *roles, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);)
        if (count < room)
            roles[count++] = read_role(r);
        else
            json_fail(r, ERR_RANGE);
    return count;
}

static int read_items(struct json_reader *r, uint8_t *items, int room)
{
    int count = read_roles(r, items, room);
    return r->error ? r->error : count;
}

// F4.4: an index may be written as 1.0.
static int read_index(struct json_reader *r)
{
    if (json_peek(r) != JSON_REAL)
        return (int)json_read_int(r, 0, UINT8_MAX);
    double value = json_read_real(r);
    if (value < 0 || value > UINT8_MAX || value != (double)(int)value) {
        json_fail(r, ERR_RANGE);
        return 0;
    }
    return (int)value;
}

// --- rules (F6.C18) ---

static void read_windows(struct json_reader *r, struct coup_rules *rules)
{
    int i = json_string_among(json_read_string(r), windows_names);
    if (i < 0)
        json_fail_word(r, windows_names);
    else
        rules->windows = (uint8_t)i;
}

static void read_ask_single(struct json_reader *r, struct coup_rules *rules)
{
    rules->ask_single = json_read_bool(r);
}

static void read_starter(struct json_reader *r, struct coup_rules *rules)
{
    const struct codec_table seats = {.seat = codec_seat_names, .seats = COUP_MAX_SEATS};
    int seat = codec_read_seat(r, &seats);
    if (seat >= 0)
        rules->starter = (uint8_t)seat;
}

// One number for all, or one for each seat.
static void read_coins(struct json_reader *r, struct coup_rules *rules)
{
    if (json_peek(r) != JSON_ARRAY) {
        memset(rules->coins, (int)json_read_int(r, 0, 9), sizeof rules->coins);
        return;
    }
    int seat = 0;
    for (json_enter_array(r); json_next_item(r); seat++)
        if (seat < COUP_MAX_SEATS)
            rules->coins[seat] = (uint8_t)json_read_int(r, 0, 9);
        else
            json_fail(r, ERR_RANGE);
}

// By seat; null is a seat that is dealt its cards.
static void read_hands(struct json_reader *r, struct coup_rules *rules)
{
    memset(rules->hands, 0, sizeof rules->hands);
    if (json_read_if_null(r))
        return;
    int seat = 0;
    for (json_enter_array(r); json_next_item(r); seat++)
        if (seat >= COUP_MAX_SEATS)
            json_fail(r, ERR_RANGE);
        else if (!json_read_if_null(r) && read_roles(r, rules->hands[seat], 2) != 2)
            json_fail(r, ERR_RANGE);
}

static void read_deck(struct json_reader *r, struct coup_rules *rules)
{
    memset(rules->deck, 0, sizeof rules->deck);
    if (!json_read_if_null(r) && read_roles(r, rules->deck, COUP_CARDS) != COUP_CARDS)
        json_fail(r, ERR_RANGE);
}

static bool read_rule(struct json_reader *r, struct json_string key, void *rules)
{
    static const char *const keys[] = {"windows", "ask_single", "starter", "coins", "hands", "deck", NULL};
    static void (*const readers[])(struct json_reader *, struct coup_rules *) = {
        read_windows, read_ask_single, read_starter, read_coins, read_hands, read_deck};
    int i = json_string_among(key, keys);
    if (i < 0)
        return false;
    readers[i](r, rules);
    return true;
}

// The rules do not know the number of seats: what follows the last hand is left out, as read_hands takes it.
static void write_hands(struct text *t, const struct coup_rules *r)
{
    int seats = COUP_MAX_SEATS;
    while (seats && !r->hands[seats - 1][0])
        seats--;
    if (!seats) {
        json_put_null(t, "hands");
        return;
    }
    json_begin_array_at(t, "hands");
    for (int i = 0; i < seats; i++)
        if (r->hands[i][0])
            coup_write_roles(t, r->hands[i], 2);
        else
            json_write_null(t);
    json_end_array(t);
}

static void write_rules(struct text *t, const void *rules)
{
    const struct coup_rules *r = rules;
    json_put_text(t, "windows", windows_names[r->windows]);
    json_put_bool(t, "ask_single", r->ask_single);
    json_put_int(t, "starter", r->starter);
    json_begin_array_at(t, "coins");
    for (int i = 0; i < COUP_MAX_SEATS; i++)
        json_write_int(t, r->coins[i]);
    json_end_array(t);
    write_hands(t, r);
    json_key(t, "deck");
    if (r->deck[0])
        coup_write_roles(t, r->deck, COUP_CARDS);
    else
        json_write_null(t);
}

// --- actions ---

// F6.C9: any order of the two is accepted; inside, the lower comes first.
static void read_pair(struct json_reader *r, struct game_action *a)
{
    int index[2] = {0}, count = 0;
    for (json_enter_array(r); json_next_item(r); count++)
        if (count < 2)
            index[count] = read_index(r);
        else
            json_skip(r);
    if (!r->error && count != 2)
        json_fail(r, ERR_RANGE);
    bool rising = index[0] < index[1];
    a->arg[0] = (uint8_t)index[!rising];
    a->arg[1] = (uint8_t)index[rising];
}

static bool is_targeted(uint8_t kind)
{
    return kind <= COUP_TURN_ACTIONS && coup_acts[kind].targeted;
}

// The one parameter that an action of this kind must have, or NULL.
static const char *needed_param(uint8_t kind)
{
    switch (kind) {
    case COUP_BLOCK:
        return "role";
    case COUP_LOSE_CARD:
        return "card_index";
    case COUP_RETURN_CARDS:
        return "return_indices";
    }
    return is_targeted(kind) ? "target" : NULL;
}

static void read_param(struct json_reader *r, const struct codec_table *table, struct game_action *a)
{
    if (a->kind == COUP_BLOCK)
        a->arg[0] = read_role(r);
    else if (a->kind == COUP_LOSE_CARD)
        a->arg[0] = (uint8_t)read_index(r);
    else if (a->kind == COUP_RETURN_CARDS)
        read_pair(r, a);
    else {
        int seat = codec_read_seat(r, table);
        a->arg[0] = seat < 0 ? 0 : (uint8_t)seat;
    }
}

static int read_params(struct json_reader *r, const struct codec_table *table, struct game_action *a)
{
    const char *needed = needed_param(a->kind);
    bool found = !needed;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (needed && json_string_is(key, needed))
            read_param(r, table, a), found = true;
        else
            json_skip(r);
    if (r->error)
        return r->error;
    return found ? OK : ERR_MISSING;
}

static void write_params(struct text *t, const struct codec_table *table, struct game_action a)
{
    if (a.kind == COUP_BLOCK) {
        json_put_text(t, "role", role_or_null(a.arg[0]));
    } else if (a.kind == COUP_LOSE_CARD) {
        json_put_int(t, "card_index", a.arg[0]);
    } else if (a.kind == COUP_RETURN_CARDS) {
        json_begin_array_at(t, "return_indices");
        json_write_int(t, a.arg[0]);
        json_write_int(t, a.arg[1]);
        json_end_array(t);
    } else if (is_targeted(a.kind)) {
        codec_put_seat(t, "target", table, a.arg[0]);
    }
}

void coup_put_return_cards(struct text *t, const struct coup_view *v, struct game_action a)
{
    uint8_t all[4];
    int count = coup_combined(&v->seat[v->viewer], v->exchange, all);
    uint8_t back[2] = {all[a.arg[0]], all[a.arg[1]]};
    json_key(t, "cards");
    coup_write_roles(t, back, 2);
    json_key(t, "all_cards");
    coup_write_roles(t, all, count);
}

// --- views (G27.3) ---

static bool has_pending(const struct coup_view *v)
{
    return v->log.action != 0;
}

static void put_own(struct text *t, const struct coup_view *v)
{
    if (v->viewer >= v->seats) {
        json_put_null(t, "cards");
        json_put_null(t, "revealed");
        json_put_null(t, "coins");
        return;
    }
    const struct coup_seat *me = &v->seat[v->viewer];
    json_key(t, "cards");
    coup_write_slots(t, me, ~me->up & 3u);
    json_key(t, "revealed");
    coup_write_slots(t, me, me->up);
    json_put_int(t, "coins", me->coins);
}

static void put_pending(struct text *t, const struct codec_table *table, const struct coup_view *v)
{
    const struct coup_log *log = &v->log;
    if (!has_pending(v)) {
        json_put_null(t, "pending");
        return;
    }
    const struct coup_act *act = &coup_acts[log->action];
    bool blocked = v->phase == COUP_PHASE_CHALLENGE_BLOCK; // in later phases it is in the turn log
    json_begin_object_at(t, "pending");
    json_put_text(t, "action", coup_action_names[log->action]);
    codec_put_seat(t, "target", table, act->targeted ? log->target : -1);
    json_put_text(t, "claimed_role", role_or_null(act->role));
    codec_put_seat(t, "blocker", table, blocked ? log->blocker : -1);
    json_put_text(t, "block_role", blocked ? coup_role_names[log->block_role] : NULL);
    codec_put_seat(t, "loser", table, v->phase == COUP_PHASE_LOSE_INFLUENCE ? log->loser : -1);
    json_end_object(t);
}

static void put_seats(struct text *t, const struct codec_table *table, const struct coup_view *v)
{
    json_begin_array_at(t, "seats");
    for (int i = 0; i < v->seats; i++) {
        json_begin_object(t);
        codec_put_seat(t, "seat", table, i);
        json_put_int(t, "coins", v->seat[i].coins);
        json_put_int(t, "influence", coup_influence(&v->seat[i]));
        json_key(t, "revealed");
        coup_write_slots(t, &v->seat[i], v->seat[i].up);
        json_put_text(t, "status", v->in_play >> i & 1 ? "alive" : "eliminated");
        json_end_object(t);
    }
    json_end_array(t);
}

void coup_put_turn_log(struct text *t, const struct codec_table *table, const struct coup_view *v)
{
    const struct coup_log *log = &v->log;
    json_begin_object_at(t, "turn_log");
    json_put_text(t, "action", coup_action_names[log->action]);
    codec_put_seat(t, "actor", table, log->actor);
    if (coup_acts[log->action].targeted)
        codec_put_seat(t, "target", table, log->target);
    if (coup_acts[log->action].role)
        json_put_text(t, "claimed_role", coup_role_names[coup_acts[log->action].role]);
    if (log->challenge_result) {
        codec_put_seat(t, "challenger", table, log->challenger);
        json_put_text(t, "challenge_result", result_names[log->challenge_result]);
    }
    if (log->block_role) {
        codec_put_seat(t, "blocker", table, log->blocker);
        json_put_text(t, "block_role", coup_role_names[log->block_role]);
    }
    if (log->block_challenge_result) {
        codec_put_seat(t, "block_challenger", table, log->block_challenger);
        json_put_text(t, "block_challenge_result", result_names[log->block_challenge_result]);
    }
    json_end_object(t);
}

static void write_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct coup_view *v = view;
    put_own(t, v);
    codec_put_seat(t, "actor", table, v->log.actor);
    put_pending(t, table, v);
    if (v->exchange[0]) {
        json_key(t, "exchange_cards");
        coup_write_roles(t, v->exchange, 2);
    }
    put_seats(t, table, v);
    json_put_int(t, "deck_count", v->deck_count);
    if (has_pending(v))
        coup_put_turn_log(t, table, v);
    else
        json_put_null(t, "turn_log");
}

// --- events (F6.C11) ---

static void put_action(struct text *t, const struct codec_table *table, struct coup_fact f)
{
    json_put_text(t, "action", coup_action_names[f.action]);
    if (coup_acts[f.action].targeted)
        codec_put_seat(t, "target", table, f.target);
}

static void put_result(struct text *t, const struct codec_table *table, const char *claimant, int seat,
                       struct coup_fact f)
{
    json_put_text(t, "result", result_names[f.result]);
    codec_put_seat(t, claimant, table, seat);
    codec_put_seat(t, "challenger", table, f.other);
    if (f.card)
        json_put_text(t, "revealed_card", coup_role_names[f.card]);
}

static void put_challenge(struct text *t, const struct codec_table *table, const char *claimant, int seat,
                          struct coup_fact f)
{
    codec_put_seat(t, "challenger", table, seat);
    codec_put_seat(t, claimant, table, f.other);
    json_put_text(t, "claimed_role", coup_role_names[f.role]);
}

static void put_resolved(struct text *t, const struct codec_table *table, struct coup_fact f)
{
    put_action(t, table, f);
    if (f.action == COUP_STEAL)
        json_put_int(t, "stolen", f.stolen);
    if (f.action != COUP_ASSASSINATE) // paid when it was declared
        json_put_int(t, "coins_now", f.coins);
}

void coup_write_event_data(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    struct coup_fact f = coup_event_fact(e);
    switch ((enum coup_event)e->kind) {
    case COUP_EVENT_ACTION:
        put_action(t, table, f);
        if (f.role)
            json_put_text(t, "claimed_role", coup_role_names[f.role]);
        return;
    case COUP_EVENT_CHALLENGE:
        put_challenge(t, table, "actor", e->seat, f);
        return;
    case COUP_EVENT_CHALLENGE_RESULT:
        put_result(t, table, "actor", e->seat, f);
        return;
    case COUP_EVENT_CHALLENGE_BLOCK:
        put_challenge(t, table, "blocker", e->seat, f);
        return;
    case COUP_EVENT_CHALLENGE_BLOCK_RESULT:
        put_result(t, table, "blocker", e->seat, f);
        return;
    case COUP_EVENT_BLOCK:
        codec_put_seat(t, "blocker", table, e->seat);
        json_put_text(t, "claimed_role", coup_role_names[f.role]);
        json_put_text(t, "action", coup_action_names[f.action]);
        return;
    case COUP_EVENT_BLOCK_ACCEPTED:
        codec_put_seat(t, "blocker", table, e->seat);
        return;
    case COUP_EVENT_INFLUENCE_LOST:
        codec_put_seat(t, "player", table, e->seat);
        json_put_text(t, "card", coup_role_names[f.card]);
        json_put_int(t, "card_index", f.slot);
        return;
    case COUP_EVENT_EXCHANGE_DRAW:
        json_put_text(t, "action", coup_action_names[f.action]);
        json_put_int(t, "drawn_count", 2);
        return;
    case COUP_EVENT_EXCHANGE_COMPLETE:
        codec_put_seat(t, "player", table, e->seat);
        json_put_int(t, "returned_count", 2);
        return;
    case COUP_EVENT_ACTION_RESOLVED:
        put_resolved(t, table, f);
        return;
    case COUP_EVENT_GAME_OVER:
        json_put_text(t, "winner", e->seat == COUP_NOBODY ? "" : codec_seat_name(table, e->seat));
        return;
    case COUP_EVENT_CHALLENGE_PASS:
    case COUP_EVENT_BLOCK_PASS:
    case COUP_EVENT_BLOCK_CHALLENGE_PASS:
    case COUP_EVENT_PLAYER_ELIMINATED:
    case COUP_EVENT_PLAYER_DISCONNECTED:
    case COUP_EVENTS:
        break;
    }
    codec_put_seat(t, "player", table, e->seat);
}

static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count; // no event of Coup has parts
    codec_put_seat(t, "seat", table, e->seat);
    coup_write_event_data(t, table, e);
}

const struct codec coup_codec = {
    .game = &coup_game,
    .title = "Coup",
    .summary = "Bluff about two hidden roles, challenge the bluffs of others, and be the last with influence.",
    .phases = phases,
    .actions = actions,
    .event_types = event_types,
    .read_rule = read_rule,
    .write_rules = write_rules,
    .read_params = read_params,
    .write_params = write_params,
    .read_items = read_items,
    .write_view = write_view,
    .write_event = write_event,
    .read_view = coup_read_view,
    .read_event = coup_read_event,
    .phase_at = offsetof(struct coup_view, phase),
    .describe_rules = coup_describe_rules,
    .describe_view = coup_describe_view,
    .describe_action = coup_describe_action,
    .describe_event = coup_describe_event,
    .draw = coup_draw,
    .speech = &coup_speech,
    .moves = &coup_moves,
    .short_prose = &coup_short_prose,
};
