// Ratings: leaderboards, profiles, head-to-head results (F7.8 to F7.12, F5.13).
#include "front/arena/game_over.h"
#include "front/arena/rest_internal.h"
#include "games/games.h"
#include "lobby/latency.h"
#include "lobby/scoring.h"

#include <math.h>

enum {
    BOARD_ROWS = 100, // of a page: the most and, where no limit is given, the usual number
    RECENT = 20,      // of a profile (F7.12); with its points they are index scans of 0.4 ms each
    HISTORY = 500,    // most rating points of a profile; /ratings has all of them in pages
    VERSUS = 500,     // this list has no pages
    NAMES = 50,       // names that a search suggests
    NAMES_USUAL = 20,
    POINTS = 100, // rated matches of a page
};

static const char formula[] = "rating - 2 x deviation, after 5 rated games";

static void put_model(struct text *t, const char *model)
{
    json_put_text(t, "model", model[0] ? model : NULL);
}

static void put_share(struct text *t, const char *key, uint32_t part, uint32_t of, double scale)
{
    rest_put_number(t, key, of ? scale * part / of : 0);
}

// --- one game (F7.10)

// House agents have no place.
static void put_rank(struct text *t, int place)
{
    if (place)
        json_put_int(t, "rank", place);
    else
        json_put_null(t, "rank");
}

static void write_rank(struct text *t, const struct store_rank *row)
{
    json_begin_object(t);
    put_rank(t, row->place);
    uuid_put(t, "agent_id", row->agent);
    json_put_text(t, "agent_name", row->name);
    put_model(t, row->model);
    rest_put_number(t, "display_rating", row->display);
    rest_put_number(t, "rating", row->rating);
    // F7.8: the rating shown is the rating less two deviations.
    rest_put_number(t, "deviation", (row->rating - row->display) / 2);
    json_put_uint(t, "games_played", row->games);
    json_put_uint(t, "wins", row->wins);
    json_put_uint(t, "losses", row->losses);
    json_put_uint(t, "draws", row->draws);
    put_share(t, "win_rate", row->wins, row->games, 100);
    json_begin_array_at(t, "recent_form");
    for (int i = 0; i < STORE_FORM && row->form[i]; i++)
        json_write_text(t, game_over_result_name((uint8_t)row->form[i]));
    json_end_array(t);
    // The bucket of the median and one; 0: none was measured (decision 061).
    if (row->pace)
        json_put_int(t, "p50_ms", latency_bound(row->pace - 1));
    else
        json_put_null(t, "p50_ms");
    json_put_bool(t, "is_house", row->is_house);
    json_end_object(t);
}

void rest_leaderboard_game(struct rest_call *c)
{
    struct store_rank rows[BOARD_ROWS];
    struct rest_page page;
    struct text *t = &c->out;
    const struct lobby_game *g = lobby_find_game(c->rest->lobby, c->id); // F6.B1: no capability is needed
    int total;
    if (!g) {
        rest_fail(c, 404, "unknown game");
        return;
    }
    if (!rest_read_page(c, BOARD_ROWS, BOARD_ROWS, &page))
        return;
    const char *game = g->codec->game->name;
    int count = store_leaderboard(c->rest->store, game, c->now_ms, page.from, rows, page.limit, &total);
    json_begin_object(t);
    json_put_text(t, "game", game);
    json_begin_array_at(t, "leaderboard");
    for (int i = 0; i < count; i++)
        write_rank(t, &rows[i]);
    json_end_array(t);
    rest_put_page(t, count, total, &page);
    json_end_object(t);
    rest_tag_answer(c);
}

// --- all games (F7.11)

static void write_total(struct text *t, const struct store_total *row)
{
    json_begin_object(t);
    put_rank(t, row->place);
    uuid_put(t, "agent_id", row->agent);
    json_put_text(t, "agent_name", row->name);
    put_model(t, row->model);
    rest_put_number(t, "aggregate_rating", row->aggregate);
    json_put_uint(t, "total_games", row->games);
    json_put_uint(t, "total_wins", row->wins);
    json_put_uint(t, "total_losses", row->losses);
    json_put_uint(t, "total_draws", row->draws);
    json_put_int(t, "games_active", row->games_active);
    put_share(t, "win_rate", row->wins, row->games, 100);
    json_put_bool(t, "is_house", row->is_house);
    json_end_object(t);
}

void rest_leaderboard(struct rest_call *c)
{
    struct store_total rows[BOARD_ROWS];
    struct rest_page page;
    struct text *t = &c->out;
    int total;
    if (!rest_read_page(c, BOARD_ROWS, BOARD_ROWS, &page))
        return;
    int count = store_overall(c->rest->store, c->now_ms, page.from, rows, page.limit, &total);
    json_begin_object(t);
    json_begin_array_at(t, "leaderboard");
    for (int i = 0; i < count; i++)
        write_total(t, &rows[i]);
    json_end_array(t);
    rest_put_page(t, count, total, &page);
    json_end_object(t);
    rest_tag_answer(c);
}

// --- a profile (F7.12)

static void put_agent(struct text *t, const struct store_agent *a)
{
    json_begin_object_at(t, "agent");
    uuid_put(t, "id", a->id);
    json_put_text(t, "name", a->name);
    rest_put_public_no(t, a, false);
    put_model(t, a->model);
    json_put_text(t, "description", a->description);
    json_put_bool(t, "is_active", !a->disabled);
    json_put_bool(t, "is_claimed", a->claimed);
    rfc3339_put(t, "created_at", a->created_ms);
    json_put_text(t, "agent_kind", a->kind == STORE_HOUSE ? "house" : "user");
    json_end_object(t);
}

static void put_ratings(struct text *t, const struct store_rating *r, int count, int64_t now_ms)
{
    json_begin_array_at(t, "ratings");
    for (int i = 0; i < count; i++) {
        struct glicko g = scoring_strength(&r[i], now_ms);
        json_begin_object(t);
        json_put_text(t, "game", r[i].game);
        rest_put_number(t, "rating", g.rating);
        rest_put_number(t, "display_rating", glicko_display(g));
        rest_put_number(t, "deviation", g.deviation);
        json_put_uint(t, "games_played", r[i].games);
        json_put_uint(t, "rated_games_played", r[i].rated_games);
        json_put_uint(t, "wins", r[i].wins);
        json_put_uint(t, "losses", r[i].losses);
        json_put_uint(t, "draws", r[i].draws);
        put_share(t, "win_rate", r[i].wins, r[i].games, 1);
        rest_put_number(t, "peak_rating", r[i].peak);
        json_put_int(t, "current_streak", r[i].streak);
        json_put_int(t, "best_streak", r[i].best_streak);
        json_end_object(t);
    }
    json_end_array(t);
}

static void put_summary(struct rest_call *c, struct uuid id, const struct store_rating *r, int count)
{
    struct store_total own;
    struct text *t = &c->out;
    int best = -1;
    uint32_t most = 0;
    double best_display = 0;
    store_overall_of(c->rest->store, id, c->now_ms, &own);
    for (int i = 0; i < count; i++) {
        double display = glicko_display(scoring_strength(&r[i], c->now_ms));
        most = r[i].rated_games > most ? r[i].rated_games : most;
        if (r[i].rated_games && (best < 0 || display > best_display)) {
            best = i;
            best_display = display;
        }
    }
    bool eligible = most >= REST_ELIGIBLE;
    json_begin_object_at(t, "summary");
    json_put_uint(t, "total_games", own.games);
    json_put_uint(t, "total_wins", own.wins);
    json_put_uint(t, "total_losses", own.losses);
    json_put_uint(t, "total_draws", own.draws);
    put_share(t, "overall_win_rate", own.wins, own.games, 1);
    json_put_int(t, "games_active", own.games_active);
    json_put_int(t, "leaderboard_min_games", REST_ELIGIBLE);
    json_put_int(t, "leaderboard_games_needed", eligible ? 0 : (int64_t)REST_ELIGIBLE - most);
    json_put_bool(t, "leaderboard_eligible", eligible);
    if (own.place)
        json_put_int(t, "global_rank", own.place);
    else
        json_put_null(t, "global_rank");
    rest_put_number(t, "aggregate_rating", eligible ? own.aggregate : NAN);
    json_put_text(t, "best_game", best < 0 ? NULL : r[best].game);
    rest_put_number(t, "best_display_rating", best < 0 ? NAN : best_display);
    json_put_text(t, "public_rank_formula", formula);
    json_end_object(t);
}

static void write_recent(struct text *t, const struct store_match *m, int seat)
{
    json_begin_object(t);
    uuid_put(t, "id", m->replay);
    json_put_text(t, "game", m->game);
    json_put_text(t, "mode", m->mode);
    rest_put_result(t, m);
    json_put_text(t, "agent_result", game_over_result_name(m->seat[seat].result));
    json_begin_array_at(t, "opponent_names");
    for (int i = 0; i < m->seats; i++)
        if (i != seat && (!m->teams || (i - seat) % m->teams)) // not its partner
            json_write_text(t, m->seat[i].name);
    json_end_array(t);
    rfc3339_put(t, "finished_at", m->finished_ms);
    json_put_int(t, "duration_ms", m->finished_ms - m->started_ms);
    json_put_int(t, "player_count", m->seats);
    json_end_object(t);
}

static void put_recent(struct rest_call *c, struct uuid id)
{
    struct store_match rows[RECENT];
    int seat[RECENT], count = store_list_recent(c->rest->store, id, rows, seat, RECENT);
    json_begin_array_at(&c->out, "recent_matches");
    for (int i = 0; i < count; i++)
        write_recent(&c->out, &rows[i], seat[i]);
    json_end_array(&c->out);
}

static void put_history(struct rest_call *c, struct uuid id)
{
    struct store_point points[HISTORY];
    struct text *t = &c->out;
    int count = store_rating_history(c->rest->store, id, points, HISTORY);
    json_begin_array_at(t, "rating_history");
    for (int i = 0; i < count; i++) {
        json_begin_object(t);
        json_put_text(t, "game", points[i].game);
        rest_put_number(t, "rating", points[i].rating);
        rest_put_number(t, "deviation", points[i].deviation > 0 ? points[i].deviation : NAN);
        rfc3339_put(t, "recorded_at", points[i].at_ms);
        json_end_object(t);
    }
    json_end_array(t);
}

static void put_latency(struct text *t, const struct store_rating *r, int count)
{
    json_begin_array_at(t, "latency");
    for (int i = 0; i < count; i++) {
        uint64_t decisions = latency_count(r[i].latency);
        if (decisions == 0)
            continue;
        json_begin_object(t);
        json_put_text(t, "game", r[i].game);
        json_put_uint(t, "decisions", decisions);
        json_put_int(t, "p50_ms", latency_percentile(r[i].latency, 50));
        json_put_int(t, "p95_ms", latency_percentile(r[i].latency, 95));
        json_put_int(t, "p99_ms", latency_percentile(r[i].latency, 99));
        json_end_object(t);
    }
    json_end_array(t);
}

static bool find_public_agent(struct rest_call *c, struct store_agent *a)
{
    struct uuid id;
    if (!rest_read_id(c, &id, "agent"))
        return false;
    if (store_find_agent(c->rest->store, id, a) && a->claimed)
        return true;
    rest_fail(c, 404, "unknown agent");
    return false;
}

// S49: a match at another node, like lobby_agent_live for this one.
static bool find_elsewhere(struct rest_call *c, struct uuid id, struct uuid *live)
{
    enum { MOST = 2 };
    struct store_elsewhere at[MOST];
    int64_t delay_ms = lobby_options_of(c->rest->lobby)->spectate_delay_ms;
    int count = store_list_played(c->rest->store, id, at, MOST);
    for (int i = 0; i < count && i < MOST; i++) { // GCC cannot see the bound behind the store's function pointer
        const struct store_match *m = &at[i].match;
        if (strcmp(m->mode, "friendly") != 0 || uuid_is_none(m->challenge) ||
            c->now_ms < m->started_ms + (at[i].house ? 0 : delay_ms))
            continue;
        *live = m->live;
        return true;
    }
    return false;
}

static void put_playing(struct rest_call *c, struct uuid id)
{
    struct uuid live;
    const struct lobby_agent *a = lobby_find_agent(c->rest->lobby, id); // agents that play are in memory
    if ((a && lobby_agent_live(c->rest->lobby, a, c->now_ms, &live)) || find_elsewhere(c, id, &live))
        uuid_put(&c->out, "playing_now", live);
    else
        json_put_null(&c->out, "playing_now");
}

void rest_profile(struct rest_call *c)
{
    struct store_agent a;
    struct store_rating r[LOBBY_GAMES];
    if (!find_public_agent(c, &a))
        return;
    int count = store_ratings(c->rest->store, a.id, r, LOBBY_GAMES);
    json_begin_object(&c->out);
    put_agent(&c->out, &a);
    json_put_bool(&c->out, "online", a.kind == STORE_HOUSE || rest_is_online(c, a.id)); // house players always are
    put_playing(c, a.id);
    put_ratings(&c->out, r, count, c->now_ms);
    put_summary(c, a.id, r, count);
    put_recent(c, a.id);
    put_history(c, a.id);
    put_latency(&c->out, r, count);
    json_begin_array_at(&c->out, "achievements");
    json_end_array(&c->out);
    json_end_object(&c->out);
}

// --- head-to-head results (F5.13)

void rest_versus(struct rest_call *c)
{
    struct store_versus rows[VERSUS];
    struct store_agent a;
    struct text *t = &c->out;
    char game[REST_GAME];
    if (!find_public_agent(c, &a) || !rest_read_game(c, game))
        return;
    int count = store_versus(c->rest->store, a.id, game[0] ? game : NULL, rows, VERSUS);
    json_begin_object(t);
    uuid_put(t, "agent_id", a.id);
    json_begin_array_at(t, "versus");
    for (int i = 0; i < count; i++) {
        json_begin_object(t);
        uuid_put(t, "opponent_id", rows[i].opponent);
        json_put_text(t, "opponent_name", rows[i].name);
        json_put_text(t, "game", rows[i].game);
        json_put_uint(t, "games", rows[i].games);
        json_put_uint(t, "wins", rows[i].wins);
        json_put_uint(t, "losses", rows[i].losses);
        json_put_uint(t, "draws", rows[i].draws);
        json_end_object(t);
    }
    json_end_array(t);
    json_put_int(t, "count", count);
    json_end_object(t);
}

// --- how an agent plays

static void write_counter(struct text *t, const char *game, const struct counter *c, const struct count *n)
{
    static const char *const kinds[] = {[COUNTER_SHARE] = "share", [COUNTER_RATIO] = "ratio", [COUNTER_MEAN] = "mean"};
    json_begin_object(t);
    json_put_text(t, "game", game);
    json_put_text(t, "name", c->name);
    json_put_text(t, "kind", kinds[c->kind]);
    json_put_text(t, "unit", c->unit);
    rest_put_number(t, "scale", c->scale);
    json_put_int(t, "n", n->n);
    json_put_int(t, "of", n->of);
    if (c->kind == COUNTER_MEAN)
        rest_put_number(t, "squares", n->squares);
    json_end_object(t);
}

static bool is_asked_for(const struct store_counters *row, const char *game)
{
    const struct game_kit *k = games_find(row->game);
    return k && k->counters && (!game[0] || strcmp(game, row->game) == 0);
}

void rest_stats(struct rest_call *c)
{
    struct store_counters rows[LOBBY_GAMES];
    struct store_agent a;
    struct text *t = &c->out;
    char game[REST_GAME];
    if (!find_public_agent(c, &a) || !rest_read_game(c, game))
        return;
    int count = store_counters(c->rest->store, a.id, rows, LOBBY_GAMES);
    json_begin_object(t);
    uuid_put(t, "agent_id", a.id);
    json_begin_array_at(t, "stats");
    for (int i = 0; i < count; i++)
        if (is_asked_for(&rows[i], game))
            for (const struct counter *k = games_find(rows[i].game)->counters->list, *at = k; at->name; at++)
                write_counter(t, rows[i].game, at, &rows[i].counts.at[at - k]);
    json_end_array(t);
    json_begin_array_at(t, "matches");
    for (int i = 0; i < count; i++) {
        if (!is_asked_for(&rows[i], game))
            continue;
        json_begin_object(t);
        json_put_text(t, "game", rows[i].game);
        json_put_uint(t, "matches", rows[i].matches);
        rfc3339_put(t, "since", rows[i].since_ms);
        json_end_object(t);
    }
    json_end_array(t);
    json_end_object(t);
}

// --- pages of a profile

static void write_name(struct rest_call *c, const struct store_agent_name *a, bool online)
{
    static const char *const kinds[] = {
        [STORE_CLIENT] = "agent", [STORE_HOUSE] = "house", [STORE_REMOTE] = "bot", [STORE_GUEST] = "guest"};
    struct text *t = &c->out;
    json_begin_object(t);
    uuid_put(t, "id", a->id);
    json_put_text(t, "name", a->name);
    put_model(t, a->model);
    json_put_text(t, "kind", kinds[a->kind]);
    json_put_bool(t, "online", online || a->kind == STORE_HOUSE);
    json_end_object(t);
}

// Reads one row more instead of counting: it tells whether there is another page.
static void put_more(struct text *t, int count, const struct rest_page *page)
{
    json_put_int(t, "count", count < page->limit ? count : page->limit);
    json_put_bool(t, "has_more", count > page->limit);
}

void rest_find_agents(struct rest_call *c)
{
    struct store_agent_name rows[NAMES + 1];
    struct uuid ids[NAMES + 1];
    bool online[NAMES + 1];
    struct rest_page page;
    char name[STORE_NAME] = "";
    if (!rest_read_page(c, NAMES_USUAL, NAMES, &page))
        return;
    if (http_has_query(c->r, "name") && !http_query(c->r, "name", name, sizeof name)) {
        rest_fail(c, 400, "name has at most %d bytes", STORE_NAME - 1);
        return;
    }
    int count = store_find_names(c->rest->store, name, page.from, rows, page.limit + 1);
    for (int i = 0; i < count; i++)
        ids[i] = rows[i].id;
    rest_find_online(c, ids, count, online);
    json_begin_object(&c->out);
    json_begin_array_at(&c->out, "agents");
    for (int i = 0; i < count && i < page.limit; i++)
        write_name(c, &rows[i], online[i]);
    json_end_array(&c->out);
    put_more(&c->out, count, &page);
    json_end_object(&c->out);
}

static void write_rated(struct text *t, const struct store_rated *r)
{
    json_begin_object(t);
    json_put_text(t, "game", r->point.game);
    rest_put_number(t, "rating", r->point.rating);
    rest_put_number(t, "deviation", r->point.deviation > 0 ? r->point.deviation : NAN);
    rfc3339_put(t, "recorded_at", r->point.at_ms);
    uuid_put(t, "match_id", r->replay);
    json_begin_array_at(t, "opponents");
    for (int i = 0; i < r->seats; i++)
        if (i != r->seat && (!r->teams || (i - r->seat) % r->teams)) // not its partner
            json_write_text(t, r->name[i]);
    json_end_array(t);
    json_end_object(t);
}

void rest_rating_points(struct rest_call *c)
{
    struct store_rated rows[POINTS + 1];
    struct rest_page page;
    struct store_agent a;
    char game[REST_GAME];
    if (!find_public_agent(c, &a) || !rest_read_game(c, game) || !rest_read_page(c, POINTS, POINTS, &page))
        return;
    int count = store_rated_matches(c->rest->store, a.id, game[0] ? game : NULL, page.from, rows, page.limit + 1);
    json_begin_object(&c->out);
    json_begin_array_at(&c->out, "points");
    for (int i = 0; i < count && i < page.limit; i++)
        write_rated(&c->out, &rows[i]);
    json_end_array(&c->out);
    put_more(&c->out, count, &page);
    json_end_object(&c->out);
}

void rest_agent_matches(struct rest_call *c)
{
    struct store_agent a;
    if (find_public_agent(c, &a))
        rest_list_matches(c, &a.id);
}
