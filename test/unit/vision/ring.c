// Rings in shared memory: their bytes, the two ends, damaged headers, what is left behind (G20.4-G20.9).
#include "vision/ring.h"
#include "agon_vision.h"
#include "vision/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
// clang-format off
#include <cmocka.h>
// clang-format on

static char folder[64];

static struct vision_spec spec_of(const char *dir, uint32_t number)
{
    return (struct vision_spec){.dir = dir,
                                .stream_id = "rgb_0",
                                .session = 0xabcd0123,
                                .number = number,
                                .width = 10,
                                .height = 7,
                                .bytes_per_pixel = 3,
                                .pixel_format = AGON_RGB8,
                                .crc = true};
}

static uint64_t write_frame(struct vision_ring *r, int shade)
{
    memset(vision_ring_begin(r), shade, r->frame_bytes);
    return vision_ring_end(r, 100 + (uint64_t)shade, 200 + (uint64_t)shade);
}

static uint64_t number_at(const void *map, size_t at, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)map + at, size);
    return value;
}

// The layout, by its bytes.
static void test_layout(void **state)
{
    static const struct {
        size_t at, size;
        uint64_t value;
    } fields[] = {
        {0x008, 4, 1},
        {0x00c, 4, 4096},
        {0x010, 4, 10},
        {0x014, 4, 7},
        {0x018, 4, 30},
        {0x01c, 4, 2},
        {0x020, 4, 4},
        {0x024, 4, 3},
        {0x028, 8, 4096},
        {0x030, 8, 210},
        {0x038, 8, 20480},
        {0x048, 8, 0xabcd0123},
        {0x080, 8, 6},
        {0x0c0, 4, 6},
        {0x0c4, 4, 1},
        // slot 1 has frame 5, the second one there
        {8192, 8, 4},
        {8200, 8, 5},
        {8208, 8, 105},
        {8216, 8, 205},
        {8232, 4, 210},
        {8240, 8, 0},
        {8248, 8, 0},
        {8256, 8, 0x0505050505050505},
    };
    struct vision_ring r;
    struct stat st;
    struct vision_spec spec = spec_of(NULL, 0);
    (void)state;
    assert_int_equal(vision_ring_open(&r, &spec), 0);
    for (int i = 0; i < 6; i++)
        assert_int_equal(write_frame(&r, i), i);
    assert_memory_equal(r.map, "GRLVIS1", 8);
    assert_memory_equal((char *)r.map + 0x100, "rgb_0\0", 6);
    assert_int_equal(number_at(r.map, 0x40, 8), getpid());
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_int_equal(number_at(r.map, fields[i].at, fields[i].size), fields[i].value);
    assert_int_equal(number_at(r.map, 8236, 4), vision_crc32((char *)r.map + 8256, 210));
    assert_int_equal(vision_ring_offset(&r, 1), 8256);
    char name[64];
    snprintf(name, sizeof name, "/grl.%d.abcd0123.0", getpid());
    assert_string_equal(r.name, name); // G20.4
    int fd = shm_open(name, O_RDONLY, 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(st.st_size, 20480);
    assert_int_equal(vision_ring_open(&(struct vision_ring){0}, &spec), EEXIST); // created exclusively
    vision_ring_close(&r);
    assert_int_equal(shm_open(name, O_RDONLY, 0), -1);
    // Whoever has it open still sees that it is closed, and no picture.
    char *map = mmap(NULL, 20480, PROT_READ, MAP_SHARED, fd, 0);
    assert_int_equal(number_at(map, 0xc4, 4), 2);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(number_at(map, 4096 + 4096 * (size_t)i, 8) & 1, 1);
        assert_int_equal(number_at(map, 4096 + 4096 * (size_t)i + 64, 8), 0);
    }
    munmap(map, 20480);
    close(fd);
}

static void test_crc(void **state)
{
    (void)state;
    assert_int_equal(vision_crc32("123456789", 9), 0xcbf43926);
    assert_int_equal(vision_crc32("", 0), 0);
    assert_int_equal(vision_crc32("The quick brown fox jumps over the lazy dog", 43), 0x414fa339);
}

// Both kinds of a ring are read alike.
static void test_reader(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct vision_ring r;
        struct agon_vision *v;
        struct agon_vision_info info;
        struct agon_frame frame;
        uint8_t pixels[210];
        struct vision_spec spec = spec_of(i ? folder : NULL, 1);
        assert_int_equal(vision_ring_open(&r, &spec), 0);
        assert_int_equal(agon_vision_open(r.name, &v, &info), AGON_OK);
        assert_int_equal(info.width, 10);
        assert_int_equal(info.height, 7);
        assert_int_equal(info.row_stride, 30);
        assert_int_equal(info.pixel_format, AGON_RGB8);
        assert_int_equal(info.frame_bytes, 210);
        assert_string_equal(info.stream_id, "rgb_0");
        assert_int_equal(agon_vision_latest(v, &frame, pixels, sizeof pixels), AGON_NO_FRAME);
        for (int k = 0; k < 9; k++) {
            write_frame(&r, k);
            assert_int_equal(agon_vision_latest(v, &frame, pixels, sizeof pixels), AGON_OK);
            assert_int_equal(frame.id, k);
            assert_int_equal(frame.tick, 100 + k);
            assert_int_equal(frame.step_id, 200 + k);
            assert_int_equal(frame.crc32, vision_crc32(pixels, sizeof pixels));
            assert_true(pixels[0] == k && pixels[209] == k && frame.time_ns > 0);
        }
        assert_int_equal(agon_vision_latest(v, &frame, pixels, 209), AGON_TOO_SMALL);
        vision_ring_close(&r);
        assert_int_equal(agon_vision_latest(v, &frame, pixels, sizeof pixels), AGON_CLOSED);
        agon_vision_close(v);
    }
    assert_string_equal(agon_status_text(AGON_CLOSED), "the stream is closed");
    assert_string_equal(agon_status_text(5), "unknown status");
    agon_vision_close(NULL);
}

// G20.7: a slot that is being written, or that has another frame by now, is not taken for the newest.
static void test_overrun(void **state)
{
    struct vision_ring r;
    struct agon_vision *v;
    struct agon_frame frame;
    uint8_t pixels[210];
    struct vision_spec spec = spec_of(NULL, 2);
    (void)state;
    assert_int_equal(vision_ring_open(&r, &spec), 0);
    assert_int_equal(agon_vision_open(r.name, &v, NULL), AGON_OK);
    write_frame(&r, 1);
    struct vision_slot *slot = (struct vision_slot *)((char *)r.map + 4096);
    slot->seq++;
    assert_int_equal(agon_vision_latest(v, &frame, pixels, sizeof pixels), AGON_OVERRUN);
    slot->seq++;
    assert_int_equal(agon_vision_latest(v, &frame, pixels, sizeof pixels), AGON_OK);
    slot->frame_id = 4;
    assert_int_equal(agon_vision_latest(v, &frame, pixels, sizeof pixels), AGON_OVERRUN);
    slot->frame_id = 0;
    slot->valid = 211;
    assert_int_equal(agon_vision_latest(v, &frame, pixels, sizeof pixels), AGON_FORMAT);
    r.map->latest = UINT64_MAX; // of a slot that exists, but has another frame
    assert_int_equal(agon_vision_latest(v, &frame, pixels, sizeof pixels), AGON_OVERRUN);
    agon_vision_close(v);
    vision_ring_close(&r);
}

// A writer as fast as it can and a reader beside it: whatever is read is one picture.
static void test_race(void **state)
{
    enum { FRAMES = 20000 };
    struct vision_ring r;
    struct agon_vision *v;
    struct agon_frame frame = {0};
    uint8_t pixels[210];
    uint64_t seen = 0, last = 0;
    struct vision_spec spec = spec_of(NULL, 6);
    (void)state;
    spec.crc = false;
    assert_int_equal(vision_ring_open(&r, &spec), 0);
    assert_int_equal(agon_vision_open(r.name, &v, NULL), AGON_OK);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < FRAMES; i++)
            write_frame(&r, i & 255);
        _exit(0);
    }
    while (last < FRAMES - 1) {
        int status = agon_vision_latest(v, &frame, pixels, sizeof pixels);
        assert_true(status == AGON_OK || status == AGON_OVERRUN || status == AGON_NO_FRAME);
        if (status != AGON_OK)
            continue;
        assert_true(frame.id >= last);
        for (unsigned i = 0; i < sizeof pixels; i++)
            assert_int_equal(pixels[i], frame.id & 255);
        seen += frame.id > last;
        last = frame.id;
    }
    waitpid(child, NULL, 0);
    assert_true(seen > 0);
    agon_vision_close(v);
    vision_ring_close(&r);
}

// Each field of the header is looked at before anything is done with it.
static void test_damage(void **state)
{
    static const struct {
        size_t at, size;
        uint64_t value;
    } cases[] = {
        {0x000, 1, 'g'},        {0x007, 1, 1},          {0x008, 4, 2},          {0x00c, 4, 4095},
        {0x010, 4, 0},          {0x010, 4, 4097},       {0x010, 4, 11},         {0x010, 4, UINT32_MAX},
        {0x014, 4, 0},          {0x014, 4, 8},          {0x014, 4, UINT32_MAX}, {0x018, 4, 29},
        {0x018, 4, 31},         {0x018, 4, UINT32_MAX}, {0x01c, 4, 0},          {0x01c, 4, 5},
        {0x01c, 4, UINT32_MAX}, {0x020, 4, 0},          {0x020, 4, 5},          {0x020, 4, UINT32_MAX},
        {0x024, 4, 0},          {0x024, 4, 4},          {0x028, 8, 0},          {0x028, 8, 8192},
        {0x028, 8, UINT64_MAX}, {0x030, 8, 0},          {0x030, 8, 211},        {0x030, 8, UINT64_MAX},
        {0x038, 8, 0},          {0x038, 8, 24576},      {0x038, 8, UINT64_MAX}, {0x0c4, 4, 0},
        {0x0c4, 4, 3},
    };
    struct vision_ring r;
    struct agon_vision *v;
    struct vision_spec spec = spec_of(folder, 3);
    (void)state;
    assert_int_equal(vision_ring_open(&r, &spec), 0);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *at = (char *)r.map + cases[i].at;
        uint64_t before = number_at(at, 0, cases[i].size);
        memcpy(at, &cases[i].value, cases[i].size);
        assert_int_equal(agon_vision_open(r.name, &v, NULL), AGON_FORMAT);
        assert_null(v);
        memcpy(at, &before, cases[i].size);
    }
    assert_int_equal(agon_vision_open(r.name, &v, NULL), AGON_OK);
    uint8_t pixels[210];
    struct agon_frame frame;
    write_frame(&r, 1);
    assert_int_equal(truncate(r.name, 8192), 0); // cut short while it is open
    assert_int_equal(agon_vision_latest(v, &frame, pixels, sizeof pixels), AGON_FORMAT);
    agon_vision_close(v);
    assert_int_equal(agon_vision_open(r.name, &v, NULL), AGON_FORMAT); // and before
    assert_int_equal(truncate(r.name, (off_t)r.size), 0);
    vision_ring_close(&r);
    assert_int_equal(agon_vision_open("/grl.1.00000000.99", &v, NULL), AGON_SYSTEM);
    assert_int_equal(agon_vision_open(folder, &v, NULL), AGON_FORMAT);
    assert_int_equal(agon_vision_open("/dev/zero", &v, NULL), AGON_FORMAT);
}

static bool is_there(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void leave(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_CREAT | O_RDWR, 0600);
    assert_true(fd >= 0);
    close(fd);
}

// A process dies without a word: its rings go at the next start, nobody else's.
static void test_sweep(void **state)
{
    struct vision_ring alive;
    struct vision_spec spec = spec_of(folder, 4);
    char dead[64], shm[80];
    (void)state;
    int told[2], stop[2], fd;
    assert_int_equal(pipe(told) | pipe(stop), 0);
    pid_t child = fork();
    if (child == 0) {
        struct vision_ring r, s;
        struct vision_spec in_shm = spec_of(NULL, 4);
        close(stop[1]);
        if (vision_ring_open(&r, &spec) || vision_ring_open(&s, &in_shm) || write(told[1], "", 1) != 1)
            _exit(1);
        _exit(read(stop[0], dead, 1) != 0);
    }
    close(told[1]);
    close(stop[0]);
    assert_int_equal(read(told[0], dead, 1), 1);
    snprintf(dead, sizeof dead, "grl.%d.abcd0123.4", child);
    snprintf(shm, sizeof shm, "/%s", dead);
    vision_sweep(folder);
    vision_sweep(NULL);
    assert_true(is_there(dead));
    // Seen now: others sweep there, too, as soon as the child is gone.
    assert_true((fd = shm_open(shm, O_RDONLY, 0)) >= 0);
    close(fd);
    close(stop[1]);
    close(told[0]);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(vision_ring_open(&alive, &spec), 0);
    static const char *const others[] = {"grl.x.abcd0123.1", "grl.99999999.abcd012.1", "grl.99999999.abcd0123.",
                                         "grl.99999999.abcd0123.1.txt", "frl.99999999.abcd0123.1"};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        leave(others[i]);
    assert_true(is_there(dead));
    vision_sweep(folder);
    assert_false(is_there(dead));
    assert_int_equal(access(alive.name, F_OK), 0);
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++) {
        char path[128];
        assert_true(is_there(others[i]));
        snprintf(path, sizeof path, "%s/%s", folder, others[i]);
        unlink(path);
    }
    vision_sweep(NULL);
    assert_int_equal(shm_open(shm, O_RDONLY, 0), -1);
    vision_ring_close(&alive);
    vision_sweep("/nowhere/at/all");
}

// A folder that is not there, or a device that is full, leaves nothing behind.
static void test_refused(void **state)
{
    struct vision_ring r;
    struct vision_spec spec = spec_of("/nowhere/at/all", 5);
    (void)state;
    assert_int_equal(vision_ring_open(&r, &spec), ENOENT);
    assert_null(r.map);
    vision_ring_close(&r);
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/agon-vision-XXXXXX");
    return !mkdtemp(folder);
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder); // it is empty again
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),  cmocka_unit_test(test_crc),     cmocka_unit_test(test_reader),
        cmocka_unit_test(test_overrun), cmocka_unit_test(test_race),    cmocka_unit_test(test_damage),
        cmocka_unit_test(test_sweep),   cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
