// Sessions and tables: resets, steps, whose turn it is, who waits for whom (O40-O54).
#include "front/openenv/openenv_inside.h"

#include "codec/moves.h"
#include "crypto/crypto.h"
#include "llm/answer.h"
#include "net/heap_text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WORDS = 1024,
    ENTRY_COST = 15,   // of a request that plays no action, and its reply; an episode counts its own
    KEPT_BYTES = 4096, // of room for requests, in a session that is at rest
    GUESSES = 10,      // wrong join words of an address at once, then one in GUESS_US;
    GUESS_US = 6000000,
    TABLE_GUESSES = 60, // and of all addresses at one table
    TABLE_GUESS_US = 1000000,
};

static void session_leave_table(struct session *s);
static void session_pass(struct session *s); // its turn took too long

// --- life

static unsigned bucket_of(const char *id)
{
    unsigned value = 0;
    for (int i = 0; i < 3; i++)
        value = value * 16 + (unsigned)(id[i] <= '9' ? id[i] - '0' : id[i] - 'a' + 10);
    return value % BUCKETS;
}

static int count_of_client(const struct openenv *o, uint64_t client)
{
    const struct session *s;
    int count = 0;
    for (int i = 0; i < BUCKETS; i++)
        LIST_FOREACH(s, &o->sessions[i], all)
            count += s->client == client && !s->turned;
    return count;
}

static bool has_room(struct openenv *o, uint64_t client)
{
    int most = o->options.sessions_per_client;
    return !o->stopping && o->figures.sessions < o->options.max_sessions &&
           (!client || !most || count_of_client(o, client) < most);
}

struct session *session_create(struct openenv *o, struct served *g, uint64_t client)
{
    if (!has_room(o, client)) {
        o->figures.refused++;
        return NULL;
    }
    struct session *s = session_make(o, g, client);
    o->figures.sessions++;
    o->figures.opened++;
    return s;
}

struct session *session_make(struct openenv *o, struct served *g, uint64_t client)
{
    uint8_t random[ID_BYTES];
    struct session *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    *s =
        (struct session){.host = o, .game = g, .client = client, .heard_us = loop_now_us(), .active_us = loop_now_us()};
    crypto_random(random, sizeof random);
    struct text id = text_on(s->id, ID_DIGITS);
    text_put_hex_bytes(&id, random, sizeof random);
    s->id_json.grow = s->inbox.grow = s->entry.grow = s->done_body.grow = heap_text_grow;
    LIST_INSERT_HEAD(&o->sessions[bucket_of(s->id)], s, all);
    loop_end_turn(o->options.loop); // a session has a clock from now on
    return s;
}

void session_destroy(struct session *s)
{
    struct openenv *o = s->host;
    if (s->request) {
        http_set_data(s->request, NULL);
        openenv_http_detail(s->request, 404, "the session has ended");
    }
    session_leave_table(s);
    LIST_REMOVE(s, all);
    o->figures.sessions -= !s->turned;
    free(s->warnings);
    free(s->id_json.at);
    free(s->inbox.at);
    free(s->entry.at);
    free(s->done_body.at);
    free(s);
}

struct session *session_find(struct openenv *o, const struct served *g, struct span id)
{
    struct session *s;
    if (id.size != ID_DIGITS)
        return NULL;
    for (size_t i = 0; i < id.size; i++)
        if (!(id.at[i] >= '0' && id.at[i] <= '9') && !(id.at[i] >= 'a' && id.at[i] <= 'f'))
            return NULL;
    LIST_FOREACH(s, &o->sessions[bucket_of(id.at)], all)
        if (s->game == g && !s->doomed && crypto_equal(s->id, id.at, ID_DIGITS))
            return s;
    return NULL;
}

// --- the inbox

struct entry_head {
    uint32_t size;
    uint8_t channel;
};

bool session_add(struct session *s, enum channel channel, struct span bytes)
{
    struct entry_head head = {(uint32_t)bytes.size, (uint8_t)channel};
    if (s->waiting >= MAX_INBOX || s->inbox.size + bytes.size > INBOX_BYTES)
        return false;
    text_put(&s->inbox, (struct span){(const char *)&head, sizeof head});
    text_put(&s->inbox, bytes);
    s->waiting++;
    s->active_us = loop_now_us();
    return true;
}

static struct span take_entry(struct session *s)
{
    struct entry_head head;
    memcpy(&head, s->inbox.at, sizeof head);
    size_t whole = sizeof head + head.size;
    s->entry.size = 0;
    text_put(&s->entry, (struct span){s->inbox.at + sizeof head, head.size});
    s->inbox.size -= whole;
    memmove(s->inbox.at, s->inbox.at + whole, s->inbox.size);
    s->waiting--;
    s->channel = (enum channel)head.channel;
    s->tool = false;
    s->id_json.size = 0;
    return text_span(&s->entry);
}

void session_lose_socket(struct session *s)
{
    size_t kept = 0;
    for (size_t at = 0, whole; at < s->inbox.size; at += whole) {
        struct entry_head head;
        memcpy(&head, s->inbox.at + at, sizeof head);
        whole = sizeof head + head.size;
        if (head.channel == ON_WS || head.channel == ON_MCP_WS) {
            s->waiting--;
            continue;
        }
        memmove(s->inbox.at + kept, s->inbox.at + at, whole);
        kept += whole;
    }
    s->inbox.size = kept;
    if (s->channel != ON_WS)
        return;
    s->pending = NOTHING;
    s->channel = ON_CLOCK; // what is at work goes on, and its reply is nobody's: not the next socket's (O20)
}

static bool can_go_on(const struct session *s)
{
    return s->waiting && s->pending == NOTHING && !s->doomed && !s->closing && !(s->table && s->table->busy) &&
           !s->host->stopping;
}

static void trim(struct text *t)
{
    if (t->room <= KEPT_BYTES)
        return;
    free(t->at);
    *t = (struct text){.grow = heap_text_grow};
}

// Its job has ended, or it has none: it goes, unless another session's job is at work at its table (end_work).
static void finish(struct session *s)
{
    s->at_work = false;
    trim(&s->entry);
    if (!s->waiting)
        trim(&s->inbox);
    if (s->pending == NOTHING)
        trim(&s->id_json);
    if (s->doomed && !(s->table && s->table->busy))
        session_destroy(s);
}

static void run_session(void *arg)
{
    static void (*const handle[])(struct session * s, struct span entry) = {
        [ON_WS] = openenv_ws_message,   [ON_HTTP_RESET] = openenv_http_reset, [ON_HTTP_STEP] = openenv_http_step,
        [ON_MCP] = openenv_mcp_message, [ON_MCP_WS] = openenv_mcp_message,
    };
    struct session *s = arg;
    while (can_go_on(s)) {
        struct span entry = take_entry(s);
        uint64_t played = s->host->figures.steps;
        if (s->channel == ON_CLOCK)
            session_pass(s);
        else
            handle[s->channel](s, entry);
        if (s->once && s->pending == NOTHING)
            s->doomed = true;
        if (s->host->figures.steps == played)
            work_count(s->host->work, ENTRY_COST);
        if (can_go_on(s) && work_is_due(s->host->work)) // never with a reply that is parked (end_work)
            work_yield(s->host->work);
    }
    if (s->closing && s->ws && !s->ending)
        openenv_ws_close(s, WS_NORMAL, "");
    finish(s);
}

// What it leaves to others at a table is done by a job.
void session_end(struct session *s)
{
    s->doomed = true;
    if (s->at_work)
        return;
    s->at_work = true;
    work_start(s->host->work, run_session, s);
}

void session_kick(struct session *s)
{
    if (s->at_work || !can_go_on(s))
        return;
    s->at_work = true;
    work_start(s->host->work, run_session, s);
}

// --- tables

static void table_free(struct table *b)
{
    if (b->name[0])
        LIST_REMOVE(b, all);
    episode_release(&b->episode);
    free(b);
}

// A job of another session may be at work here, and have given way: this one comes after it.
static void begin_work(struct session *s, struct table *b)
{
    while (b->busy)
        work_sleep(s->host->work, &b->line);
    b->busy = true;
}

static bool is_due(const struct session *s)
{
    const struct table *b = s->table;
    if (!b->begun || b->ready & SEAT(s->seat))
        return false;
    return s->is_new || b->episode.player[s->seat].done || episode_asked(&b->episode) & SEAT(s->seat);
}

// The episode has gone on: whoever waited for that is told, and who came meanwhile is heard.
static void end_work(struct table *b)
{
    uint32_t question = b->game->kit->game->turn(&b->episode.match.state).number;
    b->busy = false;
    if (question != b->question)
        b->asked_us = loop_now_us();
    b->question = question;
    for (int i = 0; i < GAME_MAX_SEATS; i++) {
        struct session *s = b->at[i];
        if (s && s->pending != NOTHING && !s->at_work && is_due(s)) {
            reply_observation(s, s->pending, (struct span){0});
            session_kick(s);
        }
    }
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        if (b->at[i] && b->at[i]->doomed)
            session_end(b->at[i]);
        else if (b->at[i])
            session_kick(b->at[i]);
    work_wake(b->host->work, &b->line);
}

static void session_leave_table(struct session *s)
{
    struct table *b = s->table;
    if (!b)
        return;
    while (b->busy) // also at the end of the server: no job may lose its table (openenv_stop waits for all)
        work_sleep(s->host->work, &b->line);
    s->table = NULL;
    b->at[s->seat] = NULL;
    b->taken &= (seat_set)~SEAT(s->seat);
    b->ready &= (seat_set)~SEAT(s->seat);
    if (--b->seated == 0) {
        s->host->figures.tables -= b->name[0] != 0;
        table_free(b);
        return;
    }
    if (b->begun && b->episode.clients & SEAT(s->seat) && !s->host->stopping) {
        begin_work(s, b);
        episode_leave(&b->episode, s->seat);
        end_work(b);
    }
}

// --- resets

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

static void refuse_rules(struct session *s, const char *bad)
{
    char why[WORDS];
    const struct game *g = s->game->kit->game;
    size_t size = 0;
    if (strcmp(bad, "scenario") == 0) {
        size = (size_t)snprintf(why, sizeof why, "no such scenario; scenarios:");
        for (int i = 0; g->scenarios[i] && size < sizeof why; i++)
            size += (size_t)snprintf(why + size, sizeof why - size, " %s", g->scenarios[i]);
        refuse_value(s, "scenario", why);
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
    char why[WORDS];
    size_t size = (size_t)snprintf(why, sizeof why, "no such house bot; bots of this game:");
    for (const struct bot *const *b = kit_bots(s->game->kit); *b && size < sizeof why; b++)
        size += (size_t)snprintf(why + size, sizeof why - size, " %s", (*b)->name);
    refuse_value(s, "opponents", why);
}

// O60: a task is a seed.
static bool take_task(struct session *s, struct openenv_reset *o)
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

// Setup of a table by the options of whoever makes it. False: refused, and told.
static bool make_setup(struct session *s, const struct openenv_reset *o, struct episode_setup *setup)
{
    char bad[64];
    *setup = (struct episode_setup){.kit = s->game->kit, .inputs = o->inputs, .has_seed = o->has_seed, .seed = o->seed};
    if (!episode_read_rules(setup, o->scenario[0] ? o->scenario : NULL, o->rules, o->seats, bad)) {
        refuse_rules(s, bad);
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

static void keep_order(struct session *s, const struct openenv_reset *o)
{
    struct text t = {.grow = heap_text_grow};
    s->order = *o;
    s->order.rules = s->order.opponents = (struct span){0};
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

// A seat for which nobody has to move over: the one asked for, or the first that is free; -1: there is none.
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
    struct rng root = rng_from_key(key), dice = rng_split(&root, MATCH_SEATS);
    return (int)rng_below(&dice, (uint32_t)setup->seats);
}

static void name_episode(struct session *s, const struct table *b)
{
    if (s->order.episode[0])
        memcpy(s->episode_id, s->order.episode, sizeof s->episode_id);
    else if (b->setup.has_seed)
        snprintf(s->episode_id, sizeof s->episode_id, "%s-%llu", s->game->kit->game->name,
                 (unsigned long long)b->setup.seed);
    else
        snprintf(s->episode_id, sizeof s->episode_id, "%s-%llu", b->name, (unsigned long long)b->episodes);
}

static void begin_episode(struct session *s, struct table *b)
{
    struct episode fresh;
    begin_work(s, b);
    b->setup.clients = b->ready;
    b->question = 0; // of the episode before
    b->episodes++;
    bool begun = episode_begin(&fresh, &b->setup, &s->host->desk);
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

static void park(struct session *s, enum pending what)
{
    s->pending = what;
    s->parked_us = loop_now_us();
    loop_end_turn(s->host->options.loop);
}

static double wait_of(const struct session *s)
{
    return s->order.wait_s >= 0 ? s->order.wait_s : s->host->options.wait_s;
}

// The reply now, if there is something to say, or when others have acted.
static void session_look(struct session *s, enum pending kind)
{
    s->pending = kind;
    if (is_due(s))
        reply_observation(s, kind, (struct span){0});
    else if (wait_of(s) > 0)
        park(s, kind);
    else
        reply_now(s, kind);
}

// All who belong to the table have asked for an episode: it begins.
static void try_begin(struct session *s)
{
    struct table *b = s->table;
    b->ready |= SEAT(s->seat);
    name_episode(s, b);
    if (__builtin_popcount(b->ready) < b->players) {
        session_look(s, FIRST_LOOK);
        return;
    }
    begin_episode(s, b);
    session_look(s, FIRST_LOOK);
    end_work(b);
}

static void reset_private(struct session *s, struct openenv_reset *o)
{
    struct episode_setup setup;
    if (!o->has_seed) { // O45: drawn, and told
        crypto_random(&o->seed, sizeof o->seed);
        o->seed >>= 11;
        o->has_seed = true;
    }
    if (!make_setup(s, o, &setup))
        return;
    int seat = o->seat == OPENENV_RANDOM_SEAT ? random_seat(&setup) : o->seat == OPENENV_ANY_SEAT ? 0 : o->seat;
    if (s->table && (s->table->name[0] || s->seat != seat))
        session_leave_table(s);
    if (!s->table)
        sit_down(s, table_create(s, o, &setup), seat);
    s->table->setup = setup;
    keep_order(s, o);
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
    snprintf(why, sizeof why, "too many wrong join words; try again in %lld s", (long long)(wait_us / 1000000 + 1));
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
    reply_error(s, "EXECUTION_ERROR", "this table has another join word");
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
        reply_error(s, "EXECUTION_ERROR", "this seat is taken or is none of this table");
        return false;
    }
    return true;
}

// O45: among several no one chooses the deal, unless the table was made so.
static bool may_choose(struct session *s, const struct openenv_reset *o, bool seeded)
{
    if (!o->has_seed || seeded)
        return true;
    reply_error(s, "EXECUTION_ERROR", "a shared table takes no seed, unless whoever makes it says seeded: true");
    return false;
}

// At `b`, or at a table that is to be made with `setup`: NULL. False: refused, and told.
static bool may_take_part(struct session *s, const struct openenv_reset *o, struct table *b,
                          struct episode_setup *setup)
{
    if (!may_choose(s, o, b ? b->seeded : o->seeded))
        return false;
    if (b)
        return may_sit(s, o, b);
    if (s->host->figures.tables >= MAX_TABLES) {
        reply_error(s, "EXECUTION_ERROR", "no room for more tables");
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
        begin_work(s, b);
        episode_leave(&b->episode, s->seat);
        end_work(b);
    }
    if (o->has_seed) {
        b->setup.has_seed = true;
        b->setup.seed = o->seed;
    }
    keep_order(s, o);
    s->steps = 0;
    s->refused = 0;
    try_begin(s);
}

void session_reset(struct session *s, const struct openenv_reset *order)
{
    struct openenv_reset o = *order;
    if (!take_task(s, &o))
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
    o.seed = 0;
    crypto_random(&o.seed, sizeof o.seed);
    o.seed >>= 11;
    o.has_seed = true;
    struct episode_setup setup;
    if (!make_setup(s, &o, &setup))
        return false;
    sit_down(s, table_create(s, &o, &setup), 0);
    keep_order(s, &o);
    s->table->ready = SEAT(0);
    name_episode(s, s->table);
    begin_episode(s, s->table);
    end_work(s->table);
    return true;
}

// --- steps

// O43: what is done about an action that cannot be played.
static void refuse_action(struct session *s, const char *reason, const char *message)
{
    struct table *b = s->table;
    bool asked = episode_asked(&b->episode) & SEAT(s->seat);
    struct span error = reply_refusal(s, reason, message);
    if (s->order.illegal == OPENENV_ERROR) {
        struct span words = json_member(error, "message");
        char why[WORDS];
        struct json_reader r = json_reader_of(words, 4);
        if (json_string_copy(json_read_string(&r), why, sizeof why) < 0)
            snprintf(why, sizeof why, "%s", message);
        reply_error(s, "EXECUTION_ERROR", why);
        return;
    }
    s->steps++;
    s->refused++;
    bool forfeits = s->order.illegal == OPENENV_FORFEIT || s->refused >= s->order.max_illegal;
    if (!asked || (s->order.illegal == OPENENV_OBSERVE && !forfeits)) {
        reply_observation(s, NEXT_LOOK, error);
        return;
    }
    char kept[4096];
    struct text t = text_on(kept, sizeof kept);
    text_put(&t, error);
    begin_work(s, b);
    if (forfeits)
        episode_forfeit(&b->episode, s->seat);
    else
        episode_pass(&b->episode, s->seat);
    if (is_due(s) || b->players == 1)
        reply_observation(s, NEXT_LOOK, t.full ? (struct span){0} : text_span(&t));
    else
        park(s, NEXT_LOOK);
    end_work(b);
}

// The action as the game knows it. False: refused, and told.
static bool find_typed(struct session *s, const struct openenv_action *a, struct game_action *move)
{
    struct openenv *o = s->host;
    struct codec_table names = episode_names(&s->table->episode, s->seat);
    struct span object = a->object;
    char why[WORDS];
    if (a->has_null) {
        o->scratch.size = 0;
        openenv_write_without_nulls(&o->scratch, object);
        object = text_span(&o->scratch);
    }
    struct json_reader r = json_reader_of(object, 64);
    int err = codec_read_action(s->game->kit->codec, &r, &names, false, move);
    if (err == OK)
        return true;
    char type[48];
    if (json_string_copy(a->type, type, sizeof type) < 0)
        snprintf(type, sizeof type, "this");
    bool unknown = !codec_find_type(s->game->kit->codec, a->type);
    snprintf(why, sizeof why,
             unknown ? "%s is no action of this game" : "%s: a parameter is missing, or has the wrong type or value",
             type);
    refuse_action(s, unknown ? "unknown_action" : "bad_parameter", why);
    return false;
}

static bool find_numbered(struct session *s, const struct openenv_action *a, struct game_action *move)
{
    char why[64];
    if (episode_number(&s->table->episode, s->seat, a->number, move))
        return true;
    bool known = a->number < s->game->kit->game->flat_size;
    snprintf(why, sizeof why, known ? "action %lld is not legal now" : "no action has the number %lld",
             (long long)a->number);
    refuse_action(s, known ? "illegal_now" : "unknown_action", why);
    return false;
}

// Words of a language model, read as those of a model's answer (L60).
static bool find_spoken(struct session *s, const struct openenv_action *a, struct game_action *move)
{
    const struct episode *e = &s->table->episode;
    struct game_choice list[2 * GAME_MAX_CHOICES];
    struct codec_table names = episode_names(e, s->seat);
    struct llm_found found;
    int count = episode_choices(e, s->seat, list);
    char *words = malloc(a->words.raw.size + 1), why[256];
    if (!words)
        abort();
    int size = json_string_copy(a->words, words, a->words.raw.size + 1);
    struct llm_said said = {.text = {words, size > 0 ? (size_t)size : 0}};
    answer_read(&said, s->game->kit->codec, &names, list, count, &found);
    free(words);
    if (found.cause == LLM_FINE && !found.forfeit) {
        *move = found.action;
        return true;
    }
    if (found.forfeit)
        refuse_action(s, "illegal_now", "a session gives up by leaving");
    else if (found.cause == LLM_ILLEGAL || found.cause == LLM_BAD_VALUE) {
        snprintf(why, sizeof why, "%s is not legal now", found.said[0] ? found.said : "this");
        refuse_action(s, "illegal_now", why);
    } else
        refuse_action(s, "unparsable", "no action could be read from the text");
    return false;
}

static bool check_legal(struct session *s, struct game_action move)
{
    const struct episode *e = &s->table->episode;
    const struct codec *c = s->game->kit->codec;
    struct codec_table names = episode_names(e, s->seat);
    char line[512];
    struct text t = text_on(line, sizeof line - 1);
    union game_view view;
    if (episode_is_legal(e, s->seat, move))
        return true;
    text_puts(&t, codec_find_kind(c, move.kind, false)->type);
    text_puts(&t, " is not legal now");
    size_t before = t.size;
    text_puts(&t, ": ");
    e->kit->game->view(&e->match.state, s->seat, &view);
    moves_explain(c, &t, &names, &view, move);
    if (t.size == before + 2)
        t.size = before;
    line[t.size] = 0;
    refuse_action(s, "illegal_now", line);
    return false;
}

static void play(struct session *s, struct game_action move)
{
    struct table *b = s->table;
    s->steps++;
    s->refused = 0;
    s->host->figures.steps++;
    begin_work(s, b);
    episode_act(&b->episode, s->seat, move);
    session_look(s, NEXT_LOOK);
    end_work(b);
}

static void wait_for_others(struct session *s)
{
    struct table *b = s->table;
    const struct game *g = s->game->kit->game;
    if (b->begun && g->tick_ms && episode_asked(&b->episode) & SEAT(s->seat)) {
        play(s, (struct game_action){0}); // time passes
        return;
    }
    s->steps++;
    session_look(s, NEXT_LOOK);
}

void session_act(struct session *s, const struct openenv_action *a)
{
    static bool (*const find[])(struct session * s, const struct openenv_action *a, struct game_action *move) = {
        [OPENENV_TYPED] = find_typed, [OPENENV_NUMBERED] = find_numbered, [OPENENV_SPOKEN] = find_spoken};
    struct table *b = s->table;
    struct game_action move = {0};
    if (!b) {
        reply_error(s, "EXECUTION_ERROR", "no episode: reset first");
        return;
    }
    if (a->form == OPENENV_NUMBERED && a->number == 0) { // number 0 is "wait" in every game
        wait_for_others(s);
        return;
    }
    if (b->begun && !(b->ready & SEAT(s->seat)) && b->episode.player[s->seat].done) { // O46
        s->steps++;
        reply_observation(s, NEXT_LOOK, reply_refusal(s, "episode_over", "the episode is over; reset begins another"));
        return;
    }
    if (a->form == OPENENV_WAITS) {
        wait_for_others(s);
        return;
    }
    if (!b->begun || b->ready & SEAT(s->seat)) { // O52
        s->steps++;
        session_look(s, NEXT_LOOK);
        return;
    }
    if (!(episode_asked(&b->episode) & SEAT(s->seat))) {
        refuse_action(s, "not_your_turn", "it is not your turn; send the action wait");
        return;
    }
    if (find[a->form](s, a, &move) && check_legal(s, move))
        play(s, move);
}

// O54: the fallback is played, and the next observation says so by its events.
static void session_pass(struct session *s)
{
    struct table *b = s->table;
    if (!b || !b->begun || !(episode_asked(&b->episode) & SEAT(s->seat)))
        return;
    begin_work(s, b);
    episode_pass(&b->episode, s->seat);
    end_work(b);
}
