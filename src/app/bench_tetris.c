// Tetris, by frames and by placements. Neither builds a list of choices.
#include "app/bench.h"

#include "games/tetris/rules/tetris.h"

enum { MAX_DRAWS = 256 }; // until a placement is legal; between two pieces none is

// One of eight inputs, one of which is none, then a tick. Inputs that the rules refuse (a second hold) do nothing.
uint64_t bench_tetris_frames(const struct bench_case *c, struct bench_dice *dice, uint64_t units)
{
    const struct game *g = c->game;
    union game_rules rules;
    union game_state state;
    g->defaults(&rules);
    bench_start(g, &state, &rules, c->seats, dice);
    for (uint64_t done = 0; done < units; done++) {
        uint8_t input = (uint8_t)bench_draw_below(dice, TETRIS_HOLD + 1);
        if (input)
            g->apply(&state, 0, (struct game_action){.kind = input}, NULL);
        g->tick(&state, NULL);
        if (g->turn(&state).kind == TURN_OVER)
            bench_start(g, &state, &rules, c->seats, dice);
    }
    return units;
}

// Every rotation and column, prepared: an action built byte by byte cannot be loaded as a word right afterwards without
// a stall.
struct places {
    struct game_action at[4 * TETRIS_WIDTH];
};

static struct places all_places(void)
{
    struct places p;
    for (int i = 0; i < 4 * TETRIS_WIDTH; i++)
        p.at[i] = (struct game_action){.kind = TETRIS_PLACE,
                                       .arg = {(uint8_t)(i % TETRIS_WIDTH), (uint8_t)(i / TETRIS_WIDTH)}};
    return p;
}

static bool place_somewhere(const struct game *g, union game_state *state, const struct places *places,
                            struct bench_dice *dice)
{
    for (int i = 0; i < MAX_DRAWS; i++)
        if (g->apply(state, 0, places->at[bench_draw_below(dice, 4 * TETRIS_WIDTH)], NULL) == OK)
            return true;
    return false;
}

// A random rotation and column, drawn again if refused, then a tick and the view.
uint64_t bench_tetris_placements(const struct bench_case *c, struct bench_dice *dice, uint64_t units)
{
    const struct game *g = c->game;
    const struct places places = all_places();
    union game_rules rules;
    union game_state state;
    union game_view view;
    g->defaults(&rules);
    bench_start(g, &state, &rules, c->seats, dice);
    for (uint64_t done = 0; done < units;) {
        done += place_somewhere(g, &state, &places, dice); // between two pieces only time helps
        g->tick(&state, NULL);
        g->view(&state, 0, &view);
        if (g->turn(&state).kind == TURN_OVER)
            bench_start(g, &state, &rules, c->seats, dice);
    }
    return units;
}
