// seats GAME MATCHES AT_ONCE SEAT...: plays matches whose seats are house bots (by name) or addresses of bots, so many
// at once, and tells as one JSON object what came of it and what a request cost this process.
#include "../support/seat_match.h"

#include "games/belote/bots/bots.h"
#include "games/belote/codec.h"
#include "games/coup/bots/bots.h"
#include "games/coup/codec.h"
#include "games/liars_dice/bots/bots.h"
#include "games/liars_dice/codec.h"
#include "games/tetris/bots/bots.h"
#include "games/tetris/codec.h"
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/codec.h"

#include <signal.h>
#include <sys/resource.h>
#include <time.h>

static const struct {
    const struct codec *codec;
    const struct bot *rules;
} games[] = {
    {&belote_codec, &belote_rules_bot},         {&coup_codec, &coup_rules_bot},
    {&liars_dice_codec, &liars_dice_rules_bot}, {&texas_holdem_codec, &texas_holdem_rules_bot},
    {&tetris_codec, &tetris_rules_bot},
};

static struct {
    struct loop loop;
    struct seat_client *client;
    const struct codec *codec;
    const struct bot *rules;
    int seats, matches, started, running, finished;
    char **seat;
    unsigned notices;
    bool in_turn, giretra;
    uint32_t faults, warnings, wins[GAME_MAX_SEATS];
    uint64_t steps;
    struct seat_counts counts;
    char last_fault[512];
} b;

static void start_match(struct seat_match *t);

static void on_over(void *owner, struct seat_match *t)
{
    int32_t payoffs[GAME_MAX_SEATS];
    (void)owner;
    t->m.game->payoffs(&t->m.state, payoffs);
    for (int i = 0; i < b.seats; i++)
        b.wins[i] += payoffs[i] > 0;
    b.faults += t->faults;
    b.warnings += t->warnings;
    b.steps += t->steps;
    seat_match_add_counts(&b.counts, &t->counts);
    if (*t->last_fault)
        memcpy(b.last_fault, t->last_fault, sizeof b.last_fault);
    b.finished++;
    if (b.started < b.matches) {
        start_match(t);
        return;
    }
    free(t);
    if (--b.running == 0)
        loop_stop(&b.loop);
}

static void start_match(struct seat_match *t)
{
    memset(t, 0, sizeof *t);
    t->on_over = on_over;
    t->notices = b.notices;
    t->in_turn = b.in_turn;
    t->seeded = true;
    if (b.giretra)
        t->dialect = seat_giretra;
    for (int i = 0; i < b.seats; i++) {
        const char *who = b.seat[i];
        if (strcmp(who, "rules") == 0)
            t->chair[i].bot = b.rules;
        else if (strcmp(who, "random") == 0)
            t->chair[i].bot = &bot_random;
        else
            t->where[i] = who;
    }
    seat_match_start(t, b.client, b.codec, b.seats, (uint64_t)++b.started);
}

static double cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void print_report(double seconds, double cpu)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("{\"matches\":%d,\"steps\":%ju,\"requests\":%u,\"retries\":%u,\"faults\":%u,\"illegal\":%u,\"timeouts\":%u,"
           "\"warnings\":%u,\"created\":%u,\"deleted\":%u,\"notifications\":%u,\"decisions\":%u,\"seconds\":%.3f,"
           "\"requests_per_s\":%.0f,\"cpu_us_per_request\":%.2f,\"resident_kib\":%ld,\"wins\":[",
           b.finished, (uintmax_t)b.steps, b.counts.requests, b.counts.retries, b.faults, b.counts.faults[SEAT_ILLEGAL],
           b.counts.faults[SEAT_TIMEOUT], b.warnings, b.counts.created, b.counts.deleted,
           b.counts.calls[SEAT_NOTIFICATION],
           b.counts.calls[SEAT_CUT] + b.counts.calls[SEAT_NEGOTIATION] + b.counts.calls[SEAT_CARD] +
               b.counts.calls[SEAT_ACTION],
           seconds, b.counts.requests / seconds, b.counts.requests ? 1e6 * cpu / b.counts.requests : 0, u.ru_maxrss);
    for (int i = 0; i < b.seats; i++)
        printf("%s%u", i ? "," : "", b.wins[i]);
    printf("],\"last_fault\":\"");
    for (const char *c = b.last_fault; *c; c++)
        if (*c >= ' ' && *c != '"' && *c != '\\')
            putchar(*c);
    printf("\"}\n");
}

static int print_usage(void)
{
    fprintf(stderr, "usage: seats [-t] [-g] [-q] GAME MATCHES AT_ONCE SEAT...\n"
                    "  -t  tell one seat after the other    -g  as giretra does    -q  no notifications\n"
                    "  SEAT: rules, random, or an address\n");
    return 2;
}

int main(int argc, char **argv)
{
    b.notices = SEAT_USUAL_NOTICES;
    for (; argc > 1 && argv[1][0] == '-'; argv++, argc--) {
        b.in_turn |= strchr(argv[1], 't') != NULL;
        b.giretra |= strchr(argv[1], 'g') != NULL;
        if (strchr(argv[1], 'q'))
            b.notices = 0;
    }
    if (b.giretra)
        b.notices = SEAT_ALL_NOTICES;
    for (unsigned i = 0; argc > 1 && i < sizeof games / sizeof *games; i++)
        if (strcmp(argv[1], games[i].codec->game->name) == 0) {
            b.codec = games[i].codec;
            b.rules = games[i].rules;
        }
    if (argc < 5 || !b.codec)
        return print_usage();
    struct seat_options options;
    int at_once = atoi(argv[3]);
    b.matches = atoi(argv[2]);
    b.seat = argv + 4;
    b.seats = argc - 4;
    signal(SIGPIPE, SIG_IGN);
    loop_init_coarse(&b.loop);
    seat_options_init(&options);
    if (getenv("DECIDE_MS"))
        options.decide_ms = atoi(getenv("DECIDE_MS"));
    if (getenv("CREATE_MS"))
        options.create_ms = atoi(getenv("CREATE_MS"));
    if (getenv("MAX_CONNS"))
        options.max_conns = atoi(getenv("MAX_CONNS"));
    options.ca_file = getenv("CA_FILE");
    b.client = seat_client_open(&b.loop, &options);
    double cpu = cpu_seconds();
    int64_t began = loop_now_us();
    for (int i = 0; i < at_once && i < b.matches; i++) {
        b.running++;
        start_match(malloc(sizeof(struct seat_match)));
    }
    loop_run(&b.loop);
    double seconds = 1e-6 * (double)(loop_now_us() - began);
    cpu = cpu_seconds() - cpu;
    seat_client_close(b.client);
    loop_release(&b.loop);
    print_report(seconds, cpu);
    return 0;
}
