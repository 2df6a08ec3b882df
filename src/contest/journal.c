#include "contest/journal.h"

#include "net/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEPTH = 4, // of JSON in a line
    LINE_ROOM = 65536,
    FLUSH_US = 100000, // what a crash may lose; flushing after each game would slow house bots down
};

static void write_head(struct text *t, const struct contest_plan *p)
{
    json_begin_object(t);
    json_put_text(t, "contest", contest_format_names[p->format]);
    json_put_text(t, "game", p->codec->game->name);
    json_put_uint(t, "seed", p->seed);
    json_put_hex(t, "fingerprint", contest_fingerprint(p));
    json_end_object(t);
    text_put_char(t, '\n');
}

static void write_luck(struct text *t, const struct contest_result *r, int seats)
{
    json_begin_array_at(t, "luck");
    for (int k = 0; k < r->lucks; k++)
        for (int s = 0; s < seats; s++)
            json_write_decimal(t, r->luck[k][s], 4);
    json_end_array(t);
}

static void write_result(struct text *t, uint64_t index, const struct contest_result *r, int seats)
{
    json_begin_object(t);
    json_put_uint(t, "index", index);
    json_put_text(t, "end", contest_end_names[r->end]);
    json_begin_array_at(t, "payoffs");
    for (int s = 0; s < seats; s++)
        json_write_int(t, r->payoffs[s]);
    json_end_array(t);
    json_begin_array_at(t, "points");
    for (int s = 0; s < seats; s++)
        json_write_int(t, r->points[s]);
    json_end_array(t);
    json_put_uint(t, "steps", r->steps);
    json_put_int(t, "at_fault", r->at_fault);
    json_begin_array_at(t, "trouble");
    for (int s = 0; s < seats; s++)
        for (int k = 0; k < CONTEST_TROUBLES; k++)
            json_write_uint(t, r->trouble[s][k]);
    json_end_array(t);
    json_begin_array_at(t, "feats"); // the attempts
    json_write_uint(t, r->attempts.parts);
    for (int i = 0; i < CONTEST_SIDES * CONTEST_ATTEMPTS; i++) {
        json_write_uint(t, r->attempts.tried[i / CONTEST_ATTEMPTS][i % CONTEST_ATTEMPTS]);
        json_write_uint(t, r->attempts.made[i / CONTEST_ATTEMPTS][i % CONTEST_ATTEMPTS]);
    }
    json_end_array(t);
    json_begin_array_at(t, "tally");
    for (int side = 0; side < CONTEST_SIDES; side++)
        json_write_uint(t, r->attempts.tally[side]);
    json_end_array(t);
    json_put_hex(t, "hash", r->hash);
    if (r->at_ms)
        json_put_int(t, "at_ms", r->at_ms);
    if (r->overran)
        json_put_bool(t, "overran", true);
    if (r->lucks)
        write_luck(t, r, seats);
    json_end_object(t);
    text_put_char(t, '\n');
}

static int read_head(struct span line, const struct contest_plan *p)
{
    struct json_reader r = json_reader_of(line, DEPTH);
    struct json_string key;
    uint64_t print = 0;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "fingerprint"))
            print = json_read_hex(&r);
        else
            json_skip(&r);
    if (json_finish(&r) != OK)
        return ERR_FORMAT;
    return print == contest_fingerprint(p) ? OK : ERR_MISMATCH;
}

bool journal_find_seed(const char *path, uint64_t *seed)
{
    char line[LINE_ROOM];
    FILE *f = fopen(path, "r");
    bool whole = f && fgets(line, sizeof line, f) && strchr(line, '\n'), found = false;
    if (f)
        fclose(f);
    if (!whole)
        return false;
    struct json_reader r = json_reader_of(span_of(line), DEPTH);
    struct json_string key;
    uint64_t value = 0;
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "seed")) {
            value = json_read_uint(&r, UINT64_MAX);
            found = true;
        } else {
            json_skip(&r);
        }
    if (json_finish(&r) != OK || !found)
        return false;
    *seed = value;
    return true;
}

static void read_numbers(struct json_reader *r, int count, void (*take)(struct contest_result *out, int i, int64_t n),
                         struct contest_result *out)
{
    int i = 0;
    for (json_enter_array(r); json_next_item(r); i++) {
        int64_t value = json_read_int(r, INT32_MIN, INT32_MAX);
        if (i < count)
            take(out, i, value);
    }
    if (i != count)
        json_fail(r, ERR_FORMAT);
}

static void set_payoff(struct contest_result *out, int i, int64_t n)
{
    out->payoffs[i] = (int32_t)n;
}

static void set_points(struct contest_result *out, int i, int64_t n)
{
    out->points[i] = (int32_t)n;
}

static void set_trouble(struct contest_result *out, int i, int64_t n)
{
    out->trouble[i / CONTEST_TROUBLES][i % CONTEST_TROUBLES] = (uint16_t)n;
}

static void set_attempt(struct contest_result *out, int i, int64_t n)
{
    int at = (i - 1) / 2, side = at / CONTEST_ATTEMPTS, kind = at % CONTEST_ATTEMPTS;
    if (i == 0)
        out->attempts.parts = (uint32_t)n;
    else if (i % 2)
        out->attempts.tried[side][kind] = (uint16_t)n;
    else
        out->attempts.made[side][kind] = (uint16_t)n;
}

static void set_tally(struct contest_result *out, int i, int64_t n)
{
    out->attempts.tally[i] = (uint32_t)n;
}

static void read_luck(struct json_reader *r, int seats, struct contest_result *out)
{
    int i = 0;
    for (json_enter_array(r); json_next_item(r); i++) {
        double value = json_read_real(r);
        if (i < CONTEST_LUCKS * seats)
            out->luck[i / seats][i % seats] = value;
    }
    if (i != CONTEST_FOLLOWED * seats && i != CONTEST_LUCKS * seats)
        json_fail(r, ERR_FORMAT);
    else
        out->lucks = (uint8_t)(i / seats);
}

static int read_result(struct span line, int seats, uint64_t *index, struct contest_result *out)
{
    struct json_reader r = json_reader_of(line, DEPTH);
    struct json_string key;
    *out = (struct contest_result){.at_fault = -1};
    *index = UINT64_MAX;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        if (json_string_is(key, "index"))
            *index = json_read_uint(&r, CONTEST_MAX_GAMES);
        else if (json_string_is(key, "end"))
            out->end = (uint8_t)json_string_among(json_read_string(&r), contest_end_names);
        else if (json_string_is(key, "payoffs"))
            read_numbers(&r, seats, set_payoff, out);
        else if (json_string_is(key, "points"))
            read_numbers(&r, seats, set_points, out);
        else if (json_string_is(key, "trouble"))
            read_numbers(&r, seats * CONTEST_TROUBLES, set_trouble, out);
        else if (json_string_is(key, "feats"))
            read_numbers(&r, 1 + 2 * CONTEST_SIDES * CONTEST_ATTEMPTS, set_attempt, out);
        else if (json_string_is(key, "tally"))
            read_numbers(&r, CONTEST_SIDES, set_tally, out);
        else if (json_string_is(key, "steps"))
            out->steps = (uint32_t)json_read_uint(&r, UINT32_MAX);
        else if (json_string_is(key, "at_fault"))
            out->at_fault = (int8_t)json_read_int(&r, -1, GAME_MAX_SEATS - 1);
        else if (json_string_is(key, "hash"))
            out->hash = json_read_hex(&r);
        else if (json_string_is(key, "at_ms"))
            out->at_ms = json_read_int(&r, 0, INT64_MAX);
        else if (json_string_is(key, "luck"))
            read_luck(&r, seats, out);
        else if (json_string_is(key, "overran"))
            out->overran = json_read_bool(&r);
        else
            json_skip(&r);
    }
    bool whole =
        json_finish(&r) == OK && *index != UINT64_MAX && out->end > CONTEST_UNPLAYED && out->end < CONTEST_ENDS;
    return whole ? OK : ERR_FORMAT;
}

// Results may be in any order; those of a later Swiss round wait until the earlier rounds are complete.
struct numbered_result {
    uint64_t index;
    struct contest_result result;
};

static int by_index(const void *a, const void *b)
{
    uint64_t x = ((const struct numbered_result *)a)->index, y = ((const struct numbered_result *)b)->index;
    return (x > y) - (x < y);
}

static int add_result(struct numbered_result **list, size_t *count, size_t *room, struct span line, int seats)
{
    struct numbered_result one;
    int err = read_result(line, seats, &one.index, &one.result);
    if (err != OK)
        return err;
    if (*count == *room) {
        size_t more = *room ? 2 * *room : 1024;
        struct numbered_result *grown = realloc(*list, more * sizeof **list);
        if (!grown)
            return ERR_FULL;
        *list = grown;
        *room = more;
    }
    (*list)[(*count)++] = one;
    return OK;
}

static void put_results(struct contest *c, struct numbered_result *list, size_t count, uint64_t *handed)
{
    struct contest_game game;
    if (count)
        qsort(list, count, sizeof *list, by_index);
    for (size_t i = 0; i < count; i++) {
        if (!contest_get(c, list[i].index, &game))
            continue; // after an early stop, or of an incomplete round
        contest_put(c, list[i].index, &list[i].result);
        ++*handed;
    }
}

// Lines of players, between the results.
static bool is_player_line(struct span line)
{
    static const char *const members[] = {"decision", "sent", "models", "adapted"};
    for (unsigned i = 0; i < sizeof members / sizeof *members; i++)
        if (json_member(line, members[i]).at)
            return true;
    return false;
}

// Reads all whole lines; sets *end to the end of the last one.
static int read_lines(FILE *f, struct contest *c, const struct journal_notes *notes, long *end, uint64_t *handed)
{
    char line[LINE_ROOM];
    struct numbered_result *list = NULL;
    size_t count = 0, room = 0;
    int err = OK;
    for (uint64_t number = 0; err == OK && fgets(line, sizeof line, f); number++) {
        size_t size = strlen(line);
        if (size == 0 || line[size - 1] != '\n')
            break; // an incomplete line
        struct span text = {line, size - 1};
        if (number == 0)
            err = read_head(text, &c->plan);
        else if (!is_player_line(text))
            err = add_result(&list, &count, &room, text, c->plan.seats);
        else if (notes && notes->take)
            notes->take(notes->owner, text);
        *end = ftell(f);
    }
    if (err == OK)
        put_results(c, list, count, handed);
    free(list);
    return err;
}

static int close_failed(struct journal *j, int err)
{
    int why = errno;
    fclose(j->file);
    j->file = NULL;
    errno = why;
    return err;
}

static void note_write(struct journal *j, bool written)
{
    if (!written && !j->failed)
        j->failed = errno ? errno : EIO;
}

int journal_open(struct journal *j, struct contest *c, const char *path, const struct journal_notes *notes,
                 uint64_t *found)
{
    long end = 0;
    *found = 0;
    *j = (struct journal){.contest = c, .file = fopen(path, "a+"), .lock = PTHREAD_MUTEX_INITIALIZER};
    if (!j->file)
        return ERR_STORAGE;
    rewind(j->file);
    int err = read_lines(j->file, c, notes, &end, found);
    if (err == OK && (fflush(j->file) != 0 || ftruncate(fileno(j->file), end) != 0))
        err = ERR_STORAGE;
    if (err != OK)
        return close_failed(j, err);
    fseek(j->file, 0, SEEK_END);
    if (end == 0) {
        char bytes[LINE_ROOM];
        struct text t = text_on(bytes, sizeof bytes);
        write_head(&t, &c->plan);
        note_write(j, fwrite(t.at, 1, t.size, j->file) == t.size && fflush(j->file) == 0);
    }
    return j->failed ? close_failed(j, ERR_STORAGE) : OK;
}

// After a failed write nothing is added: stdio has dropped what it could not write, and a line appended to a torn one
// would garble both. A torn last line is cut off when the journal is opened again.
void journal_add(struct journal *j, uint64_t index, const struct contest_result *r)
{
    char bytes[LINE_ROOM];
    struct text t = text_on(bytes, sizeof bytes);
    write_result(&t, index, r, j->contest->plan.seats);
    pthread_mutex_lock(&j->lock);
    if (!j->failed)
        note_write(j, fwrite(t.at, 1, t.size, j->file) == t.size);
    int64_t now = loop_now_us();
    if (now - j->flushed_us >= FLUSH_US) { // results of games with external players are expensive
        note_write(j, fflush(j->file) == 0);
        j->flushed_us = now;
    }
    pthread_mutex_unlock(&j->lock);
}

void journal_add_note(struct journal *j, struct span line)
{
    pthread_mutex_lock(&j->lock);
    if (!j->failed)
        note_write(j, fwrite(line.at, 1, line.size, j->file) == line.size && fflush(j->file) == 0);
    pthread_mutex_unlock(&j->lock);
}

bool journal_flush(struct journal *j)
{
    pthread_mutex_lock(&j->lock);
    note_write(j, fflush(j->file) == 0 && !ferror(j->file));
    bool kept = !j->failed;
    pthread_mutex_unlock(&j->lock);
    return kept;
}

bool journal_close(struct journal *j)
{
    journal_flush(j);
    note_write(j, fsync(fileno(j->file)) == 0);
    note_write(j, fclose(j->file) == 0);
    pthread_mutex_destroy(&j->lock);
    errno = j->failed;
    return !j->failed;
}
