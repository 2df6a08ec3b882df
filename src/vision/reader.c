// The reader of vision streams, a part of libagon (include/agon_vision.h). It depends on no other room.
//
// The shared memory is written by another process and may change at any time. So the header is copied and checked once,
// later only its two counters are read, and all offsets come from the copy.
#include "agon_vision.h"

#include "vision/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 16, MAX_STRIDE = 1 << 16 };

struct agon_vision {
    const struct vision_header *map;
    size_t size;
    int fd;
    uint64_t slot_stride;
    struct agon_vision_info info;
};

static const uint32_t pixel_bytes[] = {
    [AGON_RGBA8] = 4, [AGON_BGRA8] = 4, [AGON_RGB8] = 3, [AGON_R32F] = 4, [AGON_RG32F] = 8};

static bool is_between(uint64_t value, uint64_t low, uint64_t high)
{
    return value >= low && value <= high;
}

// Sides are small, so that none of the products below can overflow.
static bool is_sound(const struct vision_header *h, uint64_t object)
{
    if (memcmp(h->magic, VISION_MAGIC, sizeof h->magic) != 0 || h->version != VISION_VERSION ||
        h->header_size != VISION_HEADER)
        return false;
    if (!is_between(h->width, 1, VISION_MAX_SIDE) || !is_between(h->height, 1, VISION_MAX_SIDE) ||
        h->pixel_format > AGON_RG32F || h->bytes_per_pixel != pixel_bytes[h->pixel_format])
        return false;
    if (!is_between(h->row_stride, (uint64_t)h->width * h->bytes_per_pixel, MAX_STRIDE) ||
        h->frame_bytes != (uint64_t)h->row_stride * h->height)
        return false;
    return is_between(h->ring_count, 1, VISION_MAX_RING) && h->slot_stride == vision_slot_stride(h->frame_bytes) &&
           h->total_size == VISION_HEADER + h->ring_count * h->slot_stride && h->total_size <= object;
}

static void copy_info(struct agon_vision *v, const struct vision_header *h)
{
    v->slot_stride = h->slot_stride;
    v->info = (struct agon_vision_info){.width = h->width,
                                        .height = h->height,
                                        .row_stride = h->row_stride,
                                        .bytes_per_pixel = h->bytes_per_pixel,
                                        .pixel_format = h->pixel_format,
                                        .ring_count = h->ring_count,
                                        .frame_bytes = h->frame_bytes,
                                        .pid = h->pid,
                                        .session = h->session};
    memcpy(v->info.stream_id, h->stream_id, sizeof h->stream_id);
}

static uint32_t state_of(const struct agon_vision *v)
{
    return atomic_load_explicit((_Atomic uint32_t *)&v->map->state, memory_order_acquire);
}

// A name whose only slash is its first character means POSIX shared memory.
static int open_name(const char *name)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    return name[0] == '/' && !strchr(name + 1, '/') ? shm_open(name, O_RDONLY, 0) : open(name, flags);
}

static int map_stream(struct agon_vision *v)
{
    struct vision_header copy;
    struct stat st;
    if (fstat(v->fd, &st) != 0)
        return AGON_SYSTEM;
    if (!S_ISREG(st.st_mode) || st.st_size < (off_t)VISION_HEADER + VISION_SLOT_HEADER)
        return AGON_FORMAT;
    v->size = (size_t)st.st_size;
    v->map = mmap(NULL, v->size, PROT_READ, MAP_SHARED, v->fd, 0);
    if (v->map == MAP_FAILED) {
        v->map = NULL;
        return AGON_SYSTEM;
    }
    memcpy(&copy, v->map, sizeof copy);
    if (!is_sound(&copy, v->size))
        return AGON_FORMAT;
    copy_info(v, &copy);
    uint32_t state = state_of(v);
    return state == VISION_OPEN ? AGON_OK : state == VISION_CLOSED ? AGON_CLOSED : AGON_FORMAT;
}

int agon_vision_open(const char *name, struct agon_vision **out, struct agon_vision_info *info)
{
    struct agon_vision *v = calloc(1, sizeof *v);
    *out = NULL;
    if (!v)
        return AGON_SYSTEM;
    v->fd = open_name(name);
    int status = v->fd < 0 ? AGON_SYSTEM : map_stream(v);
    if (status != AGON_OK) {
        int err = errno;
        agon_vision_close(v);
        errno = err;
        return status;
    }
    if (info)
        *info = v->info;
    *out = v;
    return AGON_OK;
}

// Copies frame `id`: true when nobody wrote there meanwhile (G20.7).
static bool copy_frame(const struct agon_vision *v, uint64_t id, struct agon_frame *frame, void *pixels)
{
    const char *at = (const char *)v->map + VISION_HEADER + id % v->info.ring_count * v->slot_stride;
    const struct vision_slot *slot = (const struct vision_slot *)at;
    uint64_t seq = atomic_load_explicit((_Atomic uint64_t *)&slot->seq, memory_order_acquire);
    if (seq & 1)
        return false;
    *frame = (struct agon_frame){.id = slot->frame_id,
                                 .tick = slot->tick,
                                 .step_id = slot->step_id,
                                 .time_ns = slot->monotonic_ns,
                                 .size = slot->valid,
                                 .crc32 = slot->crc32};
    memcpy(pixels, at + VISION_SLOT_HEADER, v->info.frame_bytes);
    vision_fence_read();
    return atomic_load_explicit((_Atomic uint64_t *)&slot->seq, memory_order_relaxed) == seq && frame->id == id;
}

// If the file was truncated under the mapping, an access would raise SIGBUS.
static bool is_whole(const struct agon_vision *v)
{
    struct stat st;
    return fstat(v->fd, &st) == 0 && st.st_size >= (off_t)v->size;
}

int agon_vision_latest(struct agon_vision *v, struct agon_frame *frame, void *pixels, size_t room)
{
    if (room < v->info.frame_bytes)
        return AGON_TOO_SMALL;
    if (!is_whole(v))
        return AGON_FORMAT;
    for (int i = 0; i < TRIES; i++) {
        if (state_of(v) != VISION_OPEN)
            return AGON_CLOSED;
        uint64_t latest = atomic_load_explicit((_Atomic uint64_t *)&v->map->latest, memory_order_acquire);
        if (!latest)
            return AGON_NO_FRAME;
        if (copy_frame(v, latest - 1, frame, pixels))
            return frame->size == v->info.frame_bytes ? AGON_OK : AGON_FORMAT;
    }
    return state_of(v) != VISION_OPEN ? AGON_CLOSED : AGON_OVERRUN;
}

void agon_vision_close(struct agon_vision *v)
{
    if (!v)
        return;
    if (v->map)
        munmap((void *)v->map, v->size);
    if (v->fd >= 0)
        close(v->fd);
    free(v);
}
