// Coup in few words: rules, clauses, a situation (M55, M59).
#include "codec/short_prose.h"
#include "games/coup/codec.h"

static void write_rules(struct text *t, const void *rules, int seats)
{
    const struct coup_rules *r = rules;
    bool alike = true;
    for (int i = 1; i < seats && i < COUP_MAX_SEATS; i++)
        alike &= r->coins[i] == r->coins[0];
    text_puts(t,
              "Be the last player with a hidden card. The deck has three each of Duke, Assassin, Captain, Ambassador, "
              "Contessa. Everybody starts with two hidden cards and ");
    if (alike)
        codec_write(t, "%d coins", r->coins[0]);
    else
        text_puts(t, "some coins");
    text_puts(t,
              ". A lost card is turned face up for good.\nOn your turn make one move:\n"
              "- income: take 1 coin.\n"
              "- foreign_aid: take 2 coins; any Duke blocks.\n"
              "- tax: claim Duke, take 3 coins.\n"
              "- steal TARGET: claim Captain, take up to 2 coins; the target's Captain or Ambassador blocks.\n"
              "- assassinate TARGET: claim Assassin, pay 3 coins, the target loses a card; the target's Contessa "
              "blocks. The coins are spent even if blocked.\n"
              "- exchange: claim Ambassador, draw two cards, return two.\n"
              "- coup TARGET: pay 7 coins, the target loses a card. Nothing stops it. With 10 or more coins you must "
              "coup.\n"
              "You may claim any card, held or not. After a claim the others may challenge. A true claim: the "
              "challenger loses a card and the claimant replaces the shown one. A lie: the liar loses a card and the "
              "move, or the block, fails. Blocks are claims too and can be challenged. ");
    text_puts(t,
              r->windows == COUP_WINDOWS_DETERMINISTIC
                  ? "If several players challenge or block at once, the first one clockwise from the claimant counts.\n"
                  : "The first challenge or block to arrive counts.\n");
    codec_write(t, "After %d turns the player with the most cards wins.\n", COUP_TURN_CAP);
}

static void describe_act(struct text *t, const struct codec_table *table, int who, struct coup_fact f)
{
    const char *target = short_prose_name(table, f.target);
    const char *claim = short_prose_verb(table, who, "claim", "claims"),
               *pay = short_prose_verb(table, who, "pay", "pays");
    switch (f.action) {
    case COUP_INCOME:
        text_puts(t, short_prose_verb(table, who, "take income", "takes income"));
        return;
    case COUP_FOREIGN_AID:
        text_puts(t, short_prose_verb(table, who, "ask for foreign aid", "asks for foreign aid"));
        return;
    case COUP_TAX:
        codec_write(t, "%s Duke: tax", claim);
        return;
    case COUP_EXCHANGE:
        codec_write(t, "%s Ambassador: exchange", claim);
        return;
    case COUP_STEAL:
        codec_write(t, "%s Captain: steal from %s", claim, target);
        return;
    case COUP_ASSASSINATE:
        codec_write(t, "%s Assassin, %s 3: assassinate %s", claim, pay, target);
        return;
    case COUP_COUP:
        codec_write(t, "%s 7: coup on %s", pay, target);
        return;
    default:
        return;
    }
}

// What is not said by the action itself.
static bool describe_effect(struct text *t, const struct codec_table *table, int who, struct coup_fact f)
{
    if (f.action == COUP_STEAL)
        codec_write(t, "%s %d from %s", short_prose_verb(table, who, "take", "takes"), f.stolen,
                    short_prose_name(table, f.target));
    else if (f.action == COUP_FOREIGN_AID || f.action == COUP_TAX)
        codec_write(t, "%s %d coins", short_prose_verb(table, who, "have", "has"), f.coins);
    else
        return false;
    return true;
}

static enum clause_weight write_clause(struct text *t, const struct codec_table *table, const struct game_event *e,
                                       int count)
{
    struct coup_fact f = coup_event_fact(e);
    int who = e->seat;
    size_t before = t->size;
    (void)count;
    if (e->kind == COUP_EVENT_BLOCK_ACCEPTED) {
        text_puts(t, "the block stands");
        return CLAUSE_MINOR;
    }
    if (e->kind == COUP_EVENT_GAME_OVER && who == COUP_NOBODY) {
        text_puts(t, "the match is a draw");
        return CLAUSE_MAJOR;
    }
    codec_write(t, "%s ", short_prose_name(table, who));
    switch (e->kind) {
    case COUP_EVENT_ACTION:
        describe_act(t, table, who, f);
        return CLAUSE_MINOR;
    case COUP_EVENT_CHALLENGE:
    case COUP_EVENT_CHALLENGE_BLOCK:
        codec_write(t, "%s %s%s %s", short_prose_verb(table, who, "challenge", "challenges"),
                    f.other == table->viewer ? "your" : short_prose_name(table, f.other),
                    f.other == table->viewer ? "" : "'s", coup_role_names[f.role]);
        return CLAUSE_MINOR;
    case COUP_EVENT_CHALLENGE_RESULT:
    case COUP_EVENT_CHALLENGE_BLOCK_RESULT:
        if (f.result == COUP_FAIL)
            codec_write(t, "%s %s and %s a new card", short_prose_verb(table, who, "show", "shows"),
                        coup_role_names[f.card], short_prose_verb(table, who, "draw", "draws"));
        else
            text_puts(t, short_prose_verb(table, who, "were bluffing", "was bluffing"));
        return CLAUSE_MAJOR;
    case COUP_EVENT_BLOCK:
        codec_write(t, "%s, claiming %s", short_prose_verb(table, who, "block", "blocks"), coup_role_names[f.role]);
        return CLAUSE_MINOR;
    case COUP_EVENT_INFLUENCE_LOST:
        codec_write(t, "%s %s", short_prose_verb(table, who, "lose", "loses"), coup_role_names[f.card]);
        return CLAUSE_MAJOR;
    case COUP_EVENT_PLAYER_ELIMINATED:
        text_puts(t, short_prose_verb(table, who, "are out", "is out"));
        return CLAUSE_MAJOR;
    case COUP_EVENT_PLAYER_DISCONNECTED:
        text_puts(t, short_prose_verb(table, who, "have left", "has left"));
        return CLAUSE_MAJOR;
    case COUP_EVENT_EXCHANGE_DRAW:
        text_puts(t, short_prose_verb(table, who, "draw two cards", "draws two cards"));
        return CLAUSE_MINOR;
    case COUP_EVENT_EXCHANGE_COMPLETE:
        text_puts(t, short_prose_verb(table, who, "return two cards", "returns two cards"));
        return CLAUSE_MINOR;
    case COUP_EVENT_ACTION_RESOLVED:
        if (describe_effect(t, table, who, f))
            return CLAUSE_MINOR;
        break;
    case COUP_EVENT_GAME_OVER:
        text_puts(t, short_prose_verb(table, who, "win", "wins"));
        return CLAUSE_MAJOR;
    default: // passes
        break;
    }
    t->size = before; // the name that was written above goes too
    return CLAUSE_SILENT;
}

static void say_cards(struct text *t, const struct coup_seat *seat, unsigned slots)
{
    const char *between = "";
    for (int slot = 0; slot < 2; slot++)
        if (slots >> slot & 1) {
            codec_write(t, "%s%s", between, coup_role_names[seat->card[slot]]);
            between = " and ";
        }
}

static void write_situation(struct text *t, const struct codec_table *table, const void *view)
{
    const struct coup_view *v = view;
    codec_write(t, "Turn %u. ", v->turns + (v->phase != COUP_PHASE_DONE));
    if (v->viewer < v->seats) {
        const struct coup_seat *me = &v->seat[v->viewer];
        codec_write(t, "You are %s", codec_seat_name(table, v->viewer));
        if (me->up != 3) {
            codec_write(t, ": %d coins, hidden ", me->coins);
            say_cards(t, me, ~me->up & 3u);
        } else {
            text_puts(t, " and out");
        }
        text_puts(t, ". ");
    }
    const char *between = "";
    for (int i = 0; i < v->seats; i++) {
        const struct coup_seat *seat = &v->seat[i];
        if (i == v->viewer)
            continue;
        codec_write(t, "%s%s ", between, codec_seat_name(table, i));
        if (v->in_play >> i & 1)
            codec_write(t, "%d coins, %d card%s", seat->coins, coup_influence(seat), seat->up ? "" : "s");
        else
            text_puts(t, "out");
        if (seat->up) {
            text_puts(t, ", lost ");
            say_cards(t, seat, seat->up);
        }
        between = "; ";
    }
    text_puts(t, ".");
}

const struct codec_short_prose coup_short_prose = {
    .rules = write_rules,
    .situation = write_situation,
    .clause = write_clause,
};
