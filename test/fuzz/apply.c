// Any bytes drive any game: which one, how many seats, which rules, then whatever anybody might try. Nothing crashes,
// what is refused leaves every byte, and the invariants hold.
//
//   game, seats, scenario, patches of the rules: count, (offset 2, value)...
//   then per step a byte for what is done and the bytes it needs; what is missing at the end is 0
//
// libFuzzer has the main function; built with -DFUZZ_STANDALONE this file has one that replays the files it is given.
#include "games_found.h"
#include "support_input.h"

#include "game/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENSURE(c)                                                                                                      \
    do {                                                                                                               \
        if (!(c)) {                                                                                                    \
            fprintf(stderr, "%s: %s:%d: %s\n", p->game->name, __FILE__, __LINE__, #c);                                 \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { STEPS_MAX = 2000, PATCHES_MAX = 16 };

struct play {
    const struct game *game;
    struct input in;
    int seats;
    union game_rules rules;
    union game_state state, before;
    union game_history history, history_before;
    struct game_events happened;
    struct game_tokens tokens;
};

static const struct game *take_game(struct input *in)
{
    int count = 0;
    while (games_found[count])
        count++;
    return games_found[take(in) % count];
}

static int count_names(const char *const *names)
{
    int n = 0;
    while (names[n])
        n++;
    return n;
}

// Most seats are those of the table; some belong to nobody.
static int take_seat(struct play *p)
{
    uint8_t byte = take(&p->in);
    return byte < 224 ? byte % p->seats : (int)(int8_t)byte + (byte < 240 ? 40 : 0);
}

static void ensure_state(struct play *p)
{
    const struct game *g = p->game;
    const char *broken = g->check(&p->state);
    if (broken)
        fprintf(stderr, "%s\n", broken);
    ENSURE(!broken);
    struct game_turn t = g->turn(&p->state);
    ENSURE(t.kind <= TURN_FREE && t.seats < SEAT(p->seats) && (t.kind == TURN_OVER) == !t.seats);
    for (int seat = 0; seat < p->seats; seat++) {
        struct game_choice list[GAME_MAX_CHOICES];
        int count = g->choices(&p->state, seat, list);
        ENSURE(count >= 0 && count <= GAME_MAX_CHOICES && (count > 0) == !!(t.seats & SEAT(seat)));
        if (count)
            ENSURE(game_is_legal(g, &p->state, seat, g->fallback(&p->state, seat)));
    }
}

static void try_action(struct play *p, int seat, struct game_action a)
{
    bool player = seat >= 0 && seat < p->seats, over = p->game->turn(&p->state).kind == TURN_OVER;
    bool legal = player && game_is_legal(p->game, &p->state, seat, a);
    p->before = p->state;
    p->history_before = p->history;
    p->happened.count = p->tokens.count = 0;
    int how = take(&p->in);
    int err = game_apply_kept(p->game, &p->state, &p->history, seat, a, how & 1 ? &p->happened : NULL,
                              how & 2 ? &p->tokens : NULL);
    ENSURE(err <= 0 && p->happened.count < GAME_MAX_EVENTS);
    if (err != OK) {
        ENSURE(memcmp(&p->state, &p->before, p->game->state_size) == 0 && p->happened.count == 0 && !legal);
        ENSURE(memcmp(&p->history, &p->history_before, sizeof p->history) == 0 && p->tokens.count == 0);
    }
    ENSURE(err != OK || legal || seat == GAME_MASTER || (player && over)); // a restart is not listed
}

static void act_raw(struct play *p)
{
    int seat = take_seat(p);
    struct game_action a = {.kind = take(&p->in)};
    for (int i = 0; i < 3; i++)
        a.arg[i] = take(&p->in);
    a.amount = (int32_t)take_word(&p->in);
    try_action(p, seat, a);
}

static void act_listed(struct play *p)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int seat = take_seat(p), count = seat >= 0 && seat < p->seats ? p->game->choices(&p->state, seat, list) : 0;
    if (!count)
        return;
    const struct game_choice *c = &list[take(&p->in) % count];
    struct game_action a = c->first;
    uint32_t span = (uint32_t)c->max_amount - (uint32_t)a.amount;
    a.amount = (int32_t)((uint32_t)a.amount + (span ? take_word(&p->in) % span : 0));
    ENSURE(game_is_legal(p->game, &p->state, seat, a));
    try_action(p, seat, a);
}

static void act_numbered(struct play *p)
{
    struct game_action a;
    int seat = take_seat(p), index = take(&p->in);
    if (seat >= 0 && seat < p->seats && p->game->flat(&p->state, seat, index, &a)) {
        ENSURE(game_is_legal(p->game, &p->state, seat, a));
        try_action(p, seat, a);
    }
}

static void act_master(struct play *p)
{
    struct game_action a = {.kind = take(&p->in), .amount = (int32_t)take_word(&p->in)};
    for (int i = 0; i < 3; i++)
        a.arg[i] = take(&p->in);
    try_action(p, GAME_MASTER, a);
}

static void act_drop(struct play *p)
{
    struct game_action a = {.kind = GAME_DROP, .arg = {(uint8_t)(take(&p->in) % p->seats), take(&p->in)}};
    try_action(p, GAME_MASTER, a);
}

static void act_silent(struct play *p)
{
    seat_set asked = p->game->turn(&p->state).seats;
    if (asked)
        try_action(p, __builtin_ctz(asked), p->game->fallback(&p->state, __builtin_ctz(asked)));
}

static void act_tick(struct play *p)
{
    for (int n = 1 + take(&p->in) % 64; p->game->tick && n > 0; n--) {
        p->happened.count = 0;
        game_tick_kept(p->game, &p->state, &p->history, &p->happened, NULL);
    }
}

static void act_stack(struct play *p)
{
    uint8_t items[64];
    int count = take(&p->in) % (int)(sizeof items + 1);
    for (int i = 0; i < count; i++)
        items[i] = take(&p->in);
    if (!p->game->stack)
        return;
    p->before = p->state;
    if (p->game->stack(&p->state, items, count) != OK)
        ENSURE(memcmp(&p->state, &p->before, p->game->state_size) == 0);
}

struct row {
    float f32[GAME_MAX_VECTOR];
    uint8_t u8[GAME_MAX_VECTOR];
};

static void write_row(struct play *p, int viewer, struct row *r)
{
    int newest = game_row_vectors(p->game);
    memset(r, 0, sizeof *r);
    game_observe(p->game, &p->state, &p->history, viewer, newest, GAME_F32, r->f32);
    game_observe(p->game, &p->state, &p->history, viewer, newest, GAME_U8, r->u8);
}

// Looks with other eyes, and goes on in another world that looks the same.
static void act_look(struct play *p)
{
    const struct game *g = p->game;
    union game_view view, again;
    float numbers[GAME_MAX_VECTOR];
    int32_t payoffs[GAME_MAX_SEATS];
    int viewer = take(&p->in) % (p->seats + 1);
    viewer = viewer < p->seats ? viewer : GAME_SPECTATOR;
    struct rng dice = {.key = {take(&p->in)}};
    g->view(&p->state, viewer, &view);
    g->vector(&view, numbers);
    g->payoffs(&p->state, payoffs);
    struct row row, row_again;
    write_row(p, viewer, &row);
    ENSURE(memcmp(row.f32, numbers, g->vector_size * sizeof *numbers) == 0); // V32
    g->resample(&p->state, viewer, &dice);
    g->view(&p->state, viewer, &again);
    ENSURE(memcmp(&view, &again, g->view_size) == 0);
    write_row(p, viewer, &row_again);
    ENSURE(memcmp(&row, &row_again, sizeof row) == 0);
}

// The defaults, a scenario, and some bytes changed at will: init takes it or refuses it.
static bool start(struct play *p)
{
    const struct game *g = p->game;
    p->seats = take(&p->in) % (GAME_MAX_SEATS + 2);
    g->defaults(&p->rules);
    int usual = g->scenario(&p->rules, take(&p->in) % count_names(g->scenarios));
    for (int n = take(&p->in) % (PATCHES_MAX + 1); n > 0; n--) {
        uint32_t offset = take(&p->in);
        offset |= (uint32_t)take(&p->in) << 8;
        p->rules.byte[offset % g->rules_size] = take(&p->in);
    }
    if (p->seats == 0)
        p->seats = usual;
    struct rng chance = {.key = {take(&p->in)}};
    int err = game_init_kept(g, &p->state, &p->history, &p->rules, p->seats, chance, &p->happened, NULL);
    ENSURE(err == OK || err == ERR_RULES);
    return err == OK;
}

static void run(struct play *p)
{
    static void (*const acts[])(struct play *) = {act_listed, act_raw,  act_numbered, act_listed,
                                                  act_silent, act_tick, act_master,   act_drop,
                                                  act_stack,  act_look, act_listed,   act_numbered};
    if (!start(p))
        return;
    ensure_state(p);
    for (int step = 0; step < STEPS_MAX && p->in.at < p->in.end; step++) {
        acts[take(&p->in) % (sizeof acts / sizeof *acts)](p);
        ensure_state(p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct play p;
    p = (struct play){.in = {data, data + size}};
    p.game = take_game(&p.in);
    run(&p);
    return 0;
}

#ifdef FUZZ_STANDALONE
int main(int count, char **paths)
{
    static uint8_t bytes[1 << 20];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(paths[i], "rb");
        if (!file) {
            perror(paths[i]);
            return 2;
        }
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        LLVMFuzzerTestOneInput(bytes, size);
    }
    return 0;
}
#endif
