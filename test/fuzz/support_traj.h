// Reads a trajectory to its end and checks what every record promises.
#pragma once

#include "traj/traj.h"

#include <assert.h>
#include <stdlib.h>

static inline void traj_check_record(struct span record)
{
    struct text again = {.grow = traj_text_grow};
    assert(record.size <= 2u * TRAJ_MAX_RECORD);
    assert(traj_put_canonical_json(&again, record)); // it is JSON in its one form
    assert(span_equals(text_span(&again), record));
    free(again.at);
}

static inline void traj_read_rest(struct traj_reader *r)
{
    enum traj_kind kind;
    struct span record;
    while (traj_read_next(r, &kind, &record) == 1)
        traj_check_record(record);
    traj_read_close(r);
}

static inline void traj_read_all(struct span bytes)
{
    struct traj_reader *r;
    if (traj_read_bytes(&r, bytes) == TRAJ_FINE)
        traj_read_rest(r);
}
