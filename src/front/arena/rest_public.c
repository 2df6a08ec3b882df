// What everybody may ask (F5.8): health, games, live and finished matches.
#include "front/arena/over.h"
#include "front/arena/rest_parts.h"
#include "games/games.h"

// What a page may ask of this server: 1, guests, tables, hints, rules and boards on one socket; 2, statistics,
// rematches, decisions, clocks of spectators, tables outside the arena.
enum { PAGE_VERSION = 2 };
enum { LIVE_LISTED = 200, LIVE_STATES = 24, MATCHES_LISTED = 50, MATCHES_USUAL = 20 };

void rest_health(struct rest_call *c)
{
    struct lobby_figures f;
    struct text *t = &c->out;
    lobby_figures(c->rest->lobby, &f);
    json_begin_object(t);
    // F8.6: below the margin no match begins.
    json_put_text(t, "status",
                  store_damages(c->rest->store)       ? "damaged"
                  : store_is_away(c->rest->store)     ? "store_away"
                  : !store_has_room(c->rest->store)   ? "low_space"
                  : lobby_is_draining(c->rest->lobby) ? "draining"
                                                      : "ok");
    json_put_text(t, "version", AGON_VERSION);
    json_put_text(t, "protocol", "v1.2.0");
    rfc3339_put(t, "server_time", c->now_ms);
    json_put_uint(t, "matches_active", f.matches_active);
    json_put_uint(t, "agents_online", f.agents_online);
    json_put_int(t, "page", PAGE_VERSION);
    json_end_object(t);
}

void rest_games(struct rest_call *c)
{
    struct text *t = &c->out;
    json_begin_object(t);
    json_key(t, "games");
    json_begin_array(t);
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

// --- live matches: places without names (F2.7)

static void put_state(struct rest_call *c, const struct lobby_live *m)
{
    union game_view view;
    struct arena_observation seen = {.table = dialect_table(m->seats, GAME_SPECTATOR), .view = &view};
    lobby_live_view(c->rest->lobby, m, c->now_ms, &view);
    json_key(&c->out, "state");
    dialect_write_state(games_find(m->game->codec->game->name), &c->out, &seen);
}

static void write_live(struct rest_call *c, const struct lobby_live *m, bool state)
{
    struct text *t = &c->out;
    char name[16] = "Player ";
    json_begin_object(t);
    uuid_put(t, "id", m->live);
    json_put_text(t, "game", m->game->codec->game->name);
    json_put_text(t, "mode", m->mode);
    json_put_text(t, "status", "active");
    json_put_bool(t, "rated", strcmp(m->mode, "ranked") == 0); // who sits there is not told before the end
    json_key(t, "players");
    json_begin_array(t);
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
    if (state)
        put_state(c, m);
    over_put_commitment(t, m->match);
    json_end_object(t);
}

void rest_live(struct rest_call *c)
{
    struct lobby_live rows[LIVE_LISTED];
    char state[8] = "";
    http_query(c->r, "state", state, sizeof state);
    int total, count = lobby_list_live(c->rest->lobby, c->now_ms, rows, LIVE_LISTED, &total);
    struct rest_page all = {.limit = LIVE_LISTED};
    json_begin_object(&c->out);
    json_key(&c->out, "matches");
    json_begin_array(&c->out);
    for (int i = 0; i < count; i++)
        write_live(c, &rows[i], i < LIVE_STATES && strcmp(state, "1") == 0);
    json_end_array(&c->out);
    json_key(&c->out, "tables");
    if (c->rest->options.write_tables)
        c->rest->options.write_tables(c->rest->options.tables_owner, &c->out);
    else
        text_puts(&c->out, "[]");
    rest_put_page(&c->out, count, total, &all);
    json_end_object(&c->out);
}

// --- finished matches

static void write_summary(struct text *t, const struct store_match *m)
{
    json_begin_object(t);
    uuid_put(t, "id", m->replay);
    json_put_text(t, "game", m->game);
    json_put_text(t, "mode", m->mode);
    json_put_text(t, "status", "completed");
    over_write_players(t, m, true);
    rest_put_result(t, m);
    json_put_bool(t, "rated", m->rated);
    rfc3339_put(t, "started_at", m->started_ms);
    rfc3339_put(t, "finished_at", m->finished_ms);
    json_put_int(t, "duration_ms", m->finished_ms - m->started_ms);
    rest_put_replay_url(t, "replay_url", m);
    rest_put_forfeit(t, m);
    json_end_object(t);
}

void rest_list_matches(struct rest_call *c, const struct uuid *agent)
{
    struct store_match rows[MATCHES_LISTED];
    struct rest_page page;
    char game[REST_GAME];
    int total;
    if (!rest_read_page(c, MATCHES_USUAL, MATCHES_LISTED, &page) || !rest_read_game(c, game))
        return;
    int count = store_list_matches(c->rest->store, game[0] ? game : NULL, agent, page.from, rows, page.limit, &total);
    json_begin_object(&c->out);
    json_key(&c->out, "matches");
    json_begin_array(&c->out);
    for (int i = 0; i < count; i++)
        write_summary(&c->out, &rows[i]);
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
