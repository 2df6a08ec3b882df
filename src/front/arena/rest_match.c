// Challenges, and an agent's own matches (F5.7).
#include "front/arena/game_over.h"
#include "front/arena/rest_internal.h"
#include "games/games.h"
#include "lobby/replayed.h"

enum { LISTED = 50 }; // F5.7

void rest_leave_queue(struct rest_call *c)
{
    if (!rest_skip_body(c))
        return;
    lobby_quit(c->rest->lobby, c->agent, c->now_ms);
    text_puts(&c->out, "{\"status\":\"ok\"}");
}

// --- challenges

static void put_name(struct rest_call *c, const char *key, struct uuid id)
{
    const struct lobby_agent *a = lobby_agent_by_id(c->rest->lobby, id);
    json_put_text(&c->out, key, a ? lobby_agent_record(a)->name : "");
}

void rest_refuse_challenge(struct rest_call *c, int status, const char *why)
{
    if (status == 429)
        http_add_header(c->r, "Retry-After", "60");
    rest_fail(c, status, "%s", why);
}

void rest_put_join_url(struct rest_call *c, const char *token)
{
    char url[512];
    struct text join = text_on(url, sizeof url);
    rest_write_base(c, &join, false);
    text_puts(&join, "/challenge/");
    text_puts(&join, token);
    json_put_string(&c->out, "join_url", text_span(&join));
}

void rest_write_duel(struct rest_call *c, const struct store_challenge *d, bool own)
{
    struct text *t = &c->out;
    json_begin_object(t);
    uuid_put(t, "id", d->id);
    json_put_text(t, "game", d->game);
    json_put_text(t, "status", challenge_status_name(d->status));
    if (own)
        uuid_put(t, "host_agent_id", d->agent[0]);
    put_name(c, "host_agent_name", d->agent[0]);
    if (d->taken > 1)
        put_name(c, "guest_agent_name", d->agent[1]);
    json_put_int(t, "max_players", d->places);
    json_put_int(t, "seated_count", d->taken);
    if (own && d->status == DUEL_FINISHED && !uuid_is_none(d->match))
        uuid_put(t, "match_id", d->match);
    if (own)
        rfc3339_put(t, "created_at", d->created_ms);
    rfc3339_put(t, "expires_at", d->expires_ms);
    json_end_object(t);
}

static bool read_challenge_request(struct rest_call *c, const struct lobby_game **game, int64_t *places)
{
    char name[REST_TEXT] = "", mode[REST_TEXT] = "single";
    struct rest_body b;
    *places = 0;
    if (!rest_open_body(c, &b, false))
        return false;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "game"))
            rest_read_text(&b, name, sizeof name);
        else if (rest_key_is(&b, "accept_mode"))
            rest_read_text(&b, mode, sizeof mode);
        else if (rest_key_is(&b, "player_count") && !json_read_if_null(&b.r))
            *places = json_read_int(&b.r, 1, 100);
        else
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return false;
    if (strcmp(mode, "single") != 0) {
        rest_fail(c, 400, "accept_mode must be single");
        return false;
    }
    *game = rest_find_game(c, span_of(name), 400);
    return *game != NULL;
}

void rest_create_challenge(struct rest_call *c)
{
    const struct lobby_game *game;
    struct store_challenge d;
    char token[CHALLENGE_TOKEN + 1], why[CHALLENGE_ERROR_ROOM];
    int64_t places;
    if (!read_challenge_request(c, &game, &places))
        return;
    int status = challenge_create(c->rest->challenges, c->agent, game, places, c->now_ms, &d, token, why);
    if (status != 201) {
        rest_refuse_challenge(c, status, why);
        return;
    }
    json_begin_object(&c->out);
    rest_put_join_url(c, token);
    json_key(&c->out, "duel");
    rest_write_duel(c, &d, true);
    json_end_object(&c->out);
}

void rest_show_challenge(struct rest_call *c)
{
    struct store_challenge d;
    if (!challenge_find(c->rest->challenges, c->id, &d)) {
        rest_fail(c, 404, "unknown challenge");
        return;
    }
    json_begin_object(&c->out);
    json_key(&c->out, "duel");
    rest_write_duel(c, &d, false);
    json_end_object(&c->out);
}

void rest_accept_challenge(struct rest_call *c)
{
    struct store_challenge d;
    char why[CHALLENGE_ERROR_ROOM];
    if (!rest_skip_body(c))
        return;
    if (challenge_find(c->rest->challenges, c->id, &d)) {
        const struct lobby_game *game = lobby_find_game(c->rest->lobby, span_of(d.game));
        if (!game || !rest_may_name(c, game)) { // F6.B1
            rest_fail(c, 404, "unknown game %s", d.game);
            return;
        }
    }
    int status = challenge_accept(c->rest->challenges, c->agent, c->id, c->now_ms, &d, why);
    if (status != 200) {
        rest_fail(c, status, "%s", why);
        return;
    }
    json_begin_object(&c->out);
    json_put_text(&c->out, "message",
                  d.status == DUEL_IN_MATCH  ? "accepted; the match begins"
                  : d.status == DUEL_PENDING ? "accepted; places are still free"
                                             : "accepted; the match begins when everybody is online");
    json_end_object(&c->out);
}

void rest_cancel_challenge(struct rest_call *c)
{
    struct uuid id;
    char why[CHALLENGE_ERROR_ROOM];
    if (!rest_read_id(c, &id, "challenge"))
        return;
    int status = challenge_cancel(c->rest->challenges, c->agent, id, why);
    if (status != 200)
        rest_fail(c, status, "%s", why);
    else
        text_puts(&c->out, "{\"status\":\"cancelled\"}");
}

void rest_list_challenges(struct rest_call *c)
{
    struct store_challenge rows[LISTED];
    int count = store_list_challenges(c->rest->store, lobby_agent_record(c->agent)->id, rows, LISTED);
    json_begin_object(&c->out);
    json_begin_array_at(&c->out, "duels");
    for (int i = 0; i < count; i++) {
        challenge_find_by_id(c->rest->challenges, rows[i].id, &rows[i]); // memory is newer than the store
        rest_write_duel(c, &rows[i], true);
    }
    json_end_array(&c->out);
    json_end_object(&c->out);
}

// --- sessions

// The match of {session}, if it is the client's own.
static bool find_session(struct rest_call *c, struct store_match *m, int *seat)
{
    struct uuid session;
    if (!rest_read_id(c, &session, "session"))
        return false;
    if (!store_find_session(c->rest->store, session, m, seat)) {
        rest_fail(c, 404, "unknown session");
        return false;
    }
    if (!uuid_equals(m->seat[*seat].agent, lobby_agent_record(c->agent)->id)) {
        rest_fail(c, 403, "this session belongs to another agent");
        return false;
    }
    return true;
}

static const char *status_name(const struct store_match *m)
{
    return m->status == STORE_RUNNING ? "active" : m->status == STORE_FINISHED ? "completed" : "cancelled";
}

void rest_session(struct rest_call *c)
{
    struct store_match m;
    int seat;
    if (!find_session(c, &m, &seat))
        return;
    json_begin_object(&c->out);
    uuid_put(&c->out, "session_id", m.seat[seat].session);
    json_put_text(&c->out, "game", m.game);
    json_put_text(&c->out, "mode", m.mode);
    json_put_text(&c->out, "status", status_name(&m));
    json_put_text(&c->out, "player_id", dialect_pids[seat]);
    rest_put_hex(&c->out, "seed_commitment", m.commitment);
    rest_put_deal(c, &m, (struct span){0});
    rfc3339_put(&c->out, "started_at", m.started_ms);
    json_end_object(&c->out);
}

// As an imperative in the words of the game: "announce hearts", "steal from Player 2".
static void write_advice(struct text *out, const struct game_kit *k, const struct arena_observation *seen,
                         struct game_action a)
{
    char text[256];
    struct text sentence = text_on(text, sizeof text);
    struct codec_table table = seen->table;
    table.seat = dialect_names;
    table.voice = CODEC_OFFER;
    table.view = seen->view;
    codec_describe_action(k->codec, &sentence, &table, a);
    json_write_string(out, text_span(&sentence));
}

// The answer of the strongest house player, for people who learn. A rated table gives none.
void rest_hint(struct rest_call *c)
{
    struct store_match m;
    struct game_choice choices[GAME_MAX_CHOICES];
    union game_view view;
    int seat;
    if (!find_session(c, &m, &seat))
        return;
    const struct lobby_seat *s = lobby_find_seat(c->agent, m.seat[seat].session);
    if (!s || m.status != STORE_RUNNING || !lobby_seat_choices(s, choices)) {
        rest_fail(c, 409, "hints are given only while it is your turn; it is not");
        return;
    }
    if (strcmp(m.mode, "friendly") != 0) {
        rest_fail(c, 403, "hints are given only at friendly tables");
        return;
    }
    const struct game_kit *k = games_find(m.game);
    struct arena_observation seen = {.table = dialect_table(lobby_seat_count(s), seat), .view = &view};
    lobby_seat_view(s, &view);
    // The seat may be freed meanwhile.
    struct game_action a = lobby_seat_advice(c->rest->lobby, s, kit_level(k, KIT_LEVELS));
    json_begin_object(&c->out);
    json_key(&c->out, "actions");
    dialect_write_choices(k, &c->out, &seen, &(struct game_choice){.first = a, .max_amount = a.amount}, 1);
    json_key(&c->out, "sentence");
    write_advice(&c->out, k, &seen, a);
    json_end_object(&c->out);
}

// --- rematches

typedef int rematch_call(struct rematches *r, const struct store_match *m, int seat, int64_t now_ms,
                         struct rematch *out, char why[REMATCH_ERROR_ROOM]);

static void answer_rematch(struct rest_call *c, rematch_call *call)
{
    struct store_match m;
    struct rematch now;
    char why[REMATCH_ERROR_ROOM];
    int seat;
    if (!find_session(c, &m, &seat))
        return;
    int status = call(c->rest->rematches, &m, seat, c->now_ms, &now, why);
    if (status != 200) {
        rest_refuse_challenge(c, status, why);
        return;
    }
    json_begin_object(&c->out);
    json_put_text(&c->out, "status", rematch_status_names[now.status]);
    json_put_int(&c->out, "asked", now.asked);
    json_put_int(&c->out, "of", now.of);
    if (now.status == REMATCH_WAITING)
        rfc3339_put(&c->out, "expires_at", now.expires_ms);
    if (!uuid_is_none(now.session))
        uuid_put(&c->out, "session_id", now.session);
    json_end_object(&c->out);
}

void rest_ask_rematch(struct rest_call *c)
{
    if (rest_skip_body(c))
        answer_rematch(c, rematch_ask);
}

void rest_show_rematch(struct rest_call *c)
{
    answer_rematch(c, rematch_read);
}

void rest_withdraw_rematch(struct rest_call *c)
{
    answer_rematch(c, rematch_withdraw);
}

// --- events

static void write_running_events(struct text *t, const struct lobby_seat *s)
{
    const struct game_kit *k = games_find(lobby_seat_game(s)->codec->game->name);
    struct codec_table table = dialect_table(lobby_seat_count(s), lobby_seat_index(s));
    struct match_event e;
    for (uint32_t seq = 0; lobby_seat_event(s, seq, &e); seq++)
        dialect_write_event(k, t, &table, &e);
}

static bool write_past_events(struct rest_call *c, const struct store_match *m, int seat)
{
    struct replayed past;
    if (replayed_load(&past, c->rest->lobby, m->id) != OK) {
        rest_fail(c, 404, "the log of this match is damaged");
        return false;
    }
    const struct game_kit *k = games_find(past.game->codec->game->name);
    struct codec_table table = dialect_table(m->seats, seat);
    struct match_event e;
    for (uint32_t seq = 0; replayed_event(&past, seq, &e); seq++)
        dialect_write_event(k, &c->out, &table, &e);
    replayed_release(&past);
    return true;
}

void rest_session_events(struct rest_call *c)
{
    struct store_match m;
    int seat;
    if (!find_session(c, &m, &seat))
        return;
    // After the end, a seat may be kept without its history until the end was delivered.
    const struct lobby_seat *s = lobby_find_seat(c->agent, m.seat[seat].session);
    json_begin_object(&c->out);
    json_begin_array_at(&c->out, "events");
    if (s && m.status == STORE_RUNNING)
        write_running_events(&c->out, s);
    else if (!write_past_events(c, &m, seat))
        return;
    json_end_array(&c->out);
    json_put_bool(&c->out, "is_full_history", true);
    json_end_object(&c->out);
}

void rest_session_result(struct rest_call *c)
{
    struct store_match m;
    int seat;
    if (!find_session(c, &m, &seat))
        return;
    json_begin_object(&c->out);
    json_put_text(&c->out, "status", status_name(&m));
    if (m.status != STORE_RUNNING) {
        json_begin_object_at(&c->out, "game_over");
        game_over_write(&c->out, &m, m.seat[seat].session);
        json_end_object(&c->out);
        rfc3339_put(&c->out, "finished_at", m.finished_ms);
    }
    json_end_object(&c->out);
}

// F5.12: by the client's own session, or by the real id, which nobody knows before the end.
void rest_session_replay(struct rest_call *c)
{
    struct store_match m;
    struct uuid id;
    int seat;
    if (!rest_read_id(c, &id, "match"))
        return;
    bool own = store_find_session(c->rest->store, id, &m, &seat) &&
               uuid_equals(m.seat[seat].agent, lobby_agent_record(c->agent)->id);
    if ((!own && !store_find_match(c->rest->store, id, &m)) || m.status != STORE_FINISHED) {
        rest_fail(c, 404, "no finished match has this id");
        return;
    }
    json_begin_object(&c->out);
    rest_put_replay_url(&c->out, "replay_url", &m);
    json_end_object(&c->out);
}

// --- radar (F7.14)

void rest_radar(struct rest_call *c)
{
    text_puts(&c->out, "{\"enabled\":false}");
}

void rest_radar_game(struct rest_call *c)
{
    if (rest_find_game(c, c->id, 404))
        rest_radar(c);
}
