// For tests: a store that behaves as one that is elsewhere. Reads are answered later, puts are refused by a script, and
// it goes away and comes back. The data is where it always is.
#pragma once

#include "store/store.h"

struct store_trial {
    uint32_t delay_ms; // reads are answered so much later, those that wait already too; 0: with the next store_collect
    bool mixed;        // each after a time of its own, up to delay_ms: answers come in another order
    bool away;
    uint32_t begins;   // so many, of all that begin from now on, are refused
    uint32_t finishes; // likewise
};

// From the caller's thread. store_descriptor becomes readable when there is something to collect.
void store_try(struct store *s, const struct store_trial *t);
// The same from a file, for a server: words as "delay=5 mixed=1 away=0 begins=1 finishes=0", read again and again.
// Counts are of the whole life of the server.
void store_try_file(struct store *s, const char *path);
