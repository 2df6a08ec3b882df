// The games of a tournament, in order, and their replays. The file has rows of one width, so that a page of games is a
// short read however many there are.
#include "tournaments/internal.h"

#include "base/json_write.h"
#include "crypto/crypto.h"
#include "lobby/scoring.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum {
    ROW = 256, // bytes of a row: a JSON object, blanks, a line feed
    AT_ONCE = 32,
    DEPTH = 4,
    // So a replay's id leads to its file without a table; the last four bytes hold any game's number.
    TAG = 12, // bytes that a tournament's id and its replays' ids have in common; the game's number follows
};

// --- writing

static uint8_t forfeit_reason(const struct contest_result *r)
{
    if (r->at_fault < 0)
        return LOBBY_NO_FORFEIT;
    const uint16_t *trouble = r->trouble[r->at_fault];
    if (trouble[CONTEST_ILLEGAL])
        return LOBBY_FORFEIT_INVALID_ACTION;
    return trouble[CONTEST_TIMEOUT] ? LOBBY_FORFEIT_TIMEOUT : LOBBY_FORFEIT_DISCONNECT;
}

void games_write(FILE *f, const struct contest *c, uint64_t index)
{
    char row[ROW];
    struct text t = text_on(row, sizeof row - 1);
    struct contest_game g;
    const struct contest_result *r = &c->results[index];
    contest_make_game(c, index, &g);
    json_begin_object(&t);
    json_put_uint(&t, "index", index);
    json_begin_array_at(&t, "entrants");
    for (int s = 0; s < c->plan.seats; s++)
        json_write_int(&t, g.entrant[s]);
    json_end_array(&t);
    json_begin_array_at(&t, "payoffs");
    for (int s = 0; s < c->plan.seats; s++)
        json_write_int(&t, r->end == CONTEST_ABORTED ? 0 : r->payoffs[s]); // an aborted game has no payoffs
    json_end_array(&t);
    json_put_text(&t, "end", contest_end_names[r->end]);
    json_put_int(&t, "at_fault", r->at_fault);
    json_put_int(&t, "forfeit", forfeit_reason(r));
    json_put_uint(&t, "seed", g.seed);
    json_put_int(&t, "at_ms", r->at_ms);
    json_end_object(&t);
    assert(!t.full);
    memset(row + t.size, ' ', sizeof row - t.size);
    row[sizeof row - 1] = '\n';
    fwrite(row, 1, sizeof row, f); // an error is reported by the next flush
}

// --- reading

static int read_seats(struct json_reader *r, int32_t out[GAME_MAX_SEATS])
{
    int seats = 0;
    for (json_enter_array(r); json_next_item(r);)
        if (seats == GAME_MAX_SEATS)
            json_fail(r, ERR_FORMAT);
        else
            out[seats++] = (int32_t)json_read_int(r, INT32_MIN, INT32_MAX);
    return seats;
}

static int read_row(const struct tournament *x, struct span row, uint64_t index, struct tournament_game *g)
{
    struct json_reader r = json_reader_of(row, DEPTH);
    struct json_string key;
    int32_t who[GAME_MAX_SEATS] = {0};
    int seats = 0, end = -1;
    *g = (struct tournament_game){.index = UINT64_MAX};
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        if (json_string_is(key, "index"))
            g->index = json_read_uint(&r, CONTEST_MAX_GAMES);
        else if (json_string_is(key, "entrants"))
            g->seats = read_seats(&r, who);
        else if (json_string_is(key, "payoffs"))
            seats = read_seats(&r, g->payoffs);
        else if (json_string_is(key, "end"))
            end = json_string_among(json_read_string(&r), contest_end_names);
        else if (json_string_is(key, "at_fault"))
            g->at_fault = (int8_t)json_read_int(&r, -1, GAME_MAX_SEATS - 1);
        else if (json_string_is(key, "forfeit"))
            g->forfeit = (uint8_t)json_read_int(&r, 0, UINT8_MAX);
        else if (json_string_is(key, "seed"))
            g->seed = json_read_uint(&r, UINT64_MAX);
        else if (json_string_is(key, "at_ms"))
            g->at_ms = json_read_int(&r, 0, INT64_MAX);
        else
            json_skip(&r);
    }
    if (json_finish(&r) != OK || g->index != index || seats != g->seats || end <= CONTEST_UNPLAYED)
        return ERR_FORMAT;
    g->end = (enum contest_end)end;
    for (int s = 0; s < g->seats; s++) {
        if (who[s] < 0 || who[s] >= x->entrants)
            return ERR_FORMAT;
        g->entrant[s] = (int8_t)who[s];
    }
    return OK;
}

// Reads at most `room` rows. Returns how many, or ERR_STORAGE.
static int read_rows(const struct tournament *x, int fd, uint64_t from, struct tournament_game *out, int room)
{
    char rows[AT_ONCE][ROW];
    int count = 0;
    while (count < room) {
        int wanted = room - count < AT_ONCE ? room - count : AT_ONCE;
        uint64_t first = from + (uint64_t)count;
        size_t size = (size_t)wanted * ROW;
        int64_t got = tournament_is_shared(x) ? director_read(x, "games", rows, size, first * ROW)
                                              : pread(fd, rows, size, (off_t)(first * ROW));
        if (got < 0)
            return ERR_STORAGE;
        for (int i = 0; i < (int)(got / ROW); i++, count++)
            if (read_row(x, (struct span){rows[i], ROW}, first + (uint64_t)i, &out[count]) != OK)
                return ERR_STORAGE;
        if (got < (int64_t)wanted * ROW)
            break;
    }
    return count;
}

// --- replays

static struct uuid make_replay_id(const struct tournament *x, uint64_t index)
{
    struct uuid id = x->id;
    for (int i = 0; i < UUID_BYTES - TAG; i++)
        id.byte[UUID_BYTES - 1 - i] = (uint8_t)(index >> 8 * i);
    return id;
}

bool tournaments_shows(const struct tournaments *t, const struct store_match *m)
{
    if (strcmp(m->mode, "tournament") != 0)
        return true;
    for (int i = 0; i < t->count; i++) {
        const struct tournament *x = t->at[i];
        if (x->status == TOURNAMENT_RUNNING && x->has_agents && x->mirrored && m->created_ms >= x->created_ms &&
            strcmp(x->game_name, m->game) == 0)
            return false;
    }
    return true;
}

static void replay_path(const struct tournament *x, uint64_t index, char out[TOURNAMENT_PATH])
{
    char file[48];
    snprintf(file, sizeof file, "replays/%06ju.agon", (uintmax_t)index);
    tournament_path(x, file, out);
}

static struct uuid find_replay(const struct tournament *x, const struct tournament_game *g)
{
    struct store_match m;
    if (g->end == CONTEST_ABORTED)
        return (struct uuid){0};
    if (!x->has_agents && x->status == TOURNAMENT_RUNNING && x->outside)
        return (struct uuid){0}; // not while it runs: HTTP bots must not learn the cards of later games from it
    if (!x->has_agents) {
        char path[TOURNAMENT_PATH];
        replay_path(x, g->index, path);
        // With several nodes only the one that played the game has its replay.
        bool here = !tournament_is_shared(x) || access(path, R_OK) == 0;
        return here ? make_replay_id(x, g->index) : (struct uuid){0};
    }
    bool found = store_find_match(lobby_store(x->owner->o.lobby), agent_matches_id(x, g->index), &m);
    return found && m.status == STORE_FINISHED && tournaments_shows(x->owner, &m) ? m.replay : (struct uuid){0};
}

int tournament_list_games(const struct tournament *x, uint64_t from, struct tournament_game *out, int room,
                          uint64_t *total)
{
    char path[TOURNAMENT_PATH];
    *total = tournament_summary(x).done;
    uint64_t left = from < *total ? *total - from : 0;
    if (left == 0)
        return 0;
    tournament_path(x, "games", path);
    int fd = tournament_is_shared(x) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && !tournament_is_shared(x))
        return ERR_STORAGE;
    int count = read_rows(x, fd, from, out, left < (uint64_t)room ? (int)left : room);
    if (fd >= 0)
        close(fd);
    for (int i = 0; i < count; i++)
        out[i].replay = find_replay(x, &out[i]);
    return count;
}

static const struct tournament *find_by_replay(const struct tournaments *t, struct uuid replay, uint64_t *index)
{
    *index = 0;
    for (int i = TAG; i < UUID_BYTES; i++)
        *index = *index << 8 | replay.byte[i];
    for (int i = t->count - 1; i >= 0; i--)
        if (memcmp(t->at[i]->id.byte, replay.byte, TAG) == 0)
            return t->at[i];
    return NULL;
}

// Fills a record as if the game had been a match of the arena.
static void write_record(const struct tournament *x, const struct tournament_game *g, struct store_match *m)
{
    const struct game *game = x->game->codec->game;
    *m = (struct store_match){
        .id = g->replay,
        .replay = g->replay,
        .mode = "tournament",
        .created_ms = g->at_ms,
        .started_ms = g->at_ms,
        .finished_ms = g->at_ms,
        .seats = g->seats,
        .teams = game->teams,
        .status = STORE_FINISHED,
        .forfeited_by = g->at_fault,
        .forfeit_reason = g->forfeit,
    };
    snprintf(m->game, sizeof m->game, "%s", game->name);
    crypto_seed_key(m->key, game->name, g->seed);
    crypto_sha256(m->commitment, m->key, sizeof m->key);
    for (int s = 0; s < g->seats; s++) {
        m->payoffs[s] = g->payoffs[s];
        m->seat[s].agent = x->entrant[g->entrant[s]].agent;
        snprintf(m->seat[s].name, sizeof m->seat[s].name, "%.*s", STORE_NAME - 1, x->entrant[g->entrant[s]].shown);
    }
    scoring_set_results(m);
}

int tournaments_load_replay(const struct tournaments *t, struct uuid replay, struct store_match *m, struct text *log)
{
    uint64_t index, total;
    struct tournament_game g;
    char path[TOURNAMENT_PATH];
    const struct tournament *x = find_by_replay(t, replay, &index);
    if (!x || !x->game || x->has_agents)
        return ERR_UNKNOWN;
    int count = tournament_list_games(x, index, &g, 1, &total);
    if (count < 0)
        return count;
    if (count == 0 || uuid_is_none(g.replay))
        return ERR_UNKNOWN;
    write_record(x, &g, m);
    replay_path(x, index, path);
    return tournament_read_file(path, log);
}
