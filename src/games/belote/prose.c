#include "games/belote/prose.h"

const char *const belote_mode_names[] = {
    "ColourClubs", "ColourDiamonds", "ColourHearts", "ColourSpades", "NoTrumps", "AllTrumps", NULL};
const char *const belote_word_types[] = {"announce", "accept", "double", "redouble"};

const char *belote_card_name(int card)
{
    enum { LOWEST_RANK = 5 }; // 2 to 6 are not played
    return codec_card_name((uint8_t)(4 * (belote_rank(card) + LOWEST_RANK) + belote_suit(card)));
}

int belote_word_type(int word)
{
    return word < BELOTE_SAY_ACCEPT ? 0 : word == BELOTE_SAY_ACCEPT ? 1 : word < BELOTE_SAY_REDOUBLE ? 2 : 3;
}

int belote_word_mode(int word)
{
    static const int first[] = {BELOTE_SAY_MODE, 0, BELOTE_SAY_DOUBLE, BELOTE_SAY_REDOUBLE};
    return word == BELOTE_SAY_ACCEPT ? BELOTE_NONE : word - first[belote_word_type(word)];
}

// --- The rules

static void describe_negotiation(struct text *t, const struct belote_rules *r)
{
    text_puts(
        t, "Negotiation. Modes rise in this order: ColourClubs, ColourDiamonds, ColourHearts, ColourSpades, NoTrumps, "
           "AllTrumps. The seat after the dealer speaks first and must announce. Everybody speaks in turn: announce a "
           "mode higher than the current bid (a team may announce only one Colour mode in a deal), accept, double a "
           "mode the other team announced (not one announced before your own first announcement or accept), or "
           "redouble your team's doubled mode (never NoTrumps");
    if (r->options & BELOTE_NO_CLUBS_REDOUBLE)
        text_puts(t, " or ColourClubs");
    text_puts(
        t, "). After a double nobody may announce; neither after an opponent of the bidder has accepted NoTrumps or "
           "ColourClubs. Three accepts in a row end it. The lowest doubled mode is played, x2, or x4 if redoubled; if "
           "none is doubled, the current bid x1. Its announcer's team are the announcers. Each seat then gets three "
           "more cards and the seat after the dealer leads.\n");
}

static void describe_play(struct text *t)
{
    text_puts(
        t,
        "Cards. Strong suits (the trump suit of a Colour mode, every suit in AllTrumps) rank J 9 A T K Q 8 7 worth "
        "20 14 11 10 4 3 0 0; all others rank A T K Q J 9 8 7 worth 11 10 4 3 2 0 0 0. The last trick is worth 10 "
        "more. All in all: Colour 162, NoTrumps 130, AllTrumps 258.\n"
        "Tricks. The highest trump wins, else the highest card of the suit led; the winner leads. Follow suit; in a "
        "strong suit you must beat the winning card if you can. If you cannot follow in a Colour mode you must "
        "trump, higher than any trump there if you can and lower otherwise, unless your partner is winning with a "
        "card that is no trump or you have no trump: then, and in NoTrumps and AllTrumps, any card may be played.\n");
}

static void describe_scoring(struct text *t, const struct belote_rules *r)
{
    codec_write(
        t,
        "Scoring. In a Colour mode the team with more card points takes 16 (ColourClubs %d), in NoTrumps 52, in "
        "AllTrumps 26, times the multiplier; equal card points give nothing. AllTrumps x1 is special: announcers "
        "with 128 or less lose 26 to the others, 129 to 133 give nothing, 134 to 203 are shared (card points / 10, "
        "rounded), 204 or more take 26. ",
        r->clubs_base);
    codec_write(
        t, "All eight tricks are a sweep: AllTrumps 35, NoTrumps 90, times the multiplier; in a Colour mode a sweep ");
    if (r->colour_sweep_points)
        codec_write(t, "gives %d times the multiplier.\n", r->colour_sweep_points);
    else
        text_puts(t, "wins the match at once.\n");
    if (r->options & BELOTE_SINGLE_DEAL)
        text_puts(t, "One deal is played; the higher match points win.\n");
    else
        codec_write(
            t,
            "The first team with %d match points wins. When both get there in the same deal the target grows by "
            "100 and play goes on.\n",
            (int)r->target);
}

void belote_describe_rules(struct text *t, const void *rules, int seats)
{
    (void)seats;
    const struct belote_rules *r = rules;
    codec_write(
        t,
        "Malagasy Belote. Four seats; 0 and 2 are team 1, 1 and 3 are team 2. 32 cards, 7 to A in clubs, diamonds, "
        "hearts and spades, written like Th for the ten of hearts. Play passes to the next seat.\n"
        "Deal. The seat %s the dealer cuts the deck (position 6 to 26); each seat gets three cards and then two. "
        "The deal passes to the next seat after each deal.",
        r->options & BELOTE_CUTTER_LEFT ? "after" : "before");
    if (r->options & BELOTE_GATHER)
        text_puts(t, " The deck is not shuffled between deals: it is the tricks as they were played.");
    text_put_char(t, '\n');
    describe_negotiation(t, r);
    describe_play(t);
    describe_scoring(t, r);
    text_puts(t,
              "Answers: cut {position, from_top}, announce {mode}, accept, double {mode}, redouble {mode}, play_card "
              "{card}.\n");
}

// --- Actions and events

static const char *const spoken_modes[] = {"clubs", "diamonds", "hearts", "spades", "no trumps", "all trumps"};

static const char *mode_name(const struct codec_table *table, int mode)
{
    return table->voice == CODEC_WIRE ? belote_mode_names[mode] : spoken_modes[mode];
}

static void say_word(struct text *t, const struct codec_table *table, int word)
{
    static const char *const verbs[] = {"announces", "accepts", "doubles", "redoubles"};
    int type = belote_word_type(word);
    text_puts(t, codec_verb(table, belote_word_types[type], verbs[type]));
    if (word != BELOTE_SAY_ACCEPT)
        codec_write(t, " %s", mode_name(table, belote_word_mode(word)));
}

void belote_describe_action(struct text *t, const struct codec_table *table, struct game_action a)
{
    switch (a.kind) {
    case BELOTE_CUT:
        codec_write(t, "%s %d cards from the %s", codec_verb(table, "cut", "cuts"), (int)a.amount,
                    a.arg[0] ? "top" : "bottom");
        return;
    case BELOTE_ANNOUNCE:
        say_word(t, table, BELOTE_SAY_MODE + a.arg[0]);
        return;
    case BELOTE_ACCEPT:
        say_word(t, table, BELOTE_SAY_ACCEPT);
        return;
    case BELOTE_DOUBLE:
        say_word(t, table, BELOTE_SAY_DOUBLE + a.arg[0]);
        return;
    case BELOTE_REDOUBLE:
        say_word(t, table, BELOTE_SAY_REDOUBLE + a.arg[0]);
        return;
    case BELOTE_PLAY:
        codec_write(t, "%s %s", codec_verb(table, "play", "plays"), belote_card_name(a.arg[0]));
        return;
    case BELOTE_SET_TARGET:
        codec_write(t, "sets the target to %d", (int)a.amount);
        return;
    default:
        return;
    }
}

static void describe_deal_ended(struct text *t, const struct codec_table *table, const struct game_event *e)
{
    struct belote_deal_ended end;
    memcpy(&end, e->data, sizeof end);
    const struct belote_deal *d = &end.deal;
    codec_write(t, "deal over: %s x%d by team %d, card points %d-%d, match points %d-%d, now %d-%d",
                mode_name(table, d->mode), d->multiplier, d->team + 1, d->card_points[0], d->card_points[1],
                (int)end.gained[0], (int)end.gained[1], (int)end.points[0], (int)end.points[1]);
    if (d->sweep != BELOTE_NONE)
        codec_write(t, ", a sweep by team %d", d->sweep + 1);
}

static void describe_match_ended(struct text *t, const struct game_event *e)
{
    struct belote_match_ended end;
    memcpy(&end, e->data, sizeof end);
    if (end.team == BELOTE_NONE)
        codec_write(t, "the match is tied %d-%d", (int)end.points[0], (int)end.points[1]);
    else
        codec_write(t, "team %d wins the match, points %d-%d", end.team + 1, (int)end.points[0], (int)end.points[1]);
}

void belote_describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count)
{
    (void)count;
    const char *who = codec_seat_name(table, e->seat);
    switch (e->kind) {
    case BELOTE_DEAL_STARTED:
        codec_write(t, "deal %d, %s deals", (int)e->amount, who);
        return;
    case BELOTE_CUT_DONE:
        codec_write(t, "%s cuts %d cards from the %s", who, (int)e->amount, e->data[0] ? "top" : "bottom");
        return;
    case BELOTE_BID:
        codec_write(t, "%s ", who);
        say_word(t, table, e->data[0]);
        return;
    case BELOTE_NEGOTIATION_COMPLETED:
        codec_write(t, "%s x%d is played for team %d", mode_name(table, e->data[0]), e->data[2], e->data[1] + 1);
        return;
    case BELOTE_CARD_PLAYED:
        codec_write(t, "%s plays %s", who, belote_card_name(e->data[0]));
        return;
    case BELOTE_TRICK_COMPLETED:
        codec_write(t, "%s takes trick %d, %d points", who, e->data[0], (int)e->amount);
        return;
    case BELOTE_DEAL_ENDED:
        describe_deal_ended(t, table, e);
        return;
    case BELOTE_MATCH_ENDED:
        describe_match_ended(t, e);
        return;
    case BELOTE_DISCONNECTED:
        codec_write(t, "%s has left", who);
        return;
    default:
        return;
    }
}

// --- The situation

static void say_cards(struct text *t, const uint8_t *cards, int count)
{
    for (int i = 0; i < count; i++)
        codec_write(t, "%s%s", i ? " " : "", belote_card_name(cards[i]));
}

static void say_trick(struct text *t, const struct codec_table *table, int leader, const uint8_t *cards, int count)
{
    for (int i = 0; i < count; i++)
        codec_write(t, "%s%s %s", i ? ", " : "", codec_seat_name(table, (leader + i) % BELOTE_SEATS),
                    belote_card_name(cards[i]));
}

// The last words, as many as there is room for.
static void describe_bids(struct text *t, const struct codec_table *table, const struct belote_view *v)
{
    enum { SHOWN = 8 };
    int first = v->bids > SHOWN ? v->bids - SHOWN : 0;
    text_puts(t, v->bids ? "Bids: " : "No bid yet. ");
    if (first)
        text_puts(t, "..., ");
    for (int i = first; i < v->bids; i++) {
        codec_write(t, "%s ", codec_seat_name(table, (v->opener + i) % BELOTE_SEATS));
        say_word(t, table, v->bid[i]);
        text_puts(t, i == v->bids - 1 ? ". " : ", ");
    }
    if (v->high != BELOTE_NONE)
        codec_write(t, "Current bid: %s by %s. ", belote_mode_names[v->high], codec_seat_name(table, v->bidder));
    for (int mode = 0; mode < BELOTE_MODES; mode++)
        if (v->doubled >> mode & 1)
            codec_write(t, "%s is %sdoubled. ", belote_mode_names[mode], v->redoubled >> mode & 1 ? "re" : "");
}

static void describe_tricks(struct text *t, const struct codec_table *table, const struct belote_view *v)
{
    int lying = v->plays % 4, number = v->plays / 4;
    codec_write(t, "Contract: %s x%d by team %d. Card points %d-%d, tricks %d-%d. ", belote_mode_names[v->mode],
                v->multiplier, v->team + 1, v->card_points[0], v->card_points[1], v->won[0], v->won[1]);
    if (v->plays >= 4) {
        text_puts(t, "Last trick: ");
        say_trick(t, table, v->last_leader, v->last_trick, 4);
        codec_write(t, " (%s took it). Played before: ", codec_seat_name(table, v->last_taker));
        say_cards(t, v->play, 4 * number - 4);
        text_puts(t, number > 1 ? ". " : "nothing. ");
    }
    codec_write(t, "Trick %d: ", number + 1);
    say_trick(t, table, lying ? v->leader[number] : 0, v->play + 4 * number, lying);
    if (lying)
        codec_write(t, "; %s is winning. ", codec_seat_name(table, v->taker));
    else
        codec_write(t, "%s leads. ", codec_seat_name(table, v->turn));
}

static void describe_choices(struct text *t, const struct belote_view *v)
{
    text_puts(t, "You may: ");
    if (v->phase == BELOTE_CUT_PHASE) {
        text_puts(t, "cut at a position from 6 to 26.");
        return;
    }
    bool first = true;
    for (int word = 0; v->phase == BELOTE_BID_PHASE && word < BELOTE_WORDS; word++) {
        if (!(v->may >> word & 1))
            continue;
        codec_write(t, "%s%s", first ? "" : ", ", belote_word_types[belote_word_type(word)]);
        if (word != BELOTE_SAY_ACCEPT)
            codec_write(t, " %s", belote_mode_names[belote_word_mode(word)]);
        first = false;
    }
    for (int i = 0; v->phase == BELOTE_PLAY_PHASE && i < v->cards; i++) {
        if (!(v->may >> v->hand[i] & 1))
            continue;
        codec_write(t, "%s%s", first ? "play " : ", ", belote_card_name(v->hand[i]));
        first = false;
    }
    text_put_char(t, '.');
}

static void describe_end(struct text *t, const struct codec_table *table, const struct belote_view *v)
{
    if (v->left != BELOTE_NONE)
        codec_write(t, "%s has left. ", codec_seat_name(table, v->left));
    if (v->winner == BELOTE_NONE)
        text_puts(t, "The match is tied.");
    else
        codec_write(t, "Team %d has won the match.", v->winner + 1);
}

void belote_describe_view(struct text *t, const struct codec_table *table, const void *view)
{
    const struct belote_view *v = view;
    codec_write(t, "Belote, deal %d, dealer %s. Match points (team 1 - team 2) %d-%d, target %d. ", (int)v->deal_number,
                codec_seat_name(table, v->dealer), (int)v->points[0], (int)v->points[1], (int)v->target);
    if (v->viewer < BELOTE_SEATS) {
        codec_write(t, "You are %s, team %d, partner %s. ", codec_seat_name(table, v->viewer),
                    belote_team(v->viewer) + 1, codec_seat_name(table, (v->viewer + 2) % BELOTE_SEATS));
        if (v->cards) {
            text_puts(t, "Your hand: ");
            say_cards(t, v->hand, v->cards);
            text_puts(t, ". ");
        }
    }
    if (v->last.multiplier && v->phase != BELOTE_PLAY_PHASE)
        codec_write(t, "Last deal: %s x%d by team %d, card points %d-%d, match points %d-%d. ",
                    belote_mode_names[v->last.mode], v->last.multiplier, v->last.team + 1, v->last.card_points[0],
                    v->last.card_points[1], v->last.match_points[0], v->last.match_points[1]);
    if (v->phase == BELOTE_BID_PHASE)
        describe_bids(t, table, v);
    if (v->phase == BELOTE_PLAY_PHASE)
        describe_tricks(t, table, v);
    if (v->phase == BELOTE_DONE)
        describe_end(t, table, v);
    else if (v->turn == v->viewer && table->brief)
        text_puts(t, "It is your turn.");
    else if (v->turn == v->viewer)
        describe_choices(t, v);
    else
        codec_write(t, "%s is to %s.", codec_seat_name(table, v->turn),
                    v->phase == BELOTE_CUT_PHASE   ? "cut"
                    : v->phase == BELOTE_BID_PHASE ? "speak"
                                                   : "play");
}

// --- The picture: the viewer sits at the bottom, the others clockwise from the left.

static void draw_card(struct text *t, int card)
{
    static const char *const suits[] = {"♣", "♦", "♥", "♠"};
    if (card == BELOTE_NONE)
        text_puts(t, "[  ]");
    else
        codec_write(t, "[%c%s]", "789TJQKA"[belote_rank(card)], suits[belote_suit(card)]);
}

static void draw_seat(struct text *t, const struct codec_table *table, const struct belote_view *v, int seat)
{
    codec_write(t, "%s%s (team %d, %d cards%s)", v->turn == seat ? "> " : "", codec_seat_name(table, seat),
                belote_team(seat) + 1, v->held[seat], v->dealer == seat ? ", dealer" : "");
}

static int lying_card(const struct belote_view *v, int seat)
{
    int lying = v->plays % 4, first = v->plays - lying;
    if (v->phase != BELOTE_PLAY_PHASE || !lying)
        return BELOTE_NONE;
    int place = (seat - v->leader[first / 4] + BELOTE_SEATS) % BELOTE_SEATS;
    return place < lying ? v->play[first + place] : BELOTE_NONE;
}

static void draw_table(struct text *t, const struct codec_table *table, const struct belote_view *v, int me)
{
    const int left = (me + 1) % 4, top = (me + 2) % 4, right = (me + 3) % 4;
    text_puts(t, "              ");
    draw_seat(t, table, v, top);
    text_puts(t, "\n                    ");
    draw_card(t, lying_card(v, top));
    text_puts(t, "\n              ");
    draw_card(t, lying_card(v, left));
    text_puts(t, "        ");
    draw_card(t, lying_card(v, right));
    text_puts(t, "\n                    ");
    draw_card(t, lying_card(v, me));
    text_puts(t, "\n  left:  ");
    draw_seat(t, table, v, left);
    text_puts(t, "\n  right: ");
    draw_seat(t, table, v, right);
    text_puts(t, "\n  below: ");
    draw_seat(t, table, v, me);
    text_put_char(t, '\n');
}

void belote_draw(struct text *t, const struct codec_table *table, const void *view)
{
    const struct belote_view *v = view;
    codec_write(t, "Deal %d   team 1: %d   team 2: %d   target %d\n", (int)v->deal_number, (int)v->points[0],
                (int)v->points[1], (int)v->target);
    if (v->multiplier)
        codec_write(t, "%s x%d by team %d   card points %d-%d   tricks %d-%d\n", spoken_modes[v->mode], v->multiplier,
                    v->team + 1, v->card_points[0], v->card_points[1], v->won[0], v->won[1]);
    else if (v->high != BELOTE_NONE)
        codec_write(t, "bid: %s by %s%s\n", spoken_modes[v->high], codec_seat_name(table, v->bidder),
                    v->locked ? ", locked" : "");
    draw_table(t, table, v, table->viewer < BELOTE_SEATS ? table->viewer : 0);
    if (v->viewer >= BELOTE_SEATS)
        return;
    codec_write(t, "  %s: ", v->viewer == table->viewer ? "hand" : codec_seat_name(table, v->viewer));
    for (int i = 0; i < v->cards; i++) {
        draw_card(t, v->hand[i]);
        text_put_char(t, v->turn == v->viewer && v->phase == BELOTE_PLAY_PHASE && v->may >> v->hand[i] & 1 ? '*' : ' ');
    }
    text_put_char(t, '\n');
}
