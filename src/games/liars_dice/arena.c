// Liar's Dice on the arena's wire (F6.L).
#include "games/liars_dice/arena.h"
#include "games/liars_dice/codec.h"
#include "games/liars_dice/rules/liars_dice.h"

// --- rules

static void write_rules(struct text *t, const void *rules, int seats)
{
    static const char *const phases[] = {"bidding: in turn, raise the bid or challenge it", NULL};
    const struct liars_dice_rules *r = rules;
    char line[320];
    struct text sentence = text_on(line, sizeof line);
    codec_write(&sentence,
                "%d players roll %d dice each in secret and bid in turn on how many dice of all players show a face. "
                "A challenge opens the dice, and whoever was wrong loses one. The last player with dice wins.",
                seats, r->dice_counts[0]);
    json_put_string(t, "summary", text_span(&sentence));
    json_put_texts(t, "phases", phases);
    json_begin_object_at(t, "available_actions");
    json_put_text(t, "bid",
                  "Claim that at least `quantity` dice of all players show `face` (1 to 6). A bid must beat "
                  "the current one: a larger quantity, or the same quantity of a higher face.");
    json_put_text(t, "challenge", "Doubt the current bid: all dice are opened and counted.");
    json_end_object(t);
    json_begin_array_at(t, "key_rules");
    json_write_text(t, "You see your own dice alone; everybody sees how many dice each player has.");
    json_write_text(t, r->wild_ones ? "Ones are wild: they count for every face. Of a bid on ones only ones count."
                                    : "Ones are not wild: only dice that show the face count.");
    json_write_text(t, "If at least as many dice count as were bid, the challenger loses a die, otherwise the bidder.");
    json_write_text(t, "Who has no dice left is out. All dice are rolled anew for every round.");
    json_write_text(t, "The loser of a challenge opens the next round, or the next player if the loser is out.");
    json_write_text(t, "No bid may exceed the number of dice in play.");
    json_end_array(t);
}

// --- state (F6.L7)

static const char *status_of(const struct liars_dice_view *v, int seat)
{
    return v->dice_counts[seat] ? "alive" : "eliminated";
}

// The bids since the last event that is none.
static void put_round_bids(struct text *t, const struct arena_observation *seen)
{
    struct match_event e;
    uint32_t first = seen->events;
    while (first > 0 && seen->event(seen->source, first - 1, &e) && e.at->kind == LIARS_DICE_BADE)
        first--;
    if (first == seen->events)
        return;
    json_begin_array_at(t, "round_bids");
    for (uint32_t i = first; i < seen->events && seen->event(seen->source, i, &e); i++) {
        json_begin_object(t);
        json_put_text(t, "bidder", dialect_pids[e.at->seat]);
        liars_dice_put_bid(t, e.at->amount);
        json_end_object(t);
    }
    json_end_array(t);
}

static void write_round(struct text *t, const struct liars_dice_challenge *c)
{
    char line[128];
    struct text sentence = text_on(line, sizeof line);
    codec_write(&sentence, "Round %d: %s challenged %s's bid of %dx%d, count %d, %s lost a die", c->round,
                dialect_pids[c->challenger], dialect_pids[c->bidder], liars_dice_quantity(c->bid),
                liars_dice_face(c->bid), c->count, dialect_pids[c->loser]);
    json_write_string(t, text_span(&sentence));
}

static void put_round_log(struct text *t, const struct arena_observation *seen)
{
    struct match_event e;
    bool begun = false;
    for (uint32_t i = 0; i < seen->events && seen->event(seen->source, i, &e); i++) {
        if (e.at->kind != LIARS_DICE_CHALLENGED)
            continue;
        if (!begun) {
            json_begin_array_at(t, "round_log");
        }
        begun = true;
        struct liars_dice_challenge c = liars_dice_challenge_of(e.at);
        write_round(t, &c);
    }
    if (begun)
        json_end_array(t);
}

static void put_players(struct text *t, const struct liars_dice_view *v)
{
    json_begin_array_at(t, "players");
    for (int i = 0; i < v->seats; i++) {
        json_begin_object(t);
        json_put_text(t, "id", dialect_pids[i]);
        json_put_text(t, "status", status_of(v, i));
        json_put_int(t, "dice_count", v->dice_counts[i]);
        json_end_object(t);
    }
    json_end_array(t);
}

static void put_own(struct text *t, const struct liars_dice_view *v)
{
    if (v->viewer >= v->seats)
        return;
    json_put_text(t, "your_player_id", dialect_pids[v->viewer]);
    json_put_text(t, "your_id", dialect_pids[v->viewer]);
    if (!v->dice_counts[v->viewer])
        return;
    json_key(t, "your_dice");
    liars_dice_write_faces(t, v->dice);
    json_put_int(t, "your_dice_count", v->dice_counts[v->viewer]);
}

static void write_state(struct text *t, const struct arena_observation *seen)
{
    const struct liars_dice_view *v = seen->view;
    bool done = v->phase == LIARS_DICE_DONE;
    json_put_text(t, "phase", done ? "done" : "bidding");
    json_put_int(t, "round", v->round);
    if (v->bid) {
        json_begin_object_at(t, "current_bid");
        liars_dice_put_bid(t, v->bid);
        json_put_text(t, "bidder", dialect_pids[v->bidder]);
        json_end_object(t);
        if (!done)
            put_round_bids(t, seen);
    }
    put_round_log(t, seen);
    if (done) {
        json_put_text(t, "winner", dialect_pids[v->winner]);
    } else {
        json_put_text(t, "current_turn", dialect_pids[v->to_act]);
        json_put_int(t, "total_dice", v->total);
    }
    put_players(t, v);
    put_own(t, v);
}

static void write_player(struct text *t, const struct arena_observation *seen, int seat)
{
    const struct liars_dice_view *v = seen->view;
    json_put_text(t, "status", status_of(v, seat));
    json_begin_object_at(t, "data");
    json_put_int(t, "dice_count", v->dice_counts[seat]);
    if (seat == v->viewer && v->dice_counts[seat]) {
        json_key(t, "dice");
        liars_dice_write_faces(t, v->dice);
    }
    json_end_object(t);
}

// --- actions (F6.L3)

static void write_params(struct text *t, const struct arena_observation *seen, struct game_choice c)
{
    const struct liars_dice_view *v = seen->view;
    if (c.first.kind != LIARS_DICE_BID)
        return;
    if (v->bid) {
        json_put_int(t, "current_quantity", liars_dice_quantity(v->bid));
        json_put_int(t, "current_face", liars_dice_face(v->bid));
    }
    json_put_int(t, "min_quantity", liars_dice_quantity(c.first.amount));
    json_put_int(t, "min_face", liars_dice_face(c.first.amount));
    json_put_int(t, "max_quantity", v->total);
    if (!v->bid)
        json_put_int(t, "max_face", LIARS_DICE_FACES);
}

static int read_params(struct json_reader *r, const struct codec_table *table, struct game_action *a)
{
    (void)table;
    bool bids = a->kind == LIARS_DICE_BID;
    int64_t quantity = 0, face = 0;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (bids && json_string_is(key, "quantity"))
            quantity = dialect_read_whole(r);
        else if (bids && json_string_is(key, "face"))
            face = dialect_read_whole(r);
        else
            json_skip(r);
    if (r->error || !bids)
        return r->error;
    if (quantity < 1 || quantity > LIARS_DICE_SEATS * LIARS_DICE_DICE || face < 1 || face > LIARS_DICE_FACES)
        return ERR_RANGE;
    a->amount = liars_dice_rank((int)quantity, (int)face);
    return OK;
}

// --- events (F6.L6)

static void write_challenge(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    struct liars_dice_challenge c = liars_dice_challenge_of(e);
    json_put_text(t, "challenger", dialect_pids[c.challenger]);
    json_put_text(t, "bidder", dialect_pids[c.bidder]);
    json_put_int(t, "bid_quantity", liars_dice_quantity(c.bid));
    json_put_int(t, "bid_face", liars_dice_face(c.bid));
    json_put_int(t, "actual_count", c.count);
    json_put_bool(t, "bid_met", c.count >= liars_dice_quantity(c.bid));
    json_begin_object_at(t, "all_dice");
    for (int i = 0; i < table->seats; i++)
        if (c.dice[i][0]) {
            json_key(t, dialect_pids[i]);
            liars_dice_write_faces(t, c.dice[i]);
        }
    json_end_object(t);
    json_put_text(t, "loser", dialect_pids[c.loser]);
}

static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    switch (e->kind) {
    case LIARS_DICE_BADE:
        liars_dice_put_bid(t, e->amount);
        return;
    case LIARS_DICE_CHALLENGED:
        write_challenge(t, table, e);
        return;
    case LIARS_DICE_ELIMINATED:
    case LIARS_DICE_DISCONNECTED:
        json_put_text(t, "player", dialect_pids[e->seat]);
        return;
    default:
        liars_dice_codec.write_event(t, table, e, count);
    }
}

static int count_in_play(const void *state)
{
    return __builtin_popcount(((const struct liars_dice_state *)state)->in_play);
}

const struct arena_dialect liars_dice_arena = {
    .title = "Liar's Dice",
    .events_of_seat = 1u << LIARS_DICE_BADE | 1u << LIARS_DICE_CHALLENGED | 1u << LIARS_DICE_ELIMINATED |
                      1u << LIARS_DICE_DISCONNECTED,
    .write_rules = write_rules,
    .write_state = write_state,
    .write_player = write_player,
    .write_params = write_params,
    .write_event = write_event,
    .read_params = read_params,
    .count_in_play = count_in_play,
    .reader = &liars_dice_arena_reader,
};
