// Entries of agents: a tournament is open until its time is over or it is full, and is then played like any other.
//
// Each entry is a file, written by a job before the agent gets the reply. When the tournament starts,
// tournament.json is written again with all entrants: this file alone decides whether a tournament has started.
#include "tournaments/internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { RETRY_MS = 60000 }; // after a failed write: a full disk is not free again at once

// --- checking the request

// A plan for this many entrants; house bots stand in for those not named. Returns 200, or 400 and sets `error`.
static int make_plan(const struct tournaments *t, const struct tournaments_request *q, int named, int entrants,
                     struct contest_plan *plan, struct tournament_entrant *who, char error[TOURNAMENTS_ERROR_ROOM])
{
    struct tournaments_request *full = malloc(sizeof *full);
    if (!full)
        return tournament_refuse_memory(error);
    *full = *q;
    full->entrants = entrants;
    for (int i = named; i < entrants; i++)
        snprintf(full->entrant[i], sizeof *full->entrant, "entrant-%d=house:1", i + 1);
    int status = tournament_make_plan(t, full, plan, who, error);
    free(full);
    return status;
}

static int check_open_plan(const struct contest_plan *plan, char error[TOURNAMENTS_ERROR_ROOM])
{
    if (plan->seats != 2)
        return tournament_refuse(error, 400,
                                 "agents cannot enter this game, in which an agent would be its own partner");
    for (int i = 0; i < plan->entrants; i++)
        if (plan->entrant[i].address[0])
            return tournament_refuse(
                error, 400, "agents cannot meet bots that are named by URL; make the bot an agent with a bot_url");
    return 200;
}

int entry_check(const struct tournaments *t, const struct tournaments_request *q, struct tournament_entrant *who,
                char error[TOURNAMENTS_ERROR_ROOM])
{
    if (q->games)
        return tournament_refuse(error, 400,
                                 "the number of entrants is not known yet; give games_per_pair, or rounds for a Swiss "
                                 "tournament");
    if (q->entry_max < 2 || q->entry_max > CONTEST_ENTRANTS || q->entry_max <= q->entrants) {
        snprintf(error, TOURNAMENTS_ERROR_ROOM,
                 "entry_max must be 2 to %d, and more than the %d entrants that are named already", CONTEST_ENTRANTS,
                 q->entrants);
        return 400;
    }
    struct contest_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return tournament_refuse_memory(error);
    int status = make_plan(t, q, q->entrants, q->entry_max, plan, who, error);
    if (status == 200)
        status = check_open_plan(plan, error);
    free(plan);
    memset(who + q->entrants, 0, (size_t)(CONTEST_ENTRANTS - q->entrants) * sizeof *who);
    return status;
}

// Counts the games that it would have if it started now; 0: too few entrants.
static void count_games(struct tournament *x)
{
    char error[TOURNAMENTS_ERROR_ROOM];
    struct contest_plan *plan = calloc(1, sizeof *plan);
    struct tournament_entrant *who = calloc(CONTEST_ENTRANTS, sizeof *who);
    x->request->entrants = x->entrants;
    x->total = 0;
    if (plan && who && x->entrants >= 2 && make_plan(x->owner, x->request, 0, x->entrants, plan, who, error) == 200)
        x->total = contest_most_games(plan);
    free(plan);
    free(who);
}

void entry_open(struct tournament *x)
{
    x->status = TOURNAMENT_OPEN;
    x->entry_max = x->request->entry_max;
    x->entry_until_ms = x->created_ms + (int64_t)x->request->entry_seconds * 1000;
    count_games(x);
}

// --- entering and withdrawing

static int find_entrant(const struct tournament *x, struct uuid agent)
{
    for (int i = 0; i < x->entrants; i++)
        if (uuid_equals(x->entrant[i].agent, agent))
            return i;
    return -1;
}

static void remove_entrant(struct tournament *x, int at)
{
    size_t behind = (size_t)(--x->entrants - at);
    memmove(&x->entrant[at], &x->entrant[at + 1], behind * sizeof *x->entrant);
    memmove(x->request->entrant[at], x->request->entrant[at + 1], behind * sizeof *x->request->entrant);
    count_games(x);
}

static int send_entry_job(struct tournament_job *e, uint64_t *job, char error[TOURNAMENTS_ERROR_ROOM])
{
    *job = job_send(e);
    return *job ? 202 : tournament_refuse_memory(error);
}

// If the same request is being written already, returns 202 with that job's number. Returns 0 if no job of this agent
// is in progress.
static int find_pending_job(const struct tournament *x, struct uuid agent, void (*conclude)(struct tournament_job *e),
                            uint64_t *job, char error[TOURNAMENTS_ERROR_ROOM])
{
    for (const struct tournament_job *e = x->owner->jobs; e; e = e->next)
        if (e->tour == x && !e->what && uuid_equals(e->entrant.agent, agent)) {
            *job = e->number;
            return e->conclude == conclude
                       ? 202
                       : tournament_refuse(error, 409, "this agent is being entered or withdrawn; try again");
        }
    return 0;
}

static const char unwritten[] = "cannot write the entry to the data folder; try again";

static int save_entry(struct tournament_job *e)
{
    return tournament_save_entry(e->tour, &e->entrant);
}

static int send_withdrawal(struct tournaments *t, struct tournament *x, struct uuid agent, uint64_t *job,
                           char error[TOURNAMENTS_ERROR_ROOM]);

static void on_entered(struct tournament_job *e)
{
    char error[TOURNAMENTS_ERROR_ROOM];
    uint64_t job;
    struct tournament *x = e->tour;
    x->entering--;
    if (e->err != OK) {
        tournament_log(LOG_LEVEL_ERROR, "tournament.unwritten", x, strerror(e->system_error));
        tournament_report_done(e, 503, x->id, unwritten);
        return;
    }
    int at = x->entrants++;
    x->entrant[at] = e->entrant;
    uuid_format(x->request->entrant[at], e->entrant.agent);
    tournament_name_agent(x, at, e->public_no);
    count_games(x);
    if (e->entrant.gone) // deleted while the entry was being written
        send_withdrawal(e->tournaments, x, e->entrant.agent, &job, error);
    tournaments_wake(e->tournaments);
    tournament_report_done(e, 200, x->id, "entered");
}

// F3.19: guests play in a browser that may be closed for good; others would wait for them in vain.
static int check_agent(const struct tournament *x, const struct store_agent *a, int64_t now_ms,
                       char error[TOURNAMENTS_ERROR_ROOM])
{
    const char *wrong =
        a->kind == STORE_GUEST ? "is a guest; register an agent to enter" : tournament_why_barred(a, x->game_name);
    if (wrong) {
        snprintf(error, TOURNAMENTS_ERROR_ROOM, "this agent %s", wrong);
        return 403;
    }
    if (x->status != TOURNAMENT_OPEN) {
        snprintf(error, TOURNAMENTS_ERROR_ROOM, "entries are closed: the tournament is %s",
                 tournament_status_names[x->status]);
        return 409;
    }
    if (x->ending || now_ms >= x->entry_until_ms)
        return tournament_refuse(error, 409,
                                 x->ending ? "entries are closed: the tournament is being cancelled"
                                           : "entries are closed: the deadline has passed");
    // Entries that are being written hold their places.
    if (x->entrants + x->entering >= x->entry_max)
        return tournament_refuse(error, 409, "the tournament is full");
    return 202;
}

int tournaments_enter(struct tournaments *t, struct uuid id, const struct store_agent *a, uint64_t *job,
                      char error[TOURNAMENTS_ERROR_ROOM])
{
    struct tournament *x = tournaments_find_made(t, id);
    if (!x)
        return tournament_refuse(error, 404, "unknown tournament");
    if (!x->directs && !tournament_status_is_past(x->status))
        return director_forward(t, x, "enter", a->id, job, error);
    int status = find_pending_job(x, a->id, on_entered, job, error);
    if (status)
        return status;
    if (!tournament_status_is_past(x->status) && find_entrant(x, a->id) >= 0)
        return 200;
    status = check_agent(x, a, t->o.now_ms(), error);
    if (status != 202)
        return status;
    struct tournament_job e = {.tournaments = t,
                               .tour = x,
                               .run = save_entry,
                               .conclude = on_entered,
                               .public_no = a->public_no,
                               .entrant = {.agent = a->id, .entered_ms = t->o.now_ms()}};
    snprintf(e.entrant.shown, sizeof e.entrant.shown, "%s", a->name);
    status = send_entry_job(&e, job, error);
    x->entering += status == 202;
    return status;
}

static int drop_entry(struct tournament_job *e)
{
    return tournament_drop_entry(e->tour, e->entrant.agent);
}

static void on_withdrawn(struct tournament_job *e)
{
    struct tournament *x = e->tour;
    int at = find_entrant(x, e->entrant.agent);
    if (e->err == OK && at >= 0)
        remove_entrant(x, at);
    tournaments_wake(e->tournaments);
    tournament_report_done(e, e->err == OK ? 200 : 503, x->id, e->err == OK ? "withdrawn" : unwritten);
}

static int send_withdrawal(struct tournaments *t, struct tournament *x, struct uuid agent, uint64_t *job,
                           char error[TOURNAMENTS_ERROR_ROOM])
{
    struct tournament_job e = {
        .tournaments = t, .tour = x, .run = drop_entry, .conclude = on_withdrawn, .entrant = {.agent = agent}};
    return send_entry_job(&e, job, error);
}

int tournaments_withdraw(struct tournaments *t, struct uuid id, struct uuid agent, uint64_t *job,
                         char error[TOURNAMENTS_ERROR_ROOM])
{
    struct tournament *x = tournaments_find_made(t, id);
    if (!x)
        return tournament_refuse(error, 404, "unknown tournament");
    if (!x->directs && !tournament_status_is_past(x->status))
        return director_forward(t, x, "withdraw", agent, job, error);
    int status = find_pending_job(x, agent, on_withdrawn, job, error), at = find_entrant(x, agent);
    if (status)
        return status;
    if (at < 0)
        return tournament_refuse(error, 409, "this agent has not entered");
    if (x->status != TOURNAMENT_OPEN)
        return tournament_refuse(error, 409,
                                 "the tournament has begun; games that an agent does not play count as lost");
    if (!x->entrant[at].entered_ms)
        return tournament_refuse(error, 409,
                                 "the operator entered this agent, and only the operator can cancel the tournament");
    if (x->ending)
        return tournament_refuse(error, 409, "the tournament is being cancelled");
    return send_withdrawal(t, x, agent, job, error);
}

void entry_delete(struct tournaments *t, struct tournament *x, struct uuid agent)
{
    char error[TOURNAMENTS_ERROR_ROOM];
    uint64_t job;
    int at = tournament_status_is_past(x->status) ? -1 : find_entrant(x, agent);
    if (at < 0)
        return;
    x->entrant[at].gone = true;
    if (!x->directs)
        director_report_deletion(t, x, agent);
    else if (x->status == TOURNAMENT_OPEN && !x->ending)
        send_withdrawal(t, x, agent, &job, error);
}

void tournaments_drop_agent(struct tournaments *t, struct uuid agent)
{
    for (struct tournament_job *e = t->jobs; e; e = e->next)
        if (uuid_equals(e->entrant.agent, agent))
            e->entrant.gone = true; // a member that the job's thread does not read
    for (int i = 0; i < t->count; i++)
        entry_delete(t, t->at[i], agent);
    tournaments_wake(t);
}

// Removes deleted agents that are still entrants: those whose withdrawal could not be written, and those that
// tournament.json names.
static void drop_deleted(struct tournament *x)
{
    for (int i = x->entrants - 1; i >= 0; i--)
        if (x->entrant[i].gone)
            remove_entrant(x, i);
}

void entry_restore(struct tournament *x)
{
    struct store_agent a;
    for (int i = x->entrants - 1; i >= 0; i--) { // from the end: of two agents with one name, the first keeps it
        struct tournament_entrant *e = &x->entrant[i];
        if (uuid_is_none(e->agent))
            continue;
        bool found = store_find_agent(lobby_store(x->owner->o.lobby), e->agent, &a);
        e->gone = !found || tournament_is_deleted(&a);
        if (!e->gone && e->entered_ms)
            tournament_name_agent(x, i, a.public_no);
    }
    drop_deleted(x);
    count_games(x);
}

// --- starting

bool entry_is_due(const struct tournament *x, int64_t now_ms)
{
    return x->game && now_ms >= x->retry_ms && (now_ms >= x->entry_until_ms || x->entrants >= x->entry_max);
}

static int save_beginning(struct tournament_job *e)
{
    return tournament_save(e->tour);
}

static void on_begun(struct tournament_job *e)
{
    struct tournament *x = e->tour;
    if (e->err != OK) {
        x->status = TOURNAMENT_OPEN;
        x->started_ms = 0;
        x->retry_ms = e->now_ms + RETRY_MS;
        tournament_log(LOG_LEVEL_ERROR, "tournament.unwritten", x, strerror(e->system_error));
        tournament_report_done(e, 503, x->id, "cannot write the tournament to the data folder; try again");
        return;
    }
    tournament_log(LOG_LEVEL_INFO, "tournament.begun", x, NULL);
    if (!tournament_is_shared(x))
        tournament_begin(x, e->now_ms);
    tournaments_wake(e->tournaments);
    tournament_report_done(e, 200, x->id, tournament_status_names[TOURNAMENT_RUNNING]);
}

static int save_nothing(struct tournament_job *e)
{
    return tournament_save_end(e->tour, TOURNAMENT_CANCELLED, e->now_ms, 0, SPAN("[]"));
}

static void on_cancelled(struct tournament_job *e)
{
    struct tournament *x = e->tour;
    x->ending = false;
    if (e->err == OK) {
        x->status = TOURNAMENT_CANCELLED;
        x->finished_ms = e->now_ms;
        tournament_log(LOG_LEVEL_INFO, "tournament.cancelled", x, NULL);
        tournament_free_request(x);
    } else {
        x->retry_ms = e->now_ms + RETRY_MS;
    }
    tournaments_wake(e->tournaments);
    tournament_report_done(e, e->err == OK ? 200 : 503, x->id,
                           e->err == OK ? tournament_status_names[TOURNAMENT_CANCELLED]
                                        : "cannot write the end of the tournament to the data folder; try again");
}

int entry_cancel(struct tournaments *t, struct tournament *x, uint64_t *job)
{
    *job = job_send(&(struct tournament_job){
        .tournaments = t, .tour = x, .run = save_nothing, .conclude = on_cancelled, .now_ms = t->o.now_ms()});
    x->ending = *job != 0;
    return *job ? OK : ERR_FULL;
}

// The tournament stays open until the job has written the new tournament.json.
static uint64_t send_beginning(struct tournaments *t, struct tournament *x, int64_t now_ms)
{
    x->status = TOURNAMENT_RUNNING;
    x->started_ms = now_ms;
    x->has_agents = tournament_has_agents(x);
    uint64_t job = job_send(&(struct tournament_job){
        .tournaments = t, .tour = x, .run = save_beginning, .conclude = on_begun, .now_ms = now_ms});
    if (!job) {
        x->status = TOURNAMENT_OPEN;
        x->started_ms = 0;
    }
    return job;
}

void entry_end(struct tournaments *t, struct tournament *x, int64_t now_ms)
{
    uint64_t job;
    drop_deleted(x);
    if (x->total ? send_beginning(t, x, now_ms) == 0 : entry_cancel(t, x, &job) != OK)
        x->retry_ms = now_ms + RETRY_MS;
}

int tournaments_begin(struct tournaments *t, struct uuid id, uint64_t *job, char error[TOURNAMENTS_ERROR_ROOM])
{
    struct tournament *x = tournaments_find_made(t, id);
    if (!x)
        return tournament_refuse(error, 404, "unknown tournament");
    if (x->status != TOURNAMENT_OPEN) {
        snprintf(error, TOURNAMENTS_ERROR_ROOM, "the tournament is not open; it is %s",
                 tournament_status_names[x->status]);
        return 409;
    }
    if (!x->directs)
        return director_forward(t, x, "start", (struct uuid){0}, job, error);
    if (x->busy)
        return tournament_refuse(
            error, 409, "an agent is being entered or withdrawn, or the tournament is being cancelled; try again");
    drop_deleted(x);
    if (!x->total)
        return tournament_refuse(error, 409, "a tournament needs at least two entrants");
    if (lobby_is_draining(t->o.lobby))
        return tournament_refuse(error, 503, "the server is in maintenance; try again later");
    *job = send_beginning(t, x, t->o.now_ms());
    return *job ? 202 : tournament_refuse_memory(error);
}
