// Coup on the arena's wire (F6.C).
#include "games/coup/arena.h"
#include "games/coup/codec.h"
#include "games/coup/kit.h"

// --- rules

static void write_actions(struct text *t)
{
    json_begin_object_at(t, "available_actions");
    json_put_text(t, "income", "Take 1 coin. Nobody can stop it.");
    json_put_text(t, "foreign_aid", "Take 2 coins. Anyone who claims the Duke may block it.");
    json_put_text(t, "coup", "Pay 7 coins: the target loses a card. Nobody can stop it.");
    json_put_text(t, "tax", "Claim the Duke: take 3 coins.");
    json_put_text(t, "assassinate",
                  "Claim the Assassin and pay 3 coins, which are never given back: the target loses "
                  "a card unless it blocks with the Contessa.");
    json_put_text(t, "steal",
                  "Claim the Captain: take up to 2 coins from the target, who may block with the Captain "
                  "or the Ambassador.");
    json_put_text(t, "exchange", "Claim the Ambassador: draw 2 cards and give 2 back.");
    json_put_text(t, "challenge", "Doubt the claim. If it was a lie, the liar loses a card; if it was true, you do.");
    json_put_text(t, "pass", "Let the claim or the action stand.");
    json_put_text(t, "block", "Claim the `role` that stops the action. The block may be challenged.");
    json_put_text(t, "lose_card", "Reveal the card at `card_index`.");
    json_put_text(t, "return_cards", "Give back the two cards at `return_indices` of the list all_cards.");
    json_end_object(t);
}

static void write_rules(struct text *t, const void *rules, int seats)
{
    static const char *const phases[] = {
        "action: the player to move picks an action",
        "challenge_action: the others may doubt the claimed role",
        "block: those concerned may block",
        "challenge_block: all but the blocker may doubt the block",
        "lose_influence: a player chooses the card to reveal",
        "exchange_return: two cards go back to the deck",
        NULL,
    };
    const struct coup_rules *r = rules;
    char line[320];
    struct text sentence = text_on(line, sizeof line);
    codec_write(
        &sentence,
        "%d players with two hidden roles and %d coins each. Claim roles, truly or not, to take coins and to make "
        "others reveal their cards. The last player with a hidden card wins.",
        seats, r->coins[0]);
    json_put_string(t, "summary", text_span(&sentence));
    json_put_texts(t, "phases", phases);
    write_actions(t);
    json_begin_array_at(t, "key_rules");
    json_write_text(t, "The deck has 15 cards: three each of Duke, Assassin, Captain, Ambassador and Contessa.");
    json_write_text(t, "Any claim may be a bluff; it holds unless somebody challenges it.");
    json_write_text(t, "A true claim that was challenged is proved by the card, which is shuffled back and replaced.");
    json_write_text(t, "With 10 coins or more you must play coup.");
    json_write_text(t, "Who has both cards revealed is out. Revealed cards prove no claim.");
    sentence = text_on(line, sizeof line);
    codec_write(&sentence, "After %d turns the players in play with most hidden cards win.", COUP_TURN_CAP);
    json_write_string(t, text_span(&sentence));
    json_end_array(t);
}

// Strict: as the public server of the arena does, at the price of a request.
static void set_rules(void *rules, bool strict, bool deterministic_windows)
{
    struct coup_rules *r = rules;
    r->ask_single = strict; // F6.C8
    if (deterministic_windows)
        r->windows = COUP_WINDOWS_DETERMINISTIC;
}

// --- state (F6.C12)

static void put_roles(struct text *t, const char *key, const uint8_t *roles, int count)
{
    json_key(t, key);
    coup_write_roles(t, roles, count);
}

static void put_slots(struct text *t, const char *key, const struct coup_seat *seat, unsigned slots)
{
    json_key(t, key);
    coup_write_slots(t, seat, slots);
}

static void write_player(struct text *t, const struct arena_observation *seen, int seat)
{
    const struct coup_view *v = seen->view;
    const struct coup_seat *s = &v->seat[seat];
    json_put_text(t, "status", v->in_play >> seat & 1 ? "alive" : "eliminated");
    json_begin_object_at(t, "data");
    json_put_int(t, "coins", s->coins);
    json_put_int(t, "hidden_cards", coup_influence(s));
    put_slots(t, "revealed", s, s->up);
    json_end_object(t);
}

// What an action does not have is absent here, not null as in the codec.
static void put_pending(struct text *t, const struct arena_observation *seen)
{
    const struct coup_view *v = seen->view;
    const struct coup_act *act = &coup_acts[v->log.action];
    json_put_text(t, "pending_action", coup_action_names[v->log.action]);
    if (act->targeted)
        json_put_text(t, "pending_target", dialect_pids[v->log.target]);
    if (act->role)
        json_put_text(t, "claimed_role", coup_role_names[act->role]);
    if (v->phase == COUP_PHASE_CHALLENGE_BLOCK) {
        json_put_text(t, "blocker", dialect_pids[v->log.blocker]);
        json_put_text(t, "block_role", coup_role_names[v->log.block_role]);
    }
    if (v->phase == COUP_PHASE_LOSE_INFLUENCE)
        json_put_text(t, "influence_loser", dialect_pids[v->log.loser]);
    coup_put_turn_log(t, &seen->table, v);
}

static void put_own(struct text *t, const struct coup_view *v)
{
    if (v->viewer >= v->seats)
        return;
    const struct coup_seat *me = &v->seat[v->viewer];
    json_put_text(t, "your_player_id", dialect_pids[v->viewer]);
    put_slots(t, "your_cards", me, ~me->up & 3u);
    put_slots(t, "your_revealed", me, me->up);
    json_put_int(t, "coins", me->coins);
    if (v->phase != COUP_PHASE_EXCHANGE_RETURN || !v->exchange[0])
        return;
    uint8_t all[4];
    int count = coup_combined(me, v->exchange, all);
    put_roles(t, "exchange_cards", v->exchange, 2);
    put_roles(t, "all_exchange_options", all, count);
}

static void write_state(struct text *t, const struct arena_observation *seen)
{
    const struct coup_view *v = seen->view;
    bool done = v->phase == COUP_PHASE_DONE, single = v->won && !(v->won & (v->won - 1));
    json_put_text(t, "phase", coup_codec.phases[v->phase]);
    json_put_text(t, "current_turn", dialect_pids[v->log.actor]);
    if (v->phase != COUP_PHASE_ACTION && !done && v->log.action)
        put_pending(t, seen);
    json_key(t, "players");
    dialect_write_players(&coup_kit, t, seen);
    if (done && single)
        json_put_text(t, "winner", dialect_pids[__builtin_ctz(v->won)]);
    put_own(t, v);
}

// --- actions (F6.C4)

static void write_params(struct text *t, const struct arena_observation *seen, struct game_choice c)
{
    coup_codec.write_params(t, &seen->table, c.first);
    if (c.first.kind == COUP_RETURN_CARDS)
        coup_put_return_cards(t, seen->view, c.first);
}

static int read_pair(struct json_reader *r, int64_t index[2])
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r); count++)
        if (count < 2)
            index[count] = dialect_read_whole(r);
        else
            json_skip(r);
    return count;
}

static bool is_slot(int64_t index)
{
    return index >= 0 && index < 4;
}

// Numbers may be written as 1.0 here, so the codec's own reader is only for names.
static int read_indices(struct json_reader *r, struct game_action *a)
{
    bool loses = a->kind == COUP_LOSE_CARD;
    int64_t index[2] = {-1, -1};
    int count = 0;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (loses && json_string_is(key, "card_index"))
            index[0] = dialect_read_whole(r), count = 1;
        else if (!loses && json_string_is(key, "return_indices"))
            count = read_pair(r, index);
        else
            json_skip(r);
    if (r->error || count != (loses ? 1 : 2) || !is_slot(index[0]) || (!loses && !is_slot(index[1])))
        return ERR_RANGE;
    bool swap = !loses && index[0] > index[1]; // F6.C9: any order
    a->arg[0] = (uint8_t)index[swap];
    a->arg[1] = loses ? 0 : (uint8_t)index[!swap];
    return OK;
}

// Targets are pids; a bare number is none.
static int read_target(struct json_reader *r, const struct codec_table *table, struct game_action *a)
{
    int seat = -1;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "target"))
            seat = json_string_among(json_read_string(r), dialect_pids);
        else
            json_skip(r);
    if (r->error || seat < 0 || seat >= table->seats)
        return ERR_UNKNOWN;
    a->arg[0] = (uint8_t)seat;
    return OK;
}

static int read_params(struct json_reader *r, const struct codec_table *table, struct game_action *a)
{
    if (a->kind == COUP_LOSE_CARD || a->kind == COUP_RETURN_CARDS)
        return read_indices(r, a);
    if (a->kind <= COUP_TURN_ACTIONS && coup_acts[a->kind].targeted)
        return read_target(r, table, a);
    return coup_codec.read_params(r, table, a);
}

// --- events (F6.C11)

static void write_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    coup_write_event_data(t, table, e);
}

static int count_in_play(const void *state)
{
    return __builtin_popcount(((const struct coup_state *)state)->in_play);
}

const struct arena_dialect coup_arena = {
    .title = "Coup",
    // All kinds, from 1, but the end of the match, which has a message of its own.
    .events_of_seat = ((1u << COUP_EVENTS) - 2) & ~(1u << COUP_EVENT_GAME_OVER),
    .write_rules = write_rules,
    .write_state = write_state,
    .write_player = write_player,
    .write_params = write_params,
    .write_event = write_event,
    .read_params = read_params,
    .count_in_play = count_in_play,
    .reader = &coup_arena_reader,
    .set_rules = set_rules,
    .challenge_places = 3, // F3.19
};
