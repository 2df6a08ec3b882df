// test_vision: descriptors, rings, and what must not be visible in them (C95-C100).
#include "verify/gamerl_internal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 4096, SLOT_HEADER = 64, LATEST = 0x80, END_MS = 2000 }; // G20.5

// A ring as its descriptor says. Everything read from it is checked against `size`: the server may be wrong.
struct ring {
    const uint8_t *at;
    size_t size;
    int count;
    size_t frame_bytes;
    int64_t offset[16]; // of the pixels of each slot
};

// POSIX shared memory, or a file if the name is a path.
static int open_object(const char *name)
{
    return strchr(name + 1, '/') ? open(name, O_RDONLY | O_CLOEXEC) : shm_open(name, O_RDONLY, 0);
}

static bool object_exists(const char *name)
{
    int fd = open_object(name);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static size_t bytes_per_pixel(const char *format)
{
    static const struct {
        const char *name;
        size_t bytes;
    } formats[] = {{"rgba8", 4}, {"bgra8", 4}, {"rgb8", 3}, {"r32f", 4}, {"rg32f", 8}};
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].bytes;
    return 0;
}

static void ring_open(struct ring *r, struct gamerl *g, json_t *stream)
{
    const char *name = gr_text(stream, "transport.shm_name");
    struct stat s = {0};
    *r = (struct ring){.count = (int)gr_int(stream, "ring_count")};
    if (strcmp(gr_text(stream, "transport.type"), "shm") != 0)
        gr_skip(g, "the transport is not shared memory");
    if (!gr_goes_on(g) || !gr_check(g, name[0] && r->count > 1 && r->count <= 16, "no ring of a known size"))
        return;
    int fd = open_object(name);
    if (!gr_check(g, fd >= 0 && fstat(fd, &s) == 0, "%s cannot be opened", name))
        return;
    r->size = (size_t)s.st_size;
    void *at = mmap(NULL, r->size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (!gr_check(g, at != MAP_FAILED, "%s cannot be mapped", name))
        return;
    r->at = at;
    r->frame_bytes =
        (size_t)(gr_int(stream, "width") * gr_int(stream, "height")) * bytes_per_pixel(gr_text(stream, "pixel_format"));
    for (int i = 0; i < r->count; i++)
        r->offset[i] = json_integer_value(json_array_get(gr_get(stream, "transport.offsets"), (size_t)i));
}

static void ring_close(struct ring *r)
{
    if (r->at)
        munmap((void *)r->at, r->size);
    r->at = NULL;
}

static uint64_t word_at(const struct ring *r, int64_t offset)
{
    uint64_t word = 0;
    if (r->at && offset >= 0 && (size_t)offset + 8 <= r->size)
        memcpy(&word, r->at + offset, 8);
    return word;
}

// FNV-1a: compared only with itself.
static uint64_t checksum(const struct ring *r, int64_t frame)
{
    uint64_t sum = 0xcbf29ce484222325u;
    const uint8_t *at = r->at ? r->at + r->offset[frame % r->count] : NULL;
    for (size_t i = 0; at && i < r->frame_bytes; i++)
        sum = (sum ^ at[i]) * 0x100000001b3u;
    return sum;
}

// --- streams of an agent

static json_t *configure_streams(struct gr_agent *a, const char *profile)
{
    json_t *result = gr_must(a->g, a->at, "configure_streams", "{s:s,s:s*}", "agent_id", a->id, "profile", profile);
    return json_object_get(result, "streams");
}

static const char *first_profile(struct gamerl *g)
{
    json_t *profiles = json_object_get(g->manifest, "stream_profiles");
    return json_object_iter_key(json_object_iter(profiles));
}

static void register_viewer(struct gr_agent *a, struct gamerl *g, const char *id)
{
    gr_offers(g, "configure_streams");
    gr_check(g, first_profile(g), "no stream profile is declared");
    gr_player(a, g, gr_connect(g), id, 0, NULL);
}

static int64_t frame_of(struct gr_agent *a, json_t *stream)
{
    json_t *id = json_object_get(gr_get(a->step, "frame_ids"), gr_text(stream, "stream_id"));
    gr_check(a->g, json_is_integer(id), "the step has no frame id of %s", gr_text(stream, "stream_id"));
    return json_integer_value(id);
}

static void check_descriptor(struct gamerl *g, json_t *stream)
{
    struct ring r;
    gr_shape(g, "stream_descriptor", stream);
    int64_t count = gr_int(stream, "ring_count");
    gr_check(g, (int64_t)json_array_size(gr_get(stream, "transport.offsets")) == count, "%lld slots, %zu offsets",
             (long long)count, json_array_size(gr_get(stream, "transport.offsets")));
    ring_open(&r, g, stream);
    for (int i = 0; i < r.count && gr_goes_on(g); i++)
        gr_check(g, r.offset[i] >= 0 && (size_t)r.offset[i] + r.frame_bytes <= r.size, "slot %d ends behind the object",
                 i);
    gr_check(g, !g->own || !r.at || memcmp(r.at, "GRLVIS1", 8) == 0, "the object does not begin with GRLVIS1");
    ring_close(&r);
}

static void descriptors(struct gamerl *g)
{
    struct gr_agent a;
    const char *name;
    json_t *profile, *stream, *streams;
    size_t i;
    register_viewer(&a, g, "profiles");
    json_object_foreach(json_object_get(g->manifest, "stream_profiles"), name, profile)
    {
        streams = configure_streams(&a, name);
        gr_check(g, json_array_size(streams) == json_array_size(json_object_get(profile, "streams")),
                 "%s has %zu streams", name, json_array_size(streams));
        json_array_foreach(streams, i, stream)
        {
            check_descriptor(g, stream);
        }
    }
}

// A careful reader's check of frame N (G20.7).
static bool is_frame(const struct ring *r, int64_t frame)
{
    int64_t slot = r->offset[frame % r->count] - SLOT_HEADER;
    return word_at(r, slot) % 2 == 0 && (int64_t)word_at(r, slot + 8) == frame;
}

static void ring_wraps(struct gamerl *g)
{
    struct gr_agent a;
    struct ring r;
    register_viewer(&a, g, "ring");
    gr_reset(&a, 1, NULL);
    json_t *stream = json_array_get(configure_streams(&a, first_profile(g)), 0);
    ring_open(&r, g, stream);
    int64_t first = -1, last = -1;
    for (int i = 0; i < 2 * r.count + 1 && gr_goes_on(g); i++) {
        if (gr_is_over(&a)) { // a reset is visible too
            gr_reset(&a, 2 + i, NULL);
            last = frame_of(&a, stream);
        }
        gr_step(&a, gr_legal_action(&a), 1);
        int64_t frame = frame_of(&a, stream);
        gr_check(g, last < 0 || frame == last + 1, "frame %lld follows %lld", (long long)frame, (long long)last);
        gr_check(g, !g->own || is_frame(&r, frame), "frame %lld is not in its slot", (long long)frame);
        gr_check(g, !g->own || (int64_t)word_at(&r, LATEST) == frame + 1, "the latest frame is not %lld",
                 (long long)frame);
        first = first < 0 ? frame : first;
        last = frame;
    }
    gr_check(g, !g->own || !is_frame(&r, first), "an overrun frame looks as if it were there");
    ring_close(&r);
}

static void pixel_course(struct gr_agent *a, int64_t seed, uint64_t sums[8])
{
    struct gamerl *g = a->g;
    struct ring r;
    gr_reset(a, seed, NULL);
    json_t *stream = json_array_get(configure_streams(a, first_profile(g)), 0);
    ring_open(&r, g, stream);
    for (int i = 0; i < 8; i++) {
        sums[i] = 0;
        if (gr_is_over(a))
            continue;
        gr_step(a, gr_ending_action(a), 1);
        sums[i] = checksum(&r, gr_goes_on(g) ? frame_of(a, stream) : 0);
    }
    ring_close(&r);
}

static void same_pixels(struct gamerl *g)
{
    struct gr_agent a;
    uint64_t first[8], second[8], other[8];
    register_viewer(&a, g, "pixels");
    pixel_course(&a, 5, first);
    pixel_course(&a, 5, second);
    pixel_course(&a, 6, other);
    for (int seed = 7; seed < 14 && gr_goes_on(g) && memcmp(first, other, sizeof first) == 0; seed++)
        pixel_course(&a, seed, other); // a small game may deal the same cards again
    gr_check(g, memcmp(first, second, sizeof first) == 0, "same seed and actions, other pixels");
    gr_check(g, memcmp(first, other, sizeof first) != 0, "another state has the same pixels");
}

static void too_much(struct gamerl *g)
{
    struct gr_agent a;
    json_t *streams = gr_pack(g, "[]");
    register_viewer(&a, g, "greedy");
    for (int i = 0; i < 9; i++)
        json_array_append_new(streams,
                              json_pack("{s:s,s:s,s:i,s:i}", "name", "eye", "type", "rgb", "width", 64, "height", 64));
    gr_refused(g, a.at, -32004, "configure_streams", "{s:s,s:{s:O}}", "agent_id", a.id, "custom", "streams", streams);
    json_array_clear(streams);
    for (int i = 0; i < 8; i++)
        json_array_append_new(
            streams, json_pack("{s:s,s:s,s:i,s:i}", "name", "eye", "type", "rgb", "width", 4096, "height", 4096));
    gr_refused(g, a.at, -32004, "configure_streams", "{s:s,s:{s:O}}", "agent_id", a.id, "custom", "streams", streams);
}

// --- lifetime of the objects

static void name_of(struct gr_agent *a, char name[256])
{
    json_t *stream = json_array_get(configure_streams(a, first_profile(a->g)), 0);
    snprintf(name, 256, "%s", gr_text(stream, "transport.shm_name"));
    gr_check(a->g, name[0] && object_exists(name), "there is no object");
}

static void check_mode(struct gamerl *g, const char *name)
{
    struct stat s = {0};
    int fd = gr_goes_on(g) ? open_object(name) : -1;
    gr_check(g, fd >= 0 && fstat(fd, &s) == 0 && (s.st_mode & 0777) == 0600, "the mode of %s is %o, not 600", name,
             s.st_mode & 0777);
    if (fd >= 0)
        close(fd);
}

static void end_by(struct gamerl *g, const char *how, void (*end)(struct rpc *r), bool again)
{
    struct gr_agent a;
    char name[256] = "";
    register_viewer(&a, g, "mortal");
    name_of(&a, name);
    if (!gr_goes_on(g))
        return;
    end(a.at);
    rpc_exit_status(a.at, END_MS);
    if (again)
        gr_connect(g);
    gr_check(g, !object_exists(name), "the object is still there after %s", how);
}

static void by_signal(struct rpc *r)
{
    kill(r->pid, SIGTERM);
}

static void by_kill(struct rpc *r)
{
    kill(r->pid, SIGKILL);
}

static void cleaned(struct gamerl *g)
{
    struct gr_agent a;
    char name[256] = "";
    register_viewer(&a, g, "tidy");
    name_of(&a, name);
    check_mode(g, name);
    gr_must(g, a.at, "deregister_agent", "{s:s}", "agent_id", a.id);
    gr_check(g, !gr_goes_on(g) || !object_exists(name), "the object is still there after deregistration");
    if (g->at_socket)
        return;
    end_by(g, "the end of the input", rpc_end_input, false);
    end_by(g, "SIGTERM", by_signal, false);
    end_by(g, "SIGKILL and a new start", by_kill, true);
}

static void hidden_cards(struct gamerl *g)
{
    struct gr_agent a;
    struct ring r;
    uint64_t sums[2][16] = {0};
    int count = 0;
    if (!json_object_get(g->tools, "configure_streams"))
        gr_skip(g, "there are no streams");
    register_viewer(&a, g, "blind");
    for (int i = 0; i < 2 && gr_goes_on(g); i++) {
        gr_reset(&a, 1, gr_deck(g, i));
        json_t *streams = configure_streams(&a, "perception"), *stream;
        size_t k;
        gr_reset(&a, 1, gr_deck(g, i));
        count = (int)json_array_size(streams);
        json_array_foreach(streams, k, stream)
        {
            ring_open(&r, g, stream);
            if (k < 16 && gr_goes_on(g))
                sums[i][k] = checksum(&r, frame_of(&a, stream));
            ring_close(&r);
        }
    }
    gr_check(g, count > 0 && memcmp(sums[0], sums[1], sizeof sums[0]) == 0, "frames depend on what is hidden");
}

const struct gamerl_gate gamerl_vision[] = {
    {"C95", 2, false, "G20.3 G20.5",
     "every profile: descriptors validate, offsets count is ring_count, object large enough", descriptors},
    {"C96", 2, false, "G20.6 G20.7", "frame N is in slot N mod ring_count; the ring wraps; overrun is detectable",
     ring_wraps},
    {"C97", 2, false, "G29.1", "same seed and actions: same pixel checksums; other state: others", same_pixels},
    {"C98", 2, false, "G20.8", "oversized or too many streams: -32004", too_much},
    {"C99", 2, false, "G20.4 G20.9",
     "object mode 0600, opens read-only; gone after deregistration, EOF, SIGTERM; after SIGKILL removed by the next "
     "start",
     cleaned},
    {"C100", 0, false, "G29.3", "a seat's frames do not change with hidden cards", hidden_cards},
    {0},
};
