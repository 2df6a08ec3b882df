// Tournaments of several nodes (S47): three of them in one process, over a store of files that loses what a node has
// not put when it dies, and questions that are lost on their way there or back. Roles are as the store has them.
#include "kit/kit.h"
#include "tournaments/internal.h"

#include "games/liars_dice/codec.h"
#include "lobby/identity.h"
#include "lobby_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NODES = 3, AGENTS = 4, FILES = 4096, STEP_MS = 250, STEPS = 40000 };

static const struct game_kit kits[] = {{.codec = &liars_dice_codec}};
static const struct contest_facts no_facts;
static const struct tournaments_game games[2] = {{.codec = &liars_dice_codec, .kit = &kits[0], .facts = &no_facts}};

struct node {
    struct tournaments *t;
    struct tournaments_nodes nodes;
    char folder[160];
    bool dead, wants;
    uint64_t job; // that has been heard of last
    int status;
};

struct file {
    char name[STORE_TOURNAMENT_FILE];
    uint64_t at;
    char *bytes;
    size_t size;
};

static struct kit k;
static struct loop loop;
static struct node node[NODES];
static struct file file[FILES];
static int files, holder, lives, ends, loss; // of the one tournament; loss: percent of questions
static int halfway;                          // directors that died when there were results
static bool mute;                            // questions get no answer meanwhile
static uint64_t changes;
static struct uuid tour;
static struct rng dice;
static struct kit_agent *agent[AGENTS];

static uint32_t below(uint32_t n)
{
    return rng_below(&dice, n);
}

// --- the store

static struct file *find_file(const char *name, uint64_t at)
{
    for (int i = 0; i < files; i++)
        if (strcmp(file[i].name, name) == 0 && file[i].at == at)
            return &file[i];
    return NULL;
}

static void put(void *owner, struct uuid id, const char *name, uint64_t at, struct span bytes, bool ends_it)
{
    const struct node *n = owner;
    struct file *f = find_file(name, at);
    if (n->dead)
        return;
    if (uuid_is_none(tour))
        tour = id;
    assert_true(uuid_equals(id, tour));
    // Nobody but the director writes, once there is one.
    assert_true(holder < 0 || n == &node[holder]);
    ends += ends_it;
    changes += at == STORE_TOURNAMENT_WHOLE;
    assert_true(f || files < FILES);
    if (!f) {
        f = &file[files++];
        snprintf(f->name, sizeof f->name, "%s", name);
        f->at = at;
    } else {
        free(f->bytes);
    }
    f->bytes = malloc(bytes.size);
    f->size = bytes.size;
    memcpy(f->bytes, bytes.at, bytes.size);
}

static void drop(void *owner, struct uuid id, const char *name)
{
    struct file *f = find_file(name, STORE_TOURNAMENT_WHOLE);
    (void)owner, (void)id;
    if (!f)
        return;
    free(f->bytes);
    *f = file[--files];
    changes++;
}

static bool wait(void *owner)
{
    const struct node *n = owner;
    work_wait_turn(loop_work(&loop));
    return !n->dead;
}

static int list(void *owner, bool all, struct store_tournament *out, int room)
{
    const struct node *n = owner;
    (void)all;
    if (n->dead || uuid_is_none(tour) || room < 1)
        return n->dead ? -1 : 0;
    *out = (struct store_tournament){.id = tour, .changes = changes, .is_past = ends > 0};
    return 1;
}

static bool tell(const struct node *n, const char *name, uint64_t from, uint64_t to, store_each_tournament_file *each,
                 void *owner)
{
    if (work_is_inside(loop_work(&loop)))
        work_wait_turn(loop_work(&loop));
    for (uint64_t at = from; !n->dead && name;) { // parts in their order, without a gap
        const struct file *next = NULL;
        for (int i = 0; i < files; i++)
            if (strcmp(file[i].name, name) == 0 && file[i].at <= at && file[i].at + file[i].size > at)
                next = &file[i];
        if (!next || next->at >= to)
            break;
        each(owner, name, next->at, (struct span){next->bytes, next->size});
        at = next->at + next->size;
    }
    for (int i = 0; i < files && !n->dead && !name; i++)
        if (file[i].at == STORE_TOURNAMENT_WHOLE)
            each(owner, file[i].name, file[i].at, (struct span){file[i].bytes, file[i].size});
    return !n->dead;
}

static bool read_whole(void *owner, struct uuid id, store_each_tournament_file *each, void *each_owner)
{
    (void)id;
    return tell(owner, NULL, 0, 0, each, each_owner);
}

static bool read_file(void *owner, struct uuid id, const char *name, uint64_t from, uint64_t to,
                      store_each_tournament_file *each, void *each_owner)
{
    (void)id;
    return tell(owner, name, from, to, each, each_owner);
}

static void want(void *owner, struct uuid id, bool wanted)
{
    struct node *n = owner;
    (void)id;
    n->wants = wanted;
    if (!wanted && holder == n - node)
        holder = -1;
}

static bool holds(void *owner, struct uuid id)
{
    (void)id;
    return !((const struct node *)owner)->dead && holder == (const struct node *)owner - node;
}

static int ask(void *owner, const struct lobby_tournament_request *w, char said[LOBBY_TOURNAMENT_ERROR_ROOM])
{
    const struct node *n = owner;
    while (mute)
        work_wait_turn(loop_work(&loop));
    if (holder < 0 || n->dead || (int)below(100) < loss)
        return 0;
    int status = tournaments_execute(node[holder].t, w, said);
    return (int)below(100) < loss ? 0 : status;
}

// --- nodes

static void on_done(void *owner, uint64_t job, int status, struct uuid id, const char *said)
{
    struct node *n = owner;
    (void)id, (void)said;
    n->job = job;
    n->status = status;
}

static int64_t now_ms(void)
{
    return k.now_ms;
}

static void open_node(int i)
{
    struct node *n = &node[i];
    struct tournaments_options o;
    *n = (struct node){.nodes = {n, put, drop, wait, list, read_whole, read_file, want, holds, ask}};
    snprintf(n->folder, sizeof n->folder, "%s/tours-%d-%d", k.folder, i, lives++);
    tournaments_defaults(&o);
    o.nodes = &n->nodes;
    o.loop = &loop;
    o.lobby = k.lobby;
    o.games = games;
    o.folder = n->folder;
    o.now_ms = now_ms;
    n->t = tournaments_open(&o);
    assert_non_null(n->t);
    tournaments_listen(n->t, NULL, on_done, n);
}

// Its jobs come to nothing; what it has not put is lost.
static void kill_node(int i)
{
    node[i].dead = true;
    work_drain(loop_work(&loop));
    tournaments_close(node[i].t);
    if (holder == i)
        holder = -1;
}

static void take_role(void)
{
    int start = (int)below(NODES);
    for (int i = 0; i < NODES && holder < 0 && ends == 0; i++)
        if (node[(start + i) % NODES].wants && below(4) == 0)
            holder = (start + i) % NODES;
}

static void run_jobs(void)
{
    for (int i = 0; i < 50; i++) {
        work_begin_turn(loop_work(&loop));
        work_run_ready(loop_work(&loop));
    }
}

static void step(void)
{
    take_role();
    for (int i = 0; i < NODES; i++)
        tournaments_step(node[i].t);
    run_jobs();
    for (int i = 0; i < AGENTS; i++)
        if (agent[i]->online && !uuid_is_none(agent[i]->readiness)) {
            lobby_report_ready(k.lobby, agent[i]->agent, agent[i]->readiness, true, k.now_ms);
            agent[i]->readiness = (struct uuid){0};
        }
    kit_play_out(&k, &dice, 12);
    kit_settle(&k);
    kit_pass(&k, STEP_MS);
    for (int i = 0; i < AGENTS; i++)
        kit_said(agent[i]);
}

// --- a tournament

static int wish(int i, int (*call)(struct tournaments *t, uint64_t *job, char why[TOURNAMENTS_ERROR_ROOM]))
{
    char why[TOURNAMENTS_ERROR_ROOM];
    uint64_t job = 0;
    int status = call(node[i].t, &job, why);
    for (int n = 0; status == 202 && n < 400 && node[i].job != job; n++)
        step();
    return status == 202 && node[i].job == job ? node[i].status : status;
}

static int make(struct tournaments *t, uint64_t *job, char why[TOURNAMENTS_ERROR_ROOM])
{
    struct tournaments_request q = {.format = CONTEST_ROUND_ROBIN,
                                    .per_pair = 2,
                                    .seed = 5,
                                    .has_seed = true,
                                    .mirrored = true,
                                    .wait_seconds = 30,
                                    .entry_seconds = 86400,
                                    .entry_max = 8};
    snprintf(q.game, sizeof q.game, "liars_dice");
    return tournaments_create(t, &q, job, why);
}

static int entering; // an agent

static int enter(struct tournaments *t, uint64_t *job, char why[TOURNAMENTS_ERROR_ROOM])
{
    return tournaments_enter(t, tour, lobby_agent_record(agent[entering]->agent), job, why);
}

static int begin(struct tournaments *t, uint64_t *job, char why[TOURNAMENTS_ERROR_ROOM])
{
    return tournaments_begin(t, tour, job, why);
}

static enum tournament_status status_at(int i)
{
    const struct tournament *x = tournaments_find(node[i].t, tour);
    return x ? tournament_summary(x).status : TOURNAMENT_OPEN;
}

static bool all_are(enum tournament_status status)
{
    for (int i = 0; i < NODES; i++)
        if (status_at(i) != status)
            return false;
    return true;
}

static void enter_all(void)
{
    for (entering = 0; entering < AGENTS; entering++)
        for (int status = 0, tries = 0; status != 200 && status != 202; tries++) { // 202: no answer yet
            assert_true(tries < 200);
            step();
            int i = (int)below(NODES);
            if (tournaments_find(node[i].t, tour))
                status = wish(i, enter);
        }
}

static void check_end(uint64_t expected, int absent)
{
    struct tournament_game rows[64];
    char first[8192], other[8192];
    uint64_t total;
    assert_int_equal(ends, 1);
    for (int i = 0; i < NODES; i++) {
        const struct tournament *x = tournaments_find(node[i].t, tour);
        struct text t = text_on(i ? other : first, sizeof first - 1);
        tournament_write_standings(x, &t);
        (i ? other : first)[t.size] = 0;
        if (i)
            assert_string_equal(first, other);
        assert_int_equal(tournament_list_games(x, 0, rows, 64, &total), expected);
        assert_int_equal(total, expected);
        int forfeits = 0, stored = 0;
        for (uint64_t g = 0; g < expected; g++) {
            struct store_match m;
            assert_int_equal(rows[g].index, g);
            forfeits += rows[g].end == CONTEST_FORFEIT;
            if (store_find_match(k.store, agent_matches_id(x, g), &m)) { // the result of the match is the game's
                stored++;
                assert_int_equal(m.status, STORE_FINISHED);
                for (int s = 0; s < m.seats; s++)
                    assert_true(uuid_equals(m.seat[s].agent, x->entrant[rows[g].entrant[s]].agent));
                assert_memory_equal(m.payoffs, rows[g].payoffs, sizeof *m.payoffs * (size_t)m.seats);
            }
        }
        assert_int_equal(forfeits, absent ? 6 : 0); // against the three others, two each
        assert_int_equal(stored + forfeits, expected);
    }
}

static void open_all(uint64_t seed)
{
    uint8_t key[RNG_KEY_BYTES] = {(uint8_t)seed, 47};
    dice = rng_from_key(key);
    loss = (int)below(30);
    holder = -1;
    files = ends = 0;
    changes = 0;
    tour = (struct uuid){0};
    kit_open(&k, NULL);
    loop_init(&loop);
    for (int i = 0; i < AGENTS; i++)
        agent[i] = kit_player(&k, "somebody");
    kit_settle(&k);
    for (int i = 0; i < NODES; i++)
        open_node(i);
    assert_int_equal(wish(0, make), 201);
}

static void close_all(void)
{
    for (int i = 0; i < NODES; i++)
        kill_node(i);
    loop_release(&loop);
    kit_close(&k);
    for (int i = 0; i < files; i++)
        free(file[i].bytes);
}

static void play(uint64_t seed, bool has_absent)
{
    open_all(seed);
    enter_all();
    if (has_absent)
        kit_go(agent[AGENTS - 1]);
    for (int tries = 0; !all_are(TOURNAMENT_RUNNING) && !all_are(TOURNAMENT_FINISHED); tries++) {
        assert_true(tries < 2000);
        if (status_at((int)below(NODES)) == TOURNAMENT_OPEN)
            wish((int)below(NODES), begin);
        step();
    }
    int kills = 0;
    for (int i = 0; i < STEPS && !all_are(TOURNAMENT_FINISHED); i++) {
        step();
        if (kills < 6 && below(20) == 0) {
            int victim = holder >= 0 && below(3) ? holder : (int)below(NODES);
            const struct file *journal = find_file("journal", 0);
            halfway += victim == holder && journal && journal->size > 0 && ends == 0;
            kill_node(victim);
            open_node(victim);
            kills++;
        }
    }
    assert_true(all_are(TOURNAMENT_FINISHED));
    check_end(12, has_absent);
    close_all();
}

// Its director does not answer, most likely because it is gone: then this node may be the next one.
static void a_request_without_reply_delays_no_takeover(void **state)
{
    char why[TOURNAMENTS_ERROR_ROOM];
    uint64_t job, again;
    (void)state;
    open_all(21);
    for (int i = 0; i < 400 && (holder < 0 || !tournaments_find(node[(holder + 1) % NODES].t, tour)); i++)
        step();
    assert_true(holder >= 0);
    int next = (holder + 1) % NODES, before = holder;
    const struct tournament *x = tournaments_find(node[next].t, tour);
    assert_non_null(x);
    mute = true;
    entering = 0;
    assert_int_equal(enter(node[next].t, &job, why), 202);
    step();
    tournaments_resign(node[before].t);
    for (int i = 0; i < 400 && !x->directs; i++) {
        holder = holder < 0 ? next : holder;
        step();
    }
    assert_true(x->directs);
    assert_int_equal(enter(node[next].t, &again, why), 202); // the caller's next try does not wait for the first one
    for (int i = 0; i < 400 && node[next].job != again; i++)
        step();
    assert_int_equal(node[next].job, again);
    assert_int_equal(node[next].status, 200);
    mute = false;
    close_all();
}

// Deleted at a node while the director does not answer. That node reads the tournament anew meanwhile, as others enter.
static void a_deleted_agent_leaves_though_its_node_reads_anew(void **state)
{
    char why[TOURNAMENTS_ERROR_ROOM];
    uint64_t job;
    (void)state;
    open_all(22);
    loss = 0;
    enter_all();
    for (int i = 0; i < 400 && (holder < 0 || !tournaments_find(node[(holder + 1) % NODES].t, tour)); i++)
        step();
    int here = (holder + 1) % NODES;
    const struct tournament *x = tournaments_find(node[here].t, tour),
                            *directed = tournaments_find(node[holder].t, tour);
    loss = 100;
    assert_int_equal(identity_remove(k.lobby, agent[1]->agent, k.now_ms, why), 200);
    tournaments_drop_agent(node[here].t, lobby_agent_record(agent[1]->agent)->id);
    assert_int_equal(tournaments_withdraw(node[holder].t, tour, lobby_agent_record(agent[2]->agent)->id, &job, why),
                     202);
    for (int i = 0; i < 400 && x->changes != changes; i++)
        step();
    assert_int_equal(x->changes, changes);
    loss = 0;
    for (int i = 0; i < 400 && directed->entrants > AGENTS - 2; i++)
        step();
    assert_true(directed->directs);
    assert_int_equal(directed->entrants, AGENTS - 2); // one has withdrawn, one was deleted
    for (int i = 0; i < 40; i++)
        step();
    assert_int_equal(x->deletions, 0);
    close_all();
}

// S47: whatever dies, every game is played and counted once, and all nodes tell the same.
static void survives_its_directors(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++)
        play(seed, false);
    assert_true(halfway > 0);
}

// F5.16, also when the clock of an absence begins anew with each director.
static void waits_for_nobody_without_end(void **state)
{
    (void)state;
    for (uint64_t seed = 11; seed <= 13; seed++)
        play(seed, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_its_directors),
        cmocka_unit_test(waits_for_nobody_without_end),
        cmocka_unit_test(a_request_without_reply_delays_no_takeover),
        cmocka_unit_test(a_deleted_agent_leaves_though_its_node_reads_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
