// Hundreds of matches at random: agents who answer, answer wrongly, stay silent, come and go, and a server that is
// started anew in the middle. What must hold at every call is claimed by the kit; what must hold at the end, here.
#include "lobby_kit.h"

#include "base/hash.h"
#include "lobby/internal.h"
#include "lobby/replayed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PLAYERS = 24, STEPS = 25000, MATCHES = 2048 };

static struct kit k;
static struct rng_draw draw;
static struct rng chance;
static struct uuid ended[MATCHES];
static uint64_t past[MATCHES]; // hash of the events as they happened
static int ends, crashes;
static struct lobby_figures all; // of all lobbies there were

static uint32_t pick(uint32_t n)
{
    return rng_draw_below(&draw, n);
}

static struct kit_agent *somebody(void)
{
    return &k.agent[pick(PLAYERS)];
}

static uint64_t hash_of(const struct game_event *entry, uint32_t entries, const int64_t *at_ms, uint32_t events)
{
    return hash_bytes(entry, entries * sizeof *entry) * 31 + hash_bytes(at_ms, events * sizeof *at_ms);
}

static void note_end(void *owner, const struct store_match *m)
{
    (void)owner;
    for (int i = 0; i < ends; i++)
        assert_false(uuid_equals(ended[i], m->id)); // F7.7: counted once
    assert_true(ends < MATCHES);
    const struct history *h = &k.lobby->finished->history;
    past[ends] = hash_of(h->entry, h->entries, h->at_ms, h->events);
    ended[ends++] = m->id;
}

// --- what they do

static void answer_well(struct kit_agent *a)
{
    struct kit_seat *s = kit_asked(a);
    if (s)
        assert_int_equal(kit_answer(a, s, kit_choose(s, &chance)), OK);
}

static void answer_badly(struct kit_agent *a)
{
    struct kit_seat *s = kit_asked(a);
    if (s)
        assert_int_equal(kit_answer(a, s, (struct game_action){.kind = 99}), ERR_ACTION);
}

static void answer_late(struct kit_agent *a)
{
    struct kit_seat *s = kit_asked(a);
    if (!s)
        return;
    struct kit_seat old = *s;
    answer_well(a);
    assert_int_equal(lobby_judge(old.seat, &old.request, k.now_ms), LOBBY_STALE);
}

static void come(struct kit_agent *a)
{
    char instance[8];
    snprintf(instance, sizeof instance, "i%u", pick(3));
    kit_come(a, pick(4) ? instance : "");
}

static void go(struct kit_agent *a)
{
    if (a->online)
        kit_go(a);
}

static void join(struct kit_agent *a)
{
    static const char *const modes[] = {"ranked", "ranked", "ranked", "friendly"};
    if (!a->online)
        return;
    const struct lobby_game *g = &kit_games[pick(4)];
    kit_join(a, g->codec->game->name, modes[pick(4)], pick(2));
}

static void quit(struct kit_agent *a)
{
    lobby_quit(k.lobby, a->agent, k.now_ms);
}

static void confirm(struct kit_agent *a)
{
    lobby_confirm(k.lobby, a->agent, a->confirm, k.now_ms);
}

static void report(struct kit_agent *a)
{
    lobby_report_ready(k.lobby, a->agent, a->readiness, pick(4), k.now_ms);
}

static void wait_a_little(struct kit_agent *a)
{
    (void)a;
    kit_pass(&k, pick(2000));
}

static void wait_long(struct kit_agent *a)
{
    (void)a;
    kit_pass(&k, k.o.turn_timeout_ms + pick(2000));
}

static void add_figures(void)
{
    struct lobby_figures f;
    lobby_figures(k.lobby, &f);
    all.actions += f.actions;
    all.house_moves += f.house_moves;
    all.strikes += f.strikes;
    all.drops += f.drops;
    all.fallbacks += f.fallbacks;
    all.confirmations_failed += f.confirmations_failed;
    all.matches_cancelled += f.matches_cancelled;
}

static void crash(struct kit_agent *a)
{
    (void)a;
    add_figures();
    crashes++;
    kit_restart(&k);
    lobby_on_match_end(k.lobby, note_end, NULL);
}

static void deliver(struct kit_agent *a)
{
    for (int i = 0; i < a->seats; i++)
        if (a->seat[i].over && a->online && lobby_find_seat(a->agent, a->seat[i].session))
            lobby_delivered(k.lobby, lobby_find_seat(a->agent, a->seat[i].session));
}

static const struct {
    uint32_t weight;
    void (*act)(struct kit_agent *a);
} habits[] = {{3000, answer_well},  {200, answer_badly}, {100, answer_late}, {80, come},    {50, go},
              {200, join},          {10, quit},          {150, confirm},     {100, report}, {150, deliver},
              {300, wait_a_little}, {16, wait_long},     {4, crash}};

static void live_on(void)
{
    uint32_t total = 0, at;
    size_t i = 0;
    for (size_t n = 0; n < sizeof habits / sizeof *habits; n++)
        total += habits[n].weight;
    for (at = pick(total); at >= habits[i].weight; i++)
        at -= habits[i].weight;
    struct kit_agent *a = somebody();
    for (int tries = 0; habits[i].act == answer_well && !kit_asked(a) && tries < PLAYERS; tries++)
        a = &k.agent[(a - k.agent + 1) % PLAYERS];
    habits[i].act(a);
    if (pick(10))
        kit_written(&k);
    lobby_tick(k.lobby, k.now_ms);
    if (pick(8) == 0)
        kit_settle(&k);
}

// --- what holds in the end

static void check_strikes(const struct replayed *r)
{
    struct replay_reader reader;
    struct replay_entry e;
    int silent[GAME_MAX_SEATS] = {0};
    assert_int_equal(replay_open(&reader, text_span(&r->log)), OK);
    while (replay_next(&reader, &e) == 1) {
        if (e.kind != REPLAY_ACTION)
            continue;
        if (e.seat < r->match.seats)
            silent[e.seat] += e.silent;
        else
            assert_int_equal(silent[e.action.arg[0]], 1); // F4.9: the second strike drops, not the first
    }
    for (int i = 0; i < r->match.seats; i++)
        assert_in_range(silent[i], 0, 1);
}

static void check_match(struct uuid id, uint64_t hash)
{
    struct replayed r;
    struct match_event e;
    assert_int_equal(replayed_load(&r, k.lobby, id), OK); // F8.2
    assert_int_equal(r.match.status, STORE_FINISHED);
    int64_t at_ms = r.match.started_ms;
    for (uint32_t seq = 0; seq < r.events; seq++) {
        assert_true(replayed_event(&r, seq, &e));
        assert_true(e.at_ms >= at_ms && e.at_ms <= r.match.finished_ms);
        at_ms = e.at_ms;
    }
    check_strikes(&r);
    assert_int_equal(hash_of(r.event, r.first[r.events], r.at_ms, r.events), hash); // byte by byte
    replayed_release(&r);
}

static uint32_t count_matches(struct uuid agent)
{
    static struct store_match page[50];
    int total = 0;
    store_list_matches(k.store, NULL, &agent, 0, page, 1, &total);
    return (uint32_t)total;
}

static void check_agent(struct kit_agent *a)
{
    struct store_rating ratings[LOBBY_GAMES];
    int count = store_ratings(k.store, a->id, ratings, LOBBY_GAMES);
    uint32_t games = 0;
    for (int i = 0; i < count; i++) {
        games += ratings[i].games;
        assert_int_equal(ratings[i].games, ratings[i].wins + ratings[i].losses + ratings[i].draws);
        assert_true(ratings[i].rated_games <= ratings[i].games);
    }
    assert_int_equal(games, count_matches(a->id));
    for (int i = 0; i < a->seats; i++)
        assert_true(!a->seat[i].started || a->seat[i].over);
}

static void open_arena(uint64_t number, bool strict, bool deterministic)
{
    const char *seed = getenv("LOBBY_SEED"); // another life
    struct lobby_options o;
    chance = rng_from_key((const uint8_t[RNG_KEY_BYTES]){(uint8_t)(seed ? atoi(seed) : 7), (uint8_t)number});
    static struct rng picks;
    picks = rng_split(&chance, 1);
    rng_begin(&draw, &picks);
    lobby_defaults(&o);
    o.turn_timeout_ms = 30000;
    o.house_bots = 3;
    o.has_seed = true; // of the matches; ids are never from there
    o.seed = number;
    o.strict_compat = strict;
    o.deterministic_windows = deterministic;
    kit_open(&k, &o);
    k.checks = true;
    k.dice = rng_split(&chance, 2);
    ends = crashes = 0;
    all = (struct lobby_figures){0};
    lobby_on_match_end(k.lobby, note_end, NULL);
}

static void invite(void)
{
    for (int i = 0; i < PLAYERS; i++) {
        struct kit_agent *a = kit_add(&k, (char[]){'p', (char)('a' + i), 0});
        struct store_agent *r = lobby_agent_edit(a->agent);
        r->auto_confirm = i % 3 > 0;
        r->max_games_per_day = i % 2 ? 10000 : 0;
        r->max_concurrent = 1 + i % 4;
        snprintf(r->standby, sizeof r->standby, "%s", i % 2 ? "coup,texas_holdem,liars_dice,belote" : "");
        lobby_agent_save(k.lobby, a->agent);
        kit_come(a, "i0");
    }
}

// What runs ends by itself, since nobody answers any more; then everybody comes and hears of it.
static void end_all(void)
{
    struct lobby_figures f;
    lobby_drain(k.lobby, true, k.now_ms);
    for (int i = 0; i < 2000; i++) {
        lobby_figures(k.lobby, &f);
        if (!f.matches_active)
            break;
        kit_pass(&k, k.o.turn_timeout_ms);
    }
    assert_int_equal(f.matches_active, 0);
    kit_settle(&k);
    for (int i = 0; i < PLAYERS; i++) {
        kit_come(&k.agent[i], "i9");
        assert_int_equal(lobby_agent_active(k.agent[i].agent), 0);
    }
}

static void live(uint64_t number, bool strict, bool deterministic)
{
    open_arena(number, strict, deterministic);
    invite();
    for (int i = 0; i < STEPS && !k.broken; i++)
        live_on();
    assert_string_equal(k.why, "");
    end_all();
    for (int i = 0; i < ends; i++)
        check_match(ended[i], past[i]);
    assert_string_equal(k.why, "");
    for (int i = 0; i < PLAYERS; i++)
        check_agent(&k.agent[i]);
    add_figures();
    print_message("%d matches, %d restarts, %llu answers, %llu house moves, %llu strikes, %llu drops\n", ends, crashes,
                  (unsigned long long)all.actions, (unsigned long long)all.house_moves, (unsigned long long)all.strikes,
                  (unsigned long long)all.drops);
    assert_int_equal(all.strikes, all.drops + all.fallbacks); // F4.9
    assert_int_equal(all.matches_cancelled, 0);
    assert_true(ends > 100 && crashes > 10 && all.drops > 5 && all.confirmations_failed > 0);
    kit_close(&k);
}

static void as_usual(void **state)
{
    (void)state;
    live(1, false, false);
}

static void strictly_compatible(void **state)
{
    (void)state;
    live(2, true, false);
}

static void with_deterministic_windows(void **state)
{
    (void)state;
    live(3, false, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_usual), cmocka_unit_test(strictly_compatible),
                                       cmocka_unit_test(with_deterministic_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
