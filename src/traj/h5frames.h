// Pictures of a trajectory in HDF5: frames/<stream> below an agent, one chunk for each (G19.6), and
// first_frames/<stream> with what it saw first. For this room only.
#pragma once

#include "base/text.h"

#include <hdf5.h>

struct h5frames; // the pictures of a stream, one behind the other

// The `frames` of an entry, as JSON: each picture becomes row `row` of its stream, made when it is the first, in the
// group `where` below `agent`. To `said` is appended the same object with null for data that lies there; what is no
// picture, or of another form than those before it, keeps its data. False: the library has failed.
bool h5frames_write(struct h5frames **streams, hid_t agent, const char *where, hsize_t row, struct span frames,
                    struct text *said);
bool h5frames_close(struct h5frames *streams, hsize_t rows); // all of them, with so many rows

// What h5frames_write has said, with its data again. `streams` is the group of them, or -1. False: it is not there.
bool h5frames_read(hid_t streams, hsize_t row, struct span said, struct text *frames);
