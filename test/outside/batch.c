/* A program outside the tree: built against the installed library alone, in C and in C++ (test/gates/outside). It plays
 * Liar's Dice against the house, and says how many matches ended. */
#include <agon.h>
#include <agon_vision.h>

#include <stdio.h>
#include <stdlib.h>

enum { ENVS = 64, STEPS = 400 };

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, agon_last_error());
    return 1;
}

int main(void)
{
    struct agon_config config = agon_default_config();
    struct agon_layout at = agon_no_layout();
    struct agon_buffers b = agon_no_buffers();
    agon_vec *v;
    struct agon_vision *stream;
    uint64_t draws = 42, episodes = 0;

    config.game = "liars_dice", config.scenario = "duel", config.num_envs = ENVS, config.seed = 1, config.threads = 2;
    config.autoreset = AGON_SAME_STEP, config.house[1] = "rules", config.rotate = 1;
    if (agon_create(&config, &v) != AGON_OK)
        return fail("create");
    if (agon_get_layout(v, &at) != AGON_OK)
        return fail("layout");

    int32_t *actions = (int32_t *)malloc(at.rows * sizeof *actions);
    b.actions = actions;
    b.observations = malloc(at.observations_bytes);
    b.terminated = (uint8_t *)malloc(at.envs);
    if (agon_bind(v, 0, &b) != AGON_OK || agon_reset(v, NULL, NULL) != AGON_OK)
        return fail("reset");
    for (int step = 0; step < STEPS; step++) {
        if (agon_sample(v, 0, &draws, actions) != AGON_OK || agon_step(v) != 0)
            return fail("step");
        for (uint32_t i = 0; i < at.envs; i++)
            episodes += b.terminated[i];
    }
    agon_destroy(v);
    free(actions), free(b.observations), free(b.terminated);

    if (agon_vision_open("/grl.0.00000000.0", &stream, NULL) != AGON_SYSTEM)
        return 1;
    printf("%s abi %u: %llu matches\n", agon_version(), agon_abi(), (unsigned long long)episodes);
    return episodes > 10 ? 0 : 1;
}
