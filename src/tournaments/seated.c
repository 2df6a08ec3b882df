// Tournaments with registered agents: their games are matches of the lobby, seated as from standby (F5.13).
//
// The id and the key of a game's match follow from the tournament's secret, so that after a restart the store and the
// lobby tell by themselves what has become of every game. Nobody else can know them before: not from the seed, which
// an operator chooses.
#include "tournaments/inside.h"

#include "base/hash.h"
#include "crypto/crypto.h"

enum { AHEAD = 64, LOOK_AGAIN_MS = 5000 };

// --- names and keys

struct maker { // no holes: it is hashed as it stands
    uint8_t secret[TOURNAMENT_SECRET];
    uint64_t purpose, number, seed;
};
enum { PURPOSE_MATCH = 1, PURPOSE_KEY };

static void derive(const struct tournament *x, uint64_t purpose, uint64_t number, uint8_t out[CRYPTO_SHA256_BYTES])
{
    struct maker m = {.purpose = purpose, .number = number, .seed = x->seed};
    memcpy(m.secret, x->secret, sizeof m.secret);
    crypto_sha256(out, &m, sizeof m);
}

struct uuid seated_match(const struct tournament *x, uint64_t index)
{
    uint8_t sum[CRYPTO_SHA256_BYTES];
    struct uuid id;
    derive(x, PURPOSE_MATCH, index, sum);
    memcpy(id.byte, sum, sizeof id.byte);
    uuid_mark_random(&id);
    return id;
}

// --- results

static uint8_t trouble_of(int forfeit)
{
    if (forfeit == LOBBY_FORFEIT_TIMEOUT)
        return CONTEST_TIMEOUT;
    return forfeit == LOBBY_FORFEIT_INVALID_ACTION ? CONTEST_ILLEGAL : CONTEST_FAILED;
}

// F7.4: a dropped player loses to every player not dropped, whatever the payoffs say.
static void let_dropped_lose(const struct store_match *m, struct contest_result *r)
{
    int32_t least = INT32_MAX;
    for (int s = 0; s < m->seats; s++)
        if (!m->seat[s].dropped && r->payoffs[s] < least)
            least = r->payoffs[s];
    for (int s = 0; s < m->seats && least < INT32_MAX; s++)
        if (m->seat[s].dropped && r->payoffs[s] >= least)
            r->payoffs[s] = least - 1;
}

static void hand_in(struct tournament *x, uint64_t index, const struct store_match *m)
{
    struct contest_result r = {
        .at_fault = m->forfeited_by,
        .steps = m->events,
        .end = m->status == STORE_CANCELLED ? CONTEST_ABORTED
               : m->forfeit_reason          ? CONTEST_FORFEIT
                                            : CONTEST_OVER,
        .hash = hash_bytes(m->id.byte, UUID_BYTES),
        .at_ms = m->finished_ms,
    };
    memcpy(r.payoffs, m->payoffs, (size_t)m->seats * sizeof *r.payoffs);
    let_dropped_lose(m, &r);
    memcpy(r.points, r.payoffs, sizeof r.points);
    if (m->forfeited_by >= 0)
        r.trouble[m->forfeited_by][trouble_of(m->forfeit_reason)]++;
    seated_put(x, index, &r);
}

void seated_put(struct tournament *x, uint64_t index, const struct contest_result *r)
{
    contest_put(&x->life->contest, index, r);
    if (contest_is_done(&x->life->contest))
        tournament_wake(x->life, true);
}

void seated_derive_key(const struct tournament *x, uint64_t set, uint8_t key[RNG_KEY_BYTES])
{
    _Static_assert((int)CRYPTO_SHA256_BYTES == (int)RNG_KEY_BYTES, "a sum is a key");
    derive(x, PURPOSE_KEY, set, key);
}

static void leave_table(struct tournament_life *l, int table)
{
    l->table[table] = l->table[--l->tables];
}

bool seated_over(struct tournament *x, const struct store_match *m)
{
    struct tournament_life *l = x->life;
    for (int i = 0; i < l->tables; i++)
        if (uuid_equals(l->table[i].match, m->id)) {
            uint64_t index = l->table[i].index;
            leave_table(l, i);
            if (m->finished_ms) // else it was refused, and is seated again
                hand_in(x, index, m);
            return true;
        }
    return false;
}

// --- after a restart

static void find_again(struct tournament *x, uint64_t index)
{
    struct tournament_life *l = x->life;
    struct store_match m;
    struct uuid match = seated_match(x, index);
    if (!store_find_match(lobby_store(x->owner->o.lobby), match, &m))
        return;
    if (m.status != STORE_RUNNING)
        hand_in(x, index, &m);
    else if (l->tables < TOURNAMENT_TABLES)
        l->table[l->tables++] = (struct tournament_table){index, match, true};
}

// A match that the lobby could not take up again is over in the store, sooner or later.
static void recheck(struct tournament *x)
{
    struct tournament_life *l = x->life;
    if (store_is_away(lobby_store(x->owner->o.lobby)))
        return; // this is no job: it must not wait
    for (int i = l->tables - 1; i >= 0; i--) {
        struct tournament_table t = l->table[i];
        if (!t.found || lobby_is_playing(x->owner->o.lobby, t.match))
            continue;
        leave_table(l, i);
        find_again(x, t.index);
    }
}

void seated_resume(struct tournament *x)
{
    struct contest *c = &x->life->contest;
    for (uint64_t i = 0; i < c->total; i++) // which grows with the rounds of a Swiss tournament
        if (!contest_has(c, i))
            find_again(x, i);
    if (contest_is_done(c))
        tournament_wake(x->life, true);
}

// --- seating

// Everybody is called, also when one is away: whoever is there has answered when the other comes.
static bool all_ready(struct tournament *x, const struct contest_game *game, const struct lobby_game *g, int64_t now_ms,
                      struct lobby_agent *out[GAME_MAX_SEATS])
{
    struct lobby *l = x->owner->o.lobby;
    bool ready[GAME_MAX_SEATS], all = true;
    for (int s = 0; s < x->life->contest.plan.seats; s++) {
        int who = game->entrant[s];
        const struct bot *bot = x->life->contest.plan.entrant[who].bot;
        out[s] = bot ? lobby_house_agent(l, g, bot, 1, now_ms) : lobby_find_agent(l, x->entrant[who].agent);
        ready[s] = out[s] && lobby_call(l, out[s], g, now_ms) == LOBBY_READY;
        all &= ready[s];
    }
    absent_note(x, game, ready, now_ms);
    return all;
}

// Games with the same cards follow each other: who plays both at once sees all of them.
static bool is_set_at_table(const struct tournament_life *l, uint64_t set)
{
    uint64_t games = (uint64_t)contest_rotations(&l->contest.plan);
    for (int i = 0; i < l->tables; i++)
        if (l->table[i].index / games == set)
            return true;
    return false;
}

static void try_to_seat(struct tournament *x, const struct contest_game *game, const struct lobby_game *g,
                        int64_t now_ms)
{
    struct tournament_life *l = x->life;
    struct lobby_agent *agents[GAME_MAX_SEATS];
    struct lobby_fixed fixed = {.match = seated_match(x, game->index)};
    if (!all_ready(x, game, g, now_ms, agents))
        return;
    seated_derive_key(x, game->set, fixed.key); // mirrored: the same cards
    if (lobby_seat_fixed(x->owner->o.lobby, g, "tournament", agents, l->contest.plan.seats, &fixed, now_ms) == OK)
        l->table[l->tables++] = (struct tournament_table){game->index, fixed.match, false};
}

void seated_step(struct tournament *x, int64_t now_ms)
{
    struct tournament_life *l = x->life;
    struct contest_game game;
    const struct lobby_game *g = lobby_find_game(x->owner->o.lobby, span_of(x->game_name));
    if (!g)
        return;
    if (now_ms >= x->retry_ms) {
        x->retry_ms = now_ms + LOOK_AGAIN_MS;
        recheck(x);
    }
    contest_lock(&l->contest);
    uint64_t first = l->contest.judged;
    contest_unlock(&l->contest);
    for (uint64_t i = first; i < first + AHEAD && l->tables < TOURNAMENT_TABLES; i++) {
        if (!contest_get(&l->contest, i, &game))
            break;
        if (!contest_has(&l->contest, i) && !is_set_at_table(l, game.set) && !absent_judge(x, &game, now_ms))
            try_to_seat(x, &game, g, now_ms);
    }
}
