#include "games/belote/codec.h"

#include "game/cards.h"
#include "games/belote/prose.h"
#include "games/belote/rules/belote.h"

static const char *const phases[] = {"cut", "bid", "play", "done", NULL};

static const struct codec_action actions[] = {
    {"cut", BELOTE_CUT, false},
    {"announce", BELOTE_ANNOUNCE, false},
    {"accept", BELOTE_ACCEPT, false},
    {"double", BELOTE_DOUBLE, false},
    {"redouble", BELOTE_REDOUBLE, false},
    {"play_card", BELOTE_PLAY, false},
    {"set_target", BELOTE_SET_TARGET, true},
    {"drop", GAME_DROP, true},
    {NULL, 0, false},
};

static const char *const event_types[BELOTE_EVENTS + 1] = {
    [BELOTE_DEAL_STARTED] = "deal_started",
    [BELOTE_CUT_DONE] = "cut",
    [BELOTE_BID] = "bid",
    [BELOTE_NEGOTIATION_COMPLETED] = "negotiation_completed",
    [BELOTE_CARD_PLAYED] = "card_played",
    [BELOTE_TRICK_COMPLETED] = "trick_completed",
    [BELOTE_DEAL_ENDED] = "deal_ended",
    [BELOTE_MATCH_ENDED] = "match_ended",
    [BELOTE_DISCONNECTED] = "player_disconnected",
};

// Cards are numbered here by suit and in game/cards.h by rank, with 2 to 6 besides.
enum { LOWEST_RANK = 5 };

static int card_from_name(struct json_reader *r)
{
    int card = codec_read_card(r);
    if (card < 0)
        return -1;
    int rank = card_rank((uint8_t)card) - LOWEST_RANK;
    if (rank >= 0)
        return BELOTE_RANKS * card_suit((uint8_t)card) + rank;
    json_fail(r, ERR_UNKNOWN);
    return -1;
}

static int read_mode(struct json_reader *r)
{
    struct json_string name = json_read_string(r);
    int mode = r->error ? -1 : json_string_among_nocase(name, belote_mode_names);
    if (mode < 0)
        json_fail(r, ERR_UNKNOWN);
    return mode;
}

// --- Rules

static bool is_ruleset(const struct belote_rules *r, const char *name)
{
    struct belote_rules like = *r;
    enum { POINTS = BELOTE_NO_CLUBS_REDOUBLE | BELOTE_GATHER | BELOTE_CUTTER_LEFT };
    like.clubs_base = 32;
    like.options &= (uint8_t)~POINTS;
    if (strcmp(name, "classic") == 0)
        belote_set_classic(&like);
    return like.clubs_base == r->clubs_base && like.options == r->options;
}

static void read_ruleset(struct json_reader *r, struct belote_rules *rules)
{
    static const char *const names[] = {"standard", "classic", "custom", NULL}; // custom: as the options say
    int name = json_string_among(json_read_string(r), names);
    if (name < 0)
        json_fail_word(r, names);
    if (name == 0) {
        rules->clubs_base = 32;
        rules->options &= BELOTE_SINGLE_DEAL;
    }
    if (name == 1)
        belote_set_classic(rules);
}

static void read_points(struct json_reader *r, struct belote_rules *rules)
{
    int n = 0;
    for (json_enter_array(r); json_next_item(r); n++) {
        int32_t points = (int32_t)json_read_int(r, 0, 9999);
        if (n < 2)
            rules->points[n] = points;
    }
    if (n != 2)
        json_fail(r, ERR_RANGE);
}

static int read_items(struct json_reader *r, uint8_t *items, int room)
{
    int n = 0;
    for (json_enter_array(r); json_next_item(r); n++) {
        int card = card_from_name(r);
        if (card >= 0 && n < room)
            items[n] = (uint8_t)card;
        else if (card >= 0)
            json_fail(r, ERR_TOO_LONG);
    }
    return r->error ? r->error : n;
}

static void read_deck(struct json_reader *r, struct belote_rules *rules)
{
    rules->has_deck = 0;
    if (json_read_if_null(r))
        return;
    int n = read_items(r, rules->deck, BELOTE_CARDS);
    if (n >= 0 && n != BELOTE_CARDS)
        json_fail(r, ERR_RANGE);
    rules->has_deck = 1; // whether each card is there once is init's to say
}

static int read_position(struct json_reader *r)
{
    return (int)json_read_int(r, BELOTE_CUT_MIN, BELOTE_CUT_MAX);
}

// 16, or {"position":16,"from_top":true}, or null for nothing.
static void read_cut(struct json_reader *r, struct belote_rules *rules)
{
    rules->cut = rules->cut_from_bottom = 0;
    if (json_read_if_null(r))
        return;
    if (json_peek(r) != JSON_OBJECT) {
        rules->cut = (uint8_t)read_position(r);
        return;
    }
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "position"))
            rules->cut = (uint8_t)read_position(r);
        else if (json_string_is(key, "from_top"))
            rules->cut_from_bottom = !json_read_bool(r);
        else
            json_skip(r);
    if (!rules->cut)
        json_fail(r, ERR_MISSING);
}

static void read_target(struct json_reader *r, struct belote_rules *rules)
{
    rules->target = (int32_t)json_read_int(r, 1, 10000);
}

static void read_dealer(struct json_reader *r, struct belote_rules *rules)
{
    const struct codec_table names = {.seat = codec_seat_names, .seats = BELOTE_SEATS};
    rules->dealer = (uint8_t)codec_read_seat(r, &names);
}

static void read_sweep(struct json_reader *r, struct belote_rules *rules)
{
    rules->colour_sweep_points = (uint16_t)json_read_int(r, 0, 1000);
}

static void read_clubs_base(struct json_reader *r, struct belote_rules *rules)
{
    rules->clubs_base = (uint8_t)json_read_int(r, 16, 32);
}

static void set_option(struct belote_rules *rules, int option, bool on)
{
    rules->options = (uint8_t)(on ? rules->options | option : rules->options & ~option);
}

static void read_single_deal(struct json_reader *r, struct belote_rules *rules)
{
    set_option(rules, BELOTE_SINGLE_DEAL, json_read_bool(r));
}

static void read_clubs_redouble(struct json_reader *r, struct belote_rules *rules)
{
    set_option(rules, BELOTE_NO_CLUBS_REDOUBLE, !json_read_bool(r));
}

static void read_equal_deals(struct json_reader *r, struct belote_rules *rules)
{
    set_option(rules, BELOTE_EQUAL_DEALS, json_read_bool(r));
}

static void read_gather(struct json_reader *r, struct belote_rules *rules)
{
    set_option(rules, BELOTE_GATHER, json_read_bool(r));
}

static void read_cutter(struct json_reader *r, struct belote_rules *rules)
{
    static const char *const sides[] = {"right", "left", NULL};
    int side = json_string_among(json_read_string(r), sides);
    if (side < 0)
        json_fail_word(r, sides);
    set_option(rules, BELOTE_CUTTER_LEFT, side == 1);
}

static bool read_rule(struct json_reader *r, struct json_string key, void *rules)
{
    static const struct {
        const char *key;
        void (*read)(struct json_reader *r, struct belote_rules *rules);
    } rows[] = {
        {"ruleset", read_ruleset},
        {"target", read_target},
        {"match_points", read_points},
        {"dealer", read_dealer},
        {"deck", read_deck},
        {"cut", read_cut},
        {"colour_sweep_points", read_sweep},
        {"single_deal", read_single_deal},
        {"equal_deals", read_equal_deals},
        {"clubs_base", read_clubs_base},
        {"clubs_redouble", read_clubs_redouble},
        {"gather", read_gather},
        {"cutter", read_cutter},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (json_string_is(key, rows[i].key)) {
            rows[i].read(r, rules);
            return true;
        }
    return false;
}

static void put_cards(struct text *t, const char *key, const uint8_t *cards, int count)
{
    json_key(t, key);
    json_begin_array(t);
    for (int i = 0; i < count; i++)
        json_write_text(t, belote_card_name(cards[i]));
    json_end_array(t);
}

static void put_pair(struct text *t, const char *key, int64_t first, int64_t second)
{
    json_begin_array_at(t, key);
    json_write_int(t, first);
    json_write_int(t, second);
    json_end_array(t);
}

static void write_cut(struct text *t, const struct belote_rules *r)
{
    json_key(t, "cut");
    if (!r->cut) {
        json_write_null(t);
        return;
    }
    json_begin_object(t);
    json_put_int(t, "position", r->cut);
    json_put_bool(t, "from_top", !r->cut_from_bottom);
    json_end_object(t);
}

static void write_rules(struct text *t, const void *rules)
{
    const struct belote_rules *r = rules;
    json_put_text(t, "ruleset",
                  is_ruleset(r, "standard")  ? "standard"
                  : is_ruleset(r, "classic") ? "classic"
                                             : "custom");
    json_put_int(t, "target", r->target);
    put_pair(t, "match_points", r->points[0], r->points[1]);
    json_put_int(t, "dealer", r->dealer);
    if (r->has_deck)
        put_cards(t, "deck", r->deck, BELOTE_CARDS);
    else
        json_put_null(t, "deck");
    write_cut(t, r);
    json_put_int(t, "colour_sweep_points", r->colour_sweep_points);
    json_put_bool(t, "single_deal", r->options & BELOTE_SINGLE_DEAL);
    json_put_bool(t, "equal_deals", r->options & BELOTE_EQUAL_DEALS);
    json_put_int(t, "clubs_base", r->clubs_base);
    json_put_bool(t, "clubs_redouble", !(r->options & BELOTE_NO_CLUBS_REDOUBLE));
    json_put_bool(t, "gather", r->options & BELOTE_GATHER);
    json_put_text(t, "cutter", r->options & BELOTE_CUTTER_LEFT ? "left" : "right");
}

// --- Actions

// Reads one member when it belongs to this kind; false when it does not, and then nothing is read.
static bool read_param(struct json_reader *r, struct json_string key, struct game_action *a)
{
    bool names_mode = a->kind == BELOTE_ANNOUNCE || a->kind == BELOTE_DOUBLE || a->kind == BELOTE_REDOUBLE;
    if (a->kind == BELOTE_CUT && json_string_is(key, "position"))
        a->amount = read_position(r);
    else if (a->kind == BELOTE_CUT && json_string_is(key, "from_top"))
        a->arg[0] = json_read_bool(r);
    else if (names_mode && json_string_is(key, "mode"))
        a->arg[0] = (uint8_t)read_mode(r);
    else if (a->kind == BELOTE_PLAY && json_string_is(key, "card"))
        a->arg[0] = (uint8_t)card_from_name(r);
    else if (a->kind == BELOTE_SET_TARGET && json_string_is(key, "points"))
        a->amount = (int32_t)json_read_int(r, BELOTE_TARGET_MIN, BELOTE_TARGET_MAX);
    else
        return false;
    return true;
}

// "from_top" has a default; the one other member of every kind must be there.
static int read_params(struct json_reader *r, const struct codec_table *table, struct game_action *a)
{
    (void)table;
    bool found = a->kind == BELOTE_ACCEPT;
    a->arg[0] = a->kind == BELOTE_CUT;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (!read_param(r, key, a))
            json_skip(r);
        else if (!json_string_is(key, "from_top"))
            found = true;
    if (r->error)
        return r->error;
    return found ? OK : ERR_MISSING;
}

static void write_params(struct text *t, const struct codec_table *table, struct game_action a)
{
    (void)table;
    switch (a.kind) {
    case BELOTE_CUT:
        json_put_int(t, "position", a.amount);
        json_put_bool(t, "from_top", a.arg[0]);
        return;
    case BELOTE_ANNOUNCE:
    case BELOTE_DOUBLE:
    case BELOTE_REDOUBLE:
        json_put_text(t, "mode", belote_mode_names[a.arg[0]]);
        return;
    case BELOTE_PLAY:
        json_put_text(t, "card", belote_card_name(a.arg[0]));
        return;
    case BELOTE_SET_TARGET:
        json_put_int(t, "points", a.amount);
        return;
    default:
        return;
    }
}

static void write_range(struct text *t, const struct codec_table *table, struct game_choice c)
{
    (void)table;
    json_begin_object_at(t, "range");
    put_pair(t, "position", c.first.amount, c.max_amount);
    json_end_object(t);
}

// --- Views

static int team_number(int team)
{
    return team + 1;
}

static void put_team(struct text *t, const char *key, int team)
{
    if (team == BELOTE_NONE)
        json_put_null(t, key);
    else
        json_put_int(t, key, team_number(team));
}

static void put_mode(struct text *t, const char *key, int mode)
{
    json_put_text(t, key, mode < BELOTE_MODES ? belote_mode_names[mode] : NULL);
}

static void write_word(struct text *t, const struct codec_table *table, int seat, int word, const char *type_key)
{
    codec_put_seat(t, "seat", table, seat);
    json_put_text(t, type_key, belote_word_types[belote_word_type(word)]);
    put_mode(t, "mode", belote_word_mode(word));
}

static void write_bids(struct text *t, const struct codec_table *table, const struct belote_view *v)
{
    json_begin_array_at(t, "bids");
    for (int i = 0; i < v->bids; i++) {
        json_begin_object(t);
        write_word(t, table, (v->opener + i) % BELOTE_SEATS, v->bid[i], "type");
        json_end_object(t);
    }
    json_end_array(t);
    json_key(t, "current_bid");
    if (v->high == BELOTE_NONE) {
        json_write_null(t);
        return;
    }
    json_begin_object(t);
    codec_put_seat(t, "seat", table, v->bidder);
    put_mode(t, "mode", v->high);
    json_end_object(t);
}

static void put_modes(struct text *t, const char *key, unsigned set)
{
    json_begin_array_at(t, key);
    for (int mode = 0; mode < BELOTE_MODES; mode++)
        if (set >> mode & 1)
            json_write_text(t, belote_mode_names[mode]);
    json_end_array(t);
}

static void write_contract(struct text *t, const struct belote_view *v)
{
    json_key(t, "contract");
    if (!v->multiplier) {
        json_write_null(t);
        return;
    }
    json_begin_object(t);
    put_mode(t, "mode", v->mode);
    put_team(t, "team", v->team);
    json_put_int(t, "multiplier", v->multiplier);
    json_end_object(t);
}

static void write_tricks(struct text *t, const struct codec_table *table, const struct belote_view *v)
{
    json_key(t, "trick");
    if (v->phase == BELOTE_PLAY_PHASE) {
        int lying = v->plays % 4, number = v->plays / 4;
        json_begin_object(t);
        json_put_int(t, "number", number + 1);
        codec_put_seat(t, "leader", table, lying ? v->leader[number] : v->turn);
        put_cards(t, "cards", v->play + 4 * number, lying);
        json_end_object(t);
    } else {
        json_write_null(t);
    }
    json_key(t, "last_trick");
    if (v->last_leader != BELOTE_NONE) {
        json_begin_object(t);
        codec_put_seat(t, "leader", table, v->last_leader);
        put_cards(t, "cards", v->last_trick, 4);
        codec_put_seat(t, "winner", table, v->last_taker);
        json_end_object(t);
    } else {
        json_write_null(t);
    }
    put_cards(t, "played", v->play, v->plays);
}

static void write_last_deal(struct text *t, const struct belote_deal *d)
{
    json_key(t, "last_deal");
    if (!d->multiplier) {
        json_write_null(t);
        return;
    }
    json_begin_object(t);
    put_mode(t, "mode", d->mode);
    put_team(t, "team", d->team);
    json_put_int(t, "multiplier", d->multiplier);
    put_pair(t, "card_points", d->card_points[0], d->card_points[1]);
    put_pair(t, "points", d->match_points[0], d->match_points[1]);
    put_team(t, "sweep", d->sweep);
    json_put_bool(t, "instant_win", d->sweep != BELOTE_NONE && d->mode < BELOTE_NO_TRUMPS);
    json_end_object(t);
}

static void write_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct belote_view *v = view;
    bool seated = v->viewer < BELOTE_SEATS; // the gallery has neither hand nor team
    if (seated)
        put_cards(t, "hand", v->hand, v->cards);
    codec_put_seat(t, "dealer", table, v->dealer);
    write_bids(t, table, v);
    json_put_bool(t, "locked", v->locked);
    put_modes(t, "doubled", v->doubled);
    put_modes(t, "redoubled", v->redoubled);
    write_contract(t, v);
    write_tricks(t, table, v);
    put_pair(t, "points", v->card_points[0], v->card_points[1]);
    put_pair(t, "tricks_won", v->won[0], v->won[1]);
    put_pair(t, "match_points", v->points[0], v->points[1]);
    json_put_int(t, "target", v->target);
    json_put_int(t, "deal_number", v->deal_number);
    if (seated)
        json_put_int(t, "team", team_number(belote_team(v->viewer)));
    write_last_deal(t, &v->last);
}

// --- Events

static void write_deal_ended(struct text *t, const struct game_event *e)
{
    struct belote_deal_ended end;
    memcpy(&end, e->data, sizeof end);
    put_pair(t, "points", end.deal.match_points[0], end.deal.match_points[1]);
    put_pair(t, "match_points", end.points[0], end.points[1]);
    put_team(t, "sweep", end.deal.sweep);
}

static void write_match_ended(struct text *t, const struct game_event *e)
{
    struct belote_match_ended end;
    memcpy(&end, e->data, sizeof end);
    put_team(t, "team", end.team);
    put_pair(t, "match_points", end.points[0], end.points[1]);
}

// Whether the members go beside the type of the event (codec_write_event) and not below it, into "details" or "data".
static bool is_beside_type(const struct text *t)
{
    return t->size > 0 && t->at[t->size - 1] != '{';
}

// G28.6. A bid has a member "type" of its own; beside the type of the event it is called "action".
static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    switch (e->kind) {
    case BELOTE_DEAL_STARTED:
        json_put_int(t, "deal_number", e->amount);
        codec_put_seat(t, "dealer", table, e->seat);
        return;
    case BELOTE_CUT_DONE:
        codec_put_seat(t, "seat", table, e->seat);
        json_put_int(t, "position", e->amount);
        json_put_bool(t, "from_top", e->data[0]);
        return;
    case BELOTE_BID:
        write_word(t, table, e->seat, e->data[0], is_beside_type(t) ? "action" : "type");
        return;
    case BELOTE_NEGOTIATION_COMPLETED:
        put_mode(t, "mode", e->data[0]);
        put_team(t, "team", e->data[1]);
        json_put_int(t, "multiplier", e->data[2]);
        return;
    case BELOTE_CARD_PLAYED:
        codec_put_seat(t, "seat", table, e->seat);
        json_put_text(t, "card", belote_card_name(e->data[0]));
        return;
    case BELOTE_TRICK_COMPLETED:
        codec_put_seat(t, "winner", table, e->seat);
        json_put_int(t, "points", e->amount);
        return;
    case BELOTE_DEAL_ENDED:
        write_deal_ended(t, e);
        return;
    case BELOTE_MATCH_ENDED:
        write_match_ended(t, e);
        return;
    case BELOTE_DISCONNECTED:
        codec_put_seat(t, "player", table, e->seat);
        return;
    default:
        return;
    }
}

const struct codec belote_codec = {
    .game = &belote_game,
    .title = "Belote",
    .summary = "Malagasy Belote: two partnerships negotiate a mode and play eight tricks, to 150 points.",
    .phases = phases,
    .actions = actions,
    .event_types = event_types,
    .read_rule = read_rule,
    .write_rules = write_rules,
    .read_params = read_params,
    .write_params = write_params,
    .write_range = write_range,
    .read_items = read_items,
    .write_view = write_view,
    .write_event = write_event,
    .phase_at = offsetof(struct belote_view, phase),
    .describe_rules = belote_describe_rules,
    .describe_view = belote_describe_view,
    .describe_action = belote_describe_action,
    .describe_event = belote_describe_event,
    .draw = belote_draw,
    .speech = &belote_speech,
    .moves = &belote_moves,
    .short_prose = &belote_short_prose,
};
