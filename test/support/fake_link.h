// A transport for the Tetris adapter that exists in memory: what leaves is kept, and a test decides what the peer
// takes. Time is whatever the test says.
#pragma once

#include "front/lines/adapter.h"

enum { FAKE_ROOM = 1 << 16, FAKE_LINES = 256 };

struct fake {
    char bytes[FAKE_ROOM];
    struct text out;     // all that left since fake_forget, lines with their ends
    int replies, writes; // how it left
    size_t waiting;      // what the peer has not taken yet: set by the test
    bool deaf;           // nothing is taken any more
    bool gone, hung_up, held, greeted;
    struct adapter_client *client;
};

extern const struct adapter_link fake_link, fake_link_unpaced;

void fake_open(struct fake *f, struct adapter *a, const struct adapter_link *link);
void fake_say(struct fake *f, const char *line, int64_t now_us);
void fake_forget(struct fake *f);
int fake_count(const struct fake *f, const char *part);        // lines that contain it
bool fake_last(const struct fake *f, char *line, size_t room); // the last line, without its end; false: none
