// How an episode proceeds: answers of clients, house bots, time, rewards and ends.
#include "env/episode.h"

#include "crypto/crypto.h"
#include "env/advance.h"
#include "env/host.h"
#include "heap/heap.h"
#include "house/ask.h"
#include "house/mind_memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

const char *const episode_end_names[] = {NULL, "success", "failure", "draw", "timeout", "forfeit"};

void episode_scratch_init(struct episode_scratch *d, struct work *w)
{
    *d = (struct episode_scratch){.work = w, .prose = {.grow = env_text_grow}};
}

void episode_scratch_release(struct episode_scratch *d)
{
    free(d->prose.at);
}

static void spend_work(const struct episode *e, uint32_t units)
{
    if (e->scratch->work)
        work_spend(e->scratch->work, units);
}

// --- rules

static void put_members(struct text *t, struct span object)
{
    struct json_reader in = json_reader_of(object, 64);
    struct json_string key;
    for (json_enter_object(&in); json_next_key(&in, &key);) {
        struct span value = json_read_raw(&in);
        text_puts(t, ",\"");
        text_put(t, key.raw);
        text_puts(t, "\":");
        text_put(t, value);
    }
}

bool episode_read_rules(struct episode_setup *s, const char *scenario, struct span options, int seats, char bad[64])
{
    const struct game *g = s->kit->game;
    const struct env_facts *facts = kit_environment(s->kit);
    struct text order = {.grow = env_text_grow};
    s->scenario = scenario ? span_among(span_of(scenario), g->scenarios) : 0;
    snprintf(bad, 64, "scenario");
    if (s->scenario < 0)
        return false;
    snprintf(bad, 64, "scenario (beside rules, not in them)");
    if (json_member(options, "scenario").size)
        return false;
    text_puts(&order, "{\"scenario\":");
    json_write_text(&order, g->scenarios[s->scenario]);
    if (options.size)
        put_members(&order, options);
    if (facts->forced) // last, so that it takes precedence
        put_members(&order, span_of(facts->forced));
    text_puts(&order, "}");
    struct json_reader in = json_reader_of(text_span(&order), 64);
    s->seats = seats;
    int err = codec_read_rules(s->kit->codec, &in, &s->rules, &s->seats, bad);
    free(order.at);
    if (err != OK)
        return false;
    bad[0] = 0;
    return game_can_begin(g, &s->rules, s->seats);
}

// --- what has just happened

struct codec_table episode_names(const struct episode *e, int seat)
{
    return (struct codec_table){.seat = e->facts->avatars,
                                .seats = e->match.seats,
                                .viewer = seat,
                                .past = e->past,
                                .past_count = e->past_count};
}

// Public history; the older half is dropped if there is too much.
static void add_public_event(struct episode *e, const struct game_event *event)
{
    if (!(event->to & SEAT(GAME_SPECTATOR)))
        return;
    if (e->past_count == EPISODE_PAST)
        env_drop_oldest_half(e->past, &e->past_count);
    e->past = heap_list_grow(e->past, e->past_count, &e->past_room, 32, sizeof *e->past);
    e->past[e->past_count++] = *event;
}

static void add_news(struct episode *e, int seat, const struct game_event *event, int count)
{
    struct game_event seen[16];
    struct episode_player *p = &e->player[seat];
    struct codec_table names = episode_names(e, seat);
    int n = 0;
    if (!(event->to & SEAT(seat)))
        return;
    for (int i = 0; i < count && n < 16; i++)
        if (event[i].to & SEAT(seat))
            seen[n++] = event[i];
    if (p->news_count == EPISODE_NEWS) { // not read for long: old news are dropped
        p->dropped += p->news_count;
        p->news.size = p->news_count = 0;
    }
    if (p->news_count++)
        text_put_char(&p->news, ',');
    text_puts(&p->news, "{\"type\":\"");
    text_puts(&p->news, e->kit->codec->event_types[event->kind]);
    text_put_char(&p->news, '"');
    e->kit->codec->write_event(&p->news, &names, seen, n);
    text_put_char(&p->news, '}');
}

static void end_seat(struct episode *e, int seat, bool truncated, enum episode_end ending)
{
    struct episode_player *p = &e->player[seat];
    p->done = true;
    p->truncated = truncated;
    p->ending = (uint8_t)ending;
    e->clients &= (seat_set)~SEAT(seat);
}

static bool is_draw(const struct episode *e)
{
    int32_t paid[GAME_MAX_SEATS];
    e->kit->game->payoffs(&e->match.state, paid);
    for (int s = 1; s < e->match.seats; s++)
        if (paid[s] != paid[0])
            return false;
    return e->match.seats > 1;
}

static void end_match(struct episode *e, const void *view)
{
    bool cut = e->facts->is_cut && e->facts->is_cut(view);
    bool draw = is_draw(e);
    e->over = true;
    for (unsigned set = e->clients; set; set &= set - 1) {
        int s = __builtin_ctz(set);
        bool won = env_facts_has_won(e->facts, e->kit->game, &e->match.state, view, e->match.seats, s);
        end_seat(e, s, cut, cut ? EPISODE_TIMEOUT : won ? EPISODE_SUCCESS : draw ? EPISODE_DRAW : EPISODE_FAILURE);
    }
}

static void add_rewards(struct episode *e, const struct game_events *h)
{
    struct game_rewards step = {0};
    const struct game *g = e->kit->game;
    g->rewards(&e->match.state, h, &step);
    for (unsigned set = e->clients; set; set &= set - 1) {
        int s = __builtin_ctz(set);
        for (int i = 0; g->rewarded[i]; i++)
            if (step.at[s][i] != 0)
                e->player[s].earned[i] += env_plain_reward(step.at[s][i]);
    }
}

static void process_events(struct episode *e)
{
    struct game_events *h = &e->scratch->happened;
    union game_view view;
    add_rewards(e, h);
    for (uint32_t i = 0; i < h->count;) {
        int parts = codec_event_parts(&h->at[i], h->count - i);
        for (int k = 0; k < parts; k++)
            add_public_event(e, &h->at[i + (uint32_t)k]);
        for (unsigned set = e->clients; set; set &= set - 1)
            add_news(e, __builtin_ctz(set), &h->at[i], parts);
        i += (uint32_t)parts;
    }
    decision_numbers_follow(&e->question, &e->match);
    bool over = match_is_over(&e->match);
    if (over || h->count) {
        e->kit->game->view(&e->match.state, GAME_SPECTATOR, &view);
        for (unsigned set = e->clients; set; set &= set - 1) // G10.9: out, while others continue
            if (!over && !env_facts_in_play(e->facts, &view, __builtin_ctz(set)))
                end_seat(e, __builtin_ctz(set), false, EPISODE_FAILURE);
        if (over)
            end_match(e, &view);
    }
    h->count = h->ticks = 0;
}

// --- the house

struct house_move {
    const struct episode *episode;
    int seat;
    struct rng dice;
    struct game_action move;
};

static void choose_house_move(void *arg)
{
    struct house_move *d = arg;
    d->move = house_ask_with(&d->episode->match, d->episode->bot[d->seat], d->seat, d->dice, 0.5F);
}

// The stream of a seat is the same for a whole match, and splitting costs more than a step.
static const struct rng *stream_of(struct episode *e, int seat)
{
    if (!(e->known & SEAT(seat)))
        e->stream[seat] = match_bot_stream(&e->match, seat);
    e->known |= SEAT(seat);
    return &e->stream[seat];
}

static void play_answer(struct episode *e, int seat, struct game_action move)
{
    struct game_events *h = &e->scratch->happened;
    uint32_t number = e->kit->game->turn(&e->match.state).number;
    int err = match_answer(&e->match, seat, number, move, h);
    if (err != OK)
        err = match_play_fallback(&e->match, seat, h);
    assert(err == OK);
    (void)err;
    process_events(e);
}

static void move_house(struct episode *e, int seat)
{
    struct rng dice = rng_section(stream_of(e, seat), decision_numbers_get(&e->question, seat));
    struct house_move d = {.episode = e, .seat = seat, .dice = dice};
    spend_work(e, ENV_COST_MOVE);
    if (e->bot[seat]->thinks && e->scratch->work)
        work_offload(e->scratch->work, choose_house_move, &d);
    else
        choose_house_move(&d);
    play_answer(e, seat, d.move);
}

// --- time

static bool can_place(const struct episode *e)
{
    uint64_t legal[GAME_FLAT_WORDS] = {0};
    const struct game *g = e->kit->game;
    game_mask(g, &e->match.state, 0, legal);
    for (uint32_t i = e->kit->inputs + 1; i < g->flat_size; i++)
        if (legal[i / 64] >> i % 64 & 1)
            return true;
    return false;
}

// V5: after a placement, until a piece can be placed again; after an input, one tick.
static void pass_time(struct episode *e)
{
    const struct game *g = e->kit->game;
    bool places = !e->inputs && e->kit->inputs;
    for (int i = 0; e->clients && i < EPISODE_MOST_TICKS; i++) {
        match_tick(&e->match, &e->scratch->happened);
        e->ticks++;
        process_events(e);
        if (g->tick_ms && e->ticks >= e->facts->max_ticks && e->clients) {
            e->over = true;
            end_seat(e, 0, true, EPISODE_TIMEOUT);
        }
        if (i % 16 == 15)
            spend_work(e, ENV_COST_TICK);
        if (!places || can_place(e))
            return;
    }
}

// House bots move until a client is asked, or nobody is left to ask.
static void play_house(struct episode *e)
{
    const struct game *g = e->kit->game;
    if (g->tick_ms)
        return;
    while (e->clients && !e->over) {
        struct game_turn turn = g->turn(&e->match.state);
        unsigned house = turn.seats & (unsigned)~e->clients;
        if (turn.kind == TURN_OVER || !house)
            return;
        move_house(e, __builtin_ctz(house));
    }
}

// --- from outside

bool episode_begin(struct episode *e, const struct episode_setup *s, struct episode_scratch *d)
{
    struct match_setup m = {
        .game = s->kit->game, .rules = &s->rules, .seats = s->seats, .has_seed = s->has_seed, .seed = s->seed};
    *e = (struct episode){.scratch = d,
                          .kit = s->kit,
                          .facts = kit_environment(s->kit),
                          .scenario = s->scenario,
                          .clients = s->clients,
                          .inputs = s->inputs};
    memcpy(e->bot, s->bot, sizeof e->bot);
    if (s->has_seed)
        crypto_seed_key(m.key, s->kit->game->name, s->seed);
    else
        crypto_random(m.key, sizeof m.key);
    d->happened.count = d->happened.ticks = 0;
    if (match_start(&e->match, &m, NULL, &d->happened) != OK)
        return false;
    mind_memory_begin(&e->minds, &e->match, e->bot, &d->happened);
    for (int i = 0; i < s->seats; i++)
        e->player[i].news.grow = env_text_grow;
    process_events(e);
    play_house(e);
    if (s->kit->game->tick_ms && !s->inputs && s->kit->inputs && !can_place(e))
        pass_time(e);
    return true;
}

void episode_release(struct episode *e)
{
    for (int i = 0; i < GAME_MAX_SEATS; i++)
        free(e->player[i].news.at);
    free(e->past);
    mind_memory_free(e->minds);
    *e = (struct episode){0};
}

seat_set episode_asked(const struct episode *e)
{
    struct game_turn turn = e->kit->game->turn(&e->match.state);
    return e->over || turn.kind == TURN_OVER ? 0 : turn.seats & e->clients;
}

bool episode_is_legal(const struct episode *e, int seat, struct game_action a)
{
    return game_is_legal(e->kit->game, &e->match.state, seat, a);
}

void episode_act(struct episode *e, int seat, struct game_action a)
{
    spend_work(e, ENV_COST_STEP);
    if (a.kind)
        play_answer(e, seat, a);
    play_house(e);
    if (e->kit->game->tick_ms && e->clients)
        pass_time(e);
}

void episode_pass(struct episode *e, int seat)
{
    spend_work(e, ENV_COST_STEP);
    e->player[seat].passed = true;
    int err = match_play_fallback(&e->match, seat, &e->scratch->happened);
    assert(err == OK);
    (void)err;
    process_events(e);
    play_house(e);
    if (e->kit->game->tick_ms && e->clients)
        pass_time(e);
}

void episode_forfeit(struct episode *e, int seat)
{
    match_drop(&e->match, seat, 0, &e->scratch->happened);
    process_events(e);
    if (!e->player[seat].done || e->player[seat].ending == EPISODE_FAILURE)
        end_seat(e, seat, false, EPISODE_FORFEIT);
    play_house(e);
}

void episode_leave(struct episode *e, int seat)
{
    e->clients &= (seat_set)~SEAT(seat);
    play_house(e);
}

bool episode_number(const struct episode *e, int seat, int64_t number, struct game_action *a)
{
    const struct game *g = e->kit->game;
    return number > 0 && number < (int64_t)g->flat_size && g->flat(&e->match.state, seat, (int)number, a);
}

int episode_choices(const struct episode *e, int seat, struct game_choice *list)
{
    struct game_choice all[GAME_MAX_CHOICES];
    int count = e->kit->game->choices(&e->match.state, seat, all);
    return codec_split_choices(e->kit->codec, all, count, list);
}

double episode_take_reward(struct episode *e, int seat)
{
    struct episode_player *p = &e->player[seat];
    double sum = 0;
    for (int i = 0; e->kit->game->rewarded[i]; i++)
        sum += p->earned[i];
    memset(p->earned, 0, sizeof p->earned);
    p->news.size = 0;
    p->news_count = p->dropped = 0;
    p->passed = false;
    return sum;
}
