#include "app/move_input.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// EVERY_AMOUNT: in a range of at most so many amounts the description of each is compared.
enum { WORDS_MOST = 24, WORD_ROOM = 24, EVERY_AMOUNT = 512 };

struct words {
    int count;
    char word[WORDS_MOST][WORD_ROOM];
};

// Synonyms: what people type, and the word of the descriptions. An empty second word is left out.
static const char *const same[][2] = {
    {"one", "1"},          {"ones", "1"},    {"two", "2"},     {"twos", "2"},
    {"three", "3"},        {"threes", "3"},  {"four", "4"},    {"fours", "4"},
    {"five", "5"},         {"fives", "5"},   {"six", "6"},     {"sixes", "6"},
    {"liar", "challenge"}, {"allin", "all"}, {"shove", "all"}, {"of", ""},
    {"the", ""},           {"to", ""},       {"a", ""},        {"i", ""},
    {"with", ""},          {"goes", "go"},
};

static const char *find_synonym(const char *word)
{
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(word, same[i][0]) == 0)
            return same[i][1];
    return word;
}

// Words are runs of letters, digits and marks of names. "3x4" is two words: a number, an x and a number are a bid.
static size_t word_length(const char *s, size_t left)
{
    size_t n = 0;
    while (n < left && (isalnum((unsigned char)s[n]) || s[n] == '_' || (unsigned char)s[n] >= 0x80))
        n++;
    size_t digits = 0;
    while (digits < n && isdigit((unsigned char)s[digits]))
        digits++;
    if (digits && digits + 1 < n && s[digits] == 'x' && isdigit((unsigned char)s[digits + 1]))
        return digits;
    return n;
}

static void add_word(struct words *w, const char *s, size_t size)
{
    char word[WORD_ROOM];
    if (w->count == WORDS_MOST || size == 0)
        return;
    size = size < WORD_ROOM - 1 ? size : WORD_ROOM - 1;
    for (size_t i = 0; i < size; i++)
        word[i] = (char)tolower((unsigned char)s[i]);
    word[size] = 0;
    if (size == 3 && word[0] == '1' && word[1] == '0' && strchr("cdhs", word[2])) // a ten: "10h" is "Th"
        memmove(word, word + 1, 3), word[0] = 't';
    const char *said = find_synonym(word);
    if (*said)
        snprintf(w->word[w->count++], WORD_ROOM, "%s", said);
}

static struct words split_words(struct span s)
{
    struct words w = {0};
    for (size_t at = 0; at < s.size;) {
        at += s.at[at] == 'x' && at > 0 && isdigit((unsigned char)s.at[at - 1]);
        size_t n = word_length(s.at + at, s.size - at);
        add_word(&w, s.at + at, n);
        at += n ? n : 1;
    }
    return w;
}

static bool is_number(const char *word)
{
    return word[strspn(word, "0123456789")] == 0;
}

// "rai" abbreviates "raise", and the log writes "raises". Numbers and cards must match exactly.
static bool is_prefix(const char *typed, const char *word)
{
    size_t size = strlen(typed), whole = strlen(word);
    if (is_number(typed) || whole < 3)
        return strcmp(typed, word) == 0;
    while (size > whole && (typed[size - 1] == 's' || typed[size - 1] == 'e'))
        size--;
    return strncmp(typed, word, size) == 0;
}

static bool reads_like(const struct words *typed, const struct words *description)
{
    int at = 0;
    for (int i = 0; i < typed->count; i++, at++) {
        while (at < description->count && !is_prefix(typed->word[i], description->word[at]))
            at++;
        if (at == description->count)
            return false;
    }
    return typed->count > 0;
}

static bool is_described(const struct codec *c, const struct codec_table *table, struct game_action a,
                         const struct words *typed)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes);
    codec_describe_action(c, &t, table, a);
    struct words description = split_words(text_span(&t));
    return reads_like(typed, &description);
}

// Amounts that the typed words could mean: all of a short range, else the numbers among the words.
static int find_amounts(const struct codec *c, const struct codec_table *table, struct game_choice choice,
                        const struct words *typed, struct game_action *out)
{
    struct game_action a = choice.first;
    int found = 0;
    if ((int64_t)choice.max_amount - a.amount <= EVERY_AMOUNT) {
        for (int64_t n = a.amount; n <= choice.max_amount; n++) {
            a.amount = (int32_t)n;
            if (is_described(c, table, a, typed))
                *out = a, found++;
        }
        return found;
    }
    for (int i = 0; i < typed->count; i++) {
        int64_t n = is_number(typed->word[i]) ? strtoll(typed->word[i], NULL, 10) : -1;
        a.amount = (int32_t)n;
        if (n >= choice.first.amount && n <= choice.max_amount && is_described(c, table, a, typed))
            *out = a, found++;
    }
    return found;
}

// "3", or "3 400" with an amount of that line.
static bool read_line_number(const struct words *typed, const struct game_choice *choices, int count,
                             struct game_action *out)
{
    if (typed->count < 1 || typed->count > 2 || !is_number(typed->word[0]))
        return false;
    long number = strtol(typed->word[0], NULL, 10);
    if (number < 1 || number > count)
        return false;
    *out = choices[number - 1].first;
    if (typed->count == 1)
        return true;
    long long amount = is_number(typed->word[1]) ? strtoll(typed->word[1], NULL, 10) : -1;
    if (amount < out->amount || amount > choices[number - 1].max_amount)
        return false;
    out->amount = (int32_t)amount;
    return true;
}

static struct words without_numbers(const struct words *typed)
{
    struct words w = {0};
    for (int i = 0; i < typed->count; i++)
        if (!is_number(typed->word[i]))
            memcpy(w.word[w.count++], typed->word[i], WORD_ROOM);
    return w;
}

// With two Dukes, "turn up the Duke" matches both choices, and either is right.
static bool sounds_alike(const struct codec *c, const struct codec_table *table, struct game_action a,
                         struct game_action b)
{
    char one[512], two[512];
    struct text x = text_on(one, sizeof one), y = text_on(two, sizeof two);
    codec_describe_action(c, &x, table, a);
    codec_describe_action(c, &y, table, b);
    return span_equals(text_span(&x), text_span(&y));
}

enum move_input_result move_input_find(const struct codec *c, const struct codec_table *table,
                                       const struct game_choice *choices, int count, const char *line,
                                       struct move_input *out)
{
    struct words typed = split_words((struct span){line, strlen(line)}), name = without_numbers(&typed);
    struct game_action action = {0};
    bool needs_amount = false;
    int actions = 0;
    *out = (struct move_input){0};
    if (typed.count == 1 && read_line_number(&typed, choices, count, &out->action))
        return MOVE_INPUT_ONE;
    for (int i = 0; i < count; i++) {
        bool family = choices[i].max_amount > choices[i].first.amount;
        int n = family ? find_amounts(c, table, choices[i], &typed, &action)
                       : is_described(c, table, choices[i].first, &typed);
        if (n == 0 && family && is_described(c, table, choices[i].first, &name))
            n = 2; // its name without an amount, or with one that is out of range
        if (n == 0 ||
            (!family && out->found && sounds_alike(c, table, choices[i].first, choices[out->choice[0]].first)))
            continue;
        if (!family)
            action = choices[i].first;
        if (n == 1)
            out->action = action;
        actions += n;
        needs_amount |= n > 1;
        out->choice[out->found++] = i;
    }
    if (actions == 1)
        return MOVE_INPUT_ONE;
    if (out->found == 0)
        return read_line_number(&typed, choices, count, &out->action) ? MOVE_INPUT_ONE : MOVE_INPUT_NONE;
    return out->found == 1 && needs_amount ? MOVE_INPUT_AMOUNT : MOVE_INPUT_SEVERAL;
}

void move_input_put_choice(const struct codec *c, struct text *t, const struct codec_table *table,
                           struct game_choice choice)
{
    codec_describe_action(c, t, table, choice.first);
    if (choice.max_amount <= choice.first.amount)
        return;
    struct game_action last = choice.first;
    last.amount = choice.max_amount;
    text_puts(t, "  ...  ");
    codec_describe_action(c, t, table, last);
}
