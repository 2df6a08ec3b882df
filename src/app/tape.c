#include "app/tape.h"

#include "app/reserve.h"
#include "app/step_log.h"
#include "crypto/crypto.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Bytes of a file or a pipe, up to the ceiling; NULL and errno when it cannot be read.
static char *read_all(int fd, size_t *size)
{
    size_t room = 1 << 16, used = 0;
    char *bytes = malloc(room);
    ssize_t got = 0;
    while (bytes && (got = read(fd, bytes + used, room - used)) > 0) {
        used += (size_t)got;
        if (used > TAPE_MAX_BYTES) {
            errno = EFBIG;
            got = -1;
            break;
        }
        if (used < room)
            continue;
        char *more = realloc(bytes, room *= 2);
        if (!more)
            free(bytes);
        bytes = more;
    }
    if (got < 0) {
        free(bytes);
        return NULL;
    }
    *size = used;
    return bytes;
}

struct span tape_read_file(const char *path, char *why, size_t room)
{
    struct span file = {0};
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        file.at = read_all(fd, &file.size);
    if (!file.at)
        snprintf(why, room, "cannot read it: %s", strerror(errno));
    if (fd >= 0 && !is_stdin)
        close(fd);
    return file;
}

int tape_write_file(const char *path, struct span bytes)
{
    bool is_stdout = !path || strcmp(path, "-") == 0;
    FILE *f = is_stdout ? stdout : fopen(path, "wb");
    if (!f)
        return -1;
    bool written = fwrite(bytes.at, 1, bytes.size, f) == bytes.size;
    if (is_stdout)
        return written && fflush(f) == 0 ? 0 : -1;
    return fclose(f) == 0 && written ? 0 : -1;
}

bool tape_is_step_log(struct span bytes)
{
    return bytes.size >= 5 && memcmp(bytes.at, "AGT1\t", 5) == 0;
}

bool tape_read_key(const char *hex, uint8_t key[RNG_KEY_BYTES])
{
    return text_read_hex(span_of(hex), key, RNG_KEY_BYTES);
}

const char *tape_seat_name(const struct tape *t, int seat)
{
    return t->head.name[seat][0] ? t->head.name[seat] : codec_seat_names[seat];
}

// The text becomes a replay; the text is freed.
static int load_step_log(struct tape *t, struct span text)
{
    enum { ROOM = 256 << 20 };
    struct step_log_fault fault;
    struct text replay = app_reserve_text(ROOM);
    int err = step_log_import(&replay, text, &fault);
    free((char *)text.at);
    char *bytes = err == OK ? malloc(replay.size) : NULL;
    if (bytes)
        t->file = (struct span){memcpy(bytes, replay.at, replay.size), replay.size};
    app_release(replay.at, ROOM);
    if (err != OK)
        snprintf(t->why, sizeof t->why, "line %ju: %s", (uintmax_t)fault.line, fault.why);
    return err == OK && !bytes ? ERR_FULL : err;
}

static void tell_head(struct tape *t, int err)
{
    if (err == ERR_VERSION)
        snprintf(t->why, sizeof t->why, "its replay format is not %d, the only one supported", REPLAY_FORMAT);
    else
        snprintf(t->why, sizeof t->why, "it is not a replay, or its head is damaged");
}

static bool find_row(struct tape *t)
{
    t->row = games_find(t->head.game);
    if (!t->row) {
        char known[160];
        app_name_games(known, sizeof known);
        snprintf(t->why, sizeof t->why, "its game '%s' is unknown; known: %s", t->head.game, known);
        return false;
    }
    const struct game *g = t->row->game;
    if (t->head.rules_version == g->version && t->head.rules.size == g->rules_size)
        return true;
    snprintf(t->why, sizeof t->why,
             "it was played with version %u of the rules of %s (%zu bytes); this program has version %u (%u bytes)",
             t->head.rules_version, g->name, t->head.rules.size, g->version, g->rules_size);
    return false;
}

// From outside, from the file, or from its seed (G17.5); what is there fits the commitment (F6.1).
static bool find_key(struct tape *t, const uint8_t *key)
{
    bool found = key || t->head.has_key || t->head.has_seed;
    if (key)
        memcpy(t->key, key, sizeof t->key);
    else if (t->head.has_key)
        memcpy(t->key, t->head.key, sizeof t->key);
    else if (t->head.has_seed)
        crypto_seed_key(t->key, t->head.game, t->head.seed);
    if (!found)
        return true;
    uint8_t sum[CRYPTO_SHA256_BYTES];
    crypto_sha256(sum, t->key, sizeof t->key);
    t->has_key = crypto_equal(sum, t->head.commitment, sizeof sum);
    if (t->has_key)
        return true;
    snprintf(t->why, sizeof t->why, "the key %s does not match the commitment",
             key               ? "given"
             : t->head.has_key ? "in the file"
                               : "made from its seed");
    return false;
}

static void count_entry(struct tape *t, const struct replay_entry *e)
{
    t->actions += e->kind == REPLAY_ACTION;
    t->silent += e->kind == REPLAY_ACTION && e->silent;
    t->ticks += e->kind == REPLAY_TICKS ? e->ticks : 0;
    t->stacks += e->kind == REPLAY_STACK;
    t->hashes += e->kind == REPLAY_HASH || e->kind == REPLAY_END;
    t->steps = t->actions + t->ticks + t->stacks;
    if (e->kind == REPLAY_HASH || e->kind == REPLAY_END)
        t->last_hash = e->hash;
    if (e->kind == REPLAY_END)
        memcpy(t->payoffs, e->payoffs, sizeof t->payoffs);
}

static bool count_entries(struct tape *t, struct replay_reader *r)
{
    struct replay_entry e;
    int next;
    while ((next = replay_next(r, &e)) == 1)
        count_entry(t, &e);
    t->torn = r->torn;
    if (next == 0)
        return true;
    if (e.kind == REPLAY_END)
        snprintf(t->why, sizeof t->why, "its checksum does not match: it was changed after it was written");
    else
        snprintf(t->why, sizeof t->why, "it is damaged at byte %zu, after step %ju", r->at, (uintmax_t)t->steps);
    return false;
}

int tape_take(struct tape *t, const char *path, struct span bytes, const uint8_t *key)
{
    *t = (struct tape){.path = path};
    if (!tape_is_step_log(bytes))
        t->file = bytes;
    else if (load_step_log(t, bytes) != OK)
        return APP_FAILED;
    struct replay_reader r;
    int err = replay_open(&r, t->file);
    if (err != OK) {
        tell_head(t, err);
        return APP_FAILED;
    }
    t->head = r.head;
    t->complete = r.complete;
    if (!find_row(t) || !find_key(t, key))
        return APP_FAILED;
    return count_entries(t, &r) ? APP_DONE : APP_FAILED;
}

int tape_open(struct tape *t, const char *path, const uint8_t *key)
{
    char why[TAPE_SAY_ROOM];
    struct span bytes = tape_read_file(path, why, sizeof why);
    if (bytes.at)
        return tape_take(t, path, bytes, key);
    *t = (struct tape){.path = path};
    memcpy(t->why, why, sizeof why);
    return APP_USAGE;
}

void tape_close(struct tape *t)
{
    free((char *)t->file.at);
    t->file = (struct span){0};
}

void tape_demand(struct tape *t, const char *path, const uint8_t *key)
{
    int status = tape_open(t, path, key);
    if (status == APP_DONE && !t->has_key) {
        snprintf(t->why, sizeof t->why, "it does not contain its key; give it with --key");
        status = APP_FAILED;
    }
    if (status == APP_DONE)
        return;
    fprintf(stderr, "agon: %s: %s\n", path, t->why);
    exit(status);
}
