// A vision stream whose owner is hostile: patches of three bytes each (where, two bytes; what) on a sound one. The
// reader opens it or refuses it; what it says it has, it has; and it never leaves its mapping.
#include "agon_vision.h"
#include "vision/layout.h"
#include "vision/ring.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 4096 + 4 * 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_it(const char *name)
{
    struct agon_vision *v;
    struct agon_vision_info info;
    struct agon_frame frame;
    if (agon_vision_open(name, &v, &info) != AGON_OK)
        return;
    if (info.frame_bytes != (uint64_t)info.row_stride * info.height || info.frame_bytes * info.ring_count > ROOM ||
        strlen(info.stream_id) > VISION_ID_ROOM)
        abort();
    void *pixels = malloc(info.frame_bytes);
    if (pixels && agon_vision_latest(v, &frame, pixels, info.frame_bytes) == AGON_OK && frame.size != info.frame_bytes)
        abort();
    free(pixels);
    agon_vision_close(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint32_t number;
    struct vision_ring r;
    struct vision_spec spec = {.stream_id = "fuzz_0",
                               .session = 0xf022,
                               .number = number++,
                               .width = 9,
                               .height = 5,
                               .bytes_per_pixel = 4,
                               .pixel_format = AGON_RGBA8};
    if (vision_ring_open(&r, &spec) != 0)
        return 0;
    for (int i = 0; i < 3; i++) {
        memset(vision_ring_begin(&r), i, r.frame_bytes);
        vision_ring_end(&r, 1, 1);
    }
    uint8_t *map = (uint8_t *)r.map;
    for (; size >= 3; size -= 3, data += 3)
        map[(data[0] | data[1] << 8) % ROOM] = data[2];
    read_it(r.name);
    vision_ring_close(&r);
    return 0;
}
