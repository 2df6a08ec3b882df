// Writes a trajectory to a file. Each format is a row of functions.
#include "base/json_read.h"
#include "traj/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct traj_writer {
    struct traj_output out;
    const struct format *format;
    struct traj_child child;   // hdf5
    struct traj_footer footer; // of what has been written
    struct text line, notes;   // notes: of the running episode (json); else room for one record
    char by[TRAJ_CALLER_ROOM];
    bool ended; // the footer has been written
};

// A format. Records come as canonical JSON.
struct format {
    void (*begin)(struct traj_writer *w, struct span header);
    void (*record)(struct traj_writer *w, enum traj_kind kind, struct span json);
    void (*end)(struct traj_writer *w, struct span footer);
};

static void put_text(struct traj_writer *w, const char *text)
{
    traj_output_put(&w->out, span_of(text));
}

// --- json: {header, episodes:[{reset, steps, notes}], footer}. What is no step waits for the end of its episode.

static void begin_json(struct traj_writer *w, struct span header)
{
    put_text(w, "{\"header\":");
    traj_output_put(&w->out, header);
    put_text(w, ",\"episodes\":[");
}

static void end_episode(struct traj_writer *w)
{
    if (!w->footer.episodes)
        return;
    put_text(w, "],\"notes\":[");
    traj_output_put(&w->out, text_span(&w->notes));
    put_text(w, "]}");
    w->notes.size = 0;
}

static void record_json(struct traj_writer *w, enum traj_kind kind, struct span json)
{
    if (kind == TRAJ_RESET) {
        end_episode(w);
        put_text(w, w->footer.episodes ? ",{\"reset\":" : "{\"reset\":");
        traj_output_put(&w->out, json);
        put_text(w, ",\"steps\":[");
    } else if (kind == TRAJ_STEP) {
        if (w->footer.steps_in_episode)
            put_text(w, ",");
        traj_output_put(&w->out, json);
    } else {
        if (w->notes.size)
            text_put_char(&w->notes, ',');
        text_puts(&w->notes, "{\"after\":");
        text_put_uint(&w->notes, w->footer.steps_in_episode);
        text_puts(&w->notes, ",\"record\":");
        text_put(&w->notes, json);
        text_put_char(&w->notes, '}');
    }
}

static void end_json(struct traj_writer *w, struct span footer)
{
    end_episode(w);
    put_text(w, "],\"footer\":");
    traj_output_put(&w->out, footer);
    put_text(w, "}\n");
}

// --- lines

static void put_line(struct traj_writer *w, struct span json)
{
    traj_output_put(&w->out, json);
    put_text(w, "\n");
}

static void record_line(struct traj_writer *w, enum traj_kind kind, struct span json)
{
    (void)kind;
    put_line(w, json);
}

// --- msgpack

static void put_packed(struct traj_writer *w, struct span json)
{
    w->notes.size = 0;
    traj_msgpack_write(&w->notes, json);
    traj_output_put(&w->out, text_span(&w->notes));
}

static void record_packed(struct traj_writer *w, enum traj_kind kind, struct span json)
{
    (void)kind;
    put_packed(w, json);
}

// --- hdf5

static void send_line(struct traj_writer *w, struct span json)
{
    traj_child_send(&w->child, json);
}

static void send_record(struct traj_writer *w, enum traj_kind kind, struct span json)
{
    (void)kind;
    send_line(w, json);
}

static const struct format formats[TRAJ_FORMATS] = {
    [TRAJ_JSON] = {begin_json, record_json, end_json},
    [TRAJ_JSONL] = {put_line, record_line, put_line},
    [TRAJ_MSGPACK] = {put_packed, record_packed, put_packed},
    [TRAJ_HDF5] = {send_line, send_record, send_line},
};

// --- all formats

enum traj_fault traj_write_begin(struct traj_writer **out, const struct traj_path *p, enum traj_format f,
                                 struct span header, bool replaces, uint64_t most)
{
    struct traj_writer *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    w->format = &formats[f];
    w->line.grow = w->notes.grow = traj_text_grow;
    struct span by;
    if (json_find_member(header, "saved_by", &by) && by.size > 2 && by.size - 2 < sizeof w->by)
        memcpy(w->by, by.at + 1, by.size - 2);
    enum traj_fault fault = traj_output_open(&w->out, p, replaces, most);
    if (fault == TRAJ_FINE && f == TRAJ_HDF5)
        fault = traj_child_write(&w->child, w->out.fd, most);
    traj_footer_init(&w->footer);
    *out = w;
    if (fault == TRAJ_FINE && !traj_make_header(&w->line, header))
        fault = TRAJ_BROKEN;
    if (fault != TRAJ_FINE) {
        traj_write_drop(w);
        *out = NULL;
        return fault;
    }
    traj_footer_set_header(&w->footer, text_span(&w->line));
    w->format->begin(w, text_span(&w->line));
    return TRAJ_FINE;
}

void traj_write_record(struct traj_writer *w, struct span json)
{
    enum traj_kind kind = (enum traj_kind)traj_kind_of(json);
    w->format->record(w, kind, json);
    traj_footer_add(&w->footer, kind, json);
}

// What the child has made is summed up here.
static enum traj_fault finish_child(struct traj_writer *w)
{
    enum traj_fault f = traj_child_end(&w->child);
    char bytes[1 << 14];
    struct stat st;
    ssize_t n;
    if (f == TRAJ_NO_ROOM && fstat(w->out.fd, &st) == 0 && (uint64_t)st.st_size >= w->out.most - w->out.most / 8)
        f = TRAJ_QUOTA; // the child has met the limit, not the disk
    if (f == TRAJ_FINE && !traj_block_write(w->out.fd, w->by))
        f = TRAJ_BROKEN;
    for (off_t at = 0; f == TRAJ_FINE && (n = pread(w->out.fd, bytes, sizeof bytes, at)) > 0; at += n) {
        crypto_sum_add(w->out.sum, bytes, (size_t)n);
        w->out.bytes += (uint64_t)n;
    }
    return f;
}

static void write_end(struct traj_writer *w)
{
    if (w->ended)
        return;
    w->ended = true;
    w->line.size = 0;
    traj_footer_write(&w->footer, &w->line);
    w->format->end(w, text_span(&w->line));
}

bool traj_write_is_ready(const struct traj_writer *w)
{
    return !w->child.pid || traj_child_is_ready(&w->child);
}

bool traj_write_is_busy(struct traj_writer *w)
{
    write_end(w);
    return traj_child_is_busy(&w->child);
}

enum traj_fault traj_write_finish(struct traj_writer *w, struct traj_done *done)
{
    write_end(w);
    enum traj_fault f = w->line.full || w->notes.full ? TRAJ_BROKEN : TRAJ_FINE;
    if (f == TRAJ_FINE && w->child.pid)
        f = finish_child(w);
    *done = (struct traj_done){.bytes = w->out.bytes, .steps = w->footer.steps, .episodes = w->footer.episodes};
    return f == TRAJ_FINE ? traj_output_sync(&w->out, done->sha256) : f;
}

struct traj_path traj_write_path(const struct traj_writer *w)
{
    struct traj_path p = {.folder = w->out.path.folder};
    snprintf(p.name, sizeof p.name, "%.255s", w->out.temporary);
    return p;
}

enum traj_fault traj_write_commit(struct traj_writer *w)
{
    enum traj_fault f = traj_output_commit(&w->out);
    w->out.fd = -1;
    return f;
}

void traj_write_drop(struct traj_writer *w)
{
    if (w->child.pid)
        traj_child_drop(&w->child);
    if (w->out.fd >= 0)
        traj_output_drop(&w->out);
    traj_footer_release(&w->footer);
    free(w->line.at);
    free(w->notes.at);
    free(w);
}
