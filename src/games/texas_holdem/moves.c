// Texas Hold'em: moves in words.
#include "codec/moves.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

static const struct moves_alias aliases[] = {
    {"bet", "raise"}, {"raiseto", "raise"}, {"betto", "raise"}, {"goallin", "allin"}, {"shove", "allin"}, {0},
};

static int32_t whole_stack(const struct texas_holdem_view *v)
{
    return v->bet[v->viewer] + v->chips[v->viewer];
}

static bool write_one(struct text *t, const struct codec_table *table, const void *view, struct game_choice c)
{
    (void)table;
    if (c.first.kind != HOLDEM_ALLIN)
        return false;
    codec_write(t, "allin %d", whole_stack(view));
    return true;
}

static bool read(const struct moves_said *s, const struct codec_table *table, const void *view, struct game_action *a,
                 struct text *why)
{
    const struct texas_holdem_view *v = view;
    const char *amount = s->at < s->count ? s->word[s->at] : "";
    int value;
    (void)table;
    if (a->kind == HOLDEM_CALL)
        a->amount = v->to_call < v->chips[v->viewer] ? v->to_call : v->chips[v->viewer];
    if (a->kind != HOLDEM_RAISE)
        return a->kind;
    if (!*amount)
        codec_write(why, "raise needs an amount, your total in this round, such as \"raise %d\"",
                    v->min_raise_to ? v->min_raise_to : 400);
    else if (!moves_number(amount, &value))
        codec_write(why, "\"%s\" is no whole number of chips", amount);
    else
        a->amount = value;
    return why->size == 0;
}

static void explain_raise(struct text *t, const struct texas_holdem_view *v, int32_t amount)
{
    if (!v->min_raise_to && v->bet[v->viewer] + v->to_call >= whole_stack(v))
        text_puts(t, "you have too few chips to raise");
    else if (!v->min_raise_to)
        text_puts(t, "nobody may raise after an all-in that was no full raise");
    else if (amount < v->min_raise_to)
        codec_write(t, "the smallest raise is %d (your total in this round)", v->min_raise_to);
    else
        codec_write(t, "the largest raise is %d, all you have", v->max_raise_to);
}

static void explain(struct text *t, const struct codec_table *table, const void *view, struct game_action a)
{
    const struct texas_holdem_view *v = view;
    (void)table;
    if (a.kind == HOLDEM_RAISE)
        explain_raise(t, v, a.amount);
    else if (a.kind == HOLDEM_CHECK && v->to_call)
        codec_write(t, "you cannot check, there is a bet of %d to call", v->to_call);
    else if (a.kind == HOLDEM_CALL && !v->to_call)
        text_puts(t, "there is nothing to call");
    else if (a.kind == HOLDEM_FOLD && !v->to_call)
        text_puts(t, "there is nothing to fold against, checking is free");
}

const struct codec_moves texas_holdem_moves = {
    .examples = "\"call\", \"raise 400\"",
    .aliases = aliases,
    .write_one = write_one,
    .read = read,
    .explain = explain,
};
