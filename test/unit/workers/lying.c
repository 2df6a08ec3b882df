// S84: a worker that changes a result is found when another one plays the same games. A real nats-server, on a free
// port.
#include "workers/coordinator.h"
#include "workers/worker.h"

#include "games/coup/bots/bots.h"
#include "games/coup/codec.h"
#include "games/games.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { LIE = 7, GAMES = 40, DEADLINE_S = 60 };

static char url[64];
static atomic_bool stopped;

static void on_term(int signal)
{
    (void)signal;
    atomic_store(&stopped, true);
}

static int free_port(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, size), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
    close(fd);
    return ntohs(a.sin_port);
}

static pid_t start_server(const char *folder)
{
    char port[16];
    snprintf(port, sizeof port, "%d", free_port());
    snprintf(url, sizeof url, "nats://127.0.0.1:%s", port);
    pid_t pid = fork();
    if (pid == 0) {
        (void)!freopen("/dev/null", "w", stderr);
        execlp("nats-server", "nats-server", "-a", "127.0.0.1", "-p", port, "-js", "-sd", folder, (char *)NULL);
        _exit(127);
    }
    return pid;
}

static struct bus *connect_to_it(const char *name)
{
    char why[BUS_WHY];
    struct bus *b = NULL;
    struct bus_options o = {.url = url, .name = name};
    for (time_t end = time(NULL) + DEADLINE_S; !b && time(NULL) < end;) {
        b = bus_open(&o, why);
        if (!b)
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    if (!b)
        fprintf(stderr, "%s\n", why);
    return b;
}

static void change(struct workers_outcome *o)
{
    if (o->first <= LIE && LIE < o->first + o->count)
        o->result[LIE - o->first].payoffs[0] ^= 1;
}

static void say_nothing(const char *line)
{
    (void)line;
}

static pid_t start_worker(const char *name, bool lies)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    signal(SIGTERM, on_term);
    struct workers_programs none = {0};
    char why[BUS_WHY];
    struct worker_options o = {.bus = connect_to_it(name),
                               .threads = 1,
                               .programs = &none,
                               .stop = &stopped,
                               .tell = say_nothing,
                               .change = lies ? change : NULL};
    snprintf(o.name, sizeof o.name, "%s", name);
    bool ran = o.bus && worker_run(&o, why);
    if (o.bus)
        bus_close(o.bus);
    _exit(ran ? 0 : 1);
}

static bool play(struct bus *bus, bool not_repeatable, struct coordinator_report *report, char why[WORKERS_WHY])
{
    static struct contest c;
    static struct contest_plan p;
    static struct contest_run run;
    contest_defaults(&p);
    p.codec = &coup_codec;
    p.seats = p.entrants = 2;
    p.games = GAMES;
    coup_codec.game->defaults(&p.rules);
    contest_set_facts(&p, games_find("coup")->contest);
    p.entrant[0].bot = &coup_rules_bot;
    p.entrant[1].bot = &bot_random;
    strcpy(p.entrant[0].name, "rules");
    strcpy(p.entrant[1].name, "random");
    assert_null(contest_check(&p));
    contest_open(&c, &p);
    contest_run_defaults(&run, &c);
    struct coordinator_options o = {.bus = bus,
                                    .url = url,
                                    .run = &run,
                                    .verify_share = 1,
                                    .unit_ms = 50,
                                    .not_repeatable = not_repeatable,
                                    .tell = say_nothing};
    bool played = coordinator_play(&o, report, why);
    assert_int_equal(contest_is_done(&c), played);
    if (!played)
        assert_true(c.judged <= LIE); // the lie is not in the figures, nor in a journal
    contest_run_release(&run);
    contest_close(&c);
    return played;
}

static void a_lie_is_found(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/agon-lying-XXXXXX", command[64], why[WORKERS_WHY];
    struct coordinator_report r;
    assert_non_null(mkdtemp(folder));
    pid_t server = start_server(folder), honest = start_worker("honest", false), liar = start_worker("liar", true);
    struct bus *bus = connect_to_it("test"); // behind the forks: it has threads
    assert_non_null(bus);
    bool played = play(bus, false, &r, why);
    assert_false(played);
    assert_non_null(strstr(why, "game 7: workers "));
    assert_non_null(strstr(why, "liar"));
    assert_non_null(strstr(why, "honest"));
    assert_non_null(strstr(why, "disagree: final states "));
    // Where players are declared not repeatable it is counted.
    played = play(bus, true, &r, why);
    assert_true(played);
    assert_int_equal(r.differing, 1);
    assert_int_equal(r.workers, 2);
    assert_true(r.verified > 0 && r.unverified == 0);
    bus_close(bus);
    int status;
    kill(honest, SIGTERM);
    kill(liar, SIGTERM);
    waitpid(honest, &status, 0);
    assert_int_equal(status, 0);
    waitpid(liar, &status, 0);
    assert_int_equal(status, 0);
    kill(server, SIGTERM);
    waitpid(server, &status, 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_lie_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
