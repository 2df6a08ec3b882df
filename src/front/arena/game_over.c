#include "front/arena/game_over.h"

void game_over_write_result(struct text *t, const struct store_match *m)
{
    json_begin_object_at(t, "payoffs");
    for (int i = 0; i < m->seats; i++)
        json_put_int(t, dialect_pids[i], m->payoffs[i]);
    json_end_object(t);
    json_put_bool(t, "is_draw", m->is_draw);
    if (!m->is_draw && m->winner >= 0) // F6.B7: teams have no single winner
        json_put_text(t, "winner", dialect_pids[m->winner]);
}

const char *game_over_result_name(uint8_t result)
{
    return result == 'w' ? "win" : result == 'd' ? "draw" : "loss";
}

// The rating before and after a rated match.
static void put_grades(struct text *t, const struct store_seat *s)
{
    const struct {
        const char *key;
        double value;
    } grades[] = {{"rating_before", s->before.rating},
                  {"deviation_before", s->before.deviation},
                  {"rating_after", s->after.rating},
                  {"deviation_after", s->after.deviation}};
    for (unsigned i = 0; i < sizeof grades / sizeof *grades && s->after.deviation > 0; i++)
        json_put_decimal(t, grades[i].key, grades[i].value, 2);
}

void game_over_write_players(struct text *t, const struct store_match *m, bool with_results)
{
    json_begin_array_at(t, "players");
    for (int i = 0; i < m->seats; i++) {
        json_begin_object(t);
        json_put_text(t, "player_id", dialect_pids[i]);
        json_put_int(t, "position", i);
        uuid_put(t, "agent_id", m->seat[i].agent);
        json_put_text(t, "agent_name", m->seat[i].name);
        if (with_results) {
            json_put_text(t, "result", game_over_result_name(m->seat[i].result));
            put_grades(t, &m->seat[i]);
        }
        json_end_object(t);
    }
    json_end_array(t);
}

void game_over_put_commitment(struct text *t, const struct store_match *m)
{
    char hex[2 * STORE_HASH];
    struct text text = text_on(hex, sizeof hex);
    text_put_hex_bytes(&text, m->commitment, sizeof m->commitment);
    json_put_string(t, "seed_commitment", text_span(&text));
    json_key(t, "deal_number");
    if (m->deal)
        json_write_uint(t, m->deal);
    else
        json_write_null(t);
}

// F2.11.
void game_over_write(struct text *t, const struct store_match *m, struct uuid session)
{
    char url[8 + UUID_TEXT + 1] = "/replay/";
    uuid_format(url + 8, m->replay);
    uuid_put(t, "match_id", m->id);
    uuid_put(t, "session_id", session);
    json_begin_object_at(t, "result");
    game_over_write_result(t, m);
    json_end_object(t);
    game_over_write_players(t, m, false);
    if (m->status == STORE_FINISHED) // a cancelled match has none
        json_put_text(t, "replay_url", url);
    if (m->forfeit_reason)
        json_put_text(t, "forfeit_reason", lobby_forfeit_name(m->forfeit_reason));
    if (m->forfeit_reason && m->forfeited_by >= 0)
        json_put_text(t, "forfeited_by", dialect_pids[m->forfeited_by]);
}
