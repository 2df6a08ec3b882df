// Reads a state of the arena protocol into a view. Only the fields that house bots use are filled.
#include "games/coup/arena.h"
#include "games/coup/codec.h"

static int read_roles(struct json_reader *r, uint8_t *out, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        int role = json_string_among(json_read_string(r), coup_role_names);
        if (role > 0 && count < room)
            out[count++] = (uint8_t)role;
    }
    return count;
}

static void read_player(struct json_reader *r, struct coup_view *v, int seat)
{
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "coins")) {
            v->seat[seat].coins = (uint8_t)json_read_int(r, 0, 255);
        } else if (json_string_is(key, "hidden_cards")) {
            v->in_play = (uint8_t)(v->in_play | (json_read_int(r, 0, 2) > 0) << seat);
        } else if (json_string_is(key, "revealed")) {
            uint8_t roles[2];
            int count = read_roles(r, roles, 2);
            for (int i = 0; i < count; i++) { // which slot it was does not matter to anybody who decides now
                v->seat[seat].card[1 - i] = roles[i];
                v->seat[seat].up |= (uint8_t)(2 >> i);
            }
        } else {
            json_skip(r);
        }
}

static void read_players(struct json_reader *r, struct coup_view *v)
{
    int seat = 0;
    for (json_enter_array(r); json_next_item(r); seat++) {
        struct json_string key;
        for (json_enter_object(r); json_next_key(r, &key);)
            if (json_string_is(key, "data") && seat < COUP_MAX_SEATS)
                read_player(r, v, seat);
            else
                json_skip(r);
    }
}

static void read_turn_log(struct json_reader *r, struct coup_log *log)
{
    static const char *const results[] = {NULL, "fail", "success"};
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "action"))
            log->action = (uint8_t)dialect_read_word(r, coup_action_names, COUP_ACTIONS);
        else if (json_string_is(key, "target"))
            log->target = dialect_read_pid_or(r, 0);
        else if (json_string_is(key, "challenger"))
            log->challenger = dialect_read_pid_or(r, 0);
        else if (json_string_is(key, "challenge_result"))
            log->challenge_result = (uint8_t)dialect_read_word(r, results, 3);
        else if (json_string_is(key, "blocker"))
            log->blocker = dialect_read_pid_or(r, 0);
        else if (json_string_is(key, "block_role"))
            log->block_role = (uint8_t)dialect_read_word(r, coup_role_names, COUP_ROLES + 1);
        else if (json_string_is(key, "block_challenger"))
            log->block_challenger = dialect_read_pid_or(r, 0);
        else if (json_string_is(key, "block_challenge_result"))
            log->block_challenge_result = (uint8_t)dialect_read_word(r, results, 3);
        else
            json_skip(r);
}

// Words that are none of ours were read as 255.
static bool is_sound(const struct coup_view *v)
{
    const struct coup_log *log = &v->log;
    return v->seats <= COUP_MAX_SEATS && v->phase <= COUP_PHASE_DONE && log->action <= COUP_TURN_ACTIONS &&
           log->block_role <= COUP_ROLES && log->challenge_result < 3 && log->block_challenge_result < 3 &&
           log->actor < v->seats;
}

// What is left of an earlier turn or loss tells nothing.
static void forget_past(struct coup_view *v)
{
    if (v->phase == COUP_PHASE_ACTION)
        v->log = (struct coup_log){.actor = v->log.actor};
    if (v->phase != COUP_PHASE_LOSE_INFLUENCE)
        v->log.loser = 0;
}

static int read_state(struct json_reader *r, struct action_request *t)
{
    struct coup_view *v = (void *)&t->view;
    struct json_string key;
    uint8_t own[2];
    int hidden = 0;
    uint8_t asked = (uint8_t)(t->count ? SEAT(t->seat) : 0); // the state does not say who else is asked
    *v = (struct coup_view){.seats = (uint8_t)t->seats, .viewer = (uint8_t)t->seat, .asked = asked};
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "phase"))
            v->phase = (uint8_t)dialect_read_word(r, coup_codec.phases, COUP_PHASE_DONE + 1);
        else if (json_string_is(key, "current_turn"))
            v->log.actor = dialect_read_pid_or(r, 0);
        else if (json_string_is(key, "turn_log"))
            read_turn_log(r, &v->log);
        else if (json_string_is(key, "influence_loser"))
            v->log.loser = dialect_read_pid_or(r, 0);
        else if (json_string_is(key, "players"))
            read_players(r, v);
        else if (json_string_is(key, "your_cards"))
            hidden = read_roles(r, own, 2);
        else if (json_string_is(key, "exchange_cards"))
            read_roles(r, v->exchange, 2);
        else
            json_skip(r);
    if (!is_sound(v) || t->seat >= COUP_MAX_SEATS)
        return ERR_FORMAT;
    struct coup_seat *me = &v->seat[t->seat];
    if (t->count && hidden != coup_influence(me))
        return ERR_FORMAT;
    for (int i = 0; i < hidden; i++)
        me->card[i] = own[i];
    forget_past(v);
    return !t->count || coup_is_playable(v) ? OK : ERR_FORMAT;
}

// F6.C15: a pass, which stands last; else income, the forced coup, or the first card.
static struct game_action fallback(const struct action_request *t)
{
    const struct game_choice *last = &t->choices[t->count - 1];
    return last->first.kind == COUP_PASS ? last->first : t->choices[0].first;
}

const struct arena_reader coup_arena_reader = {.read_state = read_state, .fallback = fallback};
