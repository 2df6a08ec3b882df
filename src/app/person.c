#include "app/person.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 15, LINE = 128 };

bool person_is_needed(const struct contest_plan *p)
{
    for (int i = 0; i < p->entrants; i++)
        if (strcmp(p->entrant[i].address, "person") == 0)
            return true;
    return false;
}

static void show_choice(const struct contest_plan *p, const struct codec_table *table, int number, struct game_choice c)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes);
    p->codec->describe_action(&t, table, c.first);
    printf("  %2d  %.*s", number, (int)t.size, t.at);
    if (c.max_amount > c.first.amount)
        printf(", or any amount up to %" PRId32 ": '%d AMOUNT'", c.max_amount, number);
    puts("");
}

// "3" or "3 400"; false when it is neither.
static bool read_move(const char *line, const struct game_choice *choices, int count, struct game_action *out)
{
    char *after, *end;
    long number = strtol(line, &after, 10), amount = strtol(after, &end, 10);
    if (end[strspn(end, " \t\r\n")] || number < 1 || number > count) // it cannot begin with nothing: that is 0
        return false;
    *out = choices[number - 1].first;
    if (end == after)
        return true;
    if (amount < out->amount || amount > choices[number - 1].max_amount)
        return false;
    out->amount = (int32_t)amount;
    return true;
}

struct game_action person_ask(void *plan, const struct match *m, int seat)
{
    static char words[WORDS];
    const struct contest_plan *p = plan;
    struct codec_table table = {.seat = codec_seat_names, .seats = m->seats, .viewer = seat};
    struct game_choice choices[GAME_MAX_CHOICES];
    union game_view view;
    struct text t = text_on(words, sizeof words);
    struct game_action move;
    char line[LINE];
    int count = m->game->choices(&m->state, seat, choices);
    m->game->view(&m->state, seat, &view);
    p->codec->describe_view(&t, &table, &view);
    printf("\n%.*s\n", (int)t.size, t.at);
    for (int i = 0; i < count; i++)
        show_choice(p, &table, i + 1, choices[i]);
    for (;;) {
        printf("%s> ", codec_seat_names[seat]);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            return m->game->fallback(&m->state, seat);
        if (read_move(line, choices, count, &move))
            return move;
        printf("enter a number from 1 to %d\n", count);
    }
}
