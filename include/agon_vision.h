/* libagon: reading the pictures of agon's Game-RL environments.
 *
 * configure_streams answers a descriptor for each stream; transport.shm_name in it is the name to open here. The server
 * writes each picture into the next of a few slots in shared memory; this reader copies the newest one out, whole or
 * not at all. It only reads, validates everything it finds there, and never waits for the writer.
 *
 *     struct agon_vision *v;
 *     struct agon_vision_info info;
 *     struct agon_frame frame;
 *
 *     if (agon_vision_open("/grl.4711.9f3c51aa.0", &v, &info) != AGON_OK)
 *         ...
 *     void *pixels = malloc(info.frame_bytes);
 *     if (agon_vision_latest(v, &frame, pixels, info.frame_bytes) == AGON_OK)
 *         ... info.height rows of info.row_stride bytes
 *     agon_vision_close(v);
 *
 * A reader belongs to one thread at a time; several may read the same stream.
 */
#ifndef AGON_VISION_H
#define AGON_VISION_H

#include "agon.h" /* AGON_OK, AGON_API, agon_status_text */

#ifdef __cplusplus
extern "C" {
#endif

enum agon_vision_status {
    AGON_NO_FRAME = -1,  /* nothing has been drawn yet */
    AGON_CLOSED = -2,    /* the server has closed the stream; close it here too */
    AGON_OVERRUN = -3,   /* the writer was faster, several times in a row; try again */
    AGON_TOO_SMALL = -4, /* the buffer is smaller than frame_bytes */
    AGON_FORMAT = -5,    /* not a vision stream, or a damaged one */
    AGON_SYSTEM = -6     /* the system refused; errno says why */
};

/* How a pixel is stored; numbers are little-endian. */
enum agon_pixel_format {
    AGON_RGBA8 = 0, /* four bytes: colours, or class, instance, owner, 255 of a segmentation */
    AGON_BGRA8 = 1,
    AGON_RGB8 = 2,
    AGON_R32F = 3, /* a float: metres of a depth picture */
    AGON_RG32F = 4 /* two floats: pixels moved to the right and down since the last picture */
};

struct agon_vision; /* an open stream */

/* What stays the same as long as the stream is open. */
struct agon_vision_info {
    uint32_t width, height;
    uint32_t row_stride; /* bytes from row to row */
    uint32_t bytes_per_pixel;
    uint32_t pixel_format; /* enum agon_pixel_format */
    uint32_t ring_count;   /* pictures that are kept */
    uint64_t frame_bytes;
    uint64_t pid, session; /* of the server that draws */
    char stream_id[65];
};

struct agon_frame {
    uint64_t id; /* 0, 1, 2...: frame_ids of step answers name them */
    uint64_t tick, step_id;
    uint64_t time_ns; /* of the monotonic clock, when it was complete */
    uint32_t size;    /* bytes of the picture */
    uint32_t crc32;   /* of these bytes; 0 when the server does not compute it (--vision-crc) */
};

/* Opens a stream by its shm_name: a shared memory object, or with --vision-dir the absolute path of a file. AGON_OK, or
 * AGON_FORMAT, AGON_CLOSED, AGON_SYSTEM; then *v is NULL. `info` may be NULL. */
AGON_API int agon_vision_open(const char *name, struct agon_vision **v, struct agon_vision_info *info);

/* Copies the newest picture into `pixels`. AGON_OK, or AGON_NO_FRAME, AGON_CLOSED, AGON_OVERRUN, AGON_TOO_SMALL,
 * AGON_FORMAT; then the contents of `pixels` are undefined. */
AGON_API int agon_vision_latest(struct agon_vision *v, struct agon_frame *frame, void *pixels, size_t room);

/* NULL is allowed. */
AGON_API void agon_vision_close(struct agon_vision *v);

#ifdef __cplusplus
}
#endif
#endif
