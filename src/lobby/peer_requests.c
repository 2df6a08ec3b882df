// Requests to another node that a client waits for: to the matchmaker of a game about a challenge (S25), to the
// director of a tournament (S47). Called in a job.
#include "cluster/note.h"
#include "lobby/internal.h"

#include "work/work.h"

#include <stdio.h>
#include <stdlib.h>

// Most waiting requests: each holds the stack of a job (WORK_MAX_JOBS), and replying to others needs some too.
enum { ANSWER_MS = 5000, PEER_REQUESTS_MOST = WORK_MAX_JOBS / 4 };

struct peer_request {
    struct peer_request *next;
    struct lobby *lobby;
    uint64_t to; // node
    struct uuid id;
    // On the stack of the job that waits.
    struct note *answer;
    bool done, answered;
    struct timer timer;
    struct work_waiters line;
};

static void end_request(struct peer_request *x, bool answered)
{
    x->done = true;
    x->answered = answered;
    work_wake(x->lobby->o.work, &x->line);
}

static void on_silence(struct lobby *l, struct timer *t, int64_t now_ms)
{
    struct peer_request *x = TIMER_OWNER(t, struct peer_request, timer);
    (void)l;
    (void)now_ms;
    if (!x->done) // the answer may have come in this turn, before its job runs
        end_request(x, false);
}

static int count_requests(const struct lobby *l)
{
    int count = 0;
    for (const struct peer_request *x = l->requests; x; x = x->next)
        count++;
    return count;
}

static bool send_request(struct lobby *l, uint64_t to, struct note *n, struct note *answer)
{
    if (!l->mesh.call || !to || !work_is_inside(l->o.work) || l->closing || count_requests(l) >= PEER_REQUESTS_MOST)
        return false;
    struct peer_request *x = lobby_alloc(sizeof *x);
    *x = (struct peer_request){.next = l->requests,
                               .lobby = l,
                               .to = to,
                               .id = lobby_random_id(l),
                               .answer = answer,
                               .timer = {.fire = on_silence}};
    l->requests = x;
    timer_set(l, &x->timer, l->now_ms + ANSWER_MS);
    n->id = x->id;
    mesh_send(l, to, n);
    while (!x->done)
        work_sleep(l->o.work, &x->line);
    bool answered = x->answered && answer->age_ms >= 200 && answer->age_ms < 600; // an HTTP status
    struct peer_request **at = &l->requests;
    while (*at != x)
        at = &(*at)->next;
    *at = x->next;
    timer_clear(l, &x->timer);
    free(x);
    return answered;
}

bool peer_request_send(struct lobby *l, const struct lobby_game *g, struct note *n, struct note *answer)
{
    return send_request(l, l->mesh.call ? l->mesh.game[lobby_game_index(l, g)].holder : 0, n, answer);
}

void peer_request_receive(struct lobby *l, const struct note *n)
{
    for (struct peer_request *x = l->requests; x; x = x->next)
        if (uuid_equals(x->id, n->id) && !x->done) {
            *x->answer = *n;
            end_request(x, true);
            return;
        }
}

void peer_requests_end(struct lobby *l, uint64_t node)
{
    for (struct peer_request *x = l->requests; x; x = x->next)
        if (!x->done && (!node || x->to == node))
            end_request(x, false);
}

// --- tournaments of other nodes (S47)

int lobby_ask_director(struct lobby *l, uint64_t node, const struct lobby_tournament_request *w,
                       char reply[LOBBY_TOURNAMENT_ERROR_ROOM])
{
    struct note answer, n = {.kind = ENTRY_JOIN, .flags = NOTE_TOURNAMENT, .agent = w->agent, .challenge = w->tour};
    snprintf(n.mode, sizeof n.mode, "%s", w->what);
    if (!send_request(l, node, &n, &answer))
        return 0;
    snprintf(reply, LOBBY_TOURNAMENT_ERROR_ROOM, "%s", answer.say);
    return (int)answer.age_ms;
}

void lobby_on_tournament_request(struct lobby *l, lobby_tournament_handler *call, void *owner)
{
    l->tournament_handler = call;
    l->tournament_owner = owner;
}

struct tournament_job {
    struct lobby *lobby;
    uint64_t from;
    struct note note;
};

// Replies when it is durable: `tournament_handler` waits for that.
static void run_tournament_job(void *arg)
{
    struct tournament_job *x = arg;
    struct lobby *l = x->lobby;
    char reply[LOBBY_TOURNAMENT_ERROR_ROOM] = "";
    const struct lobby_tournament_request w = {.tour = x->note.challenge, .agent = x->note.agent, .what = x->note.mode};
    int status = l->tournament_handler && !l->closing ? l->tournament_handler(l->tournament_owner, &w, reply) : 0;
    struct note n = {.kind = ENTRY_BEGUN, .flags = NOTE_DOWN | NOTE_TOURNAMENT, .id = x->note.id, .age_ms = status};
    snprintf(n.say, sizeof n.say, "%s", reply);
    if (status)
        mesh_send(l, x->from, &n);
    l->tournament_requests--;
    free(x);
}

// Each needs a second job while it waits: if all stacks were held by waiting requests, none could be answered.
void peer_request_serve_tournament(struct lobby *l, uint64_t from, const struct note *n)
{
    if (l->tournament_requests >= PEER_REQUESTS_MOST) {
        struct note full = {.kind = ENTRY_BEGUN, .flags = NOTE_DOWN | NOTE_TOURNAMENT, .id = n->id, .age_ms = 503};
        snprintf(full.say, sizeof full.say, "too many requests at once; try again");
        mesh_send(l, from, &full);
        return;
    }
    l->tournament_requests++;
    struct tournament_job *x = lobby_alloc(sizeof *x);
    *x = (struct tournament_job){.lobby = l, .from = from, .note = *n};
    work_start(l->o.work, run_tournament_job, x);
}
