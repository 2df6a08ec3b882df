// Events of somebody's arena in the neutral form and in words: what comes out is JSON, and one line; and whatever it
// is, the codecs read it for memories without harm.
#include "app/arena_event.h"
#include "app/games.h"
#include "base/json_read.h"
#include "codec/codec.h"
#include "games/games.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16, LONGEST = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_back(struct span event)
{
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        struct codec_table table = {.seat = codec_seat_names, .seats = (*k)->game->min_seats};
        struct json_reader r = json_reader_of(event, 32);
        struct game_event e = {0};
        bool read = (*k)->codec->read_event && (*k)->codec->read_event(&r, &table, &e);
        if (read && (r.error || !(*k)->codec->event_types[e.kind]))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char json[ROOM], words[ROOM];
    struct text j = text_on(json, ROOM), w = text_on(words, ROOM);
    if (size > LONGEST)
        return 0;
    for (const struct game_kit *const *k = game_kits; *k; k++) { // for a person: one line, whatever the event is
        struct text line = text_on(words, ROOM);
        arena_event_describe(&line, (struct span){(const char *)data, size}, *k, codec_seat_names,
                             (*k)->game->max_seats);
    }
    if (!arena_event_translate(&j, &w, (struct span){(const char *)data, size})) {
        if (j.size || w.size)
            abort();
        return 0;
    }
    struct json_reader r = json_reader_of(text_span(&j), 64);
    json_skip(&r);
    if (!j.full && json_finish(&r) != OK)
        abort();
    read_back(text_span(&j));
    if (!w.full && (w.size == 0 || memchr(words, '\n', w.size) != words + w.size - 1))
        abort();
    return 0;
}
