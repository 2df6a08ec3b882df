// An HDF5 trajectory gives its records back, line by line. Runs in a child process: what the file claims may be a lie.
#ifdef AGON_HDF5

#include "base/json_read.h"
#include "traj/h5frames.h"
#include "traj/h5lib.h"
#include "traj/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

// Limits of what is read of a file, which may come from anywhere. ROWS are read at a time, as they were written
// (h5write.c). A hash is "sha256:" and 64 digits.
enum { ROWS = 256, MAX_AGENTS = 4096, MAX_COMPONENTS = 64, MAX_STEPS = 1 << 24, HASH_SIZE = 71, NAME_ROOM = 160 };

// A column, some rows of which are in memory.
struct source {
    hid_t set, memory;  // set 0: not there; memory: the type of a row in memory
    hsize_t rows, from; // in the file; the first that is in memory
    unsigned have;      // so many are
    size_t width;
    bool strings; // rows are pointers to text of the library, freed with them
    char *bytes;  // ROWS of them; NULL: there is no such column
};

struct agent {
    char id[NAME_ROOM];
    struct source actions_json, infos_json, rewards, terminations, truncations, seen;
    struct source component[MAX_COMPONENTS];
    char name[MAX_COMPONENTS][NAME_ROOM];
    int components;
    hid_t streams; // the group of its pictures, or -1
};

// Writes the records as lines, which the parent checks like those of any other file.
struct reader {
    FILE *out;
    hid_t file;
    struct agent *agents;
    int agent_count;
    struct text line;
    bool bad; // a column is shorter than another says, or cannot be read
};

// --- columns

static void source_close(struct source *s)
{
    if (!s->bytes)
        return;
    for (unsigned i = 0; s->strings && i < s->have; i++)
        free(((char **)(void *)s->bytes)[i]);
    h5.H5Dclose(s->set);
    free(s->bytes);
    *s = (struct source){0};
}

static bool source_open(struct source *s, hid_t group, const char *name, hid_t memory, size_t width, bool strings)
{
    hsize_t size[2] = {0};
    *s = (struct source){.memory = memory, .width = width, .strings = strings};
    if (h5.H5Lexists(group, name, H5P_DEFAULT) <= 0 || (s->set = h5.H5Dopen2(group, name, H5P_DEFAULT)) < 0)
        return false;
    hid_t space = h5.H5Dget_space(s->set), type = h5.H5Dget_type(s->set);
    bool good = h5.H5Sget_simple_extent_ndims(space) == 1 && h5.H5Sget_simple_extent_dims(space, size, NULL) == 1 &&
                (h5.H5Tget_class(type) == H5T_STRING) == (strings || width == HASH_SIZE) &&
                (!strings || h5.H5Tis_variable_str(type) > 0) && size[0] <= MAX_STEPS;
    h5.H5Tclose(type);
    h5.H5Sclose(space);
    s->rows = size[0];
    s->bytes = good ? malloc(ROWS * width) : NULL;
    if (!s->bytes)
        h5.H5Dclose(s->set);
    return s->bytes != NULL;
}

static const void *source_row(struct reader *t, struct source *s, hsize_t row)
{
    if (!s->bytes || row >= s->rows) {
        t->bad = true;
        return NULL;
    }
    if (!s->have || row < s->from || row >= s->from + s->have) {
        hsize_t count = s->rows - row < ROWS ? s->rows - row : ROWS;
        for (unsigned i = 0; s->strings && i < s->have; i++)
            free(((char **)(void *)s->bytes)[i]);
        hid_t file = h5.H5Dget_space(s->set), memory = h5.H5Screate_simple(1, &count, NULL);
        h5.H5Sselect_hyperslab(file, H5S_SELECT_SET, &row, NULL, &count, NULL);
        bool good = h5.H5Dread(s->set, s->memory, memory, file, H5P_DEFAULT, s->bytes) >= 0;
        h5.H5Sclose(file);
        h5.H5Sclose(memory);
        s->from = row;
        s->have = good ? (unsigned)count : 0;
        t->bad |= !good;
        if (!good)
            return NULL;
    }
    return s->bytes + (row - s->from) * s->width;
}

static struct span source_text(struct reader *t, struct source *s, hsize_t row)
{
    char *const *text = source_row(t, s, row);
    return text && *text ? span_of(*text) : SPAN("");
}

// An attribute of text; NULL when it is not there. The caller frees it.
static char *read_text(hid_t object, const char *name)
{
    char *text = NULL;
    hid_t at = h5.H5Aopen(object, name, H5P_DEFAULT);
    if (at < 0)
        return NULL;
    hid_t type = h5.H5Aget_type(at), memory = h5lib_text_type(H5T_VARIABLE);
    if (h5.H5Tget_class(type) != H5T_STRING || h5.H5Tis_variable_str(type) <= 0 || h5.H5Aread(at, memory, &text) < 0)
        text = NULL;
    h5.H5Tclose(type);
    h5.H5Tclose(memory);
    h5.H5Aclose(at);
    return text;
}

// -1: there is no such group.
static hid_t open_group(hid_t parent, const char *name)
{
    return h5.H5Lexists(parent, name, H5P_DEFAULT) > 0 ? h5.H5Gopen2(parent, name, H5P_DEFAULT) : -1;
}

// --- agents

static void open_components(struct agent *a, hid_t group)
{
    hid_t all = open_group(group, "reward_components");
    char *order = all >= 0 ? read_text(all, "order_json") : NULL;
    struct json_reader r = json_reader_of(order ? span_of(order) : SPAN("[]"), 4);
    for (json_enter_array(&r); json_next_item(&r) && a->components < MAX_COMPONENTS;) {
        char *name = a->name[a->components];
        if (json_string_copy(json_read_string(&r), name, NAME_ROOM) < 0 ||
            !source_open(&a->component[a->components], all, name, *h5.H5T_NATIVE_DOUBLE_g, sizeof(double), false))
            break;
        a->components++;
    }
    free(order);
    if (all >= 0)
        h5.H5Gclose(all);
}

static struct agent *find_agent(struct reader *t, hid_t agents, struct span id)
{
    for (int i = 0; i < t->agent_count; i++)
        if (span_is(id, t->agents[i].id))
            return &t->agents[i];
    if (t->agent_count == MAX_AGENTS || id.size == 0 || id.size >= NAME_ROOM || memchr(id.at, '/', id.size))
        return NULL;
    struct agent *a = &t->agents[t->agent_count];
    *a = (struct agent){0};
    memcpy(a->id, id.at, id.size);
    hid_t group = open_group(agents, a->id);
    if (group < 0)
        return NULL;
    hid_t text = h5lib_text_type(H5T_VARIABLE);
    source_open(&a->actions_json, group, "actions_json", text, sizeof(char *), true);
    source_open(&a->infos_json, group, "infos_json", text, sizeof(char *), true);
    source_open(&a->rewards, group, "rewards", *h5.H5T_NATIVE_DOUBLE_g, sizeof(double), false);
    source_open(&a->terminations, group, "terminations", *h5.H5T_NATIVE_UINT8_g, 1, false);
    source_open(&a->truncations, group, "truncations", *h5.H5T_NATIVE_UINT8_g, 1, false);
    hid_t seen = open_group(group, "observations");
    if (seen >= 0) {
        source_open(&a->seen, seen, "json", text, sizeof(char *), true);
        h5.H5Gclose(seen);
    }
    open_components(a, group);
    a->streams = open_group(group, "frames");
    h5.H5Gclose(group);
    t->agent_count++;
    return a;
}

static void close_agents(struct reader *t)
{
    assert(t->agents);
    for (int i = 0; i < t->agent_count; i++) {
        struct agent *a = &t->agents[i];
        struct source *const own[] = {&a->actions_json, &a->infos_json, &a->rewards, &a->terminations,
                                      &a->truncations,  &a->seen,       NULL};
        for (int k = 0; own[k]; k++)
            source_close(own[k]);
        for (int k = 0; k < a->components; k++)
            source_close(&a->component[k]);
        if (a->streams >= 0)
            h5.H5Gclose(a->streams);
    }
    t->agent_count = 0;
}

// --- records

static void put_line(struct reader *t)
{
    if (t->line.full || t->bad)
        t->bad = true;
    else
        fwrite(t->line.at, 1, t->line.size, t->out);
    putc('\n', t->out);
    t->line.size = 0;
}

static void put_text_line(struct reader *t, const char *text)
{
    t->bad |= !text;
    text_puts(&t->line, text ? text : "");
    put_line(t);
}

// What has no column goes on in the entry that is being written.
static void put_infos(struct reader *t, const struct agent *a, struct span infos, hsize_t row)
{
    struct json_reader r = json_reader_of(infos, TRAJ_MAX_DEPTH);
    struct json_string key;
    if (json_peek(&r) != JSON_OBJECT)
        return;
    for (json_enter_object(&r); json_next_key(&r, &key) && !t->bad;) {
        struct span value = json_read_raw(&r);
        if (json_string_is(key, "reward_components"))
            continue; // it stands further up
        text_put_char(&t->line, ',');
        text_put_char(&t->line, '"');
        text_put(&t->line, key.raw);
        text_puts(&t->line, "\":");
        if (json_string_is(key, "frames"))
            t->bad |= !h5frames_read(a->streams, row, value, &t->line);
        else
            text_put(&t->line, value);
    }
}

// --- entries

static void put_number(struct reader *t, const char *key, struct source *s, hsize_t row)
{
    const double *value = source_row(t, s, row);
    json_key(&t->line, key);
    traj_write_double(&t->line, value ? *value : 0);
}

static void put_flag(struct reader *t, const char *key, struct source *s, hsize_t row)
{
    const uint8_t *value = source_row(t, s, row);
    json_put_bool(&t->line, key, value && *value);
}

// From their columns, or from infos_json if an earlier agent of this id had other components.
static void put_components(struct reader *t, struct agent *a, hsize_t row, struct span infos)
{
    struct span own;
    json_key(&t->line, "reward_components");
    if (json_find_member(infos, "reward_components", &own)) {
        text_put(&t->line, own);
        return;
    }
    json_begin_object(&t->line);
    for (int i = 0; i < a->components; i++)
        put_number(t, a->name[i], &a->component[i], row);
    json_end_object(&t->line);
}

static void put_entry(struct reader *t, struct agent *a, hsize_t row)
{
    struct span infos = source_text(t, &a->infos_json, row);
    json_begin_object(&t->line);
    json_put_text(&t->line, "agent_id", a->id);
    json_key(&t->line, "action");
    text_put(&t->line, source_text(t, &a->actions_json, row));
    put_number(t, "reward", &a->rewards, row);
    put_components(t, a, row, infos);
    put_flag(t, "done", &a->terminations, row);
    put_flag(t, "truncated", &a->truncations, row);
    struct span seen = a->seen.bytes ? source_text(t, &a->seen, row + 1) : SPAN("");
    if (seen.size) {
        json_key(&t->line, "observation");
        text_put(&t->line, seen);
    }
    put_infos(t, a, infos, row);
    json_end_object(&t->line);
}

// Of the running episode; `notes` are records that are no steps.
struct episode {
    hid_t agents;
    struct source step_id, tick, ticks, state_hash, steps_json, notes;
};

static void put_uint(struct reader *t, const char *key, struct source *s, hsize_t row)
{
    const uint64_t *value = source_row(t, s, row);
    json_put_uint(&t->line, key, value ? *value : 0);
}

static void put_step(struct reader *t, struct episode *e, hsize_t row)
{
    struct span rest = source_text(t, &e->steps_json, row), order = SPAN("[]");
    struct json_reader r = json_reader_of(rest, TRAJ_MAX_DEPTH);
    struct json_string key;
    char name[NAME_ROOM];
    const char *hash = source_row(t, &e->state_hash, row);
    json_begin_object(&t->line);
    json_put_text(&t->line, "k", "step");
    put_uint(t, "step_id", &e->step_id, row);
    put_uint(t, "tick", &e->tick, row);
    put_uint(t, "ticks", &e->ticks, row);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        if (json_string_is(key, "order")) {
            order = value;
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(key.raw.size < 100 ? key.raw.size : 100), key.raw.at);
        json_key(&t->line, name);
        text_put(&t->line, value);
    }
    json_put_string(&t->line, "state_hash", hash ? (struct span){hash, HASH_SIZE} : SPAN(""));
    json_begin_array_at(&t->line, "entries");
    r = json_reader_of(order, 4);
    for (json_enter_array(&r); json_next_item(&r) && !t->bad;) {
        struct agent *a = find_agent(t, e->agents, json_read_string(&r).raw);
        if (a)
            put_entry(t, a, row);
        else
            t->bad = true;
    }
    json_end_array(&t->line);
    json_end_object(&t->line);
    put_line(t);
}

static void put_first_frames(struct reader *t, hid_t agents, struct span said)
{
    struct json_reader r = json_reader_of(said, TRAJ_MAX_DEPTH);
    struct json_string id;
    char path[NAME_ROOM + sizeof "/first_frames"];
    t->line.size--; // the closing brace
    json_begin_object_at(&t->line, "frames");
    for (json_enter_object(&r); json_next_key(&r, &id) && !t->bad;) {
        struct span frames = json_read_raw(&r);
        bool known = id.raw.size > 0 && id.raw.size < NAME_ROOM && !memchr(id.raw.at, '/', id.raw.size);
        snprintf(path, sizeof path, "%.*s", known ? (int)id.raw.size : 0, id.raw.at);
        json_key(&t->line, path);
        hid_t agent = known ? open_group(agents, path) : -1;
        hid_t streams = agent >= 0 ? open_group(agent, "first_frames") : -1;
        t->bad |= !h5frames_read(streams, 0, frames, &t->line);
        if (streams >= 0)
            h5.H5Gclose(streams);
        if (agent >= 0)
            h5.H5Gclose(agent);
    }
    t->bad |= json_finish(&r) != OK;
    json_end_object(&t->line);
    json_end_object(&t->line);
}

static void put_reset(struct reader *t, hid_t group, hid_t agents)
{
    char *reset = read_text(group, "reset_json"), *observed = read_text(group, "observed_json");
    char *pictured = read_text(group, "first_frames_json");
    t->bad |= !reset || strlen(reset) < 2;
    text_puts(&t->line, reset ? reset : "");
    if (observed && !t->bad) {
        struct json_reader r = json_reader_of(span_of(observed), 4);
        t->line.size--; // the closing brace
        json_begin_object_at(&t->line, "observations");
        for (json_enter_array(&r); json_next_item(&r) && !t->bad;) {
            struct agent *a = find_agent(t, agents, json_read_string(&r).raw);
            t->bad |= !a;
            if (!a)
                break;
            json_key(&t->line, a->id);
            text_put(&t->line, source_text(t, &a->seen, 0));
        }
        json_end_object(&t->line);
        json_end_object(&t->line);
    }
    if (pictured && !t->bad)
        put_first_frames(t, agents, span_of(pictured));
    put_line(t);
    free(reset);
    free(observed);
    free(pictured);
}

static uint64_t after_of(struct span note, struct span *record)
{
    struct span after;
    if (!json_find_member(note, "after", &after) || !json_find_member(note, "record", record))
        return UINT64_MAX;
    return strtoull(after.at, NULL, 10);
}

static void put_steps(struct reader *t, struct episode *e)
{
    hsize_t next_note = 0;
    for (hsize_t row = 0; row <= e->step_id.rows && !t->bad; row++) {
        struct span record;
        while (next_note < e->notes.rows && !t->bad) {
            if (after_of(source_text(t, &e->notes, next_note), &record) > row)
                break;
            text_put(&t->line, record);
            put_line(t);
            next_note++;
        }
        if (row < e->step_id.rows)
            put_step(t, e, row);
    }
    t->bad |= next_note < e->notes.rows;
}

static void put_episode(struct reader *t, hid_t group)
{
    struct episode e = {.agents = h5.H5Gopen2(group, "agents", H5P_DEFAULT)};
    hid_t text = h5lib_text_type(H5T_VARIABLE);
    t->bad |= e.agents < 0 ||
              !source_open(&e.step_id, group, "step_id", *h5.H5T_NATIVE_UINT64_g, sizeof(uint64_t), false) ||
              !source_open(&e.tick, group, "tick", *h5.H5T_NATIVE_UINT64_g, sizeof(uint64_t), false) ||
              !source_open(&e.ticks, group, "ticks", *h5.H5T_NATIVE_UINT64_g, sizeof(uint64_t), false) ||
              !source_open(&e.state_hash, group, "state_hash", h5lib_text_type(HASH_SIZE), HASH_SIZE, false) ||
              !source_open(&e.steps_json, group, "steps_json", text, sizeof(char *), true) ||
              !source_open(&e.notes, group, "notes_json", text, sizeof(char *), true);
    if (!t->bad)
        put_reset(t, group, e.agents);
    if (!t->bad)
        put_steps(t, &e);
    struct source *const own[] = {&e.step_id, &e.tick, &e.ticks, &e.state_hash, &e.steps_json, &e.notes, NULL};
    for (int i = 0; own[i]; i++)
        source_close(own[i]);
    close_agents(t);
    h5.H5Gclose(e.agents);
}

static void put_episodes(struct reader *t)
{
    char name[32];
    hid_t all = open_group(t->file, "episodes");
    t->bad |= all < 0;
    for (unsigned i = 0; !t->bad; i++) {
        snprintf(name, sizeof name, "%04u", i);
        if (h5.H5Lexists(all, name, H5P_DEFAULT) <= 0)
            break;
        hid_t group = h5.H5Gopen2(all, name, H5P_DEFAULT);
        t->bad |= group < 0;
        if (group >= 0) {
            put_episode(t, group);
            h5.H5Gclose(group);
        }
    }
}

int traj_h5_read(int file, int lines)
{
    struct reader t = {.line.grow = traj_text_grow, .out = fdopen(lines, "w")};
    char path[64];
    if (!h5lib_load())
        return TRAJ_NOT_BUILT;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    t.agents = calloc(MAX_AGENTS, sizeof *t.agents);
    t.file = h5.H5Fopen(path, H5LIB_RDONLY, H5P_DEFAULT);
    if (!t.out || !t.agents || t.file < 0)
        return TRAJ_DAMAGED;
    char *header = read_text(t.file, "header_json"), *footer = read_text(t.file, "footer_json");
    put_text_line(&t, header);
    put_episodes(&t);
    put_text_line(&t, footer);
    if (fflush(t.out) != 0)
        return TRAJ_BROKEN;
    return t.bad ? TRAJ_DAMAGED : TRAJ_FINE;
}

#endif
