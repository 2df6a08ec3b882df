// Coup in words, and as a picture for a terminal.
#include "games/coup/codec.h"

static void say_slots(struct text *t, const struct coup_seat *seat, unsigned slots)
{
    uint8_t roles[2];
    int count = coup_list_slots(seat, slots, roles);
    for (int i = 0; i < count; i++)
        codec_write(t, "%s%s", i ? ", " : "", coup_role_names[roles[i]]);
}

// --- the rules ---

static const char rules_text[] =
    "Coup. Be the last player with influence.\n"
    "The deck has 15 cards: three each of Duke, Assassin, Captain, Ambassador and Contessa. Everyone has two cards "
    "face "
    "down (two influence) and some coins. A lost influence is a card of the loser's choice turned face up for good; "
    "without face-down cards you are out. The last one in wins.\n"
    "On your turn take one action:\n"
    "- income: take 1 coin. Nobody can stop it.\n"
    "- foreign_aid: take 2 coins. Any player may block it by claiming Duke.\n"
    "- coup {target}: pay 7 coins, the target loses an influence. Nobody can stop it. With 10 or more coins you must "
    "coup.\n"
    "- tax (claims Duke): take 3 coins.\n"
    "- assassinate {target} (claims Assassin): pay 3 coins, never refunded; the target loses an influence. The target "
    "may block by claiming Contessa.\n"
    "- steal {target} (claims Captain): take up to 2 coins from the target. The target may block by claiming Captain "
    "or "
    "Ambassador.\n"
    "- exchange (claims Ambassador): draw two cards, keep as many as you had face down, return two of your choice.\n"
    "You may claim a role whether you hold it or not. After a claim every other player may challenge or pass; a block "
    "is a claim too and may be challenged by everyone else, the actor included.\n"
    "A challenge against a true claim: the claimant shows that card, shuffles it into the deck and draws a new one; "
    "the challenger loses an influence and the claim stands. A challenge against a lie: the claimant loses an "
    "influence; a false action has no effect, a false block does not stop the action. So a target that falsely claims "
    "Contessa and is challenged loses one influence for the lie and one to the assassin.\n"
    "First come challenges to the action, then blocks, then challenges to the block. If all pass, the action takes "
    "effect (or, if a block stands, it does not; what was paid stays paid).\n"
    "Only face-down cards prove a claim. Face-up cards, coins and the number of face-down cards are public.\n";

void coup_describe_rules(struct text *t, const void *rules, int seats)
{
    const struct coup_rules *r = rules;
    text_puts(t, rules_text);
    codec_write(t, "This table: %d players, starting coins", seats);
    for (int i = 0; i < seats && i < COUP_MAX_SEATS; i++)
        codec_write(t, " %d", r->coins[i]);
    codec_write(t, " by seat; seat %d begins; turns go clockwise by seat.\n", r->starter);
    text_puts(t,
              r->windows == COUP_WINDOWS_DETERMINISTIC
                  ? "In a window all answers are awaited unseen; then the first challenge or block clockwise from the "
                    "claimant counts.\n"
                  : "In a window the first challenge or block to arrive counts and closes it.\n");
    if (!r->ask_single)
        text_puts(t, "Whoever has one face-down card left loses it without being asked.\n");
    codec_write(t, "After %d turns the match ends: most influence wins, equal influence shares.\n", COUP_TURN_CAP);
    text_puts(t, "Other answers: challenge; pass; block {role}; lose_card {card_index 0 or 1, the slot to turn up}; "
                 "return_cards {return_indices, two indices into your face-down cards followed by the two drawn}.\n");
}

// --- a situation ---

static const char *const acts[COUP_TURN_ACTIONS + 1] = {
    "", "income", "foreign aid", "a coup", "tax", "an assassination", "a theft", "an exchange",
};

static void say_players(struct text *t, const struct codec_table *table, const struct coup_view *v)
{
    for (int i = 0; i < v->seats; i++) {
        const struct coup_seat *seat = &v->seat[i];
        if (i == v->viewer)
            continue;
        if (!(v->in_play >> i & 1)) {
            codec_write(t, "%s is out (", codec_seat_name(table, i));
        } else {
            codec_write(t, "%s: %d coins, %d influence", codec_seat_name(table, i), seat->coins, coup_influence(seat));
            if (seat->up)
                text_puts(t, " (face up ");
        }
        say_slots(t, seat, seat->up);
        text_puts(t, seat->up ? "). " : ". ");
    }
}

static void say_own(struct text *t, const struct codec_table *table, const struct coup_view *v)
{
    if (v->viewer >= v->seats)
        return;
    const struct coup_seat *me = &v->seat[v->viewer];
    codec_write(t, "You are %s ", codec_seat_name(table, v->viewer));
    if (me->up == 3) {
        text_puts(t, "and out. ");
        return;
    }
    text_puts(t, "with ");
    say_slots(t, me, ~me->up & 3u);
    codec_write(t, " face down and %d coins", me->coins);
    if (me->up) {
        text_puts(t, "; face up: ");
        say_slots(t, me, me->up);
    }
    text_puts(t, ". ");
}

static void say_turn(struct text *t, const struct codec_table *table, const struct coup_view *v)
{
    const struct coup_log *log = &v->log;
    if (!log->action)
        return;
    codec_write(t, "This turn: %s tried %s", codec_seat_name(table, log->actor), acts[log->action]);
    if (coup_acts[log->action].targeted)
        codec_write(t, " on %s", codec_seat_name(table, log->target));
    if (coup_acts[log->action].role)
        codec_write(t, ", claiming %s", coup_role_names[coup_acts[log->action].role]);
    if (log->challenge_result)
        codec_write(t, "; %s challenged and was %s", codec_seat_name(table, log->challenger),
                    log->challenge_result == COUP_FAIL ? "wrong" : "right");
    if (log->block_role)
        codec_write(t, "; %s blocked, claiming %s", codec_seat_name(table, log->blocker),
                    coup_role_names[log->block_role]);
    if (log->block_challenge_result)
        codec_write(t, "; %s challenged the block and was %s", codec_seat_name(table, log->block_challenger),
                    log->block_challenge_result == COUP_FAIL ? "wrong" : "right");
    text_puts(t, ". ");
}

static void say_block_choices(struct text *t, const struct coup_view *v)
{
    text_puts(t, "You may ");
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++)
        if (coup_acts[v->log.action].blocked_by >> role & 1)
            codec_write(t, "block as %s, ", coup_role_names[role]);
    text_puts(t, "or pass.");
}

static void say_turn_choices(struct text *t, const struct coup_view *v)
{
    int coins = v->seat[v->viewer].coins;
    if (coins >= 10) {
        text_puts(t, "It is your turn, and with 10 or more coins you must coup somebody.");
        return;
    }
    codec_write(t, "It is your turn: income, foreign_aid, %stax, %ssteal from somebody, or exchange.",
                coins >= 7 ? "coup somebody, " : "", coins >= 3 ? "assassinate somebody, " : "");
}

static void say_loss_choices(struct text *t, const struct coup_view *v)
{
    const struct coup_seat *me = &v->seat[v->viewer];
    text_puts(t, "You lose an influence. Turn up:");
    for (int slot = 0; slot < 2; slot++)
        if (!(me->up >> slot & 1))
            codec_write(t, " card_index %d (%s)", slot, coup_role_names[me->card[slot]]);
    text_puts(t, ".");
}

static void say_return_choices(struct text *t, const struct coup_view *v)
{
    uint8_t all[4];
    int count = coup_combined(&v->seat[v->viewer], v->exchange, all);
    text_puts(t, "Return two of:");
    for (int i = 0; i < count; i++)
        codec_write(t, " %d %s%s", i, coup_role_names[all[i]], i + 1 < count ? "," : ".");
}

// What is asked, without the answers: what lies before the player is no choice but a fact.
static void say_question(struct text *t, const struct coup_view *v)
{
    if (v->phase == COUP_PHASE_LOSE_INFLUENCE)
        say_loss_choices(t, v);
    else if (v->phase == COUP_PHASE_EXCHANGE_RETURN)
        say_return_choices(t, v);
    else if (v->phase == COUP_PHASE_ACTION)
        text_puts(t, "It is your turn.");
}

static void say_choices(struct text *t, const struct coup_view *v)
{
    switch ((enum coup_phase)v->phase) {
    case COUP_PHASE_ACTION:
        say_turn_choices(t, v);
        return;
    case COUP_PHASE_CHALLENGE_ACTION:
        text_puts(t, "You may challenge the claim, or pass.");
        return;
    case COUP_PHASE_CHALLENGE_BLOCK:
        text_puts(t, "You may challenge the block, or pass.");
        return;
    case COUP_PHASE_BLOCK:
        say_block_choices(t, v);
        return;
    case COUP_PHASE_LOSE_INFLUENCE:
        say_loss_choices(t, v);
        return;
    case COUP_PHASE_EXCHANGE_RETURN:
        say_return_choices(t, v);
        return;
    case COUP_PHASE_DONE:
    case COUP_PHASES:
        return;
    }
}

static void say_answer(struct text *t, const struct coup_view *v)
{
    if (v->answer == COUP_ANSWER_PASS)
        text_puts(t, "You have passed. ");
    else if (v->answer == COUP_ANSWER_CHALLENGE)
        text_puts(t, "You have challenged; nobody knows yet. ");
    else if (v->answer)
        codec_write(t, "You have blocked as %s; nobody knows yet. ", coup_role_names[v->answer]);
}

static void say_waiting(struct text *t, const struct codec_table *table, const struct coup_view *v)
{
    say_answer(t, v);
    text_puts(t, "Waiting for ");
    const char *between = "";
    for (int i = 0; i < v->seats; i++)
        if (v->asked >> i & 1) {
            codec_write(t, "%s%s", between, codec_seat_name(table, i));
            between = ", ";
        }
    codec_write(t, " (%s).", coup_codec.phases[v->phase]);
}

static void say_end(struct text *t, const struct codec_table *table, const struct coup_view *v)
{
    text_puts(t, v->capped ? "The match has reached the turn cap; most influence:" : "The match is over; winner:");
    for (int i = 0; i < v->seats; i++)
        if (v->won >> i & 1)
            codec_write(t, " %s", codec_seat_name(table, i));
    text_puts(t, ".");
}

// G22.6: the last events, as far as 1200 characters leave room for what may be done.
static void say_past(struct text *t, const struct codec_table *table, size_t begin)
{
    enum { EVENTS = 4, ENOUGH = 850 };
    uint32_t from = table->past_count > EVENTS ? table->past_count - EVENTS : 0;
    for (uint32_t i = from; i < table->past_count && t->size - begin < ENOUGH; i++) {
        text_puts(t, i == from ? "Lately: " : ", ");
        coup_describe_event(t, table, &table->past[i], 1);
    }
    if (table->past_count)
        text_puts(t, ". ");
}

void coup_describe_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct coup_view *v = view;
    size_t begin = t->size;
    codec_write(t, "Turn %u. ", v->turns + (v->phase != COUP_PHASE_DONE));
    say_own(t, table, v);
    say_players(t, table, v);
    say_turn(t, table, v);
    if (!table->brief)
        say_past(t, table, begin);
    if (v->phase == COUP_PHASE_DONE)
        say_end(t, table, v);
    else if (v->viewer < v->seats && v->asked >> v->viewer & 1)
        (table->brief ? say_question : say_choices)(t, v);
    else
        say_waiting(t, table, v);
}

// --- actions and events ---

// The viewer's own cards by their names, where the action has their places.
static void say_loss(struct text *t, const struct codec_table *table, struct game_action a)
{
    const struct coup_view *v = table->view;
    const char *verb = codec_verb(table, "turn up", "turns up");
    if (v && v->viewer < v->seats && a.arg[0] < 2 && !(v->seat[v->viewer].up >> a.arg[0] & 1))
        codec_write(t, "%s the %s", verb, coup_role_names[v->seat[v->viewer].card[a.arg[0]]]);
    else
        codec_write(t, table->voice == CODEC_WIRE ? "%s card %d" : "%s a card", verb, a.arg[0]);
}

static void say_return(struct text *t, const struct codec_table *table, struct game_action a)
{
    const struct coup_view *v = table->view;
    const char *verb = codec_verb(table, "return", "returns");
    uint8_t all[4];
    int count = v && v->viewer < v->seats ? coup_combined(&v->seat[v->viewer], v->exchange, all) : 0;
    if (a.arg[0] < count && a.arg[1] < count)
        codec_write(t, "%s %s and %s", verb, coup_role_names[all[a.arg[0]]], coup_role_names[all[a.arg[1]]]);
    else
        codec_write(t, "%s two cards", verb);
}

void coup_describe_action(struct text *t, const struct codec_table *table, struct game_action a)
{
    static const char *const words[COUP_ACTIONS][2] = {
        [COUP_INCOME] = {"take income", "takes income"},
        [COUP_FOREIGN_AID] = {"ask for foreign aid", "asks for foreign aid"},
        [COUP_TAX] = {"claim Duke and tax", "claims Duke and taxes"},
        [COUP_EXCHANGE] = {"claim Ambassador and exchange", "claims Ambassador and exchanges"},
        [COUP_COUP] = {"pay 7 for a coup against ", "pays 7 for a coup against "},
        [COUP_ASSASSINATE] = {"claim Assassin and pay 3 to assassinate ", "claims Assassin and pays 3 to assassinate "},
        [COUP_STEAL] = {"claim Captain and steal from ", "claims Captain and steals from "},
        [COUP_BLOCK] = {"block, claiming ", "blocks, claiming "},
        [COUP_CHALLENGE] = {"challenge", "challenges"},
        [COUP_PASS] = {"pass", "passes"},
    };
    if (a.kind == COUP_LOSE_CARD)
        say_loss(t, table, a);
    else if (a.kind == COUP_RETURN_CARDS)
        say_return(t, table, a);
    else if (a.kind < COUP_ACTIONS && words[a.kind][0])
        text_puts(t, codec_verb(table, words[a.kind][0], words[a.kind][1]));
    if (a.kind == COUP_BLOCK)
        text_puts(t, coup_role_names[a.arg[0]]);
    else if (a.kind <= COUP_TURN_ACTIONS && coup_acts[a.kind].targeted)
        codec_write(t, "%s", codec_seat_name(table, a.arg[0]));
}

static void describe_resolved(struct text *t, const struct codec_table *table, struct coup_fact f)
{
    if (f.action == COUP_ASSASSINATE)
        codec_write(t, "strikes %s", codec_seat_name(table, f.target));
    else if (f.action == COUP_STEAL)
        codec_write(t, "takes %d from %s and has %d coins", f.stolen, codec_seat_name(table, f.target), f.coins);
    else
        codec_write(t, "has %d coins now", f.coins);
}

static void describe_result(struct text *t, struct coup_fact f)
{
    if (f.result == COUP_FAIL)
        codec_write(t, "shows %s and draws a new card", coup_role_names[f.card]);
    else
        text_puts(t, "was bluffing");
}

void coup_describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    static const char *const words[COUP_EVENTS] = {
        [COUP_EVENT_CHALLENGE_PASS] = "does not challenge",
        [COUP_EVENT_BLOCK_PASS] = "does not block",
        [COUP_EVENT_BLOCK_CHALLENGE_PASS] = "does not challenge the block",
        [COUP_EVENT_BLOCK_ACCEPTED] = "has blocked the action",
        [COUP_EVENT_PLAYER_ELIMINATED] = "is out",
        [COUP_EVENT_PLAYER_DISCONNECTED] = "has left the table",
        [COUP_EVENT_EXCHANGE_DRAW] = "draws two cards",
        [COUP_EVENT_EXCHANGE_COMPLETE] = "returns two cards",
        [COUP_EVENT_GAME_OVER] = "wins",
    };
    struct coup_fact f = coup_event_fact(e);
    if (e->kind == COUP_EVENT_GAME_OVER && e->seat == COUP_NOBODY) {
        text_puts(t, "the match ends in a draw");
        return;
    }
    codec_write(t, "%s ", codec_seat_name(table, e->seat));
    if (e->kind == COUP_EVENT_ACTION)
        coup_describe_action(t, table, (struct game_action){.kind = f.action, .arg = {f.target}});
    else if (e->kind == COUP_EVENT_CHALLENGE || e->kind == COUP_EVENT_CHALLENGE_BLOCK)
        codec_write(t, "challenges the %s of %s", coup_role_names[f.role], codec_seat_name(table, f.other));
    else if (e->kind == COUP_EVENT_CHALLENGE_RESULT || e->kind == COUP_EVENT_CHALLENGE_BLOCK_RESULT)
        describe_result(t, f);
    else if (e->kind == COUP_EVENT_BLOCK)
        codec_write(t, "blocks, claiming %s", coup_role_names[f.role]);
    else if (e->kind == COUP_EVENT_INFLUENCE_LOST)
        codec_write(t, "loses %s", coup_role_names[f.card]);
    else if (e->kind == COUP_EVENT_ACTION_RESOLVED)
        describe_resolved(t, table, f);
    else if (e->kind < COUP_EVENTS && words[e->kind])
        text_puts(t, words[e->kind]);
}

// --- the picture ---

static void draw_card(struct text *t, const struct coup_seat *seat, int slot)
{
    const char *role = seat->card[slot] ? coup_role_names[seat->card[slot]] : "?";
    char face[16];
    size_t n = 0;
    bool up = seat->up >> slot & 1;
    face[n++] = up ? '(' : '[';
    for (; *role; role++)
        face[n++] = *role;
    face[n++] = up ? ')' : ']';
    face[n] = 0;
    codec_write(t, " %-12s", face);
}

static const char *note_of(const struct coup_view *v, int seat)
{
    if (v->phase == COUP_PHASE_DONE && v->won >> seat & 1)
        return "winner";
    if (v->dropped >> seat & 1)
        return "left";
    if (!(v->in_play >> seat & 1))
        return "out";
    if (v->asked >> seat & 1)
        return "to answer";
    return seat == v->log.actor && v->phase != COUP_PHASE_DONE ? "acting" : "";
}

// One line for each seat: marker, name, cards, coins; [..] is face down, (..) face up.
void coup_draw(struct text *t, const struct codec_table *table, const void *view)
{
    static const char *const asked[COUP_PHASES] = {
        "a move",         "challenge the claim?", "block it?", "challenge the block?",
        "a card is lost", "cards are exchanged",  "over",
    };
    const struct coup_view *v = view;
    codec_write(t, "Coup   turn %u   %s", v->turns + (v->phase != COUP_PHASE_DONE), asked[v->phase]);
    if (v->deck_count) // not every wire has it
        codec_write(t, "   deck %d", v->deck_count);
    text_puts(t, "\n\n");
    for (int i = 0; i < v->seats; i++) {
        const char *name = codec_seat_name(table, i);
        codec_write(t, "%c %-12.24s", i == v->log.actor ? '>' : ' ', name ? name : "");
        draw_card(t, &v->seat[i], 0);
        draw_card(t, &v->seat[i], 1);
        codec_write(t, " %2d coins  %s%s\n", v->seat[i].coins, i == table->viewer ? "you " : "", note_of(v, i));
    }
    if (v->exchange[0])
        codec_write(t, "\n  drawn: [%s] [%s]\n", coup_role_names[v->exchange[0]], coup_role_names[v->exchange[1]]);
    if (v->log.action) {
        text_puts(t, "\n  ");
        say_turn(t, table, v);
        text_puts(t, "\n");
    }
}
