#include "app/person.h"

#include "app/words.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 1 << 15, LINE = 128 };

bool person_is_needed(const struct contest_plan *p)
{
    for (int i = 0; i < p->entrants; i++)
        if (strcmp(p->entrant[i].address, "person") == 0)
            return true;
    return false;
}

static void show_choices(const struct contest_plan *p, const struct codec_table *table,
                         const struct game_choice *choices, int count)
{
    for (int i = 0; i < count; i++) {
        char bytes[512];
        struct text t = text_on(bytes, sizeof bytes);
        words_put_choice(p->codec, &t, table, choices[i]);
        printf("  %2d  %.*s\n", i + 1, (int)t.size, t.at);
    }
}

struct game_action person_ask(void *plan, const struct match *m, int seat)
{
    static char words[WORDS];
    const struct contest_plan *p = plan;
    struct codec_table table = {.seat = codec_seat_names, .seats = m->seats, .viewer = seat};
    struct game_choice choices[GAME_MAX_CHOICES];
    union game_view view;
    struct text t = text_on(words, sizeof words);
    struct words_match typed;
    char line[LINE];
    int count = m->game->choices(&m->state, seat, choices);
    m->game->view(&m->state, seat, &view);
    p->codec->describe_view(&t, &table, &view);
    printf("\n%.*s\n", (int)t.size, t.at);
    show_choices(p, &table, choices, count);
    for (;;) {
        printf("%s> ", codec_seat_names[seat]);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin))
            return m->game->fallback(&m->state, seat);
        enum words_found found = words_find(p->codec, &table, choices, count, line, &typed);
        if (found == WORDS_ONE)
            return typed.action;
        puts(found == WORDS_NONE     ? "that is no move here; type one of these in words, or its number:"
             : found == WORDS_AMOUNT ? "how much? add the amount:"
                                     : "that could be several moves; add a word, or type a number:");
        show_choices(p, &table, choices, count);
    }
}
