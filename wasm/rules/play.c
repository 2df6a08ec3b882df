// A match that is played in the browser. The seed is known to the page, so nothing is hidden from a player who looks
// for it: such a match counts for nothing.
#include "base/sha256.h"
#include "bots/minds.h"
#include "bots/self_play.h"
#include "wasm/question.h"
#include "wasm/rules/module.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_CEILING = 64 << 20 };

static struct match match;
static struct match_setup setup;
static struct text game_log;

static bool grow_log(struct text *t, size_t more)
{
    size_t room = t->room ? 2 * t->room : 1 << 14;
    while (room < t->size + more)
        room *= 2;
    char *at = room <= LOG_CEILING ? malloc(room) : NULL;
    if (!at)
        return false;
    if (t->size)
        memcpy(at, t->at, t->size);
    t->at = at;
    t->room = room;
    return true;
}

// The name of a seat, for match_new: `size` bytes of the input, cut where there is no room.
void EXPORT(match_name)(unsigned seat, size_t size)
{
    struct span given = module_given(size);
    if (seat >= GAME_MAX_SEATS)
        return;
    memset(setup.name[seat], 0, MATCH_NAME_ROOM);
    memcpy(setup.name[seat], given.at, given.size < MATCH_NAME_ROOM ? given.size : MATCH_NAME_ROOM - 1);
}

static int start(int scenario, int seats, uint64_t seed)
{
    static union game_rules rules;
    const struct game *g = module_kit()->game;
    g->defaults(&rules);
    int usual = g->scenario(&rules, scenario);
    setup.game = g;
    setup.rules = &rules;
    setup.seats = seats ? seats : usual;
    setup.has_seed = true;
    setup.seed = seed;
    sha256_seed_key(setup.key, g->name, seed);
    sha256(setup.commitment, setup.key, sizeof setup.key);
    game_log = (struct text){.grow = grow_log};
    return match_start(&match, &setup, &game_log, NULL);
}

// By the number of a scenario; `seats` 0: as many as it has.
size_t EXPORT(match_new)(int scenario, int seats, uint64_t seed)
{
    int err = start(scenario, seats, seed);
    if (err != OK)
        return module_refuse_err(err);
    module_replay = (struct loaded_replay){.path = "", .file = text_span(&game_log)};
    if (!loaded_replay_read(&module_replay, module_find, setup.key))
        return module_refuse(module_replay.why);
    playback_open(&module_playback, &module_replay, false);
    return module_playback.error != OK ? module_refuse_err(module_playback.error) : module_write_head();
}

static struct game_events *fresh_events(void)
{
    module_playback.happened.count = module_playback.happened.ticks = 0;
    return &module_playback.happened;
}

// {"action":...,"text":...}
static size_t write_action(int seat, struct game_action a)
{
    char line[256];
    struct text *t = module_begin(), told = text_on(line, sizeof line);
    struct codec_table table = playback_for(&module_playback, seat);
    codec_describe_action(module_replay.row->codec, &told, &table, a);
    json_begin_object(t);
    json_key(t, "action");
    codec_write_action(module_replay.row->codec, t, &table, a, false);
    json_put_string(t, "text", text_span(&told));
    json_end_object(t);
    return module_end();
}

static size_t refuse_seat(int seat)
{
    struct game_turn turn = match.game->turn(&match.state);
    return module_refuse_err(turn.kind == TURN_OVER ? ERR_OVER : !module_has_seat(seat) ? ERR_SEAT : ERR_ACTION);
}

static bool is_asked(int seat)
{
    struct game_turn turn = match.game->turn(&match.state);
    return module_has_seat(seat) && turn.kind != TURN_OVER && turn.seats & SEAT(seat);
}

// Does an action, given as one word, and tells it; a refusal changes nothing.
size_t EXPORT(match_act)(int seat, uint64_t word)
{
    static struct game_events before;
    struct game_action a = game_action_of(word);
    if (!match.log)
        return module_refuse("the replay of this match has its end; nothing can follow");
    if (!codec_find_kind(module_replay.row->codec, a.kind, false))
        return module_refuse_err(ERR_ACTION);
    before = module_playback.happened;
    int err = match_answer(&match, seat, match.game->turn(&match.state).number, a, fresh_events());
    if (err != OK) {
        module_playback.happened = before;
        return module_refuse_err(err);
    }
    playback_follow(&module_playback, &match);
    return write_action(seat, a);
}

// The choice with this number in show_legal; `more` is added to its amount, where it has a range. False: there is none.
static bool find_choice(int seat, int number, unsigned more, struct game_action *a)
{
    struct game_choice list[GAME_MAX_CHOICES];
    if (number < 0 || !is_asked(seat) || number >= match.game->choices(&match.state, seat, list))
        return false;
    const struct game_choice *c = &list[number];
    *a = c->first;
    a->amount = (int32_t)((uint32_t)a->amount + more);
    return more <= (uint32_t)c->max_amount - (uint32_t)c->first.amount;
}

size_t EXPORT(match_choose)(int seat, int number, unsigned more)
{
    struct game_action a;
    return find_choice(seat, number, more, &a) ? match_act(seat, game_action_word(a)) : refuse_seat(seat);
}

// The same, and nothing is done: {"action":...,"text":...}.
size_t EXPORT(match_choice)(int seat, int number, unsigned more)
{
    struct game_action a;
    return find_choice(seat, number, more, &a) ? write_action(seat, a) : refuse_seat(seat);
}

// What a bot at this seat is asked now; NULL: the seat is not asked. The section of its stream is the program's, so
// the same bot with the same seed plays the same match there.
const struct question *EXPORT(match_question)(int seat)
{
    static struct question q;
    if (!is_asked(seat))
        return NULL;
    struct rng stream = match_bot_stream(&match, seat);
    q = (struct question){.seat = seat, .seats = match.seats, .aggro = 0.5f};
    q.count = match.game->choices(&match.state, seat, q.choices);
    q.fallback = match.game->fallback(&match.state, seat);
    q.dice = rng_section(&stream, (uint32_t)match.steps);
    match.game->view(&match.state, seat, &q.view);
    return &q;
}

// --- what bots with a memory hear

static struct news news;

// What a seat saw of the last step, or (`begins`) of the beginning; NULL: nothing of it (N1.4). Asked right after the
// call that made the step.
const struct news *EXPORT(match_news)(int seat, int begins)
{
    const struct game_events *e = &module_playback.happened;
    if (!module_has_seat(seat) || (!begins && !minds_sees(e, seat)))
        return NULL;
    news.seat = seat;
    news.seats = match.seats;
    news.begins = begins;
    news.ticks = e->ticks;
    news.count = 0;
    memcpy(&news.rules, &match.rules, sizeof news.rules);
    for (uint32_t i = 0; i < e->count; i++)
        if (e->at[i].to & SEAT(seat))
            news.events[news.count++] = e->at[i];
    match.game->view(&match.state, seat, &news.view);
    return &news;
}

size_t EXPORT(match_news_size)(void)
{
    return offsetof(struct news, events) + news.count * sizeof *news.events;
}

// An action, given as one word, in JSON and in words; nothing is done.
size_t EXPORT(match_tell)(int seat, uint64_t word)
{
    struct game_action a = game_action_of(word);
    if (!module_has_seat(seat) || !game_is_legal(match.game, &match.state, seat, a))
        return module_refuse_err(ERR_ACTION);
    return write_action(seat, a);
}

// Whose move comes next where everybody is asked in turn, or -1: let time pass, or it is over.
int EXPORT(match_next)(void)
{
    return match_is_over(&match) ? -1 : self_play_next_seat(&match);
}

// Time passes: so many ticks; 0 or an error of base/err.h.
int EXPORT(match_ticks)(unsigned count)
{
    if (!match.game->tick)
        return ERR_RULES;
    if (!match.log)
        return ERR_OVER;
    struct game_events *out = fresh_events();
    int err = OK;
    while (err == OK && count--)
        err = match_tick(&match, out);
    playback_follow(&module_playback, &match);
    return err;
}

// The replay so far, as bytes at match_log_bytes(); with its end when `ended` is set or the game is over, and then
// nothing can follow.
size_t EXPORT(match_log)(int ended)
{
    int err = OK;
    if (match.log)
        err = ended || match_is_over(&match) ? match_finish(&match, setup.key, true) : match_checkpoint(&match);
    return err == OK ? game_log.size : 0;
}

char *EXPORT(match_log_bytes)(void)
{
    return game_log.at;
}
