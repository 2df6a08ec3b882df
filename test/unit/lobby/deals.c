// Deals: numbers published ahead, keys made of them, and the list that tells all of it (docs/fairness.md). What a
// verifier computes is computed here again, by hand. A crash is a child killed by SIGKILL while it deals.
#include "lobby_test.h"

#include "crypto/crypto.h"
#include "games/liars_dice/rules/liars_dice.h"
#include "games/texas_holdem/rules/texas_holdem.h"
#include "lobby/deals.h"
#include "lobby/internal.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DICE = 1, MOST = 4096 };

static struct store_entry list[MOST];

// --- bytes

struct sum {
    uint8_t at[1024];
    size_t size;
};

static void put(struct sum *s, const void *bytes, size_t size)
{
    memcpy(s->at + s->size, bytes, size);
    s->size += size;
}

static void put_u64(struct sum *s, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        s->at[s->size++] = (uint8_t)(value >> 8 * i);
}

static int load_list(struct store *store)
{
    int count = 0, got;
    while ((got = store_list_entries(store, (uint64_t)count, list + count, MOST - count)) > 0)
        count += got;
    return count;
}

// Every link follows from the one before it, and every entry can be read.
static int verify_list(struct store *store)
{
    uint8_t link[32] = {0};
    int count = load_list(store);
    for (int i = 0; i < count; i++) {
        struct sum s = {0};
        struct deal_entry d;
        put(&s, "agon.commitments.1", 18);
        put(&s, link, sizeof link);
        put_u64(&s, (uint64_t)i);
        put(&s, &list[i].kind, 1);
        put_u64(&s, list[i].number);
        put_u64(&s, (uint64_t)list[i].at_ms);
        put(&s, list[i].body, list[i].size);
        crypto_sha256(link, s.at, s.size);
        assert_int_equal(list[i].place, i);
        assert_memory_equal(list[i].link, link, sizeof link);
        assert_true(deals_read(&list[i], &d));
    }
    return count;
}

static void verify_secret(struct store *store, const uint8_t epoch[32], uint64_t number)
{
    struct store_entry e[STORE_ENTRIES_OF_NUMBER];
    struct deal_entry published = {0}, closed = {0};
    int count = store_find_entries(store, number, e);
    assert_true(count >= 2 && deals_read(&e[0], &published) && deals_read(&e[count - 1], &closed));
    struct sum s = {0};
    uint8_t promised[32];
    put(&s, "agon.deal.secret.1", 18);
    put(&s, epoch, 32);
    put_u64(&s, number);
    put(&s, closed.secret, 32);
    crypto_sha256(promised, s.at, s.size);
    assert_memory_equal(published.commitment, promised, sizeof promised);
}

// --- tables

static struct lobby_agent *agents[2];

static void add_agents(struct lobby *l)
{
    for (int i = 0; i < 2; i++) {
        struct store_agent record = {
            .id = {{(uint8_t)(9 - i)}}, .public_no = 1000000000u + (uint64_t)i, .claimed = true};
        snprintf(record.name, sizeof record.name, "player %d", i);
        agents[i] = lobby_agent_by_id(l, record.id);
        if (!agents[i])
            agents[i] = lobby_agent_add(l, &record);
        lobby_agent_hold(agents[i]);
    }
}

static struct uuid sit(struct lobby *l)
{
    struct uuid match;
    assert_int_equal(lobby_seat_table(l, &kit_games[DICE], "friendly", agents, 2, (struct uuid){0}, k.now_ms, &match),
                     OK);
    return match;
}

static struct store_match stored(struct uuid match)
{
    struct store_match m;
    kit_settle(&k);
    assert_true(store_find_match(k.store, match, &m));
    return m;
}

static struct deal_entry entry_of(uint64_t number, enum store_entry_kind kind)
{
    static struct store_entry e[STORE_ENTRIES_OF_NUMBER];
    struct deal_entry d;
    int count = store_find_entries(k.store, number, e);
    for (int i = 0; i < count; i++)
        if (e[i].kind == kind && deals_read(&e[i], &d))
            return d;
    fail_msg("number %ju has no entry %s", (uintmax_t)number, deal_entry_names[kind]);
    return (struct deal_entry){0};
}

// --- tests

static void a_key_is_made_of_secret_rules_and_entropy(void **state)
{
    (void)state;
    uint8_t high[32], low[32], epoch[32], key[32], sum[32];
    memset(high, 0xee, sizeof high);
    memset(low, 0x11, sizeof low);
    add_agents(k.lobby);
    deals_set_entropy(k.lobby, agents[0], high);
    deals_set_entropy(k.lobby, agents[1], low);
    struct store_match m = stored(sit(k.lobby));
    assert_int_equal(m.deal, 1);
    struct deal_entry dealt = entry_of(1, STORE_DEALT);
    assert_int_equal(dealt.source, DEAL_CHAIN);
    assert_true(span_is(dealt.game, "liars_dice"));
    assert_memory_equal(dealt.commitment, m.commitment, 32);
    for (int i = 0; i < 2; i++) // by seat, whoever came first
        assert_memory_equal(dealt.entropy[i], uuid_equals(m.seat[i].agent, agents[0]->record.id) ? high : low, 32);
    assert_int_equal(store_find_entries(k.store, 1, list), 2); // the secret is not told before the end
    assert_int_equal(lobby_cancel_match(k.lobby, m.id, k.now_ms), OK);
    kit_settle(&k);
    struct deal_entry closed = entry_of(1, STORE_CLOSED);
    assert_int_equal(closed.end, DEAL_CANCELLED);
    assert_true(deals_find_epoch(k.lobby, 1, epoch));
    verify_secret(k.store, epoch, 1);
    closed = entry_of(1, STORE_CLOSED);
    struct sum s = {0};
    put(&s, "agon.deal.key.1", 15);
    put(&s, epoch, 32);
    put_u64(&s, 1);
    put(&s, closed.secret, 32);
    put(&s, "\x0aliars_dice", 11);
    dealt = entry_of(1, STORE_DEALT);
    put(&s, dealt.rules, 32);
    put(&s, "\x02\x02", 2);
    put(&s, low, 32);
    put(&s, high, 32);
    crypto_sha256(key, s.at, s.size);
    assert_memory_equal(m.key, key, sizeof key);
    crypto_sha256(sum, key, sizeof key);
    assert_memory_equal(m.commitment, sum, sizeof sum);
    verify_list(k.store);
}

static void entropy_serves_one_match_and_outlives_a_restart(void **state)
{
    (void)state;
    uint8_t entropy[32] = {7};
    add_agents(k.lobby);
    deals_set_entropy(k.lobby, agents[1], entropy);
    kit_restart(&k);
    add_agents(k.lobby);
    assert_non_null(deals_entropy(&agents[1]->record));
    for (uint64_t n = 1; n <= 2; n++) {
        stored(sit(k.lobby));
        struct deal_entry d = entry_of(n, STORE_DEALT);
        assert_int_equal((d.entropy[0] != NULL) + (d.entropy[1] != NULL), n == 1);
    }
    assert_null(deals_entropy(&agents[1]->record));
}

static void entropy_is_64_hex_digits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
    } rows[] = {
        {"00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF", true},
        {"0000000000000000000000000000000000000000000000000000000000000000", false},
        {"00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEF", false},
        {"00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFFF", false},
        {"g0112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF", false},
        {"", false},
    };
    uint8_t out[32];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(deals_read_entropy(span_of(rows[i].text), out), rows[i].good);
}

// More at once than are published ahead: none is used before its commitment is on the disk.
static void numbers_are_durable_before_they_are_used(void **state)
{
    (void)state;
    add_agents(k.lobby);
    for (uint64_t n = 1; n <= 2 * DEALS_AHEAD; n++) {
        uint64_t number;
        assert_int_equal(deals_next(k.lobby, &number, k.now_ms), OK);
        assert_int_equal(number, n);
        assert_true(store_last_number(k.store, STORE_PUBLISHED) >= n); // a read answers from what is durable
        lobby_cancel_match(k.lobby, sit(k.lobby), k.now_ms);
    }
    kit_settle(&k);
    verify_list(k.store);
}

static void other_sources_are_listed_as_what_they_are(void **state)
{
    (void)state;
    struct lobby_fixed fixed = {.match = {{1, 2, 3}}, .key = {9}};
    uint8_t entropy[32] = {7};
    add_agents(k.lobby);
    deals_set_entropy(k.lobby, agents[0], entropy);
    assert_int_equal(lobby_seat_fixed(k.lobby, &kit_games[DICE], "tournament", agents, 2, &fixed, k.now_ms), OK);
    assert_memory_equal(stored(fixed.match).key, fixed.key, sizeof fixed.key);
    struct deal_entry d = entry_of(1, STORE_DEALT);
    assert_int_equal(d.source, DEAL_TOURNAMENT);
    assert_null(d.entropy[0]);
    assert_non_null(deals_entropy(&agents[0]->record)); // kept for a deal that uses it
    k.o.has_seed = true;
    kit_restart(&k);
    add_agents(k.lobby);
    stored(sit(k.lobby));
    assert_int_equal(entry_of(2, STORE_DEALT).source, DEAL_SEED);
}

static void a_server_that_hides_keys_hides_secrets(void **state)
{
    (void)state;
    k.o.hide_keys = true;
    kit_restart(&k);
    add_agents(k.lobby);
    assert_int_equal(lobby_cancel_match(k.lobby, sit(k.lobby), k.now_ms), OK);
    kit_settle(&k);
    assert_null(entry_of(1, STORE_CLOSED).secret);
}

static void what_is_not_durable_is_not_listed_as_live(void **state)
{
    (void)state;
    struct lobby_live live[4];
    int total;
    add_agents(k.lobby);
    kit_settle(&k);
    sit(k.lobby);
    assert_int_equal(lobby_list_live(k.lobby, k.now_ms, live, 4, &total), 0);
    assert_int_equal(total, 0);
    kit_settle(&k);
    assert_int_equal(lobby_list_live(k.lobby, k.now_ms, live, 4, &total), 1);
    assert_int_equal(live[0].match->deal, 1);
}

// --- other lives of the same data

static struct store *open_store(const char *folder)
{
    struct store_options o;
    char why[512] = "";
    store_defaults(&o);
    o.folder = folder;
    o.pace_ms = 0;
    struct store *s = store_open(&o, why, sizeof why);
    if (!s)
        fail_msg("%s", why);
    return s;
}

static void reopen_at(const char *folder)
{
    k.store = open_store(folder);
    k.lobby = lobby_open(&k.o, k.store, k.now_ms);
    kit_settle(&k);
    add_agents(k.lobby);
}

static int64_t ask(const char *folder, const char *sql)
{
    char path[128];
    sqlite3 *db;
    sqlite3_stmt *st;
    snprintf(path, sizeof path, "%s/agon.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    int64_t answer = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
    sqlite3_finalize(st);
    sqlite3_close(db);
    return answer;
}

static void a_restored_backup_begins_a_new_epoch(void **state)
{
    (void)state;
    char file[96], folder[96], why[512];
    snprintf(file, sizeof file, "%s/copy", k.folder);
    snprintf(folder, sizeof folder, "%s/restored", k.folder);
    add_agents(k.lobby);
    struct uuid first = sit(k.lobby);
    kit_settle(&k);
    assert_int_equal(store_backup(k.store, file, why, sizeof why), OK);
    struct store_match lost = stored(sit(k.lobby)); // number 2, after the backup
    assert_int_equal(store_restore(file, folder, false, why, sizeof why), OK);
    struct kit before = k;
    uint8_t old[32], fresh[32];
    reopen_at(folder);
    assert_int_equal(verify_list(k.store), 1 + DEALS_AHEAD + 1 + (DEALS_AHEAD - 1) + 1 + DEALS_AHEAD);
    assert_true(deals_find_epoch(k.lobby, 1, old) && deals_find_epoch(k.lobby, DEALS_AHEAD + 1, fresh));
    assert_memory_not_equal(old, fresh, sizeof old);
    for (uint64_t n = 2; n <= DEALS_AHEAD; n++) { // told, not skipped in silence
        assert_int_equal(entry_of(n, STORE_CLOSED).end, DEAL_UNUSED);
        verify_secret(k.store, old, n);
    }
    struct store_match next = stored(sit(k.lobby));
    assert_int_equal(next.deal, DEALS_AHEAD + 1);
    assert_memory_not_equal(next.key, lost.key, sizeof lost.key);
    assert_int_equal(lobby_cancel_match(k.lobby, first, k.now_ms), OK); // it goes on with its old number
    kit_settle(&k);
    verify_secret(k.store, old, 1);
    kit_restart(&k); // once
    assert_int_equal(ask(folder, "SELECT count(*) FROM epochs"), 2);
    lobby_close(k.lobby);
    store_close(k.store);
    k = before;
}

static void matches_of_older_data_go_on_without_a_number(void **state)
{
    (void)state;
    add_agents(k.lobby);
    struct uuid match = sit(k.lobby);
    struct store_match before = stored(match), after;
    lobby_close(k.lobby);
    store_close(k.store);
    ask(k.folder, "DROP TABLE commitments");
    ask(k.folder, "DROP TABLE epochs");
    ask(k.folder, "ALTER TABLE matches DROP COLUMN deal");
    ask(k.folder, "ALTER TABLE agents DROP COLUMN entropy");
    ask(k.folder, "DROP TABLE counters");
    ask(k.folder, "DROP INDEX agents_by_name");
    ask(k.folder, "ALTER TABLE lists DROP COLUMN deviation");
    ask(k.folder, "ALTER TABLE matches DROP COLUMN swing");
    ask(k.folder, "ALTER TABLE matches DROP COLUMN largest_swing");
    ask(k.folder, "DELETE FROM version WHERE number >= 7"); // as an agon before the list left it
    reopen_at(k.folder);
    assert_true(lobby_is_playing(k.lobby, match));
    assert_int_equal(lobby_cancel_match(k.lobby, match, k.now_ms), OK);
    after = stored(match);
    assert_memory_equal(after.key, before.key, sizeof after.key);
    assert_memory_equal(after.commitment, before.commitment, sizeof after.commitment);
    assert_int_equal(after.deal, 0);
    assert_int_equal(verify_list(k.store), 1 + DEALS_AHEAD); // nothing of it
    assert_int_equal(stored(sit(k.lobby)).deal, 1);
}

// What cannot be read is not taken for an empty list, which would begin again with number 1.
static void a_damaged_list_deals_nothing(void **state)
{
    (void)state;
    char path[128], garbage[512];
    uint64_t number;
    add_agents(k.lobby);
    struct uuid match = sit(k.lobby);
    kit_settle(&k);
    lobby_close(k.lobby);
    store_close(k.store);
    off_t page = (off_t)ask(k.folder, "SELECT rootpage FROM sqlite_schema WHERE name = 'commitments'");
    off_t size = (off_t)ask(k.folder, "PRAGMA page_size");
    snprintf(path, sizeof path, "%s/agon.db", k.folder);
    memset(garbage, 0x5a, sizeof garbage);
    int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, garbage, sizeof garbage, (page - 1) * size), sizeof garbage);
    close(fd);
    reopen_at(k.folder);
    assert_int_equal(deals_next(k.lobby, &number, k.now_ms), ERR_STORAGE);
    assert_int_equal(lobby_cancel_match(k.lobby, match, k.now_ms), OK); // matches end all the same
    kit_settle(&k);
    assert_string_equal(store_fault(k.store), "");
}

// --- what the document says

// Every value below stands in docs/fairness.md too, where outsiders check their verifiers with it.
static void documented(const char *value)
{
    static char text[1 << 16];
    if (!text[0]) {
        FILE *f = fopen(TEST_DIR "/../docs/fairness.md", "r");
        assert_non_null(f);
        assert_true(fread(text, 1, sizeof text - 1, f) > 0);
        fclose(f);
    }
    if (!strstr(text, value))
        fail_msg("docs/fairness.md does not have %s", value);
}

static void documented_bytes(const uint8_t *bytes, size_t size)
{
    char hex[256] = "";
    struct text t = text_on(hex, sizeof hex - 1);
    text_put_hex_bytes(&t, bytes, size);
    documented(hex);
}

static void test_vectors_of_the_list(void **state)
{
    (void)state;
    static struct lobby l;
    struct store_epoch epoch = {.first = 1};
    for (int i = 0; i < 32; i++) {
        epoch.id[i] = (uint8_t)i;
        epoch.secret[i] = (uint8_t)(64 + i);
    }
    l.deals = (struct deals){.epoch = &epoch, .epochs = 1, .next = 7};
    uint8_t first[32], second[32], key[32], commitment[32];
    memset(first, 0xbb, sizeof first);
    memset(second, 0xaa, sizeof second);
    struct deal deal = {.number = 7, .game = "liars_dice", .seats = 2, .entropy = {first, second}};
    crypto_sha256(deal.rules, "\x00\x11\x22\x33", 4);
    documented_bytes(deal.rules, sizeof deal.rules);
    deals_make_key(&l, &deal, key);
    documented_bytes(key, sizeof key);
    crypto_sha256(commitment, key, sizeof key);
    documented_bytes(commitment, sizeof commitment);
    struct store_entry e;
    deals_deal(&l, &deal, commitment, 1700000000000, &e);
    documented_bytes(e.link, sizeof e.link);
    struct store_match m = {.deal = 7, .status = STORE_FINISHED};
    struct deal_entry closed;
    assert_true(deals_read(deals_close_number(&l, &m, &e), &closed));
    documented_bytes(closed.secret, 32);
    struct sum s = {0};
    put(&s, "agon.deal.secret.1", 18);
    put(&s, epoch.id, sizeof epoch.id);
    put_u64(&s, 7);
    put(&s, closed.secret, 32);
    crypto_sha256(commitment, s.at, s.size);
    documented_bytes(commitment, sizeof commitment);
}

static void start(int game, union game_state *s)
{
    uint8_t key[RNG_KEY_BYTES];
    union game_rules rules = {0};
    const struct game *g = kit_games[game].codec->game;
    for (int i = 0; i < RNG_KEY_BYTES; i++)
        key[i] = (uint8_t)i;
    struct rng root = rng_from_key(key), chance = rng_split(&root, MATCH_CHANCE), seats = rng_split(&root, MATCH_SEATS);
    documented_bytes((const uint8_t *)chance.key, sizeof chance.key);
    documented_bytes((const uint8_t *)seats.key, sizeof seats.key);
    g->defaults(&rules);
    assert_int_equal(g->init(s, &rules, 2, chance, NULL), OK);
}

static void test_vectors_of_the_games(void **state)
{
    (void)state;
    union game_state s;
    char text[96];
    start(DICE, &s);
    uint8_t face[2][LIARS_DICE_DICE];
    for (int i = 0; i < 2; i++)
        liars_dice_faces(((const struct liars_dice_state *)&s)->hand[i], face[i]);
    snprintf(text, sizeof text, "p0 %d %d %d %d %d, p1 %d %d %d %d %d", face[0][0], face[0][1], face[0][2], face[0][3],
             face[0][4], face[1][0], face[1][1], face[1][2], face[1][3], face[1][4]);
    documented(text);
    start(0, &s);
    const struct game *g = kit_games[0].codec->game;
    union game_view view;
    char card[4][3] = {0}; // with two players, who have cards 0 and 2, 1 and 3; the dealer is the second of them
    const struct texas_holdem_view *v = (const void *)&view;
    for (int seat = 0; seat < 2; seat++) {
        g->view(&s, seat, &view);
        int at = seat == v->button;
        for (int i = 0; i < 2; i++)
            snprintf(card[at + 2 * i], 3, "%c%c", "23456789TJQKA"[v->hole[i] / 4], "cdhs"[v->hole[i] % 4]);
    }
    snprintf(text, sizeof text, "hand 1, 2 players %s %s %s %s", card[0], card[1], card[2], card[3]);
    documented(text);
}

// --- crashes

// Deals until it is killed; what anybody could have read of the list goes into the pipe.
static void deal_for_ever(const char *folder, int out)
{
    struct uuid last = {0};
    store_ticket durable;
    uint64_t seen = 0;
    reopen_at(folder);
    for (;;) {
        if (!uuid_is_none(last))
            lobby_cancel_match(k.lobby, last, k.now_ms);
        last = sit(k.lobby);
        store_submit(k.store);
        store_collect(k.store, &durable);
        struct store_entry e;
        if (store_last_entry(k.store, &e) && e.place != seen) {
            seen = e.place;
            if (write(out, &e, sizeof e) != sizeof e)
                _exit(1);
        }
    }
}

// Killed when so many entries have been seen; the newest that was seen before the end.
static struct store_entry run_and_kill(const char *folder, int entries)
{
    struct store_entry e, newest = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        deal_for_ever(folder, ends[1]);
    close(ends[1]);
    for (int i = 0; i < entries; i++)
        assert_int_equal(read(ends[0], &newest, sizeof newest), sizeof newest);
    kill(child, SIGKILL);
    while (read(ends[0], &e, sizeof e) == sizeof e)
        newest = e;
    close(ends[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return newest;
}

static void a_kill_neither_reuses_nor_loses_a_number(void **state)
{
    (void)state;
    static const char *const none[] = {
        // A number and its match come and go together.
        "SELECT count(*) FROM commitments WHERE kind = 2 AND number NOT IN (SELECT deal FROM matches)",
        "SELECT count(*) FROM matches WHERE deal NOT IN (SELECT number FROM commitments WHERE kind = 2)",
        "SELECT count(*) FROM matches WHERE (status > 0) != (deal IN (SELECT number FROM commitments WHERE kind = 3))",
        "SELECT count(*) - count(DISTINCT deal) FROM matches",
        // In order, and published before.
        "SELECT max(number) - count(*) FROM commitments WHERE kind = 2",
        "SELECT max(p.place > d.place) FROM commitments p, commitments d USING(number) WHERE p.kind = 1 AND d.kind = 2",
        "SELECT count(*) - 1 FROM epochs",
    };
    lobby_close(k.lobby);
    store_close(k.store);
    for (int round = 0; round < 6; round++) {
        struct store_entry seen = run_and_kill(k.folder, 1 + round), now;
        for (size_t i = 0; i < sizeof none / sizeof *none; i++)
            if (ask(k.folder, none[i]) != 0)
                fail_msg("after kill %d: %s", round, none[i]);
        struct store *s = open_store(k.folder);
        assert_int_equal(store_list_entries(s, seen.place, &now, 1), 1); // what was seen stands
        assert_memory_equal(now.link, seen.link, sizeof now.link);
        verify_list(s);
        store_close(s);
    }
    reopen_at(k.folder);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(a_key_is_made_of_secret_rules_and_entropy),
        TEST(entropy_serves_one_match_and_outlives_a_restart),
        TEST(entropy_is_64_hex_digits),
        TEST(numbers_are_durable_before_they_are_used),
        TEST(other_sources_are_listed_as_what_they_are),
        TEST(a_server_that_hides_keys_hides_secrets),
        TEST(what_is_not_durable_is_not_listed_as_live),
        TEST(a_restored_backup_begins_a_new_epoch),
        TEST(matches_of_older_data_go_on_without_a_number),
        TEST(a_damaged_list_deals_nothing),
        cmocka_unit_test(test_vectors_of_the_list),
        cmocka_unit_test(test_vectors_of_the_games),
        TEST(a_kill_neither_reuses_nor_loses_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
