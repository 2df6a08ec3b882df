// Seats: their queue of jobs, the results, and the callbacks to their owners.
#include "games/belote/rules/belote.h"
#include "seats/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

// Of all seats of a client together.
enum { MAX_SPARES = 256, SPARE_BYTES = 16384 }; // jobs kept for reuse, but for those with large bodies

static void start_next_job(struct seat *s);

// --- options

void seat_options_init(struct seat_options *o)
{
    *o = (struct seat_options){
        .connect_ms = 5000,
        .create_ms = 30000,
        .decide_ms = 30000,
        .notify_ms = 5000,
        .delete_ms = 5000,
        .retries = 2,
        .max_conns = 256,
        .max_programs = 64,
    };
}

static const struct {
    const char *name;
    int set;
} notices[] = {
    {"deal-started", SEAT_DEAL_STARTED}, {"negotiation-completed", SEAT_NEGOTIATION_COMPLETED},
    {"card-played", SEAT_CARD_PLAYED},   {"trick-completed", SEAT_TRICK_COMPLETED},
    {"deal-ended", SEAT_DEAL_ENDED},     {"match-ended", SEAT_MATCH_ENDED},
    {"all", SEAT_ALL_NOTICES},           {"none", 0},
};

int seat_read_notices(const char *names)
{
    int set = 0;
    for (const char *at = names; *at; at += strspn(at, ",")) {
        size_t size = strcspn(at, ","), i = 0, count = sizeof notices / sizeof *notices;
        while (i < count && (strlen(notices[i].name) != size || strncasecmp(notices[i].name, at, size) != 0))
            i++;
        if (i == count)
            return -1;
        set |= notices[i].set;
        at += size;
    }
    return set;
}

const char *seat_check_address(const char *address)
{
    if (strncmp(address, "llm:", 4) == 0) // L145: clients of a server must not name a model
        return "language models play in 'agon match', 'agon tournament' and 'agon agent'";
    if (strncmp(address, "cmd:", 4) == 0)
        return address[4 + strspn(address + 4, " ")] ? NULL : "cmd: needs a program";
    if (strncmp(address, "tbp:", 4) == 0)
        return address[4 + strspn(address + 4, " ")] ? NULL : "tbp: needs a program";
    CURLU *url = curl_url();
    char *scheme = NULL, *host = NULL, *query = NULL, *user = NULL;
    const char *wrong = NULL;
    if (curl_url_set(url, CURLUPART_URL, address, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_HOST, &host, 0) != CURLUE_OK)
        wrong = "an address like http://localhost:5070, https://host/prefix or cmd:PROGRAM is wanted";
    else if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
        wrong = "an address starts with http://, https:// or cmd:";
    else if (curl_url_get(url, CURLUPART_QUERY, &query, 0) == CURLUE_OK || strchr(address, '#'))
        wrong = "an address cannot have a query or a fragment";
    else if (curl_url_get(url, CURLUPART_USER, &user, 0) == CURLUE_OK)
        wrong = "an address cannot have a user name or password";
    curl_free(scheme);
    curl_free(host);
    curl_free(query);
    curl_free(user);
    curl_url_cleanup(url);
    return wrong;
}

// --- callbacks: always from the loop, never inside a call of the owner

// Schedules callbacks for later in this turn.
static void schedule_callbacks(struct seat *s)
{
    if (!s->owing) {
        s->owing = true;
        TAILQ_INSERT_TAIL(&s->client->owing, s, owed);
    }
    event_active(s->client->owed_event, EV_TIMEOUT, 0);
}

// The counts are freed last, because the owner may read them in its last callback.
static void free_seat(struct seat *s)
{
    call_release(&s->call);
    program_leave(s);
    s->protocol->end(s);
    s->client->seats--;
    s->handler->on_closed(s->owner);
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        free(s->name[i]);
    free(s->address);
    free(s->match);
    free(s->base);
    free(s->url.at);
    free(s->past);
    free(s->narration.at);
    free(s->choices);
    free(s->row);
    free(s);
}

static void report_fault(struct seat *s)
{
    struct seat_fault f = s->fault;
    char text[SEAT_TEXT_ROOM];
    memcpy(text, s->fault_text, sizeof text);
    f.text = text;
    s->owes_fault = false;
    s->handler->on_fault(s->owner, &f);
}

// One callback at a time: the owner may close the seat or ask the next question.
static bool run_callback(struct seat *s)
{
    if (s->closing) // only the end is reported any more
        s->owes_open = s->owes_fault = false, s->owes_notice = 0;
    if (s->owes_open) {
        s->owes_open = false;
        if (s->handler->on_open)
            s->handler->on_open(s->owner);
        return true;
    }
    if (s->owes_notice) {
        s->owes_notice--;
        if (s->handler->on_notified)
            s->handler->on_notified(s->owner);
        return true;
    }
    if (s->owes_fault) {
        report_fault(s);
        return true;
    }
    if (s->owes_step) {
        s->owes_step = false;
        start_next_job(s);
        return true;
    }
    return false;
}

static void on_owed(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct seat_client *c = arg;
    TAILQ_HEAD(, seat) now = TAILQ_HEAD_INITIALIZER(now);
    TAILQ_CONCAT(&now, &c->owing, owed);
    for (struct seat *s; (s = TAILQ_FIRST(&now));) {
        TAILQ_REMOVE(&now, s, owed);
        s->owing = false;
        if (s->gone)
            free_seat(s);
        else if (run_callback(s))
            schedule_callbacks(s);
    }
}

// --- jobs

// A match has thousands of jobs with bodies of some kilobytes, so a few are kept for reuse.
static struct job *new_job(struct seat_client *c)
{
    struct job *j = TAILQ_FIRST(&c->spare);
    if (!j && !(j = calloc(1, sizeof *j)))
        abort();
    if (c->spares) {
        TAILQ_REMOVE(&c->spare, j, next);
        c->spares--;
    }
    *j = (struct job){.body = {.at = j->body.at, .room = j->body.room}};
    return j;
}

static void free_job(struct seat_client *c, struct job *j)
{
    if (c->spares < MAX_SPARES && j->body.room <= SPARE_BYTES) {
        TAILQ_INSERT_HEAD(&c->spare, j, next);
        c->spares++;
        return;
    }
    free(j->body.at);
    free(j);
}

struct job *seat_add_job(struct seat *s, enum seat_call call, const char *path, unsigned notice)
{
    struct job *j = new_job(s->client);
    j->call = call;
    j->path = path;
    j->notice = notice;
    j->body.grow = heap_text_grow;
    TAILQ_INSERT_TAIL(&s->jobs, j, next);
    return j;
}

static bool is_decision(enum seat_call call)
{
    return call <= SEAT_ACTION;
}

static void set_fault(struct seat *s, enum seat_call call, const struct outcome *o, const char *text)
{
    s->fault = (struct seat_fault){.kind = o->kind,
                                   .call = call,
                                   .status = o->status,
                                   .consecutive = s->consecutive,
                                   .lost = s->lost,
                                   .remedy = o->remedy,
                                   .took_us = o->took_us};
    if (call == SEAT_CREATE &&
        strncmp(s->address, "http", 4) != 0) // users do not know a start of a program as "Create"
        snprintf(s->fault_text, sizeof s->fault_text, "%s: %s", s->address, text);
    else
        snprintf(s->fault_text, sizeof s->fault_text, "%s: %s: %s", s->address, seat_call_names[call], text);
    s->fault.text = s->fault_text;
}

static void report_warning(struct seat *s, const struct job *j, const struct outcome *o)
{
    char text[SEAT_TEXT_ROOM];
    s->counts.warnings++;
    snprintf(text, sizeof text, "%s: %s: %s", s->address, j->path ? j->path : seat_call_names[j->call], o->text);
    if (s->handler->on_warning)
        s->handler->on_warning(s->owner, text);
}

// --- ending a job

static void end_decision(struct seat *s, const struct job *j, const struct outcome *o, struct span reply)
{
    struct game_action a;
    struct outcome bad = *o;
    char text[128];
    if (!o->failed) {
        int err = s->protocol->read(s, j->call, reply, &a);
        if (err == OK) {
            s->consecutive = 0;
            s->handler->on_answer(s->owner, a, o->took_us);
            return;
        }
        snprintf(
            text, sizeof text, "illegal answer: %s%s", err == ERR_ACTION ? "not among the choices" : err_sentence(err),
            err == ERR_MISSING && s->protocol == &protocol_generic ? "; send an entry of \"legal\", or its \"index\""
                                                                   : "");
        bad = (struct outcome){
            .failed = true, .kind = SEAT_ILLEGAL, .status = o->status, .took_us = o->took_us, .text = text};
    }
    s->counts.faults[bad.kind]++;
    s->counts.illegal[j->call] += bad.kind == SEAT_ILLEGAL;
    s->consecutive++;
    // Without a session every further question would only cost its whole time limit.
    s->lost |= bad.kind == SEAT_CRASHED || (bad.kind == SEAT_STATUS && bad.status == 404); // B12.30
    set_fault(s, j->call, &bad, bad.text);
    s->fault.sent = text_span(&j->body);
    s->fault.reply = reply;
    s->handler->on_fault(s->owner, &s->fault);
}

// What a program asks for: {"want":["prose","vector:1"]}. Unknown words are ignored.
static void read_wants(struct seat *s, struct span want)
{
    const struct game *g = s->codec->game;
    s->wants_prose = want.at && memmem(want.at, want.size, "\"prose\"", 7);
    s->vector = want.at && memmem(want.at, want.size, "\"vector\"", 8) ? game_row_vectors(g) : 0;
    for (int version = 1; want.at && version <= game_row_vectors(g); version++) {
        char word[24];
        snprintf(word, sizeof word, "\"vector:%d\"", version);
        if (memmem(want.at, want.size, word, strlen(word)))
            s->vector = version;
    }
}

int seat_vector(const struct seat *s)
{
    return s->vector;
}

void seat_set_row(struct seat *s, const struct seat_row *row)
{
    if (!s->row && !(s->row = malloc(sizeof *s->row)))
        abort();
    *s->row = *row;
}

static void end_create(struct seat *s, const struct job *j, const struct outcome *o, struct span reply)
{
    // Escaping makes three characters of one.
    char id[SEAT_ID_ROOM / 3];
    struct outcome bad = *o;
    int err = o->failed || s->is_program || s->is_model ? OK : wire_read_session(reply, id, sizeof id);
    if (!o->failed && err == OK) {
        read_wants(s, s->is_program ? json_member(reply, "want") : (struct span){0});
        s->created = true;
        s->counts.created++;
        if (!s->is_program && !s->is_model) {
            char *escaped = curl_easy_escape(NULL, id, 0);
            snprintf(s->id, sizeof s->id, "%s", escaped);
            curl_free(escaped);
        }
        if (s->handler->on_open && !s->closing)
            s->handler->on_open(s->owner);
        return;
    }
    if (!o->failed)
        bad = (struct outcome){
            .failed = true, .kind = SEAT_ILLEGAL, .status = o->status, .text = "the answer has no sessionId"};
    s->lost = true;
    s->counts.faults[bad.kind]++;
    set_fault(s, j->call, &bad, bad.text);
    s->fault.sent = text_span(&j->body);
    s->fault.reply = reply;
    if (!s->closing)
        s->handler->on_fault(s->owner, &s->fault);
}

static void end_notice(struct seat *s, const struct job *j, const struct outcome *o)
{
    if (o->failed && o->status == 404 && j->notice == SEAT_NEGOTIATION_COMPLETED)
        s->place.notices &= ~(unsigned)SEAT_NEGOTIATION_COMPLETED; // B12.19: it does not know this one
    else if (o->failed)
        report_warning(s, j, o);
    if (o->failed && o->kind == SEAT_CRASHED)
        s->lost = true;
    if (j->ends_notify && s->handler->on_notified)
        s->handler->on_notified(s->owner);
}

// B12.33: 204, 404 and any other status are accepted.
static void end_delete(struct seat *s, const struct job *j, const struct outcome *o)
{
    // A program that has ended holds nothing.
    bool heard = !o->failed || o->kind == SEAT_STATUS || o->kind == SEAT_CRASHED;
    s->counts.deleted += heard;
    if (o->failed && o->kind != SEAT_STATUS)
        report_warning(s, j, o);
    s->gone = true;
}

void seat_finish_job(struct seat *s, const struct outcome *o, struct span reply)
{
    struct job *j = s->now;
    s->now = NULL;
    s->counts.calls[j->call]++;
    s->counts.requests += s->call.requests;
    s->counts.retries += s->call.retried;
    s->call.requests = s->call.retried = 0;
    if (s->handler->on_sample && (!s->closing || j->call == SEAT_DELETE))
        s->handler->on_sample(s->owner, j->call, o->took_us);
    if (is_decision(j->call))
        end_decision(s, j, o, reply);
    else if (j->call == SEAT_CREATE)
        end_create(s, j, o, reply);
    else if (j->call == SEAT_DELETE)
        end_delete(s, j, o);
    else
        end_notice(s, j, o);
    free_job(s->client, j);
    s->owes_step = true;
    schedule_callbacks(s);
}

static void on_called(void *owner, const struct outcome *o)
{
    struct seat *s = owner;
    seat_finish_job(s, o, text_span(&s->call.reply));
}

// --- starting a job

static void write_url(struct seat *s, const struct job *j)
{
    struct text *t = &s->url;
    t->size = 0;
    text_puts(t, s->base);
    text_puts(t, "/sessions");
    if (j->call != SEAT_CREATE) {
        text_put_char(t, '/');
        text_puts(t, s->id);
    }
    if (j->call != SEAT_CREATE && j->path) {
        text_put_char(t, '/');
        text_puts(t, j->path);
    }
    text_put_char(t, 0);
    if (t->full)
        abort();
}

static void send_job(struct seat *s, struct job *j)
{
    const struct seat_options *o = &s->client->options;
    bool notice = j->call == SEAT_NOTIFICATION;
    s->now = j;
    if (s->is_model) {
        model_send(s, j);
        return;
    }
    if (s->is_program) {
        program_send(s, j);
        return;
    }
    write_url(s, j);
    s->call.url = s->url.at;
    s->call.body = j->call == SEAT_DELETE ? (struct span){0} : text_span(&j->body);
    s->call.budget_ms = j->call == SEAT_DELETE   ? o->delete_ms
                        : j->call == SEAT_CREATE ? o->create_ms
                        : notice                 ? o->notify_ms
                        : s->turn_ms             ? s->turn_ms
                                                 : o->decide_ms;
    s->call.retries = j->call == SEAT_DELETE ? 0 : o->retries;
    s->call.cautious = notice;
    s->call.max_bytes = notice || j->call == SEAT_DELETE ? ACKNOWLEDGED_BYTES : ANSWER_BYTES;
    call_start(&s->call);
}

// What a seat without a session does instead of sending.
static bool skip_job(struct seat *s, const struct job *j)
{
    bool out = s->lost || s->given_up;
    if (j->call == SEAT_DELETE)
        return !s->created;
    if (j->call == SEAT_CREATE || (j->path && !out))
        return false;
    if (is_decision(j->call)) { // it has no session, or its owner has given it up
        s->consecutive++;
        set_fault(s, j->call, &(struct outcome){.kind = SEAT_TRANSPORT}, "there is no session");
        s->owes_fault = true;
        schedule_callbacks(s);
    } else if (j->ends_notify) {
        s->owes_notice++;
        schedule_callbacks(s);
    }
    return true;
}

// Starts the next job, unless one is in progress or callbacks that come before it are pending.
static void start_next_job(struct seat *s)
{
    struct job *j;
    while (!s->now && !s->gone && !s->owes_notice && !s->owes_fault && (j = TAILQ_FIRST(&s->jobs))) {
        TAILQ_REMOVE(&s->jobs, j, next);
        if (skip_job(s, j))
            free_job(s->client, j);
        else
            send_job(s, j);
    }
    if (s->closing && !s->now && TAILQ_EMPTY(&s->jobs) && !s->gone) { // there was nothing to delete
        s->gone = true;
        schedule_callbacks(s);
    } else if (!s->now && !TAILQ_EMPTY(&s->jobs)) {
        s->owes_step = true;
        schedule_callbacks(s);
    }
}

// --- public functions

struct seat_client *seat_client_open(struct loop *l, const struct seat_options *o)
{
    struct seat_client *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->loop = l;
    c->options = *o;
    TAILQ_INIT(&c->owing);
    TAILQ_INIT(&c->spare);
    c->owed_event = event_new(l->base, -1, 0, on_owed, c);
    if (!http_open(c)) {
        event_free(c->owed_event);
        free(c);
        return NULL;
    }
    return c;
}

void seat_client_close(struct seat_client *c)
{
    assert(c->seats == 0);
    programs_close(c);
    http_close_all(c);
    event_free(c->owed_event);
    for (struct job *j; (j = TAILQ_FIRST(&c->spare));) {
        TAILQ_REMOVE(&c->spare, j, next);
        free(j->body.at);
        free(j);
    }
    free(c);
}

// B12.1: the prefix may already end in /api.
static char *base_of(const char *address)
{
    size_t size = strlen(address);
    while (size && address[size - 1] == '/')
        size--;
    bool has_api =
        size > 4 && strncmp(address + size - 4, "/api", 4) == 0 && strstr(address, "://") + 3 < address + size - 4;
    char *base = malloc(size + sizeof "/api");
    if (!base)
        abort();
    memcpy(base, address, size);
    memcpy(base + size, has_api ? "" : "/api", has_api ? 1 : sizeof "/api");
    return base;
}

static void copy_place(struct seat *s, const struct seat_place *p)
{
    s->place = *p;
    s->match = strdup(p->match);
    for (int i = 0; p->names && i < p->seats; i++)
        s->name[i] = strdup(p->names[i]);
    s->place.match = s->match;
    s->place.names = p->names ? (const char *const *)s->name : codec_seat_names;
    memcpy(&s->rules, p->rules, s->codec->game->rules_size);
    s->place.rules = &s->rules;
}

struct seat *seat_open(struct seat_client *c, const char *address, const struct codec *codec,
                       const struct seat_place *place, const struct seat_handler *handler, void *owner)
{
    struct seat *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->client = c;
    s->codec = codec;
    s->handler = handler;
    s->owner = owner;
    s->address = strdup(address);
    s->is_program = strncmp(address, "cmd:", 4) == 0 || strncmp(address, "tbp:", 4) == 0;
    s->is_model = strncmp(address, "llm:", 4) == 0;
    copy_place(s, place);
    s->narration.grow = heap_text_grow;
    TAILQ_INIT(&s->jobs);
    bool belote = codec->game == &belote_game && !s->is_program;
    s->protocol = s->is_model ? &protocol_model : belote ? &protocol_belote : &protocol_generic;
    s->protocol->begin(s);
    if (!s->is_program && !s->is_model) {
        s->base = base_of(address);
        s->call.client = c;
        s->call.origin = origin_find(c, address);
        s->call.on_done = on_called;
        s->call.owner = s;
        s->url.grow = heap_text_grow;
    }
    struct job *j = seat_add_job(s, SEAT_CREATE, NULL, 0);
    s->protocol->write_create(s, &j->body);
    c->seats++;
    s->owes_step = true;
    schedule_callbacks(s);
    return s;
}

void seat_notify(struct seat *s, const void *view, const struct game_event *events, uint32_t count)
{
    struct job *last = TAILQ_LAST(&s->jobs, jobs);
    if (s->closing)
        return;
    s->protocol->send_events(s, view, events, count);
    struct job *now = TAILQ_LAST(&s->jobs, jobs);
    if (now == last || !now) // nothing is sent, but on_notified keeps its place in the order
        now = seat_add_job(s, SEAT_NOTIFICATION, NULL, 0);
    now->ends_notify = true;
    s->owes_step = true;
    schedule_callbacks(s);
}

void seat_add_history(struct seat *s, struct span events, struct span words)
{
    if (s->closing || !words.size)
        return;
    if (s->is_model) {
        model_add_history(s, words);
        return;
    }
    text_put(&s->narration, words);
    struct job *j = seat_add_job(s, SEAT_NOTIFICATION, "notify/events", SEAT_ALL_NOTICES);
    json_begin_object(&j->body);
    json_put_raw(&j->body, "events", events);
    json_end_object(&j->body);
    s->owes_step = true;
    schedule_callbacks(s);
}

void seat_set_turn(struct seat *s, int ms)
{
    s->turn_ms = ms;
}

void seat_ask(struct seat *s, const void *view, const struct game_choice *choices, int count)
{
    if (s->closing)
        return;
    if (count > s->choice_room) {
        s->choices = realloc(s->choices, (size_t)count * sizeof *choices);
        s->choice_room = count;
    }
    if (!s->choices)
        abort();
    memcpy(s->choices, choices, (size_t)count * sizeof *choices);
    // Copied: {"index":N} of an answer refers to them.
    s->choice_count = count;
    s->protocol->ask(s, view);
    s->owes_step = true;
    schedule_callbacks(s);
}

// Waits for a create that has been sent, because its session must be deleted.
static bool is_creating(const struct seat *s)
{
    bool unsent = s->is_program ? program_is_queued(s) : s->call.queued && s->call.attempt == 0;
    return s->now && s->now->call == SEAT_CREATE && !unsent;
}

static void cancel_job(struct seat *s)
{
    if (s->is_model)
        model_cancel(s);
    else if (s->is_program)
        program_cancel(s);
    else
        call_cancel(&s->call);
    free_job(s->client, s->now);
    s->now = NULL;
}

void seat_withdraw(struct seat *s)
{
    struct job *next;
    for (struct job *j = TAILQ_FIRST(&s->jobs); j; j = next) {
        next = TAILQ_NEXT(j, next);
        if (!is_decision(j->call))
            continue;
        TAILQ_REMOVE(&s->jobs, j, next);
        free_job(s->client, j);
    }
    s->owes_fault = false;
    if (s->now && is_decision(s->now->call))
        cancel_job(s);
    s->owes_step = true;
    schedule_callbacks(s);
}

void seat_close(struct seat *s)
{
    if (s->closing)
        return;
    s->closing = true;
    bool creating = is_creating(s);
    for (struct job *j; (j = TAILQ_FIRST(&s->jobs));) {
        TAILQ_REMOVE(&s->jobs, j, next);
        free_job(s->client, j);
    }
    if (s->now && !creating)
        cancel_job(s);
    if (s->created || creating)
        seat_add_job(s, SEAT_DELETE, NULL, 0);
    s->owes_step = true;
    schedule_callbacks(s);
}

bool seat_is_lost(const struct seat *s)
{
    return s->lost || s->given_up;
}

void seat_give_up(struct seat *s)
{
    s->given_up = true;
}

const struct seat_counts *seat_counts(const struct seat *s)
{
    return &s->counts;
}
