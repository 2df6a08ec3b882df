// Records become an HDF5 file (G19.6): columns that grow by blocks of rows, so that the length of an episode does not
// matter to memory. Runs in a child process.
#ifdef AGON_HDF5

#include "base/json_read.h"
#include "traj/h5frames.h"
#include "traj/h5lib.h"
#include "traj/internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    ROWS = 256, // written at a time, which is also a chunk of the file: each is compressed once
    MAX_COMPONENTS = 64,
    HASH_SIZE = 71, // "sha256:" and 64 digits
    NAME_ROOM = 160,
};

struct column {
    hid_t set, memory; // the type of a row in memory; 0: not there
    hsize_t done;      // rows in the file
    size_t width;      // bytes of a row
    unsigned across;   // values in a row; 0: the column has one dimension
    unsigned waiting;  // rows behind them, in `rows`
    bool strings;      // rows are pointers to text of ours
    char *rows;
};

// An agent is added by its first entry; rows before it, and those that it has no part in, have the fill value.
struct agent {
    struct agent *next;
    char id[NAME_ROOM];
    hid_t group;
    unsigned continuous; // numbers of an action; 0: its actions are numbered
    struct column actions, actions_json, infos_json, rewards, terminations, truncations, seen, vector;
    struct column component[MAX_COMPONENTS];
    char component_name[MAX_COMPONENTS][NAME_ROOM];
    int components;
    struct h5frames *streams;
};

// Columns, agents and all groups but `episodes` are of the running episode.
struct writer {
    hid_t file, episodes, episode, agents_group;
    uint64_t episode_count;
    hsize_t steps; // of the episode
    struct column step_id, tick, ticks, state_hash, steps_json, notes;
    hsize_t note_count;
    struct agent *agents;
    struct text text;
    struct span roster; // of the running episode, in `reset`
    struct text reset;
    bool failed;
};

// --- columns

static void column_open(struct writer *m, struct column *c, hid_t group, const char *name, hid_t file_type,
                        hid_t memory, size_t width, unsigned across, const void *fill)
{
    hsize_t size[2] = {0, across}, most[2] = {H5S_UNLIMITED, across}, chunk[2] = {ROWS, across};
    int rank = across ? 2 : 1;
    *c = (struct column){.memory = memory, .width = width * (across ? across : 1), .across = across};
    hid_t space = h5.H5Screate_simple(rank, size, most), how = h5.H5Pcreate(*h5.H5P_CLS_DATASET_CREATE_ID_g);
    h5.H5Pset_chunk(how, rank, chunk);
    h5.H5Pset_deflate(how, 1);
    if (fill)
        h5.H5Pset_fill_value(how, memory, fill);
    c->set = h5.H5Dcreate2(group, name, file_type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    h5.H5Pclose(how);
    h5.H5Sclose(space);
    c->rows = malloc(ROWS * c->width);
    if (!c->rows)
        abort();
    m->failed |= c->set < 0;
}

static void column_open_text(struct writer *m, struct column *c, hid_t group, const char *name)
{
    hid_t type = h5lib_text_type(H5T_VARIABLE);
    column_open(m, c, group, name, type, type, sizeof(char *), 0, NULL);
    c->strings = true;
}

static void column_flush(struct writer *m, struct column *c)
{
    hsize_t from[2] = {c->done, 0}, count[2] = {c->waiting, c->across}, size[2] = {c->done + c->waiting, c->across};
    int rank = c->across ? 2 : 1;
    if (!c->waiting)
        return;
    m->failed |= h5.H5Dset_extent(c->set, size) < 0;
    hid_t memory = h5.H5Screate_simple(rank, count, NULL), file = h5.H5Dget_space(c->set);
    h5.H5Sselect_hyperslab(file, H5S_SELECT_SET, from, NULL, count, NULL);
    m->failed |= h5.H5Dwrite(c->set, c->memory, memory, file, H5P_DEFAULT, c->rows) < 0;
    h5.H5Sclose(memory);
    h5.H5Sclose(file);
    for (unsigned i = 0; c->strings && i < c->waiting; i++)
        free(((char **)(void *)c->rows)[i]);
    c->done += c->waiting;
    c->waiting = 0;
}

// The row of this number; those between are left to the fill value.
static void column_put(struct writer *m, struct column *c, hsize_t row, const void *value)
{
    if (c->done + c->waiting != row || c->waiting == ROWS)
        column_flush(m, c);
    if (!c->waiting)
        c->done = row;
    memcpy(c->rows + c->waiting++ * c->width, value, c->width);
}

static void column_put_text(struct writer *m, struct column *c, hsize_t row, struct span s)
{
    char *copy = malloc(s.size + 1);
    if (!copy)
        abort();
    memcpy(copy, s.at, s.size);
    copy[s.size] = 0;
    column_put(m, c, row, &copy);
}

static void column_close(struct writer *m, struct column *c, hsize_t total)
{
    hsize_t size[2] = {total, c->across};
    if (!c->rows)
        return;
    column_flush(m, c);
    m->failed |= h5.H5Dset_extent(c->set, size) < 0 || h5.H5Dclose(c->set) < 0;
    if (c->strings || c->width == HASH_SIZE)
        h5.H5Tclose(c->memory);
    free(c->rows);
    *c = (struct column){0};
}

// --- agents

static hid_t make_group(struct writer *m, hid_t where, const char *name)
{
    hid_t group = h5.H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    m->failed |= group < 0;
    return group;
}

// How many numbers an action of this agent has, as its registration says.
static unsigned continuous_of(struct span roster, const char *id)
{
    struct json_reader r = json_reader_of(roster, TRAJ_MAX_DEPTH);
    struct span value;
    if (json_peek(&r) != JSON_ARRAY)
        return 0;
    for (json_enter_array(&r); json_next_item(&r);) {
        struct span one = json_read_raw(&r);
        if (json_find_member(one, "agent_id", &value) && value.size == strlen(id) + 2 &&
            memcmp(value.at + 1, id, strlen(id)) == 0 && json_find_member(one, "continuous", &value))
            return (unsigned)strtoul(value.at, NULL, 10) & 63;
    }
    return 0;
}

static struct agent *find_agent(struct writer *m, struct span id)
{
    static const int64_t none = -1;
    static const double nothing = NAN;
    struct agent **at = &m->agents, *a;
    for (; *at; at = &(*at)->next)
        if (span_is(id, (*at)->id))
            return *at;
    if (!(a = *at = calloc(1, sizeof *a)))
        abort();
    snprintf(a->id, sizeof a->id, "%.*s", (int)id.size, id.at);
    a->group = make_group(m, m->agents_group, a->id);
    a->continuous = continuous_of(m->roster, a->id);
    if (a->continuous)
        column_open(m, &a->actions, a->group, "actions", *h5.H5T_IEEE_F64LE_g, *h5.H5T_NATIVE_DOUBLE_g, sizeof(double),
                    a->continuous, &nothing);
    else
        column_open(m, &a->actions, a->group, "actions", *h5.H5T_STD_I64LE_g, *h5.H5T_NATIVE_INT64_g, sizeof(int64_t),
                    0, &none);
    column_open_text(m, &a->actions_json, a->group, "actions_json");
    column_open_text(m, &a->infos_json, a->group, "infos_json");
    column_open(m, &a->rewards, a->group, "rewards", *h5.H5T_IEEE_F64LE_g, *h5.H5T_NATIVE_DOUBLE_g, sizeof(double), 0,
                NULL);
    column_open(m, &a->terminations, a->group, "terminations", *h5.H5T_STD_U8LE_g, *h5.H5T_NATIVE_UINT8_g, 1, 0, NULL);
    column_open(m, &a->truncations, a->group, "truncations", *h5.H5T_STD_U8LE_g, *h5.H5T_NATIVE_UINT8_g, 1, 0, NULL);
    return a;
}

static double number_of(struct span value)
{
    char token[64] = "";
    memcpy(token, value.at, value.size < sizeof token ? value.size : sizeof token - 1);
    return strtod(token, NULL);
}

// The vector profile's numbers once more, as such.
static void put_vector(struct writer *m, struct agent *a, hsize_t row, struct span observation)
{
    struct span list;
    static const float nothing = NAN;
    float numbers[4096];
    unsigned n = 0;
    if (!json_find_member(observation, "vector", &list) || list.at[0] != '[')
        return;
    struct json_reader r = json_reader_of(list, 8);
    for (json_enter_array(&r); json_next_item(&r) && n < 4096;)
        numbers[n++] = (float)number_of(json_read_raw(&r));
    hid_t group = n && !a->vector.rows ? h5.H5Gopen2(a->group, "observations", H5P_DEFAULT) : -1;
    if (group >= 0) {
        column_open(m, &a->vector, group, "vector", *h5.H5T_IEEE_F32LE_g, *h5.H5T_NATIVE_FLOAT_g, sizeof(float), n,
                    &nothing);
        h5.H5Gclose(group);
    }
    if (a->vector.rows && a->vector.across == n)
        column_put(m, &a->vector, row, numbers);
}

static void put_observation(struct writer *m, struct agent *a, hsize_t row, struct span observation)
{
    if (!a->seen.rows) {
        hid_t group = make_group(m, a->group, "observations");
        column_open_text(m, &a->seen, group, "json");
        h5.H5Gclose(group);
    }
    column_put_text(m, &a->seen, row, observation);
    put_vector(m, a, row, observation);
}

// The names always have the same order, which an attribute keeps.
static void open_components(struct writer *m, struct agent *a, struct span components)
{
    struct json_reader r = json_reader_of(components, 8);
    struct json_string key;
    struct text names = {.grow = traj_text_grow};
    hid_t group = make_group(m, a->group, "reward_components");
    json_begin_array(&names);
    for (json_enter_object(&r); json_next_key(&r, &key) && a->components < MAX_COMPONENTS; json_skip(&r)) {
        char *name = a->component_name[a->components];
        snprintf(name, NAME_ROOM, "%.*s", (int)key.raw.size, key.raw.at);
        column_open(m, &a->component[a->components++], group, name, *h5.H5T_IEEE_F64LE_g, *h5.H5T_NATIVE_DOUBLE_g,
                    sizeof(double), 0, NULL);
        json_write_text(&names, name);
    }
    json_end_array(&names);
    m->failed |= !h5lib_write_text(group, "order_json", text_span(&names));
    free(names.at);
    h5.H5Gclose(group);
}

static bool has_columns(const struct agent *a, struct span components)
{
    struct json_reader r = json_reader_of(components, 8);
    struct json_string key;
    int i = 0;
    for (json_enter_object(&r); json_next_key(&r, &key); json_skip(&r), i++)
        if (i >= a->components || !span_is(key.raw, a->component_name[i]))
            return false;
    return i == a->components;
}

// False: an agent of the same id had other components before, and these have no columns.
static bool put_components(struct writer *m, struct agent *a, hsize_t row, struct span components)
{
    struct json_reader r = json_reader_of(components, 8);
    struct json_string key;
    if (h5.H5Lexists(a->group, "reward_components", H5P_DEFAULT) <= 0)
        open_components(m, a, components);
    if (!has_columns(a, components))
        return false;
    json_enter_object(&r);
    for (int i = 0; json_next_key(&r, &key); i++) {
        double value = number_of(json_read_raw(&r));
        column_put(m, &a->component[i], row, &value);
    }
    return true;
}

static void put_action(struct writer *m, struct agent *a, hsize_t row, struct span action)
{
    struct span index;
    double numbers[64];
    unsigned n = 0;
    int64_t number = -1;
    column_put_text(m, &a->actions_json, row, action);
    if (a->continuous) {
        struct json_reader r = json_reader_of(action, 8);
        for (n = 0; n < a->continuous; n++)
            numbers[n] = NAN;
        if (json_peek(&r) == JSON_ARRAY) {
            n = 0;
            for (json_enter_array(&r); json_next_item(&r) && n < a->continuous;)
                numbers[n++] = number_of(json_read_raw(&r));
        }
        column_put(m, &a->actions, row, numbers);
        return;
    }
    if (json_find_member(action, "index", &index))
        number = (int64_t)number_of(index);
    column_put(m, &a->actions, row, &number);
}

// --- records

static void put_entry(struct writer *m, struct span entry)
{
    struct json_reader r = json_reader_of(entry, TRAJ_MAX_DEPTH);
    struct json_string key;
    struct span id = {0};
    if (!json_find_member(entry, "agent_id", &id) || id.size < 3 || id.size >= NAME_ROOM) {
        m->failed = true;
        return;
    }
    struct agent *a = find_agent(m, (struct span){id.at + 1, id.size - 2});
    m->text.size = 0;
    text_put_char(&m->text, '{');
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        double number = number_of(value);
        uint8_t yes = span_is(value, "true");
        if (json_string_is(key, "agent_id")) {
            continue;
        } else if (json_string_is(key, "action")) {
            put_action(m, a, m->steps, value);
        } else if (json_string_is(key, "reward")) {
            column_put(m, &a->rewards, m->steps, &number);
        } else if (json_string_is(key, "reward_components") && put_components(m, a, m->steps, value)) {
            continue;
        } else if (json_string_is(key, "done")) {
            column_put(m, &a->terminations, m->steps, &yes);
        } else if (json_string_is(key, "truncated")) {
            column_put(m, &a->truncations, m->steps, &yes);
        } else if (json_string_is(key, "observation")) {
            put_observation(m, a, m->steps + 1, value);
        } else {
            traj_put_key(&m->text, key);
            if (json_string_is(key, "frames"))
                m->failed |= !h5frames_write(&a->streams, a->group, "frames", m->steps, value, &m->text);
            else
                text_put(&m->text, value);
        }
    }
    text_put_char(&m->text, '}');
    column_put_text(m, &a->infos_json, m->steps, text_span(&m->text));
}

// What has no column, and the order of the entries.
static void put_rest(struct writer *m, struct span record)
{
    static const char *const columns[] = {"k", "step_id", "tick", "ticks", "state_hash", "entries", NULL};
    struct json_reader r = json_reader_of(record, TRAJ_MAX_DEPTH + 1);
    struct json_string key;
    struct span entries = SPAN("[]"), id;
    m->text.size = 0;
    json_begin_object(&m->text);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        if (json_string_is(key, "entries"))
            entries = value;
        if (json_string_among(key, columns) >= 0)
            continue;
        char name[NAME_ROOM];
        snprintf(name, sizeof name, "%.*s", (int)key.raw.size, key.raw.at);
        json_put_raw(&m->text, name, value);
    }
    json_begin_array_at(&m->text, "order");
    r = json_reader_of(entries, TRAJ_MAX_DEPTH);
    for (json_enter_array(&r); json_next_item(&r);)
        if (json_find_member(json_read_raw(&r), "agent_id", &id))
            json_write_raw(&m->text, id);
    json_end_array(&m->text);
    json_end_object(&m->text);
    column_put_text(m, &m->steps_json, m->steps, text_span(&m->text));
}

static void put_uint(struct writer *m, struct column *c, struct span record, const char *key)
{
    struct span value = SPAN("0");
    json_find_member(record, key, &value);
    uint64_t number = strtoull(value.at, NULL, 10);
    column_put(m, c, m->steps, &number);
}

static void put_step(struct writer *m, struct span record)
{
    struct span hash = {0}, entries = SPAN("[]");
    char text[HASH_SIZE] = {0};
    put_uint(m, &m->step_id, record, "step_id");
    put_uint(m, &m->tick, record, "tick");
    put_uint(m, &m->ticks, record, "ticks");
    if (json_find_member(record, "state_hash", &hash) && hash.size == HASH_SIZE + 2)
        memcpy(text, hash.at + 1, HASH_SIZE);
    column_put(m, &m->state_hash, m->steps, text);
    put_rest(m, record);
    json_find_member(record, "entries", &entries);
    struct json_reader r = json_reader_of(entries, TRAJ_MAX_DEPTH);
    for (json_enter_array(&r); json_next_item(&r);)
        put_entry(m, json_read_raw(&r));
    m->steps++;
}

static void close_episode(struct writer *m)
{
    if (!m->episode_count)
        return;
    struct column *const columns[] = {&m->step_id, &m->tick, &m->ticks, &m->state_hash, &m->steps_json, NULL};
    for (int i = 0; columns[i]; i++)
        column_close(m, columns[i], m->steps);
    column_close(m, &m->notes, m->note_count);
    for (struct agent *a = m->agents, *next; a; a = next) {
        struct column *const own[] = {
            &a->actions, &a->actions_json, &a->infos_json, &a->rewards, &a->terminations, &a->truncations, NULL};
        next = a->next;
        for (int i = 0; own[i]; i++)
            column_close(m, own[i], m->steps);
        for (int i = 0; i < a->components; i++)
            column_close(m, &a->component[i], m->steps);
        column_close(m, &a->seen, m->steps + 1);
        column_close(m, &a->vector, m->steps + 1);
        m->failed |= !h5frames_close(a->streams, m->steps);
        h5.H5Gclose(a->group);
        free(a);
    }
    m->agents = NULL;
    h5.H5Gclose(m->agents_group);
    m->failed |= h5.H5Gclose(m->episode) < 0;
}

static void open_columns(struct writer *m)
{
    hid_t hash = h5lib_text_type(HASH_SIZE);
    column_open(m, &m->step_id, m->episode, "step_id", *h5.H5T_STD_U64LE_g, *h5.H5T_NATIVE_UINT64_g, 8, 0, NULL);
    column_open(m, &m->tick, m->episode, "tick", *h5.H5T_STD_U64LE_g, *h5.H5T_NATIVE_UINT64_g, 8, 0, NULL);
    column_open(m, &m->ticks, m->episode, "ticks", *h5.H5T_STD_U64LE_g, *h5.H5T_NATIVE_UINT64_g, 8, 0, NULL);
    column_open(m, &m->state_hash, m->episode, "state_hash", hash, hash, HASH_SIZE, 0, NULL);
    column_open_text(m, &m->steps_json, m->episode, "steps_json");
    column_open_text(m, &m->notes, m->episode, "notes_json");
}

// The first observation of each agent is row 0 of its observations; an attribute keeps the order of the agents.
static void put_first(struct writer *m, struct span observations)
{
    struct json_reader r = json_reader_of(observations, TRAJ_MAX_DEPTH);
    struct json_string id;
    struct text order = {.grow = traj_text_grow};
    json_begin_array(&order);
    for (json_enter_object(&r); json_next_key(&r, &id);) {
        put_observation(m, find_agent(m, id.raw), 0, json_read_raw(&r));
        json_write_string(&order, id.raw);
    }
    json_end_array(&order);
    m->failed |= !h5lib_write_text(m->episode, "observed_json", text_span(&order));
    free(order.at);
}

// The first pictures of each agent; an attribute keeps what is said of them.
static void put_first_frames(struct writer *m, struct span frames)
{
    struct json_reader r = json_reader_of(frames, TRAJ_MAX_DEPTH);
    struct json_string id;
    struct text said = {.grow = traj_text_grow};
    text_put_char(&said, '{');
    for (json_enter_object(&r); json_next_key(&r, &id);) {
        struct h5frames *streams = NULL;
        if (said.size > 1)
            text_put_char(&said, ',');
        json_write_string(&said, id.raw);
        text_put_char(&said, ':');
        m->failed |=
            !h5frames_write(&streams, find_agent(m, id.raw)->group, "first_frames", 0, json_read_raw(&r), &said);
        m->failed |= !h5frames_close(streams, 1);
    }
    text_put_char(&said, '}');
    m->failed |= !h5lib_write_text(m->episode, "first_frames_json", text_span(&said));
    free(said.at);
}

static void put_reset(struct writer *m, struct span record)
{
    char name[32];
    struct json_reader r;
    struct json_string key;
    struct span observations = {0}, frames = {0};
    close_episode(m);
    snprintf(name, sizeof name, "%04llu", (unsigned long long)m->episode_count++);
    m->episode = make_group(m, m->episodes, name);
    m->agents_group = make_group(m, m->episode, "agents");
    m->steps = m->note_count = 0;
    open_columns(m);
    m->reset.size = 0;
    text_put_char(&m->reset, '{');
    r = json_reader_of(record, TRAJ_MAX_DEPTH + 1);
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        if (json_string_is(key, "observations")) {
            observations = value;
            continue;
        }
        if (json_string_is(key, "frames")) {
            frames = value;
            continue;
        }
        traj_put_key(&m->reset, key);
        text_put(&m->reset, value);
    }
    text_put_char(&m->reset, '}');
    m->failed |= !h5lib_write_text(m->episode, "reset_json", text_span(&m->reset));
    m->roster = SPAN("[]");
    json_find_member(text_span(&m->reset), "agents", &m->roster);
    if (observations.size)
        put_first(m, observations);
    if (frames.size)
        put_first_frames(m, frames);
}

static void put_note(struct writer *m, struct span record)
{
    if (!m->episode_count)
        return;
    m->text.size = 0;
    json_begin_object(&m->text);
    json_put_uint(&m->text, "after", m->steps);
    json_put_raw(&m->text, "record", record);
    json_end_object(&m->text);
    column_put_text(m, &m->notes, m->note_count++, text_span(&m->text));
}

static void put_plain(struct writer *m, struct span record, const char *key)
{
    struct span value;
    if (json_find_member(record, key, &value) && value.size >= 2 && value.at[0] == '"')
        m->failed |= !h5lib_write_text(m->file, key, (struct span){value.at + 1, value.size - 2});
}

static void put_header(struct writer *m, struct span record)
{
    int version = 1;
    hid_t space = h5.H5Screate(H5S_SCALAR);
    hid_t at = h5.H5Acreate2(m->file, "version", *h5.H5T_STD_I32LE_g, space, H5P_DEFAULT, H5P_DEFAULT);
    m->failed |= at < 0 || h5.H5Awrite(at, *h5.H5T_NATIVE_INT32_g, &version) < 0;
    h5.H5Aclose(at);
    h5.H5Sclose(space);
    put_plain(m, record, "format");
    put_plain(m, record, "game");
    m->failed |= !h5lib_write_text(m->file, "header_json", record);
}

static void put_footer(struct writer *m, struct span record)
{
    close_episode(m);
    m->episode_count = 0;
    put_plain(m, record, "final_state_hash");
    put_plain(m, record, "content_sha256");
    m->failed |= !h5lib_write_text(m->file, "footer_json", record);
}

static hid_t create_file(int file)
{
    char path[64];
    hid_t creation = h5.H5Pcreate(*h5.H5P_CLS_FILE_CREATE_ID_g), access = h5.H5Pcreate(*h5.H5P_CLS_FILE_ACCESS_ID_g);
    h5.H5Pset_userblock(creation, TRAJ_USER_BLOCK);
    h5.H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V110);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    hid_t made = h5.H5Fcreate(path, H5LIB_TRUNC, creation, access);
    h5.H5Pclose(creation);
    h5.H5Pclose(access);
    return made;
}

// The server died before the footer: the file is incomplete, and no other process will remove it.
static void remove_file(int file)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = 0;
    const char *name = strrchr(path, '/');
    if (name && name[1] == '.') // still its temporary name
        unlink(path);
}

int traj_h5_write(int file, int lines)
{
    static void (*const put[TRAJ_KINDS])(struct writer *, struct span) = {
        [TRAJ_HEADER] = put_header, [TRAJ_RESET] = put_reset, [TRAJ_STEP] = put_step,
        [TRAJ_MESSAGE] = put_note,  [TRAJ_AGENT] = put_note,  [TRAJ_FOOTER] = put_footer,
    };
    struct writer m = {.text.grow = traj_text_grow, .reset.grow = traj_text_grow};
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int last = -1;
    FILE *in = fdopen(lines, "r");
    if (!h5lib_load())
        return TRAJ_NOT_BUILT;
    if (!in || (m.file = create_file(file)) < 0)
        return TRAJ_NO_ROOM;
    m.episodes = make_group(&m, m.file, "episodes");
    while (!m.failed && (n = getline(&line, &room, in)) > 0) {
        struct span record = {line, (size_t)n - 1};
        last = traj_kind_of(record);
        if (last >= 0)
            put[last](&m, record);
    }
    if (last != TRAJ_FOOTER) {
        remove_file(file);
        return m.failed ? TRAJ_NO_ROOM : TRAJ_BROKEN;
    }
    h5.H5Gclose(m.episodes);
    m.failed |= h5.H5Fclose(m.file) < 0;
    return m.failed ? TRAJ_NO_ROOM : TRAJ_FINE;
}

#endif
