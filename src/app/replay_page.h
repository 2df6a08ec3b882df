// A match as one HTML file: the replay, the rules of its game as WebAssembly, and a viewer. Its content security policy
// forbids every request.
#pragma once

#include "playback/loaded_replay.h"

enum replay_page_viewer {
    // The screen of the server's page; the small one where the build has no page, and for games moved by time.
    REPLAY_PAGE_WHOLE,
    // A text picture and a scrubber, a third of the bytes; works in a frame without an origin.
    REPLAY_PAGE_SMALL,
};

// Appends the page, with an analysis as JSON (empty: none). Returns false if this build has no rules for browsers, or
// the replay does not reproduce.
bool replay_page_put(struct text *out, const struct loaded_replay *t, struct span analysis,
                     enum replay_page_viewer viewer);
int replay_page_check(const struct loaded_replay *t); // OK: the replay reproduces, so a viewer can show it
