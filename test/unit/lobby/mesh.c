// One matchmaker a game for several nodes (S20 to S25): lobbies in one process, over links whose bundles are lost,
// doubled and late. Nodes die at any moment; roles are as the store has them.
#include "lobby_kit.h"

#include "cluster/links.h"
#include "cluster/note.h"
#include "heap/heap.h"
#include "lobby/internal.h"
#include "store/mock_remote.h"
#include "work/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NODES = 3, AGENTS = 9, FLYING = 4096, LEASE_MS = 4000, STEP_MS = 50, DICE = 1 };

struct node {
    struct kit kit;
    struct links links;
    struct lobby_mesh mesh;
    uint64_t epoch;
    bool lives, wants;
    bool known[NODES];                  // lives, as far as this node knows
    uint64_t holder, term;              // of every game, as it has read last
    bool told_start[AGENTS][KIT_SEATS]; // of a relayed player's seat
    bool told_over[AGENTS][KIT_SEATS];
    char out[BUNDLE_MAX];
};

struct flying {
    int to;
    int64_t due_ms;
    char *bytes;
    size_t size;
};

static struct node node[NODES];
static struct flying flying[FLYING];
static int flyings;
static int64_t now_ms;
static uint64_t epochs, conns, holder, term;
static int64_t free_since_ms; // the role, after its holder's death
static struct rng dice;
static int loss, doubling, delay_ms; // percent, percent, at most
static int at[AGENTS];               // node of each agent; -1: offline
static uint64_t conn[AGENTS];
static bool waits[AGENTS]; // it has joined and heard of no match
static int plays[AGENTS];  // matches that have begun and are not over
static int most[AGENTS];   // of them at once
static int doubles;        // how often an agent had more than one

static uint32_t below(uint32_t n)
{
    return rng_below(&dice, n);
}

static struct kit_agent *agent_at(int n, int i)
{
    return &node[n].kit.agent[i];
}

static int index_of(const struct node *n, struct uuid agent)
{
    for (int i = 0; i < AGENTS; i++)
        if (uuid_equals(n->kit.agent[i].id, agent))
            return i;
    return -1;
}

static int node_of(uint64_t epoch)
{
    for (int i = 0; i < NODES; i++)
        if (node[i].epoch == epoch && node[i].lives)
            return i;
    return -1;
}

// --- the bus

static void fly(int to, struct span bundle)
{
    if ((int)below(100) < loss)
        return;
    assert_true(flyings < FLYING);
    struct flying *f = &flying[flyings++];
    *f = (struct flying){.to = to, .due_ms = now_ms + (delay_ms ? below((uint32_t)delay_ms) : 0), .size = bundle.size};
    f->bytes = malloc(bundle.size);
    memcpy(f->bytes, bundle.at, bundle.size);
}

static void send_bundle(void *owner, uint64_t peer, struct span bundle)
{
    int to = node_of(peer);
    (void)owner;
    if (to < 0)
        return;
    fly(to, bundle);
    if ((int)below(100) < doubling)
        fly(to, bundle);
}

static bool is_live(void *owner, uint64_t epoch)
{
    const struct node *n = owner;
    for (int i = 0; i < NODES; i++)
        if (n->known[i] && node[i].epoch == epoch)
            return true;
    return false;
}

static void come_relayed(struct node *n, int i)
{
    struct kit_agent *a = &n->kit.agent[i];
    if (a->online)
        return;
    a->relayed = true;
    a->conn = conn[i];
    kit_come(a, "relayed");
}

static void on_entry(void *owner, uint64_t peer, const struct entry *e)
{
    struct node *n = owner;
    int i = index_of(n, e->id);
    struct lobby *l = n->kit.lobby;
    struct uuid session = {0};
    if (e->kind >= ENTRY_JOIN && e->kind <= ENTRY_REFUSED) {
        lobby_mesh_receive(l, peer, e, now_ms);
        return;
    }
    if (e->payload.size == UUID_BYTES)
        memcpy(session.byte, e->payload.at, UUID_BYTES);
    bool here = i >= 0 && node_of(n->epoch) == at[i] && n->kit.agent[i].online && !n->kit.agent[i].relayed;
    if (e->kind == ENTRY_COME && i >= 0)
        come_relayed(n, i);
    else if (e->kind == ENTRY_FRAME && here)
        lobby_remote_match_started(l, n->kit.agent[i].agent, session, now_ms);
    else if (e->kind == ENTRY_OVER && here)
        lobby_remote_match_over(l, n->kit.agent[i].agent, session, now_ms);
}

static void on_reset(void *owner, uint64_t peer, bool ours)
{
    struct node *n = owner;
    (void)ours;
    lobby_mesh_reset(n->kit.lobby, peer, now_ms);
}

static const struct links_owner links_owner = {
    .send = send_bundle, .is_live = is_live, .on_entry = on_entry, .on_reset = on_reset};

// --- the mesh

static bool find_holder(void *owner, const char *game, uint64_t *epoch, uint64_t *which)
{
    const struct node *n = owner;
    (void)game;
    *epoch = n->holder;
    *which = n->term;
    return n->holder != 0;
}

static void want(void *owner, const char *game, bool wanted)
{
    struct node *n = owner;
    (void)game;
    n->wants = wanted;
    if (!wanted && holder == n->epoch)
        holder = n->holder = 0;
}

static int list_peers(void *owner, struct lobby_peer out[STORE_NODES], int room)
{
    const struct node *n = owner;
    int count = 0;
    for (int i = 0; i < NODES && count < room; i++)
        if (n->known[i])
            out[count++] = (struct lobby_peer){.epoch = node[i].epoch, .serves = true};
    return count;
}

static void send_entry(void *owner, uint64_t epoch, const struct entry *e)
{
    struct node *n = owner;
    links_put(&n->links, epoch, e, now_ms);
}

static void introduce(void *owner, struct uuid agent, uint64_t host)
{
    send_entry(owner, host, &(struct entry){.kind = ENTRY_COME, .id = agent});
}

static void open_node(int i)
{
    struct node *n = &node[i];
    struct lobby_options o;
    lobby_defaults(&o);
    o.house_bots = 0;
    o.house_think_ms = 0;
    o.table_max = 3;
    o.fill_wait_ms = 1000;
    o.confirm_timeout_ms = 3000;
    memset(n, 0, sizeof *n);
    kit_open(&n->kit, &o);
    n->kit.now_ms = now_ms;
    n->epoch = ++epochs;
    n->lives = true;
    n->mesh = (struct lobby_mesh){.owner = n,
                                  .me = n->epoch,
                                  .find_holder = find_holder,
                                  .want = want,
                                  .list_peers = list_peers,
                                  .send = send_entry,
                                  .introduce = introduce};
    links_init(&n->links, n->epoch, &links_owner, n, n->out, heap_text_grow);
    for (int k = 0; k < AGENTS; k++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", k);
        kit_add(&n->kit, name);
    }
    kit_settle(&n->kit);
    lobby_set_mesh(n->kit.lobby, &n->mesh, now_ms);
    for (int k = 0; k < NODES; k++)
        n->known[k] = node[k].lives;
    for (int k = 0; k < NODES; k++)
        if (node[k].lives)
            node[k].known[i] = true;
}

static void end_link(struct node *n, uint64_t epoch)
{
    struct link l;
    if (!links_end(&n->links, epoch, &l))
        return;
    free(l.kept.at);
    free(l.parts.at);
}

static void close_node(int i)
{
    struct node *n = &node[i];
    while (n->links.count > 0)
        end_link(n, n->links.at[0].peer);
    kit_close(&n->kit);
    n->lives = false;
    for (int k = 0; k < AGENTS; k++)
        if (at[k] == i)
            at[k] = -1, waits[k] = false;
}

// --- time

static void elect(void)
{
    if (holder && node_of(holder) < 0 && free_since_ms == 0)
        free_since_ms = now_ms;
    if (holder && (node_of(holder) >= 0 || now_ms - free_since_ms < LEASE_MS))
        return;
    for (int i = 0; i < NODES; i++)
        if (node[i].lives && node[i].wants) {
            holder = node[i].holder = node[i].epoch;
            node[i].term = ++term;
            free_since_ms = 0;
            return;
        }
}

// Each node reads once a second what the store has.
static void read_roles(int i)
{
    struct node *n = &node[i];
    bool lives = node_of(holder) >= 0;
    if ((now_ms / STEP_MS + i * 7) % (1000 / STEP_MS) != 0)
        return;
    n->holder = lives ? holder : 0;
    n->term = term;
}

static struct span session_span(const struct kit_seat *s)
{
    return (struct span){(const char *)s->session.byte, UUID_BYTES};
}

// What the relay does: beginnings and ends are told to the gateways of players who are elsewhere.
static void tell_gateways(struct node *n)
{
    for (int i = 0; i < AGENTS; i++) {
        struct kit_agent *a = &n->kit.agent[i];
        for (int k = 0; k < a->seats && a->relayed; k++) {
            struct entry e = {.kind = ENTRY_FRAME, .id = a->id, .payload = session_span(&a->seat[k])};
            uint64_t gateway = at[i] >= 0 ? node[at[i]].epoch : 0;
            if (a->seat[k].started && !n->told_start[i][k])
                send_entry(n, gateway, &e);
            n->told_start[i][k] |= a->seat[k].started;
            e.kind = ENTRY_OVER;
            if (a->seat[k].over && !n->told_over[i][k])
                send_entry(n, gateway, &e);
            n->told_over[i][k] |= a->seat[k].over;
        }
    }
}

static void count_matches(void)
{
    for (int i = 0; i < AGENTS; i++) {
        int count = 0, begun = 0;
        for (int n = 0; n < NODES; n++)
            for (int k = 0; node[n].lives && k < agent_at(n, i)->seats; k++) {
                begun++;
                count += agent_at(n, i)->seat[k].started && !agent_at(n, i)->seat[k].over;
            }
        doubles += count > 1 && count > plays[i];
        plays[i] = count;
        most[i] = begun;
    }
}

static void deliver(void)
{
    for (int i = 0; i < flyings;) {
        if (flying[i].due_ms > now_ms) {
            i++;
            continue;
        }
        struct flying f = flying[i];
        flying[i] = flying[--flyings];
        if (node[f.to].lives)
            links_receive(&node[f.to].links, (struct span){f.bytes, f.size}, now_ms);
        free(f.bytes);
    }
}

static void step(void)
{
    now_ms += STEP_MS;
    elect();
    deliver();
    for (int i = 0; i < NODES; i++) {
        struct node *n = &node[i];
        if (!n->lives)
            continue;
        read_roles(i);
        n->kit.now_ms = now_ms;
        lobby_tick(n->kit.lobby, now_ms);
        store_submit(n->kit.store);
        kit_settle(&n->kit);
        lobby_collect(n->kit.lobby, now_ms);
        tell_gateways(n);
        links_flush(&n->links, now_ms);
    }
    count_matches();
}

static void pass(int64_t ms)
{
    for (int64_t until = now_ms + ms; now_ms < until;)
        step();
}

// --- what happens

static void come(int i, int n)
{
    struct kit_agent *a = agent_at(n, i);
    if (a->online && a->relayed)
        kit_go(a);
    a->relayed = false;
    a->conn = conn[i] = ++conns;
    at[i] = n;
    kit_come(a, "own");
}

static void go(int i)
{
    kit_go(agent_at(at[i], i));
    waits[i] = false;
    at[i] = -1;
}

static struct kit_agent *own(int i)
{
    return agent_at(at[i], i);
}

static void join(int i)
{
    assert_string_equal(kit_join(own(i), "liars_dice", "ranked", true), "");
}

static void forget_node(int dead)
{
    for (int i = 0; i < NODES; i++)
        if (node[i].lives && node[i].known[dead]) {
            node[i].known[dead] = false;
            lobby_mesh_end_node(node[i].kit.lobby, node[dead].epoch, now_ms);
            end_link(&node[i], node[dead].epoch);
        }
}

// It is gone now; the others notice a lease later.
static void kill_node(int i)
{
    close_node(i);
    pass(LEASE_MS);
    forget_node(i);
}

static int holder_node(void)
{
    return node_of(holder);
}

// Every match that is on, to its end, wherever it is.
static void play_all(void)
{
    for (int i = 0; i < NODES; i++)
        if (node[i].lives) {
            kit_play_out(&node[i].kit, NULL, 100000);
            tell_gateways(&node[i]);
        }
    pass(500);
}

static int set_up(void **state)
{
    (void)state;
    now_ms = 1700000000000;
    dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){9});
    flyings = doubles = loss = doubling = delay_ms = 0;
    epochs = conns = holder = term = 0;
    free_since_ms = 0;
    memset(node, 0, sizeof node);
    memset(waits, 0, sizeof waits);
    memset(plays, 0, sizeof plays);
    for (int i = 0; i < AGENTS; i++)
        at[i] = -1;
    for (int i = 0; i < NODES; i++)
        open_node(i);
    pass(2500); // somebody is the matchmaker, and all know
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < NODES; i++)
        if (node[i].lives)
            close_node(i);
    while (flyings)
        free(flying[--flyings].bytes);
    return 0;
}

static void confirm_by_hand(int i)
{
    for (int n = 0; n < NODES; n++)
        if (node[n].lives) {
            lobby_agent_edit(agent_at(n, i)->agent)->auto_confirm = false;
            lobby_agent_save(node[n].kit.lobby, agent_at(n, i)->agent);
        }
}

static bool has_begun(int i)
{
    for (int n = 0; n < NODES; n++)
        if (node[n].lives && kit_heard(agent_at(n, i), "start"))
            return true;
    return false;
}

static int host_of(int i)
{
    for (int n = 0; n < NODES; n++)
        for (int k = 0; node[n].lives && k < agent_at(n, i)->seats; k++)
            if (!agent_at(n, i)->seat[k].over)
                return n;
    return -1;
}

// --- S21, S22, S24

static void agents_of_three_nodes_sit_down_together(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        come(i, i);
    for (int i = 0; i < 3; i++)
        join(i);
    pass(1000);
    for (int i = 0; i < 3; i++) {
        assert_true(kit_heard(own(i), "joined:liars_dice/ranked/once"));
        assert_true(has_begun(i));
        assert_int_equal(host_of(i), host_of(0));
        assert_false(lobby_agent_waits(own(i)->agent));
    }
    play_all();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(own(i)->agent->elsewhere, 0);
        join(i); // there is a place again
    }
    pass(1500);
    for (int i = 0; i < 3; i++)
        assert_int_equal(plays[i], 1);
    assert_int_equal(doubles, 0);
}

static void the_node_with_most_players_is_the_host(void **state)
{
    (void)state;
    int far = (holder_node() + 1) % NODES;
    come(0, holder_node());
    come(1, far);
    come(2, far);
    for (int i = 0; i < 3; i++)
        join(i);
    pass(1000);
    for (int i = 0; i < 3; i++)
        assert_int_equal(host_of(i), far);
}

static void whoever_leaves_is_not_seated(void **state)
{
    (void)state;
    int far = (holder_node() + 1) % NODES;
    come(0, far);
    join(0);
    pass(200);
    assert_int_equal(node[holder_node()].kit.lobby->figures.queued, 1);
    assert_true(lobby_quit(own(0)->kit->lobby, own(0)->agent, now_ms));
    assert_true(kit_heard(own(0), "left"));
    pass(200);
    assert_int_equal(node[holder_node()].kit.lobby->figures.queued, 0);
    join(0);
    pass(200);
    go(0); // F3.5
    pass(200);
    assert_int_equal(node[holder_node()].kit.lobby->figures.queued, 0);
    assert_null(node[holder_node()].kit.lobby->mesh.remote);
}

// F3.5: one entry, whichever matchmaker has it; a second game's queue replaces the first one's.
static void an_agent_has_one_entry(void **state)
{
    (void)state;
    int far = (holder_node() + 1) % NODES;
    come(0, far);
    join(0);
    pass(200);
    assert_string_equal(kit_join(own(0), "coup", "ranked", true), "");
    pass(200);
    struct lobby *l = node[holder_node()].kit.lobby;
    assert_null(queue_find(l, &kit_games[DICE], "ranked"));
    assert_int_equal(l->figures.queued, 1);
}

static void a_refusal_of_the_matchmaker_is_told(void **state)
{
    (void)state;
    int far = (holder_node() + 1) % NODES;
    come(0, far);
    agent_at(holder_node(), 0)->agent->barred_until_ms = now_ms + 60000; // F3.16, known there alone
    join(0);
    pass(200);
    assert_true(kit_heard(own(0), "refused:agent on cooldown until"));
    assert_false(lobby_agent_waits(own(0)->agent));
}

// S53: what the link has lost, both directions, is told anew. Whoever left meanwhile is not there, whoever came is.
static void a_reset_is_mended_by_the_list(void **state)
{
    (void)state;
    int mm = holder_node(), far = (mm + 1) % NODES;
    for (int i = 0; i < 2; i++)
        come(i, far);
    join(0);
    pass(200);
    struct lobby *l = node[mm].kit.lobby;
    assert_int_equal(l->figures.queued, 1);
    loss = 100;
    assert_true(lobby_quit(own(0)->kit->lobby, own(0)->agent, now_ms));
    assert_string_equal(kit_join(own(1), "coup", "ranked", true), "");
    pass(200);
    assert_false(kit_heard(own(1), "joined"));
    end_link(&node[mm], node[far].epoch);
    end_link(&node[far], node[mm].epoch);
    loss = 0;
    lobby_mesh_reset(l, node[far].epoch, now_ms);
    lobby_mesh_reset(node[far].kit.lobby, node[mm].epoch, now_ms);
    pass(1000);
    assert_true(kit_heard(own(1), "joined:coup/ranked/once"));
    assert_null(agent_at(mm, 0)->agent->remote);
    assert_non_null(agent_at(mm, 1)->agent->queue);
    assert_int_equal(l->figures.queued, 1);
}

static void reset_link(int a, int b)
{
    end_link(&node[a], node[b].epoch);
    end_link(&node[b], node[a].epoch);
    lobby_mesh_reset(node[a].kit.lobby, node[b].epoch, now_ms);
    lobby_mesh_reset(node[b].kit.lobby, node[a].epoch, now_ms);
}

// Whichever game is told of first: that it has joined once does not keep whoever has left.
static void whoever_left_unheard_is_not_kept(void **state)
{
    (void)state;
    int mm = holder_node(), far = (mm + 1) % NODES;
    for (int i = 0; kit_games[i].codec && !kit_games[i].gated; i++) {
        come(i, far);
        assert_string_equal(kit_join(own(i), game_of(&kit_games[i])->name, "ranked", true), "");
        pass(200);
        assert_non_null(agent_at(mm, i)->agent->queue);
        loss = 100;
        assert_true(lobby_quit(own(i)->kit->lobby, own(i)->agent, now_ms));
        pass(200);
        loss = 0;
        reset_link(mm, far);
        pass(500);
        assert_null(agent_at(mm, i)->agent->remote);
    }
}

// What it left is lost, and the list of the other game comes first.
static void whoever_is_asked_may_turn_up_in_another_queue(void **state)
{
    (void)state;
    int mm = holder_node(), far = (mm + 1) % NODES;
    for (int i = 0; i < 2; i++) {
        come(i, far);
        confirm_by_hand(i);
        join(i);
    }
    pass(1500);
    assert_non_null(agent_at(mm, 0)->agent->candidate);
    struct note n = mesh_note(node[mm].kit.lobby, ENTRY_JOIN, &kit_games[2]);
    n.agent = own(0)->id;
    n.conn = conn[0];
    n.number = 99;
    snprintf(n.mode, sizeof n.mode, "ranked");
    mesh_send(node[far].kit.lobby, node[mm].epoch, &n);
    pass(200);
    assert_ptr_equal(agent_at(mm, 0)->agent->queue->game, &kit_games[2]);
    assert_non_null(agent_at(mm, 0)->agent->remote);
    assert_true(kit_heard(own(1), "cancelled:opponent_not_ready/re_queued"));
}

// S25: a matchmaker that is silent does not take all jobs of the others.
struct question {
    struct lobby *lobby;
    int *refused;
};

static void ask_in_vain(void *arg)
{
    const struct question *q = arg;
    struct note n = mesh_note(q->lobby, ENTRY_READY, &kit_games[DICE]), answer;
    *q->refused += !peer_request_send(q->lobby, &kit_games[DICE], &n, &answer);
}

static void questions_leave_jobs_for_others(void **state)
{
    (void)state;
    enum { MOST = WORK_MAX_JOBS / 4, MORE = 40 };
    struct lobby *l = node[(holder_node() + 1) % NODES].kit.lobby;
    struct work *work = l->o.work = work_create();
    int refused = 0;
    struct question q = {l, &refused};
    loss = 100;
    for (int i = 0; i < MOST + MORE; i++) {
        work_begin_turn(work);
        work_start(work, ask_in_vain, &q);
    }
    assert_int_equal(refused, MORE);
    pass(5100);
    work_drain(work);
    assert_int_equal(refused, MOST + MORE);
    assert_null(l->requests);
    l->o.work = NULL;
    work_destroy(work);
}

// --- the matchmaker dies

static void waiting_goes_on_when_the_matchmaker_dies(void **state)
{
    (void)state;
    int old = holder_node(), a = (old + 1) % NODES, b = (old + 2) % NODES;
    come(0, a);
    come(1, b);
    join(0);
    pass(500); // one alone: nothing forms
    kit_said(own(0));
    close_node(old);
    join(1); // nobody is there to answer
    pass(LEASE_MS);
    forget_node(old);
    pass(4000);
    assert_true(has_begun(0) && has_begun(1));
    assert_false(kit_heard(own(0), "joined"));
    assert_false(kit_heard(own(0), "cancelled"));
    assert_true(kit_heard(own(1), "joined"));
}

static void a_question_of_a_dead_matchmaker_is_put_again(void **state)
{
    (void)state;
    int old = holder_node(), a = (old + 1) % NODES, b = (old + 2) % NODES;
    come(0, a);
    come(1, b);
    confirm_by_hand(0);
    confirm_by_hand(1);
    join(0);
    join(1);
    pass(1500);
    assert_true(kit_heard(own(0), "confirm") && kit_heard(own(1), "confirm"));
    struct uuid first = own(0)->confirm;
    close_node(old);
    assert_int_equal(lobby_confirm(own(0)->kit->lobby, own(0)->agent, first, now_ms), OK); // on its way to nobody
    kit_said(own(0)), kit_said(own(1));
    pass(LEASE_MS);
    forget_node(old);
    assert_int_equal(lobby_confirm(own(1)->kit->lobby, own(1)->agent, own(1)->confirm, now_ms), OK); // F3.14: ignored
    for (int i = 0; i < 100 && !(kit_heard(own(0), "confirm") && kit_heard(own(1), "confirm")); i++)
        pass(STEP_MS);
    assert_true(kit_heard(own(0), "confirm") && kit_heard(own(1), "confirm"));
    assert_false(uuid_equals(own(0)->confirm, first));
    for (int i = 0; i < 2; i++)
        assert_int_equal(lobby_confirm(own(i)->kit->lobby, own(i)->agent, own(i)->confirm, now_ms), OK);
    pass(500);
    assert_true(has_begun(0) && has_begun(1));
    assert_false(kit_heard(own(0), "cancelled"));
}

// One at the matchmaker, two at another node, which will be the host.
static void join_three(int mm, int far)
{
    come(0, mm);
    come(1, far);
    come(2, far);
    for (int i = 0; i < 3; i++)
        join(i);
}

// S24: the host is named, and dies before it has begun; two seconds later the table is dissolved.
static void an_order_that_is_lost_is_given_up(void **state)
{
    (void)state;
    int mm = holder_node(), far = (mm + 1) % NODES;
    join_three(mm, far);
    loss = 100;
    pass(STEP_MS);
    loss = 0;
    for (int i = 0; i < 40 && !node[mm].kit.lobby->candidates; i++)
        pass(STEP_MS);
    assert_non_null(node[mm].kit.lobby->candidates); // ordered, and not answered
    assert_int_equal(node[mm].kit.lobby->candidates->host, node[far].epoch);
    loss = 100;
    pass(2200);
    assert_null(candidate_find_order(node[mm].kit.lobby, (struct uuid){0}));
    assert_true(kit_heard(own(0), "cancelled:opponent_not_ready/re_queued"));
    loss = 0;
    pass(6000);
    for (int i = 0; i < 3; i++)
        assert_true(plays[i] >= 1);
}

// S26: while its table is being begun, a player comes to the matchmaker itself.
static void whoever_moves_to_the_matchmaker_is_told_there(void **state)
{
    (void)state;
    int mm = holder_node(), far = (mm + 1) % NODES;
    join_three(mm, far);
    for (int i = 0; i < 40 && !(node[mm].kit.lobby->candidates && node[mm].kit.lobby->candidates->host); i++) {
        loss = agent_at(mm, 1)->agent->queue && agent_at(mm, 2)->agent->queue ? 100 : 0;
        pass(STEP_MS);
    }
    loss = 100;
    assert_non_null(agent_at(mm, 1)->agent->candidate);
    assert_int_not_equal(agent_at(mm, 1)->agent->candidate->host, 0);
    kit_go(agent_at(far, 1));
    come(1, mm);
    assert_null(agent_at(mm, 1)->agent->remote);
    join(1);
    assert_true(kit_heard(own(1), "joined:liars_dice/ranked"));
}

static void a_refused_beginning_sends_everybody_back(void **state)
{
    (void)state;
    int mm = holder_node(), far = (mm + 1) % NODES;
    come(0, mm);
    come(1, far);
    come(2, far);
    store_set_mock(node[far].kit.store, &(struct store_mock){.begins = 1});
    for (int i = 0; i < 3; i++)
        join(i);
    pass(1000);
    for (int i = 0; i < 3; i++)
        assert_true(kit_heard(own(i), "cancelled:opponent_not_ready/re_queued"));
    pass(8000);
    for (int i = 0; i < 3; i++)
        assert_true(has_begun(i));
}

// F3.15: whoever misses the confirmation is out, the others keep their places.
static void a_missed_confirmation_counts_at_its_gateway(void **state)
{
    (void)state;
    int mm = holder_node(), far = (mm + 1) % NODES, other = (mm + 2) % NODES;
    come(0, far);
    come(1, other);
    confirm_by_hand(0);
    join(0);
    join(1);
    pass(1500);
    assert_true(kit_heard(own(0), "confirm"));
    pass(3500);
    assert_true(kit_heard(own(0), "cancelled:confirmation_timeout/removed"));
    assert_true(kit_heard(own(1), "cancelled:opponent_not_ready/re_queued"));
    assert_true(own(0)->agent->failed_ms[0] > 0);
    assert_false(lobby_agent_waits(own(0)->agent));
    come(2, far);
    join(2);
    pass(1500);
    assert_true(has_begun(1) && has_begun(2));
}

// S25: F3.10 to F3.12 over nodes.
static void stand_by(int i)
{
    for (int n = 0; n < NODES; n++) {
        struct store_agent *r = lobby_agent_edit(agent_at(n, i)->agent);
        memcpy(r->standby, "liars_dice", 11);
        r->auto_requeue = true;
        r->max_games_per_day = 5;
        lobby_agent_save(node[n].kit.lobby, agent_at(n, i)->agent);
    }
}

static void standby_agents_of_two_nodes_are_asked_and_seated(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        stand_by(i);
        come(i, (holder_node() + 1 + i) % NODES);
    }
    for (int i = 0; i < 400 && !has_begun(0); i++) {
        pass(STEP_MS);
        for (int k = 0; k < 2; k++)
            if (kit_heard(own(k), "ready?"))
                lobby_report_ready(own(k)->kit->lobby, own(k)->agent, own(k)->readiness, true, now_ms);
    }
    pass(1000);
    assert_true(has_begun(0) && has_begun(1));
    assert_false(lobby_agent_waits(own(0)->agent));
}

// Until it was read who stands by, that may have changed.
static void whoever_stands_by_no_longer_is_not_asked(void **state)
{
    (void)state;
    int mm = holder_node(), far = (mm + 1) % NODES;
    struct lobby *l = node[mm].kit.lobby;
    stand_by(0);
    come(0, far);
    pass(20000);
    assert_non_null(agent_at(mm, 0)->agent->remote);
    loss = 100;
    go(0);
    pass(200);
    loss = 0;
    reset_link(mm, far); // S53
    pass(500);
    assert_null(l->mesh.remote);
    struct work *work = work_create();
    l->o.work = work;
    for (int round = 0; round < 2; round++) { // once it leaves, once it joins a queue
        come(0, far);
        work_count(work, 1 << 30); // whoever is to be read waits
        pass(20000);
        assert_null(l->mesh.remote);
        if (round)
            join(0);
        else
            go(0);
        pass(500);
        work_drain(work);
        assert_true(round ? l->mesh.remote && l->mesh.remote->standby_games == 0 : !l->mesh.remote);
    }
    l->o.work = NULL;
    work_destroy(work);
}

// F3.18: the others go on.
static void a_matchmaker_that_drains_hands_over(void **state)
{
    (void)state;
    int mm = holder_node(), a = (mm + 1) % NODES, b = (mm + 2) % NODES;
    come(0, a);
    come(1, mm);
    join(0);
    join(1);
    pass(200);
    lobby_drain(node[mm].kit.lobby, true, now_ms);
    assert_true(kit_heard(own(1), "cancelled:maintenance/removed"));
    come(2, b);
    join(2);
    pass(4000);
    assert_true(has_begun(0) && has_begun(2));
    assert_false(kit_heard(own(0), "cancelled"));
    assert_int_not_equal(holder_node(), mm);
}

// --- anything at any moment

static void confirm_all(uint32_t percent)
{
    for (int i = 0; i < AGENTS; i++)
        if (at[i] >= 0 && lobby_awaits_confirm(own(i)->agent, own(i)->confirm) && below(100) < percent)
            lobby_confirm(own(i)->kit->lobby, own(i)->agent, own(i)->confirm, now_ms);
}

static int pick_live(void)
{
    for (;;) {
        int n = (int)below(NODES);
        if (node[n].lives)
            return n;
    }
}

static void come_and_go(int i, uint32_t what)
{
    if (at[i] < 0)
        come(i, pick_live());
    else if (what < 55 && plays[i] == 0)
        kit_join(own(i), "liars_dice", what < 50 ? "ranked" : "friendly", true);
    else if (what < 62)
        lobby_quit(own(i)->kit->lobby, own(i)->agent, now_ms);
    else if (what < 70)
        go(i);
}

static void do_something(void)
{
    int i = (int)below(AGENTS);
    uint32_t what = below(100);
    if (at[i] >= 0 && what >= 70 && what < 80)
        play_all();
    else
        come_and_go(i, what);
}

static void kill_and_restart(void)
{
    int victim = below(2) && holder_node() >= 0 ? holder_node() : pick_live();
    kill_node(victim);
    pass(below(3000));
    open_node(victim);
    for (int i = 0; i < AGENTS; i += 3)
        confirm_by_hand(i);
}

// Nobody waits for ever: all join, and at most one is left over in the queue.
static void assert_all_are_seated(uint64_t seed)
{
    for (int i = 0; i < AGENTS; i++)
        if (at[i] < 0)
            come(i, pick_live());
    for (int n = 0; n < NODES; n++)
        store_set_mock(node[n].kit.store, &(struct store_mock){0});
    loss = doubling = delay_ms = 0;
    pass(8000);
    play_all();
    pass(1000);
    for (int round = 0; round < 200; round++) {
        int waiting = 0;
        for (int i = 0; i < AGENTS; i++)
            waiting += lobby_agent_waits(own(i)->agent);
        if (waiting == 0)
            for (int i = 0; i < AGENTS; i++)
                kit_said(own(i));
        if (waiting == 0)
            break;
        for (int i = 0; i < AGENTS; i++) // all into one queue
            if (lobby_agent_waits(own(i)->agent) && plays[i] == 0)
                kit_join(own(i), "liars_dice", "ranked", true);
        confirm_all(100);
        pass(250);
        if (round % 10 == 9)
            play_all();
        if (waiting == 1 && round > 60)
            lobby_quit(own(0)->kit->lobby, own(0)->agent, now_ms);
    }
    struct lobby *mm = node[holder_node()].kit.lobby;
    int waiting = 0;
    for (int i = 0; i < AGENTS; i++)
        waiting += lobby_agent_waits(own(i)->agent);
    if (waiting > 1 || mm->candidates)
        fail_msg("seed %d: %d wait, candidates %d", (int)seed, waiting, mm->candidates != NULL);
    for (int n = 0; n < NODES; n++)
        assert_true(n == holder_node() || !node[n].kit.lobby->mesh.remote);
}

static void play_seed(uint64_t seed)
{
    uint8_t key[RNG_KEY_BYTES] = {(uint8_t)seed, (uint8_t)(seed >> 8), 77};
    dice = rng_from_key(key);
    loss = (int)below(25);
    doubling = (int)below(15);
    delay_ms = (int)below(300);
    for (int i = 0; i < AGENTS; i += 3)
        confirm_by_hand(i);
    for (int i = 0; i < 120; i++) {
        do_something();
        confirm_all(40);
        pass(below(400));
        if (below(30) == 0)
            kill_and_restart();
        if (below(20) == 0)
            store_set_mock(node[pick_live()].kit.store, &(struct store_mock){.begins = 1});
    }
    assert_all_are_seated(seed);
}

static void whatever_happens_nobody_waits_for_ever(void **state)
{
    const char *more = getenv("AGON_MESH_SEEDS"); // the row `links` of tools/gate
    uint64_t seeds = more ? strtoull(more, NULL, 10) : 6;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        play_seed(seed);
        tear_down(state);
        set_up(state);
    }
}

// --- what no node would say (S51: a bundle is whole, or dropped; its entries may be anything)

static struct uuid any_agent(int to)
{
    const struct lobby_game *g = &kit_games[below(2)];
    struct uuid id = {0};
    uint32_t what = below(10);
    if (what < 8)
        return agent_at(to, (int)below(AGENTS))->id;
    if (what == 8)
        return house_named(node[to].kit.lobby, g, &g->house, 0, now_ms)->record.id;
    for (int i = 0; i < UUID_BYTES; i++)
        id.byte[i] = (uint8_t)below(256);
    return id;
}

static struct uuid any_id(int to)
{
    const struct lobby *l = node[to].kit.lobby;
    const struct kit_agent *a = agent_at(to, (int)below(AGENTS));
    switch (below(6)) {
    case 0:
        return a->confirm;
    case 1:
        return a->readiness;
    case 2:
        return l->candidates ? l->candidates->order : (struct uuid){0};
    case 3:
        return l->running ? l->running->record.id : (struct uuid){0};
    case 4:
        return (struct uuid){0};
    default:
        return any_agent(to);
    }
}

static void say_anything(int to)
{
    static const char *const games[] = {"texas_holdem", "liars_dice", "coup", "belote", "", "chess"};
    static const char *const modes[] = {"ranked",     "friendly",   "",
                                        QUEUE_TABLES, "tournament", "0123456789_0123456789_0123456789"};
    struct note n = {.kind = (uint8_t)(ENTRY_JOIN + below(ENTRY_REFUSED - ENTRY_JOIN + 1))};
    n.why = (uint8_t)(below(4) ? below(8) : below(256));
    n.flags = (uint16_t)(below(3) ? 1u << below(11) | below(2) : below(1 << 16));
    n.capabilities = below(2) ? UINT32_MAX : below(16);
    n.term = below(8) ? term : below(100);
    n.agent = any_agent(to);
    n.conn = below(3) ? conns : below(1000);
    n.number = below(4);
    n.id = any_id(to);
    n.challenge = below(4) ? (struct uuid){0} : any_id(to);
    n.host = below(4) ? node[below(NODES)].epoch : below(1000);
    n.age_ms = below(4) ? below(5000) : (int64_t)1 << 48;
    n.players = (uint8_t)below(NOTE_PLAYERS + 1);
    n.waiting = (uint8_t)below(4);
    n.houses = (uint8_t)below(4);
    n.bots = (uint8_t)(below(3) ? 0 : below(NOTE_BOTS + 1));
    snprintf(n.game, sizeof n.game, "%s", games[below(6)]);
    snprintf(n.mode, sizeof n.mode, "%s", modes[below(6)]);
    for (int i = 0; i < n.bots; i++)
        snprintf(n.bot[i], NOTE_BOT, "%s", below(2) ? "rules" : "nobody");
    for (int i = 0; i < n.players; i++)
        n.player[i] = (struct note_player){any_agent(to), node[below(NODES)].epoch, (uint8_t)below(16)};
    char room[NOTE_MOST];
    struct entry e;
    note_write(&n, room, &e);
    lobby_mesh_receive(node[to].kit.lobby, node[below(NODES)].epoch, &e, now_ms);
}

static void whatever_is_said_no_node_falls(void **state)
{
    const char *more = getenv("AGON_MESH_SEEDS");
    uint64_t seeds = more ? strtoull(more, NULL, 10) : 4;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        dice = rng_from_key((const uint8_t[RNG_KEY_BYTES]){(uint8_t)seed, (uint8_t)(seed >> 8), 78});
        for (int i = 0; i < AGENTS; i += 3)
            confirm_by_hand(i);
        for (int i = 0; i < 150; i++) {
            come_and_go((int)below(AGENTS), below(70));
            confirm_all(40);
            for (uint32_t k = below(20); k > 0; k--)
                say_anything(pick_live());
            pass(below(200));
        }
        tear_down(state);
        set_up(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(agents_of_three_nodes_sit_down_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_node_with_most_players_is_the_host, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whoever_leaves_is_not_seated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_agent_has_one_entry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refusal_of_the_matchmaker_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reset_is_mended_by_the_list, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whoever_left_unheard_is_not_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whoever_is_asked_may_turn_up_in_another_queue, set_up, tear_down),
        cmocka_unit_test_setup_teardown(questions_leave_jobs_for_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(waiting_goes_on_when_the_matchmaker_dies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_question_of_a_dead_matchmaker_is_put_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_order_that_is_lost_is_given_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whoever_moves_to_the_matchmaker_is_told_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_refused_beginning_sends_everybody_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missed_confirmation_counts_at_its_gateway, set_up, tear_down),
        cmocka_unit_test_setup_teardown(standby_agents_of_two_nodes_are_asked_and_seated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whoever_stands_by_no_longer_is_not_asked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_matchmaker_that_drains_hands_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whatever_happens_nobody_waits_for_ever, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whatever_is_said_no_node_falls, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
