#include "app/table.h"

#include "app/replay_file.h"
#include "app/reserved_memory.h"

#include <string.h>

void table_open(struct table *t)
{
    *t = (struct table){.log = memory_reserve_text(TABLE_LOG_ROOM)};
    struct game_event *events = memory_reserve(sizeof *events * TABLE_HISTORY_ROOM * TABLE_VIEWERS);
    for (int v = 0; v < TABLE_VIEWERS; v++)
        t->history[v].at = events + (size_t)v * TABLE_HISTORY_ROOM;
}

void table_close(struct table *t)
{
    memory_release(t->log.at, TABLE_LOG_ROOM);
    memory_release(t->history[0].at, sizeof *t->history[0].at * TABLE_HISTORY_ROOM * TABLE_VIEWERS);
}

static void add_to_history(struct table_history *p, const struct game_event *e)
{
    if (p->count == TABLE_HISTORY_ROOM) {
        uint32_t half = TABLE_HISTORY_ROOM / 2;
        while (p->at[half].part) // an event and its parts stay together
            half++;
        p->count -= half;
        p->dropped += half;
        memmove(p->at, p->at + half, p->count * sizeof *p->at);
    }
    p->at[p->count++] = *e;
}

static void show_events(struct table *t)
{
    const struct game_events *h = &t->happened;
    for (uint32_t i = 0; i < h->count; i++)
        for (unsigned to = h->at[i].to & EVERYONE; to; to &= to - 1) {
            int viewer = __builtin_ctz(to);
            if (viewer < t->match.seats || viewer == GAME_SPECTATOR)
                add_to_history(&t->history[viewer], &h->at[i]);
        }
}

static struct game_events *begin_step(struct table *t)
{
    t->happened.count = 0;
    t->happened.ticks = 0;
    return &t->happened;
}

// After every step: adds its events to the histories of their viewers, and computes the rewards.
static int finish_step(struct table *t, int err)
{
    if (err != OK)
        return err;
    show_events(t);
    t->earned = (struct game_rewards){0};
    t->row->game->rewards(&t->match.state, &t->happened, &t->earned);
    return OK;
}

void table_name_seats(struct table *t)
{
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        t->names[s] = t->name[s][0] ? t->name[s] : codec_seat_names[s];
}

int table_start(struct table *t, const struct game_setup *s)
{
    t->row = NULL; // there is no game until it has started
    t->log.size = 0;
    t->log.full = false;
    for (int v = 0; v < TABLE_VIEWERS; v++)
        t->history[v].count = 0, t->history[v].dropped = 0;
    int err = match_start(&t->match, &s->match, &t->log, begin_step(t));
    if (err != OK)
        return err;
    t->row = s->row;
    t->has_log = true;
    t->finished = false;
    memcpy(t->key, s->match.key, sizeof t->key);
    memcpy(t->commitment, s->match.commitment, sizeof t->commitment);
    memcpy(t->name, s->match.name, sizeof t->name);
    table_name_seats(t);
    return finish_step(t, OK);
}

int table_resume(struct table *t, const struct loaded_replay *tape)
{
    static struct replay_run run; // larger than a stack likes
    t->row = NULL;
    int err = replay_begin(&run, tape->file, tape->row->game, tape->key, begin_step(t));
    t->match.seats = tape->head.seats;
    for (int more = err == OK; more == 1;) {
        show_events(t);
        more = replay_step(&run, 1, begin_step(t));
        err = more < 0 ? more : OK;
    }
    if (err == OK)
        err = match_resume(&t->match, &run, &t->log, begin_step(t));
    if (err != OK)
        return err;
    t->row = tape->row;
    t->has_log = true;
    memcpy(t->key, tape->key, sizeof t->key);
    memcpy(t->commitment, tape->head.commitment, sizeof t->commitment);
    memcpy(t->name, tape->head.name, sizeof t->name);
    table_name_seats(t);
    return finish_step(t, OK);
}

int table_answer(struct table *t, int seat, uint32_t number, struct game_action a)
{
    return finish_step(t, match_answer(&t->match, seat, number, a, begin_step(t)));
}

int table_oversee(struct table *t, struct game_action a)
{
    return finish_step(t, match_oversee(&t->match, a, begin_step(t)));
}

int table_drop(struct table *t, int seat, int reason)
{
    return finish_step(t, match_drop(&t->match, seat, reason, begin_step(t)));
}

int table_play_fallback(struct table *t, int seat)
{
    return finish_step(t, match_play_fallback(&t->match, seat, begin_step(t)));
}

int table_tick(struct table *t)
{
    return finish_step(t, match_tick(&t->match, begin_step(t)));
}

int table_stack(struct table *t, const uint8_t *items, int count)
{
    return match_stack(&t->match, items, count);
}

void table_add_rewards(struct game_rewards *sum, const struct game_rewards *step)
{
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        for (int c = 0; c < GAME_MAX_REWARDS; c++)
            sum->at[s][c] += step->at[s][c];
}

void table_trim_history(struct table *t, const uint64_t seen[TABLE_VIEWERS])
{
    for (int v = 0; v < TABLE_VIEWERS; v++) {
        struct table_history *p = &t->history[v];
        uint64_t keep = seen[v] > p->dropped ? seen[v] - p->dropped : 0;
        p->count = keep < p->count ? (uint32_t)keep : p->count;
    }
}

struct game_turn table_turn(const struct table *t)
{
    return t->row->game->turn(&t->match.state);
}

struct codec_table table_for(const struct table *t, int viewer)
{
    return (struct codec_table){.seat = t->names,
                                .seats = t->match.seats,
                                .viewer = viewer,
                                .past = t->history[viewer].at,
                                .past_count = t->history[viewer].count};
}

void table_describe_events(const struct codec *c, const struct codec_table *table, const struct game_events *e,
                           struct text *out)
{
    struct game_event seen[GAME_MAX_EVENTS];
    uint32_t count = match_events_for(e, table->viewer, seen, GAME_MAX_EVENTS);
    for (uint32_t i = 0; i < count;) {
        int parts = codec_event_parts(&seen[i], count - i);
        size_t before = out->size;
        c->describe_event(out, table, &seen[i], parts);
        if (out->size > before)
            text_put_char(out, '\n');
        i += (uint32_t)parts;
    }
}

void table_describe_happened(const struct table *t, int viewer, struct text *out)
{
    struct codec_table table = table_for(t, viewer);
    table.voice = CODEC_PERSON;
    table_describe_events(t->row->codec, &table, &t->happened, out);
}
