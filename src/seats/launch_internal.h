// Shared by the files behind launch.h.
#pragma once

#include "base/hash.h"
#include "base/span.h"
#include "seats/launch.h"

// Returns NULL, or what is wrong with the file; then nothing is kept. `folder` is absolute.
const char *launch_meta_read(struct launch_meta *m, const char *folder, struct span file);
void launch_meta_release(struct launch_meta *m);
