// Errors and their ids, and replies where nothing is served.
#include "front/arena/rest_internal.h"
#include "net/log.h"

#include <stdio.h>

// --- the id of a request that failed (F5.2)

enum { ID_MOST = 64 }; // longest X-Request-Id that is repeated: it goes into every log line

// A proxy may have given the request an id already. Other characters must not get into a log.
static bool is_id(struct span s)
{
    for (size_t i = 0; i < s.size; i++) {
        char c = s.at[i];
        bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!plain && c != '-' && c != '_' && c != '.')
            return false;
    }
    return s.size > 0 && s.size <= ID_MOST;
}

void rest_name_error(struct arena_rest *rest, struct http_request *r, const struct rest_route *route, int status)
{
    char id[ID_MOST + 1];
    struct span given = http_header(r, "X-Request-Id");
    struct log_line l;
    if (is_id(given))
        snprintf(id, sizeof id, "%.*s", (int)given.size, given.at);
    else
        snprintf(id, sizeof id, "%08x-%jx", rest->id_salt, (uintmax_t)++rest->errors);
    http_add_header(r, "X-Request-Id", id);
    // Otherwise a page of another origin cannot read it.
    http_add_header(r, "Access-Control-Expose-Headers", "X-Request-Id");
    // Rate-limited clients could fill the log; all others are bounded by the limits.
    log_begin(&l,
              status == 500   ? LOG_LEVEL_ERROR
              : status == 429 ? LOG_LEVEL_DEBUG
                              : LOG_LEVEL_INFO,
              status == 500 ? "rest.fault" : "rest.refused");
    log_put_text(&l, "request", id);
    log_put_text(&l, "method", http_method(r));
    log_put_text(&l, "path", route->path); // the pattern, because what replaces {token} is a secret
    log_put_int(&l, "status", status);
    log_end(&l);
}

// --- an unknown address

static bool wants_page(const struct http_request *r)
{
    struct span accept = http_header(r, "Accept");
    bool reads = strcmp(http_method(r), "GET") == 0 || strcmp(http_method(r), "HEAD") == 0;
    return reads && accept.size && memmem(accept.at, accept.size, "text/html", 9);
}

void rest_missing(struct rest_call *c)
{
    http_add_header(c->r, "Vary", "Accept");
    if (wants_page(c->r))
        rest_page(c);
    else
        rest_fail(c, 404, "there is no such path on this server");
}
