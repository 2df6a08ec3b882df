// A batch of PufferLib's C Tetris as its own binding steps it: one call for all environments, their observations side
// by side. compare_python.py --puffer compiles this with the folder of its tetris.h; nothing of PufferLib is kept here.
#include "tetris.h"

#include <stdint.h>

enum { ROWS = 20, COLUMNS = 10, DECK = 3, ELEMENTS = ROWS * COLUMNS + 6 + NUM_TETROMINOES * (DECK + 1) };

struct batch {
    int envs;
    Tetris *env;
    float *observations, *rewards;
    int *actions;
    unsigned char *terminals;
};

struct batch *puffer_open(int envs);
int *puffer_actions(struct batch *b);
void puffer_step(struct batch *b);

struct batch *puffer_open(int envs)
{
    struct batch *b = calloc(1, sizeof *b);
    size_t n = (size_t)envs;
    b->envs = envs;
    b->env = calloc(n, sizeof *b->env);
    b->observations = aligned_alloc(64, (n * ELEMENTS * sizeof(float) + 63) / 64 * 64);
    b->rewards = calloc(n, sizeof *b->rewards);
    b->actions = calloc(n, sizeof *b->actions);
    b->terminals = calloc(n, sizeof *b->terminals);
    for (int i = 0; i < envs; i++) {
        Tetris *env = &b->env[i];
        env->n_rows = ROWS, env->n_cols = COLUMNS, env->deck_size = DECK;
        env->observations = b->observations + (size_t)i * ELEMENTS;
        env->actions = &b->actions[i], env->rewards = &b->rewards[i], env->terminals = &b->terminals[i];
        init(env);
        c_reset(env);
    }
    return b;
}

int *puffer_actions(struct batch *b)
{
    return b->actions;
}

void puffer_step(struct batch *b)
{
    for (int i = 0; i < b->envs; i++)
        c_step(&b->env[i]);
}
