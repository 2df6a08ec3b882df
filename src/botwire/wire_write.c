// Writes bodies as compact JSON, with members in the order of B10.1.
#include "botwire/internal.h"

// Every card as it is written, and who played it: most of a body is made of these.
struct piece {
    const char *text;
    size_t size;
};

#define PIECE(text)                                                                                                    \
    {                                                                                                                  \
        text, sizeof(text) - 1                                                                                         \
    }
#define CARD(rank, suit) PIECE("{\"rank\":\"" rank "\",\"suit\":\"" suit "\"}")
#define SUIT(suit)                                                                                                     \
    {                                                                                                                  \
        CARD("Seven", suit), CARD("Eight", suit), CARD("Nine", suit), CARD("Ten", suit), CARD("Jack", suit),           \
            CARD("Queen", suit), CARD("King", suit), CARD("Ace", suit)                                                 \
    }
#define PLAYED(seat) PIECE("{\"player\":\"" seat "\",\"card\":")
#define TRICK(seat)  PIECE("{\"leader\":\"" seat "\",\"trickNumber\":")

static const struct piece cards[BELOTE_SUITS][BELOTE_RANKS] = {SUIT("Clubs"), SUIT("Diamonds"), SUIT("Hearts"),
                                                               SUIT("Spades")};
static const struct piece played[BELOTE_SEATS] = {PLAYED("Bottom"), PLAYED("Left"), PLAYED("Top"), PLAYED("Right")};
static const struct piece tricks[BELOTE_SEATS] = {TRICK("Bottom"), TRICK("Left"), TRICK("Top"), TRICK("Right")};

static struct span span_of_piece(const struct piece *p)
{
    return (struct span){p->text, p->size};
}

static void write_card(struct text *t, int card)
{
    json_write_raw(t, span_of_piece(&cards[belote_suit(card)][belote_rank(card)]));
}

static void put_hand(struct text *t, const struct belote_view *v)
{
    json_begin_array_at(t, "hand");
    for (int i = 0; i < v->cards; i++)
        write_card(t, v->hand[i]);
    json_end_array(t);
}

static void put_name(struct text *t, const char *key, const char *const *names, int which, bool nulls)
{
    if (which != BELOTE_NONE)
        json_put_text(t, key, names[which]);
    else if (nulls)
        json_put_null(t, key);
}

// --- the negotiation

void wire_write_word(struct text *t, int word, int player)
{
    int type = word < BELOTE_SAY_ACCEPT ? 0 : word == BELOTE_SAY_ACCEPT ? 1 : word < BELOTE_SAY_REDOUBLE ? 2 : 3;
    static const int first[] = {BELOTE_SAY_MODE, 0, BELOTE_SAY_DOUBLE, BELOTE_SAY_REDOUBLE};
    json_begin_object(t);
    json_put_text(t, "type", wire_word_types[type]);
    if (player >= 0)
        json_put_text(t, "player", wire_seats[player]);
    if (type != 1)
        json_put_text(t, type == 0 ? "mode" : "targetMode", wire_modes[word - first[type]]);
    json_end_object(t);
}

static void write_doubles(struct text *t, const struct wire_negotiation *k)
{
    json_begin_object_at(t, "doubledModes");
    for (int mode = 0; mode < BELOTE_MODES; mode++)
        if (k->doubled >> mode & 1)
            json_put_int(t, wire_modes[mode], k->doubled_at[mode]);
    json_end_object(t);
    json_begin_array_at(t, "redoubledModes");
    for (int mode = 0; mode < BELOTE_MODES; mode++)
        if (k->redoubled >> mode & 1)
            json_write_text(t, wire_modes[mode]);
    json_end_array(t);
}

static void put_negotiation(struct text *t, const struct wire_deal *d, bool nulls)
{
    struct wire_negotiation k = wire_negotiation_of(d);
    json_begin_object_at(t, "negotiationState");
    json_put_text(t, "dealer", wire_seats[d->dealer]);
    json_put_text(t, "currentPlayer", wire_seats[k.turn]);
    put_name(t, "currentBid", wire_modes, k.bid, nulls);
    put_name(t, "currentBidder", wire_seats, k.bidder, nulls);
    json_put_int(t, "consecutiveAccepts", k.accepts);
    json_put_bool(t, "hasDoubleOccurred", k.locked); // B10.3
    json_begin_array_at(t, "actions");
    for (int i = 0; i < d->bids; i++)
        wire_write_word(t, d->bid[i], (d->dealer + 1 + i) % BELOTE_SEATS);
    json_end_array(t);
    write_doubles(t, &k);
    json_begin_object_at(t, "teamColourAnnouncements");
    for (int team = 0; team < 2; team++)
        put_name(t, wire_teams[team], wire_modes, k.colour[team], false);
    json_end_object(t);
    json_end_object(t);
}

// --- play

// Trick `number` from 0, of which `count` cards lie there. Written piece by piece: a body may have thirty of these
// cards.
static void write_trick(struct text *t, const struct wire_deal *d, int number, int count)
{
    json_write_raw(t, span_of_piece(&tricks[d->leader[number]]));
    text_put_char(t, (char)('1' + number));
    text_put(t, SPAN(",\"playedCards\":["));
    for (int i = 0; i < count; i++) {
        int card = d->play[4 * number + i];
        if (i)
            text_put_char(t, ',');
        text_put(t, span_of_piece(&played[(d->leader[number] + i) % BELOTE_SEATS]));
        text_put(t, span_of_piece(&cards[belote_suit(card)][belote_rank(card)]));
        text_put_char(t, '}');
    }
    text_put(t, count == 4 ? SPAN("],\"isComplete\":true}") : SPAN("],\"isComplete\":false}"));
}

struct tally {
    int points[2], tricks[2];
};

// B10.4: complete tricks only; the 10 of B4.2 come with the last.
static struct tally add_up(const struct wire_deal *d)
{
    struct tally sum = {{0}, {0}};
    for (int trick = 0; trick < d->plays / 4; trick++) {
        int team = belote_team(d->leader[trick + 1]);
        for (int i = 0; i < 4; i++)
            sum.points[team] += belote_card_points(d->mode, d->play[4 * trick + i]);
        sum.points[team] += trick == BELOTE_TRICKS - 1 ? 10 : 0;
        sum.tricks[team]++;
    }
    return sum;
}

static void put_hand_state(struct text *t, const struct wire_deal *d, bool nulls)
{
    struct tally sum = add_up(d);
    int complete = d->plays / 4;
    json_begin_object_at(t, "handState");
    json_put_text(t, "gameMode", wire_modes[d->mode]);
    json_put_int(t, "team1CardPoints", sum.points[0]);
    json_put_int(t, "team2CardPoints", sum.points[1]);
    json_put_int(t, "team1TricksWon", sum.tricks[0]);
    json_put_int(t, "team2TricksWon", sum.tricks[1]);
    if (complete < BELOTE_TRICKS) {
        json_key(t, "currentTrick");
        write_trick(t, d, complete, d->plays % 4);
    } else if (nulls) {
        json_put_null(t, "currentTrick");
    }
    json_begin_array_at(t, "completedTricks");
    for (int trick = 0; trick < complete; trick++)
        write_trick(t, d, trick, 4);
    json_end_array(t);
    json_end_object(t);
}

// --- the match

void wire_write_deal(struct text *t, const struct belote_deal *d, bool nulls)
{
    bool sweep = d->sweep != BELOTE_NONE;
    json_begin_object(t);
    json_put_text(t, "gameMode", wire_modes[d->mode]);
    json_put_text(t, "multiplier", wire_multipliers[d->multiplier >> 1]); // 1, 2, 4
    json_put_text(t, "announcerTeam", wire_teams[d->team]);
    json_put_int(t, "team1CardPoints", d->card_points[0]);
    json_put_int(t, "team2CardPoints", d->card_points[1]);
    json_put_int(t, "team1MatchPoints", d->match_points[0]);
    json_put_int(t, "team2MatchPoints", d->match_points[1]);
    json_put_bool(t, "wasSweep", sweep);
    put_name(t, "sweepingTeam", wire_teams, d->sweep, nulls);
    json_put_bool(t, "isInstantWin", sweep && d->mode < BELOTE_NO_TRUMPS); // B6.1
    json_end_object(t);
}

void wire_put_match(struct text *t, const char *key, const struct wire_match *m, bool nulls)
{
    json_begin_object_at(t, key);
    json_put_int(t, "targetScore", m->target);
    json_put_int(t, "team1MatchPoints", m->points[0]);
    json_put_int(t, "team2MatchPoints", m->points[1]);
    json_put_text(t, "currentDealer", wire_seats[m->dealer]);
    json_put_bool(t, "isComplete", m->complete);
    put_name(t, "winner", wire_teams, m->winner, nulls);
    json_begin_array_at(t, "completedDeals");
    for (uint32_t i = 0; i < m->count; i++)
        wire_write_deal(t, &m->deals[i], nulls);
    json_end_array(t);
    json_end_object(t);
}

// --- requests

void wire_write_create(struct text *t, int seat, const char *match, bool has_seed, int64_t seed)
{
    json_begin_object(t);
    json_put_text(t, "position", wire_seats[seat]);
    json_put_text(t, "matchId", match);
    if (has_seed)
        json_put_int(t, "seed", seed);
    json_end_object(t);
}

void wire_write_cut(struct text *t, const struct wire_match *m, bool nulls)
{
    json_begin_object(t);
    json_put_int(t, "deckSize", BELOTE_CARDS);
    wire_put_match(t, "matchState", m, nulls);
    json_end_object(t);
}

void wire_write_negotiate(struct text *t, const struct belote_view *v, const struct wire_match *m, bool nulls,
                          const struct game_choice *choices, int count)
{
    struct wire_deal d;
    wire_start_deal(&d, v->dealer);
    for (int i = 0; i < v->bids; i++)
        wire_add_bid(&d, v->bid[i]);
    json_begin_object(t);
    put_hand(t, v);
    put_negotiation(t, &d, nulls);
    wire_put_match(t, "matchState", m, nulls);
    json_begin_array_at(t, "validActions");
    for (int i = 0; i < count; i++)
        wire_write_word(t, wire_word_of(choices[i].first), -1);
    json_end_array(t);
    json_end_object(t);
}

void wire_write_choose_card(struct text *t, const struct belote_view *v, const struct wire_deal *d,
                            const struct wire_match *m, bool nulls, const struct game_choice *choices, int count)
{
    json_begin_object(t);
    put_hand(t, v);
    put_hand_state(t, d, nulls);
    wire_put_match(t, "matchState", m, nulls);
    json_begin_array_at(t, "validPlays");
    for (int i = 0; i < count; i++)
        write_card(t, choices[i].first.arg[0]);
    json_end_array(t);
    json_end_object(t);
}

void wire_write_match_notice(struct text *t, const struct wire_match *m, bool nulls)
{
    json_begin_object(t);
    wire_put_match(t, "matchState", m, nulls);
    json_end_object(t);
}

void wire_write_negotiated(struct text *t, const struct wire_deal *d, const struct wire_match *m, bool nulls)
{
    json_begin_object(t);
    put_negotiation(t, d, nulls);
    wire_put_match(t, "matchState", m, nulls);
    json_end_object(t);
}

void wire_write_played(struct text *t, const struct wire_deal *d, const struct wire_match *m, bool nulls)
{
    int last = d->plays - 1;
    json_begin_object(t);
    json_put_text(t, "player", wire_seats[(d->leader[last / 4] + last % 4) % BELOTE_SEATS]);
    json_key(t, "card");
    write_card(t, d->play[last]);
    put_hand_state(t, d, nulls);
    wire_put_match(t, "matchState", m, nulls);
    json_end_object(t);
}

void wire_write_trick(struct text *t, const struct wire_deal *d, const struct wire_match *m, bool nulls)
{
    int trick = d->plays / 4 - 1;
    json_begin_object(t);
    json_key(t, "completedTrick");
    write_trick(t, d, trick, 4);
    json_put_text(t, "winner", wire_seats[d->leader[trick + 1]]);
    put_hand_state(t, d, nulls);
    wire_put_match(t, "matchState", m, nulls);
    json_end_object(t);
}

void wire_write_ended(struct text *t, const struct wire_deal *d, const struct wire_match *m, bool nulls)
{
    json_begin_object(t);
    json_key(t, "result");
    wire_write_deal(t, &m->deals[m->count - 1], nulls);
    put_hand_state(t, d, nulls);
    wire_put_match(t, "matchState", m, nulls);
    json_end_object(t);
}

// --- answers

void wire_write_session(struct text *t, const char *id)
{
    json_begin_object(t);
    json_put_text(t, "sessionId", id);
    json_end_object(t);
}

void wire_write_answer(struct text *t, struct game_action a)
{
    if (a.kind == BELOTE_PLAY) {
        write_card(t, a.arg[0]);
        return;
    }
    if (a.kind != BELOTE_CUT) {
        wire_write_word(t, wire_word_of(a), -1);
        return;
    }
    json_begin_object(t);
    json_put_int(t, "position", a.amount);
    json_put_bool(t, "fromTop", a.arg[0]);
    json_end_object(t);
}
