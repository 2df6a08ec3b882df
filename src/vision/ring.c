#include "vision/ring.h"

#include "vision/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t vision_ring_size(uint32_t width, uint32_t height, uint32_t bytes_per_pixel)
{
    return VISION_HEADER + VISION_RING_COUNT * vision_slot_stride((uint64_t)width * height * bytes_per_pixel);
}

uint64_t vision_ring_offset(const struct vision_ring *r, int slot)
{
    return VISION_HEADER + (uint64_t)slot * r->stride + VISION_SLOT_HEADER;
}

static struct vision_slot *slot_of(const struct vision_ring *r, uint64_t frame)
{
    return (struct vision_slot *)((char *)r->map + VISION_HEADER + frame % VISION_RING_COUNT * r->stride);
}

// --- opening

static int create_object(const struct vision_ring *r)
{
    int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    return r->in_shm ? shm_open(r->name, flags, 0600) : open(r->name, flags | O_NOFOLLOW, 0600);
}

static void unlink_ring(const struct vision_ring *r)
{
    if (r->in_shm)
        shm_unlink(r->name);
    else
        unlink(r->name);
}

// fchmod, because the umask may have removed bits; fallocate, so that full memory fails here and not at the first
// picture.
static int set_up(struct vision_ring *r)
{
    if (flock(r->fd, LOCK_EX | LOCK_NB) != 0 || fchmod(r->fd, 0600) != 0)
        return errno;
    int err = posix_fallocate(r->fd, 0, (off_t)r->size);
    if (err)
        return err;
    void *map = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
    if (map == MAP_FAILED)
        return errno;
    r->map = map;
    return 0;
}

static void write_header(struct vision_ring *r, const struct vision_spec *s)
{
    struct vision_header *h = r->map;
    size_t id = strlen(s->stream_id);
    h->version = VISION_VERSION;
    h->header_size = VISION_HEADER;
    h->width = s->width;
    h->height = s->height;
    h->row_stride = s->width * s->bytes_per_pixel;
    h->pixel_format = s->pixel_format;
    h->ring_count = VISION_RING_COUNT;
    h->bytes_per_pixel = s->bytes_per_pixel;
    h->slot_stride = r->stride;
    h->frame_bytes = r->frame_bytes;
    h->total_size = r->size;
    h->pid = (uint64_t)getpid();
    h->session = s->session;
    memcpy(h->stream_id, s->stream_id, id < VISION_ID_ROOM ? id : VISION_ID_ROOM);
    atomic_store_explicit(&h->state, VISION_OPEN, memory_order_release);
    memcpy(h->magic, VISION_MAGIC, sizeof h->magic);
}

int vision_ring_open(struct vision_ring *r, const struct vision_spec *s)
{
    char name[VISION_NAME_ROOM];
    *r = (struct vision_ring){.crc = s->crc, .in_shm = !s->dir};
    r->frame_bytes = (uint64_t)s->width * s->height * s->bytes_per_pixel;
    r->stride = vision_slot_stride(r->frame_bytes);
    r->size = vision_ring_size(s->width, s->height, s->bytes_per_pixel);
    int n =
        snprintf(name, sizeof name, "%s/grl.%ld.%08x.%u", s->dir ? s->dir : "", (long)getpid(), s->session, s->number);
    if (n >= (int)sizeof name)
        return ENAMETOOLONG;
    if (!(r->name = strdup(name)))
        return ENOMEM;
    r->fd = create_object(r);
    int err = r->fd < 0 ? errno : set_up(r);
    if (r->map) {
        write_header(r, s);
        return 0;
    }
    if (r->fd >= 0) {
        unlink_ring(r);
        close(r->fd);
    }
    free(r->name);
    *r = (struct vision_ring){0};
    return err;
}

// --- frames (G20.6)

void *vision_ring_begin(struct vision_ring *r)
{
    struct vision_slot *slot = slot_of(r, r->next);
    uint64_t seq = atomic_load_explicit(&slot->seq, memory_order_relaxed);
    atomic_store_explicit(&slot->seq, seq | 1, memory_order_relaxed);
    vision_fence_begun();
    return slot + 1;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t vision_ring_end(struct vision_ring *r, uint64_t tick, uint64_t step_id)
{
    uint64_t id = r->next++;
    struct vision_header *h = r->map;
    struct vision_slot *slot = slot_of(r, id);
    slot->frame_id = id;
    slot->tick = tick;
    slot->step_id = step_id;
    slot->monotonic_ns = now_ns();
    slot->valid = (uint32_t)r->frame_bytes;
    slot->crc32 = r->crc ? vision_crc32(slot + 1, r->frame_bytes) : 0;
    uint64_t seq = atomic_load_explicit(&slot->seq, memory_order_relaxed);
    atomic_store_explicit(&slot->seq, seq + 1, memory_order_release);
    atomic_store_explicit(&h->latest, id + 1, memory_order_release);
    atomic_fetch_add_explicit(&h->futex, 1, memory_order_release);
    syscall(SYS_futex, &h->futex, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    return id;
}

// Slots stay odd forever, so that no reader takes the cleared pixels for a picture.
void vision_ring_close(struct vision_ring *r)
{
    if (!r->map)
        return;
    atomic_store_explicit(&r->map->state, VISION_CLOSED, memory_order_release);
    for (int i = 0; i < VISION_RING_COUNT; i++) {
        struct vision_slot *slot = slot_of(r, (uint64_t)i);
        atomic_fetch_or_explicit(&slot->seq, 1, memory_order_relaxed);
        vision_fence_begun();
        memset(slot + 1, 0, r->frame_bytes);
    }
    atomic_fetch_add_explicit(&r->map->futex, 1, memory_order_release);
    syscall(SYS_futex, &r->map->futex, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    unlink_ring(r);
    munmap(r->map, r->size);
    close(r->fd);
    free(r->name);
    *r = (struct vision_ring){0};
}
