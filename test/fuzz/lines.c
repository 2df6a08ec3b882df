// Arbitrary bytes from three clients of the Tetris adapter, with time passing between them. Nobody crashes, everything
// sent is answered or cut off, and the game keeps its invariants.
//
// Bytes up to 7 choose who speaks next, let time pass or hang up; everything else is a line, ended by LF.
#include "fake_link.h"

#include <stdlib.h>
#include <string.h>

enum { CLIENTS = 3, OPTIONS = 4 };

static void check(const struct adapter *a)
{
    if (tetris_game.check(adapter_match(a)->state.byte))
        abort();
}

static struct adapter *create(uint8_t how)
{
    struct adapter_options o;
    adapter_defaults(&o);
    o.protocol = how & 1 ? PROTOCOL_BOTH : PROTOCOL_2;
    o.box_coordinates = how & 2;
    o.compat_hash = how & 4;
    o.rules.ruleset = how & 8 ? TETRIS_GUIDELINE : TETRIS_STANDARD;
    o.max_tables = 2;
    return adapter_create(&o, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fake clients[CLIENTS];
    if (size == 0)
        return 0;
    struct adapter *a = create(data[0]);
    int64_t now = 0;
    int speaker = 0;
    for (int i = 0; i < CLIENTS; i++)
        fake_open(&clients[i], a, i == 2 ? &fake_link_unpaced : &fake_link);
    for (size_t at = 1; at < size;) {
        struct fake *f = &clients[speaker];
        uint8_t byte = data[at];
        if (byte < 3) {
            speaker = byte;
            at++;
        } else if (byte < 6) {
            now += byte == 3 ? 1000 : byte == 4 ? 16000 : 300000;
            adapter_advance(a, now);
            at++;
        } else if (byte == 6) {
            adapter_close(f->client, now);
            fake_open(f, a, f == &clients[2] ? &fake_link_unpaced : &fake_link);
            at++;
        } else {
            const uint8_t *end = memchr(data + at, '\n', size - at);
            size_t stop = end ? (size_t)(end - data) : size;
            int before = f->replies;
            adapter_line(f->client, (struct span){(const char *)data + at, stop - at}, now);
            if (f->replies == before && fake_count(f, "\"welcome\"") == 0)
                abort(); // T3.58: before hello every message has its reply
            check(a);
            at = stop + 1;
        }
    }
    adapter_advance(a, now + 1000000);
    check(a);
    adapter_destroy(a);
    return 0;
}
