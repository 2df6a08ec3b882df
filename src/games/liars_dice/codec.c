#include "games/liars_dice/codec.h"

#include "games/liars_dice/rules/liars_dice.h"

#include <assert.h>

enum { BIDS_SHOWN = 8 }; // of a round, in prose

// --- rules (F6.L12) ---

// One number for all seats, or one for each. A seat without a number has 0, which no game begins with.
static void read_counts(struct json_reader *r, struct liars_dice_rules *rules)
{
    uint8_t counts[LIARS_DICE_SEATS] = {0};
    if (json_peek(r) == JSON_INT) {
        memset(rules->dice_counts, (int)json_read_int(r, 1, LIARS_DICE_DICE), sizeof rules->dice_counts);
        return;
    }
    int seat = 0;
    for (json_enter_array(r); json_next_item(r); seat++) {
        int64_t dice = json_read_int(r, 1, LIARS_DICE_DICE);
        if (seat < LIARS_DICE_SEATS)
            counts[seat] = (uint8_t)dice;
        else
            json_fail(r, ERR_RANGE);
    }
    memcpy(rules->dice_counts, counts, sizeof counts);
}

// [[faces of seat 0], [of seat 1]...] as five bytes a seat, zeros behind the faces; how many bytes, or an error.
static int read_faces(struct json_reader *r, uint8_t *items, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r); count += LIARS_DICE_DICE) {
        int dice = 0;
        if (count + LIARS_DICE_DICE > room)
            json_fail(r, ERR_RANGE);
        else
            memset(items + count, 0, LIARS_DICE_DICE);
        for (json_enter_array(r); json_next_item(r); dice++) {
            uint8_t face = (uint8_t)json_read_int(r, 1, LIARS_DICE_FACES);
            if (dice == LIARS_DICE_DICE)
                json_fail(r, ERR_RANGE);
            else if (!r->error)
                items[count + dice] = face;
        }
    }
    return r->error ? r->error : count;
}

// The faces of round 1; a number means as many dice for everyone, as randomisation has it (G26.5).
static void read_dice(struct json_reader *r, struct liars_dice_rules *rules)
{
    uint8_t items[sizeof rules->dice] = {0};
    if (json_peek(r) == JSON_INT) {
        read_counts(r, rules);
        return;
    }
    if (!json_read_if_null(r) && read_faces(r, items, sizeof items) < 0)
        return;
    memcpy(rules->dice, items, sizeof items);
}

static void read_wild_ones(struct json_reader *r, struct liars_dice_rules *rules)
{
    rules->wild_ones = json_read_bool(r);
}

static void read_starter(struct json_reader *r, struct liars_dice_rules *rules)
{
    const struct codec_table seats = {.seat = codec_seat_names, .seats = LIARS_DICE_SEATS};
    int seat = codec_read_seat(r, &seats);
    if (seat >= 0)
        rules->starter = (uint8_t)seat;
}

static bool read_rule(struct json_reader *r, struct json_string key, void *rules)
{
    static const char *const keys[] = {"dice_counts", "dice", "wild_ones", "starter", NULL};
    static void (*const readers[])(struct json_reader *, struct liars_dice_rules *) = {read_counts, read_dice,
                                                                                       read_wild_ones, read_starter};
    int i = json_string_among(key, keys);
    if (i < 0)
        return false;
    readers[i](r, rules);
    return true;
}

void liars_dice_write_faces(struct text *t, const uint8_t *dice)
{
    json_begin_array(t);
    for (int i = 0; i < LIARS_DICE_DICE && dice[i]; i++)
        json_write_int(t, dice[i]);
    json_end_array(t);
}

static void write_rules(struct text *t, const void *rules)
{
    const struct liars_dice_rules *r = rules;
    int seats = 0; // that have faces
    json_begin_array_at(t, "dice_counts");
    for (int s = 0; s < LIARS_DICE_SEATS && r->dice_counts[s]; s++)
        json_write_int(t, r->dice_counts[s]);
    json_end_array(t);
    json_put_bool(t, "wild_ones", r->wild_ones);
    json_put_int(t, "starter", r->starter);
    while (seats < LIARS_DICE_SEATS && r->dice[seats][0])
        seats++;
    if (!seats) {
        json_put_null(t, "dice");
        return;
    }
    json_begin_array_at(t, "dice");
    for (int s = 0; s < seats; s++)
        liars_dice_write_faces(t, r->dice[s]);
    json_end_array(t);
}

// --- actions ---

static int read_params(struct json_reader *r, const struct codec_table *table, struct game_action *a)
{
    (void)table;
    int quantity = 0, face = 0;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (a->kind == LIARS_DICE_BID && json_string_is(key, "quantity"))
            quantity = (int)json_read_int(r, 1, LIARS_DICE_SEATS * LIARS_DICE_DICE);
        else if (a->kind == LIARS_DICE_BID && json_string_is(key, "face"))
            face = (int)json_read_int(r, 1, LIARS_DICE_FACES);
        else
            json_skip(r);
    if (r->error || a->kind != LIARS_DICE_BID)
        return r->error;
    if (!quantity || !face)
        return ERR_MISSING;
    a->amount = liars_dice_rank(quantity, face);
    return OK;
}

void liars_dice_put_bid(struct text *t, int rank)
{
    json_put_int(t, "quantity", liars_dice_quantity(rank));
    json_put_int(t, "face", liars_dice_face(rank));
}

static void write_params(struct text *t, const struct codec_table *table, struct game_action a)
{
    (void)table;
    if (a.kind == LIARS_DICE_BID)
        liars_dice_put_bid(t, a.amount);
}

static void put_pair(struct text *t, const char *key, int low, int high)
{
    json_begin_array_at(t, key);
    json_write_int(t, low);
    json_write_int(t, high);
    json_end_array(t);
}

// At the lowest quantity only some faces beat the last bid: they are an item of their own (G26.1).
static int split_range(struct game_choice c, struct game_choice out[2])
{
    int low = liars_dice_quantity(c.first.amount), last = liars_dice_rank(low, LIARS_DICE_FACES);
    out[0] = out[1] = c;
    if (liars_dice_face(c.first.amount) == 1 || last >= c.max_amount)
        return 1;
    out[0].max_amount = last;
    out[1].first.amount = last + 1;
    return 2;
}

static void write_range(struct text *t, const struct codec_table *table, struct game_choice c)
{
    (void)table;
    int low = liars_dice_quantity(c.first.amount), high = liars_dice_quantity(c.max_amount);
    json_begin_object_at(t, "range");
    put_pair(t, "quantity", low, high);
    put_pair(t, "face", low == high ? liars_dice_face(c.first.amount) : 1, LIARS_DICE_FACES);
    json_end_object(t);
}

// --- views (G26.2) ---

static void put_all_dice(struct text *t, const struct codec_table *table, const struct liars_dice_challenge *c)
{
    json_begin_object_at(t, "all_dice");
    for (int s = 0; s < table->seats; s++)
        if (c->dice[s][0]) {
            json_key(t, table->seat[s]);
            liars_dice_write_faces(t, c->dice[s]);
        }
    json_end_object(t);
}

static void write_sorted(struct text *t, const uint8_t dice[LIARS_DICE_DICE])
{
    json_begin_array(t);
    for (int face = 1; face <= LIARS_DICE_FACES; face++)
        for (int i = 0; i < LIARS_DICE_DICE; i++)
            if (dice[i] == face)
                json_write_int(t, face);
    json_end_array(t);
}

static void write_bid(struct text *t, const struct codec_table *table, int seat, int rank)
{
    json_begin_object(t);
    codec_put_seat(t, "seat", table, seat);
    liars_dice_put_bid(t, rank);
    json_end_object(t);
}

// Where the bids of the running round begin in what has been seen.
static uint32_t round_begins(const struct codec_table *table)
{
    uint32_t i = table->past_count;
    while (i > 0 && table->past[i - 1].kind == LIARS_DICE_BADE)
        i--;
    return i;
}

static void put_seats(struct text *t, const struct codec_table *table, const struct liars_dice_view *v)
{
    json_begin_array_at(t, "seats");
    for (int s = 0; s < v->seats; s++) {
        json_begin_object(t);
        codec_put_seat(t, "seat", table, s);
        json_put_int(t, "dice_count", v->dice_counts[s]);
        json_put_text(t, "status", v->dice_counts[s] ? "alive" : "eliminated");
        json_end_object(t);
    }
    json_end_array(t);
}

static void put_last(struct text *t, const struct codec_table *table, const struct liars_dice_challenge *c)
{
    if (!c->round) {
        json_put_null(t, "last_challenge");
        return;
    }
    json_begin_object_at(t, "last_challenge");
    codec_put_seat(t, "challenger", table, c->challenger);
    codec_put_seat(t, "bidder", table, c->bidder);
    json_begin_object_at(t, "bid");
    liars_dice_put_bid(t, c->bid);
    json_end_object(t);
    json_put_int(t, "count", c->count);
    put_all_dice(t, table, c);
    codec_put_seat(t, "loser", table, c->loser);
    json_end_object(t);
}

static void write_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct liars_dice_view *v = view;
    json_key(t, "dice");
    write_sorted(t, v->dice);
    json_key(t, "current_bid");
    if (v->bid)
        write_bid(t, table, v->bidder, v->bid);
    else
        json_write_null(t);
    json_key(t, "bids");
    json_begin_array(t);
    for (uint32_t i = round_begins(table); i < table->past_count; i++)
        write_bid(t, table, table->past[i].seat, table->past[i].amount);
    json_end_array(t);
    json_put_int(t, "round", v->round);
    json_put_int(t, "total_dice", v->total);
    json_put_bool(t, "wild_ones", v->wild_ones);
    put_seats(t, table, v);
    put_last(t, table, &v->last);
}

// --- events (F6.L6, G26.6) ---

static void write_bade(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    codec_put_seat(t, "seat", table, e->seat);
    liars_dice_put_bid(t, e->amount);
}

static void write_challenged(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    struct liars_dice_challenge c = liars_dice_challenge_of(e);
    codec_put_seat(t, "seat", table, e->seat);
    codec_put_seat(t, "challenger", table, c.challenger);
    codec_put_seat(t, "bidder", table, c.bidder);
    json_put_int(t, "bid_quantity", liars_dice_quantity(c.bid));
    json_put_int(t, "bid_face", liars_dice_face(c.bid));
    json_put_int(t, "actual_count", c.count);
    json_put_bool(t, "bid_met", c.count >= liars_dice_quantity(c.bid));
    put_all_dice(t, table, &c);
    codec_put_seat(t, "loser", table, c.loser);
}

static void write_seat(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    codec_put_seat(t, "seat", table, e->seat);
}

static void write_round_start(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    json_put_int(t, "round", e->amount);
    json_begin_object_at(t, "dice_counts");
    for (int s = 0; s < table->seats; s++)
        if (e->data[s])
            json_put_int(t, table->seat[s], e->data[s]);
    json_end_object(t);
}

static void write_game_over(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    codec_put_seat(t, "winner", table, e->seat);
}

static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    static void (*const writers[])(struct text *, const struct codec_table *, const struct game_event *) = {
        [LIARS_DICE_BADE] = write_bade,           [LIARS_DICE_CHALLENGED] = write_challenged,
        [LIARS_DICE_ELIMINATED] = write_seat,     [LIARS_DICE_ROUND_START] = write_round_start,
        [LIARS_DICE_GAME_OVER] = write_game_over, [LIARS_DICE_DISCONNECTED] = write_seat,
    };
    (void)count;
    writers[e->kind](t, table, e);
}

// --- prose ---

static void say_bid(struct text *t, int rank)
{
    codec_write(t, "%dx%d", liars_dice_quantity(rank), liars_dice_face(rank));
}

// As people say it: "3 fours".
static void speak_bid(struct text *t, int rank)
{
    static const char *const faces[] = {"one", "two", "three", "four", "five", "six"};
    int quantity = liars_dice_quantity(rank), face = liars_dice_face(rank);
    assert(face >= 1 && face <= 6);
    codec_write(t, "%d %s%s", quantity, faces[face - 1], quantity == 1 ? "" : face == 6 ? "es" : "s");
}

static void describe_action(struct text *t, const struct codec_table *table, struct game_action a)
{
    if (a.kind == LIARS_DICE_CHALLENGE)
        text_puts(t, codec_verb(table, "challenge", "challenges"));
    else {
        codec_write(t, "%s ", codec_verb(table, "bid", "bids"));
        (table->voice == CODEC_WIRE ? say_bid : speak_bid)(t, a.amount);
    }
}

// "ann challenges 3 fours of bob: there are 2, bob loses a die"
static void speak_challenge(struct text *t, const struct codec_table *table, const struct liars_dice_challenge *c)
{
    codec_write(t, "%s challenges ", codec_seat_name(table, c->challenger));
    speak_bid(t, c->bid);
    codec_write(t, " of %s: there %s %d, %s loses a die", codec_seat_name(table, c->bidder),
                c->count == 1 ? "is" : "are", c->count, codec_seat_name(table, c->loser));
}

// The line of F6.L7's round_log.
static void describe_challenge(struct text *t, const struct codec_table *table, const struct liars_dice_challenge *c)
{
    codec_write(t, "Round %d: %s challenged %s's bid of %dx%d, count %d, %s lost a die", c->round,
                codec_seat_name(table, c->challenger), codec_seat_name(table, c->bidder), liars_dice_quantity(c->bid),
                liars_dice_face(c->bid), c->count, codec_seat_name(table, c->loser));
}

static void describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    const char *who = codec_seat_name(table, e->seat);
    struct liars_dice_challenge c;
    switch (e->kind) {
    case LIARS_DICE_BADE:
        codec_write(t, "%s bids ", who);
        (table->voice == CODEC_WIRE ? say_bid : speak_bid)(t, e->amount);
        break;
    case LIARS_DICE_CHALLENGED:
        c = liars_dice_challenge_of(e);
        (table->voice == CODEC_WIRE ? describe_challenge : speak_challenge)(t, table, &c);
        break;
    case LIARS_DICE_ELIMINATED:
        codec_write(t, table->voice == CODEC_WIRE ? "%s is eliminated" : "%s is out", who);
        break;
    case LIARS_DICE_ROUND_START:
        codec_write(t, "round %d, %s opens", e->amount, who);
        break;
    case LIARS_DICE_GAME_OVER:
        codec_write(t, "%s wins", who);
        break;
    case LIARS_DICE_DISCONNECTED:
        codec_write(t, "%s has left", who);
        break;
    default:
        break;
    }
}

static void describe_dice_counts(struct text *t, const struct liars_dice_rules *r, int seats)
{
    bool alike = true;
    for (int s = 1; s < seats; s++)
        alike &= r->dice_counts[s] == r->dice_counts[0];
    if (alike) {
        codec_write(t, "Each of the %d players starts with %d dice", seats, r->dice_counts[0]);
        return;
    }
    text_puts(t, "The players start with");
    for (int s = 0; s < seats; s++)
        codec_write(t, "%s %d", s ? "," : "", r->dice_counts[s]);
    text_puts(t, " dice, by seat");
}

static void describe_rules(struct text *t, const void *rules, int seats)
{
    const struct liars_dice_rules *r = rules;
    describe_dice_counts(t, r, seats);
    text_puts(
        t, ", hidden from the others. Every round all dice are rolled anew and each player sees only the own ones.\n"
           "In turn, clockwise, a player either bids or challenges. A bid QxF claims that at least Q of all dice in "
           "play, everybody's together, show face F (1 to 6). It must beat the current bid: a larger Q with any F, or "
           "the same Q with a larger F. Q is at most the number of dice in play. Whoever opens a round must bid.\n");
    text_puts(t, r->wild_ones ? "Ones are wild: they count as every face. On a bid on ones only ones count.\n"
                              : "Ones are not wild: only dice that show F count.\n");
    text_puts(
        t, "A challenge ends the round: all dice are shown and those that count for the current bid are counted. At "
           "least Q: the challenger loses one die. Fewer: the bidder loses one die. Who has no dice left is out. The "
           "loser opens the next round, or the next player clockwise when the loser is out. The last player with dice "
           "wins; there is no second place.\n"
           "How to judge a bid: count the dice in the own hand that fit it, and expect of each hidden die ");
    text_puts(t, r->wild_ones ? "1/3 (1/6 for a bid on ones).\n" : "1/6.\n");
}

static void describe_table(struct text *t, const struct codec_table *table, const struct liars_dice_view *v)
{
    codec_write(t, "Liar's Dice, round %d. %d dice in play:", v->round, v->total);
    for (int s = 0, first = 1; s < v->seats; s++)
        if (v->dice_counts[s]) {
            codec_write(t, "%s %s %d", first ? "" : ",", table->seat[s], v->dice_counts[s]);
            first = 0;
        }
    text_puts(t, v->wild_ones ? ". Ones are wild.\n" : ". Ones are not wild.\n");
}

static void describe_own(struct text *t, const struct codec_table *table, const struct liars_dice_view *v)
{
    if (v->viewer >= v->seats)
        return;
    codec_write(t, "You are %s", table->seat[v->viewer]);
    if (!v->dice[0]) {
        text_puts(t, " and out of the game.\n");
        return;
    }
    text_puts(t, ". Your dice:");
    for (int face = 1; face <= LIARS_DICE_FACES; face++)
        for (int i = 0; i < LIARS_DICE_DICE; i++)
            if (v->dice[i] == face)
                codec_write(t, " %d", face);
    text_puts(t, ".\n");
}

static void describe_bids(struct text *t, const struct codec_table *table, const struct liars_dice_view *v)
{
    if (!v->bid) {
        text_puts(t, "No bid yet.\n");
        return;
    }
    codec_write(t, "Current bid: %dx%d by %s.", liars_dice_quantity(v->bid), liars_dice_face(v->bid),
                codec_seat_name(table, v->bidder));
    uint32_t first = table->brief ? table->past_count : round_begins(table);
    bool cut = table->past_count - first > BIDS_SHOWN;
    if (table->past_count - first > 1) {
        text_puts(t, cut ? " Last bids:" : " Bids of this round:");
        for (uint32_t i = cut ? table->past_count - BIDS_SHOWN : first; i < table->past_count; i++) {
            codec_write(t, " %s ", codec_seat_name(table, table->past[i].seat));
            say_bid(t, table->past[i].amount);
            text_puts(t, i + 1 < table->past_count ? "," : ".");
        }
    }
    text_puts(t, "\n");
}

static void describe_question(struct text *t, const struct codec_table *table, const struct liars_dice_view *v)
{
    if (v->phase == LIARS_DICE_DONE) {
        codec_write(t, "The game is over, %s has won.\n", codec_seat_name(table, v->winner));
        return;
    }
    if (v->viewer != v->to_act) {
        codec_write(t, "%s is to act.\n", codec_seat_name(table, v->to_act));
        return;
    }
    if (table->brief)
        return;
    text_puts(t, v->bid ? "You may challenge" : "You open");
    if (v->bid < LIARS_DICE_FACES * v->total) {
        text_puts(t, v->bid ? ", or bid at least " : ": bid at least ");
        say_bid(t, v->bid + 1);
        codec_write(t, " and at most %dx6", v->total);
    }
    text_puts(t, ".\n");
}

static void describe_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct liars_dice_view *v = view;
    describe_table(t, table, v);
    describe_own(t, table, v);
    if (v->last.round && !table->brief) {
        describe_challenge(t, table, &v->last);
        text_puts(t, ".\n");
    }
    if (v->phase == LIARS_DICE_BIDDING)
        describe_bids(t, table, v);
    describe_question(t, table, v);
}

// --- a picture ---

// What lies before a seat: own dice open; everyone's when a challenge has just ended the match; else cups.
static void draw_dice(struct text *t, const struct liars_dice_view *v, int seat)
{
    bool shown = v->phase == LIARS_DICE_DONE && v->last.round == v->round;
    const uint8_t *open = seat == v->viewer && v->dice[0] ? v->dice : shown ? v->last.dice[seat] : NULL;
    for (int i = 0; i < LIARS_DICE_DICE; i++) {
        if (open && open[i])
            codec_write(t, "[ %d ]", open[i]);
        else if (!open && i < v->dice_counts[seat])
            text_puts(t, "[ ? ]");
        else
            text_puts(t, "     ");
    }
}

static void draw(struct text *t, const struct codec_table *table, const void *view)
{
    const struct liars_dice_view *v = view;
    codec_write(t, "Liar's Dice   round %d   %d dice   ones are %s\n\n", v->round, v->total,
                v->wild_ones ? "wild" : "not wild");
    for (int s = 0; s < v->seats; s++) {
        codec_write(t, "%s %-12s ", s == v->to_act ? ">" : " ", table->seat[s]);
        draw_dice(t, v, s);
        if (s == v->bidder) {
            text_puts(t, "  bids ");
            speak_bid(t, v->bid);
        }
        text_puts(t, s == v->winner ? "  wins\n" : v->dice_counts[s] ? "\n" : "  out\n");
    }
    if (!v->last.round)
        return;
    codec_write(t, "\nRound %d: ", v->last.round);
    speak_challenge(t, table, &v->last);
    text_puts(t, "\n");
}

static const char *const phases[] = {"bidding", "done", NULL};

static const struct codec_action actions[] = {
    {.type = "challenge", .kind = LIARS_DICE_CHALLENGE},
    {.type = "bid", .kind = LIARS_DICE_BID},
    {.type = "drop", .kind = GAME_DROP, .master = true},
    {0},
};

static const char *const event_types[] = {
    NULL, "bid", "challenge", "player_eliminated", "round_start", "game_over", "player_disconnected", NULL,
};

const struct codec liars_dice_codec = {
    .game = &liars_dice_game,
    .title = "Liar's Dice",
    .summary = "Bid on everybody's hidden dice, or call the last bidder a liar; the last player with dice wins.",
    .phases = phases,
    .actions = actions,
    .event_types = event_types,
    .read_rule = read_rule,
    .write_rules = write_rules,
    .read_params = read_params,
    .write_params = write_params,
    .write_range = write_range,
    .split_range = split_range,
    .read_items = read_faces,
    .write_view = write_view,
    .write_event = write_event,
    .read_view = liars_dice_read_view,
    .read_event = liars_dice_read_event,
    .phase_at = offsetof(struct liars_dice_view, phase),
    .describe_rules = describe_rules,
    .describe_view = describe_view,
    .describe_action = describe_action,
    .describe_event = describe_event,
    .draw = draw,
    .speech = &liars_dice_speech,
    .moves = &liars_dice_moves,
    .short_prose = &liars_dice_short_prose,
};
