// Tournaments of several nodes (S47): the store keeps their files, one node at a time directs each tournament, and the
// others read what it publishes.
//
// A new director reads plan, entries and journal, and continues as after a restart. Only the director writes, puts of
// one node become durable in order, and the role passes on only when the old director is gone. So what a new director
// reads is complete.
#include "heap/heap.h"
#include "tournaments/internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    // S47: other nodes report changes at most 2 s late.
    POLL_MS = 1000,
    PUBLISH_MS = 1000, // standings change with every game, but one row of the store a second is enough
    PART = 256 << 10,  // bytes of a file in one put
};
static const char *const growing[] = {"journal", "games"};
static const char live_file[] = "live.json";

static const struct tournaments_nodes *nodes_of(const struct tournament *x)
{
    return x->owner->o.nodes;
}

bool tournament_is_shared(const struct tournament *x)
{
    return x->owner->o.nodes != NULL;
}

// --- reading a tournament

struct loaded {
    struct text plan, entries, end, live;
};

static void collect_file(void *owner, const char *file, uint64_t at, struct span bytes)
{
    struct loaded *d = owner;
    (void)at;
    if (tournament_is_entry(file)) {
        text_put(&d->entries, bytes);
        text_put_char(&d->entries, '\n');
    } else if (strcmp(file, "tournament.json") == 0) {
        text_put(&d->plan, bytes);
    } else if (strcmp(file, "end.json") == 0) {
        text_put(&d->end, bytes);
    } else if (strcmp(file, live_file) == 0) {
        text_put(&d->live, bytes);
    }
}

static void release_files(struct loaded *d)
{
    free(d->plan.at);
    free(d->entries.at);
    free(d->end.at);
    free(d->live.at);
}

static int parse_files(struct tournament *x, struct loaded *d)
{
    if (!d->plan.size)
        return ERR_FORMAT; // x keeps what it held
    if (d->plan.full || d->entries.full || d->end.full || d->live.full)
        return ERR_FULL;
    int err = tournament_parse(x, text_span(&d->plan), text_span(&d->entries), text_span(&d->end));
    if (err == OK && d->end.size) {
        free(x->published.at);
        x->published = (struct text){.grow = heap_text_grow};
        text_put(&x->published, tournament_standings_of(text_span(&d->end)));
    } else if (err == OK && d->live.size) {
        err = tournament_read_live(x, text_span(&d->live));
    }
    return err;
}

// Reads the files, and the records of the agents; called in a job. Returns OK, ERR_STORAGE if the store did not answer,
// or why the files are unusable.
static int load_tournament(struct tournament *x, uint64_t changes)
{
    struct loaded d = {
        {.grow = heap_text_grow}, {.grow = heap_text_grow}, {.grow = heap_text_grow}, {.grow = heap_text_grow}};
    const struct tournaments_nodes *nodes = nodes_of(x);
    int err = nodes->read(nodes->owner, x->id, collect_file, &d) ? parse_files(x, &d) : ERR_STORAGE;
    release_files(&d);
    if (err != OK)
        return err;
    struct store *store = lobby_store(x->owner->o.lobby);
    uint64_t unanswered = store_unanswered(store);
    tournament_complete(x);
    if (store_unanswered(store) != unanswered)
        return ERR_STORAGE; // an agent that could not be read must not be taken for a deleted one
    x->changes = changes;
    return OK;
}

static struct tournament *find_any(const struct tournaments *t, struct uuid id)
{
    for (int i = t->count - 1; i >= 0; i--)
        if (uuid_equals(t->at[i]->id, id))
            return t->at[i];
    return NULL;
}

// New tournaments belong at the end, unless another node's clock is behind.
static void put_in_order(struct tournaments *t)
{
    for (int i = t->count - 1; i > 0 && t->at[i - 1]->created_ms > t->at[i]->created_ms; i--) {
        struct tournament *x = t->at[i];
        t->at[i] = t->at[i - 1];
        t->at[i - 1] = x;
    }
}

static void load_new(struct tournaments *t, const struct store_tournament *row)
{
    struct tournament *x = t->count < TOURNAMENTS_KEPT ? tournament_create(t) : NULL;
    if (!x)
        return;
    x->id = row->id;
    int err = load_tournament(x, row->changes);
    if (err == OK && !find_any(t, x->id) && tournaments_add(t, x)) {
        put_in_order(t);
        return;
    }
    if (err != OK && err != ERR_STORAGE)
        tournament_log(LOG_LEVEL_WARNING, "tournament.unreadable", x, err_sentence(err));
    tournament_destroy(x);
}

static void apply_change(struct tournaments *t, const struct store_tournament *row)
{
    struct tournament *x = find_any(t, row->id);
    if (!x) {
        load_new(t, row);
        return;
    }
    if (x->directs || x->busy || x->loading || x->changes == row->changes || tournament_status_is_past(x->status))
        return;
    x->loading = true;
    load_tournament(x, row->changes);
    x->loading = false;
}

static bool is_listed(const struct store_tournament *rows, int count, struct uuid id)
{
    for (int i = 0; i < count; i++)
        if (uuid_equals(rows[i].id, id))
            return true;
    return false;
}

// Reads what has changed. Also reads known tournaments that the store no longer lists: they ended while it was away.
static void read_changes(void *arg)
{
    struct tournaments *t = arg;
    const struct tournaments_nodes *nodes = t->o.nodes;
    struct store_tournament *rows = malloc(TOURNAMENTS_KEPT * sizeof *rows);
    int count = rows ? nodes->list(nodes->owner, false, rows, TOURNAMENTS_KEPT) : -1, known = t->count;
    for (int i = 0; i < count && !lobby_is_closing(t->o.lobby); i++)
        apply_change(t, &rows[i]);
    for (int i = 0; count >= 0 && i < known && i < t->count && !lobby_is_closing(t->o.lobby); i++)
        if (t->at[i]->made && !is_listed(rows, count, t->at[i]->id))
            apply_change(t, &(struct store_tournament){.id = t->at[i]->id, .changes = t->at[i]->changes + 1});
    free(rows);
    t->looking = false;
    loop_end_turn(t->o.loop);
}

// --- importing the folder of a server that was alone before

static void import_part(struct tournament *x, const char *file, uint64_t at)
{
    char path[TOURNAMENT_PATH];
    struct text t = {0};
    const struct tournaments_nodes *nodes = nodes_of(x);
    tournament_path(x, file, path);
    if (tournament_read_file(path, &t) == OK && t.size)
        nodes->put(nodes->owner, x->id, file, at, text_span(&t), strcmp(file, "end.json") == 0);
    free(t.at);
}

static void import_files(struct tournament *x)
{
    char path[TOURNAMENT_PATH];
    tournament_path(x, "", path);
    DIR *folder = opendir(path);
    for (const struct dirent *e; folder && (e = readdir(folder));)
        if (tournament_is_entry(e->d_name))
            import_part(x, e->d_name, STORE_TOURNAMENT_WHOLE);
    if (folder)
        closedir(folder);
    for (size_t i = 0; i < sizeof growing / sizeof *growing; i++)
        import_part(x, growing[i], 0);
    // After what belongs to it: as long as there is no plan, other nodes leave the tournament alone (parse).
    import_part(x, "tournament.json", STORE_TOURNAMENT_WHOLE);
    import_part(x, "end.json", STORE_TOURNAMENT_WHOLE);
}

// A folder without a plan is a working copy of a tournament that the store keeps.
static void import_one(struct tournaments *t, const char *name)
{
    struct tournament *x = tournament_create(t);
    struct uuid id;
    if (!x || !uuid_parse(&id, span_of(name)) || find_any(t, id) || tournament_load(x, name) != OK ||
        t->count == TOURNAMENTS_KEPT || !tournaments_add(t, x)) {
        tournament_destroy(x);
        return;
    }
    import_files(x);
    tournament_log(LOG_LEVEL_INFO, "tournament.imported", x, NULL);
    tournament_complete(x);
}

bool director_open(struct tournaments *t)
{
    const struct tournaments_nodes *nodes = t->o.nodes;
    struct store_tournament *rows = malloc(TOURNAMENTS_KEPT * sizeof *rows);
    if (!rows)
        return false;
    int count = nodes->list(nodes->owner, true, rows, TOURNAMENTS_KEPT);
    for (int i = 0; i < count; i++)
        load_new(t, &rows[i]);
    free(rows);
    DIR *folder = opendir(t->o.folder);
    for (const struct dirent *e; folder && (e = readdir(folder));)
        if (e->d_name[0] != '.')
            import_one(t, e->d_name);
    if (folder)
        closedir(folder);
    return true;
}

// --- directing

struct copy {
    int fd;
    uint64_t size;
    bool failed;
};

static void copy_part(void *owner, const char *file, uint64_t at, struct span bytes)
{
    struct copy *c = owner;
    (void)file;
    if (c->fd >= 0 && pwrite(c->fd, bytes.at, bytes.size, (off_t)at) != (ssize_t)bytes.size)
        c->failed = true;
    c->size = at + bytes.size;
}

// Copies the journal as the previous director left it. The file of games is rebuilt from it with the same bytes, so
// only its size matters here.
static bool copy_files(struct tournament *x)
{
    char path[TOURNAMENT_PATH];
    const struct tournaments_nodes *nodes = nodes_of(x);
    mkdir(x->owner->o.folder, 0700);
    tournament_path(x, "", path);
    mkdir(path, 0700);
    tournament_path(x, "journal", path);
    struct copy journal = {.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)}, games = {.fd = -1};
    bool taken =
        journal.fd >= 0 && nodes->read_file(nodes->owner, x->id, "journal", 0, UINT64_MAX, copy_part, &journal);
    taken = taken && nodes->read_file(nodes->owner, x->id, "games", 0, UINT64_MAX, copy_part, &games);
    if (journal.fd >= 0)
        close(journal.fd);
    x->journal_at = journal.size;
    x->games_at = games.size;
    return taken && !journal.failed;
}

static void become_director(void *arg)
{
    struct tournament *x = arg;
    const struct tournaments_nodes *nodes = nodes_of(x);
    int err = load_tournament(x, x->changes);
    x->loading = false;
    x->directs =
        err == OK && !tournament_status_is_past(x->status) && !x->owner->resigned && nodes->holds(nodes->owner, x->id);
    x->retry_ms = 0;
    if (err != OK)
        tournament_log(LOG_LEVEL_WARNING, "tournament.stalled", x, err_sentence(err));
    else if (x->directs)
        tournament_log(LOG_LEVEL_INFO, "tournament.directed", x, NULL);
    loop_end_turn(x->owner->o.loop);
}

// Waits for our own puts first: this node may have directed the tournament before.
static void begin_run(void *arg)
{
    struct tournament *x = arg;
    const struct tournaments_nodes *nodes = nodes_of(x);
    if (nodes->wait(nodes->owner) && copy_files(x) && !lobby_is_closing(x->owner->o.lobby))
        tournament_begin(x, x->owner->o.now_ms());
    x->loading = false;
    loop_end_turn(x->owner->o.loop);
}

void director_begin(struct tournament *x)
{
    x->loading = true;
    work_start(loop_work(x->owner->o.loop), begin_run, x);
}

static void claim_role(struct tournament *x, bool wanted)
{
    if (x->wanted != wanted)
        nodes_of(x)->want(nodes_of(x)->owner, x->id, wanted);
    x->wanted = wanted;
}

// Waits until nothing of the tournament is in progress here. Its results are in the store by then.
static void give_up_role(struct tournament *x)
{
    if (x->run || x->busy || x->loading)
        return;
    x->directs = false;
    claim_role(x, false);
}

// A report that fails again is noted again, at an index that was read before.
static void report_deletions(struct tournaments *t, struct tournament *x)
{
    int count = x->deletions;
    x->deletions = 0;
    for (int i = 0; i < count && !tournament_status_is_past(x->status); i++)
        if (x->directs)
            entry_delete(t, x, x->deleted[i]);
        else
            director_report_deletion(t, x, x->deleted[i]);
}

static void tend_role(struct tournaments *t, struct tournament *x)
{
    const struct tournaments_nodes *nodes = t->o.nodes;
    bool past = tournament_status_is_past(x->status);
    if (past || t->resigned) {
        give_up_role(x);
        return;
    }
    if (x->made && x->game && lobby_find_game(t->o.lobby, span_of(x->game_name)))
        claim_role(x, true); // only a node that plays the game may direct it
    if (x->made && !x->directs && !x->loading && !x->busy && nodes->holds(nodes->owner, x->id)) {
        x->loading = true;
        work_start(loop_work(t->o.loop), become_director, x);
    }
}

void director_step(struct tournaments *t, int64_t now_ms)
{
    if (store_is_away(lobby_store(t->o.lobby)) || lobby_is_closing(t->o.lobby))
        return;
    for (int i = 0; i < t->count; i++)
        tend_role(t, t->at[i]);
    if (t->looking || now_ms - t->looked_ms < POLL_MS)
        return;
    t->looking = true;
    t->looked_ms = now_ms;
    for (int i = 0; i < t->count; i++)
        if (t->at[i]->deletions && !t->at[i]->busy && !t->at[i]->loading)
            report_deletions(t, t->at[i]);
    work_start(loop_work(t->o.loop), read_changes, t);
}

void tournaments_resign(struct tournaments *t)
{
    t->resigned = t->o.nodes != NULL;
    tournaments_step(t); // stops what is running here
    tournaments_wake(t);
}

// --- publishing

static void put_growth(struct tournament *x, const char *file, uint64_t *at)
{
    char path[TOURNAMENT_PATH];
    const struct tournaments_nodes *nodes = nodes_of(x);
    tournament_path(x, file, path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *part = fd >= 0 ? malloc(PART) : NULL;
    ssize_t got;
    while (part && (got = pread(fd, part, PART, (off_t)*at)) > 0) {
        const char *stop = memrchr(part, '\n', (size_t)got);
        if (!stop)
            break; // the last line is incomplete: it is being written
        size_t size = (size_t)(stop - part) + 1;
        nodes->put(nodes->owner, x->id, file, *at, (struct span){part, size}, false);
        *at += size;
    }
    free(part);
    if (fd >= 0)
        close(fd);
}

static void publish_standings(struct tournament *x, int64_t now_ms)
{
    struct tournament_run *run = x->run;
    struct text t = {.grow = heap_text_grow};
    const struct tournaments_nodes *nodes = nodes_of(x);
    pthread_mutex_lock(&run->lock);
    uint64_t done = run->done;
    bool tells = run->standings.size && (done != x->published_done || x->published_ms == 0) &&
                 now_ms - x->published_ms >= PUBLISH_MS;
    if (tells)
        tournament_write_live(done, text_span(&run->standings), &t);
    pthread_mutex_unlock(&run->lock);
    if (tells && !t.full) {
        nodes->put(nodes->owner, x->id, live_file, STORE_TOURNAMENT_WHOLE, text_span(&t), false);
        x->published_done = done;
        x->published_ms = now_ms;
    }
    free(t.at);
}

void director_sync(struct tournament *x, int64_t now_ms)
{
    // Rows of games before the journal: so the journal in the store has the results of all of them.
    put_growth(x, "games", &x->games_at);
    if (!tournament_flush(x->run))
        return; // the keeper reports the error
    put_growth(x, "journal", &x->journal_at);
    publish_standings(x, now_ms);
}

// --- the end

static int save_finish(struct tournament_job *e)
{
    return tournament_save_end(e->tour, TOURNAMENT_FINISHED, e->now_ms, e->done, text_span(&e->standings));
}

void director_keep_standings(struct tournament_job *e)
{
    struct tournament *x = e->tour;
    if (!tournament_is_shared(x))
        return;
    free(x->published.at);
    x->published = e->standings;
    e->standings = (struct text){0};
}

static void on_finished(struct tournament_job *e)
{
    struct tournament *x = e->tour;
    if (e->err != OK)
        return; // the store does not answer: the next director ends it
    director_keep_standings(e);
    x->status = TOURNAMENT_FINISHED;
    x->finished_ms = e->now_ms;
    x->done = e->done;
    tournament_log(LOG_LEVEL_INFO, "tournament.finished", x, NULL);
    tournament_free_request(x);
    tournaments_wake(e->tournaments);
}

void director_end_run(struct tournament *x)
{
    struct tournament_run *run = x->run;
    if (x->owner->closing)
        return;
    put_growth(x, "journal", &x->journal_at);
    put_growth(x, "games", &x->games_at);
    if (!run->finished_ms)
        return;
    struct tournament_job e = {.tournaments = (struct tournaments *)(uintptr_t)x->owner,
                               .tour = x,
                               .run = save_finish,
                               .conclude = on_finished,
                               .now_ms = run->finished_ms,
                               .done = run->done,
                               .standings = run->standings};
    if (job_send(&e))
        run->standings = (struct text){0}; // now the job's; without a job the tournament is resumed and ends once more
}

static void collect_end(void *owner, const char *file, uint64_t at, struct span bytes)
{
    (void)at;
    if (strcmp(file, "end.json") == 0)
        json_write_raw(owner, tournament_standings_of(bytes));
}

void director_put_standings(const struct tournament *x, struct text *out)
{
    const struct tournaments_nodes *nodes = nodes_of(x);
    size_t before = out->size;
    if (x->published.size)
        json_write_raw(out, text_span(&x->published));
    else if (tournament_status_is_past(x->status))
        nodes->read(nodes->owner, x->id, collect_end, out);
    if (out->size == before)
        json_write_raw(out, SPAN("[]"));
}

struct window {
    char *out;
    uint64_t from, size, got;
};

static void collect_window(void *owner, const char *file, uint64_t at, struct span bytes)
{
    struct window *w = owner;
    (void)file;
    uint64_t first = at > w->from ? at : w->from, end = at + bytes.size, most = w->from + w->size;
    end = end < most ? end : most;
    if (first >= end || first != w->from + w->got)
        return;
    memcpy(w->out + w->got, bytes.at + (first - at), (size_t)(end - first));
    w->got += end - first;
}

int64_t director_read(const struct tournament *x, const char *file, void *out, size_t size, uint64_t from)
{
    const struct tournaments_nodes *nodes = nodes_of(x);
    struct window w = {.out = out, .from = from, .size = size};
    bool read = nodes->read_file(nodes->owner, x->id, file, from, from + size, collect_window, &w);
    return read ? (int64_t)w.got : ERR_STORAGE;
}

// --- requests about a tournament that another node directs

static int ask_director(struct tournament_job *e)
{
    const struct tournaments_nodes *nodes = e->tournaments->o.nodes;
    char said[LOBBY_TOURNAMENT_ERROR_ROOM] = "";
    const struct lobby_tournament_request w = {.tour = e->tour->id, .agent = e->entrant.agent, .what = e->what};
    e->status = nodes->ask(nodes->owner, &w, said);
    snprintf(e->why, sizeof e->why, "%s", said);
    return OK;
}

// Without memory the director finds out when it seats the agent.
static void note_deletion(struct tournament *x, struct uuid agent)
{
    if (!x->deleted)
        x->deleted = malloc(CONTEST_ENTRANTS * sizeof *x->deleted);
    for (int i = 0; i < x->deletions; i++)
        if (uuid_equals(x->deleted[i], agent))
            return;
    if (x->deleted && x->deletions < CONTEST_ENTRANTS)
        x->deleted[x->deletions++] = agent;
}

// No client requested this deletion, so none would repeat it.
static void on_answered(struct tournament_job *e)
{
    if (strcmp(e->what, "forget") == 0 && (!e->status || e->status == 503))
        note_deletion(e->tour, e->entrant.agent);
    tournament_report_done(e, e->status ? e->status : 503, e->tour->id,
                           e->status ? e->why : "the node that directs this tournament does not answer; try again");
}

int director_forward(struct tournaments *t, struct tournament *x, const char *what, struct uuid agent, uint64_t *job,
                     char error[TOURNAMENTS_ERROR_ROOM])
{
    *job = job_send(&(struct tournament_job){.tournaments = t,
                                             .tour = x,
                                             .run = ask_director,
                                             .conclude = on_answered,
                                             .what = what,
                                             .entrant = {.agent = agent}});
    return *job ? 202 : tournament_refuse_memory(error);
}

void director_report_deletion(struct tournaments *t, struct tournament *x, struct uuid agent)
{
    char error[TOURNAMENTS_ERROR_ROOM];
    uint64_t job;
    if (director_forward(t, x, "forget", agent, &job, error) != 202)
        note_deletion(x, agent);
}

static int enter_agent(struct tournaments *t, const struct lobby_tournament_request *w, uint64_t *job,
                       char why[TOURNAMENTS_ERROR_ROOM])
{
    struct store_agent a;
    struct store *store = lobby_store(t->o.lobby);
    uint64_t unanswered = store_unanswered(store);
    if (!store_find_agent(store, w->agent, &a))
        return store_unanswered(store) == unanswered
                   ? tournament_refuse(why, 404, "unknown agent")
                   : tournament_refuse(why, 503, "the store does not answer; try again");
    int status = tournaments_enter(t, w->tour, &a, job, why);
    return status == 200 ? tournament_refuse(why, 200, "entered") : status;
}

static int wait_for_job(struct tournaments *t, uint64_t job, char why[TOURNAMENTS_ERROR_ROOM])
{
    struct tournament_wait w = {.next = t->waits, .job = job};
    t->waits = &w;
    while (!w.status)
        work_sleep(loop_work(t->o.loop), &w.line);
    struct tournament_wait **at = &t->waits;
    while (*at != &w)
        at = &(*at)->next;
    *at = w.next;
    return tournament_refuse(why, w.status, w.said);
}

int tournaments_execute(struct tournaments *t, const struct lobby_tournament_request *w,
                        char said[LOBBY_TOURNAMENT_ERROR_ROOM])
{
    char why[TOURNAMENTS_ERROR_ROOM] = "";
    uint64_t job = 0;
    struct tournament *x = tournaments_find_made(t, w->tour);
    if (!x || (!x->directs && !tournament_status_is_past(x->status))) {
        snprintf(said, LOBBY_TOURNAMENT_ERROR_ROOM, "the tournament is moving to another node; try again");
        return 503;
    }
    int status = 400;
    if (strcmp(w->what, "enter") == 0)
        status = enter_agent(t, w, &job, why);
    else if (strcmp(w->what, "withdraw") == 0)
        status = tournaments_withdraw(t, w->tour, w->agent, &job, why);
    else if (strcmp(w->what, "start") == 0)
        status = tournaments_begin(t, w->tour, &job, why);
    else if (strcmp(w->what, "cancel") == 0)
        status = tournaments_cancel(t, w->tour, &job, why);
    else if (strcmp(w->what, "forget") == 0)
        entry_delete(t, x, w->agent), status = 200;
    if (status == 202)
        status = wait_for_job(t, job, why);
    snprintf(said, LOBBY_TOURNAMENT_ERROR_ROOM, "%.*s", LOBBY_TOURNAMENT_ERROR_ROOM - 1, why);
    return status;
}
