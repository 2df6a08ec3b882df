#include "lobby_kit.h"

#include "lobby/internal.h"

#include "crypto/crypto.h"
#include "games/belote/bots/bots.h"
#include "games/belote/codec.h"
#include "games/belote/rules/belote.h"
#include "games/coup/bots/bots.h"
#include "games/coup/codec.h"
#include "games/coup/rules/coup.h"
#include "games/liars_dice/bots/bots.h"
#include "games/liars_dice/codec.h"
#include "games/liars_dice/rules/liars_dice.h"
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/codec.h"
#include "games/texas_holdem/rules/texas_holdem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// --- the games

static void set_holdem(void *rules, bool strict, bool deterministic)
{
    (void)deterministic;
    ((struct texas_holdem_rules *)rules)->big_blind_option = !strict;
}

static void set_coup(void *rules, bool strict, bool deterministic)
{
    struct coup_rules *r = rules;
    r->ask_single = strict;
    r->windows = deterministic ? COUP_WINDOWS_DETERMINISTIC : COUP_WINDOWS_FIRST;
}

static int holdem_in_play(const void *state)
{
    const struct texas_holdem_state *s = state;
    int count = 0;
    for (int i = 0; i < s->seats; i++)
        count += !(s->dropped & SEAT(i)) && (s->chips[i] > 0 || s->live & SEAT(i));
    return count;
}

static int dice_in_play(const void *state)
{
    return __builtin_popcount(((const struct liars_dice_state *)state)->in_play);
}

static int coup_in_play(const void *state)
{
    return __builtin_popcount(((const struct coup_state *)state)->in_play);
}

const struct lobby_game kit_games[] = {
    {.codec = &texas_holdem_codec,
     .house = &texas_holdem_rules_bot,
     .min_seats = 2,
     .max_seats = 9,
     .set_rules = set_holdem,
     .in_play = holdem_in_play},
    {.codec = &liars_dice_codec,
     .house = &liars_dice_rules_bot,
     .min_seats = 2,
     .max_seats = 6,
     .in_play = dice_in_play},
    {.codec = &coup_codec,
     .house = &coup_rules_bot,
     .challenge_places = 3,
     .min_seats = 2,
     .max_seats = 6,
     .set_rules = set_coup,
     .in_play = coup_in_play},
    {.codec = &belote_codec, .house = &belote_rules_bot, .min_seats = 4, .max_seats = 4, .gated = true},
    {0},
};

// --- claims about what is told, for the random test: the first that does not hold is kept

static void claim(struct kit_agent *a, bool holds, const char *what)
{
    if (holds)
        return;
    struct kit *k = a->kit;
    if (!k->broken++)
        snprintf(k->why, sizeof k->why, "%s (agent %d)", what, (int)(a - k->agent));
}

static void error(struct kit_agent *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void error(struct kit_agent *a, const char *format, ...)
{
    char word[96];
    va_list args;
    va_start(args, format);
    vsnprintf(word, sizeof word, format, args);
    va_end(args);
    if (a->said.size)
        text_put_char(&a->said, ' ');
    text_puts(&a->said, word);
    if (a->said.full || a->kit->checks)
        a->said = text_on(a->bytes, sizeof a->bytes - 1);
}

static struct kit_seat *find_seat(struct kit_agent *a, struct lobby_seat *s)
{
    struct uuid session = lobby_seat_session(s);
    for (int i = 0; i < a->seats; i++)
        if (uuid_equals(a->seat[i].session, session))
            return &a->seat[i];
    return NULL;
}

// --- the link; its client is the agent with the number of its connection

struct client {
    struct kit_agent *agent;
    uint32_t connection;
};

static struct kit_agent *live(void *client)
{
    struct client *c = client;
    claim(c->agent, c->agent->online && c->agent->connection == c->connection, "only the live connection is told");
    return c->agent;
}

static void on_joined(void *client, const struct lobby_game *g, const char *mode, bool one_shot)
{
    error(live(client), "joined:%s/%s%s", g->codec->game->name, mode, one_shot ? "/once" : "");
}

static void on_left(void *client)
{
    error(live(client), "left");
}

static void on_refused(void *client, const char *why)
{
    error(live(client), "refused:%s", why);
}

static void on_confirm(void *client, const struct lobby_confirm *c)
{
    struct kit_agent *a = live(client);
    a->confirm = c->id;
    error(a, "confirm");
}

static void on_cancelled(void *client, enum lobby_cancel why, bool re_queued, const struct lobby_game *g,
                         const char *mode)
{
    static const char *const reason[] = {"confirmation_timeout", "opponent_not_ready", "capacity_changed",
                                         "maintenance", "opponent_disconnected"};
    (void)g;
    (void)mode;
    error(live(client), "cancelled:%s/%s", reason[why], re_queued ? "re_queued" : "removed");
}

static void on_readiness(void *client, struct uuid request, int64_t timeout_ms)
{
    struct kit_agent *a = live(client);
    (void)timeout_ms;
    a->readiness = request;
    error(a, "ready?");
}

// The oldest that is over: one that lasts is still spoken of.
static void forget_seat(struct kit_agent *a)
{
    int i = 0;
    while (i < a->seats - 1 && !a->seat[i].over)
        i++;
    a->seats--;
    memmove(a->seat + i, a->seat + i + 1, (size_t)(a->seats - i) * sizeof *a->seat);
}

static void on_start(void *client, struct lobby_seat *s)
{
    struct kit_agent *a = live(client);
    struct kit_seat *mine = find_seat(a, s);
    if (!mine) {
        if (a->seats == KIT_SEATS)
            forget_seat(a);
        mine = &a->seat[a->seats++];
        *mine = (struct kit_seat){.session = lobby_seat_session(s)};
    }
    mine->seat = s;
    mine->started = true;
    error(a, "start");
}

// Nothing that this player is given may depend on what the player cannot know.
static void check_secrets(struct kit_agent *a, struct lobby_seat *s)
{
    const struct game *g = lobby_seat_game(s)->codec->game;
    union game_state other = s->live->match->state;
    union game_view here, there;
    g->resample(&other, lobby_seat_index(s), &a->kit->dice);
    lobby_seat_view(s, &here);
    g->view(&other, lobby_seat_index(s), &there);
    claim(a, memcmp(&here, &there, g->view_size) == 0, "a view tells nothing that is hidden");
}

static void check_ask(struct kit_agent *a, struct kit_seat *mine, struct lobby_seat *s, const struct lobby_ask *ask)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    struct match_event e;
    claim(a, mine && mine->started && !mine->over, "game_start comes before every other frame, game_over last");
    claim(a, lobby_seat_choices(s, choices) > 0, "who is asked has a choice");
    check_secrets(a, s);
    claim(a, ask->timeout_ms > 0, "some time is granted");
    claim(a, ask->first_event <= lobby_seat_events(s), "events come before the request");
    if (mine && !ask->again)
        claim(a, ask->first_event == mine->told || (mine->restarted && ask->first_event < mine->told),
              "no event is missed, none told twice by requests");
    for (uint32_t seq = ask->first_event; seq < lobby_seat_events(s); seq++)
        claim(a, lobby_seat_event(s, seq, &e) && e.seq == seq && e.count > 0, "seq has no gaps");
}

static void on_ask(void *client, struct lobby_seat *s, const struct lobby_ask *ask)
{
    struct kit_agent *a = live(client);
    struct kit_seat *mine = find_seat(a, s);
    if (a->kit->checks)
        check_ask(a, mine, s, ask);
    error(a, "ask:%lld%s%s", (long long)ask->timeout_ms, ask->retry ? "/retry" : "", ask->again ? "/again" : "");
    a->kit->asked[a->kit->asks++ % 64] = lobby_seat_index(s);
    if (!mine)
        return;
    mine->seat = s;
    mine->request = ask->request;
    mine->sent_before = mine->told;
    mine->told = lobby_seat_events(s);
    mine->restarted_before = mine->restarted;
    mine->written = mine->restarted = false;
}

static void on_stale(void *client, struct lobby_seat *s, const struct uuid *request)
{
    (void)s;
    error(live(client), request ? "stale:id" : "stale");
}

static void on_events(void *client, struct lobby_seat *s, uint32_t from, uint32_t to, int64_t drop)
{
    struct kit_agent *a = live(client);
    struct kit_seat *mine = find_seat(a, s);
    if (mine && a->kit->checks) {
        claim(a, mine->started && !mine->over, "game_start comes before events, game_over after them");
        claim(a, from <= to && to <= lobby_seat_events(s), "a feed tells what happened");
    }
    if (drop < 0)
        error(a, "events:%u-%u", from, to);
    else
        error(a, "events:%u-%u!%lld", from, to, (long long)drop);
}

static void on_state(void *client, struct lobby_seat *s)
{
    struct kit_agent *a = live(client);
    struct kit_seat *mine = find_seat(a, s);
    claim(a, mine && mine->started && !mine->over, "game_start comes before game_state");
    if (mine)
        mine->seat = s;
    error(a, "state");
}

static void on_over(void *client, struct lobby_seat *s)
{
    struct kit_agent *a = live(client);
    struct kit_seat *mine = find_seat(a, s);
    const struct store_match *m = lobby_seat_match(s);
    claim(a, lobby_seat_is_over(s), "game_over tells of what is over");
    error(a, "over:%c", m->seat[lobby_seat_index(s)].result ? m->seat[lobby_seat_index(s)].result : '-');
    if (mine)
        mine->over = true;
    if (mine)
        mine->seat = s;
}

static void on_gone(void *client, enum lobby_gone why)
{
    static const char *const reason[] = {"replaced", "replaced_same", "kicked"};
    struct client *c = client;
    error(c->agent, "gone:%s", reason[why]);
}

static const struct lobby_link link = {.on_queue_joined = on_joined,
                                       .on_queue_left = on_left,
                                       .on_queue_refused = on_refused,
                                       .on_confirm = on_confirm,
                                       .on_cancelled = on_cancelled,
                                       .on_readiness = on_readiness,
                                       .on_start = on_start,
                                       .on_ask = on_ask,
                                       .on_stale = on_stale,
                                       .on_events = on_events,
                                       .on_state = on_state,
                                       .on_over = on_over,
                                       .on_gone = on_gone};

// --- a lobby

static void open_store(struct kit *k)
{
    struct store_options o;
    char why[256];
    store_defaults(&o);
    o.folder = k->folder;
    o.synchronous = "OFF"; // nothing here outlives the machine
    o.margin_bytes = 0;
    o.pace_ms = 0;
    o.work = k->o.work;
    k->store = store_open(&o, why, sizeof why);
    if (!k->store)
        fprintf(stderr, "%s\n", why);
    assert(k->store);
}

enum { OPEN_MOST = 8 };
static char left[OPEN_MOST][sizeof((struct kit *)0)->folder]; // folders of kits that are open; empty: none

static void remove_folder(const char *folder)
{
    char command[sizeof left + 16]; // any of them
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s stays\n", folder);
}

// Of tests that failed before they closed their kit.
static void remove_all_left(void)
{
    for (int i = 0; i < OPEN_MOST; i++)
        if (left[i][0])
            remove_folder(left[i]);
}

static void note_folder(const char *folder)
{
    static bool noted;
    if (!noted)
        atexit(remove_all_left);
    noted = true;
    for (int i = 0; i < OPEN_MOST; i++)
        if (!left[i][0]) {
            memcpy(left[i], folder, strlen(folder) + 1);
            return;
        }
}

static void forget_folder(const char *folder)
{
    remove_folder(folder);
    for (int i = 0; i < OPEN_MOST; i++)
        if (strcmp(left[i], folder) == 0)
            left[i][0] = 0;
}

void kit_open(struct kit *k, const struct lobby_options *o)
{
    memset(k, 0, sizeof *k);
    snprintf(k->folder, sizeof k->folder, "/tmp/agon-lobby-XXXXXX");
    if (!mkdtemp(k->folder))
        abort();
    note_folder(k->folder);
    k->now_ms = 1700000000000;
    lobby_defaults(&k->o);
    k->o.house_bots = 0;
    k->o.house_think_ms = 0;
    if (o)
        k->o = *o;
    if (!k->o.games)
        k->o.games = kit_games;
    open_store(k);
    k->lobby = lobby_open(&k->o, k->store, k->now_ms);
}

void kit_close(struct kit *k)
{
    lobby_close(k->lobby);
    store_close(k->store);
    forget_folder(k->folder);
}

void kit_settle(struct kit *k)
{
    store_ticket durable;
    store_submit(k->store);
    store_wait(k->store);
    store_collect(k->store, &durable);
}

void kit_restart(struct kit *k)
{
    kit_settle(k);
    lobby_close(k->lobby);
    k->lobby = lobby_open(&k->o, k->store, k->now_ms);
    kit_settle(k);
    for (int i = 0; i < k->agents; i++) {
        struct kit_agent *a = &k->agent[i];
        a->online = false;
        a->agent = lobby_agent_by_id(k->lobby, a->id);
        lobby_agent_hold(a->agent);
        for (int n = 0; n < a->seats; n++) {
            a->seat[n].seat = NULL;
            a->seat[n].request = (struct uuid){0};
            a->seat[n].restarted = true;
        }
    }
}

void kit_pass(struct kit *k, int64_t ms)
{
    int64_t until_ms = k->now_ms + ms;
    for (int64_t due_ms; (due_ms = lobby_next_due(k->lobby)) <= until_ms;) {
        if (due_ms > k->now_ms)
            k->now_ms = due_ms;
        lobby_tick(k->lobby, k->now_ms);
        store_submit(k->store);
    }
    k->now_ms = until_ms;
}

// --- agents

struct kit_agent *kit_add(struct kit *k, const char *name)
{
    assert(k->agents < KIT_AGENTS);
    struct kit_agent *a = &k->agent[k->agents++];
    uint8_t sum[CRYPTO_SHA256_BYTES];
    struct store_agent record = {.created_ms = k->now_ms,
                                 .claimed = true,
                                 .auto_confirm = true,
                                 .max_concurrent = 8,
                                 .public_no = 1000000000u + (uint64_t)k->agents,
                                 .has_key = true};
    crypto_sha256(sum, &record.public_no, sizeof record.public_no); // seats go by id: the same in every run
    memcpy(record.id.byte, sum, sizeof record.id.byte);
    uuid_mark_random(&record.id);
    crypto_sha256(record.key_hash, name, strlen(name));
    snprintf(record.name, sizeof record.name, "%s", name);
    a->kit = k;
    a->id = record.id;
    a->said = text_on(a->bytes, sizeof a->bytes - 1);
    a->agent = lobby_agent_add(k->lobby, &record);
    lobby_agent_hold(a->agent);
    return a;
}

void kit_edit(struct kit_agent *a, void (*edit)(struct store_agent *record))
{
    edit(lobby_agent_edit(a->agent));
    lobby_agent_save(a->kit->lobby, a->agent);
    lobby_policy_changed(a->kit->lobby, a->agent, a->kit->now_ms);
}

void kit_dial(struct kit_agent *a, const char *instance)
{
    static struct client clients[1 << 16]; // a link may be told that it is gone long after
    static uint32_t used;
    struct client *c = &clients[used++ % (sizeof clients / sizeof *clients)];
    *c = (struct client){a, ++a->connection};
    a->online = true;
    a->client = c;
    struct lobby_presence p = {.link = &link,
                               .client = c,
                               .instance = instance,
                               .capabilities = 1u << 3,
                               .address = a->address,
                               .conn = a->conn,
                               .relayed = a->relayed};
    lobby_agent_load(a->kit->lobby, a->agent, a->kit->now_ms);
    lobby_connect(a->kit->lobby, a->agent, &p, a->kit->now_ms);
}

void kit_come(struct kit_agent *a, const char *instance)
{
    kit_dial(a, instance);
    lobby_sync(a->kit->lobby, a->agent, a->kit->now_ms);
}

void kit_go(struct kit_agent *a)
{
    a->online = false;
    for (int i = 0; i < a->seats; i++) {
        struct kit_seat *s = &a->seat[i];
        if (!uuid_is_none(s->request) && !s->written)
            s->told = s->sent_before, s->restarted = s->restarted_before;
        s->request = (struct uuid){0};
    }
    lobby_leave(a->kit->lobby, a->agent, a->client, a->kit->now_ms);
}

struct kit_agent *kit_player(struct kit *k, const char *name)
{
    struct kit_agent *a = kit_add(k, name);
    kit_come(a, name);
    return a;
}

const char *kit_join(struct kit_agent *a, const char *game, const char *mode, bool one_shot)
{
    static char refusal[128];
    refusal[0] = 0;
    int err = lobby_join(a->kit->lobby, a->agent, span_of(game), span_of(mode), one_shot, a->kit->now_ms, refusal);
    if (err == OK)
        refusal[0] = 0;
    return refusal;
}

const char *kit_said(struct kit_agent *a)
{
    static char said[KIT_SAID];
    memcpy(said, a->bytes, a->said.size);
    said[a->said.size] = 0;
    a->said = text_on(a->bytes, sizeof a->bytes - 1);
    return said;
}

bool kit_heard(const struct kit_agent *a, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= a->said.size; i++)
        if ((i == 0 || a->bytes[i - 1] == ' ') && memcmp(a->bytes + i, word, size) == 0)
            return true;
    return false;
}

// --- play

struct kit_seat *kit_seat(struct kit_agent *a)
{
    return a->seats ? &a->seat[a->seats - 1] : NULL;
}

struct kit_agent *kit_at(struct kit *k, int seat)
{
    for (int i = k->agents - 1; i >= 0; i--) {
        struct kit_seat *s = kit_seat(&k->agent[i]);
        if (s && s->seat && lobby_seat_index(s->seat) == seat)
            return &k->agent[i];
    }
    return NULL;
}

struct kit_seat *kit_asked(struct kit_agent *a)
{
    for (int i = 0; i < a->seats; i++)
        if (a->online && !a->seat[i].over && !uuid_is_none(a->seat[i].request) &&
            lobby_judge(a->seat[i].seat, &a->seat[i].request, 0) == LOBBY_AWAITED)
            return &a->seat[i];
    return NULL;
}

struct kit_agent *kit_awaited(struct kit *k)
{
    for (int i = 0; i < k->agents; i++)
        if (kit_asked(&k->agent[i]))
            return &k->agent[i];
    return NULL;
}

void kit_written(struct kit *k)
{
    kit_settle(k); // nothing leaves before
    for (int i = 0; i < k->agents; i++)
        for (int n = 0; n < k->agent[i].seats; n++) {
            struct kit_seat *s = &k->agent[i].seat[n];
            if (s->written || s->over || uuid_is_none(s->request))
                continue;
            s->written = true;
            lobby_asked(k->lobby, s->seat, k->now_ms);
        }
}

struct game_action kit_choose(const struct kit_seat *s, struct rng *dice)
{
    struct game_choice choices[GAME_MAX_CHOICES];
    int count = lobby_seat_choices(s->seat, choices);
    assert(count > 0);
    return dice ? bot_pick_uniform(choices, count, dice) : choices[0].first;
}

int kit_answer(struct kit_agent *a, struct kit_seat *s, struct game_action action)
{
    struct lobby *l = a->kit->lobby;
    struct uuid request = s->request;
    if (lobby_judge(s->seat, &request, a->kit->now_ms) == LOBBY_STALE)
        return ERR_STALE;
    if (!lobby_is_legal(s->seat, action)) {
        lobby_refuse(l, s->seat, a->kit->now_ms);
        return ERR_ACTION;
    }
    return lobby_answer(l, s->seat, action, (struct span){0}, a->kit->now_ms);
}

bool kit_play_out(struct kit *k, struct rng *dice, int steps)
{
    for (int i = 0; i < steps; i++) {
        struct kit_agent *a = kit_awaited(k);
        if (!a && lobby_next_due(k->lobby) > k->now_ms)
            return true;
        if (!a) {
            lobby_tick(k->lobby, k->now_ms);
            continue;
        }
        struct kit_seat *s = kit_asked(a);
        lobby_asked(k->lobby, s->seat, k->now_ms);
        int err = kit_answer(a, s, kit_choose(s, dice));
        assert(err == OK);
        if (i % 16 == 0)
            store_submit(k->store);
    }
    return false;
}
