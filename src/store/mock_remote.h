// For tests: makes SQLite behave like a remote store. Reads are answered later, and so is a job that waits for its
// puts; puts are refused as scripted, and the store goes away and comes back. The data stays where it is.
#pragma once

#include "store/store.h"

struct store_mock {
    uint32_t delay_ms; // delay of reads, also of those that wait already; 0: until the next store_collect
    bool mixed;        // each read has a delay of its own, up to delay_ms, so that answers change their order
    bool away;
    uint32_t begins;   // number of starts to refuse from now on
    uint32_t finishes; // likewise for ends
};

// On the caller's thread. store_descriptor becomes readable when there is something to collect.
void store_set_mock(struct store *s, const struct store_mock *t);
// The same from a file, for a server: "delay=5 mixed=1 away=0 begins=1 finishes=0". The file is read again and again;
// counts are totals since the server's start.
void store_set_mock_file(struct store *s, const char *path);
