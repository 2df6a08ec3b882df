// Questions to the matchmaker of a game that a client waits for, as those about challenges (S25): the caller is a job.
#include "cluster/note.h"
#include "lobby/inside.h"

#include "work/work.h"

#include <stdlib.h>

// So many wait at once: each holds the stack of a job (WORK_MAX_JOBS), and the answers of others need some, too.
enum { ANSWER_MS = 5000, CALLS_MOST = WORK_MAX_JOBS / 4 };

struct mesh_call {
    struct mesh_call *next;
    struct lobby *lobby;
    struct uuid id;
    struct note *answer;
    bool done, answered;
    struct timer timer;
    struct work_line line;
};

static void end_call(struct mesh_call *x, bool answered)
{
    x->done = true;
    x->answered = answered;
    work_wake(x->lobby->o.work, &x->line);
}

static void on_silence(struct lobby *l, struct timer *t, int64_t now_ms)
{
    (void)l;
    (void)now_ms;
    end_call(TIMER_OWNER(t, struct mesh_call, timer), false);
}

static int count_calls(const struct lobby *l)
{
    int count = 0;
    for (const struct mesh_call *x = l->calls; x; x = x->next)
        count++;
    return count;
}

bool calls_ask(struct lobby *l, const struct lobby_game *g, struct note *n, struct note *answer)
{
    uint64_t to = l->mesh.call ? l->mesh.game[lobby_game_index(l, g)].holder : 0;
    if (!to || !work_is_inside(l->o.work) || l->closing || count_calls(l) >= CALLS_MOST)
        return false;
    struct mesh_call *x = lobby_take(sizeof *x);
    *x = (struct mesh_call){
        .next = l->calls, .lobby = l, .id = lobby_random_id(l), .answer = answer, .timer = {.fire = on_silence}};
    l->calls = x;
    timer_set(l, &x->timer, l->now_ms + ANSWER_MS);
    n->id = x->id;
    mesh_send(l, to, n);
    while (!x->done)
        work_sleep(l->o.work, &x->line);
    bool answered = x->answered && answer->age_ms >= 200 && answer->age_ms < 600; // an HTTP status
    struct mesh_call **at = &l->calls;
    while (*at != x)
        at = &(*at)->next;
    *at = x->next;
    timer_clear(l, &x->timer);
    free(x);
    return answered;
}

void calls_hear(struct lobby *l, const struct note *n)
{
    for (struct mesh_call *x = l->calls; x; x = x->next)
        if (uuid_equals(x->id, n->id) && !x->done) {
            *x->answer = *n;
            end_call(x, true);
            return;
        }
}

void calls_end(struct lobby *l)
{
    for (struct mesh_call *x = l->calls; x; x = x->next)
        end_call(x, false);
}
