// Steps: an action in one of its three forms is found, checked and played, or refused with what would be right.
#include "front/openenv/openenv_internal.h"

#include "codec/moves.h"
#include "llm/answer.h"

#include <stdio.h>
#include <stdlib.h>

// O43: what is done about an action that cannot be played.
static void refuse_action(struct session *s, const char *reason, const char *message)
{
    struct table *b = s->table;
    bool asked = episode_asked(&b->episode) & SEAT(s->seat);
    struct span error = reply_refusal(s, reason, message);
    if (s->options.illegal == OPENENV_ERROR) {
        struct span words = json_member(error, "message");
        char why[REASON_ROOM];
        struct json_reader r = json_reader_of(words, 4);
        if (json_string_copy(json_read_string(&r), why, sizeof why) < 0)
            snprintf(why, sizeof why, "%s", message);
        reply_error(s, "EXECUTION_ERROR", why);
        return;
    }
    s->steps++;
    s->refused++;
    // O43: a model that never finds a legal action must not play forever.
    bool forfeits = s->options.illegal == OPENENV_FORFEIT || s->refused >= s->options.max_illegal;
    if (!asked || (s->options.illegal == OPENENV_OBSERVE && !forfeits)) {
        reply_observation(s, NEXT_OBSERVATION, error);
        return;
    }
    // `error` lies in the host's text, which others use while this job waits for the table.
    char kept[4096];
    struct text t = text_on(kept, sizeof kept);
    text_put(&t, error);
    openenv_begin_work(s, b);
    if (forfeits)
        episode_forfeit(&b->episode, s->seat);
    else
        episode_pass(&b->episode, s->seat);
    if (session_is_due(s) || b->players == 1)
        reply_observation(s, NEXT_OBSERVATION, t.full ? (struct span){0} : text_span(&t));
    else
        session_set_pending(s, NEXT_OBSERVATION);
    openenv_end_work(b);
}

// The action as the game has it. False: refused, and the error was sent.
static bool find_typed(struct session *s, const struct openenv_action *a, struct game_action *move)
{
    struct openenv *o = s->host;
    struct codec_table names = episode_names(&s->table->episode, s->seat);
    struct span object = a->object;
    char why[REASON_ROOM];
    if (a->has_null) {
        o->scratch.size = 0;
        openenv_write_without_nulls(&o->scratch, object);
        object = text_span(&o->scratch);
    }
    struct json_reader r = json_reader_of(object, 64);
    int err = codec_read_action(s->game->kit->codec, &r, &names, false, move);
    if (err == OK)
        return true;
    char type[48];
    if (json_string_copy(a->type, type, sizeof type) < 0)
        snprintf(type, sizeof type, "this");
    bool unknown = !codec_find_type(s->game->kit->codec, a->type);
    snprintf(why, sizeof why,
             unknown ? "%s is no action of this game" : "%s: a parameter is missing, or has the wrong type or value",
             type);
    refuse_action(s, unknown ? "unknown_action" : "bad_parameter", why);
    return false;
}

static bool find_numbered(struct session *s, const struct openenv_action *a, struct game_action *move)
{
    char why[64];
    if (episode_number(&s->table->episode, s->seat, a->number, move))
        return true;
    bool known = a->number < s->game->kit->game->flat_size;
    snprintf(why, sizeof why, known ? "action %lld is not legal now" : "no action has the number %lld",
             (long long)a->number);
    refuse_action(s, known ? "illegal_now" : "unknown_action", why);
    return false;
}

// Words of a language model, read as those of a model's answer (L60).
static bool find_spoken(struct session *s, const struct openenv_action *a, struct game_action *move)
{
    const struct episode *e = &s->table->episode;
    struct game_choice list[2 * GAME_MAX_CHOICES];
    struct codec_table names = episode_names(e, s->seat);
    struct llm_found found;
    int count = episode_choices(e, s->seat, list);
    char *words = malloc(a->words.raw.size + 1), why[256];
    if (!words)
        abort();
    int size = json_string_unescape(a->words, words, a->words.raw.size + 1);
    struct llm_said said = {.text = {words, size > 0 ? (size_t)size : 0}};
    answer_read(&said, s->game->kit->codec, &names, list, count, &found);
    free(words);
    if (found.cause == LLM_FINE && !found.forfeit) {
        *move = found.action;
        return true;
    }
    if (found.forfeit)
        refuse_action(s, "illegal_now", "a session gives up by leaving");
    else if (found.cause == LLM_ILLEGAL || found.cause == LLM_BAD_VALUE) {
        snprintf(why, sizeof why, "%s is not legal now", found.said[0] ? found.said : "this");
        refuse_action(s, "illegal_now", why);
    } else
        refuse_action(s, "unparsable", "no action could be read from the text");
    return false;
}

static bool check_legal(struct session *s, struct game_action move)
{
    const struct episode *e = &s->table->episode;
    const struct codec *c = s->game->kit->codec;
    struct codec_table names = episode_names(e, s->seat);
    char line[512];
    struct text t = text_on(line, sizeof line - 1);
    union game_view view;
    if (episode_is_legal(e, s->seat, move))
        return true;
    text_puts(&t, codec_find_kind(c, move.kind, false)->type);
    text_puts(&t, " is not legal now");
    size_t before = t.size;
    text_puts(&t, ": ");
    e->kit->game->view(&e->match.state, s->seat, &view);
    moves_explain(c, &t, &names, &view, move);
    if (t.size == before + 2)
        t.size = before;
    line[t.size] = 0;
    refuse_action(s, "illegal_now", line);
    return false;
}

static void play_move(struct session *s, struct game_action move)
{
    struct table *b = s->table;
    s->steps++;
    s->refused = 0;
    s->host->figures.steps++;
    openenv_begin_work(s, b);
    episode_act(&b->episode, s->seat, move);
    session_observe(s, NEXT_OBSERVATION);
    openenv_end_work(b);
}

static void wait_for_others(struct session *s)
{
    struct table *b = s->table;
    const struct game *g = s->game->kit->game;
    if (b->begun && g->tick_ms && episode_asked(&b->episode) & SEAT(s->seat)) {
        play_move(s, (struct game_action){0}); // time passes
        return;
    }
    s->steps++;
    session_observe(s, NEXT_OBSERVATION);
}

void session_act(struct session *s, const struct openenv_action *a)
{
    static bool (*const find[])(struct session * s, const struct openenv_action *a, struct game_action *move) = {
        [OPENENV_TYPED] = find_typed, [OPENENV_NUMBERED] = find_numbered, [OPENENV_SPOKEN] = find_spoken};
    struct table *b = s->table;
    struct game_action move = {0};
    if (!b) {
        reply_error(s, "EXECUTION_ERROR", "no episode: reset first");
        return;
    }
    if (a->form == OPENENV_NUMBERED && a->number == 0) { // number 0 is "wait" in every game
        wait_for_others(s);
        return;
    }
    if (b->begun && !(b->ready & SEAT(s->seat)) && b->episode.player[s->seat].done) { // O46
        s->steps++;
        reply_observation(s, NEXT_OBSERVATION,
                          reply_refusal(s, "episode_over", "the episode is over; reset begins another"));
        return;
    }
    if (a->form == OPENENV_WAITS) {
        wait_for_others(s);
        return;
    }
    if (!b->begun || b->ready & SEAT(s->seat)) { // O52
        s->steps++;
        session_observe(s, NEXT_OBSERVATION);
        return;
    }
    if (!(episode_asked(&b->episode) & SEAT(s->seat))) {
        refuse_action(s, "not_your_turn", "it is not your turn; send the action wait");
        return;
    }
    if (find[a->form](s, a, &move) && check_legal(s, move))
        play_move(s, move);
}

// O54: plays the fallback; the events of the next observation show it.
void session_pass(struct session *s)
{
    struct table *b = s->table;
    if (!b || !b->begun || !(episode_asked(&b->episode) & SEAT(s->seat)))
        return;
    openenv_begin_work(s, b);
    episode_pass(&b->episode, s->seat);
    openenv_end_work(b);
}
