// Coup: moves in words. Cards are named by their roles, not by their places.
#include "codec/moves.h"
#include "games/coup/codec.h"

static const struct moves_alias aliases[] = {
    {"lose", "lose_card"}, {"return", "return_cards"}, {"aid", "foreign_aid"},
    {"accept", "pass"},    {"allow", "pass"},          {0},
};

static bool write_one(struct text *t, const struct codec_table *table, const void *view, struct game_choice c)
{
    const struct coup_view *v = view;
    (void)table;
    if (c.first.kind != COUP_LOSE_CARD)
        return false;
    codec_write(t, "lose %s", coup_role_names[v->seat[v->viewer].card[c.first.arg[0] & 1]]);
    return true;
}

static bool write_all(struct text *t, const struct codec_table *table, const void *view, const struct game_choice *list,
                      int count, const char *between)
{
    const struct coup_view *v = view;
    const char *names[4];
    uint8_t all[4];
    (void)table, (void)between;
    if (!count || list[0].first.kind != COUP_RETURN_CARDS)
        return false;
    int cards = coup_combined(&v->seat[v->viewer], v->exchange, all);
    for (int i = 0; i < cards; i++)
        names[i] = coup_role_names[all[i]];
    moves_list(t, "return two of", names, cards);
    return true;
}

static int read_role(const char *word)
{
    return moves_among(word, coup_role_names, COUP_ROLES + 1);
}

static bool read_loss(const char *word, const struct coup_view *v, struct game_action *a, struct text *why)
{
    const struct coup_seat *me = &v->seat[v->viewer];
    int role = read_role(word), slot;
    if (moves_number(word, &slot) && slot < 2) {
        a->arg[0] = (uint8_t)slot;
        return true;
    }
    for (slot = 0; role > 0 && slot < 2; slot++)
        if (me->card[slot] == role && !(me->up >> slot & 1)) {
            a->arg[0] = (uint8_t)slot;
            return true;
        }
    codec_write(why, role > 0 ? "you do not hold %s" : "lose needs one of your cards, such as \"lose %s\"",
                coup_role_names[role > 0 ? role : me->card[me->up & 1]]);
    return false;
}

// By role or by place; of two equal cards the second word takes the other.
static bool read_return(const struct moves_said *s, const struct coup_view *v, struct game_action *a, struct text *why)
{
    uint8_t all[4];
    int cards = coup_combined(&v->seat[v->viewer], v->exchange, all), found = 0;
    unsigned taken = 0;
    for (int i = s->at; i < s->count; i++) {
        int role = read_role(s->word[i]), place = -1;
        if (role <= 0 && !(moves_number(s->word[i], &place) && place >= 0 && place < cards && !(taken >> place & 1)))
            continue; // "and"
        for (int k = 0; role > 0 && k < cards; k++)
            if (all[k] == role && !(taken >> k & 1))
                place = k;
        if (place < 0) {
            codec_write(why, "you do not hold so many %s", coup_role_names[role]);
            return false;
        }
        taken |= 1u << place;
        found++;
    }
    if (found != 2 || cards < 2) {
        codec_write(why, "return needs two of your cards, such as \"return %s %s\"", coup_role_names[all[0]],
                    coup_role_names[all[1]]);
        return false;
    }
    a->arg[0] = (uint8_t)__builtin_ctz(taken);
    a->arg[1] = (uint8_t)__builtin_ctz(taken & (taken - 1));
    return true;
}

static bool read(const struct moves_said *s, const struct codec_table *table, const void *view, struct game_action *a,
                 struct text *why)
{
    const struct coup_view *v = view;
    const char *word = s->at < s->count ? s->word[s->at] : "";
    if (a->kind == COUP_LOSE_CARD)
        return read_loss(word, v, a, why);
    if (a->kind == COUP_RETURN_CARDS)
        return read_return(s, v, a, why);
    if (a->kind == COUP_BLOCK) {
        int from = s->at + (strcmp(word, "as") == 0 || strcmp(word, "with") == 0);
        int role = read_role(from < s->count ? s->word[from] : "");
        a->arg[0] = (uint8_t)(role > 0 ? role : 0);
        if (role <= 0)
            text_puts(why, "block needs the role you claim, such as \"block Duke\"");
    } else if (a->kind && a->kind <= COUP_TURN_ACTIONS && coup_acts[a->kind].targeted) {
        int from = s->at + (strcmp(word, "from") == 0 || strcmp(word, "on") == 0);
        int seat = moves_seat(s, from, table), other = v->viewer == 0;
        a->arg[0] = (uint8_t)(seat >= 0 ? seat : 0);
        if (seat < 0)
            codec_write(why, "%s needs a target, such as \"%s %s\"", coup_action_names[a->kind],
                        coup_action_names[a->kind], codec_seat_name(table, other));
    }
    return why->size == 0;
}

static void explain_turn(struct text *t, const struct codec_table *table, const struct coup_view *v,
                         struct game_action a)
{
    int coins = v->seat[v->viewer].coins, cost = coup_acts[a.kind].cost;
    if (coins >= 10 && a.kind != COUP_COUP)
        text_puts(t, "with 10 or more coins you must coup");
    else if (coins < cost)
        codec_write(t, "%s costs %d coins and you have %d", coup_action_names[a.kind], cost, coins);
    else if (coup_acts[a.kind].targeted && a.arg[0] == v->viewer)
        codec_write(t, "you cannot %s yourself", a.kind == COUP_STEAL ? "steal from" : coup_action_names[a.kind]);
    else if (coup_acts[a.kind].targeted && a.arg[0] < v->seats)
        codec_write(t, "%s is out", codec_seat_name(table, a.arg[0]));
}

static void explain_block(struct text *t, const struct codec_table *table, const struct coup_view *v, int role)
{
    static const char *const words[COUP_TURN_ACTIONS + 1] = {"",    "income",           "foreign aid", "a coup",
                                                             "tax", "an assassination", "a theft",     "an exchange"};
    const char *between = "";
    int act = v->log.action;
    if (v->phase != COUP_PHASE_BLOCK) {
        text_puts(t, "there is nothing to block now");
        return;
    }
    if (coup_acts[act].targeted && v->log.target != v->viewer) {
        codec_write(t, "only %s may block this", codec_seat_name(table, v->log.target));
        return;
    }
    codec_write(t, "%s does not block %s; ", coup_role_names[role], words[act]);
    for (int r = COUP_DUKE; r <= COUP_CONTESSA; r++)
        if (coup_acts[act].blocked_by >> r & 1) {
            codec_write(t, "%s%s", between, coup_role_names[r]);
            between = " and ";
        }
    text_puts(t, *between && __builtin_popcount(coup_acts[act].blocked_by) > 1 ? " do" : " does");
}

static const char *asked_for(const struct coup_view *v)
{
    static const char *const words[COUP_PHASES] = {
        "it is your turn: make a move",
        "there is a claim: you may only challenge or pass",
        "you may only block or pass now",
        "there is a block: you may only challenge or pass",
        "you must lose a card now",
        "you must return two cards now",
        "the game is over",
    };
    return v->phase < COUP_PHASES ? words[v->phase] : "";
}

static void explain(struct text *t, const struct codec_table *table, const void *view, struct game_action a)
{
    const struct coup_view *v = view;
    if (a.kind <= COUP_TURN_ACTIONS && v->phase == COUP_PHASE_ACTION)
        explain_turn(t, table, v, a);
    else if (a.kind == COUP_BLOCK && v->phase != COUP_PHASE_ACTION)
        explain_block(t, table, v, a.arg[0]);
    else if (a.kind == COUP_CHALLENGE && v->phase == COUP_PHASE_ACTION)
        text_puts(t, "there is no claim to challenge");
    else if (a.kind == COUP_LOSE_CARD && v->phase == COUP_PHASE_LOSE_INFLUENCE)
        text_puts(t, "that card is face up already");
    else
        text_puts(t, asked_for(v));
}

const struct codec_moves coup_moves = {
    .examples = "\"income\", \"steal seat_2\", \"block Duke\"",
    .aliases = aliases,
    .write_one = write_one,
    .write_all = write_all,
    .read = read,
    .explain = explain,
};
