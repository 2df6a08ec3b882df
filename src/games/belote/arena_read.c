// Reads a state of the arena protocol into a view. Only the fields that house bots use are filled.
#include "game/cards.h"
#include "games/belote/arena.h"
#include "games/belote/codec.h"
#include "games/belote/prose.h"
#include "games/belote/rules/belote.h"

static uint8_t read_card(struct json_reader *r)
{
    int card = codec_read_card(r), rank = card < 0 ? -1 : card_rank((uint8_t)card) - 5;
    if (rank < 0) {
        json_fail(r, ERR_UNKNOWN);
        return 0;
    }
    return (uint8_t)(BELOTE_RANKS * card_suit((uint8_t)card) + rank);
}

static uint8_t read_cards(struct json_reader *r, uint8_t *out, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        uint8_t card = read_card(r);
        if (count < room)
            out[count++] = card;
    }
    return (uint8_t)count;
}

static void read_bids(struct json_reader *r, struct belote_view *v)
{
    static const int first[] = {BELOTE_SAY_MODE, BELOTE_SAY_ACCEPT, BELOTE_SAY_DOUBLE, BELOTE_SAY_REDOUBLE};
    for (json_enter_array(r); json_next_item(r);) {
        struct json_string key;
        int type = -1, mode = 0;
        for (json_enter_object(r); json_next_key(r, &key);)
            if (json_string_is(key, "type"))
                type = dialect_read_word(r, belote_word_types, 4);
            else if (json_string_is(key, "mode") && !json_read_if_null(r))
                mode = dialect_read_word(r, belote_mode_names, BELOTE_MODES);
            else if (!json_string_is(key, "mode"))
                json_skip(r);
        if (type >= 0 && mode >= 0 && v->bids < BELOTE_MAX_BIDS)
            v->bid[v->bids++] = (uint8_t)(first[type] + (type == 1 ? 0 : mode));
    }
}

static void read_points(struct json_reader *r, int32_t out[2])
{
    int i = 0;
    for (json_enter_array(r); json_next_item(r); i++) {
        int32_t points = dialect_read_small(r);
        if (i < 2)
            out[i] = points;
    }
}

static int read_state(struct json_reader *r, struct action_request *t)
{
    struct belote_view *v = (void *)&t->view;
    struct belote_rules rules;
    struct json_string key;
    belote_game.defaults(&rules);
    *v = (struct belote_view){.viewer = (uint8_t)t->seat, .target = rules.target, .clubs_base = rules.clubs_base};
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "phase"))
            v->phase = (uint8_t)dialect_read_word(r, belote_codec.phases, BELOTE_DONE + 1);
        else if (json_string_is(key, "dealer"))
            v->dealer = dialect_read_pid_or(r, 0);
        else if (json_string_is(key, "hand"))
            v->cards = read_cards(r, v->hand, BELOTE_HAND);
        else if (json_string_is(key, "bids"))
            read_bids(r, v);
        else if (json_string_is(key, "played"))
            v->plays = read_cards(r, v->play, BELOTE_CARDS);
        else if (json_string_is(key, "match_points"))
            read_points(r, v->points);
        else if (json_string_is(key, "target"))
            v->target = dialect_read_small(r);
        else if (json_string_is(key, "deal_number"))
            v->deal_number = (uint32_t)dialect_read_small(r);
        else
            json_skip(r);
    if (r->error)
        return r->error;
    if (!t->count && v->phase == BELOTE_DONE) { // points and the target are all that is left
        v->turn = v->high = v->mode = BELOTE_NONE;
        return OK;
    }
    return t->count ? belote_rebuild_view(v) : belote_rebuild_display_view(v);
}

// F6.B4: bounds of a cut.
static bool widen(const struct arena_bounds *b, struct game_choice *c)
{
    if (b->max_position <= 0 || b->max_position > BELOTE_CARDS || b->min_position < 0)
        return false;
    c->first.amount = (int32_t)b->min_position;
    c->max_amount = (int32_t)b->max_position;
    return true;
}

// F6.B8
static struct game_action fallback(const struct action_request *t)
{
    const struct game_choice *c = t->choices;
    if (c->first.kind == BELOTE_CUT)
        return (struct game_action){.kind = BELOTE_CUT, .arg = {1}, .amount = 16};
    for (int i = 0; i < t->count; i++)
        if (c[i].first.kind == BELOTE_ACCEPT)
            return c[i].first;
    return c->first;
}

const struct arena_reader belote_arena_reader = {.read_state = read_state, .widen = widen, .fallback = fallback};
