#ifdef AGON_HDF5

#include "traj/h5frames.h"

#include "base/base64.h"
#include "base/json_read.h"
#include "traj/h5lib.h"
#include "traj/internal.h"

#include <stdlib.h>

enum { NAME_ROOM = 160, MAX_SIDE = 1 << 16, MAX_CHANNELS = 16 };

struct h5frames {
    struct h5frames *next;
    char name[NAME_ROOM];
    hid_t set, memory; // the dataset, and the type of its values in memory
    hsize_t size[4];   // rows so far, height, width, channels
    size_t bytes;      // of a picture
};

// --- writing

static bool read_shape(struct span frame, hsize_t size[4])
{
    struct span shape = SPAN("[]");
    int n = 1;
    json_find_member(frame, "shape", &shape);
    struct json_reader r = json_reader_of(shape, 2);
    for (json_enter_array(&r); json_next_item(&r); n++)
        size[n < 4 ? n : 0] = json_read_uint(&r, n < 3 ? MAX_SIDE : MAX_CHANNELS);
    size[0] = 0;
    return json_finish(&r) == OK && n == 4 && size[1] && size[2] && size[3];
}

static size_t value_bytes(bool real)
{
    return real ? sizeof(float) : sizeof(uint8_t);
}

static bool frames_open(struct h5frames *f, hid_t agent, const char *where, bool real)
{
    hsize_t most[4] = {H5S_UNLIMITED, f->size[1], f->size[2], f->size[3]}, chunk[4] = {1, most[1], most[2], most[3]};
    bool there = h5.H5Lexists(agent, where, H5P_DEFAULT) > 0;
    hid_t group = there ? h5.H5Gopen2(agent, where, H5P_DEFAULT)
                        : h5.H5Gcreate2(agent, where, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = h5.H5Screate_simple(4, f->size, most), how = h5.H5Pcreate(*h5.H5P_CLS_DATASET_CREATE_ID_g);
    h5.H5Pset_chunk(how, 4, chunk);
    h5.H5Pset_deflate(how, 1);
    f->memory = real ? *h5.H5T_NATIVE_FLOAT_g : *h5.H5T_NATIVE_UINT8_g;
    f->bytes = value_bytes(real) * most[1] * most[2] * most[3];
    f->set = h5.H5Dcreate2(group, f->name, real ? *h5.H5T_IEEE_F32LE_g : *h5.H5T_STD_U8LE_g, space, H5P_DEFAULT, how,
                           H5P_DEFAULT);
    h5.H5Pclose(how);
    h5.H5Sclose(space);
    h5.H5Gclose(group);
    return f->set >= 0;
}

// The set for this frame, made when there is none; NULL when it is no picture or of another form than those before it.
static struct h5frames *find_frames(struct h5frames **streams, hid_t agent, const char *where, struct span name,
                                    struct span frame, bool *failed)
{
    hsize_t size[4] = {0};
    struct span dtype;
    struct h5frames **at = streams;
    if (!read_shape(frame, size) || !json_find_member(frame, "dtype", &dtype) || !name.size || name.size >= NAME_ROOM ||
        name.at[0] == '.' || memchr(name.at, '/', name.size) || memchr(name.at, '\\', name.size))
        return NULL;
    bool real = span_is(dtype, "\"float32\"");
    if (!real && !span_is(dtype, "\"uint8\""))
        return NULL;
    while (*at && !span_is(name, (*at)->name))
        at = &(*at)->next;
    if (!*at) {
        if (!(*at = calloc(1, sizeof **at)))
            abort();
        memcpy((*at)->name, name.at, name.size);
        memcpy((*at)->size, size, sizeof size);
        *failed |= !frames_open(*at, agent, where, real);
    }
    struct h5frames *f = *at;
    bool same = memcmp(f->size + 1, size + 1, 3 * sizeof *size) == 0;
    return same && (f->memory == *h5.H5T_NATIVE_FLOAT_g) == real ? f : NULL;
}

// False: these are not the bytes of such a picture.
static bool frames_put(struct h5frames *f, hsize_t row, struct span data, bool *failed)
{
    if (data.size < 2 || data.at[0] != '"' || data.size - 2 != (f->bytes + 2) / 3 * 4)
        return false;
    uint8_t *bytes = malloc(f->bytes);
    if (!bytes)
        abort();
    bool good = base64_read((struct span){data.at + 1, data.size - 2}, bytes, f->bytes) == (long)f->bytes;
    if (good) {
        hsize_t from[4] = {row}, count[4] = {1, f->size[1], f->size[2], f->size[3]};
        f->size[0] = row + 1;
        *failed |= h5.H5Dset_extent(f->set, f->size) < 0;
        hid_t memory = h5.H5Screate_simple(4, count, NULL), file = h5.H5Dget_space(f->set);
        h5.H5Sselect_hyperslab(file, H5S_SELECT_SET, from, NULL, count, NULL);
        *failed |= h5.H5Dwrite(f->set, f->memory, memory, file, H5P_DEFAULT, bytes) < 0;
        h5.H5Sclose(memory);
        h5.H5Sclose(file);
    }
    free(bytes);
    return good;
}

static void put_without_data(struct text *said, struct span frame)
{
    struct json_reader r = json_reader_of(frame, TRAJ_MAX_DEPTH);
    struct json_string key;
    text_put_char(said, '{');
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        traj_put_key(said, key);
        text_put(said, json_string_is(key, "data") ? SPAN("null") : value);
    }
    text_put_char(said, '}');
}

bool h5frames_write(struct h5frames **streams, hid_t agent, const char *where, hsize_t row, struct span frames,
                    struct text *said)
{
    struct json_reader r = json_reader_of(frames, TRAJ_MAX_DEPTH);
    struct json_string name;
    bool failed = false;
    text_put_char(said, '{');
    for (json_enter_object(&r); json_next_key(&r, &name);) {
        struct span frame = json_read_raw(&r), data;
        struct h5frames *f = find_frames(streams, agent, where, name.raw, frame, &failed);
        traj_put_key(said, name);
        if (f && !failed && json_find_member(frame, "data", &data) && frames_put(f, row, data, &failed))
            put_without_data(said, frame);
        else
            text_put(said, frame);
    }
    text_put_char(said, '}');
    return !failed && json_finish(&r) == OK;
}

bool h5frames_close(struct h5frames *streams, hsize_t rows)
{
    bool good = true;
    for (struct h5frames *f = streams, *next; f; f = next) {
        next = f->next;
        f->size[0] = rows;
        good &= h5.H5Dset_extent(f->set, f->size) >= 0 && h5.H5Dclose(f->set) >= 0;
        free(f);
    }
    return good;
}

// --- reading: the file is not trusted

static size_t picture_bytes(hid_t set, hid_t space, hsize_t row, bool real, hsize_t size[4])
{
    hid_t type = h5.H5Dget_type(set);
    bool right = h5.H5Tget_class(type) == (real ? H5T_FLOAT : H5T_INTEGER);
    h5.H5Tclose(type);
    if (!right || h5.H5Sget_simple_extent_ndims(space) != 4 || h5.H5Sget_simple_extent_dims(space, size, NULL) != 4)
        return 0;
    if (row >= size[0] || size[1] > MAX_SIDE || size[2] > MAX_SIDE || size[3] > MAX_CHANNELS)
        return 0;
    size_t bytes = value_bytes(real) * size[1] * size[2] * size[3];
    return bytes <= TRAJ_MAX_FRAME ? bytes : 0;
}

static bool put_picture(hid_t set, hsize_t row, bool real, struct text *out)
{
    hsize_t size[4] = {0}, from[4] = {row};
    hid_t space = h5.H5Dget_space(set);
    size_t bytes = picture_bytes(set, space, row, real, size);
    void *picture = bytes ? malloc(bytes) : NULL;
    bool good = false;
    if (picture) {
        size[0] = 1;
        hid_t one = h5.H5Screate_simple(4, size, NULL);
        h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, size, NULL);
        good = h5.H5Dread(set, real ? *h5.H5T_NATIVE_FLOAT_g : *h5.H5T_NATIVE_UINT8_g, one, space, H5P_DEFAULT,
                          picture) >= 0;
        h5.H5Sclose(one);
        text_put_char(out, '"');
        base64_write(out, picture, good ? bytes : 0);
        text_put_char(out, '"');
    }
    free(picture);
    h5.H5Sclose(space);
    return good;
}

static bool put_row(hid_t streams, struct json_string name, hsize_t row, bool real, struct text *out)
{
    char path[NAME_ROOM];
    if (streams < 0 || json_string_copy(name, path, sizeof path) <= 0 || path[0] == '.' || strchr(path, '/') ||
        h5.H5Lexists(streams, path, H5P_DEFAULT) <= 0)
        return false;
    hid_t set = h5.H5Dopen2(streams, path, H5P_DEFAULT);
    bool good = set >= 0 && put_picture(set, row, real, out);
    if (set >= 0)
        h5.H5Dclose(set);
    return good;
}

static bool put_frame(hid_t streams, struct json_string name, hsize_t row, struct span said, struct text *out)
{
    struct json_reader r = json_reader_of(said, TRAJ_MAX_DEPTH);
    struct json_string key;
    struct span dtype = {0};
    bool good = true;
    json_find_member(said, "dtype", &dtype);
    text_put_char(out, '{');
    for (json_enter_object(&r); good && json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        traj_put_key(out, key);
        if (json_string_is(key, "data") && span_is(value, "null"))
            good = put_row(streams, name, row, span_is(dtype, "\"float32\""), out);
        else
            text_put(out, value);
    }
    text_put_char(out, '}');
    return good && json_finish(&r) == OK;
}

bool h5frames_read(hid_t streams, hsize_t row, struct span said, struct text *frames)
{
    struct json_reader r = json_reader_of(said, TRAJ_MAX_DEPTH);
    struct json_string name;
    bool good = true;
    text_put_char(frames, '{');
    for (json_enter_object(&r); good && json_next_key(&r, &name);) {
        traj_put_key(frames, name);
        good = put_frame(streams, name, row, json_read_raw(&r), frames);
    }
    text_put_char(frames, '}');
    return good && json_finish(&r) == OK;
}

#endif
