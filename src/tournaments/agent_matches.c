// Tournaments with registered agents: their games are matches of the lobby, seated like agents on standby (F5.13).
//
// The id and the key of each match are derived from the tournament's secret. So after a restart every game can be
// looked up in the store and the lobby by its id. Nobody else can predict them: they do not follow from the seed, which
// an operator may choose.
#include "tournaments/internal.h"

#include "base/hash.h"
#include "crypto/crypto.h"

enum {
    AHEAD = 64,        // games that are looked at in one step, from the first that is not played
    RECHECK_MS = 5000, // when no game could begin: entrants are absent or busy
    LOOKUP_MS = 1000,  // an absent entrant is looked up in the store at most this often
};

// --- ids and keys

struct maker { // no padding: its bytes are hashed
    uint8_t secret[TOURNAMENT_SECRET];
    uint64_t purpose, number, seed;
};
// Part of what is hashed: with other numbers a running tournament would not find its matches again.
enum { PURPOSE_MATCH = 1, PURPOSE_KEY };

static void derive_bytes(const struct tournament *x, uint64_t purpose, uint64_t number,
                         uint8_t out[CRYPTO_SHA256_BYTES])
{
    struct maker m = {.purpose = purpose, .number = number, .seed = x->seed};
    memcpy(m.secret, x->secret, sizeof m.secret);
    crypto_sha256(out, &m, sizeof m);
}

struct uuid agent_matches_id(const struct tournament *x, uint64_t index)
{
    uint8_t sum[CRYPTO_SHA256_BYTES];
    struct uuid id;
    derive_bytes(x, PURPOSE_MATCH, index, sum);
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

static void put_match(struct tournament *x, uint64_t index, const struct store_match *m)
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
    agent_matches_put_result(x, index, &r);
}

void agent_matches_put_result(struct tournament *x, uint64_t index, const struct contest_result *r)
{
    contest_put(&x->run->contest, index, r);
    if (contest_is_done(&x->run->contest))
        tournament_wake(x->run, true);
}

void agent_matches_key(const struct tournament *x, uint64_t set, uint8_t key[RNG_KEY_BYTES])
{
    _Static_assert((int)CRYPTO_SHA256_BYTES == (int)RNG_KEY_BYTES, "a sum is a key");
    derive_bytes(x, PURPOSE_KEY, set, key);
}

static void leave_table(struct tournament_run *run, int table)
{
    run->table[table] = run->table[--run->tables];
}

bool agent_matches_end(struct tournament *x, const struct store_match *m)
{
    struct tournament_run *run = x->run;
    for (int i = 0; i < run->tables; i++)
        if (uuid_equals(run->table[i].match, m->id)) {
            uint64_t index = run->table[i].index;
            leave_table(run, i);
            if (m->finished_ms) // else the store refused the match, and it is seated again
                put_match(x, index, m);
            return true;
        }
    return false;
}

// --- after a restart

static bool is_at_table(const struct tournament_run *run, struct uuid match)
{
    for (int i = 0; i < run->tables; i++)
        if (uuid_equals(run->table[i].match, match))
            return true;
    return false;
}

// Looks the game's match up in the store: it may be running, have a result, or never have begun. Returns false if the
// store did not answer.
static bool look_up_match(struct tournament *x, uint64_t index)
{
    struct tournament_run *run = x->run;
    struct store *store = lobby_store(x->owner->o.lobby);
    struct store_match m;
    struct uuid match = agent_matches_id(x, index);
    uint64_t unanswered = store_unanswered(store);
    if (!store_find_match(store, match, &m))
        return store_unanswered(store) == unanswered;
    if (contest_has(&run->contest, index) || is_at_table(run, match))
        return true; // it was found by somebody else while this read was suspended
    if (m.status != STORE_RUNNING)
        put_match(x, index, &m);
    else if (run->tables < TOURNAMENT_TABLES)
        run->table[run->tables++] = (struct tournament_table){index, match, true};
    return true;
}

// Matches that the lobby could not resume end in the store, sooner or later: looks them up again.
static void recheck_matches(struct tournament *x)
{
    struct tournament_run *run = x->run;
    if (store_is_away(lobby_store(x->owner->o.lobby)))
        return; // not called in a job, so a read may not wait
    for (int i = run->tables - 1; i >= 0; i--) {
        struct tournament_table t = run->table[i];
        if (!t.found || lobby_is_playing(x->owner->o.lobby, t.match))
            continue;
        leave_table(run, i);
        look_up_match(x, t.index);
    }
}

// To be asked after every call that may suspend: whether this node still seats players.
static bool may_seat(const struct tournament *x)
{
    return x->directs && x->status == TOURNAMENT_RUNNING && !atomic_load(&x->run->runner.stop) &&
           !lobby_is_closing(x->owner->o.lobby) && !lobby_is_draining(x->owner->o.lobby) &&
           !lobby_is_cut_off(x->owner->o.lobby) && !store_is_away(lobby_store(x->owner->o.lobby));
}

// With several nodes: looks up matches that another node plays or played. They keep their tables meanwhile.
static void recheck_remote_matches(struct tournament *x)
{
    struct tournament_run *run = x->run;
    struct tournament_table tables[TOURNAMENT_TABLES];
    struct store *store = lobby_store(x->owner->o.lobby);
    int count = run->tables;
    memcpy(tables, run->table, sizeof tables);
    for (int i = 0; i < count && may_seat(x); i++) {
        struct store_match m;
        uint64_t unanswered = store_unanswered(store);
        if (lobby_is_playing(x->owner->o.lobby, tables[i].match))
            continue;
        bool found = store_find_match(store, tables[i].match, &m);
        if ((!found && store_unanswered(store) != unanswered) || (found && m.status == STORE_RUNNING) ||
            lobby_is_playing(x->owner->o.lobby, tables[i].match))
            continue;
        if (found)
            agent_matches_end(x, &m);
        for (int k = run->tables - 1; !found && k >= 0; k--)
            if (uuid_equals(run->table[k].match, tables[i].match))
                leave_table(run, k); // the match never began
    }
}

void agent_matches_resume(struct tournament *x)
{
    struct contest *c = &x->run->contest;
    for (uint64_t i = 0; i < c->total && !tournament_is_shared(x);
         i++) // `total` grows with the rounds of a Swiss tournament
        if (!contest_has(c, i))
            look_up_match(x, i);
    if (contest_is_done(c))
        tournament_wake(x->run, true);
}

// --- seating

// Calls all players even if one is away: the others have confirmed by the time it returns.
static bool invite_all(struct tournament *x, const struct contest_game *game, const struct lobby_game *g,
                       int64_t now_ms, struct lobby_agent *out[GAME_MAX_SEATS])
{
    struct lobby *l = x->owner->o.lobby;
    bool ready[GAME_MAX_SEATS], all = true;
    for (int s = 0; s < x->run->contest.plan.seats; s++) {
        int who = game->entrant[s];
        const struct bot *bot = x->run->contest.plan.entrant[who].bot;
        out[s] = bot ? lobby_house_agent(l, g, bot, 1, now_ms) : lobby_find_agent(l, x->entrant[who].agent);
        ready[s] = out[s] && lobby_invite(l, out[s], g, now_ms) == LOBBY_READY;
        all &= ready[s];
    }
    forfeit_note_absence(x, game, ready, now_ms);
    return all;
}

// Mirrored games have the same cards, so they are not played at the same time: a player in both would know all cards.
static bool is_set_at_table(const struct tournament_run *run, uint64_t set)
{
    uint64_t games = (uint64_t)contest_rotations(&run->contest.plan);
    for (int i = 0; i < run->tables; i++)
        if (run->table[i].index / games == set)
            return true;
    return false;
}

static void try_to_seat(struct tournament *x, const struct contest_game *game, const struct lobby_game *g,
                        int64_t now_ms)
{
    struct tournament_run *run = x->run;
    struct lobby_agent *agents[GAME_MAX_SEATS];
    struct lobby_fixed fixed = {.match = agent_matches_id(x, game->index)};
    if (!invite_all(x, game, g, now_ms, agents))
        return;
    agent_matches_key(x, game->set, fixed.key); // mirrored games share the key
    if (lobby_seat_fixed(x->owner->o.lobby, g, "tournament", agents, run->contest.plan.seats, &fixed, now_ms) == OK)
        run->table[run->tables++] = (struct tournament_table){game->index, fixed.match, false};
}

// --- seating agents of several nodes (S47): in a job, because it reads where they are connected

struct party {
    struct lobby_invited player[GAME_MAX_SEATS];
    bool ready[GAME_MAX_SEATS], all;
};

// An entrant that was away is not looked up again for LOOKUP_MS.
static void invite_entrant(struct tournament *x, int who, const struct lobby_game *g, struct lobby_invited *out,
                           bool *ready)
{
    struct lobby *l = x->owner->o.lobby;
    int64_t *looked_ms = &x->run->looked_ms[who], now_ms = x->owner->o.now_ms();
    struct store *store = lobby_store(l);
    *out = (struct lobby_invited){0};
    *ready = false;
    if (now_ms - *looked_ms < LOOKUP_MS)
        return;
    uint64_t unanswered = store_unanswered(store);
    enum lobby_reach reach = lobby_invite_anywhere(l, x->entrant[who].agent, g, out);
    bool answered = store_unanswered(store) == unanswered;
    if (answered && (out->agent ? tournament_is_deleted(lobby_agent_record(out->agent)) : true))
        x->entrant[who].gone = true;
    if (out->plays)
        x->run->missed_ms[who] = 0;
    *looked_ms = reach == LOBBY_AWAY ? now_ms : 0;
    *ready = reach == LOBBY_READY;
}

static void invite_party(struct tournament *x, const struct contest_game *game, const struct lobby_game *g,
                         struct party *out)
{
    struct lobby *l = x->owner->o.lobby;
    bool plays = false;
    out->all = true;
    for (int s = 0; s < x->run->contest.plan.seats; s++) {
        int who = game->entrant[s];
        const struct bot *bot = x->run->contest.plan.entrant[who].bot;
        out->player[s] = (struct lobby_invited){0};
        if (bot) {
            out->player[s].agent = lobby_house_agent(l, g, bot, 1, x->owner->o.now_ms());
            lobby_agent_hold(out->player[s].agent);
            out->ready[s] = true;
        } else {
            invite_entrant(x, who, g, &out->player[s], &out->ready[s]);
        }
        plays |= out->player[s].plays;
        out->all &= out->ready[s];
    }
    if (!plays)
        forfeit_note_absence(x, game, out->ready, x->owner->o.now_ms());
}

// Puts earlier results into the store before the match begins: a forfeit among them may have produced this round.
static void seat_party(struct tournament *x, const struct contest_game *game, const struct lobby_game *g,
                       const struct party *p)
{
    struct tournament_run *run = x->run;
    struct lobby_fixed fixed = {.match = agent_matches_id(x, game->index)};
    agent_matches_key(x, game->set, fixed.key); // mirrored games share the key
    run->table[run->tables++] = (struct tournament_table){game->index, fixed.match, false};
    director_sync(x, x->owner->o.now_ms());
    if (lobby_seat_invited(x->owner->o.lobby, g, "tournament", p->player, run->contest.plan.seats, &fixed) == OK)
        return;
    for (int i = run->tables - 1; i >= 0; i--)
        if (uuid_equals(run->table[i].match, fixed.match))
            leave_table(run, i);
}

// Looks up each game once, because the previous director may have begun its match.
static bool was_looked_up(struct tournament *x, uint64_t index)
{
    struct tournament_run *run = x->run;
    while (run->sought <= index && may_seat(x)) {
        if (!contest_has(&run->contest, run->sought) && !look_up_match(x, run->sought))
            return false;
        run->sought++;
    }
    return run->sought > index;
}

static void seat_game(struct tournament *x, uint64_t index, const struct lobby_game *g)
{
    struct tournament_run *run = x->run;
    struct contest_game game;
    struct party p = {0};
    if (!was_looked_up(x, index) || contest_has(&run->contest, index) || !contest_get(&run->contest, index, &game) ||
        is_set_at_table(run, game.set) || forfeit_if_absent(x, &game, x->owner->o.now_ms()))
        return;
    invite_party(x, &game, g, &p);
    if (p.all && may_seat(x) && run->tables < TOURNAMENT_TABLES && !is_set_at_table(run, game.set))
        seat_party(x, &game, g, &p);
    for (int s = 0; s < run->contest.plan.seats; s++)
        if (p.player[s].agent)
            lobby_agent_release(p.player[s].agent);
}

static void seat_games(void *arg)
{
    struct tournament *x = arg;
    struct tournament_run *run = x->run;
    struct contest_game game;
    const struct lobby_game *g = lobby_find_game(x->owner->o.lobby, span_of(x->game_name));
    if (x->owner->o.now_ms() >= x->retry_ms) {
        x->retry_ms = x->owner->o.now_ms() + LOOKUP_MS;
        recheck_remote_matches(x);
    }
    contest_lock(&run->contest);
    uint64_t first = run->contest.judged;
    contest_unlock(&run->contest);
    for (uint64_t i = first; g && i < first + AHEAD && run->tables < TOURNAMENT_TABLES && may_seat(x); i++)
        if (!contest_get(&run->contest, i, &game))
            break;
        else if (!contest_has(&run->contest, i))
            seat_game(x, i, g);
    if (contest_is_done(&run->contest))
        tournament_wake(run, true);
    run->seating = false;
    loop_end_turn(x->owner->o.loop);
}

void agent_matches_step(struct tournament *x, int64_t now_ms)
{
    struct tournament_run *run = x->run;
    struct contest_game game;
    if (tournament_is_shared(x)) {
        if (!may_seat(x))
            memset(run->missed_ms, 0, sizeof run->missed_ms); // time in which nobody could be called does not count
        if (!run->seating && may_seat(x)) {
            run->seating = true;
            work_start(loop_work(x->owner->o.loop), seat_games, x);
        }
        return;
    }
    const struct lobby_game *g = lobby_find_game(x->owner->o.lobby, span_of(x->game_name));
    if (!g)
        return;
    if (now_ms >= x->retry_ms) {
        x->retry_ms = now_ms + RECHECK_MS;
        recheck_matches(x);
    }
    contest_lock(&run->contest);
    uint64_t first = run->contest.judged;
    contest_unlock(&run->contest);
    for (uint64_t i = first; i < first + AHEAD && run->tables < TOURNAMENT_TABLES; i++) {
        if (!contest_get(&run->contest, i, &game))
            break;
        if (!contest_has(&run->contest, i) && !is_set_at_table(run, game.set) && !forfeit_if_absent(x, &game, now_ms))
            try_to_seat(x, &game, g, now_ms);
    }
}
