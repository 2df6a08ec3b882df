// The host's side (S24): begins a match that a matchmaker has ordered.
//
// Players may be connected to any node. Those of other nodes are offline here until their gateways report them; then
// they are told of the match.
#include "cluster/note.h"
#include "lobby/internal.h"

#include "work/work.h"

#include <stdio.h>
#include <stdlib.h>

// Owned by its job, which keeps the agents while it reads.
struct match_order {
    struct lobby *lobby;
    uint64_t from;
    struct note note;
    struct lobby_agent *agent[NOTE_PLAYERS];
};

static void send_reply(struct lobby *l, uint64_t to, struct note *n, int64_t now_ms)
{
    if (!l->mesh.call)
        return;
    if (to == l->mesh.call->me)
        matchmaker_receive(l, to, n, now_ms);
    else
        mesh_send(l, to, n);
}

void match_order_reply(struct lobby *l, struct live_match *b, bool begun, int64_t now_ms)
{
    uint64_t to = b->orderer;
    struct note n = {.kind = begun ? ENTRY_BEGUN : ENTRY_REFUSED, .id = b->record.id, .term = b->record.order_term};
    b->orderer = 0;
    for (int i = 0; i < b->record.seats && !begun; i++) {
        struct note_player *p = &n.player[n.players++];
        p->agent = b->record.seat[i].agent;
        p->flags = !b->seat[i].house && !eligibility_has_capacity(b->seat[i].agent) ? NOTE_PLAYER_FULL : 0;
    }
    if (!begun)
        live_match_release(l, b);
    send_reply(l, to, &n, now_ms);
}

// --- beginning

static bool load_players(struct match_order *x)
{
    struct lobby *l = x->lobby;
    for (int i = 0; i < x->note.players; i++) {
        struct lobby_agent *a = lobby_agent_by_id(l, x->note.player[i].agent);
        if (!a)
            return false;
        lobby_agent_hold(a);
        x->agent[i] = a;
        if (a->record.kind != STORE_HOUSE && !is_here(a))
            nodes_reload_agent(l, a);
    }
    return true;
}

// Adds house bots of this node's choice.
static bool add_house_bots(struct match_order *x, const struct lobby_game *g, struct live_match_player *player,
                           int *count)
{
    struct candidate bots = {.game = g};
    if (*count + x->note.houses > GAME_MAX_SEATS || !house_fill(x->lobby, &bots, x->note.houses))
        return false;
    for (int i = 0; i < bots.count; i++)
        player[(*count)++] = (struct live_match_player){.agent = bots.member[i].agent, .one_shot = true};
    return true;
}

static bool has_duplicate_player(const struct match_order *x)
{
    for (int i = 0; i < x->note.players; i++)
        for (int k = 0; k < i; k++)
            if (x->agent[k] == x->agent[i])
                return true;
    return false;
}

static int begin_match(struct match_order *x)
{
    struct lobby *l = x->lobby;
    const struct note *n = &x->note;
    const struct lobby_game *g = lobby_find_game(l, span_of(n->game));
    struct live_match_player player[GAME_MAX_SEATS];
    struct live_match_order order = {.from = x->from, .term = n->term, .match = n->id};
    struct uuid match;
    int count = 0;
    // Notes of any content must do no harm, for instance those of another version.
    if (!g || n->players > GAME_MAX_SEATS || lobby_is_playing(l, n->id) || has_duplicate_player(x))
        return ERR_RANGE;
    for (int i = 0; i < n->players; i++) {
        uint8_t flags = n->player[i].flags;
        // Players of other nodes are re-queued by their gateways (decision 057).
        bool ours = is_here(x->agent[i]);
        player[count++] = (struct live_match_player){
            .agent = x->agent[i], .one_shot = flags & NOTE_PLAYER_ONE_SHOT, .again = ours && flags & NOTE_PLAYER_AGAIN};
    }
    if (n->houses && !add_house_bots(x, g, player, &count))
        return ERR_RANGE;
    struct live_match_terms terms = {.challenge = n->challenge,
                                     .order = &order,
                                     .seated = n->flags & NOTE_SEATED,
                                     .by_request = n->flags & NOTE_BY_REQUEST,
                                     .game_rl = n->flags & NOTE_GAME_RL};
    return live_match_begin(l, g, n->mode, player, count, &terms, l->now_ms, &match);
}

static void run_order(void *arg)
{
    struct match_order *x = arg;
    struct lobby *l = x->lobby;
    bool found = load_players(x), wanted = !l->closing && l->mesh.call;
    if (wanted && (!found || begin_match(x) != OK)) {
        struct note refusal = {.kind = ENTRY_REFUSED, .id = x->note.id, .term = x->note.term};
        send_reply(l, x->from, &refusal, l->now_ms);
    }
    for (int i = 0; i < x->note.players; i++)
        if (x->agent[i])
            lobby_agent_release(x->agent[i]);
    free(x);
}

void match_order_receive(struct lobby *l, uint64_t from, const struct note *n)
{
    struct match_order *x = lobby_alloc(sizeof *x);
    *x = (struct match_order){.lobby = l, .from = from, .note = *n};
    work_start(l->o.work, run_order, x);
}
