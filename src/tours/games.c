// The games of a tournament, running or past, and their replays.
#include "tours/inside.h"

#include "crypto/crypto.h"
#include "lobby/tally.h"

#include <stdio.h>
#include <stdlib.h>

enum { TAG = 12 }; // bytes that a tournament's id and those of its replays share; the number of the game follows

// --- results

static struct contest *open_contest(const struct tour *x, const struct tours_request *q)
{
    char say[TOURS_SAY];
    struct tour_entrant *who = calloc(CONTEST_ENTRANTS, sizeof *who);
    struct contest_plan *plan = calloc(1, sizeof *plan);
    struct contest *c = calloc(1, sizeof *c);
    bool made = who && plan && c && tour_make_plan(x->owner, q, plan, who, say) == 200;
    if (made)
        contest_open(c, plan);
    free(who);
    free(plan);
    if (made)
        return c;
    free(c);
    return NULL;
}

static bool read_results(const struct tour *x, struct contest *c)
{
    char path[TOUR_PATH];
    struct journal journal;
    uint64_t found;
    tour_path(x, "journal", path);
    contest_stop_at(c, x->done); // what came in after the end does not count
    return journal_open(&journal, c, path, &found) == OK && journal_close(&journal);
}

// A past tournament's contest, from its journal; kept for the next page.
static struct contest *get_past(struct tours *t, const struct tour *x)
{
    char name[UUID_TEXT + 1];
    if (t->past.of == x)
        return t->past.contest;
    struct tour *again = tour_create(t); // what was asked is on disk alone
    uuid_format(name, x->id);
    struct contest *c = again && tour_load(again, name) == OK ? open_contest(again, again->request) : NULL;
    tour_destroy(again);
    if (c && !read_results(x, c)) {
        contest_close(c);
        free(c);
        c = NULL;
    }
    if (!c)
        return NULL;
    tours_forget_past(t);
    t->past.of = x;
    t->past.contest = c;
    return c;
}

static struct contest *get_contest(struct tours *t, const struct tour *x)
{
    return x->life ? &x->life->contest : get_past(t, x);
}

// Whoever knows the cards of one game may know those of the next: bots of others play blind.
static bool shows_replays(const struct tour *x)
{
    return x->status != TOUR_RUNNING || !x->outside;
}

static struct uuid name_replay(const struct tour *x, uint64_t index)
{
    struct uuid id = x->id;
    for (int i = 0; i < UUID_BYTES - TAG; i++)
        id.byte[UUID_BYTES - 1 - i] = (uint8_t)(index >> 8 * i);
    return id;
}

static struct uuid find_replay(const struct tour *x, uint64_t index)
{
    struct store_match m;
    if (!x->seated)
        return shows_replays(x) ? name_replay(x, index) : (struct uuid){0};
    bool found = store_find_match(lobby_store(x->owner->o.lobby), seated_match(x, index), &m);
    return found && m.status == STORE_FINISHED ? m.replay : (struct uuid){0};
}

static bool read_game(const struct tour *x, struct contest *c, uint64_t index, struct tour_game *out)
{
    struct contest_game game;
    if (!contest_get(c, index, &game))
        return false;
    *out = (struct tour_game){.index = index, .seats = c->plan.seats};
    memcpy(out->entrant, game.entrant, sizeof out->entrant);
    contest_lock(c);
    out->result = c->results[index];
    contest_unlock(c);
    if (out->result.end == CONTEST_ABORTED)
        memset(out->result.payoffs, 0, sizeof out->result.payoffs); // there is no result
    else
        out->replay = find_replay(x, index);
    return true;
}

int tours_list_games(struct tours *t, const struct tour *x, uint64_t from, struct tour_game *out, int room,
                     uint64_t *total)
{
    int count = 0;
    *total = tour_look(x).done;
    struct contest *c = get_contest(t, x);
    if (!c)
        return ERR_STORAGE;
    while (count < room && from + (uint64_t)count < *total && read_game(x, c, from + (uint64_t)count, &out[count]))
        count++;
    return count;
}

// --- replays

static const struct tour *find_by_replay(const struct tours *t, struct uuid replay, uint64_t *index)
{
    *index = 0;
    for (int i = TAG; i < UUID_BYTES; i++)
        *index = *index << 8 | replay.byte[i];
    for (int i = t->count - 1; i >= 0; i--)
        if (memcmp(t->at[i]->id.byte, replay.byte, TAG) == 0)
            return t->at[i];
    return NULL;
}

static uint8_t forfeit_of(const uint16_t trouble[CONTEST_TROUBLES])
{
    if (trouble[CONTEST_ILLEGAL])
        return LOBBY_FORFEIT_INVALID_ACTION;
    return trouble[CONTEST_TIMEOUT] ? LOBBY_FORFEIT_TIMEOUT : LOBBY_FORFEIT_DISCONNECT;
}

// As if it had been a match of the arena.
static void write_record(const struct tour *x, const struct tour_game *g, uint64_t seed, struct store_match *m)
{
    const struct game *game = x->game->codec->game;
    *m = (struct store_match){
        .id = g->replay,
        .replay = g->replay,
        .mode = "tournament",
        .created_ms = g->result.at_ms,
        .started_ms = g->result.at_ms,
        .finished_ms = g->result.at_ms,
        .seats = g->seats,
        .teams = game->teams,
        .status = STORE_FINISHED,
        .forfeited_by = g->result.at_fault,
    };
    snprintf(m->game, sizeof m->game, "%s", game->name);
    crypto_seed_key(m->key, game->name, seed);
    crypto_sha256(m->commitment, m->key, sizeof m->key);
    if (g->result.at_fault >= 0)
        m->forfeit_reason = forfeit_of(g->result.trouble[g->result.at_fault]);
    for (int s = 0; s < g->seats; s++) {
        m->payoffs[s] = g->result.payoffs[s];
        m->seat[s].agent = x->entrant[g->entrant[s]].agent;
        snprintf(m->seat[s].name, sizeof m->seat[s].name, "%.*s", STORE_NAME - 1, x->entrant[g->entrant[s]].shown);
    }
    tally_judge(m);
}

int tours_load_replay(struct tours *t, struct uuid replay, struct store_match *m, struct text *log)
{
    uint64_t index;
    struct tour_game g;
    struct contest_game game;
    char file[48], path[TOUR_PATH];
    const struct tour *x = find_by_replay(t, replay, &index);
    if (!x || !x->game || x->seated || index >= tour_look(x).done)
        return ERR_UNKNOWN;
    struct contest *c = get_contest(t, x);
    if (!c || !read_game(x, c, index, &g) || !contest_get(c, index, &game))
        return ERR_STORAGE;
    if (uuid_is_none(g.replay))
        return ERR_UNKNOWN;
    write_record(x, &g, game.seed, m);
    snprintf(file, sizeof file, "replays/%06ju.agon", (uintmax_t)index);
    tour_path(x, file, path);
    return tour_read_file(path, log);
}
