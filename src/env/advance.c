// How a table advances: ticks, house bots, events and who gets them, ends of episodes (G12.4, G13.3, G22.11).
#include "env/advance.h"
#include "env/actions.h"
#include "env/arena_seat.h"
#include "env/broadcast.h"
#include "env/host.h"
#include "env/job.h"
#include "env/player.h"
#include "env/reveal.h"

#include "house/ask.h"
#include "house/mind_memory.h"

#include <assert.h>
#include <stdio.h>

enum { HOUSE_PACE = 30 };       // ticks between two moves of a house bot, where time moves the game (G24.1)
enum { PROGRESS_EVERY = 1000 }; // ticks: shorter steps show no progress (G6.7)

struct codec_table env_codec_table(const struct env_table *t, int viewer)
{
    return (struct codec_table){.seat = t->kit->avatars,
                                .seats = t->episode ? t->match.seats : env_seats_of(t),
                                .viewer = viewer,
                                .past = t->past,
                                .past_count = t->past_count};
}

// --- news

void env_news_clear(struct env_events *n)
{
    n->text.size = 0;
    n->text.full = false;
    n->count = 0;
    n->dropped = 0;
    n->messages = 0;
}

static bool is_message(const struct env_events *n, uint32_t i)
{
    static const char start[] = "{\"type\":\"message\",";
    return memcmp(n->text.at + n->begins[i], start, sizeof start - 1) == 0;
}

// G16.3. There is at least one, otherwise the limit would not be exceeded.
void env_news_drop_message(struct env_agent *a)
{
    struct env_events *n = &a->news;
    uint32_t i = 0;
    while (i + 1 < n->count && !is_message(n, i))
        i++;
    if (i + 1 >= n->count)
        return;
    uint32_t cut = n->begins[i + 1] - n->begins[i];
    memmove(n->text.at + n->begins[i], n->text.at + n->begins[i + 1], n->text.size - n->begins[i + 1]);
    n->text.size -= cut;
    for (; i + 1 < n->count; i++)
        n->begins[i] = n->begins[i + 1] - cut;
    n->count--;
    n->messages--;
    n->dropped++;
}

// When there are twice as many as a reply may have, the older half is dropped at once.
static void drop_older_half(struct env_events *n)
{
    uint32_t cut = n->begins[ENV_NEWS];
    for (uint32_t i = 0; i < ENV_NEWS; i++)
        n->messages -= is_message(n, i);
    n->text.size -= cut;
    memmove(n->text.at, n->text.at + cut, n->text.size);
    for (int i = 0; i < ENV_NEWS; i++)
        n->begins[i] = n->begins[ENV_NEWS + i] - cut;
    n->count = ENV_NEWS;
    n->dropped += ENV_NEWS;
}

void env_news_begin(struct env_agent *a, const char *type, uint64_t tick, int severity)
{
    struct env_events *n = &a->news;
    if (n->count == 2 * ENV_NEWS)
        drop_older_half(n);
    if (n->count)
        text_put_char(&n->text, ',');
    n->begins[n->count++] = (uint32_t)n->text.size;
    text_put_char(&n->text, '{');
    json_put_text(&n->text, "type", type);
    json_put_uint(&n->text, "tick", tick);
    json_put_int(&n->text, "severity", severity);
    json_begin_object_at(&n->text, "details");
}

void env_news_end(struct env_agent *a)
{
    json_end_object(&a->news.text);
    json_end_object(&a->news.text);
}

void env_news_add(struct env_agent *a, const char *type, uint64_t tick, int severity, struct span details)
{
    env_news_begin(a, type, tick, severity);
    a->news.text.size--; // the brace that details bring along
    text_put(&a->news.text, details);
    json_end_object(&a->news.text);
}

static int viewer_of(const struct env_agent *a)
{
    return a->type == ENV_ENTITY ? a->seat : GAME_SPECTATOR;
}

static bool may_see(const struct env_agent *a, const struct game_event *e)
{
    if (a->type == ENV_COLONY)
        return e->to & (SEAT(a->team) | SEAT(a->team + 2) | SEAT(GAME_SPECTATOR));
    return e->to & SEAT(viewer_of(a));
}

// An event with those of its parts that the agent may see.
static void describe_event(struct env_agent *a, const struct game_event *e, int count)
{
    struct game_event seen[16];
    int n = 0;
    const struct env_table *t = a->table;
    struct codec_table names = env_codec_table(t, viewer_of(a));
    if (!may_see(a, e))
        return;
    for (int i = 0; i < count && n < 16; i++)
        if (may_see(a, &e[i]))
            seen[n++] = e[i];
    if (a->player)
        env_player_add_event(a, seen, n);
    env_news_begin(a, t->row->codec->event_types[e->kind], t->tick, env_facts_severity(t->kit, e, viewer_of(a)));
    t->row->codec->write_event(&a->news.text, &names, seen, n);
    env_news_end(a);
}

// --- the past everybody knows

uint32_t env_drop_oldest_half(struct game_event *past, uint32_t *count)
{
    uint32_t half = *count / 2;
    while (half < *count - 1 && past[half].part) // an event and its parts stay together
        half++;
    *count -= half;
    memmove(past, past + half, *count * sizeof *past);
    return half;
}

static void add_public_event(struct env_table *t, const struct game_event *e)
{
    if (!(e->to & SEAT(GAME_SPECTATOR)))
        return;
    if (t->past_count == ENV_PAST) {
        uint32_t gone = env_drop_oldest_half(t->past, &t->past_count);
        memmove(t->past_ticks, t->past_ticks + gone, t->past_count * sizeof *t->past_ticks);
    }
    t->past_ticks[t->past_count] = t->tick;
    t->past[t->past_count++] = *e;
}

// --- ends

void env_activate(struct env_agent *a)
{
    a->state = ENV_ACTIVE;
    a->done = a->truncated = a->end_reported = a->end_recorded = false;
    a->ending = ENV_NOT_ENDED;
    if (a->seat >= 0 || a->team >= 0)
        a->conn->held_episode = a->table->episode;
}

void env_terminate(struct env_agent *a, bool truncated, enum env_ending ending)
{
    if (a->state != ENV_ACTIVE)
        return;
    a->state = ENV_TERMINAL;
    a->done = !truncated;
    a->truncated = truncated;
    a->ending = (uint8_t)ending;
    a->end_reported = false;
    env_notify_changed(a->table, "game://agents");
}

static bool seat_has_won(const struct env_table *t, const void *view, int seat)
{
    return env_facts_has_won(t->kit, t->row->game, &t->match.state, view, t->match.seats, seat);
}

static bool has_won(const struct env_agent *a, const void *view)
{
    if (a->type == ENV_ENTITY)
        return seat_has_won(a->table, view, a->seat);
    if (a->type == ENV_COLONY)
        return seat_has_won(a->table, view, a->team) || seat_has_won(a->table, view, a->team + 2);
    return true; // G22.11: systemic agents succeed at the natural end
}

static bool is_killed(const struct env_agent *a)
{
    return a->seat >= 0 && a->table->killed & SEAT(a->seat);
}

static void end_match(struct env_table *t, const void *view)
{
    bool cut = t->kit->is_cut && t->kit->is_cut(view);
    t->running = false;
    t->idle_us = t->group->env->now_us;
    t->matches++;
    for (int s = 0; s < t->match.seats; s++)
        t->seat_wins[s] += seat_has_won(t, view, s);
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        env_terminate(a, cut,
                      cut                ? ENV_TIMEOUT
                      : is_killed(a)     ? ENV_EXTERNAL
                      : has_won(a, view) ? ENV_SUCCESS
                                         : ENV_FAILURE);
    env_notify_changed(t, "game://world");
}

// G10.9: a seat that is out ends the episode for its own agent only.
static void end_seats(struct env_table *t, const void *view)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        if (a->type == ENV_ENTITY && a->state == ENV_ACTIVE && !env_facts_in_play(t->kit, view, a->seat))
            env_terminate(a, false, is_killed(a) ? ENV_EXTERNAL : ENV_FAILURE);
}

static void end_by_time(struct env_table *t)
{
    t->running = false;
    t->idle_us = t->group->env->now_us;
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        env_terminate(a, true, ENV_TIMEOUT);
    env_notify_changed(t, "game://world");
}

// --- what has just happened

// The decimal number that the game's float stands for: -0.2, not -0.200000003.
double env_plain_reward(float reward)
{
    double value = (double)reward, size = value < 0 ? -value : value;
    double scale = size >= 10 ? 1e5 : size >= 1 ? 1e6 : size >= 0.1 ? 1e7 : size >= 0.01 ? 1e8 : 1e9;
    return (double)(int64_t)(value * scale + (value < 0 ? -0.5 : 0.5)) / scale;
}

static void add_rewards(struct env_table *t)
{
    struct game_rewards step = {0};
    const struct game *g = t->row->game;
    g->rewards(&t->match.state, &t->happened, &step);
    for (struct env_agent *a = t->agents; a; a = a->next_at_table) {
        int seat = a->type == ENV_COLONY ? a->team : a->type == ENV_ENTITY ? a->seat : -1;
        if (a->state != ENV_ACTIVE || seat < 0 || seat >= t->match.seats)
            continue;
        for (int i = 0; g->rewarded[i]; i++) {
            if (step.at[seat][i] == 0)
                continue;
            double earned = env_plain_reward(step.at[seat][i]);
            a->earned[i] += earned;
            a->unrecorded[i] += earned;
        }
    }
}

void env_process_events(struct env_table *t)
{
    struct game_events *h = &t->happened;
    union game_view view;
    uint8_t phase = t->match.game->turn(&t->match.state).phase;
    decision_numbers_follow(&t->question, &t->match);
    add_rewards(t);
    for (uint32_t i = 0; i < h->count;) {
        const struct game_event *e = &h->at[i];
        int parts = codec_event_parts(e, h->count - i);
        for (int k = 0; k < parts; k++)
            add_public_event(t, &e[k]);
        for (struct env_agent *a = t->agents; a; a = a->next_at_table)
            if (a->state == ENV_ACTIVE || (a->state == ENV_TERMINAL && !a->end_reported))
                describe_event(a, e, parts);
        env_broadcast_event(t, e, parts);
        i += (uint32_t)parts;
    }
    bool over = match_is_over(&t->match);
    if (t->running && (over || h->count)) {
        t->row->game->view(&t->match.state, GAME_SPECTATOR, &view);
        end_seats(t, &view);
        if (over)
            end_match(t, &view);
    }
    if (phase != t->phase)
        env_notify_changed(t, "game://world");
    t->phase = phase;
    h->count = 0;
    h->ticks = 0;
}

// --- the house

static bool is_house(const struct env_table *t, int seat)
{
    const struct env_agent *a = env_agent_at(t, seat);
    return !a || a->state != ENV_ACTIVE;
}

const struct bot *env_bot_at(const struct env_table *t, int seat)
{
    int level = t->level[seat];
    while (level > 0 && !t->row->bots[level])
        level--;
    return t->row->bots[level];
}

// G17.5: the stream of a house seat, the same for a whole match: splitting costs more than a step.
static const struct rng *house_stream(struct env_table *t, int seat)
{
    struct env_house *h = &t->house;
    if (memcmp(&h->root, &t->match.root, sizeof h->root) != 0) {
        h->root = t->match.root;
        h->known = 0;
    }
    if (!(h->known & SEAT(seat)))
        h->stream[seat] = match_bot_stream(&t->match, seat);
    h->known |= SEAT(seat);
    return &h->stream[seat];
}

struct house_move { // a decision of a house bot
    const struct match *match;
    const struct bot *bot;
    int seat;
    struct rng dice;
    float aggro;
    struct game_action move;
};

static void choose_house_move(void *arg)
{
    struct house_move *d = arg;
    d->move = house_ask_with(d->match, d->bot, d->seat, d->dice, d->aggro);
}

static void house_move(struct env_table *t, int seat, uint32_t decision)
{
    struct env *env = t->group->env;
    struct game_turn turn = t->row->game->turn(&t->match.state);
    struct house_move d = {.match = &t->match,
                           .bot = env_bot_at(t, seat),
                           .seat = seat,
                           .dice = rng_section(house_stream(t, seat), decision),
                           .aggro = t->aggro[seat]};
    env_spend(env, ENV_COST_MOVE);
    if (d.bot->thinks)
        env_offload(env, choose_house_move, &d);
    else
        choose_house_move(&d);
    int err = match_answer(&t->match, seat, turn.number, d.move, &t->happened);
    if (err != OK)
        err = match_play_fallback(&t->match, seat, &t->happened);
    assert(err == OK);
    (void)err;
    env_process_events(t);
}

static int find_house(const struct env_table *t, struct game_turn turn)
{
    for (unsigned set = turn.seats; set; set &= set - 1)
        if (is_house(t, __builtin_ctz(set)))
            return __builtin_ctz(set);
    return -1;
}

// G12.4 (b). Returns true if a house bot has moved.
bool env_play_house_once(struct env_table *t)
{
    struct game_turn turn = t->row->game->turn(&t->match.state);
    if (!t->running || turn.kind == TURN_OVER || turn.kind == TURN_FREE)
        return false;
    int seat = find_house(t, turn);
    if (seat < 0)
        return false;
    house_move(t, seat, decision_numbers_get(&t->question, seat));
    return true;
}

// A table without any agent seat plays one decision per tick.
static bool has_agent_seat(const struct env_table *t)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        if (a->state == ENV_ACTIVE && (a->type == ENV_ENTITY || a->type == ENV_COLONY))
            return true;
    return false;
}

static void play_house(struct env_table *t)
{
    bool once = !has_agent_seat(t);
    while (env_play_house_once(t) && !once)
        ;
}

// --- ticks

void env_tick_game(struct env_table *t)
{
    if (!t->row->game->tick)
        return;
    if (is_house(t, 0) && t->tick % HOUSE_PACE == 0)
        house_move(t, 0, (uint32_t)t->tick);
    if (!t->running)
        return;
    match_tick(&t->match, &t->happened);
    env_process_events(t);
}

// Returns true if it has been played, or will be when the arena confirms it.
static bool play_move(struct env_table *t, const struct env_command *d)
{
    struct game_turn turn = t->row->game->turn(&t->match.state);
    if (t->group->arena_seat)
        return env_arena_answer(t->group, d->move);
    if (match_answer(&t->match, d->seat, turn.number, d->move, &t->happened) != OK)
        return false;
    env_process_events(t);
    return true;
}

static void move_seat(struct env_table *t, struct env_item *item)
{
    const struct env_command *d = &item->command;
    if (item->agent->state == ENV_ACTIVE && t->running && !t->paused && play_move(t, d))
        return;
    item->dropped = true; // an earlier action of this advance has made it illegal
    env_news_begin(item->agent, "action_dropped", t->tick, 2);
    json_put_text(&item->agent->news.text, "action", d->row->name);
    env_news_end(item->agent);
}

// Systemic agents first, in order of registration, then seats by number (G12.4).
static int rank_of(const struct env_item *item)
{
    int place = 0;
    if (item->agent->seat >= 0 || item->agent->team >= 0)
        return 100000 + (item->command.seat >= 0 ? item->command.seat : item->agent->seat);
    for (struct env_agent *a = item->agent->table->group->agents; a != item->agent; a = a->next)
        place++;
    return place;
}

static void sort_items(struct env_item **items, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && rank_of(items[k]) < rank_of(items[k - 1]); k--) {
            struct env_item *swap = items[k];
            items[k] = items[k - 1];
            items[k - 1] = swap;
        }
}

void env_apply_items(struct env_table *t, struct env_item **items, int count)
{
    if (count > 1)
        sort_items(items, count);
    uint64_t episode = t->episode;
    t->acting = true;
    for (int i = 0; i < count; i++) {
        const struct env_action *row = items[i]->command.row;
        if (!row)
            continue;
        if (t->episode != episode) { // it was meant for the episode before the restart
            items[i]->dropped = true;
            continue;
        }
        if (row->command == ENV_DO_MOVE || row->command == ENV_DO_TASK)
            move_seat(t, items[i]);
        else
            env_command_do(items[i]->agent, &items[i]->command);
    }
    t->acting = false;
}

void env_end_tick(struct env_table *t)
{
    t->tick++;
    if (t->running && t->tick >= t->max_ticks)
        end_by_time(t);
}

// Whether an agent that asked for these ticks is still in play: only such agents wait for them.
static bool has_reader(struct env_item **items, int count)
{
    for (int i = 0; i < count; i++)
        if (items[i]->agent->state == ENV_ACTIVE)
            return true;
    return count == 0;
}

// G5.8: notifies subscribers; the session limits how often.
void env_notify_observations(struct env_table *t)
{
    int64_t now = t->group->env->now_us;
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        if (!a->conn->gone && a->conn->hooks->on_changed)
            a->conn->hooks->on_changed(a->conn->owner, a->uri);
    if (now - t->world_us >= 1000000) {
        t->world_us = now;
        env_notify_changed(t, "game://world");
    }
}

uint32_t env_advance_table(struct env_table *t, struct env_item **items, int count, uint32_t ticks)
{
    uint32_t done = 0;
    uint64_t episode = t->episode;
    while (done < ticks) {
        if (done == 0)
            env_apply_items(t, items, count);
        if (t->episode != episode) // after a restart, tick 0 is reported
            return ticks;
        if (t->paused || !t->running)
            return ticks;
        play_house(t);
        env_tick_game(t);
        env_end_tick(t);
        done++;
        if (!t->running || !has_reader(items, count))
            break;
        env_spend(t->group->env, ENV_COST_TICK);
        if (env_is_cut(t->group->env))
            break;
        if (t->watcher && done % PROGRESS_EVERY == 0)
            t->watcher->conn->hooks->on_progress(t->watcher->conn->owner, t->watcher->call, done, ticks);
    }
    return done;
}

// --- episodes

// Ends the episode for all agents. Agents of other clients learn it by a notice (G10.10), those of the client that
// reset by the reply to its call.
void env_episode_end(struct env_table *t, struct env_conn *by, enum env_ending ending)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table) {
        env_terminate(a, false, ending);
        if (a->conn == by) {
            a->notice.due = false;
            env_news_clear(&a->news);
        } else if (a->state == ENV_TERMINAL && !a->end_reported) {
            a->notice = (struct env_notice){true, a->done, a->truncated, a->ending, {0}};
            memcpy(a->notice.earned, a->earned, sizeof a->earned);
        }
        memset(a->earned, 0, sizeof a->earned);
        memset(a->unrecorded, 0, sizeof a->unrecorded);
    }
    t->running = false;
}

void env_episode_begin(struct env_table *t, const struct match *fresh, int64_t now_us)
{
    t->match = *fresh;
    t->match.history = &t->history;
    mind_memory_begin_all(&t->minds, &t->match, t->row->bots, sizeof t->row->bots / sizeof *t->row->bots, &t->happened);
    game_history_begin(t->row->game, &t->match.state, &t->history);
    t->question = (struct decision_numbers){.by_number = t->question.by_number};
    t->episode++;
    t->tick = 0;
    t->running = true;
    t->paused = false;
    t->past_count = 0;
    t->started_us = now_us;
    t->phase = UINT8_MAX;
    t->killed = 0;
    t->had_debug = false;
    for (const struct env_agent *a = t->agents; a; a = a->next_at_table)
        t->had_debug |= a->capabilities & ENV_DEBUG;
    memset(t->age, 0, sizeof t->age);
    t->house_wait = 0;
    for (struct env_agent *a = t->agents; a; a = a->next_at_table) {
        env_activate(a);
        env_news_begin(a, "episode_started", 0, 1);
        json_put_uint(&a->news.text, "episode", t->episode);
        json_put_text(&a->news.text, "scenario", t->scenario_name);
        env_put_warning(&a->news.text, t);
        env_news_end(a);
    }
    for (int s = 0; s < t->match.seats; s++)
        env_broadcast_seat(t, s, NULL);
    env_process_events(t); // events of init
    if (env_clock_of(t) == ENV_TRAINING && has_agent_seat(t))
        play_house(t);
    env_notify_changed(t, "game://agents");
    env_notify_changed(t, "game://world");
}
