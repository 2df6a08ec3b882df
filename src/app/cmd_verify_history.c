// agon verify history: checks whether anything was lost, duplicated, or written by a node without permission (S90).
#include "app/app.h"
#include "app/cmd_verify.h"

#include "app/help.h"
#include "app/history_check.h"
#include "base/json_write.h"
#include "heap/heap.h"
#include "store/pg/pg.h"

#include <stdio.h>
#include <stdlib.h>

enum { STORE_URL = 0x100, AGENTS, DAMP, JSON, FOLDERS = 64 };

struct options {
    const char *store;
    const char *folder[FOLDERS];
    int folders;
    struct history_options check;
    bool json;
};

static const struct argp_option argp_options[] = {
    {"store", STORE_URL, "URL", 0, "PostgreSQL database of agon serve --store ($AGON_STORE)", 0},
    {"agents", AGENTS, "DIR", 0, "Folder of 'agon agent --history'; may be given several times", 0},
    {"damp-repeats", DAMP, NULL, 0, "The servers run with --damp-repeats", 0},
    {"json", JSON, NULL, 0, "Print a JSON object", 0},
    {0},
};

static const struct app_value values[] = {
    APP_VALUE(STORE_URL, struct options, store),
    APP_VALUE(DAMP, struct options, check.damped),
    APP_VALUE(JSON, struct options, json),
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (app_take_value(state, values, key, arg, o))
        return 0;
    switch (key) {
    case AGENTS:
        if (o->folders == FOLDERS)
            argp_failure(state, APP_USAGE, 0, "--agents: at most %d folders", FOLDERS);
        o->folder[o->folders++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->store)
            o->store = getenv("AGON_STORE");
        if (!o->store || !pg_is_url(o->store))
            argp_failure(state, APP_USAGE, 0,
                         "which arena? Give its database with --store, as postgresql://USER@HOST/DATABASE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct {
    const char *key;
    size_t offset;
} figures[] = {
#define FIGURE(name)                                                                                                   \
    {                                                                                                                  \
#name, offsetof(struct history_report, name)                                                                   \
    }
    FIGURE(matches), FIGURE(running), FIGURE(pieces),   FIGURE(actions), FIGURE(events),  FIGURE(ratings),
    FIGURE(entries), FIGURE(files),   FIGURE(sessions), FIGURE(told),    FIGURE(answers), FIGURE(reconnected),
#undef FIGURE
};

static void print_report_json(const struct history_report *r)
{
    struct text t = {.grow = heap_text_grow};
    json_begin_object(&t);
    json_put_bool(&t, "sound", r->faults == 0);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        json_put_uint(&t, figures[i].key, *(const uint64_t *)(const void *)((const char *)r + figures[i].offset));
    json_begin_array_at(&t, "faults");
    for (uint32_t i = 0; i < r->faults; i++) {
        json_begin_object(&t);
        json_put_text(&t, "rule", r->fault[i].rule);
        json_put_text(&t, "text", r->fault[i].text);
        json_end_object(&t);
    }
    json_end_array(&t);
    json_end_object(&t);
    printf("%.*s\n", (int)t.size, t.at);
    free(t.at);
}

static void print_report(const struct history_report *r)
{
    for (uint32_t i = 0; i < r->faults; i++)
        printf("%s: %s\n", r->fault[i].rule, r->fault[i].text);
    printf("%ju matches (%ju running), %ju actions, %ju events, %ju ratings, %ju commitments\n", (uintmax_t)r->matches,
           (uintmax_t)r->running, (uintmax_t)r->actions, (uintmax_t)r->events, (uintmax_t)r->ratings,
           (uintmax_t)r->entries);
    if (r->files)
        printf("%ju agents noted %ju seats, %ju events and %ju answers\n", (uintmax_t)r->files, (uintmax_t)r->sessions,
               (uintmax_t)r->told, (uintmax_t)r->answers);
    if (r->faults)
        printf("%u fault%s\n", r->faults, r->faults == 1 ? "" : "s");
    else
        printf("nothing is lost, nothing happened twice\n");
}

static void on_note(void *owner, const char *sentence)
{
    if (owner)
        history_report_add(owner, "lost", sentence);
}

int cmd_verify_history(int argc, char **argv)
{
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .doc =
            "Check the history of an arena on PostgreSQL, whether its servers run or not: every action once, in order "
            "and by "
            "the seat that was asked, nothing written by a node that was taken over, results and ratings counted once, "
            "the list of commitments complete. With --agents also: every message that agents received is in the log, "
            "and every action was sent by its agent. Exit status 1 if something is wrong.",
    };
    struct options o = {0};
    struct history_report report = {0};
    char why[512];
    help_parse(&argp, argc, argv, 0, &o);
    // Agents may continue to play: their records are read before the snapshot and again after it.
    struct history_records *before = history_records_open(o.folder, o.folders, on_note, &report, why, sizeof why);
    struct audit *past = before ? audit_open(o.store, why, sizeof why) : NULL;
    struct history_records *behind =
        past ? history_records_open(o.folder, o.folders, on_note, NULL, why, sizeof why) : NULL;
    bool read = behind && history_check(past, before, behind, &o.check, &report);
    if (behind && !read)
        snprintf(why, sizeof why, "%s", audit_error(past));
    audit_close(past);
    history_records_close(before);
    history_records_close(behind);
    if (!read)
        fprintf(stderr, "agon verify: %s\n", why);
    else if (o.json)
        print_report_json(&report);
    else
        print_report(&report);
    int status = !read ? APP_USAGE : report.faults ? APP_FAILED : APP_DONE;
    history_report_release(&report);
    return status;
}
