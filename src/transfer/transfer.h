// Transfers of libcurl on a loop: a multi handle whose sockets and timer are events. What is asked, and what becomes of
// an answer, is the owner's business: it adds its easy handles to `multi` and takes them out again.
#pragma once

#include "net/loop.h"

#include <curl/curl.h>
#include <sys/queue.h>

enum { TRANSFER_PLACES = 32 };

struct transfer_watch;

struct transfers {
    struct loop *loop;
    CURLM *multi;
    struct event *timer;
    bool due; // the timer is set for this very moment
    // A transfer has ended: CURLOPT_PRIVATE of its handle, which is still in `multi`.
    void (*on_end)(void *call, CURLcode code);
    LIST_HEAD(, transfer_watch) watches[TRANSFER_PLACES]; // by descriptor
};

void transfers_open(struct transfers *t, struct loop *l, void (*on_end)(void *call, CURLcode code));
void transfers_close(struct transfers *t); // all handles have been taken out
// What every handle needs that goes into `multi`: HTTP/1.1 without redirects, and whom to trust (`ca_file` may be
// NULL).
void transfers_prepare(struct transfers *t, CURL *easy, const char *ca_file, bool trust_anyone);

const char *transfer_describe(CURLcode code); // what became of a connection, in a clause
