// A state of the arena's wire as a view: what house bots look at, which is less than a view has room for.
#include "games/liars_dice/arena.h"
#include "games/liars_dice/codec.h"
#include "games/liars_dice/rules/liars_dice.h"

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
            v->bidder = dialect_read_pid_or(r, LIARS_DICE_NOBODY);
        else
            json_skip(r);
    if (quantity && face)
        v->bid = (uint8_t)liars_dice_rank(quantity, face);
}

static const char *const phases[] = {"bidding", "done"};

static int read_state(struct json_reader *r, struct action_request *t)
{
    struct liars_dice_view *v = (void *)&t->view;
    struct json_string key;
    *v = (struct liars_dice_view){.seats = (uint8_t)t->seats,
                                  .viewer = (uint8_t)t->seat,
                                  .to_act = t->count ? (uint8_t)t->seat : LIARS_DICE_NOBODY,
                                  .bidder = LIARS_DICE_NOBODY,
                                  .winner = LIARS_DICE_NOBODY,
                                  .wild_ones = 1};
    int dice = 0;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "phase"))
            v->phase = dialect_read_word(r, phases, 2) == LIARS_DICE_DONE ? LIARS_DICE_DONE : LIARS_DICE_BIDDING;
        else if (json_string_is(key, "winner"))
            v->winner = dialect_read_pid_or(r, LIARS_DICE_NOBODY);
        else if (json_string_is(key, "current_turn") && !t->count)
            v->to_act = dialect_read_pid_or(r, LIARS_DICE_NOBODY);
        else if (json_string_is(key, "round"))
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
    bool is_remote = v->total; // not when the game is over
    for (int s = 0; !is_remote && s < LIARS_DICE_SEATS; s++)
        v->total = (uint8_t)(v->total + v->dice_counts[s]);
    return !t->count || liars_dice_is_playable(v, dice) ? OK : ERR_FORMAT;
}

// F6.L3: bounds in place of a bid.
static bool widen(const struct arena_bounds *b, struct game_choice *c)
{
    const int64_t most = LIARS_DICE_SEATS * LIARS_DICE_DICE;
    if (c->first.kind != LIARS_DICE_BID || b->min_quantity <= 0 || b->min_quantity > most || b->max_quantity <= 0 ||
        b->max_quantity > most || b->min_face < 1 || b->min_face > LIARS_DICE_FACES)
        return false;
    c->first.amount = liars_dice_rank((int)b->min_quantity, (int)b->min_face);
    c->max_amount = liars_dice_rank((int)b->max_quantity, LIARS_DICE_FACES);
    return true;
}

// F6.L9
static struct game_action fallback(const struct action_request *t)
{
    const struct liars_dice_view *v = (const void *)&t->view;
    bool doubts = 2 * liars_dice_quantity(v->bid) > v->total;
    return t->choices[v->bid && t->count > 1 && !doubts ? t->count - 1 : 0].first;
}

const struct arena_reader liars_dice_arena_reader = {.read_state = read_state, .widen = widen, .fallback = fallback};
