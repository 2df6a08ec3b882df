// The data folder: who may open it, what is refused and how it is said, migrations, backup and restore.
#include "store_kit.h"

#include "store/internal.h"

#include <fcntl.h>
#include <sys/wait.h>

static void refused(struct kit *k, const char *must_say)
{
    char why[512] = "";
    struct store *s = store_open(&k->options, why, sizeof why);
    if (s || !strstr(why, must_say))
        fail_msg("opened %p, said '%s', should say '%s'", (void *)s, why, must_say);
}

// In a program of its own: a child of fork has the locks of threads that it does not have.
static int open_elsewhere(const struct kit *k, const char *who, const char *must_say)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "files", k->options.folder, who, must_say, (char *)NULL);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static int be_elsewhere(char **argv)
{
    struct store_options o;
    char why[512] = "";
    store_defaults(&o);
    o.folder = argv[1];
    if (strcmp(argv[2], "as nobody") == 0 && getuid() == 0 && setuid(65534) != 0) // root may write anywhere
        return 1;
    struct store *s = store_open(&o, why, sizeof why);
    return s || !strstr(why, argv[3]);
}

static void path_in(const struct kit *k, const char *name, char *out, size_t room)
{
    snprintf(out, room, "%s/%s", k->folder, name);
}

static void run_sql(const char *path, const char *sql)
{
    sqlite3 *handle;
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(handle);
}

static void a_folder_is_its_owners_alone(void **state)
{
    struct kit *k = *state;
    struct kit other = *k;
    char path[128];
    struct stat s;
    other.options.folder = path;
    path_in(k, "new", path, sizeof path);
    kit_open(&other);
    kit_close(&other);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    path_in(k, "no/such", path, sizeof path);
    refused(&other, "cannot create the data folder");
}

static void two_never_open_one_folder(void **state)
{
    struct kit *k = *state;
    char pid[64];
    snprintf(pid, sizeof pid, "in use by process %ld", (long)getpid());
    refused(k, pid);
    assert_int_equal(open_elsewhere(k, "as before", pid), 0);
    kit_reopen(k); // and the lock goes with its owner
}

static void strange_files_are_refused_in_words(void **state)
{
    struct kit *k = *state;
    char path[128];
    kit_close(k);
    path_in(k, "agon.db", path, sizeof path);
    unlink(path);
    run_sql(path, "CREATE TABLE mine(x)");
    refused(k, "is not a database of agon");
    run_sql(path, "PRAGMA application_id = 0x41474f4e");
    refused(k, "no such table: version");
    unlink(path);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(write(fd, "this is no database", 19), 19);
    close(fd);
    refused(k, "is damaged");
    unlink(path);
    kit_open(k);
}

static void a_newer_version_is_refused(void **state)
{
    struct kit *k = *state;
    char path[128];
    kit_close(k);
    path_in(k, "agon.db", path, sizeof path);
    run_sql(path, "INSERT INTO version VALUES(1000)");
    refused(k, "written by a newer agon (data version 1000");
    run_sql(path, "DELETE FROM version WHERE number = 1000");
    kit_open(k);
}

static void a_damaged_file_is_refused(void **state)
{
    struct kit *k = *state;
    char path[128], garbage[4096];
    kit_put_agents(k, 50);
    kit_close(k);
    path_in(k, "agon.db", path, sizeof path);
    memset(garbage, 0x5A, sizeof garbage);
    int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, garbage, sizeof garbage - 100, 100), (ssize_t)sizeof garbage - 100); // the schema
    close(fd);
    refused(k, "is damaged");
    unlink(path);
    kit_open(k);
}

static void damage_met_while_reading_is_told(void **state)
{
    struct kit *k = *state;
    char path[128], garbage[4096];
    struct store_agent got;
    store_ticket durable;
    kit_put_agents(k, 50);
    kit_reopen(k);
    struct stat s;
    path_in(k, "agon.db", path, sizeof path);
    assert_int_equal(stat(path, &s), 0);
    memset(garbage, 0x5A, sizeof garbage);
    int fd = open(path, O_WRONLY);
    for (off_t at = 2 * 4096; at < s.st_size; at += 4096) // all but the schema
        assert_int_equal(pwrite(fd, garbage, sizeof garbage, at), (ssize_t)sizeof garbage);
    close(fd);
    assert_false(store_find_agent(k->store, kit_uuid('a', 1), &got));
    assert_int_equal(store_damages(k->store), 1);
    assert_string_equal(store_damage(k->store), "table agents: database disk image is malformed");
    assert_false(store_find_agent(k->store, kit_uuid('a', 2), &got));
    assert_int_equal(store_damages(k->store), 2);            // each time
    assert_int_equal(store_collect(k->store, &durable), OK); // what can be written is written
    kit_close(k);
    unlink(path);
    kit_open(k);
}

static void a_folder_that_cannot_be_written_is_refused(void **state)
{
    struct kit *k = *state;
    kit_close(k);
    assert_int_equal(chmod(k->folder, 0500), 0);
    assert_int_equal(open_elsewhere(k, "as nobody", "cannot write to the data folder"), 0);
    assert_int_equal(chmod(k->folder, 0700), 0);
    kit_open(k);
}

// --- migrations

static const char *const one[] = {"CREATE TABLE a(x INTEGER) STRICT", "INSERT INTO a VALUES(1)", NULL};
static const char *const two[] = {"ALTER TABLE a ADD COLUMN y INTEGER", "UPDATE a SET y = x + 1", NULL};
static const char *const broken[] = {"UPDATE a SET y = 100", "INSERT INTO nowhere VALUES(1)", NULL};

static int64_t ask(sqlite3 *handle, const char *sql)
{
    sqlite3_stmt *st = NULL;
    int64_t answer = -1;
    if (sqlite3_prepare_v2(handle, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        answer = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return answer;
}

static void migrations_run_once_and_wholly(void **state)
{
    struct kit *k = *state;
    const char *const *const steps[] = {one, two, broken};
    char path[128], why[512] = "";
    sqlite3 *handle;
    path_in(k, "other.db", path, sizeof path);
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    assert_int_equal(store_migrate(handle, steps, 1, why, sizeof why), OK);
    assert_int_equal(store_migrate(handle, steps, 1, why, sizeof why), OK);
    assert_int_equal(ask(handle, "SELECT count(*) FROM a"), 1);
    assert_int_equal(store_migrate(handle, steps, 2, why, sizeof why), OK);
    assert_int_equal(ask(handle, "SELECT y FROM a"), 2);
    assert_int_equal(ask(handle, "SELECT max(number) FROM version"), 2);
    assert_int_equal(store_migrate(handle, steps, 3, why, sizeof why), ERR_STORAGE);
    assert_non_null(strstr(why, "cannot be migrated to data version 3: no such table: nowhere"));
    assert_int_equal(ask(handle, "SELECT y FROM a"), 2); // not a trace of the broken one
    assert_int_equal(ask(handle, "SELECT max(number) FROM version"), 2);
    assert_int_equal(store_migrate(handle, steps, 1, why, sizeof why), ERR_VERSION);
    sqlite3_close(handle);
}

// A folder of data version 1, where boards were rows of a table.
static void ratings_of_the_first_version_are_kept(void **state)
{
    struct kit *k = *state;
    char path[128], why[512] = "";
    struct store_rank got[4];
    struct store_rating r[4];
    sqlite3 *handle;
    kit_put_agents(k, 2);
    kit_close(k);
    path_in(k, "agon.db", path, sizeof path);
    unlink(path);
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    assert_int_equal(store_migrate(handle, store_migrations, 1, why, sizeof why), OK);
    sqlite3_close(handle);
    run_sql(
        path,
        "INSERT INTO games VALUES(1, 'coup');"
        "INSERT INTO agents VALUES(1, x'6100000000004000800000000000000001', 1, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0,"
        " 1, 0, 1, 1, 0, 0, 0, '', '', '', '', '', '', '', '', '', '', '', 'old', 'm', '');"
        "UPDATE agents SET id = substr(id, 1, 16);"
        "INSERT INTO ratings SELECT 1, column1, (SELECT id FROM agents), 1600, 100, 0.06, 1610, 1000, 2000, 7, 6, 3,"
        " 2, 2, 1, 4, 'wld', x'01', 1400, 86401000 FROM (VALUES(0), (1));"
        "INSERT INTO standings VALUES(1, 6, 1)");
    kit_open(k);
    assert_int_equal(store_leaderboard(k->store, "coup", 1000, 0, got, 4, NULL), 1);
    assert_string_equal(got[0].name, "old");
    assert_true(got[0].display == 1400 && got[0].games == 7 && got[0].wins == 3);
    assert_int_equal(store_ratings(k->store, got[0].agent, r, 4), 1);
    assert_true(r[0].rating == 1600 && r[0].peak == 1610 && r[0].played_ms == 2000 && r[0].rated_games == 6);
    assert_true(r[0].losses == 2 && r[0].draws == 2 && r[0].streak == 1 && r[0].best_streak == 4 &&
                r[0].latency[0] == 1);
    assert_string_equal(r[0].form, "wld");
}

// A folder of data version 3, where a profile's parts were looked up in other tables.
static void profiles_of_the_third_version_are_kept(void **state)
{
    struct kit *k = *state;
    char path[128], why[512] = "";
    struct store_match got[4];
    struct store_point point[4];
    int seat[4];
    sqlite3 *handle;
    kit_close(k);
    path_in(k, "agon.db", path, sizeof path);
    unlink(path);
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    assert_int_equal(store_migrate(handle, store_migrations, 3, why, sizeof why), OK);
    sqlite3_close(handle);
    run_sql(path,
            "INSERT INTO games VALUES(1, 'coup'), (2, 'belote');"
            "INSERT INTO agents SELECT column1, id, column1, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0,"
            " 0, 0, '', '', '', '', '', '', '', '', '', '', '', 'agent ' || column1, 'm', '' FROM"
            " (SELECT column1, CAST('0123456789abcde' || column1 AS BLOB) AS id FROM (VALUES(1), (2), (3)));"
            "INSERT INTO matches SELECT column1, CAST('m23456789abcdef' || column1 AS BLOB),"
            " CAST('r23456789abcdef' || column1 AS BLOB), NULL, NULL, 'ranked', zeroblob(32), zeroblob(32), 10, 20,"
            " 1000 * column1, 2, 0, 5, column1 < 3, 1, 0, 0, -1, 0, column1, 0 FROM (VALUES(1), (2), (3));"
            "UPDATE matches SET game = 1 + (row = 2);"
            "INSERT INTO seats VALUES(1, 0, NULL, 0, 1, 0, 119, 'a \"quoted\" name', 30, 1, 1),"
            " (1, 1, NULL, 0, 1, 0, 108, 'two', -30, 2, 1), (2, 0, NULL, 0, 1, 0, 108, 'three', -1, 3, 1),"
            " (2, 1, NULL, 0, 1, 0, 119, 'one', 1, 1, 2), (3, 0, NULL, 0, 0, 0, 0, 'one', 0, 1, NULL),"
            " (3, 1, NULL, 0, 0, 0, 0, 'two', 0, 2, NULL);"
            "INSERT INTO lists VALUES(0, 0, 1, 1, NULL), (0, 0, 2, 2, NULL), (0, 1, 1, 1, NULL), (0, 2, 1, 2, NULL),"
            " (1, 0, 1, 1, 1510), (1, 0, 2, 2, 1520), (1, 1, 1, 1, NULL), (1, 2, 1, 2, NULL), (2, 0, 1, 1, 1490),"
            " (2, 1, 1, 1, NULL), (3, 0, 1, 2, NULL), (3, 2, 1, 2, NULL)");
    kit_open(k);
    struct uuid first, third;
    memcpy(&first, "0123456789abcde1", sizeof first);
    memcpy(&third, "0123456789abcde3", sizeof third);
    assert_int_equal(store_list_recent(k->store, first, got, seat, 4), 2);
    assert_int_equal(got[0].finished_ms, 2000);
    assert_true(seat[0] == 1 && seat[1] == 0 && got[1].payoffs[0] == 30 && got[1].seat[1].result == 'l');
    assert_string_equal(got[1].seat[0].name, "a \"quoted\" name");
    assert_string_equal(got[0].seat[0].name, "three");
    assert_int_equal(store_rating_history(k->store, first, point, 4), 2);
    assert_true(point[0].rating == 1510 && point[0].at_ms == 1000 && point[1].at_ms == 2000);
    assert_string_equal(point[1].game, "belote");
    assert_int_equal(store_rating_history(k->store, third, point, 4), 0); // unrated
    assert_int_equal(store_list_recent(k->store, third, got, seat, 4), 1);
}

// --- backup and restore

static void a_backup_restores_what_was(void **state)
{
    struct kit *k = *state;
    struct store_match m = kit_match(1, "coup", 2), got;
    struct kit_log log = {0};
    char backup[128], into[128], why[512] = "";
    path_in(k, "backup.db", backup, sizeof backup);
    path_in(k, "into", into, sizeof into);
    kit_put_agents(k, 2);
    kit_play(k, &m);
    store_wait(k->store);
    assert_int_equal(store_backup(k->store, backup, why, sizeof why), OK);
    assert_int_equal(store_backup(k->store, backup, why, sizeof why), ERR_STORAGE);
    assert_non_null(strstr(why, "already exists"));
    struct store_match later = kit_match(2, "coup", 2); // not in the backup
    kit_play(k, &later);
    store_wait(k->store);

    assert_int_equal(store_restore(backup, into, false, why, sizeof why), OK);
    struct kit other = *k;
    other.options.folder = into;
    kit_open(&other);
    assert_true(store_find_match(other.store, m.id, &got));
    assert_int_equal(kit_read_log(&other, &m, &log), OK);
    assert_false(store_find_match(other.store, later.id, &got));
    assert_int_equal(store_restore(backup, into, true, why, sizeof why), ERR_STORAGE);
    assert_non_null(strstr(why, "in use by process"));
    kit_close(&other);

    kit_close(k);
    assert_int_equal(store_restore(backup, k->folder, false, why, sizeof why), ERR_STORAGE);
    assert_non_null(strstr(why, "already exists"));
    kit_open(k);
    assert_true(store_find_match(k->store, later.id, &got));
    kit_close(k);
    assert_int_equal(store_restore(backup, k->folder, true, why, sizeof why), OK);
    kit_open(k);
    assert_true(store_find_match(k->store, m.id, &got));
    assert_false(store_find_match(k->store, later.id, &got));
    path_in(k, "agon.db.before", into, sizeof into);
    assert_int_equal(access(into, F_OK), 0);
}

static void a_backup_is_whole_while_others_write(void **state)
{
    struct kit *k = *state;
    char backup[128], why[512] = "";
    kit_put_agents(k, 2);
    for (uint32_t n = 1; n <= 200; n++) {
        struct store_match m = kit_match(n, "coup", 2);
        kit_play(k, &m);
        store_submit(k->store);
        if (n == 100) {
            path_in(k, "backup.db", backup, sizeof backup);
            assert_int_equal(store_backup(k->store, backup, why, sizeof why), OK);
        }
    }
    sqlite3 *handle;
    assert_int_equal(sqlite3_open_v2(backup, &handle, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(ask(handle, "SELECT count(*) FROM matches WHERE status = 1"),
                     ask(handle, "SELECT count(*) FROM logs"));
    assert_int_equal(ask(handle, "SELECT (SELECT integrity_check FROM pragma_integrity_check) = 'ok'"), 1);
    sqlite3_close(handle);
}

static void bad_backups_are_refused_and_change_nothing(void **state)
{
    struct kit *k = *state;
    char backup[128], why[512] = "";
    struct store_agent got;
    path_in(k, "backup.db", backup, sizeof backup);
    kit_put_agents(k, 40);
    assert_int_equal(store_backup(k->store, backup, why, sizeof why), OK);
    kit_close(k);
    static const struct {
        const char *sql, *says;
        off_t harm; // a page overwritten
    } cases[] = {
        {"INSERT INTO version VALUES(99)", "newer agon", 0},
        {"DELETE FROM version WHERE number = 99; PRAGMA application_id = 5", "is not a database of agon", 0},
        {"PRAGMA application_id = 0x41474f4e; VACUUM", "is damaged", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char garbage[4096];
        run_sql(backup, cases[i].sql);
        if (cases[i].harm) {
            int fd = open(backup, O_WRONLY);
            memset(garbage, 0x5A, sizeof garbage);
            assert_int_equal(pwrite(fd, garbage, sizeof garbage, cases[i].harm * 4096), (ssize_t)sizeof garbage);
            close(fd);
        }
        assert_int_not_equal(store_restore(backup, k->folder, true, why, sizeof why), OK);
        if (!strstr(why, cases[i].says))
            fail_msg("said '%s', should say '%s'", why, cases[i].says);
    }
    assert_int_not_equal(store_restore("/no/such/file", k->folder, true, why, sizeof why), OK);
    assert_non_null(strstr(why, "cannot read /no/such/file"));
    path_in(k, "empty", backup, sizeof backup);
    close(open(backup, O_WRONLY | O_CREAT, 0600));
    assert_int_not_equal(store_restore(backup, k->folder, true, why, sizeof why), OK);
    assert_non_null(strstr(why, "is empty"));
    kit_open(k);
    assert_true(store_find_agent(k->store, kit_uuid('a', 40), &got));
}

static void free_space_has_a_margin(void **state)
{
    struct kit *k = *state; // F8.6
    k->options.margin_bytes = 0;
    kit_reopen(k);
    assert_true(store_has_room(k->store));
    k->options.margin_bytes = UINT64_MAX;
    kit_reopen(k);
    assert_false(store_has_room(k->store));
}

static void figures_are_counted(void **state)
{
    struct kit *k = *state;
    struct store_counts c;
    struct store_match m = kit_match(1, "coup", 2), running = kit_match(2, "coup", 2);
    kit_put_agents(k, 2);
    kit_play(k, &m);
    store_begin_match(k->store, &running, NULL, SPAN("head"));
    store_append(k->store, running.id, KIT_START, SPAN("a"), (struct span){0});
    store_append(k->store, running.id, KIT_START, SPAN("b"), (struct span){0});
    store_wait(k->store);
    store_count(k->store, &c);
    assert_int_equal(c.agents, 2);
    assert_int_equal(c.matches, 2);
    assert_int_equal(c.running, 1);
    assert_int_equal(c.actions, 3);
    assert_true(c.bytes > 4096);
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return be_elsewhere(argv);
    const struct CMUnitTest tests[] = {
        KIT_TEST(a_folder_is_its_owners_alone),
        KIT_TEST(two_never_open_one_folder),
        KIT_TEST(strange_files_are_refused_in_words),
        KIT_TEST(a_newer_version_is_refused),
        KIT_TEST(a_damaged_file_is_refused),
        KIT_TEST(damage_met_while_reading_is_told),
        KIT_TEST(a_folder_that_cannot_be_written_is_refused),
        KIT_TEST(migrations_run_once_and_wholly),
        KIT_TEST(ratings_of_the_first_version_are_kept),
        KIT_TEST(profiles_of_the_third_version_are_kept),
        KIT_TEST(a_backup_restores_what_was),
        KIT_TEST(a_backup_is_whole_while_others_write),
        KIT_TEST(bad_backups_are_refused_and_change_nothing),
        KIT_TEST(free_space_has_a_margin),
        KIT_TEST(figures_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
