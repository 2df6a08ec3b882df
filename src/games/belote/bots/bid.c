#include "games/belote/bots/bid.h"

#include <assert.h>

// What a card promises, in tenths of a card point, by rank 7 8 9 T J Q K A: as a trump, beside trumps, in NoTrumps, in
// AllTrumps. These, the lead and the spread are a linear fit to 12,000 deals played with open cards; what words tell
// was set by what `rules` and `calc` hold when they say them.
enum kind { TRUMP, SIDE, PLAIN, STRONG };
static const int8_t promise[4][BELOTE_RANKS] = {
    [TRUMP] = {-10, -5, 36, 16, 127, -6, 2, 27},
    [SIDE] = {-35, -40, -41, 4, -40, -42, -30, 55},
    [PLAIN] = {-22, -24, -25, 22, -22, -24, -10, 91},
    [STRONG] = {-43, -40, 21, -45, 127, -46, -49, -20},
};
enum { JACK_MORE_TRUMP = 40, JACK_MORE_STRONG = 66, TOP_TWO = 42, GUARDED_NINE = 43 };
static const int16_t by_length[BELOTE_HAND - 2] = {0, 0, 26, 82, 140, 170}; // trumps

static const uint8_t lead[BELOTE_MODES] = {11, 11, 11, 11, 10, 25};    // what the first lead brings its team
static const uint8_t spread[BELOTE_MODES] = {32, 32, 32, 32, 24, 50};  // the standard deviation that remains
static const uint8_t promised[BELOTE_MODES] = {14, 14, 14, 14, 9, 18}; // what an announcement promises of its mode

static int check_suit(unsigned ranks, enum kind kind)
{
    int sum = 0, length = __builtin_popcount(ranks);
    bool jack = ranks >> BELOTE_J & 1, nine = ranks >> BELOTE_9 & 1;
    for (unsigned rest = ranks; rest; rest &= rest - 1)
        sum += promise[kind][__builtin_ctz(rest)];
    if (kind == TRUMP)
        sum += by_length[length] + (jack ? JACK_MORE_TRUMP : 0);
    if (kind == STRONG)
        sum += jack ? JACK_MORE_STRONG : 0;
    if (kind == TRUMP || kind == STRONG)
        sum += nine && jack ? TOP_TWO : nine && length > 1 ? GUARDED_NINE : 0;
    return sum;
}

struct outlook bid_estimate(const uint8_t *hand, int cards)
{
    uint32_t set = 0;
    struct outlook o = {0};
    assert(cards <= BELOTE_HAND - 3);
    for (int i = 0; i < cards; i++)
        set |= 1u << hand[i];
    int sum[4][BELOTE_SUITS], sides = 0, plain = 0, strong = 0;
    for (int suit = 0; suit < BELOTE_SUITS; suit++) {
        unsigned ranks = set >> BELOTE_RANKS * suit & 0xFF;
        for (int kind = 0; kind < 4; kind++)
            sum[kind][suit] = check_suit(ranks, (enum kind)kind);
        sides += sum[SIDE][suit];
        plain += sum[PLAIN][suit];
        strong += sum[STRONG][suit];
    }
    for (int suit = 0; suit < BELOTE_SUITS; suit++)
        o.points[suit] = (int16_t)((sum[TRUMP][suit] + sides - sum[SIDE][suit]) / 10);
    o.points[BELOTE_NO_TRUMPS] = (int16_t)(plain / 10);
    o.points[BELOTE_ALL_TRUMPS] = (int16_t)(strong / 10);
    return o;
}

// What the seat in turn expects of a mode for its team, with all that was said.
static void expect_points(const struct belote_state *s, const struct outlook *own, int out[BELOTE_MODES])
{
    int opener = (s->dealer + 1) & 3, us = belote_team(s->turn);
    for (int mode = 0; mode < BELOTE_MODES; mode++)
        out[mode] = own->points[mode] + (belote_team(opener) == us ? lead[mode] : -lead[mode]);
    for (int i = 0; i < s->bids; i++) {
        int seat = (opener + i) & 3, word = s->bid[i];
        if (word < BELOTE_SAY_ACCEPT && seat != s->turn)
            out[word] += belote_team(seat) == us ? promised[word] : -promised[word];
    }
}

// The chance that the team takes more than half, by an approximate normal distribution.
static float chance_to_win(int mode, int points)
{
    float t = 0.5f + (float)points / (3.75f * (float)spread[mode]);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

// Match points that a contract promises to `us`.
static float value_contract(const struct belote_state *s, const int points[BELOTE_MODES], int us, int mode,
                            int multiplier, int team)
{
    enum { SHARED = 8 }; // the usual difference when both score (B6.5)
    float win = chance_to_win(mode, points[mode]);
    int stake = belote_stake(mode, s->clubs_base);
    if (mode == BELOTE_ALL_TRUMPS && multiplier == 1) {
        float announcers = team == us ? win : 1 - win, gain = SHARED * announcers - (float)stake * (1 - announcers);
        return team == us ? gain : -gain;
    }
    return (float)(stake * multiplier) * (2 * win - 1);
}

// What follows from a word if everybody accepts then (B3.12).
static float value_word(const struct belote_state *s, const int points[BELOTE_MODES], int word)
{
    int us = belote_team(s->turn);
    if (word < BELOTE_SAY_ACCEPT) {
        float value = value_contract(s, points, us, word, 1, us);
        return value < 0 ? 4.0f * value : value; // the others would double it
    }
    unsigned doubled = s->doubled, redoubled = s->redoubled;
    if (word >= BELOTE_SAY_REDOUBLE)
        redoubled |= 1u << (word - BELOTE_SAY_REDOUBLE);
    else if (word >= BELOTE_SAY_DOUBLE)
        doubled |= 1u << (word - BELOTE_SAY_DOUBLE);
    int mode = doubled ? __builtin_ctz(doubled) : s->high;
    int multiplier = redoubled >> mode & 1 ? 4 : doubled ? 2 : 1;
    return value_contract(s, points, us, mode, multiplier, s->announced[1] >> mode & 1);
}

int bid_say(const struct belote_state *s, const struct outlook *own)
{
    int points[BELOTE_MODES], best = BELOTE_SAY_ACCEPT;
    float high = -1e9f;
    expect_points(s, own, points);
    for (uint32_t rest = s->may; rest; rest &= rest - 1) {
        int word = __builtin_ctz(rest);
        float value = value_word(s, points, word) + (word == BELOTE_SAY_ACCEPT ? 1 : 0);
        if (value > high) {
            high = value;
            best = word;
        }
    }
    return best;
}

// A player who announces a mode is assumed to hold a hand for it, and a better one to double it: the points from which
// on the bid is certain, and how far below them it is still plausible.
static float chance_to_claim(const struct outlook *own, int mode, bool doubles)
{
    static const uint8_t wanted[BELOTE_MODES] = {16, 16, 16, 16, 10, 26},
                         margin[BELOTE_MODES] = {25, 25, 25, 25, 18, 44};
    float fit = 1 - (float)(wanted[mode] * (doubles ? 2 : 1) - own->points[mode]) / (float)margin[mode];
    fit = fit > 1 ? 1 : fit < 0.2f ? 0.2f : fit;
    return fit * fit * fit;
}

float bid_chance(const struct belote_state *s, const struct outlook *own, int word)
{
    if (word < BELOTE_SAY_ACCEPT)
        return chance_to_claim(own, word, false);
    if (word > BELOTE_SAY_ACCEPT)
        return chance_to_claim(own, word < BELOTE_SAY_REDOUBLE ? word - BELOTE_SAY_DOUBLE : word - BELOTE_SAY_REDOUBLE,
                               true);
    enum { TEMPER = 12 }; // match points by which choices may differ and still both be likely
    int points[BELOTE_MODES], n = 0;
    float value[BELOTE_WORDS], said = 0, high = -1e9f, sum = 0;
    expect_points(s, own, points);
    for (uint32_t rest = s->may; rest; rest &= rest - 1, n++) {
        value[n] = value_word(s, points, __builtin_ctz(rest));
        if (__builtin_ctz(rest) == word)
            said = value[n];
        high = value[n] > high ? value[n] : high;
    }
    for (int i = 0; i < n; i++) {
        float off = 1 + (high - value[i]) / TEMPER;
        sum += 1 / (off * off);
    }
    float off = 1 + (high - said) / TEMPER;
    return 1 / (off * off * sum);
}
