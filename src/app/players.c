#include "app/players.h"

#include <stdio.h>
#include <string.h>

static const struct bot *get_bot(const char *command, const struct app_game *row, const char *name)
{
    const struct bot *bot = app_find_bot(row, name);
    if (bot)
        return bot;
    char known[256];
    app_name_bots(row, known, sizeof known);
    app_refuse(command, "no bot '%s' plays %s; known: %s", name, row->game->name, known);
}

struct players players_from_names(const char *command, const struct app_game *row, const char *names, int seats)
{
    struct players p = {{0}};
    int count = 0;
    if (!names)
        p.bot[count++] = row->bots[0];
    for (const char *at = names; at; count++) {
        char name[32];
        size_t size = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        const struct bot *bot = get_bot(command, row, name);
        if (count == seats) {
            app_refuse(command, "more bots than the %d seats", seats);
        }
        p.bot[count] = bot;
        at = at[size] ? at + size + 1 : NULL;
    }
    for (int s = count; s < seats; s++)
        p.bot[s] = p.bot[s - count];
    return p;
}

// Each decision has a section of its own in the stream of its seat, so that one seat's questions never shift another's.
struct game_action players_ask(const struct match *m, const struct bot *bot, int seat, float aggro)
{
    const struct game *g = m->game;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct rng stream = match_bot_stream(m, seat);
    struct rng dice = rng_section(&stream, (uint32_t)m->steps);
    g->view(&m->state, seat, &view);
    struct bot_ask ask = {.game = g,
                          .view = &view,
                          .seat = seat,
                          .seats = m->seats,
                          .choices = choices,
                          .count = g->choices(&m->state, seat, choices),
                          .fallback = g->fallback(&m->state, seat),
                          .aggro = aggro,
                          .dice = &dice};
    return bot->choose(&ask);
}

bool players_next(const struct players *p, const struct match *m, int *seat, struct game_action *a)
{
    struct game_turn turn = m->game->turn(&m->state);
    if (turn.kind == TURN_FREE && m->steps % (PLAYERS_PACE + 1) != 0)
        return false; // a move and its ticks are one round of steps
    *seat = __builtin_ctz(turn.seats);
    *a = players_ask(m, p->bot[*seat], *seat, 0.5f);
    return true;
}
