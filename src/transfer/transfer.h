// libcurl transfers on a loop: a multi handle whose sockets and timer are events. The owner adds its easy handles to
// `multi`, handles the answers, and removes the handles again.
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
    bool due; // the timer is due at once
    // A transfer has ended: passes CURLOPT_PRIVATE of its handle, which is still in `multi`.
    void (*on_end)(void *call, CURLcode code);
    LIST_HEAD(, transfer_watch) watches[TRANSFER_PLACES]; // by descriptor
};

void transfers_open(struct transfers *t, struct loop *l, void (*on_end)(void *call, CURLcode code));
void transfers_close(struct transfers *t); // all handles must have been removed
// Options that every handle in `multi` needs: HTTP/1.1 without redirects, and trusted certificates (`ca_file` may be
// NULL).
void transfers_prepare(struct transfers *t, CURL *easy, const char *ca_file, bool trust_anyone);

const char *transfer_describe(CURLcode code); // describes a failed connection, as a clause
