// The Task API: numbered seeds for trainers that enumerate (O60).
#include "front/openenv/openenv_internal.h"

#include "crypto/crypto.h"
#include "heap/heap.h"

#include <stdio.h>
#include <stdlib.h>

static const struct split {
    const char *name;
    int64_t count;
} splits[] = {{"train", MAX_TRAIN}, {"test", MAX_TEST}};

static const struct split *find_split(const char *name)
{
    for (unsigned i = 0; i < sizeof splits / sizeof *splits; i++)
        if (strcmp(splits[i].name, name) == 0)
            return &splits[i];
    return NULL;
}

// 53 bits of SHA-256, so that every client reads the number as it is.
bool openenv_task_seed(const struct game_kit *k, const char *split, int64_t index, uint64_t *seed)
{
    char words[160];
    uint8_t sum[CRYPTO_SHA256_BYTES];
    const struct split *s = find_split(split);
    if (!s || index < 0 || index >= s->count)
        return false;
    int size = snprintf(words, sizeof words, "agon.task.1 %s %s %lld", k->game->name, split, (long long)index);
    crypto_sha256(sum, words, (size_t)size);
    *seed = 0;
    for (int i = 0; i < 8; i++)
        *seed = *seed << 8 | sum[i];
    *seed >>= 11;
    return true;
}

static void write_task(struct text *t, const struct game_kit *k, const char *split, int64_t index)
{
    char id[48];
    uint64_t seed = 0;
    openenv_task_seed(k, split, index, &seed);
    snprintf(id, sizeof id, "%s-%lld", split, (long long)index);
    json_begin_object(t);
    json_put_text(t, "id", id);
    json_put_int(t, "index", index);
    json_put_text(t, "split", split);
    json_put_uint(t, "seed", seed);
    json_put_text(t, "scenario", k->game->scenarios[0]);
    json_end_object(t);
}

// --- lists, which may be long

struct listing {
    struct openenv *host;
    struct served *game;
    const struct split *split;
    int64_t start, stop;
    bool named; // env_name goes along
    struct http_request *request;
};

static void run_listing(void *arg)
{
    struct listing *l = arg;
    struct text t = {.grow = heap_text_grow};
    json_begin_object(&t);
    json_begin_array_at(&t, "tasks");
    for (int64_t i = l->start; i < l->stop; i++) {
        write_task(&t, l->game->kit, l->split->name, i);
        // The client may leave and other requests be served meanwhile.
        work_spend(l->host->work, 1);
    }
    json_end_array(&t);
    if (l->named)
        json_put_text(&t, "env_name", l->game->kit->game->name);
    json_end_object(&t);
    if (l->request) {
        http_set_data(l->request, NULL);
        http_reply(l->request, 200, "application/json", text_span(&t));
    }
    l->host->listings--;
    free(t.at);
    free(l);
}

// --- requests

struct task_query {
    const struct split *split;
    int64_t index, start, stop;
};

static bool read_number(struct span body, const char *name, int64_t missing, int64_t *out)
{
    struct span value = json_member(body, name);
    struct json_reader r = json_reader_of(value, 4);
    *out = missing;
    if (!value.size || json_peek(&r) == JSON_NULL)
        return true;
    *out = json_read_int(&r, INT32_MIN, INT32_MAX);
    return !r.error;
}

static bool read_query(struct http_request *r, struct task_query *o)
{
    char name[32] = "";
    struct span body = http_body(r), split = json_member(body, "split");
    struct json_reader in = json_reader_of(split, 4);
    if (split.size && json_peek(&in) == JSON_STRING)
        json_string_copy(json_read_string(&in), name, sizeof name);
    o->split = find_split(name);
    if (!o->split) {
        openenv_http_detail(r, 400, "unknown split; splits: train, test");
        return false;
    }
    if (!read_number(body, "index", -1, &o->index) || !read_number(body, "start", 0, &o->start) ||
        !read_number(body, "stop", o->split->count, &o->stop) || o->start < 0 || o->stop > o->split->count) {
        openenv_http_detail(r, 400, "Invalid task index");
        return false;
    }
    return true;
}

static void show_list(struct openenv *o, struct served *g, struct http_request *r, const struct task_query *q,
                      bool named)
{
    if (o->listings >= MAX_LISTINGS) {
        openenv_http_detail(r, 503, "too many task lists are being written; try again");
        return;
    }
    struct listing *l = malloc(sizeof *l);
    if (!l)
        abort();
    *l = (struct listing){o, g, q->split, named ? 0 : q->start, named ? q->split->count : q->stop, named, r};
    http_set_data(r, &l->request);
    o->listings++;
    work_start(o->work, run_listing, l);
}

static void reply_tasks(struct openenv *o, struct served *g, struct http_request *r, const char *what)
{
    struct task_query q = {0};
    struct text *t = &o->scratch;
    if (!read_query(r, &q))
        return;
    if (strcmp(what, "tasks") == 0 || strcmp(what, "task_range") == 0) {
        // "tasks" is the whole split, "task_range" a part of it.
        show_list(o, g, r, &q, what[4] == 's');
        return;
    }
    t->size = 0;
    json_begin_object(t);
    if (strcmp(what, "num_tasks") == 0) {
        json_put_int(t, "num_tasks", q.split->count);
    } else if (q.index < 0 || q.index >= q.split->count) {
        openenv_http_detail(r, 400, "Invalid task index");
        return;
    } else {
        json_key(t, "task");
        write_task(t, g->kit, q.split->name, q.index);
    }
    json_end_object(t);
    http_reply(r, 200, "application/json", text_span(t));
}

void openenv_tasks(struct openenv *o, struct served *g, struct http_request *r, struct span path)
{
    static const struct {
        const char *name, *method;
    } known[] = {{"splits", "GET"}, {"tasks", "POST"}, {"num_tasks", "POST"}, {"task", "POST"}, {"task_range", "POST"}};
    char list[80];
    const char *name = g->kit->game->name;
    if (span_is(path, "/list_environments")) {
        int size = snprintf(list, sizeof list, "[\"%s\"]", name);
        http_reply(r, 200, "application/json", (struct span){list, (size_t)size});
        return;
    }
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
        snprintf(list, sizeof list, "/%s/%s", name, known[i].name);
        if (!span_is(path, list))
            continue;
        if (strcmp(http_method(r), known[i].method) != 0) {
            http_add_header(r, "Allow", known[i].method);
            openenv_http_detail(r, 405, "Method Not Allowed");
        } else if (i == 0) {
            http_reply(r, 200, "application/json",
                       SPAN("[{\"name\":\"train\",\"type\":\"train\"},{\"name\":\"test\",\"type\":\"test\"}]"));
        } else {
            reply_tasks(o, g, r, known[i].name);
        }
        return;
    }
    openenv_http_detail(r, 404, "Not Found");
}
