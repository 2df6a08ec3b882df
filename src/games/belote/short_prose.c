// Malagasy Belote in few words: clauses and a situation (M55).
#include "codec/short_prose.h"
#include "games/belote/codec.h"
#include "games/belote/prose.h"
#include "games/belote/rules/belote.h"

// By the teams of the viewer where there is one: "your team", "the others".
static const char *team_name(const struct codec_table *table, int team)
{
    if (table->viewer >= BELOTE_SEATS)
        return team ? "team 2" : "team 1";
    return belote_team(table->viewer) == team ? "your team" : "the others";
}

static void describe_word(struct text *t, const struct codec_table *table, int seat, int word)
{
    static const char *const verbs[][2] = {
        {"announce", "announces"}, {"accept", "accepts"}, {"double", "doubles"}, {"redouble", "redoubles"}};
    codec_write(t, "%s %s", short_prose_name(table, seat), verbs[belote_word_type(word)][seat != table->viewer]);
    if (word != BELOTE_SAY_ACCEPT)
        codec_write(t, " %s", belote_mode_names[belote_word_mode(word)]);
}

static void describe_deal(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    struct belote_deal_ended end;
    memcpy(&end, e->data, sizeof end);
    int own = table->viewer < BELOTE_SEATS ? belote_team(table->viewer) : 0;
    codec_write(t, "deal over: card points %d-%d, %s %d, %s %d, match %d-%d", end.deal.card_points[own],
                end.deal.card_points[!own], team_name(table, own), (int)end.gained[own], team_name(table, !own),
                (int)end.gained[!own], (int)end.points[own], (int)end.points[!own]);
}

static enum clause_weight write_clause(struct text *t, const struct codec_table *table, const struct game_event *e,
                                       int count)
{
    (void)count;
    switch (e->kind) {
    case BELOTE_DEAL_STARTED:
        codec_write(t, "deal %d, %s %s", (int)e->amount, short_prose_name(table, e->seat),
                    short_prose_verb(table, e->seat, "deal", "deals"));
        return CLAUSE_MINOR;
    case BELOTE_BID:
        describe_word(t, table, e->seat, e->data[0]);
        return CLAUSE_MINOR;
    case BELOTE_NEGOTIATION_COMPLETED:
        codec_write(t, "%s x%d is played for %s", belote_mode_names[e->data[0]], e->data[2],
                    team_name(table, e->data[1]));
        return CLAUSE_MAJOR;
    case BELOTE_CARD_PLAYED:
        codec_write(t, "%s %s %s", short_prose_name(table, e->seat), short_prose_verb(table, e->seat, "play", "plays"),
                    belote_card_name(e->data[0]));
        return CLAUSE_MINOR;
    case BELOTE_TRICK_COMPLETED:
        codec_write(t, "%s %s the trick", short_prose_name(table, e->seat),
                    short_prose_verb(table, e->seat, "take", "takes"));
        return CLAUSE_MINOR;
    case BELOTE_DEAL_ENDED:
        describe_deal(t, table, e);
        return CLAUSE_MAJOR;
    case BELOTE_DISCONNECTED:
        codec_write(t, "%s has left", codec_seat_name(table, e->seat));
        return CLAUSE_MAJOR;
    default: // the cut; the end has a text of its own
        return CLAUSE_SILENT;
    }
}

static void say_cards(struct text *t, const uint8_t *cards, int count)
{
    for (int i = 0; i < count; i++)
        codec_write(t, " %s", belote_card_name(cards[i]));
}

static void say_bids(struct text *t, const struct codec_table *table, const struct belote_view *v)
{
    if (v->high == BELOTE_NONE)
        text_puts(t, " No bid yet.");
    else
        codec_write(t, " Current bid: %s by %s.", belote_mode_names[v->high], short_prose_name(table, v->bidder));
    for (int mode = 0; mode < BELOTE_MODES; mode++)
        if (v->doubled >> mode & 1)
            codec_write(t, " %s is %sdoubled.", belote_mode_names[mode], v->redoubled >> mode & 1 ? "re" : "");
}

static void say_play(struct text *t, const struct codec_table *table, const struct belote_view *v, int own)
{
    int lying = v->plays % 4, first = v->plays - lying;
    codec_write(t, " Card points %d-%d, tricks %d-%d.", v->card_points[own], v->card_points[!own], v->won[own],
                v->won[!own]);
    if (first) {
        text_puts(t, " Played:");
        say_cards(t, v->play, first);
        text_put_char(t, '.');
    }
    if (lying) {
        text_puts(t, " On the table:");
        say_cards(t, v->play + first, lying);
        codec_write(t, "; winning: %s's %s.", codec_seat_name(table, v->taker), belote_card_name(v->best));
    } else {
        text_puts(t, v->turn == v->viewer ? " You lead." : "");
    }
}

static void write_situation(struct text *t, const struct codec_table *table, const void *view)
{
    const struct belote_view *v = view;
    int own = v->viewer < BELOTE_SEATS ? belote_team(v->viewer) : 0;
    codec_write(t, "Deal %d", (int)v->deal_number);
    if (v->phase == BELOTE_PLAY_PHASE)
        codec_write(t, ", %s x%d by %s, trick %d", belote_mode_names[v->mode], v->multiplier, team_name(table, v->team),
                    v->plays / 4 + 1);
    codec_write(t, ". Match %d-%d of %d.", (int)v->points[own], (int)v->points[!own], (int)v->target);
    if (v->viewer < BELOTE_SEATS) {
        codec_write(t, " You are %s, partner %s.", codec_seat_name(table, v->viewer),
                    codec_seat_name(table, (v->viewer + 2) % BELOTE_SEATS));
        if (v->cards) {
            text_puts(t, " Your hand");
            say_cards(t, v->hand, v->cards);
            text_put_char(t, '.');
        }
    }
    if (v->phase == BELOTE_BID_PHASE)
        say_bids(t, table, v);
    if (v->phase == BELOTE_PLAY_PHASE)
        say_play(t, table, v, own);
}

const struct codec_short_prose belote_short_prose = {
    .situation = write_situation,
    .clause = write_clause,
};
