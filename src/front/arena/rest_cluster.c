// The nodes of the arena, as in the store (S96).
#include "front/arena/rest_internal.h"

#include <stdlib.h>

static void write_node(struct text *t, const struct store_member *m, uint64_t me)
{
    static const char *const states[] = {
        [STORE_JOINS] = "joins", [STORE_SERVES] = "serves", [STORE_DRAINS] = "drains", [STORE_CARRIES] = "carries"};
    json_begin_object(t);
    json_put_text(t, "name", m->node.name);
    json_put_uint(t, "epoch", m->node.epoch);
    json_put_text(t, "state", m->node.state <= STORE_CARRIES ? states[m->node.state] : states[STORE_JOINS]);
    json_put_int(t, "program", m->node.program);
    json_put_int(t, "matches", m->matches);
    json_put_int(t, "agents", m->agents);
    json_put_int(t, "queued", m->node.queued);
    json_put_int(t, "spectators", m->node.spectators);
    json_put_int(t, "batch", m->node.batch);
    json_put_int(t, "age_ms", m->node.age_ms > 0 ? m->node.age_ms : 0);
    json_put_bool(t, "has_bus", m->node.has_bus);
    json_put_bool(t, "here", m->node.epoch == me);
    json_put_text(t, "address", m->node.address);
    json_end_object(t);
}

static void write_whole(struct text *t, const struct store_cluster *c)
{
    int matches = 0, agents = 0, queued = 0, spectators = 0;
    for (int i = 0; i < c->nodes; i++) {
        matches += c->node[i].matches;
        agents += c->node[i].agents;
        queued += c->node[i].node.queued;
        spectators += c->node[i].node.spectators;
    }
    json_begin_object_at(t, "whole");
    json_put_int(t, "nodes", c->nodes);
    json_put_int(t, "matches", matches);
    json_put_int(t, "agents", agents);
    json_put_int(t, "queued", queued);
    json_put_int(t, "spectators", spectators);
    json_end_object(t);
}

static void write_takeover(struct text *t, const struct store_takeover *x)
{
    json_begin_object(t);
    rfc3339_put(t, "at", x->at_ms);
    json_put_text(t, "name", x->name);
    json_put_uint(t, "epoch", x->epoch);
    json_put_text(t, "by_name", x->by_name);
    json_put_uint(t, "by_epoch", x->by);
    json_put_int(t, "silent_ms", x->silent_ms);
    json_put_int(t, "matches", x->matches);
    json_end_object(t);
}

void arena_rest_write_cluster(struct text *t, const struct store_cluster *c, uint64_t me)
{
    json_begin_object(t);
    json_begin_array_at(t, "nodes");
    for (int i = 0; i < c->nodes; i++)
        write_node(t, &c->node[i], me);
    json_end_array(t);
    write_whole(t, c);
    json_begin_array_at(t, "roles");
    for (int i = 0; i < c->roles; i++) {
        json_begin_object(t);
        json_put_text(t, "role", c->role[i].role);
        json_put_uint(t, "epoch", c->role[i].epoch);
        json_put_uint(t, "term", c->role[i].term);
        json_end_object(t);
    }
    json_end_array(t);
    json_begin_array_at(t, "takeovers");
    for (int i = 0; i < c->takeovers; i++)
        write_takeover(t, &c->takeover[i]);
    json_end_array(t);
    json_end_object(t);
}

void rest_admin_drain_node(struct rest_call *c)
{
    const struct arena_rest_options *o = &c->rest->options;
    if (!rest_skip_body(c))
        return;
    int done = o->drain_node && store_is_shared(c->rest->store) ? o->drain_node(o->metrics_owner, c->id) : ERR_UNKNOWN;
    if (done == ERR_UNKNOWN) {
        rest_fail(c, 404, "unknown node");
        return;
    }
    if (done == ERR_RANGE) {
        rest_fail(c, 409, "there is no other node that could take its matches over the bus; stop it with SIGTERM");
        return;
    }
    json_begin_object(&c->out);
    json_put_bool(&c->out, "draining", done == 1);
    json_end_object(&c->out);
}

void rest_admin_cluster(struct rest_call *c)
{
    struct store_cluster *all = malloc(sizeof *all); // too large for the stack of a job
    if (!all)
        abort();
    if (store_read_cluster(c->rest->store, all))
        arena_rest_write_cluster(&c->out, all, store_my_epoch(c->rest->store));
    else
        rest_fail(c, 503, "the arena cannot reach its store");
    free(all);
}
