// Malagasy Belote: moves in words.
#include "codec/moves.h"
#include "games/belote/codec.h"
#include "games/belote/prose.h"
#include "games/belote/rules/belote.h"

static const struct moves_alias aliases[] = {
    {"play", "play_card"}, {"pass", "accept"}, {"bid", "announce"}, {"contre", "double"}, {0}};

static bool write_one(struct text *t, const struct codec_table *table, const void *view, struct game_choice c)
{
    (void)table, (void)view;
    if (c.first.kind == BELOTE_PLAY)
        codec_write(t, "play %s", belote_card_name(c.first.arg[0]));
    else if (c.first.kind == BELOTE_CUT && c.max_amount == c.first.amount)
        codec_write(t, "cut %d", c.first.amount);
    else
        return false;
    return true;
}

// "colourclubs", "clubs"; "colour clubs" is two words.
static int read_mode(const struct moves_said *s)
{
    char word[2 * MOVES_WORD] = "";
    struct text t = text_on(word, sizeof word - 1);
    enum { COLOUR = 6 };
    for (int i = s->at; i < s->count && i < s->at + 2; i++)
        text_puts(&t, s->word[i]);
    for (int mode = 0; mode < BELOTE_MODES; mode++) {
        const char *bare = belote_mode_names[mode] + (mode < BELOTE_NO_TRUMPS ? COLOUR : 0);
        if (moves_among(word, &belote_mode_names[mode], 1) == 0 || moves_among(word, &bare, 1) == 0)
            return mode;
    }
    return -1;
}

static int read_card(const char *word)
{
    for (int card = 0; card < BELOTE_CARDS; card++) {
        const char *name = belote_card_name(card);
        if (moves_among(word, &name, 1) == 0 ||
            (word[0] == '1' && word[1] == '0' && name[0] == 'T' && word[2] == name[1]))
            return card;
    }
    return -1;
}

static bool read_cut(const char *word, struct game_action *a, struct text *why)
{
    int position = 0;
    if (!moves_number(word, &position))
        text_puts(why, "cut needs a number from 6 to 26, such as \"cut 16\"");
    a->arg[0] = 1; // from the top
    a->amount = position;
    return why->size == 0;
}

static bool read(const struct moves_said *s, const struct codec_table *table, const void *view, struct game_action *a,
                 struct text *why)
{
    const char *word = s->at < s->count ? s->word[s->at] : "";
    int mode = read_mode(s), card = read_card(word);
    (void)table, (void)view;
    if (!a->kind && card >= 0)
        a->kind = BELOTE_PLAY;
    switch (a->kind) {
    case BELOTE_CUT:
        return read_cut(word, a, why);
    case BELOTE_ANNOUNCE:
    case BELOTE_DOUBLE:
    case BELOTE_REDOUBLE:
        if (mode < 0)
            text_puts(why, "a mode is needed: Clubs, Diamonds, Hearts, Spades, NoTrumps or AllTrumps");
        a->arg[0] = (uint8_t)(mode < 0 ? 0 : mode);
        return mode >= 0;
    case BELOTE_PLAY:
        if (card < 0)
            codec_write(why, *word ? "there is no card \"%s\"" : "play needs a card, such as \"play Tc\"%s", word);
        a->arg[0] = (uint8_t)(card < 0 ? 0 : card);
        return card >= 0;
    default:
        return a->kind;
    }
}

static bool holds(const struct belote_view *v, int card)
{
    for (int i = 0; i < v->cards; i++)
        if (v->hand[i] == card)
            return true;
    return false;
}

static bool holds_suit(const struct belote_view *v, int suit)
{
    for (int i = 0; i < v->cards; i++)
        if (belote_suit(v->hand[i]) == suit)
            return true;
    return false;
}

static void explain_card(struct text *t, const struct belote_view *v, int card)
{
    static const char *const suits[] = {"clubs", "diamonds", "hearts", "spades"};
    const char *name = belote_card_name(card);
    int led = v->plays % 4 ? belote_suit(v->play[v->plays - v->plays % 4]) : BELOTE_SUITS;
    if (!holds(v, card))
        codec_write(t, "you do not hold %s", name);
    else if (led < BELOTE_SUITS && belote_suit(card) != led && holds_suit(v, led))
        codec_write(t, "%s does not follow suit; you have %s", name, suits[led]);
    else if (led < BELOTE_SUITS && belote_suit(card) == led)
        codec_write(t, "%s is too low: you must beat %s if you can", name, belote_card_name(v->best));
    else
        codec_write(t, "you cannot follow and must trump, higher than what lies there if you can");
}

static void explain_word(struct text *t, const struct belote_view *v, struct game_action a)
{
    if (a.kind == BELOTE_ACCEPT && v->high == BELOTE_NONE)
        text_puts(t, "the first to speak must announce");
    else if (a.kind == BELOTE_ANNOUNCE && v->high != BELOTE_NONE && a.arg[0] <= v->high)
        codec_write(t, "%s is not above the current bid, %s", belote_mode_names[a.arg[0]], belote_mode_names[v->high]);
    else if (a.kind == BELOTE_ANNOUNCE)
        text_puts(t, "you may not announce that any more");
    else if (a.kind == BELOTE_DOUBLE)
        codec_write(t, "you may not double %s", belote_mode_names[a.arg[0]]);
    else if (a.kind == BELOTE_REDOUBLE)
        codec_write(t, "you may not redouble %s", belote_mode_names[a.arg[0]]);
}

static void explain(struct text *t, const struct codec_table *table, const void *view, struct game_action a)
{
    static const char *const asked[] = {"cut the deck now", "the negotiation is on", "play a card now", "it is over"};
    const struct belote_view *v = view;
    (void)table;
    if (a.kind == BELOTE_PLAY && v->phase == BELOTE_PLAY_PHASE)
        explain_card(t, v, a.arg[0]);
    else if (a.kind == BELOTE_CUT && v->phase == BELOTE_CUT_PHASE)
        text_puts(t, "a cut is at 6 to 26");
    else if (v->phase == BELOTE_BID_PHASE && a.kind >= BELOTE_ANNOUNCE && a.kind <= BELOTE_REDOUBLE)
        explain_word(t, v, a);
    else if (v->phase <= BELOTE_DONE)
        text_puts(t, asked[v->phase]);
}

const struct codec_moves belote_moves = {
    .examples = "\"announce Hearts\", \"accept\", \"play Tc\"",
    .aliases = aliases,
    .write_one = write_one,
    .read = read,
    .explain = explain,
};
