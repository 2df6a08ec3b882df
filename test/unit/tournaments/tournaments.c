// Tournaments of a server, without HTTP: what is refused, what is kept, and agents at tables of the lobby (F5.13).
#include "kit/kit.h"
#include "tournaments/internal.h"

#include "games/belote/codec.h"
#include "games/coup/codec.h"
#include "games/liars_dice/codec.h"
#include "games/texas_holdem/codec.h"
#include "lobby/replayed.h"
#include "lobby_kit.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { TURNS = 4000 }; // of the loop, a quarter of a second each at most

static struct kit k;
static struct loop loop;
static struct tournaments *t;
static struct tournaments_options o;
static char folder[128], error[TOURNAMENTS_ERROR_ROOM];

static const struct game_kit kits[] = {
    {.codec = &texas_holdem_codec}, {.codec = &liars_dice_codec}, {.codec = &coup_codec}, {.codec = &belote_codec}};
static const struct contest_facts no_facts;
static const struct tournaments_game games[5] = {
    {.codec = &texas_holdem_codec, .kit = &kits[0], .facts = &no_facts},
    {.codec = &liars_dice_codec, .kit = &kits[1], .facts = &no_facts},
    {.codec = &coup_codec, .kit = &kits[2], .facts = &no_facts},
    {.codec = &belote_codec, .kit = &kits[3], .facts = &no_facts},
};

static int64_t now_ms(void)
{
    return k.now_ms;
}

static struct {
    uint64_t job;
    int status;
    struct uuid id;
} done;

static void on_done(void *owner, uint64_t job, int status, struct uuid id, const char *why)
{
    (void)owner;
    done.job = job;
    done.status = status;
    done.id = id;
    snprintf(error, sizeof error, "%s", why);
}

static int set_up(void **state)
{
    (void)state;
    kit_open(&k, NULL);
    loop_init(&loop);
    snprintf(folder, sizeof folder, "%s/tournaments", k.folder);
    tournaments_defaults(&o);
    o.loop = &loop;
    o.lobby = k.lobby;
    o.games = games;
    o.folder = folder;
    o.now_ms = now_ms;
    o.max_games = 100;
    t = tournaments_open(&o);
    if (!t)
        return -1;
    tournaments_listen(t, NULL, on_done, NULL);
    done.job = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tournaments_close(t);
    loop_release(&loop);
    kit_close(&k);
    return 0;
}

static struct tournaments_request ask(const char *game, enum contest_format format, uint64_t count)
{
    struct tournaments_request q = {.format = format, .entrants = 2, .games = count, .seed = 5, .has_seed = true};
    snprintf(q.game, sizeof q.game, "%s", game);
    snprintf(q.entrant[0], sizeof q.entrant[0], "house:random");
    snprintf(q.entrant[1], sizeof q.entrant[1], "house:fallback");
    q.mirrored = true;
    return q;
}

static void wait_for(uint64_t job, int status)
{
    for (int i = 0; i < TURNS && done.job != job; i++)
        assert_true(loop_turn(&loop));
    assert_int_equal(done.job, job);
    assert_int_equal(done.status, status);
}

static struct uuid make(const struct tournaments_request *q)
{
    uint64_t job;
    int before, total;
    tournaments_list(t, NULL, 0, NULL, 0, &before);
    assert_int_equal(tournaments_create(t, q, &job, error), 202);
    tournaments_list(t, NULL, 0, NULL, 0, &total);
    assert_int_equal(total, before); // nobody sees it before it is on disk
    wait_for(job, 201);
    assert_non_null(tournaments_find(t, done.id));
    return done.id;
}

static void wait_for_end(struct uuid id)
{
    for (int i = 0; i < TURNS && tournament_summary(tournaments_find(t, id)).status == TOURNAMENT_RUNNING; i++)
        assert_true(loop_turn(&loop));
    assert_int_equal(tournament_summary(tournaments_find(t, id)).status, TOURNAMENT_FINISHED);
}

static void start_again(void)
{
    tournaments_close(t);
    t = tournaments_open(&o);
    assert_non_null(t);
    tournaments_listen(t, NULL, on_done, NULL);
    done.job = 0;
}

static void standings(struct uuid id, char *out, size_t room)
{
    struct text text = text_on(out, room - 1);
    tournament_write_standings(tournaments_find(t, id), &text);
    out[text.size] = 0;
}

static void refusals(void **state)
{
    static const struct {
        const char *game, *first, *second;
        enum contest_format format;
        uint64_t count, rounds;
        const char *says;
    } rows[] = {
        {"chess", "house:random", "house:fallback", CONTEST_SWISS, 2, 0, "unknown game"},
        {"coup", "house:random", "house:deep", CONTEST_SWISS, 2, 0, "choose one of: random, fallback"},
        {"coup", "house:random", "random=house:fallback", CONTEST_SWISS, 2, 0, "same name"},
        {"coup", "house:random", "person", CONTEST_SWISS, 2, 0, "is not an entrant"},
        {"coup", "house:random", "cmd:true", CONTEST_SWISS, 2, 0, "is not an entrant"},
        {"coup", "house:random", "https://", CONTEST_SWISS, 2, 0, "address"},
        {"coup", "house:random", "00000000-0000-4000-8000-000000000000", CONTEST_SWISS, 2, 0, "unknown agent"},
        {"coup", "house:random", "house:fallback", CONTEST_GAUNTLET, 0, 0, "give games"},
        {"coup", "house:random", "house:fallback", CONTEST_GAUNTLET, 0, 2, "only a Swiss"},
        {"coup", "house:random", "house:fallback", CONTEST_GAUNTLET, 101, 0, "at most 100"},
        {"coup", "house:random", "house:fallback", CONTEST_SWISS, 0, 51, "at most 100"}, // of two games each
        {"coup", "house:random", "house:fallback", CONTEST_SWISS, 0, UINT64_MAX, "at most 100"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tournaments_request q = ask(rows[i].game, rows[i].format, rows[i].count);
        uint64_t job;
        int total;
        q.rounds = rows[i].rounds;
        snprintf(q.entrant[0], sizeof q.entrant[0], "%s", rows[i].first);
        snprintf(q.entrant[1], sizeof q.entrant[1], "%s", rows[i].second);
        assert_int_equal(tournaments_create(t, &q, &job, error), 400);
        assert_non_null(strstr(error, rows[i].says));
        assert_int_equal(tournaments_list(t, NULL, 0, NULL, 0, &total), 0);
        assert_int_equal(total, 0);
    }
}

// F5.13: everybody meets everybody, so often or, in mirrored sets, once more.
static void games_of_a_pair_are_whole_sets(void **state)
{
    (void)state;
    static const struct {
        bool mirrored;
        uint64_t per_pair, total;
    } cases[] = {{true, 1, 6}, {true, 3, 12}, {true, 4, 12}, {false, 1, 3}, {false, 3, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tournaments_request q = ask("liars_dice", CONTEST_ROUND_ROBIN, 0);
        struct tournament_game rows[16];
        uint64_t total, met[3][3] = {{0}};
        snprintf(q.entrant[q.entrants++], sizeof q.entrant[0], "third=house:random");
        q.per_pair = cases[i].per_pair;
        q.mirrored = cases[i].mirrored;
        struct uuid id = make(&q);
        wait_for_end(id);
        int count = tournament_list_games(tournaments_find(t, id), 0, rows, 16, &total);
        assert_int_equal(total, cases[i].total);
        for (int g = 0; g < count; g++)
            met[rows[g].entrant[0]][rows[g].entrant[1]]++;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < a; b++)
                assert_int_equal(met[a][b] + met[b][a], cases[i].total / 3);
    }
}

static void is_kept(void **state)
{
    char before[2048], after[2048];
    struct tournaments_request q = ask("liars_dice", CONTEST_ROUND_ROBIN, 39);
    struct tournament_game rows[64];
    uint64_t total;
    (void)state;
    struct uuid id = make(&q);
    wait_for_end(id);
    standings(id, before, sizeof before);
    start_again();
    standings(id, after, sizeof after);
    assert_string_equal(before, after);
    const struct tournament *x = tournaments_find(t, id);
    struct tournament_facts f = tournament_summary(x);
    assert_true(f.status == TOURNAMENT_FINISHED && f.done == 40 && f.total == 40 && f.seed == 5); // whole pairs
    assert_string_equal(tournament_entrant(x, 0), "house:random");
    assert_int_equal(tournament_list_games(x, 30, rows, 64, &total), 10);
    assert_true(total == 40 && rows[0].index == 30 && rows[0].seed == rows[1].seed);
    assert_int_equal(rows[0].entrant[0], rows[1].entrant[1]);
    assert_int_equal(tournament_list_games(x, 40, rows, 64, &total), 0);
    uint64_t job;
    assert_int_equal(tournaments_cancel(t, id, &job, error), 409);

    struct store_match m;
    struct text log;
    struct replayed past;
    assert_int_equal(tournament_list_games(x, 7, rows, 1, &total), 1);
    assert_int_equal(tournaments_load_replay(t, rows[0].replay, &m, &log), OK);
    assert_int_equal(replayed_load_log(&past, k.lobby, &m, log), OK); // it reproduces
    assert_memory_equal(past.payoffs, rows[0].payoffs, 2 * sizeof *past.payoffs);
    replayed_release(&past);
    rows[0].replay.byte[UUID_BYTES - 1] = 40;
    assert_int_equal(tournaments_load_replay(t, rows[0].replay, &m, &log), ERR_UNKNOWN);
}

// Closing waits for what is being written, and what was written is there the next time.
static void closing_waits_for_errands(void **state)
{
    struct tournaments_request q = ask("coup", CONTEST_ROUND_ROBIN, 4);
    uint64_t job;
    int total;
    (void)state;
    assert_int_equal(tournaments_create(t, &q, &job, error), 202);
    start_again();
    tournaments_list(t, NULL, 0, NULL, 0, &total);
    assert_int_equal(total, 1);
}

static void a_folder_that_cannot_be_written_is_told(void **state)
{
    struct tournaments_request q = ask("coup", CONTEST_ROUND_ROBIN, 4);
    uint64_t job;
    int total;
    (void)state;
    FILE *f = fopen(folder, "we"); // a file where the folder should be
    assert_non_null(f);
    fclose(f);
    assert_int_equal(tournaments_create(t, &q, &job, error), 202);
    wait_for(job, 503);
    assert_non_null(strstr(error, "cannot write"));
    tournaments_list(t, NULL, 0, NULL, 0, &total);
    assert_int_equal(total + tournaments_count_running(t), 0);
}

// --- a full disk

// A limit of file sizes is what a full disk looks like to a program.
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void wait_until_stalled(const struct tournament *x)
{
    for (int i = 0; i < TURNS && (x->run || x->busy || !x->retry_ms); i++)
        assert_true(loop_turn(&loop));
    assert_true(!x->run && x->retry_ms > k.now_ms);
}

// F8.6: what was told is kept, nothing is told that is not, and it goes on when there is room again.
static void goes_on_after_a_full_disk(void **state)
{
    enum { ROOM = 8192 }; // a part of the journal, and of the games
    char whole[2048], resumed[2048];
    struct tournaments_request q = ask("liars_dice", CONTEST_ROUND_ROBIN, 100);
    struct tournament_game rows[100];
    uint64_t total;
    (void)state;
    struct uuid undisturbed = make(&q);
    wait_for_end(undisturbed);
    standings(undisturbed, whole, sizeof whole);

    signal(SIGXFSZ, SIG_IGN);
    limit_files(ROOM);
    struct uuid id = make(&q);
    const struct tournament *x = tournaments_find(t, id);
    wait_until_stalled(x);
    for (int again = 0; again < 2; again++) { // tried in vain
        int count = tournament_list_games(x, 0, rows, 100, &total);
        assert_true(tournament_summary(x).status == TOURNAMENT_RUNNING && tournament_summary(x).done < 100);
        assert_true(count >= 0 && (uint64_t)count == total);
        k.now_ms = x->retry_ms;
        while (!x->run)
            assert_true(loop_turn(&loop));
        wait_until_stalled(x);
    }
    limit_files(RLIM_INFINITY);
    k.now_ms = x->retry_ms;
    wait_for_end(id);
    standings(id, resumed, sizeof resumed);
    assert_string_equal(resumed, whole);
    assert_int_equal(tournament_list_games(x, 0, rows, 100, &total), 100);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(rows[i].index, i);
}

// --- registered agents

static void name_agents(struct tournaments_request *q, const struct kit_agent *a, const struct kit_agent *b)
{
    uuid_format(q->entrant[0], a->id);
    uuid_format(q->entrant[1], b->id);
}

static void seats_agents(void **state)
{
    struct kit_agent *a = kit_player(&k, "ada"), *b = kit_add(&k, "ada");
    struct tournaments_request q = ask("coup", CONTEST_ROUND_ROBIN, 2);
    struct rng dice = rng_from_key((uint8_t[RNG_KEY_BYTES]){1});
    struct tournament_game rows[2];
    struct store_match m[2];
    uint64_t total;
    (void)state;
    kit_settle(&k);
    name_agents(&q, a, a);
    uint64_t job;
    assert_int_equal(tournaments_create(t, &q, &job, error), 400);
    name_agents(&q, a, b);
    struct uuid id = make(&q);
    assert_string_not_equal(tournament_entrant(tournaments_find(t, id), 0),
                            tournament_entrant(tournaments_find(t, id), 1));
    loop_turn(&loop);
    assert_true(kit_heard(a, "ready?")); // F3.12
    assert_false(kit_heard(a, "start")); // the other is away
    kit_come(b, "one");
    for (int game = 0; game < 2; game++) {
        for (int i = 0; i < TURNS && !kit_heard(a, "start"); i++) {
            struct kit_agent *both[] = {a, b};
            loop_turn(&loop);
            for (int n = 0; n < 2; n++)
                if (!uuid_is_none(both[n]->readiness))
                    lobby_report_ready(k.lobby, both[n]->agent, both[n]->readiness, true, k.now_ms);
        }
        assert_true(kit_heard(a, "start") && kit_heard(b, "start"));
        assert_int_equal(lobby_agent_active(a->agent), 1); // one after the other, though each may play eight
        assert_true(kit_play_out(&k, &dice, 10000));
        kit_said(a);
        kit_said(b);
        kit_settle(&k);
    }
    wait_for_end(id);
    assert_int_equal(tournament_list_games(tournaments_find(t, id), 0, rows, 2, &total), 2);
    for (int i = 0; i < 2; i++)
        assert_true(store_find_replay(k.store, rows[i].replay, &m[i]));
    assert_memory_equal(m[0].key, m[1].key, sizeof m[0].key); // mirrored: the same cards, seats exchanged
    assert_true(uuid_equals(m[0].seat[0].agent, m[1].seat[1].agent));
    assert_string_equal(m[0].mode, "tournament");
    assert_false(m[0].rated);
}

static void end_is_written_beside_the_loop(void **state)
{
    const struct kit_agent *a = kit_player(&k, "ada"), *b = kit_add(&k, "bob"); // who never play: it cannot end before
    struct tournaments_request q = ask("coup", CONTEST_ROUND_ROBIN, 2);
    uint64_t job, second;
    (void)state;
    kit_settle(&k);
    name_agents(&q, a, b);
    struct uuid id = make(&q), unknown = {{1}};
    assert_int_equal(tournaments_cancel(t, unknown, &job, error), 404);
    assert_int_equal(tournaments_cancel(t, id, &job, error), 202);
    assert_int_equal(tournament_summary(tournaments_find(t, id)).status, TOURNAMENT_RUNNING); // until it is on disk
    assert_int_equal(tournaments_cancel(t, id, &second, error), 409);
    assert_non_null(strstr(error, "being cancelled"));
    wait_for(job, 200);
    struct tournament_facts f = tournament_summary(tournaments_find(t, id));
    assert_int_equal(f.status, TOURNAMENT_CANCELLED);
    assert_int_equal(tournaments_cancel(t, id, &second, error), 409);
    start_again();
    struct tournament_facts after = tournament_summary(tournaments_find(t, id));
    assert_true(after.status == TOURNAMENT_CANCELLED && after.done == f.done && after.finished_ms == f.finished_ms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refusals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(games_of_a_pair_are_whole_sets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(closing_waits_for_errands, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_written_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(goes_on_after_a_full_disk, set_up, tear_down),
        cmocka_unit_test_setup_teardown(end_is_written_beside_the_loop, set_up, tear_down),
        cmocka_unit_test_setup_teardown(seats_agents, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
