// The journal's lines about models: decisions before they are played, requests before they are sent (L110-L114). They
// contain no key and no text of a prompt or an answer.
#include "llm/internal.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "crypto/crypto.h"
#include "heap/heap.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 8 }; // of the JSON of a line

static void put_known(struct text *t, const char *key, int64_t value)
{
    if (value >= 0)
        json_put_int(t, key, value);
}

static void write_try(struct text *t, const struct llm_try *y)
{
    json_begin_object(t);
    json_put_text(t, "cause", y->cause == LLM_FINE ? NULL : llm_cause_names[y->cause]);
    put_known(t, "input", y->usage.input);
    put_known(t, "cached", y->usage.cached);
    put_known(t, "cache_write", y->usage.cache_write);
    put_known(t, "output", y->usage.output);
    put_known(t, "reasoning", y->usage.reasoning);
    if (y->usage.estimated)
        json_put_bool(t, "estimated", true);
    json_put_int(t, "ms", y->ms);
    put_known(t, "first_ms", y->first_ms);
    put_known(t, "cost", y->cost);
    json_end_object(t);
}

// Returns when the line is on disk: the action or request that it records happens only after that (L110, L112).
static void write_journal_line(struct llm_models *m, struct text *t)
{
    text_put_char(t, '\n');
    m->write_journal(m->journal_owner, text_span(t));
    free(t->at);
}

void llm_journal_decision(struct llm_model *m, const struct llm_journal_decision *d)
{
    struct text t = {.grow = heap_text_grow};
    if (!m->all->write_journal)
        return;
    json_begin_object(&t);
    json_begin_object_at(&t, "decision");
    json_put_uint(&t, "match", d->match);
    json_put_int(&t, "seat", d->seat);
    json_put_int(&t, "n", d->n);
    json_put_hex(&t, "state", d->state);
    json_put_text(&t, "player", m->label);
    json_put_text(&t, "prompt", m->version);
    json_key(&t, "action");
    if (d->action)
        json_write_raw(&t, span_of(d->action));
    else
        json_write_null(&t);
    json_put_text(&t, "how", llm_how_names[d->how]);
    json_begin_array_at(&t, "tries");
    for (int i = 0; i < d->count; i++)
        write_try(&t, &d->tries[i]);
    json_end_array(&t);
    json_put_int(&t, "transport", d->transport);
    json_put_int(&t, "ms", d->ms);
    json_put_int(&t, "at", loop_unix_ms() / 1000);
    json_end_object(&t);
    json_end_object(&t);
    write_journal_line(m->all, &t);
}

void llm_journal_request(struct llm_model *m, uint64_t match, int seat, int n, int number)
{
    struct text t = {.grow = heap_text_grow};
    if (!m->all->write_journal)
        return;
    json_begin_object(&t);
    json_begin_object_at(&t, "sent");
    json_put_uint(&t, "match", match);
    json_put_int(&t, "seat", seat);
    json_put_int(&t, "n", n);
    json_put_int(&t, "try", number);
    json_put_int(&t, "at", loop_unix_ms() / 1000);
    json_end_object(&t);
    json_end_object(&t);
    write_journal_line(m->all, &t);
}

void llm_journal_change(struct llm_model *m, const char *change)
{
    struct text t = {.grow = heap_text_grow};
    if (!m->all->write_journal)
        return;
    json_begin_object(&t);
    json_begin_object_at(&t, "adapted");
    json_put_text(&t, "player", m->label);
    json_put_text(&t, "change", change);
    json_end_object(&t);
    json_end_object(&t);
    write_journal_line(m->all, &t);
}

void llm_models_set_journal(struct llm_models *m, void (*write_line)(void *owner, struct span line), void *owner)
{
    m->write_journal = write_line;
    m->journal_owner = owner;
}

void llm_models_replay_anyway(struct llm_models *m)
{
    m->replay_anyway = true;
}

static void write_model(struct text *t, const struct llm_model *m)
{
    json_begin_object(t);
    json_put_text(t, "player", m->label);
    json_put_text(t, "model", m->endpoint.model);
    json_put_text(t, "url", m->endpoint.url);
    json_put_text(t, "api", llm_api_names[m->endpoint.settings.api]);
    json_put_text(t, "template", m->template.name);
    json_key(t, "settings");
    settings_write(t, &m->endpoint.settings);
    json_end_object(t);
}

void llm_models_write_head(struct llm_models *m, struct text *t)
{
    struct llm_model *one;
    json_begin_object(t);
    json_begin_array_at(t, "models");
    LIST_FOREACH(one, &m->models, next)
        write_model(t, one);
    json_end_array(t);
    json_put_text(t, "agon", AGON_VERSION);
    json_key(t, "prices");
    if (m->prices.at) {
        uint8_t sum[CRYPTO_SHA256_BYTES];
        crypto_sha256(sum, m->prices.at, m->prices.size);
        text_puts(t, "\"sha256:");
        text_put_hex_bytes(t, sum, sizeof sum);
        text_put_char(t, '"');
    } else {
        json_write_null(t);
    }
    json_end_object(t);
    text_put_char(t, '\n');
}

// --- reading back

static int64_t read_int(struct span json, int64_t otherwise)
{
    struct json_reader r = json_reader_of(json, 1);
    int64_t value = json.at && json_peek(&r) == JSON_INT ? json_read_int(&r, INT64_MIN, INT64_MAX) : otherwise;
    return r.error ? otherwise : value;
}

static struct llm_model *find_label(struct llm_models *m, struct span json)
{
    char label[LLM_LABEL];
    struct llm_model *one;
    json_copy_text(json, label, sizeof label);
    LIST_FOREACH(one, &m->models, next)
        if (strcmp(one->label, label) == 0)
            return one;
    return NULL;
}

static void recall_tries(struct llm_model *m, struct span tries)
{
    struct json_reader r = json_reader_of(tries, DEPTH);
    int number = 0;
    if (!tries.at)
        return;
    for (json_enter_array(&r); json_next_item(&r); number++) {
        struct span one = json_read_raw(&r);
        char cause[32];
        json_copy_text(json_member(one, "cause"), cause, sizeof cause);
        int which = span_among(span_of(cause), llm_cause_names);
        struct llm_try t = {
            .cause = which < 0 ? LLM_FINE : (enum llm_cause)which,
            // What an earlier process has paid counts in the report and against the limits, as if it were paid now.
            .usage = {.input = read_int(json_member(one, "input"), -1),
                      .cached = read_int(json_member(one, "cached"), -1),
                      .cache_write = read_int(json_member(one, "cache_write"), -1),
                      .output = read_int(json_member(one, "output"), -1),
                      .reasoning = read_int(json_member(one, "reasoning"), -1),
                      .cost = -1,
                      .estimated = json_member(one, "estimated").at},
            .cost = read_int(json_member(one, "cost"), -1),
            .ms = read_int(json_member(one, "ms"), 0),
            .first_ms = read_int(json_member(one, "first_ms"), -1),
        };
        model_count_try(m, &t, number == 0);
        m->all->decided_before++;
    }
}

static void recall_decision(struct llm_models *m, struct span d)
{
    char state[17], how[16];
    struct llm_model *who = find_label(m, json_member(d, "player"));
    struct span action = json_member(d, "action");
    json_copy_text(json_member(d, "state"), state, sizeof state);
    json_copy_text(json_member(d, "how"), how, sizeof how);
    int64_t match = read_int(json_member(d, "match"), -1), seat = read_int(json_member(d, "seat"), -1),
            n = read_int(json_member(d, "n"), -1);
    int which = span_among(span_of(how), llm_how_names);
    struct recalled one = {
        .match = (uint64_t)match, .seat = (int)seat, .n = (int)n, .state = strtoull(state, NULL, 16)};
    if (match < 0 || seat < 0 || n < 0 || which < 0 || !who || action.size >= sizeof one.action ||
        models_find_recalled(m, one.match, one.seat, one.n))
        return;
    one.how = (enum llm_how)which;
    json_copy_text(json_member(d, "prompt"), one.prompt, sizeof one.prompt);
    if (action.at && action.at[0] == '{')
        memcpy(one.action, action.at, action.size);
    m->recalled = heap_list_grow(m->recalled, m->recalled_count, &m->recalled_room, 256, sizeof *m->recalled);
    m->recalled[m->recalled_count++] = one;
    recall_tries(who, json_member(d, "tries"));
    int64_t transport = read_int(json_member(d, "transport"), 0);
    who->counts.transport += (uint64_t)transport;
    m->decided_before += (uint64_t)transport;
    model_count_decision(who, one.how, read_int(json_member(d, "ms"), 0));
}

void llm_models_read_journal(struct llm_models *m, struct span line)
{
    struct span d = json_member(line, "decision");
    if (d.at && d.at[0] == '{')
        recall_decision(m, d);
    m->sent_before += json_member(line, "sent").at != NULL;
}

uint64_t llm_models_unanswered(const struct llm_models *m)
{
    return m->sent_before > m->decided_before ? m->sent_before - m->decided_before : 0;
}

// A linear search is fast enough: a run has some thousand decisions.
const struct recalled *models_find_recalled(const struct llm_models *m, uint64_t match, int seat, int n)
{
    for (size_t i = 0; i < m->recalled_count; i++)
        if (m->recalled[i].match == match && m->recalled[i].seat == seat && m->recalled[i].n == n)
            return &m->recalled[i];
    return NULL;
}
