// Operations that preserve a game: save and restore a state, finish a replay.
#include "app/engine.h"

#include "base/base64.h"
#include "base/hash.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { SAVED_FORMAT = 1 };

// The head of a saved game, in this machine's byte order; the rules and the state follow. The caller keeps it. The hash
// detects damage, but not forgery: the caller is the referee anyway.
struct saved {
    char magic[4];
    uint32_t format;
    char game[32];
    uint32_t rules_version;
    uint32_t rules_size;
    uint32_t state_size;
    int32_t seats;
    char name[GAME_MAX_SEATS][MATCH_NAME_ROOM];
    uint64_t steps;
    uint32_t since_hash, pending_ticks;
    uint64_t log_size, log_hash; // of the replay until then
    uint64_t seen[TABLE_VIEWERS];
    uint16_t leaving;
    uint8_t leave_reason[GAME_MAX_SEATS];
    uint32_t spare;
    uint64_t hash; // of all the rest
};

enum { SAVED_ROOM = sizeof(struct saved) + GAME_MAX_RULES + GAME_MAX_STATE };

// A saved game, unpacked.
struct saved_game {
    struct saved head;
    union game_rules rules;
    union game_state state;
};

static uint64_t hash_saved(const uint8_t *bytes, size_t size)
{
    uint8_t copy[SAVED_ROOM];
    memcpy(copy, bytes, size);
    memset(copy + offsetof(struct saved, hash), 0, sizeof(uint64_t));
    return hash_bytes(copy, size);
}

int engine_save(struct engine *e, const struct engine_request *r)
{
    (void)r;
    const struct table *t = e->live;
    const struct game *g = e->row->game;
    const struct match *m = &t->match;
    struct saved s = {.magic = "AGSV",
                      .format = SAVED_FORMAT,
                      .rules_version = g->version,
                      .rules_size = g->rules_size,
                      .state_size = g->state_size,
                      .seats = m->seats,
                      .steps = m->steps,
                      .since_hash = m->since_hash,
                      .pending_ticks = m->pending_ticks,
                      .log_size = t->log.size,
                      .log_hash = t->has_log ? hash_bytes(t->log.at, t->log.size) : 0,
                      .leaving = m->leaving};
    snprintf(s.game, sizeof s.game, "%s", g->name);
    memcpy(s.name, t->name, sizeof s.name);
    memcpy(s.leave_reason, m->leave_reason, sizeof s.leave_reason);
    for (int v = 0; v < TABLE_VIEWERS; v++)
        s.seen[v] = t->history[v].dropped + t->history[v].count;

    uint8_t bytes[SAVED_ROOM];
    size_t size = sizeof s + g->rules_size + g->state_size;
    memcpy(bytes, &s, sizeof s);
    memcpy(bytes + sizeof s, &m->rules, g->rules_size);
    memcpy(bytes + sizeof s + g->rules_size, &m->state, g->state_size);
    s.hash = hash_saved(bytes, size);
    memcpy(bytes + offsetof(struct saved, hash), &s.hash, sizeof s.hash);
    json_key(&e->out, "saved");
    text_put_char(&e->out, '"');
    base64_write(&e->out, bytes, size);
    text_put_char(&e->out, '"');
    return OK;
}

static int read_saved(struct engine *e, const struct engine_request *r, struct saved_game *game)
{
    uint8_t bytes[SAVED_ROOM];
    struct saved *s = &game->head;
    const struct game *g = e->row->game;
    struct json_reader in = json_reader_of(r->field[FIELD_SAVED], 1);
    struct json_string given = json_read_string(&in);
    if (r->field[FIELD_SAVED].size == 0 || in.error)
        return engine_refuse(e, ERR_MISSING, "restore needs a member saved: the string from save");
    long size = base64_read(given.raw, bytes, SAVED_ROOM);
    if (size < (long)sizeof *s)
        return engine_refuse(e, ERR_FORMAT, "this is not a saved game");
    memcpy(s, bytes, sizeof *s);
    if (memcmp(s->magic, "AGSV", 4) != 0 || hash_saved(bytes, (size_t)size) != s->hash)
        return engine_refuse(e, ERR_FORMAT, "this is not a saved game, or it is damaged");
    if (strncmp(s->game, g->name, sizeof s->game) != 0)
        return engine_refuse(e, ERR_FORMAT, "this is a game of %.32s, not of %s", s->game, g->name);
    if (s->format != SAVED_FORMAT || s->rules_version != g->version || s->rules_size != g->rules_size ||
        s->state_size != g->state_size || s->seats < g->min_seats || s->seats > g->max_seats ||
        (size_t)size != sizeof *s + g->rules_size + g->state_size)
        return engine_refuse(e, ERR_VERSION, "the state was saved by another version of the program");
    memcpy(&game->rules, bytes + sizeof *s, g->rules_size);
    memcpy(&game->state, bytes + sizeof *s + g->rules_size, g->state_size);
    const char *broken = g->check(&game->state);
    if (broken)
        return engine_refuse(e, ERR_FORMAT, "the state is invalid: %s", broken);
    return OK;
}

// The replay can continue from a state only if it led to that state.
static bool log_leads_to(const struct table *t, const struct saved *s)
{
    return t->row && t->has_log && s->log_size <= t->log.size && !t->log.full &&
           hash_bytes(t->log.at, s->log_size) == s->log_hash;
}

static void load_state(struct table *t, const struct saved_game *game, const struct game *g)
{
    const struct saved *s = &game->head;
    struct match *m = &t->match;
    m->game = g;
    m->seats = s->seats;
    m->steps = s->steps;
    m->since_hash = s->since_hash;
    m->pending_ticks = s->pending_ticks;
    m->leaving = s->leaving;
    memcpy(m->leave_reason, s->leave_reason, sizeof m->leave_reason);
    memcpy(&m->rules, &game->rules, g->rules_size);
    memcpy(&m->state, &game->state, g->state_size);
    memcpy(t->name, s->name, sizeof t->name);
}

int engine_restore(struct engine *e, const struct engine_request *r)
{
    struct saved_game game = {0};
    int err = read_saved(e, r, &game);
    if (err != OK)
        return err;
    struct table *t = e->live;
    bool same = log_leads_to(t, &game.head);
    static const uint64_t nothing[TABLE_VIEWERS];
    table_trim_history(t, same ? game.head.seen : nothing);
    load_state(t, &game, e->row->game);
    t->row = e->row;
    t->has_log = same;
    t->finished = false;
    t->log.size = same ? game.head.log_size : 0;
    t->match.log = same ? &t->log : NULL;
    t->happened.count = 0;
    table_name_seats(t);
    t->earned = (struct game_rewards){0};
    json_put_bool(&e->out, "replay", same);
    engine_write_turn(e);
    return OK;
}

static int write_file(struct engine *e, struct span bytes)
{
    FILE *f = fopen(e->replay_path, "wb");
    bool good = f && fwrite(bytes.at, 1, bytes.size, f) == bytes.size;
    good = f && fclose(f) == 0 && good;
    if (!good)
        return engine_refuse(e, ERR_FULL, "cannot write %s: %s", e->replay_path, strerror(errno));
    return OK;
}

int engine_finish(struct engine *e, const struct engine_request *r)
{
    struct table *t = e->live;
    bool reveal = true;
    int err = engine_read_bool(e, r, FIELD_REVEAL, &reveal);
    if (err != OK)
        return err;
    if (!t->has_log)
        return engine_refuse(e, ERR_NO_GAME, "the state was restored from another game, so there is no replay");
    struct match before = t->match;
    size_t size = t->log.size;
    if (match_finish(&t->match, t->key, reveal) != OK)
        return engine_refuse(e, ERR_FULL, "the replay is longer than %d MiB", TABLE_LOG_ROOM >> 20);
    if (e->replay_path)
        err = write_file(e, text_span(&t->log));
    if (err != OK) {
        t->match = before;
        t->log.size = size;
        return err;
    }
    t->finished = true;
    engine_write_payoffs(e);
    json_put_uint(&e->out, "bytes", t->log.size);
    if (e->replay_path) {
        json_put_text(&e->out, "path", e->replay_path);
        return OK;
    }
    json_key(&e->out, "replay");
    text_put_char(&e->out, '"');
    base64_write(&e->out, t->log.at, t->log.size);
    text_put_char(&e->out, '"');
    return OK;
}
