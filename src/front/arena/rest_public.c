// Public requests (F5.8): health, games, live and finished matches.
#include "front/arena/feeds.h"
#include "front/arena/game_over.h"
#include "front/arena/rest_internal.h"
#include "games/games.h"
#include "heap/heap.h"

#include <stdlib.h>

// What a page may use on this server: 1: guests, tables, hints, rules and boards on one socket; 2: statistics,
// rematches, decisions, clocks of spectators, tables outside the arena.
enum {
    PAGE_VERSION = 2,    // of the page, for scripts that read /api/health
    LIVE_LISTED = 200,   // running matches of this node, of other nodes, and tables: each at most so many
    LIVE_STATES = 24,    // of these, the newest that are described with their state: a screen of pictures
    MATCHES_LISTED = 50, // F5.8
    MATCHES_USUAL = 20,
};

void rest_health(struct rest_call *c)
{
    struct lobby_figures f;
    struct text *t = &c->out;
    lobby_figures_of_all(c->rest->lobby, &f);
    json_begin_object(t);
    // F8.6: below the margin no match begins.
    json_put_text(t, "status",
                  store_damages(c->rest->store)         ? "damaged"
                  : store_lacks_standby(c->rest->store) ? "no_standby"
                  : store_is_away(c->rest->store)       ? "store_away"
                  : !store_has_room(c->rest->store)     ? "low_space"
                  : c->rest->bus_away                   ? "bus_away"
                  : lobby_is_draining(c->rest->lobby)   ? "draining"
                                                        : "ok");
    json_put_text(t, "version", AGON_VERSION);
    json_put_text(t, "protocol", "v1.2.0");
    rfc3339_put(t, "server_time", c->now_ms);
    json_put_uint(t, "matches_active", f.matches_active);
    json_put_uint(t, "agents_online", f.agents_online);
    json_put_int(t, "page", PAGE_VERSION);
    json_end_object(t);
}

// For a load balancer: whether agents should be sent here. Answered without reading from the store.
void rest_ready(struct rest_call *c)
{
    const struct store *s = c->rest->store;
    const char *why = store_fault(s)[0]                   ? "the store has failed"
                      : store_lacks_standby(s)            ? "the arena's database has no synchronous standby"
                      : store_is_away(s)                  ? "the arena cannot reach its store"
                      : lobby_is_draining(c->rest->lobby) ? "the server is draining"
                      : store_is_shared(s) && !store_is_live(s, store_my_epoch(s)) ? "the node was taken over"
                                                                                   : c->rest->unready;
    if (why) {
        rest_fail(c, 503, "%s", why);
        return;
    }
    json_begin_object(&c->out);
    json_put_bool(&c->out, "ready", true);
    json_end_object(&c->out);
}

void rest_games(struct rest_call *c)
{
    struct text *t = &c->out;
    json_begin_object(t);
    json_begin_array_at(t, "games");
    for (const struct lobby_game *g = lobby_options_of(c->rest->lobby)->games; g->codec; g++) {
        if (!rest_may_name(c, g))
            continue;
        json_begin_object(t);
        json_put_text(t, "name", g->codec->game->name);
        json_put_text(t, "display_name", dialect_title(games_find(g->codec->game->name)));
        json_put_int(t, "min_players", g->min_seats);
        json_put_int(t, "max_players", g->max_seats);
        json_end_object(t);
    }
    json_end_array(t);
    json_end_object(t);
    rest_tag_answer(c);
}

void rest_rules(struct rest_call *c)
{
    const struct lobby_game *g = rest_find_game(c, c->id, 404);
    union game_rules rules;
    if (!g)
        return;
    lobby_read_rules(c->rest->lobby, g, false, &rules);
    json_begin_object(&c->out);
    json_key(&c->out, "rules");
    dialect_write_rules(games_find(g->codec->game->name), &c->out, &rules, g->min_seats);
    json_end_object(&c->out);
}

// `sort` of a list: newest, the default, or interest. Returns false if refused.
static bool read_sort(struct rest_call *c, bool *by_interest)
{
    char sort[16] = "newest";
    bool fits = !http_has_query(c->r, "sort") || http_query(c->r, "sort", sort, sizeof sort);
    *by_interest = strcmp(sort, "interest") == 0;
    if (fits && (*by_interest || strcmp(sort, "newest") == 0))
        return true;
    rest_fail(c, 400, "sort must be newest or interest");
    return false;
}

// --- live matches: places without names (F2.7)

static bool is_ranked(const struct lobby_live *m)
{
    return strcmp(m->mode, "ranked") == 0;
}

static bool find_event(const void *source, uint32_t seq, struct match_event *out)
{
    return lobby_live_event(source, seq, out);
}

static void put_state(struct text *t, const struct lobby_live *m, int64_t now_ms)
{
    union game_view view;
    struct arena_observation seen = {.table = dialect_table(m->seats, GAME_SPECTATOR),
                                     .view = &view,
                                     .event = find_event,
                                     .source = m,
                                     .events = m->seq};
    lobby_live_view(m, now_ms, &view);
    json_key(t, "state");
    dialect_write_state(games_find(m->game->codec->game->name), t, &seen);
}

static void write_live(struct text *t, const struct lobby_live *m, int64_t now_ms, bool state)
{
    char name[16] = "Player ";
    json_begin_object(t);
    uuid_put(t, "id", m->live);
    json_put_text(t, "game", m->game->codec->game->name);
    json_put_text(t, "mode", m->mode);
    json_put_text(t, "status", "active");
    json_put_bool(t, "rated", is_ranked(m)); // players are not named before the end
    json_begin_array_at(t, "players");
    for (int i = 0; i < m->seats; i++) {
        struct text number = text_on(name + 7, sizeof name - 8);
        text_put_int(&number, i + 1);
        name[7 + number.size] = 0;
        json_begin_object(t);
        json_put_text(t, "player_id", dialect_pids[i]);
        json_put_int(t, "position", i);
        json_put_text(t, "name", name);
        json_end_object(t);
    }
    json_end_array(t);
    rfc3339_put(t, "created_at", m->created_ms);
    rfc3339_put(t, "started_at", m->started_ms);
    json_put_int(t, "spectators", m->spectators);
    json_put_int(t, "delay_seconds", (m->delay_ms + 999) / 1000);
    json_put_uint(t, "seq", m->seq);
    json_put_decimal(t, "swing", m->swing / 1000.0, 3);
    if (state)
        put_state(t, m, now_ms);
    game_over_put_commitment(t, m->match);
    json_end_object(t);
}

// --- rows of all nodes (S49)

struct live_list {
    int count, total;
    // Of this node, of the nodes that have answered, and from the store of those that have not.
    struct feeds_row row[3 * LIVE_LISTED];
    size_t at[3 * LIVE_LISTED]; // offset of its JSON in `text`; its span has the size
    struct text text;
};

static void add_row(struct live_list *l, const struct feeds_row *row)
{
    if (l->count == (int)(sizeof l->row / sizeof *l->row))
        return;
    l->row[l->count] = *row;
    l->at[l->count++] = l->text.size;
    text_put(&l->text, row->json);
}

static struct feeds_row row_of(const struct lobby_live *m)
{
    return (struct feeds_row){.started_ms = m->started_ms,
                              .spectators = (uint32_t)m->spectators,
                              .swing = m->swing,
                              .seq = m->seq,
                              .rated = is_ranked(m)};
}

static void add_match(struct live_list *l, const struct lobby_live *m, int64_t now_ms, bool state)
{
    struct text json = {.grow = heap_text_grow};
    struct feeds_row row = row_of(m);
    write_live(&json, m, now_ms, state);
    row.json = text_span(&json);
    add_row(l, &row);
    free(json.at);
}

// Most watched first, then rated, then those that swing most, then those that have progressed furthest; else newest
// first. Only what spectators have seen counts.
static int by_live_interest(const void *a, const void *b)
{
    const struct feeds_row *x = a, *y = b;
    if (x->spectators != y->spectators)
        return x->spectators < y->spectators ? 1 : -1;
    if (x->rated != y->rated)
        return y->rated - x->rated;
    if (x->swing != y->swing)
        return x->swing < y->swing ? 1 : -1;
    if (x->seq != y->seq)
        return x->seq < y->seq ? 1 : -1;
    return (x->started_ms < y->started_ms) - (x->started_ms > y->started_ms);
}

static int by_interest_of_live(const void *a, const void *b)
{
    struct feeds_row x = row_of(a), y = row_of(b);
    return by_live_interest(&x, &y);
}

static int by_age(const void *a, const void *b)
{
    const struct feeds_row *x = a, *y = b;
    if (x->started_ms != y->started_ms)
        return x->started_ms < y->started_ms ? 1 : -1;
    return (x->json.size > y->json.size) - (x->json.size < y->json.size);
}

// Matches of this node. States are long, and included for the first ones only.
static void add_local_matches(struct live_list *l, struct arena_rest *rest, int64_t now_ms, unsigned query)
{
    struct lobby_live *rows = malloc(LIVE_LISTED * sizeof *rows);
    int total = 0, count = rows ? lobby_list_live(rest->lobby, now_ms, rows, LIVE_LISTED, &total) : 0;
    if (count && query & FEEDS_BY_INTEREST) // rows is NULL if memory is short
        qsort(rows, (size_t)count, sizeof *rows, by_interest_of_live);
    for (int i = 0; i < count; i++)
        add_match(l, &rows[i], now_ms, query & FEEDS_STATES && i < LIVE_STATES);
    l->total += total;
    free(rows);
}

static bool has_answered(const struct arena_rest *rest, uint64_t epoch, unsigned query)
{
    return rest->feeds && feeds_find_answer(rest->feeds, epoch, query);
}

static void add_remote_rows(struct live_list *l, struct arena_rest *rest, unsigned query)
{
    struct store_node node[STORE_NODES];
    int nodes = rest->feeds ? store_list_nodes(rest->store, node, STORE_NODES) : 0;
    for (int i = 0; i < nodes; i++) {
        const struct feeds_answer *a = feeds_find_answer(rest->feeds, node[i].epoch, query);
        struct span rows = a ? text_span(&a->rows) : (struct span){0};
        struct feeds_row row;
        while (feeds_next_row(&rows, &row))
            add_row(l, &row);
        l->total += a ? a->total : 0;
    }
}

// For nodes that have not answered: what the store knows.
static void add_stored(struct live_list *l, struct rest_call *c, unsigned query)
{
    struct arena_rest *rest = c->rest;
    struct store_elsewhere *rows = malloc(LIVE_LISTED * sizeof *rows);
    int64_t delay_ms = lobby_options_of(rest->lobby)->spectate_delay_ms;
    int total = 0, count = rows ? store_list_elsewhere(rest->store, rows, LIVE_LISTED, &total) : 0;
    for (int i = 0; i < count; i++) {
        const struct store_match *m = &rows[i].match;
        const struct lobby_game *g = lobby_find_game(rest->lobby, span_of(m->game));
        if (!g || has_answered(rest, rows[i].at.epoch, query))
            continue;
        struct lobby_live live = {.live = m->live,
                                  .game = g,
                                  .mode = m->mode,
                                  .seats = m->seats,
                                  .created_ms = m->created_ms,
                                  .started_ms = m->started_ms,
                                  .delay_ms = rows[i].house ? 0 : delay_ms,
                                  .match = m};
        add_match(l, &live, c->now_ms, false);
        l->total++;
    }
    free(rows);
}

static bool have_all_answered(const struct arena_rest *rest, unsigned query)
{
    struct store_node node[STORE_NODES];
    int nodes = store_list_nodes(rest->store, node, STORE_NODES);
    for (int i = 0; i < nodes; i++)
        if (node[i].epoch != store_my_epoch(rest->store) && !has_answered(rest, node[i].epoch, query))
            return false;
    return true;
}

int rest_write_live_rows(void *owner, unsigned query, struct text *out)
{
    struct arena_rest *rest = owner;
    struct live_list *l = calloc(1, sizeof *l);
    if (!l)
        return 0;
    l->text.grow = heap_text_grow;
    add_local_matches(l, rest, rest->options.now_ms(), query);
    for (int i = 0; i < l->count; i++) {
        l->row[i].json.at = l->text.at + l->at[i];
        feeds_put_row(out, &l->row[i]);
    }
    int total = l->total;
    free(l->text.at);
    free(l);
    return total;
}

static void write_rows(struct rest_call *c, struct live_list *l, bool by_interest)
{
    struct rest_page all = {.limit = LIVE_LISTED};
    for (int i = 0; i < l->count; i++)
        l->row[i].json.at = l->text.at + l->at[i];
    if (by_interest || store_is_shared(c->rest->store)) // one node has them in order
        qsort(l->row, (size_t)l->count, sizeof *l->row, by_interest ? by_live_interest : by_age);
    int count = l->count < LIVE_LISTED ? l->count : LIVE_LISTED;
    json_begin_object(&c->out);
    json_begin_array_at(&c->out, "matches");
    for (int i = 0; i < count; i++)
        json_write_raw(&c->out, l->row[i].json);
    json_end_array(&c->out);
    json_key(&c->out, "tables");
    if (c->rest->options.write_tables)
        c->rest->options.write_tables(c->rest->options.tables_owner, &c->out);
    else
        text_puts(&c->out, "[]");
    rest_put_page(&c->out, count, l->total, &all);
    json_end_object(&c->out);
}

void rest_live(struct rest_call *c)
{
    char state[8] = "";
    bool by_interest;
    if (!read_sort(c, &by_interest))
        return;
    http_query(c->r, "state", state, sizeof state);
    unsigned query = (strcmp(state, "1") == 0 ? FEEDS_STATES : 0) | (by_interest ? FEEDS_BY_INTEREST : 0);
    if (c->rest->feeds)
        feeds_fetch(c->rest->feeds, query);
    struct live_list *l = calloc(1, sizeof *l);
    if (!l) {
        rest_fail(c, 503, "the server has no memory left; try again");
        return;
    }
    l->text.grow = heap_text_grow;
    if (store_is_shared(c->rest->store) && !have_all_answered(c->rest, query))
        add_stored(l, c, query); // first, because it reads and other data may change meanwhile
    add_local_matches(l, c->rest, c->now_ms, query);
    add_remote_rows(l, c->rest, query);
    write_rows(c, l, by_interest);
    free(l->text.at);
    free(l);
}

// --- finished matches

// The replay of a game whose cards will be dealt again is not shown yet (F5.13).
static void write_summary(struct rest_call *c, const struct store_match *m)
{
    struct text *t = &c->out;
    json_begin_object(t);
    rest_put_completed(t, m);
    json_put_bool(t, "rated", m->rated);
    rfc3339_put(t, "started_at", m->started_ms);
    rfc3339_put(t, "finished_at", m->finished_ms);
    json_put_int(t, "duration_ms", m->finished_ms - m->started_ms);
    json_put_decimal(t, "swing", m->swing / 1000.0, 3);
    json_put_decimal(t, "largest_swing", m->largest_swing / 1000.0, 3);
    if (rest_shows_replay(c->rest, m))
        rest_put_replay_url(t, "replay_url", m);
    else
        json_put_null(t, "replay_url");
    rest_put_forfeit(t, m);
    json_end_object(t);
}

// Lead of the best over the second best (of another team).
static int64_t lead_of(const struct store_match *m)
{
    int best = 0;
    int64_t second = INT64_MIN;
    for (int i = 1; i < m->seats; i++)
        if (m->payoffs[i] > m->payoffs[best])
            best = i;
    for (int i = 0; i < m->seats; i++)
        if (m->payoffs[i] > second && i != best && !(m->teams && i % m->teams == best % m->teams))
            second = m->payoffs[i];
    return second == INT64_MIN ? 0 : m->payoffs[best] - second;
}

// The interest of a match, relative to those of its game in the list: swing, length, clarity. The swing counts most: of
// chips, dice, cards or points, as everybody could see them (stats/swing.h).
static double interest_of(const struct store_match *m, const struct store_match *all, int count)
{
    uint32_t longest = 1, wildest = 1, largest = 1;
    int64_t clearest = 1;
    for (int i = 0; i < count; i++) {
        if (strcmp(all[i].game, m->game) != 0)
            continue;
        longest = all[i].events > longest ? all[i].events : longest;
        wildest = all[i].swing > wildest ? all[i].swing : wildest;
        largest = all[i].largest_swing > largest ? all[i].largest_swing : largest;
        clearest = lead_of(&all[i]) > clearest ? lead_of(&all[i]) : clearest;
    }
    double length = (double)m->events / longest, closeness = 1 - (double)lead_of(m) / (double)clearest;
    double swing = (double)m->swing / wildest + (double)m->largest_swing / largest;
    // F5.8 fixes only the order of the criteria: the swing counts up to 4 here, being rated 1, length and
    // closeness 1/2 each.
    return m->forfeit_reason ? 0 : 2 * swing + 0.5 * length + 0.5 * closeness + m->rated;
}

struct ranked {
    double interest;
    int at; // position in the list: its age
};

static int by_interest(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->interest != y->interest ? (x->interest < y->interest ? 1 : -1) : x->at - y->at;
}

// F5.8: of the newest, as many as fit on a page, most interesting first: they swing, are rated, long, close, and played
// to the end.
static int list_by_interest(struct rest_call *c, const char *game, const struct rest_page *page,
                            struct store_match rows[MATCHES_LISTED], int order[MATCHES_LISTED], int *total)
{
    struct ranked ranked[MATCHES_LISTED];
    int all = store_list_matches(c->rest->store, game, NULL, 0, rows, MATCHES_LISTED, total), count = 0;
    for (int i = 0; i < all; i++)
        ranked[i] = (struct ranked){interest_of(&rows[i], rows, all), i};
    qsort(ranked, (size_t)all, sizeof *ranked, by_interest);
    for (int i = page->from; i < all && count < page->limit; i++)
        order[count++] = ranked[i].at;
    *total = all;
    return count;
}

void rest_list_matches(struct rest_call *c, const struct uuid *agent)
{
    struct store_match rows[MATCHES_LISTED];
    struct rest_page page;
    char game[REST_GAME];
    int total, count, order[MATCHES_LISTED];
    bool interest = false;
    if (!rest_read_page(c, MATCHES_USUAL, MATCHES_LISTED, &page) || !rest_read_game(c, game) ||
        (!agent && !read_sort(c, &interest)))
        return;
    const char *only = game[0] ? game : NULL;
    if (interest)
        count = list_by_interest(c, only, &page, rows, order, &total);
    else
        count = store_list_matches(c->rest->store, only, agent, page.from, rows, page.limit, &total);
    json_begin_object(&c->out);
    json_begin_array_at(&c->out, "matches");
    for (int i = 0; i < count; i++)
        write_summary(c, &rows[interest ? order[i] : i]);
    json_end_array(&c->out);
    rest_put_page(&c->out, count, total, &page);
    json_end_object(&c->out);
}

void rest_matches(struct rest_call *c)
{
    rest_list_matches(c, NULL);
}

void rest_events(struct rest_call *c)
{
    text_puts(&c->out, "{\"events\":[],\"count\":0}");
}
