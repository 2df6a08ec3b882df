// Tables created by a player: with house players of chosen strength, places for friends, or both. Such a table is a
// challenge (F3.19) in which house agents have taken some places, so it is unrated, survives restarts and expires. A
// table with places for queued players is an entry of a queue (F3.23).
#include "front/arena/rest_internal.h"
#include "games/games.h"

enum { MOST_OPPONENTS = GAME_MAX_SEATS - 1, OPPONENT = 32 }; // OPPONENT: room for a name such as "house:5"

struct table_request {
    char game[REST_TEXT];
    char opponent[MOST_OPPONENTS][OPPONENT];
    int opponents;
    int64_t seats; // 0: the opponents and the client
};

static void read_opponents(struct rest_body *b, struct table_request *w)
{
    for (json_enter_array(&b->r); json_next_item(&b->r);) {
        char skipped[OPPONENT];
        bool fits = w->opponents < MOST_OPPONENTS;
        rest_read_text(b, fits ? w->opponent[w->opponents] : skipped, OPPONENT);
        w->opponents++;
    }
}

static bool read_table_request(struct rest_call *c, struct table_request *w)
{
    struct rest_body b;
    *w = (struct table_request){0};
    if (!rest_open_body(c, &b, false))
        return false;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "game"))
            rest_read_text(&b, w->game, sizeof w->game);
        else if (rest_key_is(&b, "seats") && !json_read_if_null(&b.r))
            w->seats = json_read_int(&b.r, 2, GAME_MAX_SEATS);
        else if (rest_key_is(&b, "opponents"))
            read_opponents(&b, w);
        else
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return false;
    if (!w->opponents || w->opponents > MOST_OPPONENTS || (w->seats && w->seats != w->opponents + 1)) {
        rest_fail(c, 400,
                  "opponents must name every other seat, 1 to %d: \"house:1\" to \"house:5\", a house bot, "
                  "\"link\" for a friend, or \"queue\" for whoever waits",
                  MOST_OPPONENTS);
        return false;
    }
    return true;
}

// Finds the bots of house players. Returns how many, or -1 if one is unknown.
static int find_house(struct rest_call *c, const struct lobby_game *g, const struct table_request *w,
                      const struct bot *out[MOST_OPPONENTS])
{
    const struct game_kit *kit = games_find(g->codec->game->name);
    int count = 0;
    for (int i = 0; i < w->opponents; i++) {
        if (strcmp(w->opponent[i], "link") == 0 || strcmp(w->opponent[i], "queue") == 0)
            continue;
        // Only the operator may grant thinking time.
        out[count] = strchr(w->opponent[i], '@') ? NULL : kit_find_bot(kit, w->opponent[i]);
        if (!out[count++]) {
            rest_fail(c, 400, "unknown opponent %s: name house:1 to house:5, a house bot of the game, link or queue",
                      w->opponent[i]);
            return -1;
        }
    }
    return count;
}

static int count_named(const struct table_request *w, const char *name)
{
    int count = 0;
    for (int i = 0; i < w->opponents; i++)
        count += strcmp(w->opponent[i], name) == 0;
    return count;
}

static void join_table(struct rest_call *c, const struct lobby_game *g, const struct lobby_table_request *w)
{
    char why[128];
    int err = lobby_join_table(c->rest->lobby, c->agent, g, w, c->now_ms, why);
    if (err != OK) {
        rest_fail(c, err == ERR_RULES ? 400 : err == ERR_SEAT ? 425 : 403, "%s", why);
        return;
    }
    const struct lobby_seat *seat = lobby_agent_waits(c->agent) ? NULL : lobby_running_seat(c->agent, g);
    json_begin_object(&c->out);
    json_put_text(&c->out, "status", seat ? "in_match" : "queued");
    if (seat)
        uuid_put(&c->out, "session_id", lobby_seat_session(seat));
    json_end_object(&c->out);
}

void rest_create_table(struct rest_call *c)
{
    struct table_request w;
    const struct bot *house[MOST_OPPONENTS];
    struct store_challenge d;
    char token[CHALLENGE_TOKEN + 1], why[CHALLENGE_ERROR_ROOM];
    if (!read_table_request(c, &w))
        return;
    const struct lobby_game *g = rest_find_game(c, span_of(w.game), 400);
    int count = g ? find_house(c, g, &w, house) : -1;
    if (count < 0)
        return;
    struct lobby_table_request queued = {.waiting = count_named(&w, "queue"), .houses = count};
    if (queued.waiting && count_named(&w, "link")) {
        rest_fail(c, 400, "opponents may name link or queue, not both");
        return;
    }
    if (queued.waiting) {
        memcpy(queued.house, house, (size_t)count * sizeof *house);
        join_table(c, g, &queued);
        return;
    }
    int status = challenge_create_table(c->rest->challenges, c->agent, g, w.opponents + 1, house, count, c->now_ms, &d,
                                        token, why);
    if (status != 201) {
        rest_refuse_challenge(c, status, why);
        return;
    }
    json_begin_object(&c->out);
    json_put_text(&c->out, "status", challenge_status_name(d.status));
    const struct lobby_seat *seat = d.status == DUEL_IN_MATCH ? lobby_running_seat(c->agent, g) : NULL;
    if (seat)
        uuid_put(&c->out, "session_id", lobby_seat_session(seat));
    if (count < w.opponents)
        rest_put_join_url(c, token);
    json_key(&c->out, "duel");
    rest_write_duel(c, &d, true);
    json_end_object(&c->out);
}
