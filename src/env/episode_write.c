// The observation of a seat in an episode: its view, events and legal actions, in JSON and in prose.
#include "codec/moves.h"
#include "codec/short_prose.h"
#include "codec/speech.h"
#include "env/episode.h"
#include "env/step_result.h"

static void write_seats(struct text *t, const struct episode *e, seat_set set)
{
    json_begin_array(t);
    for (unsigned s = set; s; s &= s - 1)
        json_write_text(t, e->facts->avatars[__builtin_ctz(s)]);
    json_end_array(t);
}

// --- what may be done

struct numbered {
    int count;
    uint16_t number[GAME_MAX_FLAT];
    struct game_action action[GAME_MAX_FLAT];
};

static void list_numbers(const struct episode *e, int seat, struct numbered *out)
{
    uint64_t legal[GAME_FLAT_WORDS] = {0};
    const struct game *g = e->kit->game;
    game_mask(g, &e->match.state, seat, legal);
    legal[0] &= ~UINT64_C(1);
    out->count = 0;
    for (int w = 0; w < GAME_FLAT_WORDS; w++)
        for (uint64_t bits = legal[w]; bits; bits &= bits - 1) {
            int i = 64 * w + __builtin_ctzll(bits);
            out->number[out->count] = (uint16_t)i;
            out->action[out->count++] = game_action_at(g, &e->match.state, seat, i);
        }
}

// Lists and numbers are usually in the same order, so the search begins after the last one found.
static int number_of(const struct numbered *all, struct game_action a, int *after)
{
    for (int k = 0; k < all->count; k++) {
        int i = *after + k < all->count ? *after + k : *after + k - all->count;
        if (game_same_action(all->action[i], a)) {
            *after = i + 1 < all->count ? i + 1 : 0;
            return all->number[i];
        }
    }
    return -1;
}

// If a step is a placement, single inputs are not listed (V5).
static bool is_listed(const struct episode *e, int number)
{
    return e->inputs || !e->kit->inputs || number > (int)e->kit->inputs;
}

static void write_legal(struct text *t, const struct episode *e, int seat, bool waits)
{
    struct game_choice list[2 * GAME_MAX_CHOICES];
    struct numbered all;
    const struct codec *codec = e->kit->codec;
    struct codec_table names = episode_names(e, seat);
    bool asked = episode_asked(e) & SEAT(seat);
    int after = 0, count = asked ? episode_choices(e, seat, list) : 0;
    if (asked)
        list_numbers(e, seat, &all);
    json_begin_array(t);
    if (waits || (asked && e->kit->game->tick_ms && e->inputs))
        json_write_raw(t, SPAN("{\"type\":\"wait\"}"));
    for (int i = 0; i < count; i++) {
        int number = number_of(&all, list[i].first, &after);
        if (!is_listed(e, number))
            continue;
        json_begin_object(t);
        json_put_text(t, "type", codec_find_kind(codec, list[i].first.kind, false)->type);
        codec_write_params(codec, t, &names, list[i].first);
        if (number >= 0)
            json_put_int(t, "index", number);
        if (list[i].max_amount > list[i].first.amount && codec->write_range)
            codec->write_range(t, &names, list[i]);
        json_end_object(t);
    }
    json_end_array(t);
}

void episode_write_moves(struct text *t, const struct episode *e, int seat, const char *between)
{
    struct game_choice all[GAME_MAX_CHOICES];
    struct codec_table names = episode_names(e, seat);
    union game_view view;
    e->kit->game->view(&e->match.state, seat, &view);
    int count = e->kit->game->choices(&e->match.state, seat, all);
    moves_write(e->kit->codec, t, &names, &view, all, count, between);
}

// --- prose

void episode_write_rules(struct text *t, const struct game_kit *k, const void *rules, int seats)
{
    k->codec->describe_rules(t, rules, seats);
    text_puts(t, "\n\nActions:\n");
    speech_describe_actions(k->codec, t);
}

static void describe_situation(struct text *t, const struct episode *e, int seat, const void *view, bool brief)
{
    struct codec_table names = episode_names(e, seat);
    if (!brief) {
        e->kit->codec->describe_view(t, &names, view);
        return;
    }
    short_prose_write_situation(e->kit->codec, t, &names, view);
    if (!(episode_asked(e) & SEAT(seat)))
        return;
    text_puts(t, t->size && t->at[t->size - 1] != '\n' ? "\nYour move: " : "Your move: ");
    episode_write_moves(t, e, seat, " | ");
}

static void put_prose(struct text *t, struct episode *e, int seat, const void *view, const struct episode_format *how)
{
    struct text *s = &e->scratch->prose;
    s->size = 0;
    if (!how->silent)
        describe_situation(s, e, seat, view, how->brief);
    json_put_string(t, "text", text_span(s));
    if (!how->first) {
        json_put_null(t, "rules");
        return;
    }
    s->size = 0;
    episode_write_rules(s, e->kit, &e->match.rules, e->match.seats);
    json_put_string(t, "rules", text_span(s));
}

// --- numbers

static void put_vector(struct text *t, const struct episode *e, int seat, const void *view)
{
    float at[GAME_MAX_VECTOR];
    uint64_t legal[GAME_FLAT_WORDS] = {0};
    const struct game *g = e->kit->game;
    g->vector(view, at);
    json_begin_array_at(t, "vector");
    for (uint32_t i = 0; i < g->vector_size; i++)
        json_write_decimal(t, (double)at[i], 6);
    json_end_array(t);
    if (episode_asked(e) & SEAT(seat))
        game_mask(g, &e->match.state, seat, legal);
    json_begin_array_at(t, "mask");
    for (uint32_t i = 0; i < g->flat_size; i++)
        json_write_int(t, legal[i / 64] >> i % 64 & 1 && is_listed(e, (int)i));
    json_end_array(t);
}

static void put_events(struct text *t, const struct episode_player *p)
{
    json_begin_array_at(t, "events");
    if (p->dropped) {
        json_begin_object(t);
        json_put_text(t, "type", "events_dropped");
        json_put_uint(t, "count", p->dropped);
        json_end_object(t);
    }
    if (p->news.size)
        json_write_raw(t, text_span(&p->news));
    json_end_array(t);
}

static void put_end(struct text *t, const struct episode *e, const struct episode_player *p)
{
    json_begin_object_at(t, "reward_components");
    for (int i = 0; e->kit->game->rewarded[i]; i++)
        env_put_reward(t, e->kit->game->rewarded[i], p->earned[i]);
    json_end_object(t);
    json_put_bool(t, "truncated", p->done && p->truncated);
    json_put_text(t, "termination_reason", p->done ? episode_end_names[p->ending] : NULL);
}

void episode_write(struct text *t, struct episode *e, int seat, const struct episode_format *how)
{
    const struct game *g = e->kit->game;
    struct game_turn turn = g->turn(&e->match.state);
    struct codec_table names = episode_names(e, seat);
    union game_view view;
    g->view(&e->match.state, seat, &view);
    json_put_text(t, "game", g->name);
    json_put_text(t, "scenario", g->scenarios[e->scenario]);
    json_put_text(t, "seat", e->facts->avatars[seat]);
    json_put_text(t, "phase", e->kit->codec->phases[turn.phase]);
    json_put_bool(t, "your_turn", episode_asked(e) & SEAT(seat));
    json_key(t, "to_act");
    write_seats(t, e, turn.kind == TURN_OVER ? 0 : turn.seats);
    put_prose(t, e, seat, &view, how);
    json_key(t, "legal");
    write_legal(t, e, seat, how->waits);
    json_begin_object_at(t, "view");
    e->kit->codec->write_view(t, &names, &view);
    json_end_object(t);
    if (how->vector)
        put_vector(t, e, seat, &view);
    put_events(t, &e->player[seat]);
    json_put_raw(t, "error", how->error.size ? how->error : SPAN("null"));
    put_end(t, e, &e->player[seat]);
}
