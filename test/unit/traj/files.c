// G19.10: where files may be, who may write them, and what happens to bad ones.
#include "traj_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/agon-traj-XXXXXX");
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    rmdir("sub");
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));)
        unlink(e->d_name);
    closedir(d);
    return chdir("/") || rmdir(folder);
}

static int count_files(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static const char header[] = "{\"format\":\"game-rl-trajectory\",\"version\":1,\"game\":\"toy\",\"partial\":false}";

// Pictures, and what looks like them: of another form than those before, of no form, not base64, cut.
static const char *const frames[] = {
    "{\"rgb_0\":{\"dtype\":\"uint8\",\"shape\":[1,2,3],\"data\":\"AAECAwQF\"}}",
    "{\"rgb_0\":{\"dtype\":\"uint8\",\"shape\":[1,2,3],\"data\":\"/+7dzLuq\"},"
    "\"depth_1\":{\"dtype\":\"float32\",\"shape\":[1,1,1],\"data\":\"AACAPw==\"}}",
    "{\"rgb_0\":{\"dtype\":\"uint8\",\"shape\":[2,1,3],\"data\":\"AAECAwQF\"}}",
    "{\"rgb_0\":{\"dtype\":\"float32\",\"shape\":[1,2,3],\"data\":\"AAECAwQF\"}}",
    "{\"rgb_0\":{\"dtype\":\"uint8\",\"shape\":[1,2,3],\"data\":\"AAEC\"},\"x\":{\"data\":\"Zh==\"},\"y\":{}}",
    "{\"rgb_0\":{\"shape\":[1,2,3],\"data\":\"h\\u00e9\"},\"./x\":{\"dtype\":\"uint8\",\"shape\":[1,1,1],\"data\":"
    "\"AA==\"}}",
    "{}",
};
enum { FRAMES = sizeof frames / sizeof *frames };

// A small trajectory with all kinds of records.
static void write_all(struct traj_writer *w, int steps)
{
    char line[2048];
    traj_write_record(w, SPAN("{\"k\":\"reset\",\"episode\":1,\"agents\":[{\"agent_id\":\"w\",\"continuous\":2}],"
                              "\"state_hash\":\"sha256:"
                              "0000000000000000000000000000000000000000000000000000000000000000\","
                              "\"observations\":{\"a\":{\"vector\":[0,0.5]},\"w\":{}}}"));
    traj_write_record(w, SPAN("{\"k\":\"message\",\"tick\":0,\"content\":{\"text\":\"h\\u00e9\"}}"));
    for (int i = 0; i < steps; i++) {
        snprintf(
            line, sizeof line,
            "{\"k\":\"step\",\"step_id\":%d,\"tick\":%d,\"ticks\":1,\"sync_mode\":\"barrier\",\"state_hash\":"
            "\"sha256:%064d\",\"entries\":[{\"agent_id\":\"a\",\"action\":{\"type\":\"x\",\"params\":{},\"index\":"
            "3},\"reward\":0.125,\"reward_components\":{\"z\":0.125,\"b\":0},\"done\":false,\"truncated\":false,"
            "\"observation\":{\"vector\":[%d,1]},\"events\":[],\"frames\":%s},{\"agent_id\":\"w\",\"action\":[1,0.5],"
            "\"reward\":0,\"reward_components\":{},\"done\":true,\"truncated\":false,\"observation\":{},"
            "\"termination_reason\":\"success\",\"events\":[]}]}",
            i + 1, i + 1, i, i, frames[i % FRAMES]);
        traj_write_record(w, span_of(line));
    }
    traj_write_record(w, SPAN("{\"k\":\"agent\",\"tick\":3,\"event\":\"deregistered\",\"agent_id\":\"a\"}"));
    traj_write_record(w, SPAN("{\"k\":\"reset\",\"episode\":2,\"agents\":[],\"state_hash\":\"sha256:"
                              "1111111111111111111111111111111111111111111111111111111111111111\"}"));
}

static enum traj_fault write_file(const char *name, enum traj_format f, int steps, struct traj_done *done)
{
    struct traj_path p;
    struct traj_writer *w = NULL;
    enum traj_fault fault = traj_path_resolve(&p, folder, span_of(name));
    if (fault == TRAJ_FINE) {
        fault = traj_file_open(&w, &p, f, span_of(header));
        traj_path_release(&p);
    }
    if (fault != TRAJ_FINE)
        return fault;
    write_all(w, steps);
    return traj_file_close(w, done);
}

// 0: sound, 1: whole, but changed, -1: damaged; its lines in `lines`, when asked.
static int read_file(const char *name, struct text *lines, enum traj_fault *fault)
{
    struct traj_path p;
    struct traj_reader *r = NULL;
    enum traj_kind kind;
    struct span record;
    int found;
    if ((*fault = traj_path_resolve(&p, folder, span_of(name))) != TRAJ_FINE)
        return -1;
    *fault = traj_read_open(&r, &p);
    traj_path_release(&p);
    if (*fault != TRAJ_FINE)
        return -1;
    while ((found = traj_read_next(r, &kind, &record)) == 1)
        if (lines) {
            text_put(lines, record);
            text_put_char(lines, '\n');
        }
    found = found == 0 && traj_read_changed(r) ? 1 : found;
    traj_read_close(r);
    return found;
}

static const struct {
    const char *name;
    enum traj_format format;
} formats[] = {{"a.json", TRAJ_JSON}, {"a.jsonl", TRAJ_JSONL}, {"a.msgpack", TRAJ_MSGPACK}, {"a.h5", TRAJ_HDF5}};
enum { FORMATS = sizeof formats / sizeof *formats };

// Every format gives back the same records, byte for byte (G19.3, G19.4).
static void test_same(void **state)
{
    static const int lengths[] = {0, 1, 255, 256, 257, 1000};
    (void)state;
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
        struct text lines[FORMATS] = {0};
        for (int i = 0; i < FORMATS; i++) {
            struct traj_done done = {0};
            enum traj_fault fault;
            lines[i].grow = traj_text_grow;
            assert_int_equal(write_file(formats[i].name, formats[i].format, lengths[n], &done), TRAJ_FINE);
            struct stat st;
            assert_int_equal(stat(formats[i].name, &st), 0);
            assert_int_equal(st.st_size, done.bytes);
            assert_int_equal(done.steps, lengths[n]);
            assert_int_equal(done.episodes, 2);
            assert_int_equal(read_file(formats[i].name, &lines[i], &fault), 0);
            if (!span_equals(text_span(&lines[i]), text_span(&lines[0])))
                fail_msg("%s differs:\n%.2000s\n%.2000s", formats[i].name, lines[i].at, lines[0].at);
        }
        for (int i = 0; i < FORMATS; i++)
            free(lines[i].at);
    }
    assert_int_equal(count_files(), FORMATS); // nothing aside
}

static void test_paths(void **state)
{
    static const struct {
        const char *path;
        enum traj_fault fault;
    } cases[] = {
        {"x", TRAJ_FINE},       {"sub/x", TRAJ_FINE},          {"", TRAJ_OUTSIDE},
        {"..", TRAJ_OUTSIDE},   {"../x", TRAJ_OUTSIDE},        {"sub/../x", TRAJ_OUTSIDE},
        {"./x", TRAJ_OUTSIDE},  {"sub//x", TRAJ_OUTSIDE},      {"x/", TRAJ_OUTSIDE},
        {".x", TRAJ_OUTSIDE},   {"/etc/passwd", TRAJ_OUTSIDE}, {"/", TRAJ_OUTSIDE},
        {"a\nb", TRAJ_OUTSIDE}, {"missing/x", TRAJ_OUTSIDE},   {"link/x", TRAJ_LINK}, // a folder elsewhere
        {"file/x", TRAJ_LINK},
    };
    struct traj_path p;
    char absolute[128];
    (void)state;
    mkdir("sub", 0700);
    symlink("/tmp", "link");
    close(open("file", O_CREAT | O_WRONLY, 0600));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (traj_path_resolve(&p, folder, span_of(cases[i].path)) != cases[i].fault)
            fail_msg("%s", cases[i].path);
        traj_path_release(&p);
    }
    snprintf(absolute, sizeof absolute, "%s/sub/x", folder);
    assert_int_equal(traj_path_resolve(&p, folder, span_of(absolute)), TRAJ_FINE);
    traj_path_release(&p);
}

// Links and special files are neither written nor read.
static void test_special(void **state)
{
    struct traj_done done;
    enum traj_fault fault;
    static const char *const names[] = {"to_passwd", "dangling", "fifo", "sub"};
    (void)state;
    symlink("/etc/passwd", "to_passwd");
    symlink("nowhere", "dangling");
    mkfifo("fifo", 0600);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(write_file(names[i], TRAJ_JSON, 1, &done), TRAJ_LINK);
        assert_int_equal(read_file(names[i], NULL, &fault), -1);
        assert_int_equal(fault, TRAJ_LINK);
    }
    assert_int_equal(read_file("nothing", NULL, &fault), -1);
    assert_int_equal(fault, TRAJ_MISSING);
}

// A full disk leaves what was there, and nothing aside.
static void test_full(void **state)
{
    struct rlimit before, small = {8192, RLIM_INFINITY};
    struct traj_done done;
    enum traj_fault fault;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    for (int i = 0; i < FORMATS; i++) {
        assert_int_equal(write_file(formats[i].name, formats[i].format, 3, &done), TRAJ_FINE);
        int files = count_files();
        setrlimit(RLIMIT_FSIZE, &small);
        fault = write_file(formats[i].name, formats[i].format, 4000, &done);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(fault, TRAJ_NO_ROOM);
        assert_int_equal(count_files(), files);
        assert_int_equal(read_file(formats[i].name, NULL, &fault), 0);
    }
}

// --- recordings

static const char step_line[] = "{\"k\":\"step\",\"step_id\":1,\"tick\":1,\"ticks\":1,\"sync_mode\":\"async\","
                                "\"state_hash\":\"sha256:"
                                "2222222222222222222222222222222222222222222222222222222222222222\",\"entries\":[]}";
static const char reset_line[] = "{\"k\":\"reset\",\"episode\":1,\"agents\":[],\"state_hash\":\"sha256:"
                                 "3333333333333333333333333333333333333333333333333333333333333333\"}";
static const char streamed[] = "{\"format\":\"game-rl-trajectory\",\"version\":1,\"game\":\"toy\",\"streamed\":true}";

static void test_two_writers(void **state)
{
    static const char *const names[] = {"r.jsonl", "r.msgpack", "r.h5"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct traj_journal *one, *two;
        struct traj_done done;
        enum traj_fault fault;
        assert_int_equal(traj_journal_open(&one, folder, span_of(names[i]), span_of(streamed)), TRAJ_FINE);
        traj_journal_add(one, span_of(reset_line));
        int files = count_files();
        assert_int_equal(traj_journal_open(&two, folder, span_of(names[i]), span_of(streamed)), TRAJ_BUSY);
        assert_int_equal(write_file(names[i], TRAJ_JSON, 1, &done), TRAJ_BUSY);
        assert_int_equal(count_files(), files);
        traj_journal_add(one, span_of(step_line));
        assert_int_equal(traj_journal_close(one), TRAJ_FINE);
        assert_int_equal(read_file(names[i], NULL, &fault), 0);
        assert_int_equal(write_file(names[i], TRAJ_JSON, 1, &done), TRAJ_FINE); // free again
    }
}

// G19.1: wherever a recording stops, what was whole is there.
static void test_crash(void **state)
{
    static const char *const names[] = {"c.jsonl", "c.msgpack"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct traj_journal *t;
        struct stat whole;
        enum traj_fault fault;
        size_t last = SIZE_MAX;
        assert_int_equal(traj_journal_open(&t, folder, span_of(names[i]), span_of(streamed)), TRAJ_FINE);
        traj_journal_add(t, span_of(reset_line));
        stat(names[i], &whole);
        for (int s = 0; s < 3; s++)
            traj_journal_add(t, span_of(step_line));
        assert_int_equal(traj_journal_close(t), TRAJ_FINE);
        struct stat st;
        stat(names[i], &st);
        for (off_t size = st.st_size - 1; size >= whole.st_size; size--) {
            struct text lines = {.grow = traj_text_grow};
            assert_int_equal(truncate(names[i], size), 0);
            assert_int_equal(read_file(names[i], &lines, &fault), 0);
            assert_true(lines.size <= last);
            last = lines.size;
            free(lines.at);
        }
    }
}

static void test_tape_full(void **state)
{
    struct rlimit before, small = {4096, RLIM_INFINITY};
    struct traj_journal *t;
    enum traj_fault fault;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(traj_journal_open(&t, folder, SPAN("full.jsonl"), span_of(streamed)), TRAJ_FINE);
    traj_journal_add(t, span_of(reset_line));
    setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 100; i++)
        traj_journal_add(t, span_of(step_line));
    assert_int_equal(traj_journal_error(t), EFBIG);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(traj_journal_close(t), TRAJ_NO_ROOM);
    assert_int_equal(read_file("full.jsonl", NULL, &fault), 0); // it ends with a whole record
}

// --- C94: bytes changed at random are noticed, and nothing worse happens

static void change(const char *from, const char *to, unsigned *seed, bool cut)
{
    static char bytes[1 << 20];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t size = read(in, bytes, sizeof bytes);
    assert_in_range(size, 1, sizeof bytes - 1);
    if (cut)
        size = rand_r(seed) % size;
    else
        for (int i = rand_r(seed) % 3; i >= 0; i--)
            bytes[rand_r(seed) % size] ^= (char)(1 << rand_r(seed) % 8);
    assert_int_equal(write(out, bytes, (size_t)size), size);
    close(in);
    close(out);
}

static void test_mutations(void **state)
{
    unsigned seed = 1;
    struct traj_done done;
    enum traj_fault fault;
    (void)state;
    for (int i = 0; i < FORMATS; i++) {
        assert_int_equal(write_file(formats[i].name, formats[i].format, 20, &done), TRAJ_FINE);
        struct text sound = {.grow = traj_text_grow};
        assert_int_equal(read_file(formats[i].name, &sound, &fault), 0);
        for (int n = 0; n < 200; n++) {
            change(formats[i].name, "mutant", &seed, n % 4 == 3);
            struct text lines = {.grow = traj_text_grow};
            // Only what says the same may pass as sound: white space, the digits of a number written otherwise.
            if (read_file("mutant", &lines, &fault) == 0 && !span_equals(text_span(&lines), text_span(&sound)))
                fail_msg("%s, mutation %d passes", formats[i].name, n);
            free(lines.at);
        }
        free(sound.at);
    }
}

#ifdef __SANITIZE_THREAD__ // where a fork takes seconds, and nothing runs beside it
enum { DAMAGES = 3 };
#else
enum { DAMAGES = 60 };
#endif

// A child that the library kills is a damaged file and no more: the block in front is right, the rest is not.
static void test_bad_hdf5(void **state)
{
    (void)state;
    struct traj_done done;
    enum traj_fault fault;
    assert_int_equal(write_file("a.h5", TRAJ_HDF5, 20, &done), TRAJ_FINE);
    static char bytes[1 << 20];
    int in = open("a.h5", O_RDONLY);
    ssize_t size = read(in, bytes, sizeof bytes);
    close(in);
    unsigned seed = 7;
    for (int n = 0; n < DAMAGES; n++) {
        static char copy[1 << 20];
        memcpy(copy, bytes, (size_t)size);
        for (int i = 0; i < 20; i++)
            copy[520 + rand_r(&seed) % (size - 520)] ^= (char)(1 << rand_r(&seed) % 8);
        uint8_t digest[CRYPTO_SHA256_BYTES];
        char hash[TRAJ_HASH_ROOM];
        crypto_sha256(digest, copy + 512, (size_t)size - 512);
        traj_hash_text(digest, hash);
        memset(copy, 0, 512);
        snprintf(copy, 512, "agon game-rl-trajectory\n%s\n", hash);
        int out = open("b.h5", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        assert_int_equal(write(out, copy, (size_t)size), size);
        close(out);
        int found = read_file("b.h5", NULL, &fault);
        assert_in_range(found + 1, 0, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),      cmocka_unit_test(test_paths),       cmocka_unit_test(test_special),
        cmocka_unit_test(test_full),      cmocka_unit_test(test_two_writers), cmocka_unit_test(test_crash),
        cmocka_unit_test(test_tape_full), cmocka_unit_test(test_mutations),   cmocka_unit_test(test_bad_hdf5),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
