// A vision stream in memory that two processes share (G20.5): a page of header, then slots, each a header and a
// picture. Little-endian, as all machines are that this runs on.
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define VISION_MAGIC "GRLVIS1" // eight bytes, with its NUL

enum {
    VISION_VERSION = 1,
    VISION_HEADER = 4096, // bytes; slots begin there, and each takes whole pages
    VISION_SLOT_HEADER = 64,
    VISION_OPEN = 1, // states
    VISION_CLOSED = 2,
    VISION_ID_ROOM = 64,
    VISION_MAX_SIDE = 4096,
    VISION_MAX_RING = 64,
};

struct vision_header {
    char magic[8];
    uint32_t version, header_size;
    uint32_t width, height, row_stride, pixel_format;
    uint32_t ring_count, bytes_per_pixel;
    uint64_t slot_stride, frame_bytes, total_size;
    uint64_t pid, session;
    uint8_t gap_50[0x30];
    _Atomic uint64_t latest; // id of the newest frame + 1; 0: none
    uint8_t gap_88[0x38];
    _Atomic uint32_t futex; // counts frames; waiters sleep on it
    _Atomic uint32_t state;
    uint8_t gap_c8[0x38];
    char stream_id[VISION_ID_ROOM]; // ended by NUL when shorter
    uint8_t gap_140[0x40];
    uint8_t semaphore[VISION_HEADER - 0x180]; // reserved
};

struct vision_slot {
    _Atomic uint64_t seq; // odd while it is written
    uint64_t frame_id, tick, step_id, monotonic_ns;
    uint32_t valid, crc32;
    uint8_t zeros[16];
};

_Static_assert(offsetof(struct vision_header, slot_stride) == 0x28 && offsetof(struct vision_header, pid) == 0x40 &&
                   offsetof(struct vision_header, latest) == 0x80 && offsetof(struct vision_header, futex) == 0xc0 &&
                   offsetof(struct vision_header, state) == 0xc4 &&
                   offsetof(struct vision_header, stream_id) == 0x100 &&
                   offsetof(struct vision_header, semaphore) == 0x180 &&
                   sizeof(struct vision_header) == VISION_HEADER && sizeof(struct vision_slot) == VISION_SLOT_HEADER,
               "the layout is a contract");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "fields lie in memory as they are read");

// Fences that order a slot's number and its picture (G20.6, G20.7): the picture is plain memory, so no atomic access
// can do it. gcc's thread sanitizer warns that it does not support fences. The two ends are different processes, which
// it could not check anyway, so the warning is disabled here and nowhere else.
#ifdef __SANITIZE_THREAD__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
static inline void vision_fence_begun(void) // a reader that sees a pixel of this frame also sees the odd number
{
    atomic_thread_fence(memory_order_release);
}

static inline void vision_fence_read(void) // the number is read again after the last pixel
{
    atomic_thread_fence(memory_order_acquire);
}
#ifdef __SANITIZE_THREAD__
#pragma GCC diagnostic pop
#endif

static inline uint64_t vision_slot_stride(uint64_t frame_bytes)
{
    return (VISION_SLOT_HEADER + frame_bytes + 4095) / 4096 * 4096;
}
