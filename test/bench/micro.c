// What the parts of the Tetris server cost, in nanoseconds of CPU time: the core's steps, hashes and snapshots, parsing
// a command, building an observation and writing it. Each line is measured several times; the best counts.
#include "front/lines/internal.h"
#include "front/lines/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 7, CALLS = 20000 };

static struct {
    union game_state state;
    union game_state full, bare; // a piece about to clear four rows; the same without the rows
    struct adapter *adapter;
    struct adapter_client *client;
    struct tetris_view view;
    uint64_t sink;
} b;

// --- a client in memory, whose lines go nowhere

static void drop_line(void *conn, struct span line)
{
    (void)conn;
    b.sink += line.size;
}

static bool write_line(void *conn, struct span line)
{
    drop_line(conn, line);
    return true;
}

static void do_nothing(void *conn)
{
    (void)conn;
}

static size_t nothing_waits(void *conn)
{
    (void)conn;
    return 0;
}

static bool is_there(void *conn)
{
    (void)conn;
    return false;
}

static const struct adapter_link sink_link = {drop_line,  write_line, do_nothing, nothing_waits, do_nothing,
                                              do_nothing, is_there,   do_nothing, false};

static void why(const char *line)
{
    adapter_line(b.client, span_of(line), 0);
}

// --- the lines

static void *state(void)
{
    return b.state.byte;
}

static void restart_if_over(void)
{
    if (((struct tetris_state *)state())->facts.end)
        tetris_game.apply(state(), 0, (struct game_action){.kind = TETRIS_RESTART}, NULL);
}

static void tick(int i)
{
    (void)i;
    tetris_game.tick(state(), NULL);
    restart_if_over();
}

static void step_with_command(int i)
{
    static const uint8_t inputs[] = {TETRIS_MOVE_LEFT, TETRIS_ROTATE_CW, TETRIS_MOVE_RIGHT, TETRIS_SOFT_DROP,
                                     TETRIS_HARD_DROP};
    tetris_game.apply(state(), 0, (struct game_action){.kind = inputs[i % 5]}, NULL);
    tetris_game.tick(state(), NULL);
    tetris_game.view(state(), 0, &b.view);
    restart_if_over();
}

static void hash_rest(int i)
{
    b.sink += tetris_hash_rest(state(), TETRIS_HASH_AGON, NULL, (uint64_t)i);
}

static void hash_all(int i)
{
    ((struct tetris_state *)state())->facts.score = (uint32_t)i;
    b.sink += tetris_hash(state(), TETRIS_HASH_AGON, NULL);
}

static void drop_on(const union game_state *from)
{
    union game_state copy = *from;
    tetris_game.apply(copy.byte, 0, (struct game_action){.kind = TETRIS_HARD_DROP}, NULL);
    b.sink += copy.byte[0];
}

static void drop_on_nothing(int i)
{
    (void)i;
    drop_on(&b.bare);
}

static void drop_on_four_rows(int i)
{
    (void)i;
    drop_on(&b.full);
}

static void snapshot(int i)
{
    tetris_game.view(state(), i & 1 ? 0 : GAME_SPECTATOR, &b.view);
}

static void observation(int i)
{
    char bytes[LINE_ROOM];
    struct text line = text_on(bytes, sizeof bytes);
    b.client->observations = (uint64_t)i;
    write_observation_head(&line, b.client);
    write_observation_body(&line, b.client);
    b.sink += line.size;
}

static void parse(int i)
{
    static const char *const lines[] = {
        "{\"type\":\"command\",\"seq\":17,\"ts\":1700000000000,\"mode\":\"action\",\"actions\":[\"moveLeft\","
        "\"rotateCw\",\"hardDrop\"]}",
        "{\"type\":\"command\",\"seq\":18,\"ts\":1700000000000,\"mode\":\"place\",\"place\":{\"x\":3,\"rotation\":"
        "\"east\",\"useHold\":false}}"};
    struct message m;
    struct span line = span_of(lines[i & 1]);
    b.sink += message_open(&m, line) && message_read(&m, line);
}

static uint64_t seq = 1;

static void lockstep_command(int i)
{
    char line[256];
    int size = snprintf(line, sizeof line,
                        i % 11 ? "{\"type\":\"command\",\"seq\":%ju,\"ts\":0,\"mode\":\"place\",\"place\":{\"x\":%d,"
                                 "\"rotation\":\"north\",\"useHold\":false}}"
                               : "{\"type\":\"command\",\"seq\":%ju,\"ts\":0,\"mode\":\"action\",\"actions\":["
                                 "\"restart\"]}",
                        (uintmax_t)++seq, i % 7);
    adapter_line(b.client, (struct span){line, (size_t)size}, 0);
}

static const struct {
    const char *name;
    void (*call)(int i);
    double goal_ns; // 0: none
} lines[] = {
    {"tick", tick, 40},
    {"step with command, snapshot included", step_with_command, 300},
    {"state hash, field hash cached", hash_rest, 200},
    {"state hash, field included", hash_all, 0},
    {"hard drop", drop_on_nothing, 0},
    {"hard drop that clears four rows", drop_on_four_rows, 0},
    {"snapshot with field", snapshot, 200},
    {"observation, built and written", observation, 2000},
    {"a command parsed", parse, 5000},
    {"a lock-step command, line to answers", lockstep_command, 0},
};

// --- the stage

static void stand_upright(void *s)
{
    tetris_game.apply(s, 0, (struct game_action){.kind = TETRIS_ROTATE_CW}, NULL);
    for (int i = 0; i < TETRIS_WIDTH; i++)
        tetris_game.apply(s, 0, (struct game_action){.kind = TETRIS_MOVE_RIGHT}, NULL);
}

// Rows 16..19 full but for the last column, and a vertical I above it.
static void set_up_four_rows(void)
{
    struct tetris_rules rules;
    tetris_game.defaults(&rules);
    for (uint32_t seed = 1;; seed++) { // one whose first piece is an I
        struct tetris_state *s = (struct tetris_state *)b.full.byte;
        tetris_game.seed(&rules, seed);
        tetris_game.init(s, &rules, 1, (struct rng){0}, NULL);
        if (s->piece.kind != 1)
            continue;
        b.bare = b.full;
        for (int row = 16; row < 20; row++) {
            s->field.taken[row + 8] |= 0xff8; // columns 0..8
            memset(s->field.cells + (row + 4) * TETRIS_WIDTH, 2, TETRIS_WIDTH - 1);
        }
        stand_upright(b.full.byte);
        stand_upright(b.bare.byte);
        union game_state after = b.full;
        tetris_game.apply(after.byte, 0, (struct game_action){.kind = TETRIS_HARD_DROP}, NULL);
        if (((struct tetris_state *)after.byte)->facts.lines != 4)
            exit((fprintf(stderr, "micro: no four rows\n"), 1));
        return;
    }
}

static void set_up(void)
{
    struct adapter_options o;
    adapter_defaults(&o);
    b.adapter = adapter_create(&o, NULL);
    b.client = adapter_open(b.adapter, &sink_link, NULL, NULL);
    why("{\"type\":\"hello\",\"seq\":1,\"ts\":0,\"client\":{\"name\":\"m\",\"version\":\"1\"},\"protocol_version\":"
        "\"2.1.0\",\"formats\":[\"json\"],\"requested\":{\"stream_observations\":true,\"command_mode\":\"place\","
        "\"clock\":\"lockstep\"}}");
    for (int i = 1; i < 8; i++)
        lockstep_command(i); // something to show
    tetris_game.init(state(), &o.rules, 1, (struct rng){0}, NULL);
    set_up_four_rows();
}

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double best_of(void (*call)(int i))
{
    double best = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = cpu_ns();
        for (int i = 0; i < CALLS; i++)
            call(i);
        double ns = (cpu_ns() - begin) / CALLS;
        best = ns < best ? ns : best;
    }
    return best;
}

int main(void)
{
    set_up();
    printf("[");
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        printf("%s\n {\"name\":\"%s\",\"ns\":%.1f,\"goal_ns\":%.0f}", i ? "," : "", lines[i].name,
               best_of(lines[i].call), lines[i].goal_ns);
    printf("\n]\n");
    fprintf(stderr, "%s", b.sink == 1 ? " " : ""); // nothing is left out
    adapter_destroy(b.adapter);
    return 0;
}
