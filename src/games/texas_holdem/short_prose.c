// Texas Hold'em in few words: clauses and a situation (M55, M58).
#include "codec/short_prose.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

static void write_rules(struct text *t, const void *rules, int seats)
{
    const struct texas_holdem_rules *h = rules;
    (void)seats;
    codec_write(t, "%d hand%s, ", h->max_hands, h->max_hands == 1 ? "" : "s");
    if (h->stacks[0])
        text_puts(t, "stacks as shown");
    else
        codec_write(t, "%d chips each", h->starting_chips);
    codec_write(t,
                ", stacks carry over. The largest stack after the last hand wins; a player without chips is out. "
                "Blinds %d/%d",
                h->small_blind, h->big_blind);
    if (h->blinds_double_at && h->blinds_double_at <= h->max_hands)
        codec_write(t, ", doubled from hand %d on", h->blinds_double_at);
    if (h->ante)
        codec_write(t, ", ante %d", h->ante);
    text_puts(
        t, ". Cards are rank and suit: Tc is the ten of clubs.\n"
           "Moves: fold | check | call | raise N | allin. N is your total bet in this betting round, not the increase. "
           "A raise is at least the last raise (at first the big blind) above the current bet. After an all-in "
           "smaller than a full raise the others may only fold, call or go all-in.\n"
           "The button moves clockwise every hand; the blinds are left of it. With two players the button posts the "
           "small blind, acts first preflop and last afterwards. A player all-in for less competes only for what he "
           "matched; the rest is a side pot. Equal hands split; odd chips go clockwise from left of the button.\n");
}

static void say_cards(struct text *t, const uint8_t *cards, int count)
{
    for (int i = 0; i < count; i++)
        codec_write(t, " %s", codec_card_name(cards[i]));
}

static void describe_action(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    static const char *const verbs[][2] = {
        [HOLDEM_FOLD] = {"fold", "folds"},
        [HOLDEM_CHECK] = {"check", "checks"},
        [HOLDEM_CALL] = {"call", "calls"},
        [HOLDEM_RAISE] = {"raise to", "raises to"},
        [HOLDEM_ALLIN] = {"go all-in to", "goes all-in to"},
        [HOLDEM_POST_SMALL] = {"post", "posts"},
        [HOLDEM_POST_BIG] = {"post", "posts"},
    };
    int action = holdem_played_of(e).action;
    codec_write(t, "%s %s", short_prose_name(table, e->seat), verbs[action][e->seat != table->viewer]);
    if (e->amount)
        codec_write(t, " %d", e->amount);
}

static void describe_result(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    struct holdem_result r = holdem_result_of(e);
    const char *between = "";
    for (int i = 1; i < count; i++) {
        if (e[i].kind != HOLDEM_EVENT_HANDS)
            continue;
        struct holdem_hands hands = holdem_hands_of(&e[i]);
        text_puts(t, "showdown: ");
        for (int seat = 0; seat < table->seats; seat++)
            if (hands.live & SEAT(seat)) {
                codec_write(t, "%s%s", between, short_prose_name(table, seat));
                say_cards(t, hands.cards[seat], 2);
                codec_write(t, " (%s)", texas_holdem_hand_name(hands.strength[seat]));
                between = ", ";
            }
        between = "; ";
    }
    for (int i = 0; i < r.winners; i++) {
        codec_write(t, "%s%s %s %d", between, short_prose_name(table, r.winner[i]),
                    short_prose_verb(table, r.winner[i], "win", "wins"), r.payout[r.winner[i]]);
        between = ", ";
    }
}

static enum clause_weight write_clause(struct text *t, const struct codec_table *table, const struct game_event *e,
                                       int count)
{
    switch (e->kind) {
    case HOLDEM_EVENT_NEW_HAND:
        codec_write(t, "hand %d, %s %s the button", e->amount, short_prose_name(table, e->seat),
                    short_prose_verb(table, e->seat, "have", "has"));
        return CLAUSE_MINOR;
    case HOLDEM_EVENT_ACTION:
        describe_action(t, table, e);
        return CLAUSE_MINOR;
    case HOLDEM_EVENT_COMMUNITY: {
        struct holdem_street s = holdem_street_of(e);
        text_puts(t, texas_holdem_phases[s.phase]);
        say_cards(t, s.cards, s.count);
        return CLAUSE_MINOR;
    }
    case HOLDEM_EVENT_RESULT:
        describe_result(t, table, e, count);
        return CLAUSE_MAJOR;
    case HOLDEM_EVENT_DROPPED:
        codec_write(t, "%s %s left", short_prose_name(table, e->seat), short_prose_verb(table, e->seat, "have", "has"));
        return CLAUSE_MAJOR;
    default: // the end has a text of its own
        return CLAUSE_SILENT;
    }
}

static void say_stacks(struct text *t, const struct codec_table *table, const struct texas_holdem_view *v, bool folded)
{
    const char *between = folded ? "; folded:" : "Stacks:";
    for (int i = 0; i < v->seats; i++) {
        if ((v->status[i] == HOLDEM_FOLDED) != folded || v->status[i] == HOLDEM_BUSTED)
            continue;
        codec_write(t, "%s %s%s %d", between, table->seat[i], i == v->viewer ? " (you)" : "", v->chips[i]);
        if (v->bet[i] && !folded)
            codec_write(t, " bet %d", v->bet[i]);
        if (v->status[i] == HOLDEM_ALL_IN)
            text_puts(t, " all-in");
        between = ",";
    }
}

static void write_situation(struct text *t, const struct codec_table *table, const void *view)
{
    const struct texas_holdem_view *v = view;
    codec_write(t, "Hand %u of %u, %s", v->hand, v->hands_total, texas_holdem_phases[v->phase]);
    say_cards(t, v->board, v->board_count);
    codec_write(t, ", blinds %d/%d, pot %d.", v->small_blind, v->big_blind, v->pot);
    if (v->viewer < v->seats && v->hole[0] != CARD_NONE) {
        text_puts(t, " Your cards");
        say_cards(t, v->hole, 2);
        text_puts(t, ".");
    }
    text_put_char(t, ' ');
    say_stacks(t, table, v, false);
    say_stacks(t, table, v, true);
    codec_write(t, ". Button %s.", codec_seat_name(table, v->button));
}

const struct codec_short_prose texas_holdem_short_prose = {
    .rules = write_rules,
    .situation = write_situation,
    .clause = write_clause,
};
