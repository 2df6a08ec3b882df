#include "wasm/rules/module.h"

#include <stdlib.h>
#include <string.h>

enum { OUT_ROOM = 1 << 20 };

extern const struct game_kit KIT; // the game of this module, by the build

static char out_bytes[OUT_ROOM];
struct text module_out = {.at = out_bytes, .room = OUT_ROOM};
struct loaded_replay module_replay;
struct playback module_playback;

static struct {
    char *at;
    size_t room;
} input;

// Only what is used here: the linker drops the wires, the environment, the pictures and the bots.
const struct game_kit *module_kit(void)
{
    static struct game_kit kit;
    kit.game = KIT.game;
    kit.codec = KIT.codec;
    return &kit;
}

const struct game_kit *module_find(struct loaded_replay *t)
{
    const struct game_kit *kit = module_kit();
    if (strcmp(t->head.game, kit->game->name) == 0)
        return kit;
    text_puts(module_begin(), "its game is not ");
    text_puts(&module_out, kit->game->name);
    memcpy(t->why, module_out.at, module_out.size);
    return NULL;
}

char *EXPORT(module_input)(size_t size)
{
    if (size > input.room) {
        input.at = malloc(size);
        input.room = input.at ? size : 0;
    }
    return input.at;
}

char *EXPORT(module_output)(void)
{
    return module_out.at;
}

struct span module_given(size_t size)
{
    return (struct span){input.at, size < input.room ? size : input.room};
}

struct text *module_begin(void)
{
    module_out.size = 0;
    module_out.full = false;
    return &module_out;
}

size_t module_end(void)
{
    return module_out.full ? module_refuse("the answer is too long") : module_out.size;
}

size_t module_refuse(const char *sentence)
{
    struct text *t = module_begin();
    json_begin_object(t);
    json_put_text(t, "error", sentence);
    json_end_object(t);
    return t->size;
}

size_t module_refuse_err(int err)
{
    return module_refuse(err_sentence(err));
}

bool module_has_seat(int seat)
{
    return seat >= 0 && seat < module_replay.head.seats;
}

bool module_has_viewer(int viewer)
{
    return module_replay.head.seats && (viewer == GAME_SPECTATOR || module_has_seat(viewer));
}

// The game itself, with the options and their defaults.
size_t EXPORT(module_about)(void)
{
    const struct game_kit *kit = module_kit();
    const struct game *g = kit->game;
    struct text *t = module_begin();
    union game_rules rules;
    json_begin_object(t);
    json_put_text(t, "game", g->name);
    json_put_text(t, "title", kit->codec->title);
    json_put_text(t, "summary", kit->codec->summary);
    json_put_uint(t, "rules_version", g->version);
    json_put_int(t, "min_seats", g->min_seats);
    json_put_int(t, "max_seats", g->max_seats);
    json_put_int(t, "teams", g->teams);
    json_put_int(t, "tick_ms", g->tick_ms);
    json_put_texts(t, "scenarios", g->scenarios);
    g->defaults(&rules);
    json_begin_object_at(t, "rules");
    kit->codec->write_rules(t, &rules);
    json_end_object(t);
    json_end_object(t);
    return module_end();
}
