// House agents: records with stable ids, and their moves (F7.15).
#include "lobby/identity.h"
#include "lobby/internal.h"

#include "house/ask.h"
#include "house/mind_memory.h"
#include "work/work.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    HOUSE_COST = 10,    // units of work (work/work.h) of a bot that does not search
    ADVICE_COST = 1000, // of one that searches: it runs on a thread, but only so many in a turn
};
#define AGGRO 0.5f // G22.10: default
#define MODEL "%s bot"

static struct uuid stable_id(const char *game, const char *which)
{
    char text[96];
    uint8_t hash[CRYPTO_SHA256_BYTES];
    struct uuid id;
    // Existing arenas find their house agents by this hash: another text would give them new records without ratings.
    int size = snprintf(text, sizeof text, "agon.house.1 %s %s", game, which);
    crypto_sha256(hash, text, (size_t)size);
    memcpy(id.byte, hash, sizeof id.byte);
    uuid_mark_random(&id);
    return id;
}

// Reads its ratings before it plays: read when its first match ends, they would hold up the loop, for seconds if the
// store is silent.
static struct lobby_agent *load_ratings(struct lobby *l, struct lobby_agent *a)
{
    agents_rating(l, a, 0);
    return a;
}

// `which` is what the record is found by again; `model` says who moves.
static struct lobby_agent *get_house(struct lobby *l, const struct lobby_game *g, const char *which, const char *suffix,
                                     const char *model, int64_t now_ms)
{
    struct uuid id = stable_id(name_of(g), which);
    struct lobby_agent *a = lobby_agent_by_id(l, id);
    if (a)
        return load_ratings(l, a);
    uint64_t public_no = identity_new_public_no(l);
    if ((a = lobby_find_agent(l, id))) // another job has made it while this one read, and may still read its ratings
        return load_ratings(l, a);
    struct store_agent record = {.id = id,
                                 .public_no = public_no,
                                 .created_ms = now_ms,
                                 .kind = STORE_HOUSE,
                                 .claimed = true,
                                 .auto_confirm = true};
    snprintf(record.name, sizeof record.name, "House %s %s", g->codec->title, suffix);
    snprintf(record.model, sizeof record.model, "%s", model);
    snprintf(record.games, sizeof record.games, "%s", name_of(g));
    return load_ratings(l, lobby_agent_add(l, &record));
}

static struct lobby_agent *get_bot(struct lobby *l, const struct lobby_game *g, const char *which, const char *suffix,
                                   const struct bot *bot, int64_t now_ms)
{
    char model[64];
    snprintf(model, sizeof model, MODEL, bot->name);
    return get_house(l, g, which, suffix, model, now_ms);
}

// The operator may have changed the model behind a name.
static struct lobby_agent *get_model_agent(struct lobby *l, const struct lobby_game *g, const struct lobby_model *m,
                                           int64_t now_ms)
{
    char which[64];
    snprintf(which, sizeof which, "mind %s", m->name);
    struct lobby_agent *a = get_house(l, g, which, m->name, m->model, now_ms);
    struct store_agent *record = lobby_agent_edit(a);
    if (strncmp(record->model, m->model, sizeof record->model - 1) != 0) {
        snprintf(record->model, sizeof record->model, "%s", m->model);
        lobby_agent_save(l, a);
    }
    return a;
}

void house_open(struct lobby *l, int64_t now_ms)
{
    for (int g = 0; l->o.models && g < l->games; g++)
        for (int i = 0; i < l->o.models->count; i++)
            l->model_agent[g][i] = get_model_agent(l, &l->o.games[g], &l->o.models->at[i], now_ms);
    l->houses = l->o.house_bots < LOBBY_HOUSE_MAX ? l->o.house_bots : LOBBY_HOUSE_MAX;
    for (int g = 0; g < l->games; g++)
        for (int i = 0; i < l->houses; i++) {
            char which[16], suffix[16];
            snprintf(which, sizeof which, "%d", i);
            snprintf(suffix, sizeof suffix, "%d", i + 1);
            l->house[g][i] = get_bot(l, &l->o.games[g], which, suffix, l->o.games[g].house, now_ms);
        }
}

struct lobby_agent *lobby_house_agent(struct lobby *l, const struct lobby_game *g, const struct bot *bot, int number,
                                      int64_t now_ms)
{
    char which[64];
    snprintf(which, sizeof which, number > 1 ? "%s %d" : "%s", bot->name, number);
    return get_bot(l, g, which, which, bot, now_ms);
}

struct lobby_agent *house_named(struct lobby *l, const struct lobby_game *g, const struct bot *const *bots, int i,
                                int64_t now_ms)
{
    int number = 1;
    for (int k = 0; k < i; k++)
        number += bots[k] == bots[i];
    return lobby_house_agent(l, g, bots[i], number, now_ms);
}

int house_model(const struct lobby *l, const struct lobby_game *g, const struct lobby_agent *a)
{
    for (int i = 0; l->o.models && i < l->o.models->count; i++)
        if (uuid_equals(l->model_agent[lobby_game_index(l, g)][i]->record.id, a->record.id))
            return i;
    return -1;
}

static bool is_model_ready(const struct lobby *l, int model)
{
    return l->o.models->is_ready(l->o.models->owner, model);
}

int house_count(const struct lobby *l)
{
    int count = l->houses;
    for (int i = 0; l->o.models && i < l->o.models->count; i++)
        count += is_model_ready(l, i);
    return count;
}

const struct bot *house_find(const struct lobby_game *g, const char *name)
{
    for (const struct bot *const *b = g->bots; b && *b; b++)
        if (strcmp((*b)->name, name) == 0)
            return *b;
    return strcmp(g->house->name, name) == 0 ? g->house : NULL;
}

// The bot is named in its record, so that a match continues with the same one after a restart.
const struct bot *house_bot(const struct lobby_game *g, const struct lobby_agent *a)
{
    char model[64];
    for (const struct bot *const *b = g->bots; b && *b; b++) {
        snprintf(model, sizeof model, MODEL, (*b)->name);
        if (strcmp(a->record.model, model) == 0)
            return *b;
    }
    return g->house;
}

bool house_fill(struct lobby *l, struct candidate *c, int count)
{
    if (count > house_count(l))
        return false;
    int game = lobby_game_index(l, c->game);
    for (int i = 0; l->o.models && i < l->o.models->count && count; i++)
        if (is_model_ready(l, i)) {
            candidate_add(c, l->model_agent[game][i], false, l->now_ms);
            count--;
        }
    for (int i = 0; i < count; i++)
        candidate_add(c, l->house[game][(l->house_turn + (uint32_t)i) % (uint32_t)l->houses], false, l->now_ms);
    l->house_turn++;
    return true;
}

// F3.20: a house bot must not be recognised by being fast or regular; and its time says nothing about a key.
int64_t house_think(struct lobby *l)
{
    uint32_t chance;
    struct uuid random = lobby_random_id(l);
    // Bytes 0 to 3 are random throughout: uuid_mark_random fixes bits of bytes 6 and 8.
    memcpy(&chance, random.byte, sizeof chance);
    return l->o.house_think_ms / 2 + (int64_t)(chance % (uint64_t)(l->o.house_think_ms + 1));
}

// Their memories: initialised with the first events of the match, or, if it is resumed, rebuilt from its log (N1.6).
void house_take_seats(struct live_match *b, const struct game_events *first)
{
    const struct bot *bots[GAME_MAX_SEATS] = {0};
    for (int i = 0; i < b->record.seats; i++)
        bots[i] = b->seat[i].bot;
    if (first)
        mind_memory_begin(&b->bot_memory, b->match, bots, first);
    else
        mind_memory_resume(&b->bot_memory, b->match, bots);
}

// --- searching bots decide on a thread

// Owned by its job until `done`, then by the seat; the job frees it if the seat has gone meanwhile.
struct house_thought {
    struct lobby *lobby;
    struct lobby_seat *seat; // NULL: no longer wanted
    const struct bot *bot;
    int index;
    bool done;
    struct game_action move;
    struct match match; // a copy without log and listener, which the live match continues to write
    _Alignas(8) uint8_t mind[BOT_MAX_MIND];
};

void house_leave(struct lobby_seat *s)
{
    house_cancel_decision(s);
    if (s->agent && s->model >= 0)
        s->live->lobby->o.models->leave(s->live->lobby->o.models->owner, s);
}

void house_cancel_decision(struct lobby_seat *s)
{
    if (s->agent && s->model >= 0) {
        const struct lobby_models *m = s->live->lobby->o.models;
        if (s->model_asked && !s->model_answered)
            m->withdraw(m->owner, s);
        s->model_asked = s->model_answered = false;
    }
    if (!s->thought)
        return;
    s->thought->seat = NULL;
    if (s->thought->done)
        free(s->thought);
    s->thought = NULL;
}

static void ask_bot(void *arg)
{
    struct house_thought *t = arg;
    struct rng dice = house_dice(&t->match, t->index, (uint32_t)t->match.steps);
    t->move = house_ask_minded(&t->match, t->bot, t->index, dice, AGGRO, t->bot->mind_size ? t->mind : NULL);
}

// Runs in a job. When it has decided, the move is due, and the timer makes it.
static void run_thought(void *arg)
{
    struct house_thought *t = arg;
    work_offload(t->lobby->o.work, ask_bot, t);
    if (!t->seat) {
        free(t);
        return;
    }
    t->done = true;
    t->seat->due_ms = t->lobby->now_ms;
    turns_schedule(t->lobby, t->seat->live);
}

static void copy_question(struct house_thought *t, const struct lobby_seat *s, const struct bot *bot)
{
    t->bot = bot;
    t->index = s->index;
    const void *mind = house_mind(s->live->match, bot, s->index, t->mind);
    if (mind && mind != t->mind)
        memcpy(t->mind, mind, bot->mind_size);
    t->match = *s->live->match;
    t->match.log = NULL;
    t->match.listener = NULL;
}

static void begin_thinking(struct lobby *l, struct lobby_seat *s)
{
    struct house_thought *t = lobby_alloc(sizeof *t);
    t->lobby = l;
    t->seat = s;
    copy_question(t, s, s->bot);
    s->thought = t;
    s->due_ms = NEVER;
    turns_schedule(l, s->live);
    work_start(l->o.work, run_thought, t);
}

// Whether a model is deciding. When it has answered, the move is due.
static bool is_with_model(struct lobby *l, struct lobby_seat *s)
{
    const struct lobby_models *m = l->o.models;
    if (s->model < 0 || s->model_answered || (!s->model_asked && !m->ask(m->owner, s->model, s)))
        return false;
    s->model_asked = true;
    s->due_ms = NEVER;
    turns_schedule(l, s->live);
    return true;
}

void lobby_model_answer(struct lobby *l, struct lobby_seat *s, struct game_action a, int64_t now_ms)
{
    if (!s->model_asked || !s->awaited)
        return;
    s->model_answered = true;
    s->model_move = a;
    s->due_ms = now_ms;
    turns_schedule(l, s->live);
}

void house_move(struct lobby *l, struct lobby_seat *s, int64_t now_ms)
{
    struct live_match *b = s->live;
    struct match *m = b->match;
    if (is_with_model(l, s))
        return;
    if (s->thought && !s->thought->done) { // asked again meanwhile (F4.14): due when it has decided
        s->due_ms = NEVER;
        turns_schedule(l, b);
        return;
    }
    if (!s->model_answered && l->o.work && s->bot->thinks && !s->thought) {
        begin_thinking(l, s);
        return;
    }
    struct game_action a = s->model_answered ? s->model_move
                           : s->thought      ? s->thought->move
                                             : house_ask(m, s->bot, s->index, (uint32_t)m->steps, AGGRO);
    work_count(l->o.work, HOUSE_COST);
    if (!game_is_legal(m->game, &m->state, s->index, a))
        a = m->game->fallback(&m->state, s->index);
    l->figures.house_moves++;
    turns_end(s);
    if (match_answer(m, s->index, b->number, a, turns_listen(l)) == OK)
        turns_done(l, b, false, (struct span){0}, now_ms);
    else
        results_cancel(l, b, now_ms);
}

struct game_action lobby_seat_advice(struct lobby *l, const struct lobby_seat *s, const struct bot *bot)
{
    const struct match *m = s->live->match;
    struct house_thought t;
    work_count(l->o.work, bot->thinks ? ADVICE_COST : HOUSE_COST);
    if (!bot->thinks)
        return house_ask(m, bot, s->index, (uint32_t)m->steps, AGGRO);
    copy_question(&t, s, bot);
    work_offload(l->o.work, ask_bot, &t);
    return t.move;
}
