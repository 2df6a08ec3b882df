#include "app/serve_bots.h"

#include "app/games.h"

#include <assert.h>
#include <stdio.h>
#include <unistd.h>

static void add_bot(struct serve_bots *b, struct loop *l, const struct game_kit *row, const char *prefix)
{
    struct botapi_options o;
    assert(b->count < SERVE_BOTS);
    snprintf(b->prefix[b->count], sizeof b->prefix[0], "%s", prefix);
    botapi_defaults(&o);
    o.codec = row->codec;
    o.bot = app_best_text_bot(row, botapi_has_view(row->codec));
    o.prefix = b->prefix[b->count];
    // A bot that thinks would hold up the loop; the others answer at once.
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    o.threads = !o.bot->thinks ? 0 : processors > 1 ? (int)processors : 1;
    b->at[b->count++] = botapi_create(l, &o);
}

void serve_bots_open(struct serve_bots *b, struct loop *l)
{
    for (const struct game_kit *const *at = game_kits, *row; (row = *at); at++) {
        char prefix[64];
        snprintf(prefix, sizeof prefix, "/bots/%s", row->game->name);
        add_bot(b, l, row, prefix);
        if (botapi_is_public(row->codec))
            add_bot(b, l, row, "");
    }
}

void serve_bots_close(struct serve_bots *b)
{
    while (b->count)
        botapi_destroy(b->at[--b->count]);
}

static struct botapi *find_owner(struct serve_bots *b, const struct http_request *r)
{
    for (int i = 0; i < b->count; i++)
        if (botapi_owns(b->at[i], http_path(r)))
            return b->at[i];
    return NULL;
}

// Which bot plays each game, and whether it sees the table.
static void list_bots(const struct serve_bots *b, struct http_request *r)
{
    char bytes[SERVE_BOTS * 256];
    struct text t = text_on(bytes, sizeof bytes);
    json_begin_object(&t);
    json_begin_array_at(&t, "bots");
    for (int i = 0; i < b->count; i++) {
        json_begin_object(&t);
        json_put_text(&t, "path", b->prefix[i]);
        botapi_describe(b->at[i], &t);
        json_end_object(&t);
    }
    json_end_array(&t);
    json_end_object(&t);
    http_reply(r, 200, "application/json", text_span(&t));
}

bool serve_bots_request(struct serve_bots *b, struct http_request *r)
{
    if (span_is(http_path(r), "/bots") && strcmp(http_method(r), "GET") == 0) {
        list_bots(b, r);
        return true;
    }
    struct botapi *api = find_owner(b, r);
    if (api)
        botapi_request(api, r);
    return api;
}

bool serve_bots_head(struct serve_bots *b, const struct http_request *r, struct http_terms *t)
{
    struct botapi *api = find_owner(b, r);
    if (api)
        t->max_body = botapi_max_body(api, r);
    return api;
}

bool serve_bots_gone(struct serve_bots *b, struct http_request *r)
{
    struct botapi *api = find_owner(b, r);
    if (api)
        botapi_disconnected(api, r);
    return api;
}

int serve_bots_refuse(struct serve_bots *b, struct http_request *r, int status, struct text *body)
{
    struct botapi *api = find_owner(b, r);
    return api ? botapi_refuse(api, r, status, body) : status;
}
