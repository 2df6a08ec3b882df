// Resets: the order is checked, a table is found or made, the episode begins when all players are there.
#include "front/openenv/openenv_internal.h"

#include "crypto/crypto.h"
#include "heap/heap.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    GUESSES = 10, // wrong join words of an address at once, then one in GUESS_US;
    GUESS_US = 6000000,
    TABLE_GUESSES = 60, // and of all addresses at one table
    TABLE_GUESS_US = 1000000,
};

static const struct bot *find_bot(const struct served *g, struct span name)
{
    char word[OPENENV_NAME];
    struct json_reader r = json_reader_of(name, 4);
    if (json_peek(&r) == JSON_NULL)
        return g->bot;
    if (json_string_copy(json_read_string(&r), word, sizeof word) < 0 || r.error)
        return NULL;
    return strchr(word, '@') ? NULL : kit_find_bot(g->kit, word); // its time is the server's
}

// A name for all seats, or a list by seat, in which the clients' own are not looked at.
static bool set_bots(const struct served *g, struct span opponents, struct episode_setup *setup)
{
    struct json_reader r = json_reader_of(opponents, 8);
    const struct bot *all = opponents.size && opponents.at[0] == '"' ? find_bot(g, opponents) : g->bot;
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        setup->bot[i] = all;
    if (!all)
        return false;
    if (!opponents.size || opponents.at[0] != '[')
        return true;
    int seat = 0;
    for (json_enter_array(&r); json_next_item(&r); seat++) {
        const struct bot *bot = find_bot(g, json_read_raw(&r));
        if (!bot || seat >= GAME_MAX_SEATS)
            return false;
        setup->bot[seat] = bot;
    }
    return json_finish(&r) == OK;
}

static void refuse_value(struct session *s, const char *where, const char *why)
{
    struct openenv_fault f = {.type = "value_error", .msg = why, .input = SPAN("null")};
    snprintf(f.loc[0], sizeof f.loc[0], "%s", where);
    reply_fault(s, &f, true);
}

static void refuse_rules(struct session *s, const char *bad, int seats)
{
    char why[REASON_ROOM];
    const struct game *g = s->game->kit->game;
    size_t size = 0;
    if (strcmp(bad, "scenario") == 0) {
        size = (size_t)snprintf(why, sizeof why, "no such scenario; scenarios:");
        for (int i = 0; g->scenarios[i] && size < sizeof why; i++)
            size += (size_t)snprintf(why + size, sizeof why - size, " %s", g->scenarios[i]);
        refuse_value(s, "scenario", why);
        return;
    }
    if (!bad[0] && seats >= g->min_seats && seats <= g->max_seats) {
        snprintf(why, sizeof why, "%s cannot begin with these rules at %d seats", g->name, seats);
        refuse_value(s, "rules", why);
        return;
    }
    if (!bad[0]) {
        snprintf(why, sizeof why, "%s cannot begin so; it takes %d to %d seats", g->name, g->min_seats, g->max_seats);
        refuse_value(s, "seats", why);
        return;
    }
    snprintf(why, sizeof why,
             "'%.40s' is no option of this game, or has a bad value; 'agon rules %s --json' lists them", bad, g->name);
    refuse_value(s, "rules", why);
}

static void refuse_bots(struct session *s)
{
    char why[REASON_ROOM];
    size_t size = (size_t)snprintf(
        why, sizeof why, "not the name of a house bot, or a list of at most %d; bots of this game:", GAME_MAX_SEATS);
    for (const struct bot *const *b = kit_bots(s->game->kit); *b && size < sizeof why; b++)
        size += (size_t)snprintf(why + size, sizeof why - size, " %s", (*b)->name);
    refuse_value(s, "opponents", why);
}

// O60: a task is a seed.
static bool read_task(struct session *s, struct openenv_reset *o)
{
    if (!o->split[0] && o->index < 0)
        return true;
    if (!openenv_task_seed(s->game->kit, o->split, o->index, &o->seed)) {
        refuse_value(s, "index", "no such task: split is train (index 0 to 9999) or test (0 to 999)");
        return false;
    }
    o->has_seed = true;
    return true;
}

// The setup of a new table, by the options of the session that creates it. False: refused, and the error was sent.
static bool make_setup(struct session *s, const struct openenv_reset *o, struct episode_setup *setup)
{
    char bad[64];
    *setup = (struct episode_setup){.kit = s->game->kit, .inputs = o->inputs, .has_seed = o->has_seed, .seed = o->seed};
    if (!episode_read_rules(setup, o->scenario[0] ? o->scenario : NULL, o->rules, o->seats, bad)) {
        refuse_rules(s, bad, setup->seats);
        return false;
    }
    if (!set_bots(s->game, o->opponents, setup)) {
        refuse_bots(s);
        return false;
    }
    if (o->seat >= setup->seats) {
        refuse_value(s, "seat", "this table has fewer seats");
        return false;
    }
    if (o->players > setup->seats) {
        refuse_value(s, "players", "this table has fewer seats");
        return false;
    }
    return true;
}

static struct table *find_table(const struct served *g, const char *name)
{
    struct table *b;
    LIST_FOREACH(b, &g->tables, all)
        if (strcmp(b->name, name) == 0)
            return b;
    return NULL;
}

static void keep_options(struct session *s, const struct openenv_reset *o)
{
    struct text t = {.grow = heap_text_grow};
    s->options = *o;
    s->options.rules = s->options.opponents = (struct span){0};
    free(s->warnings);
    s->warnings = NULL;
    if (!o->warnings)
        return;
    json_begin_array(&t);
    for (int i = 0; i < o->warnings; i++) {
        json_write_raw(&t, SPAN("\"unknown option: "));
        text_put(&t, o->warned[i]);
        text_put_char(&t, '"');
    }
    json_end_array(&t);
    text_put_char(&t, 0);
    s->warnings = t.at;
}

static struct table *table_create(struct session *s, const struct openenv_reset *o, const struct episode_setup *setup)
{
    struct table *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    b->host = s->host;
    b->game = s->game;
    b->setup = *setup;
    b->players = 1;
    if (!o->table[0])
        return b;
    b->players = o->players ? o->players : 2;
    b->seeded = o->seeded;
    memcpy(b->name, o->table, sizeof b->name);
    memcpy(b->join, o->join, sizeof b->join);
    LIST_INSERT_HEAD(&s->game->tables, b, all);
    s->host->figures.tables++;
    return b;
}

static void sit_down(struct session *s, struct table *b, int seat)
{
    assert(seat >= 0 && seat < b->setup.seats && !b->at[seat]);
    s->table = b;
    s->seat = seat;
    b->at[seat] = s;
    b->taken |= SEAT(seat);
    b->seated++;
}

// The requested seat if it is free; without a request the first free one; -1: there is none.
static int free_seat(const struct table *b, int wanted)
{
    if (wanted >= 0)
        return wanted < b->setup.seats && !(b->taken & SEAT(wanted)) ? wanted : -1;
    for (int i = 0; i < b->setup.seats; i++)
        if (!(b->taken & SEAT(i)))
            return i;
    return -1;
}

// The seat that a seed draws, before the match it is for.
static int random_seat(const struct episode_setup *setup)
{
    uint8_t key[CRYPTO_KEY_BYTES];
    if (setup->has_seed)
        crypto_seed_key(key, setup->kit->game->name, setup->seed);
    else
        crypto_random(key, sizeof key);
    // A stream of its own (F6.1): the deal is the same whichever seat is drawn.
    struct rng root = rng_from_key(key), dice = rng_split(&root, MATCH_SEATS);
    return (int)rng_below(&dice, (uint32_t)setup->seats);
}

static void name_episode(struct session *s, const struct table *b)
{
    if (s->options.episode[0])
        memcpy(s->episode_id, s->options.episode, sizeof s->episode_id);
    else if (b->setup.has_seed)
        snprintf(s->episode_id, sizeof s->episode_id, "%s-%llu", s->game->kit->game->name,
                 (unsigned long long)b->setup.seed);
    else
        snprintf(s->episode_id, sizeof s->episode_id, "%s-%llu", b->name, (unsigned long long)b->episodes);
}

static void begin_episode(struct session *s, struct table *b)
{
    struct episode fresh;
    openenv_begin_work(s, b);
    b->setup.clients = b->ready;
    b->question = 0; // of the episode before
    b->episodes++;
    bool begun = episode_begin(&fresh, &b->setup, &s->host->episode_scratch);
    (void)begun; // the rules were tried before
    episode_release(&b->episode);
    b->episode = fresh;
    b->begun = true;
    b->ready = 0;
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        if (b->at[i]) {
            b->at[i]->is_new = true;
            name_episode(b->at[i], b);
        }
}

void session_set_pending(struct session *s, enum pending what)
{
    s->pending = what;
    s->pending_us = loop_now_us();
    loop_end_turn(s->host->options.loop);
}

// The reply now, if there is something to say, or when others have acted.
void session_observe(struct session *s, enum pending kind)
{
    s->pending = kind;
    if (session_is_due(s))
        reply_observation(s, kind, (struct span){0});
    else if (session_wait_s(s) > 0)
        session_set_pending(s, kind);
    else
        reply_now(s, kind);
}

// Begins the episode if all players of the table have asked for one.
static void try_begin(struct session *s)
{
    struct table *b = s->table;
    b->ready |= SEAT(s->seat);
    name_episode(s, b);
    if (__builtin_popcount(b->ready) < b->players) {
        session_observe(s, FIRST_OBSERVATION);
        return;
    }
    begin_episode(s, b);
    session_observe(s, FIRST_OBSERVATION);
    openenv_end_work(b);
}

// O45: the server draws a seed and reports it.
static void draw_seed(struct openenv_reset *o)
{
    crypto_random(&o->seed, sizeof o->seed);
    o->seed >>= 11; // 53 bits, which every JSON reader preserves (decision 029)
    o->has_seed = true;
}

static void reset_private(struct session *s, struct openenv_reset *o)
{
    struct episode_setup setup;
    if (!o->has_seed)
        draw_seed(o);
    if (!make_setup(s, o, &setup))
        return;
    int seat = o->seat == OPENENV_RANDOM_SEAT ? random_seat(&setup) : o->seat == OPENENV_ANY_SEAT ? 0 : o->seat;
    if (s->table && (s->table->name[0] || s->seat != seat))
        session_leave_table(s);
    if (!s->table)
        sit_down(s, table_create(s, o, &setup), seat);
    s->table->setup = setup;
    keep_options(s, o);
    s->steps = 0;
    s->refused = 0;
    try_begin(s);
}

static int64_t *guesses_of(const struct session *s)
{
    return &s->host->guessed_us[s->client % GUESSERS]; // salted: nobody chooses with whom an address is counted
}

// O55: wrong join words are counted by table and by address, this machine included: any user of it could guess. A
// counter is the moment at which it would be empty. When it is full, the right word is refused too, or the refusals
// would tell which one that is.
static bool may_guess(struct session *s, const struct table *b)
{
    char why[96];
    int64_t now_us = loop_now_us(), mine = *guesses_of(s) - now_us, all = b->guessed_us - now_us;
    if (mine <= GUESS_US * (GUESSES - 1) && all <= TABLE_GUESS_US * (TABLE_GUESSES - 1))
        return true;
    int64_t wait_us =
        mine > GUESS_US * (GUESSES - 1) ? mine - GUESS_US * (GUESSES - 1) : all - TABLE_GUESS_US * (TABLE_GUESSES - 1);
    snprintf(why, sizeof why, "too many wrong join words; try again in %lld s", (long long)wait_us / 1000000 + 1);
    reply_error(s, "EXECUTION_ERROR", why);
    return false;
}

static void count_guess(struct session *s, struct table *b)
{
    int64_t now_us = loop_now_us(), *mine = guesses_of(s);
    *mine = (*mine > now_us ? *mine : now_us) + GUESS_US;
    b->guessed_us = (b->guessed_us > now_us ? b->guessed_us : now_us) + TABLE_GUESS_US;
}

static bool knows_word(struct session *s, const struct openenv_reset *o, struct table *b)
{
    uint8_t digest[2][CRYPTO_SHA256_BYTES]; // of equal length, whatever was given
    if (b->join[0] && !may_guess(s, b))
        return false;
    crypto_sha256(digest[0], b->join, strlen(b->join));
    crypto_sha256(digest[1], o->join, strlen(o->join));
    if (crypto_equal(digest[0], digest[1], sizeof digest[0]))
        return true;
    if (b->join[0])
        count_guess(s, b);
    reply_error(s, "EXECUTION_ERROR", "wrong join word for this table");
    return false;
}

static bool may_sit(struct session *s, const struct openenv_reset *o, struct table *b)
{
    if (!knows_word(s, o, b))
        return false;
    if (s->table != b && b->seated >= b->players) {
        reply_error(s, "EXECUTION_ERROR", "this table is full");
        return false;
    }
    if (s->table != b && free_seat(b, o->seat) < 0) {
        reply_error(s, "EXECUTION_ERROR", "this seat is taken or does not exist at this table");
        return false;
    }
    return true;
}

// O45: at a shared table no player chooses the deal, unless the table was created with `seeded`.
static bool may_choose(struct session *s, const struct openenv_reset *o, bool seeded)
{
    if (!o->has_seed || seeded)
        return true;
    reply_error(s, "EXECUTION_ERROR", "a shared table accepts a seed only if it was created with seeded: true");
    return false;
}

// At `b`, or at a new table of `setup` if `b` is NULL. False: refused, and the error was sent.
static bool may_take_part(struct session *s, const struct openenv_reset *o, struct table *b,
                          struct episode_setup *setup)
{
    if (!may_choose(s, o, b ? b->seeded : o->seeded))
        return false;
    if (b)
        return may_sit(s, o, b);
    if (s->host->figures.tables >= MAX_TABLES) {
        reply_error(s, "EXECUTION_ERROR", "the server has no room for more tables; try again later");
        return false;
    }
    return make_setup(s, o, setup);
}

// The table of that name when no job is at work there; NULL: there is none.
static struct table *await_table(struct session *s, const char *name)
{
    struct table *b;
    while ((b = find_table(s->game, name)) && b->busy)
        work_sleep(s->host->work, &b->line);
    return b;
}

static void reset_shared(struct session *s, const struct openenv_reset *o)
{
    struct episode_setup setup;
    struct table *b = await_table(s, o->table);
    if (!may_take_part(s, o, b, &setup)) // what is refused changes nothing
        return;
    if (s->table && s->table != b) {
        session_leave_table(s);
        b = await_table(s, o->table); // others may have made it or sat down meanwhile
        if (!may_take_part(s, o, b, &setup))
            return;
    }
    if (!b)
        b = table_create(s, o, &setup);
    if (s->table != b) {
        int seat = o->seat == OPENENV_RANDOM_SEAT ? free_seat(b, random_seat(&b->setup)) : -1;
        sit_down(s, b, seat >= 0 ? seat : free_seat(b, o->seat >= 0 ? o->seat : -1));
    } else if (b->begun && b->episode.clients & SEAT(s->seat)) { // it leaves the running one to the others
        openenv_begin_work(s, b);
        episode_leave(&b->episode, s->seat);
        openenv_end_work(b);
    }
    if (o->has_seed) {
        b->setup.has_seed = true;
        b->setup.seed = o->seed;
    }
    keep_options(s, o);
    s->steps = 0;
    s->refused = 0;
    try_begin(s);
}

void session_reset(struct session *s, const struct openenv_reset *options)
{
    struct openenv_reset o = *options;
    if (!read_task(s, &o))
        return;
    if (o.table[0])
        reset_shared(s, &o);
    else
        reset_private(s, &o);
}

bool session_begin_default(struct session *s)
{
    struct openenv_reset o;
    struct openenv_fault f;
    if (s->table)
        return true;
    openenv_read_reset(SPAN("{}"), &o, &f);
    draw_seed(&o);
    struct episode_setup setup;
    if (!make_setup(s, &o, &setup))
        return false;
    sit_down(s, table_create(s, &o, &setup), 0);
    keep_options(s, &o);
    s->table->ready = SEAT(0);
    name_episode(s, s->table);
    begin_episode(s, s->table);
    openenv_end_work(s->table);
    return true;
}
