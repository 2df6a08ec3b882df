// Trajectory files written by a test in one go, without limits.
#pragma once

#include "traj/traj.h"

static inline enum traj_fault traj_file_open(struct traj_writer **w, const struct traj_path *p, enum traj_format f,
                                             struct span header)
{
    return traj_write_begin(w, p, f, header, true, UINT64_MAX);
}

static inline enum traj_fault traj_file_close(struct traj_writer *w, struct traj_done *done)
{
    enum traj_fault f = traj_write_finish(w, done);
    if (f == TRAJ_FINE)
        f = traj_write_commit(w);
    traj_write_drop(w);
    return f;
}
