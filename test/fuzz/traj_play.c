// Lines as the records of a trajectory whose sums are right: they are played again or refused, and nothing that a table
// promises breaks. The seeds are what `save_trajectory` writes, without header and footer.
#include "app/games.h"
#include "env/env.h"
#include "traj_file.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_RECORDS = 400 };

static char folder[64];

static bool write_file(struct span rest)
{
    struct traj_path place;
    struct traj_writer *w;
    struct traj_done done;
    struct text line = {.grow = traj_text_grow};
    bool episode = false;
    assert(traj_path_resolve(&place, folder, SPAN("t")) == TRAJ_FINE);
    assert(traj_file_open(&w, &place, TRAJ_JSONL, SPAN("{\"format\":\"game-rl-trajectory\",\"version\":1}")) ==
           TRAJ_FINE);
    traj_path_release(&place);
    for (int n = 0; rest.size && n < MAX_RECORDS; n++) {
        const char *end = memchr(rest.at, '\n', rest.size);
        size_t size = end ? (size_t)(end - rest.at) : rest.size;
        line.size = 0;
        if (traj_put_canonical_json(&line, (struct span){rest.at, size})) {
            int kind = traj_kind_of(text_span(&line));
            episode |= kind == TRAJ_RESET;
            if (episode && kind > TRAJ_HEADER && kind < TRAJ_FOOTER)
                traj_write_record(w, text_span(&line));
        }
        rest.at += size + (end != NULL);
        rest.size -= size + (end != NULL);
    }
    free(line.at);
    assert(traj_file_close(w, &done) == TRAJ_FINE);
    return episode;
}

static void call(struct env_conn *c, const char *tool, const char *arguments)
{
    static uint64_t calls;
    struct env_result r = {0};
    env_call(c, ++calls, span_of(tool), span_of(arguments), false, 1000, &r);
}

static void on_answer(void *owner, uint64_t number, const struct env_result *r)
{
    (void)owner, (void)number, (void)r;
}

static struct env *make_host(void)
{
    struct env_options o;
    snprintf(folder, sizeof folder, "/dev/shm/agon-fuzz-XXXXXX");
    if (!mkdtemp(folder))
        abort();
    env_defaults(&o);
    o.games = app_env_games();
    o.data_dir = folder;
    o.record_bytes = 1 << 20;
    return env_create(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct env_hooks hooks = {.on_answer = on_answer};
    static struct env *env; // every input has a table of its own
    struct env_result refused;
    if (!env)
        env = make_host();
    if (size < 2 || !write_file((struct span){(const char *)data + 1, size - 1}))
        return 0;
    struct env_conn *c = env_connect(env, &hooks, NULL, NULL, NULL, &refused);
    call(c, "register_agent", "{\"agent_id\":\"me\",\"agent_type\":\"EntityBehavior\",\"config\":{\"guide\":false}}");
    if (data[0] & 1)
        call(c, "load_trajectory", "{\"path\":\"t\"}");
    else
        for (int i = 0; i < 5; i++)
            call(c, "load_trajectory", "{\"path\":\"t\",\"playback_mode\":\"step\"}");
    env_advance(env, 2000);
    call(c, "observe", "{\"agent_id\":\"me\"}");
    call(c, "sim_step", "{\"agent_id\":\"me\",\"action\":0}");
    call(c, "save_trajectory", "{\"path\":\"s\"}");
    env_disconnect(c, 3000);
    return 0;
}
