#include "llm/internal.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "heap/heap.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *const llm_how_names[HOWS + 1] = {"answer", "fallback", "random", "forfeit", "abort", NULL};

static const double first_ratio = 2.5; // L54

// --- opening

struct llm_models *llm_models_open(struct loop *l, const struct llm_options *o, char why[ENDPOINT_WHY])
{
    struct llm_models *m = calloc(1, sizeof *m);
    if (!m)
        abort();
    m->loop = l;
    m->options = *o;
    m->began_us = loop_now_us();
    if ((o->models_file && !llm_file_open(&m->file, o->models_file, why)) ||
        (o->prices_file && !prices_open(&m->prices, o->prices_file, why))) {
        llm_file_close(&m->file);
        free(m);
        return NULL;
    }
    m->http = llm_http_open(l, o->ca_file, o->trust_anyone);
    return m;
}

static void model_free(struct llm_model *m)
{
    curl_slist_free_all(m->headers);
    api_key_free(m->key);
    template_close(&m->template);
    free(m->counts.times.at);
    free(m->counts.firsts.at);
    free(m->changes.at);
    free(m->address);
    free(m);
}

static void chat_free(struct chat_entry *e)
{
    LIST_REMOVE(e, next);
    free(e->body.at);
    free(e->turn.at);
    free(e->system.at);
    free(e);
}

void llm_models_close(struct llm_models *m)
{
    if (!m)
        return;
    while (!LIST_EMPTY(&m->chat))
        chat_free(LIST_FIRST(&m->chat));
    for (struct llm_model *one; (one = LIST_FIRST(&m->models));) {
        LIST_REMOVE(one, next);
        model_free(one);
    }
    while (!LIST_EMPTY(&m->limiters))
        limiter_close(LIST_FIRST(&m->limiters));
    llm_http_close(m->http);
    llm_file_close(&m->file);
    prices_close(&m->prices);
    free(m->recalled);
    free(m);
}

static void add_headers(struct llm_model *m)
{
    const struct llm_dialect *d = llm_dialects[m->endpoint.settings.api];
    char line[8192];
    const char *const fixed[] = {
        "Content-Type: application/json",
        m->endpoint.settings.stream ? "Accept: text/event-stream" : "Accept: application/json",
        ("User-Agent: agon/" AGON_VERSION),
        // An empty value removes curl's own header, with which it waits up to a second for permission to send a larger
        // body.
        "Expect:",
        d->version_header,
    };
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i])
            m->headers = curl_slist_append(m->headers, fixed[i]);
    if (!*api_key_text(m->key))
        return;
    snprintf(line, sizeof line, "%s%s", d->key_header, api_key_text(m->key));
    m->headers = curl_slist_append(m->headers, line);
    // L140: no copy of the key stays on the stack. curl keeps its own in the list of headers.
    explicit_bzero(line, sizeof line);
}

struct llm_model *llm_models_find(struct llm_models *m, const char *address)
{
    struct llm_model *one;
    LIST_FOREACH(one, &m->models, next)
        if (strcmp(one->address, address) == 0)
            return one;
    return NULL;
}

struct llm_model *llm_models_add(struct llm_models *m, const char *label, const char *address, char why[ENDPOINT_WHY])
{
    struct llm_model *one = llm_models_find(m, address), *last = NULL;
    if (one)
        return one;
    if (!(one = calloc(1, sizeof *one)) || !(one->address = strdup(address)))
        abort();
    one->all = m;
    one->ratio = first_ratio;
    one->share = 1;
    one->changes.grow = heap_text_grow;
    snprintf(one->label, sizeof one->label, "%s", label);
    if (!llm_endpoint_read(&one->endpoint, address + strlen("llm:"), &m->file,
                           span_of(m->options.settings ? m->options.settings : ""), m->options.allow_private, why) ||
        !api_key_find(&one->key, &one->endpoint, why) ||
        !template_open(&one->template, one->endpoint.settings.template_name, why) ||
        !template_speak(&one->template, one->endpoint.settings.template_name, one->endpoint.settings.language, why)) {
        model_free(one);
        return NULL;
    }
    const char *priced = one->endpoint.settings.price[0] ? one->endpoint.settings.price : one->endpoint.model;
    one->price = prices_find(&m->prices, priced);
    one->limiter = limiter_find(m, one->endpoint.model, one->endpoint.host, one->endpoint.settings.concurrency);
    add_headers(one);
    struct llm_model *at;
    LIST_FOREACH(at, &m->models, next)
        last = at;
    if (last)
        LIST_INSERT_AFTER(last, one, next);
    else
        LIST_INSERT_HEAD(&m->models, one, next);
    return one;
}

struct llm_model *llm_models_at(struct llm_models *m, int i)
{
    struct llm_model *one;
    LIST_FOREACH(one, &m->models, next)
        if (i-- == 0)
            return one;
    return NULL;
}

// --- telling

const char *llm_model_label(const struct llm_model *m)
{
    return m->label;
}

const struct llm_endpoint *llm_model_endpoint(const struct llm_model *m)
{
    return &m->endpoint;
}

const struct llm_counts *llm_model_counts(const struct llm_model *m)
{
    return &m->counts;
}

const char *llm_model_template(const struct llm_model *m)
{
    return m->template.name;
}

const char *llm_model_version(const struct llm_model *m)
{
    return m->version;
}

const char *llm_model_changes(const struct llm_model *m)
{
    return m->changes.size ? m->changes.at : "";
}

const char *llm_model_answered(const struct llm_model *m)
{
    return m->answered;
}

const char *llm_models_currency(const struct llm_models *m)
{
    return m->prices.currency[0] ? m->prices.currency : "USD";
}

double llm_model_cost(const struct llm_model *m, double input, double output)
{
    return m->price.known ? (input * m->price.input + output * m->price.output) / 1e9 : NAN;
}

static bool is_about(const struct llm_limit *l, const struct llm_model *m)
{
    return !l->label[0] || strcmp(l->label, m->label) == 0 || strcmp(l->label, m->endpoint.model) == 0;
}

const char *llm_models_unpriced(struct llm_models *m)
{
    struct llm_model *one;
    for (int i = 0; i < m->options.limits; i++)
        LIST_FOREACH(one, &m->models, next)
            if (m->options.limit[i].kind == LIMIT_COST && is_about(&m->options.limit[i], one) && !one->price.known)
                return one->label;
    return NULL;
}

const struct llm_trouble *llm_model_trouble(const struct llm_model *m, int i)
{
    return i < m->troubles ? &m->trouble[i].report : NULL;
}

const atomic_bool *llm_models_stopper(const struct llm_models *m)
{
    return &m->stop;
}

const char *llm_models_limit(const struct llm_models *m)
{
    return m->limit_text[0] ? m->limit_text : NULL;
}

const char *llm_models_fatal(const struct llm_models *m)
{
    return m->fatal[0] ? m->fatal : NULL;
}

void llm_models_warn(struct llm_models *m, void (*warn)(void *owner, const char *text), void *owner)
{
    m->warn = warn;
    m->warn_owner = owner;
}

void llm_models_set_verbose(struct llm_models *m)
{
    m->is_verbose = true;
}

void models_warn(struct llm_models *m, const char *format, ...)
{
    char text[LLM_NOTE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (m->warn)
        m->warn(m->warn_owner, text);
}

// --- the end of a run

void models_fail(struct llm_models *m, const char *text)
{
    if (!m->fatal[0])
        snprintf(m->fatal, sizeof m->fatal, "%s", text);
    atomic_store(&m->stop, true);
}

void models_settle(struct llm_models *m)
{
    if (m->held && m->in_flight == 0)
        atomic_store(&m->stop, true);
}

static void hold_run(struct llm_models *m, const struct llm_limit *l)
{
    static const char *const options[] = {"--max-cost", "--max-tokens", "--max-minutes"};
    m->held = true;
    if (!m->limit_text[0])
        snprintf(m->limit_text, sizeof m->limit_text, "%s %g%s%s", options[l->kind], l->value, l->label[0] ? "@" : "",
                 l->label);
    models_settle(m);
}

// What is spent, reserved and wanted now, in the unit of the limit.
static double sum_use(const struct llm_limit *l, struct llm_models *m, const struct llm_model *who, int64_t input,
                      int64_t output)
{
    double sum = l->used;
    struct llm_model *one;
    if (l->kind == LIMIT_MINUTES)
        return sum + (double)(loop_now_us() - m->began_us) / 60e6;
    LIST_FOREACH(one, &m->models, next) {
        struct llm_usage u = {
            .input = input, .output = output, .cached = -1, .cache_write = -1, .reasoning = -1, .cost = -1};
        if (!is_about(l, one))
            continue;
        if (l->kind == LIMIT_TOKENS)
            sum += (double)(one->counts.input + one->counts.output + one->reserved + (one == who ? input + output : 0));
        else
            sum += ((double)one->counts.cost + (double)one->reserved_cost +
                    (one == who ? (double)price_of(&one->price, &u) : 0)) /
                   1e9;
    }
    return sum;
}

void llm_models_carry(struct llm_models *m, struct llm_options *next)
{
    // By index: all runs have the same limits in the same order.
    for (int i = 0; i < m->options.limits && i < next->limits; i++)
        next->limit[i].used = sum_use(&m->options.limit[i], m, NULL, 0, 0);
}

bool models_may_send(struct llm_models *m, struct llm_model *model, int64_t input, int64_t output)
{
    if (m->held || m->fatal[0]) {
        models_settle(m);
        return false;
    }
    for (int i = 0; i < m->options.limits; i++) {
        const struct llm_limit *l = &m->options.limit[i];
        if (is_about(l, model) && sum_use(l, m, model, input, output) > l->value) {
            hold_run(m, l);
            return false;
        }
    }
    return true;
}

// --- counting

static void add_time(struct llm_times *t, int64_t ms)
{
    if (t->count == t->room && t->count < LLM_TIMES) {
        t->room = t->room ? 2 * t->room : 64;
        t->at = realloc(t->at, t->room * sizeof *t->at);
        if (!t->at)
            abort();
    }
    t->at[t->seen++ % LLM_TIMES] = (uint32_t)(ms < 0 ? 0 : ms > UINT32_MAX ? UINT32_MAX : ms);
    t->count += t->count < LLM_TIMES;
}

static int64_t at_least_0(int64_t n)
{
    return n > 0 ? n : 0;
}

void model_count_try(struct llm_model *m, const struct llm_try *t, bool first)
{
    struct llm_counts *c = &m->counts;
    c->tries++;
    c->causes[t->cause]++;
    c->input += at_least_0(t->usage.input);
    c->cached += at_least_0(t->usage.cached);
    c->cache_write += at_least_0(t->usage.cache_write);
    c->output += at_least_0(t->usage.output);
    c->reasoning += at_least_0(t->usage.reasoning);
    c->cost += at_least_0(t->cost);
    c->unpriced |= t->cost < 0;
    c->estimated |= t->usage.estimated;
    c->answer_ms += at_least_0(t->ms);
    if (t->first_ms >= 0)
        add_time(&c->firsts, t->first_ms);
    if (!first)
        return;
    // L130: rates of faults are of first tries. The causes from LLM_UNPARSABLE to LLM_EMPTY are one column there.
    c->first_illegal += t->cause == LLM_ILLEGAL;
    c->first_unparsable += t->cause >= LLM_UNPARSABLE && t->cause <= LLM_EMPTY;
    c->first_cut += t->cause == LLM_CUT;
    c->first_refused += t->cause == LLM_REFUSED;
}

void model_count_decision(struct llm_model *m, enum llm_how how, int64_t ms)
{
    m->counts.decisions++;
    m->counts.how[how]++;
    add_time(&m->counts.times, ms);
}

void model_note_change(struct llm_model *m, const char *change)
{
    if (m->changes.size && strstr(m->changes.at, change))
        return;
    // The list always ends with a NUL, so that llm_model_changes can return it as it is.
    if (m->changes.size)
        m->changes.at[m->changes.size - 1] = '\n';
    text_puts(&m->changes, change);
    text_put_char(&m->changes, 0);
    models_warn(m->all, "%s: the server asked for a change: %s", m->label, change);
    llm_journal_change(m, change);
}

void model_note_trouble(struct llm_model *m, uint64_t match, int seat, int n, enum llm_cause cause, const char *said,
                        struct span text)
{
    if (m->all->is_verbose)
        models_warn(m->all, "game %ju, seat %d, %s: %s%s%s", (uintmax_t)match, seat, m->label, llm_cause_names[cause],
                    *said ? ": " : "", said);
    if (m->troubles == MODEL_TROUBLES)
        return;
    struct trouble *t = &m->trouble[m->troubles++];
    // The end, where the answer is (L81); half of the room, since what is not printable takes four characters.
    size_t size = text.size < TROUBLE_TEXT / 2 ? text.size : TROUBLE_TEXT / 2;
    snprintf(t->said, sizeof t->said, "%s", said);
    utf8_copy_shown(t->text, sizeof t->text, (struct span){text.at + text.size - size, size}, true);
    // L140: a server may have repeated the key in its answer.
    api_key_mask(m->key, t->text);
    t->report = (struct llm_trouble){match, seat, n, llm_cause_names[cause], t->said, t->text};
}

// --- the chat record

void llm_models_chat(struct llm_models *m, enum llm_chat_unit unit, bool good,
                     void (*write)(void *owner, struct span line), void *owner)
{
    m->chats = true;
    m->chat_unit = unit;
    m->chat_good = good;
    m->write_chat = write;
    m->chat_owner = owner;
}

// Always with a decimal point: a reader that guesses types from the first lines must not find an integer there.
static void put_real(struct text *t, const char *key, double value)
{
    char number[48];
    snprintf(number, sizeof number, "%.6f", value);
    json_put_raw(t, key, span_of(number));
}

static void put_outcome(struct text *t, const struct llm_outcome *o, int seat, bool last)
{
    char seed[24]; // as text: it may have more than the 53 bits that readers of JSON keep
    snprintf(seed, sizeof seed, "%ju", (uintmax_t)o->seed);
    json_put_text(t, "seed", seed);
    put_real(t, "reward", last ? o->payoff[seat] : 0);
    put_real(t, "return", o->payoff[seat]);
    json_put_text(t, "outcome", o->outcome[seat]);
    json_put_int(t, "place", o->place[seat]);
    json_end_object(t);
    text_put_char(t, '\n');
}

// The entry of this seat that comes next after decision `n`.
static struct chat_entry *next_entry(struct llm_models *m, uint64_t match, int seat, int n)
{
    struct chat_entry *e, *best = NULL;
    LIST_FOREACH(e, &m->chat, next)
        if (e->match == match && e->seat == seat && e->n > n && (!best || e->n < best->n))
            best = e;
    return best;
}

static void write_decisions(struct llm_models *m, const struct llm_outcome *o, int seat)
{
    for (struct chat_entry *e = next_entry(m, o->match, seat, -1), *after; e; e = after) {
        after = next_entry(m, o->match, seat, e->n);
        put_outcome(&e->body, o, seat, !after);
        m->write_chat(m->chat_owner, text_span(&e->body));
    }
}

// L123: one dialogue a line.
static void write_dialogue(struct llm_models *m, const struct llm_outcome *o, int seat)
{
    struct chat_entry *e = next_entry(m, o->match, seat, -1);
    struct text t = {.grow = heap_text_grow};
    int decisions = 0;
    if (!e)
        return;
    text_put(&t, text_span(&e->system));
    for (; e; e = next_entry(m, o->match, seat, e->n), decisions++) {
        text_put_char(&t, ',');
        text_put(&t, text_span(&e->turn));
    }
    text_put_char(&t, ']');
    json_put_int(&t, "decisions", decisions);
    put_outcome(&t, o, seat, true);
    m->write_chat(m->chat_owner, text_span(&t));
    free(t.at);
}

void llm_models_end_match(struct llm_models *m, const struct llm_outcome *o)
{
    for (int seat = 0; seat < o->seats && m->chats; seat++) {
        // --chat-good (L123)
        if (m->chat_good && strcmp(o->outcome[seat], "win") != 0)
            continue;
        if (m->chat_unit == CHAT_MATCH)
            write_dialogue(m, o, seat);
        else
            write_decisions(m, o, seat);
    }
    for (struct chat_entry *e = LIST_FIRST(&m->chat), *after; e; e = after) {
        after = LIST_NEXT(e, next);
        if (e->match == o->match)
            chat_free(e);
    }
}
