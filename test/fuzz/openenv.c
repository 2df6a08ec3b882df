// Messages of OpenEnv clients, whatever they are: read or refused, and what was read is played or is not legal (O29).
#include "env/episode.h"
#include "front/openenv/openenv_read.h"
#include "games/games.h"
#include "heap/heap.h"

#include <stdlib.h>

static struct episode_scratch scratch;
static struct episode episode;

static void begin(const struct game_kit *k, const struct openenv_reset *o)
{
    struct episode_setup s = {.kit = k, .has_seed = true, .seed = o->seed, .clients = SEAT(0), .inputs = o->inputs};
    char bad[64];
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        s.bot[i] = &bot_random;
    if (!episode_read_rules(&s, o->scenario[0] ? o->scenario : NULL, o->rules, o->seats, bad))
        return;
    episode_release(&episode);
    if (!episode_begin(&episode, &s, &scratch))
        abort(); // the rules said that it can
}

static void check_fault(const struct openenv_fault *f)
{
    char bytes[4096];
    struct text t = text_on(bytes, sizeof bytes);
    if (!f->type || !openenv_fault_text(f)[0])
        abort();
    openenv_write_fault(&t, f, true);
    struct json_reader r = json_reader_of(text_span(&t), 64);
    json_skip(&r);
    if (t.full || json_finish(&r) != OK)
        abort();
}

static void act(const struct openenv_action *a)
{
    struct text t = {.grow = heap_text_grow};
    struct game_action move = {0};
    struct codec_table names = episode_names(&episode, 0);
    bool found = false;
    if (!(episode_asked(&episode) & SEAT(0)))
        return;
    if (a->form == OPENENV_TYPED) {
        openenv_write_without_nulls(&t, a->object);
        struct json_reader r = json_reader_of(text_span(&t), 64);
        found = codec_read_action(episode.kit->codec, &r, &names, false, &move) == OK;
    } else if (a->form == OPENENV_NUMBERED) {
        found = episode_number(&episode, 0, a->number, &move);
    }
    if (found && episode_is_legal(&episode, 0, move))
        episode_act(&episode, 0, move);
    t.size = 0;
    json_begin_object(&t);
    episode_write(&t, &episode, 0, &(struct episode_format){.vector = true});
    json_end_object(&t);
    struct json_reader r = json_reader_of(text_span(&t), 64);
    json_skip(&r);
    if (json_finish(&r) != OK)
        abort();
    episode_take_reward(&episode, 0);
    free(t.at);
}

static void take(const struct game_kit *k, const char names[][40], int count, struct span text)
{
    struct openenv_message m;
    struct openenv_reset o;
    struct openenv_action a;
    struct openenv_fault f;
    int err = openenv_read_message(text, &m, &f);
    if (err != OK) {
        if (f.type)
            check_fault(&f);
        return;
    }
    if (m.kind == OPENENV_RESET) {
        if (openenv_read_reset(m.data, &o, &f))
            begin(k, &o);
        else
            check_fault(&f);
    } else if (m.kind == OPENENV_STEP) {
        if (openenv_read_action(m.data, names, count, &a, &f))
            act(&a);
        else
            check_fault(&f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char names[OPENENV_PARAMS][40];
    int kits = 0;
    while (game_kits[kits])
        kits++;
    if (size < 1)
        return 0;
    const struct game_kit *k = game_kits[data[0] % kits];
    int count = openenv_list_params(kit_environment(k), names);
    episode_scratch_init(&scratch, NULL);
    begin(k, &(struct openenv_reset){.seed = 1});
    const char *at = (const char *)data + 1, *end = (const char *)data + size;
    for (int i = 0; at < end && i < 16; i++) { // a message a line
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        take(k, (const char(*)[40])names, count, (struct span){at, (size_t)((stop ? stop : end) - at)});
        at = stop ? stop + 1 : end;
    }
    episode_release(&episode);
    episode_scratch_release(&scratch);
    return 0;
}
