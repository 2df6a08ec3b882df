// T2.2: stepping a game allocates nothing, and neither does a step of a batch or a picture at the terminal. The linker
// leads every call of the heap's functions that the rooms make through counters (--wrap, in cmake/test.cmake); then
// every game is played with every function it has.
#include "alloc_count.h"
#include "bots/bot.h"
#include "games_found.h"
#include "tui/display.h"
#include "tui/tetris_scene.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "vec_batch.h"

static void the_counters_count(void **unused)
{
    (void)unused;
    void *volatile memory = malloc(1);
    memory = realloc(memory, 2);
    free(memory);
    memory = calloc(1, 1);
    free(memory);
    assert_int_equal(calls, 5);
    calls = 0;
}

struct play {
    const struct game *game;
    union game_state state;
    union game_view view;
    struct game_events happened;
    struct game_rewards rewards;
    float numbers[GAME_MAX_VECTOR];
    int32_t payoffs[GAME_MAX_SEATS];
    int seats;
    struct rng dice;
};

// All that can be asked of a state.
static void look(struct play *p)
{
    const struct game *g = p->game;
    for (int i = 0; i <= p->seats; i++) {
        int viewer = i < p->seats ? i : GAME_SPECTATOR;
        g->view(&p->state, viewer, &p->view);
        g->vector(&p->view, p->numbers);
        union game_state imagined = p->state;
        g->resample(&imagined, viewer, &p->dice);
    }
    for (int i = 0; g->digests && g->digests[i]; i++)
        g->digest(&p->state, i);
    g->payoffs(&p->state, p->payoffs);
    g->rewards(&p->state, &p->happened, &p->rewards);
    game_hash(g, &p->state);
    assert_null(g->check(&p->state));
}

static int any_seat(struct play *p, seat_set set)
{
    int seat = (int)rng_below(&p->dice, GAME_MAX_SEATS);
    return game_next_seat(set, seat);
}

static void step(struct play *p, struct game_turn turn)
{
    const struct game *g = p->game;
    struct game_choice list[GAME_MAX_CHOICES];
    struct game_action flat;
    int seat = any_seat(p, turn.seats), count = g->choices(&p->state, seat, list);
    for (uint32_t i = 0; i < g->flat_size; i++)
        g->flat(&p->state, seat, (int)i, &flat);
    struct game_action a = bot_pick_uniform(list, count, &p->dice);
    if (rng_below(&p->dice, 8) == 0)
        a = g->fallback(&p->state, seat);
    assert_true(game_is_legal(g, &p->state, seat, a));
    p->happened.count = 0;
    assert_int_equal(g->apply(&p->state, seat, a, &p->happened), OK);
    if (g->tick && g->turn(&p->state).kind != TURN_OVER)
        g->tick(&p->state, &p->happened);
}

static void play(struct play *p, uint64_t seed)
{
    enum { STEPS = 400 };
    const struct game *g = p->game;
    const uint8_t key[RNG_KEY_BYTES] = {(uint8_t)seed};
    struct rng root = rng_from_key(key);
    union game_rules rules;
    p->dice = rng_split(&root, 1);
    g->defaults(&rules);
    if (g->seed)
        g->seed(&rules, seed);
    p->happened.count = 0;
    assert_int_equal(g->init(&p->state, &rules, p->seats, rng_split(&root, 0), &p->happened), OK);
    for (int i = 0; i < STEPS && g->turn(&p->state).kind != TURN_OVER; i++) {
        look(p);
        step(p, g->turn(&p->state));
    }
    look(p);
}

static void stepping_allocates_nothing(void **unused)
{
    (void)unused;
    static struct play p;
    for (int i = 0; games_found[i]; i++)
        for (int seats = games_found[i]->min_seats; seats <= games_found[i]->max_seats; seats++)
            for (uint64_t seed = 1; seed <= 3; seed++) {
                p.game = games_found[i];
                p.seats = seats;
                calls = 0;
                play(&p, seed);
                if (calls)
                    fail_msg("%s, %d seats, seed %d: %d calls", p.game->name, seats, (int)seed, calls);
            }
}

// A game of hard drops, each step as a picture on a terminal that takes everything.
static void drawing_allocates_nothing(void **unused)
{
    (void)unused;
    static struct display display;
    static struct tetris_scene scene;
    static struct frame frame;
    static struct tetris_state state;
    struct tetris_rules rules;
    int null = open("/dev/null", O_RDWR);
    scene.has_view = true;
    tetris_game.defaults(&rules);
    tetris_game.seed(&rules, 1);
    assert_int_equal(tetris_game.init(&state, &rules, 1, (struct rng){0}, NULL), OK);
    assert_null(display_open(&display, &(struct display_options){null, null, "xterm-256color", false}));
    calls = 0;
    for (int step = 0; step < 400; step++) {
        if (step % 20 == 0)
            tetris_game.apply(&state, 0, (struct game_action){.kind = TETRIS_HARD_DROP}, NULL);
        tetris_game.tick(&state, NULL);
        tetris_game.view(&state, GAME_SPECTATOR, &scene.view);
        tetris_effect_update(&scene.effect, &scene.view, step * 16000ll);
        tetris_scene_draw(&scene, 80, 24, &frame);
        display_show(&display, &frame);
    }
    assert_int_equal(calls, 0);
    display_close(&display);
    close(null);
}

static struct batch open_batch(const struct game *g, uint8_t mode)
{
    struct agon_config c = agon_default_config();
    c.game = g->name, c.num_envs = 16, c.autoreset = mode, c.tokens = 8;
    if (g->max_seats > 1)
        c.house[0] = "random";
    struct batch b = batch_open(&c);
    batch_reset(&b);
    batch_step(&b);
    return b;
}

static void a_step_of_a_batch_allocates_nothing(void **unused)
{
    (void)unused;
    for (int i = 0; games_found[i]; i++)
        for (uint8_t mode = AGON_NEXT_STEP; mode <= AGON_SAME_STEP; mode++) {
            struct batch b = open_batch(games_found[i], mode);
            calls = 0;
            for (int step = 0; step < 200; step++)
                batch_step(&b);
            if (calls)
                fail_msg("%s: %d calls", games_found[i]->name, calls);
            batch_close(&b);
        }
}

// A process that may only write and exit: any other system call ends it. The thread sanitizer has a thread of its own,
// which would outlive the one that exits, so it would not be told from a process that hangs.
static void a_step_of_a_batch_asks_the_system_nothing(void **unused)
{
    (void)unused;
#ifdef __SANITIZE_THREAD__
    skip();
#endif
    pid_t child = fork();
    if (child == 0) {
        struct batch all[16];
        int count = 0;
        for (; games_found[count]; count++)
            all[count] = open_batch(games_found[count], AGON_SAME_STEP);
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            _exit(77);
        for (int step = 0; step < 100; step++)
            for (int i = 0; i < count; i++)
                batch_step(&all[i]);
        syscall(SYS_exit, 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip(); // a system that does not let us
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counters_count),
        cmocka_unit_test(stepping_allocates_nothing),
        cmocka_unit_test(drawing_allocates_nothing),
        cmocka_unit_test(a_step_of_a_batch_allocates_nothing),
        cmocka_unit_test(a_step_of_a_batch_asks_the_system_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
