// The writer of a vision stream: a ring of pictures in POSIX shared memory, or in a file (G20).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VISION_RING_COUNT = 4, VISION_NAME_ROOM = 4200 };

struct vision_spec {
    const char *dir; // an absolute path; NULL: POSIX shared memory
    const char *stream_id;
    uint32_t session; // of the process, at random; part of the name
    uint32_t number;  // of the stream in the session
    uint32_t width, height, bytes_per_pixel, pixel_format;
    bool crc; // frames carry a CRC-32
};

struct vision_header;

struct vision_ring {
    struct vision_header *map; // NULL: not open
    uint64_t size;
    uint64_t next;   // frame id
    uint64_t stride; // of slots
    uint64_t frame_bytes;
    int fd; // locked as long as the ring exists; a sweep sees by that that it is in use
    bool crc, in_shm;
    char *name; // "/grl.<pid>.<8 hex>.<n>", or the path of the file
};

uint64_t vision_ring_size(uint32_t width, uint32_t height, uint32_t bytes_per_pixel); // of the whole object
uint64_t vision_ring_offset(const struct vision_ring *r, int slot);                   // of its picture

// Returns 0 or an errno; on failure nothing stays. The memory is allocated here, so that writing cannot fail later.
int vision_ring_open(struct vision_ring *r, const struct vision_spec *s);
void *vision_ring_begin(struct vision_ring *r); // memory of the next picture; readers ignore it until vision_ring_end
uint64_t vision_ring_end(struct vision_ring *r, uint64_t tick, uint64_t step_id); // the id of the frame
void vision_ring_close(struct vision_ring *r);                                    // marked closed, cleared, unlinked

// Removes rings that dead processes of this user left. `dir` as above.
void vision_sweep(const char *dir);

uint32_t vision_crc32(const void *bytes, size_t size); // as in zlib and PNG
