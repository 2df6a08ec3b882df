// analysis_open: reads a replay and lists its decisions and parts.
#include "analysis/internal.h"

#include "bots/minds.h"
#include "heap/heap.h"
#include "house/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIND = BOT_MAX_MIND / 8, OTHER = 24, FIRST_ROOM = 64 }; // OTHER: first word of a key, as in run.c

struct walk {
    struct analysis *a;
    struct replay_run run;
    struct game_events events;
    union game_state before; // the step that is looked at
    // Of the reference, of the playout bot, and of the other player of a contest.
    uint64_t mind[GAME_MAX_SEATS][MIND], open[GAME_MAX_SEATS][MIND], other[GAME_MAX_SEATS][MIND];
    const struct bot *open_bot; // NULL: none
    struct {
        uint8_t seat;
        struct game_action action;
    } path[ANALYSIS_PATH];
    int path_count;
};

static void add_part(struct analysis *a, const void *state, uint64_t step)
{
    uint32_t room = a->part_room; // of both lists
    a->part_step = heap_list_grow(a->part_step, a->parts, &room, FIRST_ROOM, sizeof *a->part_step);
    a->part = heap_list_grow(a->part, a->parts, &a->part_room, FIRST_ROOM, sizeof *a->part);
    a->part_step[a->parts] = step;
    memcpy(&a->part[a->parts++], state, a->kit->game->state_size);
}

// ---- Minds ----------------------------------------------------------------------------------------------------------

static void update_mind(struct walk *w, const struct bot *bot, int seat, void *mind, bool begins)
{
    if (!bot || !bot->mind_size)
        return;
    if (begins)
        mind_begin(bot, mind, w->run.game, &w->run.rules, seat, w->a->seats);
    if (begins || minds_sees(&w->events, seat))
        mind_observe(bot, mind, w->run.game, &w->run.state, seat, w->a->seats, w->events.at, w->events.count,
                     w->events.ticks);
}

static void update_minds(struct walk *w, bool begins)
{
    for (int s = 0; s < w->a->seats; s++) {
        update_mind(w, w->a->options.reference, s, w->mind[s], begins);
        update_mind(w, w->open_bot, s, w->open[s], begins);
        update_mind(w, w->a->options.other[s], s, w->other[s], begins);
    }
}

// ---- Decisions ------------------------------------------------------------------------------------------------------

static bool is_choice(const struct analysis_question *p)
{
    return p->count > 1 || (p->count == 1 && p->choices[0].max_amount > p->choices[0].first.amount);
}

static struct analysis_question *make_question(const struct walk *w, int seat)
{
    struct analysis_question *p = malloc(sizeof *p);
    if (!p)
        abort();
    analysis_question_fill(p, w->a->kit, &w->before, seat, w->a->seats);
    if (!is_choice(p)) {
        free(p);
        return NULL;
    }
    memcpy(p->mind, w->mind[seat], sizeof p->mind);
    memcpy(p->open, w->open[seat], sizeof p->open);
    memcpy(p->path, w->path, sizeof p->path);
    p->path_count = w->path_count;
    return p;
}

// What the other player of a contest would have done here.
static void ask_other(const struct walk *w, struct analysis_decision *d)
{
    const struct bot *other = w->a->options.other[d->seat];
    uint64_t seed = w->a->options.seed;
    struct rng dice = {.key = {OTHER, (uint32_t)seed, (uint32_t)(seed >> 32), (uint32_t)d->step}};
    if (!d->question || !other)
        return;
    struct bot_ask ask = analysis_ask_of(d->question, other, &dice);
    ask.mind = other->mind_size ? w->other[d->seat] : NULL;
    d->other = house_choose(other, &ask);
    d->differs = !game_same_action(d->other, d->played);
}

static void add_decision(struct walk *w)
{
    struct analysis *a = w->a;
    const struct replay_entry *e = &w->run.entry;
    a->decision = heap_list_grow(a->decision, a->decisions, &a->decision_room, FIRST_ROOM, sizeof *a->decision);
    struct analysis_decision *d = &a->decision[a->decisions++];
    *d = (struct analysis_decision){.step = w->run.steps,
                                    .part = part_of(a->kit, &w->before),
                                    .seat = (uint8_t)e->seat,
                                    .phase = w->run.game->turn(&w->before).phase,
                                    .silent = e->silent,
                                    .played = e->action};
    bool wanted = !a->options.seats || a->options.seats & SEAT(e->seat);
    bool is_input = a->kit->inputs && e->action.kind <= a->kit->inputs; // a real-time game: no decision by itself
    if (wanted && !is_input)
        d->question = make_question(w, e->seat);
    ask_other(w, d);
}

static void add_step(struct walk *w)
{
    struct analysis *a = w->a;
    const struct replay_entry *e = &w->run.entry;
    if (e->kind == REPLAY_ACTION && e->seat < a->seats)
        add_decision(w);
    if (part_of(a->kit, &w->run.state) != part_of(a->kit, &w->before)) {
        w->path_count = 0;
        if (!is_over(w->run.game, &w->run.state))
            add_part(a, &w->run.state, w->run.steps);
    } else if (e->kind == REPLAY_ACTION && e->seat < a->seats && w->path_count < ANALYSIS_PATH) {
        w->path[w->path_count].seat = (uint8_t)e->seat;
        w->path[w->path_count++].action = e->action;
    }
    update_minds(w, false);
}

static int read_replay(struct walk *w)
{
    int done;
    for (;;) {
        uint64_t steps = w->run.steps;
        memcpy(&w->before, &w->run.state, w->run.game->state_size);
        w->events.count = w->events.ticks = 0;
        if ((done = replay_step(&w->run, 1, &w->events)) != 1)
            break;
        if (w->run.steps != steps && w->run.entry.kind != REPLAY_STACK)
            add_step(w);
    }
    return done;
}

bool is_stopped(const struct analysis_options *o)
{
    return o->stop && atomic_load(o->stop);
}

int analysis_open(struct analysis *a, const struct loaded_replay *replay, const struct analysis_options *o)
{
    struct walk *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    *a = (struct analysis){.replay = replay, .kit = replay->row, .options = *o, .seats = replay->head.seats};
    if (!a->options.reference)
        a->options.reference = kit_level(a->kit, KIT_LEVELS);
    w->a = a;
    if (facts_of(a->kit)->open_minds)
        w->open_bot = playout_bot(a->kit, a->options.reference);
    for (int s = 0; s < a->seats; s++) {
        loaded_replay_label_seat(replay, s, a->label[s]);
        a->name[s] = a->label[s];
    }
    int err = replay_begin(&w->run, replay->file, a->kit->game, replay->key, &w->events);
    if (err == OK) {
        update_minds(w, true);
        add_part(a, &w->run.state, 0);
        err = read_replay(w);
        a->complete = is_over(a->kit->game, &w->run.state);
        a->steps = w->run.steps;
        uint32_t parts = a->parts;
        add_part(a, &w->run.state, w->run.steps); // the end
        a->parts = parts;
    }
    free(w);
    if (err < 0)
        analysis_close(a);
    return err < 0 ? err : OK;
}

void analysis_close(struct analysis *a)
{
    for (uint32_t i = 0; i < a->decisions; i++) {
        free(a->decision[i].question);
        free(a->decision[i].words);
    }
    free(a->decision);
    free(a->part);
    free(a->part_step);
    a->decision = NULL;
    a->part = NULL;
    a->part_step = NULL;
    a->decisions = a->parts = 0;
}
