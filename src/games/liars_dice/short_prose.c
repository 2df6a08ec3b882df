// Liar's Dice in few words: clauses and a situation (M55).
#include "codec/short_prose.h"
#include "games/liars_dice/codec.h"
#include "games/liars_dice/rules/liars_dice.h"

static enum clause_weight write_clause(struct text *t, const struct codec_table *table, const struct game_event *e,
                                       int count)
{
    struct liars_dice_challenge c;
    const char *who = short_prose_name(table, e->seat);
    (void)count;
    switch (e->kind) {
    case LIARS_DICE_BADE:
        codec_write(t, "%s %s %dx%d", who, short_prose_verb(table, e->seat, "bid", "bids"),
                    liars_dice_quantity(e->amount), liars_dice_face(e->amount));
        return CLAUSE_MINOR;
    case LIARS_DICE_CHALLENGED:
        c = liars_dice_challenge_of(e);
        codec_write(t, "%s %s %s%s %dx%d; there were %d; ", short_prose_name(table, c.challenger),
                    short_prose_verb(table, c.challenger, "challenge", "challenges"),
                    c.bidder == table->viewer ? "your" : short_prose_name(table, c.bidder),
                    c.bidder == table->viewer ? "" : "'s", liars_dice_quantity(c.bid), liars_dice_face(c.bid), c.count);
        codec_write(t, "%s %s a die", short_prose_name(table, c.loser),
                    short_prose_verb(table, c.loser, "lose", "loses"));
        return CLAUSE_MAJOR;
    case LIARS_DICE_ELIMINATED:
        codec_write(t, "%s %s out", who, short_prose_verb(table, e->seat, "are", "is"));
        return CLAUSE_MAJOR;
    case LIARS_DICE_DISCONNECTED:
        codec_write(t, "%s %s left", who, short_prose_verb(table, e->seat, "have", "has"));
        return CLAUSE_MAJOR;
    case LIARS_DICE_GAME_OVER:
        codec_write(t, "%s %s", who, short_prose_verb(table, e->seat, "win", "wins"));
        return CLAUSE_MAJOR;
    default: // the situation has the round
        return CLAUSE_SILENT;
    }
}

static void write_situation(struct text *t, const struct codec_table *table, const void *view)
{
    const struct liars_dice_view *v = view;
    codec_write(t, "Round %d, ones are %swild. ", v->round, v->wild_ones ? "" : "not ");
    if (v->viewer < v->seats && v->dice_counts[v->viewer]) {
        codec_write(t, "You are %s with", table->seat[v->viewer]);
        for (int face = 1; face <= LIARS_DICE_FACES; face++)
            for (int i = 0; i < LIARS_DICE_DICE; i++)
                if (v->dice[i] == face)
                    codec_write(t, " %d", face);
        text_puts(t, ". ");
    }
    text_puts(t, "Dice:");
    for (int s = 0; s < v->seats; s++)
        codec_write(t, "%s %s %d", s ? "," : "", table->seat[s], v->dice_counts[s]);
    codec_write(t, ", %d in all.", v->total);
    if (v->bid)
        codec_write(t, " Current bid %dx%d by %s.", liars_dice_quantity(v->bid), liars_dice_face(v->bid),
                    codec_seat_name(table, v->bidder));
}

const struct codec_short_prose liars_dice_short_prose = {
    .situation = write_situation,
    .clause = write_clause,
};
