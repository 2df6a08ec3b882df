// A replay file: checked whole when it is opened, then shown step by step.
#include "wasm/rules/module.h"

// Plays all of it without a viewer. False if it does not reproduce; replay.why says why.
static bool play_through(struct loaded_replay *t, struct playback *s)
{
    s->replay = t;
    s->error = replay_begin(&s->run, t->file, t->row->game, t->key, NULL);
    int done = s->error == OK;
    while (done == 1)
        done = replay_step(&s->run, MATCH_HASH_EVERY, NULL);
    if (s->error == OK)
        s->error = done;
    if (s->error != OK)
        playback_describe_error(s, t->why, sizeof t->why);
    return s->error == OK;
}

static void put_hex(struct text *t, const char *key, const void *bytes, size_t size)
{
    json_key(t, key);
    text_put_char(t, '"');
    text_put_hex_bytes(t, bytes, size);
    text_put_char(t, '"');
}

size_t module_write_head(void)
{
    const struct loaded_replay *replay = &module_replay;
    const struct playback *s = &module_playback;
    struct text *t = module_begin();
    json_begin_object(t);
    json_put_text(t, "game", replay->head.game);
    json_put_uint(t, "steps", replay->steps);
    json_put_bool(t, "complete", replay->complete);
    json_put_uint(t, "hashes", replay->hashes);
    if (replay->head.has_seed) { // as a string: JavaScript's numbers end at 2^53
        json_key(t, "seed");
        text_put_char(t, '"');
        text_put_uint(t, replay->head.seed);
        text_put_char(t, '"');
    }
    put_hex(t, "commitment", replay->head.commitment, sizeof replay->head.commitment);
    json_begin_array_at(t, "names");
    for (int seat = 0; seat < replay->head.seats; seat++)
        json_write_text(t, s->name[seat]);
    json_end_array(t);
    json_begin_object_at(t, "rules");
    replay->row->codec->write_rules(t, &s->run.rules);
    json_end_object(t);
    json_end_object(t);
    return module_end();
}

// `neutral`: seats have the house names, seat_0 and so on.
size_t EXPORT(replay_open_file)(size_t size, int neutral)
{
    module_replay = (struct loaded_replay){.path = "", .file = module_given(size)};
    bool sound = loaded_replay_read(&module_replay, module_find, NULL);
    if (sound && !module_replay.has_key)
        return module_refuse("it does not contain its key, without which nobody can replay it");
    if (!sound || !play_through(&module_replay, &module_playback)) {
        module_replay.head.seats = 0; // nothing of it can be looked at
        return module_refuse(module_replay.why);
    }
    playback_open(&module_playback, &module_replay, neutral);
    if (module_playback.error != OK)
        return module_refuse_err(module_playback.error);
    return module_write_head();
}

// Where the replay then stands: at `step`, or at its end.
unsigned EXPORT(replay_seek)(unsigned step)
{
    playback_seek(&module_playback, step);
    return (unsigned)module_playback.run.steps;
}
