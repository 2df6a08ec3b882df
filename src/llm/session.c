#include "llm/session_internal.h"

#include "base/hash.h"
#include "heap/heap.h"
#include "llm/retry.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    TRANSPORT_TRIES = 6, // L100
    // L100: doubled each time up to MOST_WAIT_MS, as the official SDKs do.
    FIRST_WAIT_MS = 500,
    MOST_WAIT_MS = 30000,
    LONGEST_WAIT_MS = 120000, // a server that wants more pauses its model
    SENT_BACK = 500,          // bytes of an answer that a re-ask repeats (L81)
    THOUGHTS = 1500,          // bytes of an answer that stay in the conversation with thoughts=on
    MARGIN_MS = 2000,         // L106
};

static void schedule_request(struct llm_session *s, int64_t ms);

// --- opening and closing

static void on_event(void *owner, const char *event, struct span data);
static void on_time(evutil_socket_t fd, short what, void *owner);
static void on_bytes(void *owner, struct span bytes);
static void on_done(void *owner);
static void send_request(void *owner);

struct llm_session *llm_session_open(struct llm_model *m, const struct codec *codec, const struct llm_place *place,
                                     void (*on_decision)(void *owner, const struct llm_decision *d), void *owner)
{
    struct llm_session *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->model = m;
    s->codec = codec;
    s->place = *place;
    memcpy(&s->rules, place->rules, codec->game->rules_size);
    s->place.rules = &s->rules;
    for (int i = 0; place->players && i < place->seats; i++)
        s->player[i] = strdup(place->players[i]);
    s->place.players = place->players ? (const char *const *)s->player : NULL;
    s->on_decision = on_decision;
    s->owner = owner;
    s->system.grow = s->user.grow = s->body.grow = s->schema.grow = s->whole.grow = s->narration.grow = heap_text_grow;
    s->timer = evtimer_new(m->all->loop->base, on_time, s);
    s->waiter = (struct waiter){.go = send_request, .owner = s};
    sse_init(&s->sse, on_event, s);
    reply_init(&s->reply);
    return s;
}

static void release_reservation(struct llm_session *s)
{
    struct llm_model *m = s->model;
    m->reserved -= s->reserved;
    m->reserved_cost -= s->reserved_cost;
    s->reserved = s->reserved_cost = 0;
}

void llm_session_cancel(struct llm_session *s)
{
    limiter_leave(s->model->limiter, &s->waiter);
    if (s->call.running) {
        llm_call_cancel(&s->call);
        s->model->all->in_flight--;
    }
    release_reservation(s);
    if (s->has_place)
        limiter_done(s->model->limiter, false, -1);
    s->has_place = false;
    event_del(s->timer);
    s->asked = s->owes_go = s->owes_decision = false;
    models_settle(s->model->all);
}

void llm_session_close(struct llm_session *s)
{
    llm_session_cancel(s);
    event_free(s->timer);
    llm_call_release(&s->call);
    sse_release(&s->sse);
    reply_release(&s->reply);
    conversation_drop(&s->earlier, s->earlier.count);
    conversation_drop(&s->current, s->current.count);
    free(s->earlier.at);
    free(s->current.at);
    free(s->events);
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        free(s->player[i]);
    struct text *const texts[] = {&s->system, &s->user, &s->body, &s->schema, &s->whole, &s->narration};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]->at);
    free(s);
}

void llm_session_set_turn(struct llm_session *s, int ms)
{
    s->turn_ms = ms;
}

void llm_session_notify(struct llm_session *s, const struct game_event *events, uint32_t count)
{
    if (s->event_count + count > s->event_room) {
        s->event_room = 2 * (s->event_count + count);
        s->events = realloc(s->events, s->event_room * sizeof *s->events);
        if (!s->events)
            abort();
    }
    if (count)
        memcpy(s->events + s->event_count, events, count * sizeof *events);
    s->event_count += count;
}

void llm_session_add_history(struct llm_session *s, struct span words)
{
    text_put(&s->narration, words);
}

// A hash of what the seat knows: it reveals a journal of another match. The prompt is not part of it, because another
// template must not look like another match.
static uint64_t state_hash(const struct llm_session *s)
{
    uint64_t part[2] = {hash_bytes(&s->view, s->codec->game->view_size),
                        s->event_count ? hash_bytes(s->events, s->event_count * sizeof *s->events) : 0};
    return hash_bytes(part, sizeof part);
}

// --- the action in words and in JSON

static void write_line(const struct llm_session *s, struct game_action a, char out[256])
{
    struct codec_table table = {.seat = codec_seat_names, .seats = s->place.seats, .viewer = s->place.seat};
    struct text t = text_on(out, 255);
    speech_describe_choice(s->codec, &t, &table, &s->view, (struct game_choice){a, a.amount});
    out[t.size] = 0;
    out[strcspn(out, "\n")] = 0;
    char *note = strstr(out, " (");
    if (note)
        *note = 0;
}

static void write_json(const struct llm_session *s, struct game_action a, char out[192])
{
    struct codec_table table = {.seat = codec_seat_names, .seats = s->place.seats, .viewer = s->place.seat};
    struct text t = text_on(out, 191);
    codec_write_action(s->codec, &t, &table, a, false);
    out[t.size] = 0;
}

// --- the end of a decision

// L51: what later prompts contain of this decision.
static void add_to_conversation(struct llm_session *s, const char *line)
{
    const struct llm_settings *o = &s->model->endpoint.settings;
    char object[300];
    bool call = session_form(s->model) == LLM_TOOL;
    snprintf(object, sizeof object, session_form(s->model) == LLM_LINE ? "Answer: %s" : "{\"action\":\"%s\"}", line);
    struct span text = span_of(object);
    if (o->thoughts && s->reply.content.size && !call)
        text = conversation_tail(text_span(&s->reply.content), THOUGHTS);
    if (s->current.count)
        conversation_add(&s->earlier, ROLE_USER, s->current.at[0].text, s->current.at[0].is_call);
    conversation_add(&s->earlier, ROLE_ASSISTANT, text, call);
}

static void end_decision(struct llm_session *s, enum llm_how how, struct game_action action, const char *text,
                         bool recalled)
{
    bool moves = how != HOW_FORFEIT && how != HOW_ABORT;
    char json[192] = "", line[256] = "";
    int64_t ms = (loop_now_us() - s->began_us) / 1000;
    if (moves) {
        write_json(s, action, json);
        write_line(s, action, line);
    }
    if (!recalled) {
        session_keep_chat(s, how, moves ? json : NULL, ms);
        llm_journal_decision(s->model, &(struct llm_journal_decision){.match = s->place.match,
                                                                      .state = s->state,
                                                                      .seat = s->place.seat,
                                                                      .n = s->decisions,
                                                                      .how = how,
                                                                      .action = moves ? json : NULL,
                                                                      .tries = s->tries,
                                                                      .count = s->try_count,
                                                                      .transport = s->transport,
                                                                      .ms = ms});
        model_count_decision(s->model, how, ms);
    }
    if (moves && s->model->endpoint.settings.memory == LLM_DIALOGUE)
        add_to_conversation(s, line);
    s->events_sent = s->event_count;
    s->narration_sent = s->narration.size;
    s->decisions++;
    s->asked = false;
    s->decision = (struct llm_decision){.how = how, .action = action, .took_us = loop_now_us() - s->began_us};
    snprintf(s->decision.text, sizeof s->decision.text, "%s", text);
    s->owes_decision = true;
    event_add(s->timer, &(struct timeval){0});
}

static struct game_action draw_action(const struct llm_session *s)
{
    // L84: from the match's seed, so a resumed run draws the same move.
    uint64_t of[4] = {s->place.seed, s->place.match, (uint64_t)s->place.seat, (uint64_t)s->decisions};
    uint64_t drawn = hash_bytes(of, sizeof of);
    const struct game_choice *c = &s->choices[drawn % (uint64_t)s->count];
    struct game_action a = c->first;
    a.amount += (int32_t)((drawn >> 32) % (uint64_t)(c->max_amount - c->first.amount + 1));
    return a;
}

// L84
static void apply_policy(struct llm_session *s, const char *why)
{
    char text[LLM_NOTE];
    snprintf(text, sizeof text, "%s: no action after %d tries: %s", s->model->label, s->try_count + s->transport, why);
    switch ((enum llm_policy)s->model->endpoint.settings.policy) {
    case LLM_FALLBACK:
        end_decision(s, HOW_FALLBACK, s->fallback, text, false);
        return;
    case LLM_RANDOM:
        end_decision(s, HOW_RANDOM, draw_action(s), text, false);
        return;
    case LLM_FORFEIT:
        end_decision(s, HOW_FORFEIT, s->fallback, text, false);
        return;
    case LLM_ABORT:
        models_fail(s->model->all, text);
        end_decision(s, HOW_ABORT, s->fallback, text, false);
        return;
    }
}

// --- asking again (L80-L82)

static int reask_count(const struct llm_session *s)
{
    return s->try_count - 1;
}

static void lower_effort(struct llm_session *s)
{
    static const char *const words[] = {"none", "minimal", "low", "medium", "high", "xhigh", "max"};
    for (unsigned i = 1; i < sizeof words / sizeof *words; i++)
        if (strcmp(s->effort, words[i]) == 0) {
            snprintf(s->effort, sizeof s->effort, "%s", words[i - 1]);
            return;
        }
    if (s->effort[0] >= '0' && s->effort[0] <= '9' && atoi(s->effort) >= 2048)
        snprintf(s->effort, sizeof s->effort, "%d", atoi(s->effort) / 2);
}

static void send_correction(struct llm_session *s, enum llm_cause cause, const char *said)
{
    struct llm_settings settings;
    struct llm_scene scene = session_scene_of(s, &settings);
    struct text again = {.grow = heap_text_grow};
    int tried = reask_count(s);
    prompt_write_again(&again, &scene, cause, said, tried);
    struct span back =
        cause == LLM_CUT ? (struct span){0} : conversation_tail(answer_strip(text_span(&s->reply.content)), SENT_BACK);
    if (back.size) {
        conversation_add(&s->current, ROLE_ASSISTANT, back, false);
        conversation_add(&s->current, ROLE_USER, text_span(&again), false);
    } else { // nothing was said: the question itself gets longer
        conversation_append(&s->current, text_span(&again));
    }
    free(again.at);
    if (cause == LLM_CUT && tried > 0)
        lower_effort(s);
    schedule_request(s, 0);
}

// --- what came back

// L54, L105
static void learn_ratio(struct llm_session *s)
{
    enum { ENOUGH = 3 };
    struct llm_model *m = s->model;
    struct llm_usage *u = &s->reply.usage;
    size_t bytes = session_sent_bytes(s);
    if (u->input <= 0 || u->output < 0) {
        u->input = u->input > 0 ? u->input : session_estimate(m, bytes);
        u->output = u->output >= 0 ? u->output : session_estimate(m, s->reply.content.size + s->reply.reasoning.size);
        u->estimated = true;
        return;
    }
    // L105: some servers cut prompts without a word, rules first (L13).
    // The second test needs a ratio that was learned from answers: the first guess (L54) may be wrong by more than a
    // third.
    bool cut = (double)u->input < (double)bytes / 6 ||
               (m->learned >= ENOUGH && (double)u->input < 0.7 * (double)bytes / m->ratio);
    if (cut && !m->counts.prompt_cut) {
        m->counts.prompt_cut = true;
        models_warn(
            m->all,
            "%s: the server seems to cut prompts: %ju bytes were %jd tokens; set context, or num_ctx on the server",
            m->label, (uintmax_t)bytes, (intmax_t)u->input);
    }
    if (cut)
        return;
    double ratio = (double)bytes / (double)u->input;
    m->ratio = ratio < 1.5 ? 1.5 : ratio > 6 ? 6 : ratio;
    m->learned++;
}

static void read_answer(struct llm_session *s)
{
    struct llm_model *m = s->model;
    struct llm_tool_call calls[REPLY_CALLS];
    struct llm_said said = reply_said(&s->reply, calls);
    struct codec_table table = {.seat = codec_seat_names, .seats = s->place.seats, .viewer = s->place.seat};
    struct llm_found found;
    answer_read(&said, s->codec, &table, s->choices, s->count, &found);
    learn_ratio(s);
    snprintf(m->answered, sizeof m->answered, "%s", s->reply.model);
    struct llm_try *y = &s->tries[s->try_count++];
    *y = (struct llm_try){
        .cause = found.cause, .usage = s->reply.usage, .ms = (s->call.done_us - s->call.sent_us) / 1000};
    y->first_ms = s->first_us ? (s->first_us - s->call.sent_us) / 1000 : -1;
    y->cost = price_of(&m->price, &y->usage);
    m->counts.tolerated += found.tolerated;
    model_count_try(m, y, s->try_count == 1);
    if (found.cause == LLM_FINE && found.forfeit) {
        end_decision(s, HOW_FORFEIT, s->fallback, "the model gave up", false);
        return;
    }
    if (found.cause == LLM_FINE) {
        end_decision(s, HOW_ANSWER, found.action, "", false);
        return;
    }
    model_note_trouble(m, s->place.match, s->place.seat, s->decisions, found.cause, found.said, session_public_text(s));
    if (reask_count(s) < m->endpoint.settings.retries && s->try_count < SESSION_TRIES)
        send_correction(s, found.cause, found.said);
    else
        apply_policy(s, llm_cause_names[found.cause]);
}

// L56
static void shorten_context(struct llm_session *s)
{
    struct llm_model *m = s->model;
    if (s->context_cut || s->try_count == SESSION_TRIES) {
        s->tries[s->try_count] =
            (struct llm_try){.cause = LLM_CONTEXT, .usage = {-1, -1, -1, -1, -1, -1, false}, .cost = 0, .first_ms = -1};
        model_count_try(m, &s->tries[s->try_count], s->try_count == 0);
        s->try_count++;
        apply_policy(s, "the prompt is too long for the model's context");
        return;
    }
    s->context_cut = true;
    m->share /= 2;
    models_warn(m->all, "%s: the prompt was too long (%s); the history is cut", m->label, s->reply.error);
    session_write_prompt(s);
    schedule_request(s, 0);
}

static int64_t delay_ms(const struct llm_session *s)
{
    if (s->call.retry_after_ms >= 0)
        return s->call.retry_after_ms;
    int64_t wait = (int64_t)FIRST_WAIT_MS << (s->transport - 1);
    wait = wait > MOST_WAIT_MS ? MOST_WAIT_MS : wait;
    // A factor from 0.75 to 1 that differs by match: tables that failed together do not retry together.
    uint64_t of[2] = {s->place.seed + s->place.match, (uint64_t)s->decisions * 64 + (uint64_t)s->transport};
    return wait * 3 / 4 + (int64_t)(hash_bytes(of, sizeof of) % (uint64_t)(wait / 4 + 1));
}

// L100
static void retry_later(struct llm_session *s)
{
    int64_t wait = delay_ms(s), left = (s->due_us - loop_now_us()) / 1000;
    if (s->model->all->is_verbose)
        models_warn(s->model->all, "game %ju, seat %d, %s: %s", (uintmax_t)s->place.match, s->place.seat,
                    s->model->label, s->last_fault);
    if (s->transport >= TRANSPORT_TRIES || wait >= left) {
        enum llm_cause cause = s->fault_is_time || wait >= left ? LLM_TIMEOUT : LLM_TRANSPORT;
        s->model->counts.causes[cause]++;
        apply_policy(s, s->last_fault);
        return;
    }
    if (wait > LONGEST_WAIT_MS)
        wait = 0; // the limiter waits
    schedule_request(s, wait);
}

static void describe_fault(struct llm_session *s)
{
    const struct llm_call *k = &s->call;
    char shown[HTTP_TEXT + REPLY_ERROR + 64];
    if (k->text[0])
        snprintf(shown, sizeof shown, "%s", k->text);
    else if (k->status != 200)
        snprintf(shown, sizeof shown, "status %d: %s", k->status, s->reply.error);
    else
        snprintf(shown, sizeof shown, "%s", s->reply.failed ? s->reply.error : "the answer is not complete");
    api_key_mask(s->model->key, shown);
    snprintf(s->last_fault, sizeof s->last_fault, "%.100s: %.380s", s->model->endpoint.host, shown);
    api_key_mask(s->model->key, s->reply.error);
}

static void handle_response(struct llm_session *s)
{
    struct llm_model *m = s->model;
    struct llm_call *k = &s->call;
    char change[REPLY_ERROR];
    struct llm_response_status arrival = {k->status, k->final_fault, k->should_retry, m->counts.tries == 0};
    struct llm_request q = session_request_of(s, NULL, 0);
    bool changed = memcmp(&s->sent, &m->adapted, sizeof s->sent) != 0; // meanwhile, by another table's request
    enum llm_retry v =
        changed && k->status == 400 ? RETRY_ADAPTED : retry_decide(&arrival, &s->reply, &q, &m->adapted, change);
    // More than there are kinds: the server refuses whatever is changed.
    if (v == RETRY_ADAPTED && ++s->adaptations > 8)
        v = RETRY_NEVER;
    if (v == RETRY_NOT_NEEDED) {
        read_answer(s);
        return;
    }
    describe_fault(s);
    if (v == RETRY_ADAPTED) {
        if (!changed)
            model_note_change(m, change);
        session_write_prompt(s);
        schedule_request(s, 0);
    } else if (v == RETRY_SHORTER) {
        shorten_context(s);
    } else if (v == RETRY_NEVER) {
        char text[LLM_NOTE];
        snprintf(text, sizeof text, "%.90s: %.400s", m->label, s->last_fault);
        models_fail(m->all, text);
    } else {
        s->transport++;
        m->counts.transport++;
        s->fault_is_time = k->timed_out;
        retry_later(s);
    }
}

// --- one request

static bool is_streamed(const struct llm_session *s)
{
    return s->model->endpoint.settings.stream;
}

static void on_event(void *owner, const char *event, struct span data)
{
    struct llm_session *s = owner;
    llm_dialects[s->model->endpoint.settings.api]->read_event(&s->reply, event, data);
    if (!s->first_us && (s->reply.content.size || s->reply.reasoning.size || s->reply.calls))
        s->first_us = loop_now_us();
}

static void on_bytes(void *owner, struct span bytes)
{
    struct llm_session *s = owner;
    if (s->whole.size + bytes.size <= HTTP_BODY)
        text_put(&s->whole, bytes);
    if (is_streamed(s))
        sse_feed(&s->sse, bytes);
}

// A server may answer whole where a stream was asked for, or tell of an error in place of one.
static bool looks_like_json(struct span body)
{
    while (body.size && memchr(" \t\r\n", body.at[0], 4))
        body.at++, body.size--;
    return body.size && body.at[0] == '{';
}

static void read_reply(struct llm_session *s)
{
    const struct llm_dialect *d = llm_dialects[s->model->endpoint.settings.api];
    struct llm_call *k = &s->call;
    if (k->text[0]) {
        s->reply.complete = false; // a part is never parsed
        return;
    }
    if (k->status != 200) {
        reply_read_error(&s->reply, text_span(&k->error));
        return;
    }
    if (is_streamed(s) && !looks_like_json(text_span(&s->whole)))
        sse_end(&s->sse);
    else
        d->read(&s->reply, text_span(&s->whole));
    if (!s->first_us)
        s->first_us = k->first_us;
}

static void on_done(void *owner)
{
    struct llm_session *s = owner;
    struct llm_model *m = s->model;
    struct llm_call *k = &s->call;
    m->all->in_flight--;
    release_reservation(s);
    s->has_place = false;
    bool too_many = k->status == 429 || k->status == 529;
    // A long wait is the whole model's, not this table's (L100).
    int64_t pause = k->pause_ms > 0                                   ? k->pause_ms
                    : too_many && k->retry_after_ms > LONGEST_WAIT_MS ? k->retry_after_ms
                                                                      : -1;
    read_reply(s);
    limiter_done(m->limiter, too_many, pause);
    handle_response(s);
    models_settle(m->all);
}

static int64_t now_left_ms(const struct llm_session *s)
{
    int64_t left = (s->due_us - loop_now_us()) / 1000;
    return left < 1 ? 1 : left > INT32_MAX ? INT32_MAX : left;
}

// Called when the limiter has a place for the request.
static void send_request(void *owner)
{
    struct llm_session *s = owner;
    struct llm_model *m = s->model;
    const struct llm_settings *o = &m->endpoint.settings;
    int64_t input = session_estimate(m, session_sent_bytes(s)), output = o->max_tokens;
    struct llm_usage most = {
        .input = input, .output = output, .cached = -1, .cache_write = -1, .reasoning = -1, .cost = -1};
    s->has_place = true;
    if (!models_may_send(m->all, m, input, output)) {
        s->has_place = false;
        limiter_done(m->limiter, false, -1);
        return; // the run is held: this question stays open
    }
    s->reserved = input + output;
    s->reserved_cost = m->price.known ? price_of(&m->price, &most) : 0;
    m->reserved += s->reserved;
    m->reserved_cost += s->reserved_cost;
    s->sent = m->adapted;
    session_write_request(s);
    reply_reset(&s->reply);
    sse_reset(&s->sse);
    s->whole.size = 0;
    s->first_us = 0;
    // Before the request (L112): money that is spent without an answer can be named.
    llm_journal_request(m, s->place.match, s->place.seat, s->decisions, s->try_count + s->transport + s->adaptations);
    s->call.url = m->endpoint.url;
    s->call.headers = m->headers;
    s->call.body = text_span(&s->body);
    s->call.idle_ms = o->idle_s * 1000;
    s->call.total_ms = (int)now_left_ms(s);
    s->call.is_loopback = m->endpoint.is_loopback;
    s->call.on_bytes = on_bytes;
    s->call.on_done = on_done;
    s->call.owner = s;
    m->all->in_flight++;
    llm_call_begin(m->all->http, &s->call);
}

static void schedule_request(struct llm_session *s, int64_t ms)
{
    s->owes_go = true;
    event_add(s->timer, &(struct timeval){ms / 1000, ms % 1000 * 1000});
}

static void on_time(evutil_socket_t fd, short what, void *owner)
{
    (void)fd, (void)what;
    struct llm_session *s = owner;
    if (s->owes_decision) {
        struct llm_decision d = s->decision;
        s->owes_decision = false;
        s->on_decision(s->owner, &d);
    } else if (s->owes_go) {
        s->owes_go = false;
        limiter_wait(s->model->limiter, &s->waiter);
    }
}

// --- the question

// L111: true when the journal has the decision already, or cannot have it.
static bool recall_decision(struct llm_session *s)
{
    struct llm_models *m = s->model->all;
    const struct recalled *r = models_find_recalled(m, s->place.match, s->place.seat, s->decisions);
    struct game_action action = s->fallback;
    if (!r)
        return false;
    bool same = r->state == s->state && strcmp(r->prompt, s->model->version) == 0;
    if (!same && !m->replay_anyway) {
        char text[LLM_NOTE];
        snprintf(text, sizeof text,
                 "the journal has game %ju, seat %d, decision %d for state %016jx and prompt %.15s, and now it is "
                 "state %016jx and "
                 "prompt %.15s; use the same settings and version, or --replay-anyway",
                 (uintmax_t)s->place.match, s->place.seat, s->decisions, (uintmax_t)r->state, r->prompt,
                 (uintmax_t)s->state, s->model->version);
        models_fail(m, text);
        return true;
    }
    // A forfeit has no action.
    if (r->action[0]) {
        struct codec_table table = {.seat = codec_seat_names, .seats = s->place.seats, .viewer = s->place.seat};
        struct json_reader j = json_reader_of(span_of(r->action), 8);
        if (codec_read_action(s->codec, &j, &table, false, &action) != OK ||
            !game_has_choice(s->choices, s->count, action))
            return false;
    }
    s->model->counts.recalled++;
    end_decision(s, r->how, action, "", true);
    return true;
}

void llm_session_ask(struct llm_session *s, const void *view, const struct game_choice *choices, int count,
                     struct game_action fallback)
{
    int64_t total_ms = (int64_t)s->model->endpoint.settings.total_s * 1000;
    int turn_ms = s->turn_ms ? s->turn_ms : s->model->all->options.turn_ms;
    if (turn_ms && turn_ms < total_ms)
        // Nothing is subtracted from a very short turn: hardly any time would be left.
        total_ms = turn_ms > 2 * MARGIN_MS ? turn_ms - MARGIN_MS : turn_ms;
    memcpy(&s->view, view, s->codec->game->view_size);
    memcpy(s->choices, choices, (size_t)count * sizeof *choices);
    s->count = count;
    s->fallback = fallback.kind ? fallback : choices[0].first;
    s->asked = true;
    s->try_count = s->transport = s->adaptations = 0;
    s->context_cut = false;
    s->last_fault[0] = 0;
    snprintf(s->effort, sizeof s->effort, "%s", s->model->endpoint.settings.effort);
    s->began_us = loop_now_us();
    s->due_us = s->began_us + total_ms * 1000;
    s->state = state_hash(s);
    reply_reset(&s->reply);
    if (!session_write_prompt(s)) {
        char text[LLM_NOTE];
        snprintf(text, sizeof text,
                 "%.90s: context=%d is too small: the rules and the situation take %ju bytes, and max_tokens=%d is "
                 "kept for the answer",
                 s->model->label, s->model->endpoint.settings.context, (uintmax_t)(s->system.size + s->user.size),
                 s->model->endpoint.settings.max_tokens);
        models_fail(s->model->all, text);
        return;
    }
    if (!recall_decision(s))
        schedule_request(s, 0);
}
