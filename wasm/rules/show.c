// What is shown, for one viewer: the same for a replay and for a match that is being played.
#include "wasm/rules/module.h"

static const char *const turn_kinds[] = {"over", "one", "all", "any", "free"};

size_t EXPORT(show_view)(int viewer)
{
    if (!module_has_viewer(viewer))
        return module_refuse_err(ERR_SEAT);
    playback_write_view(&module_playback, module_begin(), viewer);
    return module_end();
}

size_t EXPORT(show_text)(int viewer) // text: the codec's picture
{
    if (!module_has_viewer(viewer))
        return module_refuse_err(ERR_SEAT);
    playback_draw(&module_playback, module_begin(), viewer);
    return module_end();
}

size_t EXPORT(show_events)(unsigned viewers) // those that one of the viewers may see
{
    playback_write_events(&module_playback, module_begin(), (seat_set)viewers, true);
    return module_end();
}

// The last action and its seat. Only for viewers who see everything: an exchange names cards.
size_t EXPORT(show_entry)(void)
{
    struct text *t = module_begin();
    const struct replay_entry *e = &module_playback.last;
    char line[512];
    struct text told = text_on(line, sizeof line);
    json_begin_object(t);
    json_put_uint(t, "step", module_playback.run.steps);
    if (module_playback.run.steps && e->kind == REPLAY_ACTION) {
        if (e->seat != GAME_MASTER)
            json_put_int(t, "seat", e->seat);
        json_put_bool(t, "silent", e->silent);
    }
    if (module_playback.run.steps && e->kind)
        playback_describe_entry(&module_playback, &told);
    json_put_string(t, "text", text_span(&told));
    json_end_object(t);
    return module_end();
}

size_t EXPORT(show_turn)(void)
{
    struct text *t = module_begin();
    struct game_turn turn = module_replay.row->game->turn(&module_playback.run.state);
    json_begin_object(t);
    json_put_text(t, "kind", turn_kinds[turn.kind]);
    json_put_text(t, "phase", module_replay.row->codec->phases[turn.phase]);
    json_put_uint(t, "number", turn.number);
    json_begin_array_at(t, "seats");
    for (int s = 0; s < module_replay.head.seats && turn.kind != TURN_OVER; s++)
        if (turn.seats & SEAT(s))
            json_write_int(t, s);
    json_end_array(t);
    json_end_object(t);
    return module_end();
}

// "text" behind the members of the object that was just written.
static void append_words(struct text *t, const struct codec_table *table, struct game_action a)
{
    char line[256];
    struct text told = text_on(line, sizeof line);
    codec_describe_action(module_replay.row->codec, &told, table, a);
    t->size--;
    json_put_string(t, "text", text_span(&told));
    json_end_object(t);
}

size_t EXPORT(show_legal)(int seat)
{
    if (!module_has_seat(seat))
        return module_refuse_err(ERR_SEAT);
    struct text *t = module_begin();
    const struct game *g = module_replay.row->game;
    const void *state = &module_playback.run.state;
    struct game_turn turn = g->turn(state);
    struct codec_table table = playback_for(&module_playback, seat);
    struct game_choice list[GAME_MAX_CHOICES];
    int count = turn.kind != TURN_OVER && turn.seats & SEAT(seat) ? g->choices(state, seat, list) : 0;
    json_begin_array(t);
    for (int i = 0; i < count; i++) {
        codec_write_choice(module_replay.row->codec, t, &table, list[i]);
        append_words(t, &table, list[i].first);
    }
    json_end_array(t);
    return module_end();
}

size_t EXPORT(show_payoffs)(void)
{
    struct text *t = module_begin();
    int32_t payoffs[GAME_MAX_SEATS] = {0};
    module_replay.row->game->payoffs(&module_playback.run.state, payoffs);
    json_begin_array(t);
    for (int s = 0; s < module_replay.head.seats; s++)
        json_write_int(t, payoffs[s]);
    json_end_array(t);
    return module_end();
}

size_t EXPORT(show_hash)(void) // text: of the state, 16 hex digits
{
    text_put_hex(module_begin(), game_hash(module_replay.row->game, &module_playback.run.state), 16);
    return module_end();
}
