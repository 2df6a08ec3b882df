#include "playback/playback.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_seen(struct playback *s, int viewer)
{
    uint32_t *count = &s->past_count[viewer];
    if (*count + GAME_MAX_EVENTS > PLAYBACK_PAST_ROOM) {
        *count -= PLAYBACK_PAST_ROOM / 2;
        memmove(s->past[viewer], s->past[viewer] + PLAYBACK_PAST_ROOM / 2, *count * sizeof(struct game_event));
    }
    *count += match_events_for(&s->happened, viewer, s->past[viewer] + *count, PLAYBACK_PAST_ROOM - *count);
}

static bool has_viewer(const struct playback *s, int viewer)
{
    return viewer < s->replay->head.seats || viewer == GAME_SPECTATOR;
}

static void remember_all(struct playback *s)
{
    for (int viewer = 0; viewer < PLAYBACK_VIEWERS; viewer++)
        if (has_viewer(s, viewer))
            add_seen(s, viewer);
}

static void rewind_all(struct playback *s)
{
    s->happened.count = s->happened.ticks = 0;
    memset(s->past_count, 0, sizeof s->past_count);
    s->error = replay_begin(&s->run, s->replay->file, s->replay->row->game, s->replay->key, &s->happened);
    remember_all(s);
}

static void name_seats(struct playback *s, bool neutral)
{
    for (int seat = 0; seat < s->replay->head.seats; seat++) {
        if (neutral)
            snprintf(s->label[seat], sizeof s->label[seat], "%s", codec_seat_names[seat]);
        else
            loaded_replay_label_seat(s->replay, seat, s->label[seat]);
        s->name[seat] = s->label[seat];
    }
}

void playback_open(struct playback *s, const struct loaded_replay *replay, bool neutral)
{
    *s = (struct playback){.replay = replay};
    name_seats(s, neutral);
    for (int i = 0; i < PLAYBACK_VIEWERS; i++)
        if (has_viewer(s, i) && !(s->past[i] = calloc(PLAYBACK_PAST_ROOM, sizeof(struct game_event))))
            s->error = ERR_FULL;
    if (s->error == OK)
        rewind_all(s);
}

void playback_close(struct playback *s)
{
    for (int i = 0; i < PLAYBACK_VIEWERS; i++)
        free(s->past[i]);
}

int playback_next_entry(struct playback *s, uint32_t ticks)
{
    if (s->error != OK)
        return 0;
    uint64_t steps = s->run.steps;
    uint32_t count = s->happened.count;
    s->happened.count = s->happened.ticks = 0;
    int done = replay_step(&s->run, ticks, &s->happened);
    if (done < 0)
        s->error = done;
    if (s->run.steps == steps) { // a hash, the end: what happened last is still what happened last
        s->happened.count = count;
        return done == 1;
    }
    s->last = s->run.entry;
    remember_all(s);
    return 1;
}

bool playback_next(struct playback *s)
{
    uint64_t before = s->run.steps;
    while (playback_next_entry(s, 1))
        if (s->run.steps > before)
            return true;
    return false;
}

void playback_seek(struct playback *s, uint64_t step)
{
    if (!s->past[GAME_SPECTATOR])
        return; // there was no memory to open it
    if (step < s->run.steps || s->error != OK)
        rewind_all(s);
    while (s->run.steps < step && playback_next(s))
        ;
}

void playback_follow(struct playback *s, const struct match *m)
{
    s->run.state = m->state;
    s->run.steps = m->steps;
    remember_all(s);
}

// Speaks to a person.
static struct codec_table person_for(const struct playback *s, int viewer)
{
    struct codec_table table = playback_for(s, viewer);
    table.voice = CODEC_PERSON;
    return table;
}

struct codec_table playback_for(const struct playback *s, int viewer)
{
    return (struct codec_table){.seat = s->name,
                                .seats = s->replay->head.seats,
                                .viewer = viewer,
                                .past = s->past[viewer],
                                .past_count = s->past_count[viewer]};
}

void playback_describe_entry(const struct playback *s, struct text *t)
{
    const struct replay_entry *e = &s->last;
    struct codec_table table = person_for(s, GAME_SPECTATOR);
    if (s->run.steps == 0)
        return;
    switch (e->kind) {
    case REPLAY_ACTION:
        text_puts(t, e->seat == GAME_MASTER ? "the master" : s->name[e->seat]);
        text_put_char(t, ' ');
        if (e->seat == GAME_MASTER && e->action.kind == GAME_DROP)
            codec_write(t, "drops %s", s->name[e->action.arg[0]]);
        else
            codec_describe_action(s->replay->row->codec, t, &table, e->action);
        text_puts(t, e->silent ? " (in silence)" : "");
        break;
    case REPLAY_TICKS:
        codec_write(t, "tick (%" PRIu32 " of %" PRIu32 ")", e->ticks - s->run.ticks_left, e->ticks);
        break;
    case REPLAY_STACK:
        codec_write(t, "the next %zu items are set", e->items.size);
        break;
    default:
        break;
    }
}

int playback_viewer_of(const struct game_event *e)
{
    return e->to & SEAT(GAME_SPECTATOR) ? GAME_SPECTATOR : __builtin_ctz(e->to | 1u << GAME_SPECTATOR);
}

int playback_take_event(const struct playback *s, uint32_t *at, seat_set viewers,
                        struct game_event seen[GAME_MAX_EVENTS])
{
    const struct game_event *e = &s->happened.at[*at];
    int count = codec_event_parts(e, s->happened.count - *at), kept = 0;
    *at += (uint32_t)count;
    for (int i = 0; i < count && e->to & viewers; i++)
        if (e[i].to & viewers)
            seen[kept++] = e[i];
    return kept;
}

void playback_describe_events(const struct playback *s, struct text *t, seat_set viewers, const char *indent)
{
    for (uint32_t i = 0; i < s->happened.count;) {
        struct game_event seen[GAME_MAX_EVENTS];
        int kept = playback_take_event(s, &i, viewers, seen);
        if (!kept)
            continue;
        struct codec_table table = person_for(s, playback_viewer_of(&seen[0]));
        size_t line = t->size;
        text_puts(t, indent);
        size_t start = t->size;
        s->replay->row->codec->describe_event(t, &table, seen, kept);
        if (t->size == start)
            t->size = line; // nothing to say about it
        else
            text_put_char(t, '\n');
    }
}

void playback_draw(const struct playback *s, struct text *t, int viewer)
{
    playback_draw_for(s, t, viewer, viewer);
}

void playback_draw_for(const struct playback *s, struct text *t, int viewer, int to)
{
    union game_view view;
    struct codec_table table = person_for(s, to);
    s->replay->row->game->view(&s->run.state, viewer, &view);
    s->replay->row->codec->draw(t, &table, &view);
    if (t->size && t->at[t->size - 1] != '\n')
        text_put_char(t, '\n');
}

void playback_describe_error(const struct playback *s, char *why, size_t room)
{
    const struct replay_run *run = &s->run;
    uint64_t actual = game_hash(run->game, &run->state);
    if (s->error == ERR_MISMATCH && run->entry.hash != actual)
        snprintf(why, room, "differs at step %" PRIu64 ": expected %016" PRIx64 ", actual %016" PRIx64, run->steps,
                 run->entry.hash, actual);
    else if (s->error == ERR_MISMATCH)
        snprintf(why, room, "differs at its end (step %" PRIu64 "): the payoffs are not those recorded", run->steps);
    else if (s->error == ERR_FORMAT)
        snprintf(why, room, "is damaged at byte %zu, after step %" PRIu64, run->entry.offset, run->steps);
    else if (run->reader.at <= run->reader.body)
        snprintf(why, room, "cannot start: %s", err_sentence(s->error));
    else
        snprintf(why, room, "differs at step %" PRIu64 ": %s", run->steps + 1, err_sentence(s->error));
}
