// mcp KIND SECONDS COMMAND...: drives an MCP server over a raw pipe, one request in flight, and tells as one JSON
// object how many requests were answered, how long the server took for them and how large it is.
//
//   step      sim_step with a legal action, a reset at the end of each match
//   lean      the same, of an agent that wants no prose
//   batch4    batch_step of four agents at one table        batch64   of 64 agents at tables of their own
//   echo      a tool `echo`, which a server of the official SDK has
//   start     how long it takes from the start of the process to the answer of initialize, the best of several
//   flat      step, until BENCH_STEPS; fails when the server is larger at the end than after a tenth of them, when the
//             recording has long reached its ceiling
//
// BENCH_STEPS ends it after so many requests. BENCH_PROCESSOR=N puts client and server on that processor: one of them
// waits for the other at any time. BENCH_SERVER=N puts the server on another one: then each answer has to wake the
// client there, and what that costs is the machine's affair; unless BENCH_AWAKE is set, and the client reads without
// sleeping.
//
// mcp mirror BYTES: the least that a server can do. It answers every line with one of so many bytes.
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 1 << 20, TABLES = 64, SEATS = 4, STARTS = 20, FLAT_KIB = 1024 };

struct server {
    pid_t pid;
    int to, from;
    size_t size; // of the last answer
    char in[ROOM];
};

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "mcp: %s: %s\n", what, errno ? strerror(errno) : "no");
    exit(1);
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        die("clock");
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void start_server(struct server *s, char **command)
{
    int in[2], out[2];
    posix_spawn_file_actions_t files;
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        die("pipe");
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    if ((errno = posix_spawnp(&s->pid, command[0], &files, NULL, command, environ)) != 0)
        die(command[0]);
    posix_spawn_file_actions_destroy(&files);
    close(in[0]), close(out[1]);
    s->to = in[1];
    s->from = out[0];
}

static void stop_server(struct server *s)
{
    close(s->to);
    close(s->from);
    waitpid(s->pid, NULL, 0);
}

// One line out, one line back; the answer is s->in, ended by NUL.
static void send_request(struct server *s, const char *line, size_t size)
{
    if (write(s->to, line, size) != (ssize_t)size)
        die("write");
    for (s->size = 0; s->size == 0 || s->in[s->size - 1] != '\n';) {
        ssize_t n = read(s->from, s->in + s->size, ROOM - 1 - s->size);
        if (n < 0 && errno == EAGAIN)
            continue;
        if (n <= 0)
            die("read");
        s->size += (size_t)n;
    }
    s->in[s->size] = 0;
}

static void call_tool(struct server *s, const char *tool, const char *arguments)
{
    char line[1 << 15];
    int size = snprintf(line, sizeof line,
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\","
                        "\"arguments\":%s}}\n",
                        tool, arguments);
    send_request(s, line, (size_t)size);
}

static void require_tool(struct server *s, const char *tool, const char *arguments)
{
    call_tool(s, tool, arguments);
    errno = 0;
    if (strstr(s->in, "\"error\":"))
        die(s->in);
}

static void initialize(struct server *s)
{
    static const char hello[] =
        "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
        "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}\n";
    send_request(s, hello, sizeof hello - 1);
}

// --- what is asked

static unsigned dice = 1;

// A legal index above 0 where there is one, read off a mask.
static int choose_legal(const char *mask)
{
    int legal[256], n = 0;
    for (int i = 1; mask[i] == '0' || mask[i] == '1'; i++)
        if (mask[i] == '1')
            legal[n++] = i;
    dice = dice * 1664525 + 1013904223;
    return n ? legal[(dice >> 8) % (unsigned)n] : 0;
}

static const char *find_behind(const char *from, const char *end, const char *what)
{
    size_t size = strlen(what);
    const char *at = from ? memmem(from, (size_t)(end - from), what, size) : NULL;
    return at ? at + size : NULL;
}

// Where the result of a tool is; its text comes before it, with all quotes escaped.
static const char *result_of(const struct server *s)
{
    const char *result = find_behind(s->in, s->in + s->size, "\"structuredContent\":");
    errno = 0;
    if (!result)
        die(s->in);
    return result;
}

struct seen {
    int action; // to do next
    bool over;
};

// Of the next step object. Returns where it goes on, or NULL: there is none. A client reads on, and nothing twice.
static const char *read_step(const char *from, const char *end, struct seen *s)
{
    const char *mask = find_behind(from, end, "legal_mask\":\""), *done = find_behind(mask, end, "\"done\":");
    s->action = mask ? choose_legal(mask) : 0;
    s->over = done && (strncmp(done, "true", 4) == 0 || strncmp(done, "false,\"truncated\":true", 22) == 0);
    return done;
}

static struct seen look_at(const struct server *s)
{
    struct seen seen;
    read_step(result_of(s), s->in + s->size, &seen);
    return seen;
}

struct result {
    uint64_t answers, steps;
    int64_t wall_ns, cpu_ns; // without the resets
    long first_kib;          // resident after a tenth of the steps
};

// A reset begins a match and is no step: its time is taken off.
static void reset_match(struct server *s, const char *arguments, clockid_t cpu, struct result *r)
{
    int64_t wall = now_ns(CLOCK_MONOTONIC), used = now_ns(cpu);
    require_tool(s, "reset", arguments);
    r->wall_ns -= now_ns(CLOCK_MONOTONIC) - wall;
    r->cpu_ns -= now_ns(cpu) - used;
}

static void join_table(struct server *s, int number, int table, int seat, const char *config)
{
    char arguments[512];
    int size = snprintf(arguments, sizeof arguments,
                        "{\"agent_id\":\"a%d\",\"agent_type\":\"EntityBehavior\",\"config\":{\"guide\":false%s", number,
                        config);
    if (table >= 0)
        size += snprintf(arguments + size, sizeof arguments - (size_t)size, ",\"table\":%d", table);
    if (seat >= 0)
        size += snprintf(arguments + size, sizeof arguments - (size_t)size, ",\"avatar_id\":\"seat_%d\"", seat);
    snprintf(arguments + size, sizeof arguments - (size_t)size, "}}");
    require_tool(s, "register_agent", arguments);
}

static void run_steps(struct server *s, const char *config, double seconds, uint64_t most, struct result *r)
{
    char line[256];
    clockid_t cpu;
    join_table(s, 0, -1, -1, config);
    require_tool(s, "reset", "{\"agent_id\":\"a0\",\"seed\":1}");
    if (clock_getcpuclockid(s->pid, &cpu) != 0)
        die("clock of the server");
    int64_t begin = now_ns(CLOCK_MONOTONIC), until = begin + (int64_t)(seconds * 1e9), used = now_ns(cpu);
    for (uint64_t i = 0; i < most; i++) {
        struct seen seen = look_at(s);
        if (seen.over) {
            reset_match(s, "{\"agent_id\":\"a0\"}", cpu, r);
            seen = look_at(s);
        }
        int size =
            snprintf(line, sizeof line,
                     "{\"jsonrpc\":\"2.0\",\"id\":%ju,\"method\":\"tools/call\",\"params\":{\"name\":\"sim_step\","
                     "\"arguments\":{\"agent_id\":\"a0\",\"action\":%d}}}\n",
                     (uintmax_t)i, seen.action);
        send_request(s, line, (size_t)size);
        r->answers++;
        if (i == most / 10)
            r->first_kib = resident_kib(s->pid);
        if ((i & 255) == 0 && now_ns(CLOCK_MONOTONIC) > until)
            break;
    }
    r->steps = r->answers;
    r->wall_ns += now_ns(CLOCK_MONOTONIC) - begin;
    r->cpu_ns += now_ns(cpu) - used;
}

// --- batches

struct team {
    int agents;
    struct seen seen[TABLES];
};

static size_t write_batch(char *line, size_t room, const struct team *t)
{
    size_t size = (size_t)snprintf(line, room,
                                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                                   "\"batch_step\",\"arguments\":{\"steps\":[");
    for (int i = 0; i < t->agents; i++)
        size += (size_t)snprintf(line + size, room - size, "%s{\"agent_id\":\"a%d\",\"action\":%d}", i ? "," : "", i,
                                 t->seen[i].action);
    return size + (size_t)snprintf(line + size, room - size, "]}}}\n");
}

// Step objects one after the other, in the order of the agents.
static void read_team(struct team *t, const struct server *s, const char *at, int from, int to)
{
    for (int i = from; i < to && at; i++)
        at = read_step(at, s->in + s->size, &t->seen[i]);
}

// A reset of a table that several share tells all of them besides who has asked.
static void read_all(struct team *t, const struct server *s)
{
    read_team(t, s, find_behind(result_of(s), s->in + s->size, "\"observations\":{"), 0, t->agents);
}

// Whose match is over begins anew: alone on its table, or all of one table.
static void restart_finished(struct server *s, struct team *t, clockid_t cpu, struct result *r)
{
    char arguments[64];
    for (int i = 0; i < t->agents; i++) {
        if (!t->seen[i].over)
            continue;
        snprintf(arguments, sizeof arguments, "{\"agent_id\":\"a%d\"}", i);
        reset_match(s, arguments, cpu, r);
        if (t->agents <= SEATS) {
            read_all(t, s);
            return;
        }
        read_team(t, s, result_of(s), i, i + 1);
    }
}

static void run_batches(struct server *s, int agents, double seconds, struct result *r)
{
    static char line[1 << 16];
    static struct team t;
    static const char lean[] =
        ",\"observation_profile\":\"compact\",\"observation_keys\":[\"legal_mask\"],\"legal\":\"mask\"";
    clockid_t cpu;
    t.agents = agents;
    for (int i = 0; i < agents; i++)
        join_table(s, i, agents > SEATS ? i : -1, agents > SEATS ? -1 : i, lean);
    require_tool(s, "reset", "{\"seed\":1}");
    read_all(&t, s);
    if (clock_getcpuclockid(s->pid, &cpu) != 0)
        die("clock of the server");
    int64_t begin = now_ns(CLOCK_MONOTONIC), until = begin + (int64_t)(seconds * 1e9), used = now_ns(cpu);
    while (now_ns(CLOCK_MONOTONIC) < until) {
        size_t size = write_batch(line, sizeof line, &t);
        send_request(s, line, size);
        read_team(&t, s, result_of(s), 0, agents);
        r->steps += (uint64_t)agents;
        r->answers++;
        restart_finished(s, &t, cpu, r);
    }
    r->wall_ns += now_ns(CLOCK_MONOTONIC) - begin;
    r->cpu_ns += now_ns(cpu) - used;
}

static void run_echo(struct server *s, double seconds, struct result *r)
{
    int64_t begin = now_ns(CLOCK_MONOTONIC), until = begin + (int64_t)(seconds * 1e9);
    while (now_ns(CLOCK_MONOTONIC) < until) {
        require_tool(s, "echo", "{\"message\":\"hello\"}");
        r->answers++;
    }
    r->steps = r->answers;
    r->wall_ns = now_ns(CLOCK_MONOTONIC) - begin;
}

static double best_start_ms(char **command)
{
    static struct server s;
    double best = 1e9;
    for (int i = 0; i < STARTS; i++) {
        int64_t begin = now_ns(CLOCK_MONOTONIC);
        start_server(&s, command);
        initialize(&s);
        double ms = (double)(now_ns(CLOCK_MONOTONIC) - begin) / 1e6;
        best = ms < best ? ms : best;
        stop_server(&s);
    }
    return best;
}

static int tell_flat(const struct result *r, long last_kib)
{
    printf("%ju steps: %ld KiB resident after a tenth, %ld KiB at the end\n", (uintmax_t)r->steps, r->first_kib,
           last_kib);
    return r->first_kib == 0 || last_kib > r->first_kib + FLAT_KIB;
}

static int run_mirror(size_t size)
{
    static char in[1 << 16], out[ROOM];
    if (size < 1 || size > sizeof out)
        return 2;
    memset(out, ' ', size);
    out[size - 1] = '\n';
    for (ssize_t n; (n = read(STDIN_FILENO, in, sizeof in)) > 0;)
        if (in[n - 1] == '\n' && write(STDOUT_FILENO, out, size) != (ssize_t)size)
            return 1;
    return 0;
}

static void pin_process(pid_t pid, const char *processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(strtoul(processor, NULL, 10), &set);
    if (sched_setaffinity(pid, sizeof set, &set) != 0)
        die("BENCH_PROCESSOR, BENCH_SERVER");
}

int main(int argc, char **argv)
{
    static struct server s;
    struct result r = {0};
    if (argc == 3 && strcmp(argv[1], "mirror") == 0)
        return run_mirror(strtoul(argv[2], NULL, 10));
    if (argc < 4) {
        fprintf(stderr,
                "usage: mcp step|lean|batch4|batch64|echo|start|flat SECONDS COMMAND...\n       mcp mirror BYTES\n");
        return 2;
    }
    if (getenv("BENCH_PROCESSOR"))
        pin_process(0, getenv("BENCH_PROCESSOR"));
    double seconds = strtod(argv[2], NULL);
    const char *kind = argv[1], *steps = getenv("BENCH_STEPS");
    uint64_t most = steps ? strtoull(steps, NULL, 10) : UINT64_MAX;
    bool flat = strcmp(kind, "flat") == 0;
    signal(SIGPIPE, SIG_IGN);
    if (strcmp(kind, "start") == 0) {
        printf("{\"start_ms\":%.3f}\n", best_start_ms(argv + 3));
        return 0;
    }
    start_server(&s, argv + 3);
    if (getenv("BENCH_SERVER"))
        pin_process(s.pid, getenv("BENCH_SERVER"));
    if (getenv("BENCH_AWAKE"))
        fcntl(s.from, F_SETFL, O_NONBLOCK);
    initialize(&s);
    if (strcmp(kind, "step") == 0 || flat)
        run_steps(&s, "", seconds, most, &r);
    else if (strcmp(kind, "lean") == 0)
        run_steps(&s, ",\"observation_profile\":\"compact\"", seconds, most, &r);
    else if (strcmp(kind, "batch4") == 0 || strcmp(kind, "batch64") == 0)
        run_batches(&s, strcmp(kind, "batch4") == 0 ? SEATS : TABLES, seconds, &r);
    else
        run_echo(&s, seconds, &r);
    long last_kib = resident_kib(s.pid);
    if (flat) {
        stop_server(&s);
        return tell_flat(&r, last_kib);
    }
    printf("{\"answers\":%ju,\"steps\":%ju,\"wall_ns\":%jd,\"cpu_ns\":%jd,\"answer_bytes\":%zu,\"first_kib\":%ld,"
           "\"resident_kib\":%ld}\n",
           (uintmax_t)r.answers, (uintmax_t)r.steps, (intmax_t)r.wall_ns, (intmax_t)r.cpu_ns, s.size, r.first_kib,
           last_kib);
    stop_server(&s);
    return 0;
}
