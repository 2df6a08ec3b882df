// Arbitrary bytes as what comes over the bus: refused, or read and written again as they were meant.
#include "workers/message.h"
#include "workers/plan.h"

#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_unit(struct span bytes)
{
    static char again[WORKERS_UNIT];
    struct workers_unit u, back;
    struct text t = text_on(again, sizeof again);
    if (workers_read_unit(bytes, &u) != OK)
        return;
    workers_write_unit(&t, &u);
    assert(!t.full && workers_read_unit(text_span(&t), &back) == OK && memcmp(&u, &back, sizeof u) == 0);
}

static void try_notice(struct span bytes)
{
    static char again[2 * WORKERS_NOTICE];
    struct workers_notice n;
    struct text t = text_on(again, sizeof again);
    if (workers_read_notice(bytes, &n) == OK)
        workers_write_notice(&t, &n);
}

// The sum at the end is made right: what stands before it is worth the time.
static void try_outcome(struct span bytes, int seats)
{
    static struct contest_result room[WORKERS_MOST_GAMES];
    static char again[WORKERS_OUTCOME];
    struct workers_outcome o;
    char *copy = malloc(bytes.size + 8);
    uint64_t sum = hash_bytes(bytes.at, bytes.size);
    memcpy(copy, bytes.at, bytes.size);
    for (int i = 0; i < 8; i++)
        copy[bytes.size + (size_t)i] = (char)(sum >> 8 * i);
    if (workers_read_outcome((struct span){copy, bytes.size + 8}, seats, 2, &o, room) == OK) {
        struct text t = text_on(again, sizeof again);
        workers_write_outcome(&t, &o, seats, 2);
        assert(!t.full && workers_read_outcome(text_span(&t), seats, 2, &o, room) == OK);
    }
    free(copy);
    workers_read_outcome(bytes, seats, 2, &o, room);
}

static void try_plan(struct span bytes)
{
    static struct contest_plan plan;
    struct contest_run run;
    char why[WORKERS_WHY] = "";
    contest_run_defaults(&run, NULL);
    if (!workers_read_plan(bytes, &plan, &run, why))
        assert(why[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span rest = {(const char *)data + 1, size ? size - 1 : 0};
    if (!size)
        return 0;
    switch (data[0] % 4) {
    case 0:
        try_unit(rest);
        break;
    case 1:
        try_notice(rest);
        break;
    case 2:
        try_outcome(rest, 1 + data[0] / 4 % GAME_MAX_SEATS);
        break;
    default:
        try_plan(rest);
    }
    return 0;
}
