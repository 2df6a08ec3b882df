// States of the arena's wire as views: what house bots look at, which is less than a view has room for.
#include "codec/belote.h"
#include "codec/belote_text.h"
#include "codec/coup.h"
#include "codec/texas_holdem.h"
#include "front/arena/told.h"
#include "game/cards.h"
#include "games/belote/belote.h"
#include "games/liars_dice/liars_dice.h"
#include "games/texas_holdem/texas_holdem.h"

enum { DEPTH = 32 };

static int read_pid(struct json_reader *r)
{
    return json_string_among(json_read_string(r), dialect_pids);
}

static uint8_t read_pid_or(struct json_reader *r, uint8_t nobody)
{
    int seat = read_pid(r);
    return seat < 0 ? nobody : (uint8_t)seat;
}

static int32_t read_small(struct json_reader *r)
{
    return (int32_t)json_read_int(r, 0, INT32_MAX);
}

static int read_word(struct json_reader *r, const char *const *words, int count)
{
    struct json_string s = json_read_string(r);
    for (int i = 0; i < count; i++)
        if (words[i] && json_string_is(s, words[i]))
            return i;
    return -1;
}

// --- Texas Hold'em

static int read_cards(struct json_reader *r, uint8_t *out, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        int card = codec_read_card(r);
        if (card >= 0 && count < room)
            out[count++] = (uint8_t)card;
    }
    return count;
}

static void read_holdem_player(struct json_reader *r, struct texas_holdem_view *v, int seat)
{
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "chips"))
            v->chips[seat] = read_small(r);
        else if (json_string_is(key, "bet"))
            v->bet[seat] = read_small(r);
        else if (json_string_is(key, "status"))
            v->status[seat] = (uint8_t)read_word(r, texas_holdem_statuses, HOLDEM_BUSTED + 1);
        else if (json_string_is(key, "position"))
            v->position[seat] = (uint8_t)read_word(r, texas_holdem_positions, HOLDEM_CO + 1);
        else
            json_skip(r);
}

static void read_holdem_players(struct json_reader *r, struct texas_holdem_view *v)
{
    int seat = 0;
    for (json_enter_array(r); json_next_item(r); seat++)
        if (seat < HOLDEM_SEATS)
            read_holdem_player(r, v, seat);
        else
            json_skip(r);
}

static int read_holdem(struct json_reader *r, struct told *t)
{
    struct texas_holdem_view *v = (void *)&t->view;
    struct json_string key;
    *v = (struct texas_holdem_view){.seats = (uint8_t)t->seats, .viewer = (uint8_t)t->seat, .actor = (uint8_t)t->seat};
    memset(v->status, HOLDEM_BUSTED, sizeof v->status);
    memset(v->hole, CARD_NONE, sizeof v->hole);
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "phase"))
            v->phase = (uint8_t)read_word(r, texas_holdem_phases, HOLDEM_DONE + 1);
        else if (json_string_is(key, "community_cards"))
            v->board_count = (uint8_t)read_cards(r, v->board, 5);
        else if (json_string_is(key, "your_hand"))
            read_cards(r, v->hole, 2);
        else if (json_string_is(key, "pot"))
            v->pot = read_small(r);
        else if (json_string_is(key, "current_bet"))
            v->current_bet = read_small(r);
        else if (json_string_is(key, "dealer"))
            v->button = (uint8_t)read_small(r);
        else if (json_string_is(key, "hand_num"))
            v->hand = (uint32_t)read_small(r);
        else if (json_string_is(key, "max_hands"))
            v->hands_total = (uint32_t)read_small(r);
        else if (json_string_is(key, "small_blind"))
            v->small_blind = read_small(r);
        else if (json_string_is(key, "big_blind"))
            v->big_blind = read_small(r);
        else if (json_string_is(key, "players"))
            read_holdem_players(r, v);
        else
            json_skip(r);
    v->to_call = v->current_bet - v->bet[t->seat];
    for (int i = 0; i < t->count; i++)
        if (t->choices[i].first.kind == HOLDEM_RAISE) {
            v->min_raise_to = t->choices[i].first.amount;
            v->max_raise_to = t->choices[i].max_amount;
        }
    return v->hole[0] == CARD_NONE ? ERR_FORMAT : OK;
}

// --- Liar's Dice

static void read_dice_counts(struct json_reader *r, struct liars_dice_view *v)
{
    int seat = 0;
    for (json_enter_array(r); json_next_item(r); seat++) {
        struct json_string key;
        for (json_enter_object(r); json_next_key(r, &key);)
            if (json_string_is(key, "dice_count") && seat < LIARS_DICE_SEATS)
                v->dice_counts[seat] = (uint8_t)json_read_int(r, 0, LIARS_DICE_DICE);
            else
                json_skip(r);
    }
}

static void read_bid(struct json_reader *r, struct liars_dice_view *v)
{
    int quantity = 0, face = 0;
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "quantity"))
            quantity = (int)json_read_int(r, 1, LIARS_DICE_SEATS * LIARS_DICE_DICE);
        else if (json_string_is(key, "face"))
            face = (int)json_read_int(r, 1, LIARS_DICE_FACES);
        else if (json_string_is(key, "bidder"))
            v->bidder = read_pid_or(r, LIARS_DICE_NOBODY);
        else
            json_skip(r);
    if (quantity && face)
        v->bid = (uint8_t)liars_dice_rank(quantity, face);
}

static int read_liars(struct json_reader *r, struct told *t)
{
    struct liars_dice_view *v = (void *)&t->view;
    struct json_string key;
    *v = (struct liars_dice_view){.seats = (uint8_t)t->seats,
                                  .viewer = (uint8_t)t->seat,
                                  .to_act = (uint8_t)t->seat,
                                  .bidder = LIARS_DICE_NOBODY,
                                  .winner = LIARS_DICE_NOBODY,
                                  .wild_ones = 1};
    int dice = 0;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "round"))
            v->round = (uint8_t)json_read_int(r, 1, 255);
        else if (json_string_is(key, "total_dice"))
            v->total = (uint8_t)json_read_int(r, 1, LIARS_DICE_SEATS * LIARS_DICE_DICE);
        else if (json_string_is(key, "current_bid"))
            read_bid(r, v);
        else if (json_string_is(key, "players"))
            read_dice_counts(r, v);
        else if (json_string_is(key, "your_dice"))
            for (json_enter_array(r); json_next_item(r); dice++) {
                uint8_t face = (uint8_t)json_read_int(r, 1, LIARS_DICE_FACES);
                if (dice < LIARS_DICE_DICE)
                    v->dice[dice] = face;
            }
        else
            json_skip(r);
    return v->total && v->dice[0] ? OK : ERR_FORMAT;
}

// --- Coup

static int read_coup_roles(struct json_reader *r, uint8_t *out, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        int role = json_string_among(json_read_string(r), coup_role_names);
        if (role > 0 && count < room)
            out[count++] = (uint8_t)role;
    }
    return count;
}

static void read_coup_data(struct json_reader *r, struct coup_view *v, int seat)
{
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "coins")) {
            v->seat[seat].coins = (uint8_t)json_read_int(r, 0, 255);
        } else if (json_string_is(key, "hidden_cards")) {
            v->in_play = (uint8_t)(v->in_play | (json_read_int(r, 0, 2) > 0) << seat);
        } else if (json_string_is(key, "revealed")) {
            uint8_t roles[2];
            int count = read_coup_roles(r, roles, 2);
            for (int i = 0; i < count; i++) { // which slot it was does not matter to anybody who decides now
                v->seat[seat].card[1 - i] = roles[i];
                v->seat[seat].up |= (uint8_t)(2 >> i);
            }
        } else {
            json_skip(r);
        }
}

static void read_coup_players(struct json_reader *r, struct coup_view *v)
{
    int seat = 0;
    for (json_enter_array(r); json_next_item(r); seat++) {
        struct json_string key;
        for (json_enter_object(r); json_next_key(r, &key);)
            if (json_string_is(key, "data") && seat < COUP_MAX_SEATS)
                read_coup_data(r, v, seat);
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
            log->action = (uint8_t)read_word(r, coup_action_names, COUP_ACTIONS);
        else if (json_string_is(key, "target"))
            log->target = read_pid_or(r, 0);
        else if (json_string_is(key, "challenger"))
            log->challenger = read_pid_or(r, 0);
        else if (json_string_is(key, "challenge_result"))
            log->challenge_result = (uint8_t)read_word(r, results, 3);
        else if (json_string_is(key, "blocker"))
            log->blocker = read_pid_or(r, 0);
        else if (json_string_is(key, "block_role"))
            log->block_role = (uint8_t)read_word(r, coup_role_names, COUP_ROLES + 1);
        else if (json_string_is(key, "block_challenger"))
            log->block_challenger = read_pid_or(r, 0);
        else if (json_string_is(key, "block_challenge_result"))
            log->block_challenge_result = (uint8_t)read_word(r, results, 3);
        else
            json_skip(r);
}

static int read_coup(struct json_reader *r, struct told *t)
{
    struct coup_view *v = (void *)&t->view;
    struct json_string key;
    uint8_t own[2];
    int hidden = 0;
    *v = (struct coup_view){.seats = (uint8_t)t->seats, .viewer = (uint8_t)t->seat, .asked = (uint8_t)SEAT(t->seat)};
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "phase"))
            v->phase = (uint8_t)read_word(r, coup_codec.phases, COUP_PHASE_DONE + 1);
        else if (json_string_is(key, "current_turn"))
            v->log.actor = read_pid_or(r, 0);
        else if (json_string_is(key, "turn_log"))
            read_turn_log(r, &v->log);
        else if (json_string_is(key, "influence_loser"))
            v->log.loser = read_pid_or(r, 0);
        else if (json_string_is(key, "players"))
            read_coup_players(r, v);
        else if (json_string_is(key, "your_cards"))
            hidden = read_coup_roles(r, own, 2);
        else if (json_string_is(key, "exchange_cards"))
            read_coup_roles(r, v->exchange, 2);
        else
            json_skip(r);
    if (v->log.action > COUP_TURN_ACTIONS || t->seat >= COUP_MAX_SEATS)
        return ERR_FORMAT;
    for (int i = 0; i < hidden; i++)
        v->seat[t->seat].card[i] = own[i];
    return hidden ? OK : ERR_FORMAT;
}

// --- belote: what is known, then belote_retell

static uint8_t read_belote_card(struct json_reader *r)
{
    int card = codec_read_card(r), rank = card < 0 ? -1 : card_rank((uint8_t)card) - 5;
    if (rank < 0) {
        json_fail(r, ERR_UNKNOWN);
        return 0;
    }
    return (uint8_t)(BELOTE_RANKS * card_suit((uint8_t)card) + rank);
}

static uint8_t read_belote_cards(struct json_reader *r, uint8_t *out, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        uint8_t card = read_belote_card(r);
        if (count < room)
            out[count++] = card;
    }
    return (uint8_t)count;
}

static void read_belote_bids(struct json_reader *r, struct belote_view *v)
{
    static const int first[] = {BELOTE_SAY_MODE, BELOTE_SAY_ACCEPT, BELOTE_SAY_DOUBLE, BELOTE_SAY_REDOUBLE};
    for (json_enter_array(r); json_next_item(r);) {
        struct json_string key;
        int type = -1, mode = 0;
        for (json_enter_object(r); json_next_key(r, &key);)
            if (json_string_is(key, "type"))
                type = read_word(r, belote_word_types, 4);
            else if (json_string_is(key, "mode") && !json_read_if_null(r))
                mode = read_word(r, belote_mode_names, BELOTE_MODES);
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
        int32_t points = read_small(r);
        if (i < 2)
            out[i] = points;
    }
}

static int read_belote(struct json_reader *r, struct told *t)
{
    struct belote_view *v = (void *)&t->view;
    struct belote_rules rules;
    struct json_string key;
    belote_game.defaults(&rules);
    *v = (struct belote_view){.viewer = (uint8_t)t->seat, .target = rules.target, .clubs_base = rules.clubs_base};
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "phase"))
            v->phase = (uint8_t)read_word(r, belote_codec.phases, BELOTE_DONE + 1);
        else if (json_string_is(key, "dealer"))
            v->dealer = read_pid_or(r, 0);
        else if (json_string_is(key, "hand"))
            v->cards = read_belote_cards(r, v->hand, BELOTE_HAND);
        else if (json_string_is(key, "bids"))
            read_belote_bids(r, v);
        else if (json_string_is(key, "played"))
            v->plays = read_belote_cards(r, v->play, BELOTE_CARDS);
        else if (json_string_is(key, "match_points"))
            read_points(r, v->points);
        else if (json_string_is(key, "target"))
            v->target = read_small(r);
        else if (json_string_is(key, "deal_number"))
            v->deal_number = (uint32_t)read_small(r);
        else
            json_skip(r);
    return r->error ? r->error : belote_retell(v);
}

int told_read_view(const struct dialect *d, struct span state, struct told *t)
{
    static int (*const readers[])(struct json_reader *, struct told *) = {read_holdem, read_liars, read_coup,
                                                                          read_belote};
    struct json_reader r = json_reader_of(state, DEPTH);
    for (int i = 0; dialects[i]; i++) {
        if (dialects[i] != d)
            continue;
        int err = readers[i](&r, t);
        return r.error ? r.error : err;
    }
    return ERR_UNKNOWN;
}
