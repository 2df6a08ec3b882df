// Operations that only read.
#include "app/engine.h"

static const char *const turn_kinds[] = {"over", "one", "all", "any", "free"};

static void write_action_types(struct text *t, const char *key, const struct codec *c, bool master)
{
    json_begin_array_at(t, key);
    for (const struct codec_action *a = c->actions; a->type; a++)
        if (a->master == master && app_is_new_type(c, a))
            json_write_text(t, a->type);
    json_end_array(t);
}

int engine_about(struct engine *e, const struct engine_request *r)
{
    (void)r;
    const struct game *g = e->row->game;
    struct text *t = &e->out;
    union game_rules rules;
    g->defaults(&rules);
    json_put_int(t, "engine", ENGINE_PROTOCOL);
    json_put_text(t, "program", "agon " AGON_VERSION);
    json_put_text(t, "game", g->name);
    json_put_text(t, "title", e->row->codec->title);
    json_put_text(t, "summary", e->row->codec->summary);
    json_put_uint(t, "rules_version", g->version);
    json_put_int(t, "min_seats", g->min_seats);
    json_put_int(t, "max_seats", g->max_seats);
    json_put_int(t, "teams", g->teams);
    json_put_int(t, "tick_ms", g->tick_ms);
    json_put_uint(t, "flat_size", g->flat_size);
    json_put_uint(t, "vector_size", g->vector_size);
    json_put_uint(t, "state_bytes", g->state_size);
    json_put_texts(t, "scenarios", g->scenarios);
    json_put_texts(t, "rewards", g->rewarded);
    json_put_texts(t, "digests", g->digests);
    write_action_types(t, "actions", e->row->codec, false);
    write_action_types(t, "master_actions", e->row->codec, true);
    app_write_bots(t, e->row);
    app_write_rules(t, e->row->codec, &rules);
    return OK;
}

void engine_write_turn(struct engine *e)
{
    struct game_turn turn = table_turn(e->live);
    struct codec_table table = table_for(e->live, GAME_SPECTATOR);
    json_begin_object_at(&e->out, "turn");
    json_put_text(&e->out, "kind", turn_kinds[turn.kind]);
    json_put_text(&e->out, "phase", e->row->codec->phases[turn.phase]);
    json_put_uint(&e->out, "number", turn.number);
    json_key(&e->out, "seats");
    codec_write_seats(&e->out, &table, turn.seats);
    json_end_object(&e->out);
}

void engine_begin_events(struct engine *e, int viewer)
{
    if (viewer == ENGINE_VIEW_NONE)
        return;
    json_begin_array_at(&e->out, "events");
}

void engine_end_events(struct engine *e, int viewer)
{
    if (viewer != ENGINE_VIEW_NONE)
        json_end_array(&e->out);
}

// For a caller that sees everything: each event with its viewers.
static void write_event_to_all(struct engine *e, const struct game_event *event, int parts)
{
    struct codec_table table = table_for(e->live, __builtin_ctz(event->to));
    json_begin_object(&e->out);
    json_put_text(&e->out, "type", e->row->codec->event_types[event->kind]);
    e->row->codec->write_event(&e->out, &table, event, parts);
    json_begin_array_at(&e->out, "visible_to");
    for (int s = 0; s < e->live->match.seats; s++)
        if (event->to & SEAT(s))
            json_write_text(&e->out, e->live->names[s]);
    if (event->to & SEAT(GAME_SPECTATOR))
        json_write_text(&e->out, "spectator");
    json_end_array(&e->out);
    json_end_object(&e->out);
}

void engine_write_events(struct engine *e, int viewer)
{
    const struct game_events *h = &e->live->happened;
    if (viewer == ENGINE_VIEW_NONE || h->count == 0)
        return;
    if (viewer == ENGINE_VIEW_ALL) {
        for (uint32_t i = 0; i < h->count;) {
            int parts = codec_event_parts(&h->at[i], h->count - i);
            write_event_to_all(e, &h->at[i], parts);
            i += (uint32_t)parts;
        }
        return;
    }
    struct game_event seen[GAME_MAX_EVENTS];
    struct codec_table table = table_for(e->live, viewer);
    uint32_t count = match_events_for(h, viewer, seen, GAME_MAX_EVENTS);
    for (uint32_t i = 0; i < count;) {
        int parts = codec_event_parts(&seen[i], count - i);
        codec_write_event(e->row->codec, &e->out, &table, &seen[i], parts);
        i += (uint32_t)parts;
    }
}

static void write_flat(struct engine *e, int seat)
{
    struct codec_table table = table_for(e->live, seat);
    struct game_action a;
    json_begin_array_at(&e->out, "flat");
    for (int i = 1; i < (int)e->row->game->flat_size; i++) {
        if (!e->row->game->flat(&e->live->match.state, seat, i, &a))
            continue;
        json_begin_object(&e->out);
        json_put_int(&e->out, "index", i);
        json_key(&e->out, "action");
        codec_write_action(e->row->codec, &e->out, &table, a, false);
        json_end_object(&e->out);
    }
    json_end_array(&e->out);
}

static void write_mask(struct engine *e, int seat, bool asked)
{
    uint64_t legal[GAME_FLAT_WORDS] = {0};
    char mask[GAME_MAX_FLAT];
    if (asked)
        game_mask(e->row->game, &e->live->match.state, seat, legal);
    for (int i = 0; i < (int)e->row->game->flat_size; i++)
        mask[i] = (char)('0' + (legal[i / 64] >> i % 64 & 1));
    json_put_string(&e->out, "legal_mask", (struct span){mask, e->row->game->flat_size});
}

int engine_choices(struct engine *e, const struct engine_request *r)
{
    bool flat = false, mask = false;
    int seat, err;
    if ((err = engine_read_seat(e, r, true, &seat)) != OK || (err = engine_read_bool(e, r, FIELD_FLAT, &flat)) != OK ||
        (err = engine_read_bool(e, r, FIELD_MASK, &mask)) != OK)
        return err;
    struct game_choice all[GAME_MAX_CHOICES], list[2 * GAME_MAX_CHOICES];
    struct codec_table table = table_for(e->live, seat);
    struct game_turn turn = table_turn(e->live);
    bool asked = turn.seats & SEAT(seat);
    int count = asked ? e->row->game->choices(&e->live->match.state, seat, all) : 0;
    count = codec_split_choices(e->row->codec, all, count, list);
    json_put_text(&e->out, "seat", e->live->names[seat]);
    json_put_uint(&e->out, "turn", turn.number);
    json_begin_array_at(&e->out, "choices");
    for (int i = 0; i < count; i++)
        codec_write_choice(e->row->codec, &e->out, &table, list[i]);
    json_end_array(&e->out);
    if (flat && asked)
        write_flat(e, seat);
    if (mask)
        write_mask(e, seat, asked);
    return OK;
}

struct wanted {
    bool text, picture, vector;
};

static void put_prose(struct engine *e, const char *key)
{
    json_put_string(&e->out, key, text_span(&e->prose));
    e->prose.size = 0;
    e->prose.full = false;
}

static void write_vector(struct engine *e, const union game_view *view)
{
    float at[GAME_MAX_VECTOR];
    e->row->game->vector(view, at);
    json_begin_array_at(&e->out, "vector");
    for (uint32_t i = 0; i < e->row->game->vector_size; i++)
        json_write_decimal(&e->out, at[i], 6);
    json_end_array(&e->out);
}

static void write_view(struct engine *e, int viewer, struct wanted w)
{
    union game_view view;
    struct codec_table table = table_for(e->live, viewer);
    const struct codec *c = e->row->codec;
    e->row->game->view(&e->live->match.state, viewer, &view);
    json_put_text(&e->out, "viewer", viewer == GAME_SPECTATOR ? "spectator" : e->live->names[viewer]);
    json_begin_object_at(&e->out, "view");
    c->write_view(&e->out, &table, &view);
    json_end_object(&e->out);
    if (w.text) {
        c->describe_view(&e->prose, &table, &view);
        put_prose(e, "text");
    }
    if (w.picture) {
        c->draw(&e->prose, &table, &view);
        put_prose(e, "picture");
    }
    if (w.vector)
        write_vector(e, &view);
}

int engine_view(struct engine *e, const struct engine_request *r)
{
    struct wanted w = {0};
    int viewer, err;
    if ((err = engine_read_viewer(e, r, &viewer)) != OK || (err = engine_read_bool(e, r, FIELD_TEXT, &w.text)) != OK ||
        (err = engine_read_bool(e, r, FIELD_PICTURE, &w.picture)) != OK ||
        (err = engine_read_bool(e, r, FIELD_VECTOR, &w.vector)) != OK)
        return err;
    if (viewer == ENGINE_VIEW_NONE)
        return engine_refuse(e, ERR_TYPE, "a view needs a viewer: a seat, \"spectator\" or \"all\"");
    engine_write_turn(e);
    if (viewer != ENGINE_VIEW_ALL) {
        write_view(e, viewer, w);
        return OK;
    }
    json_begin_array_at(&e->out, "views");
    for (int v = 0; v <= e->live->match.seats; v++) {
        json_begin_object(&e->out);
        write_view(e, v < e->live->match.seats ? v : GAME_SPECTATOR, w);
        json_end_object(&e->out);
    }
    json_end_array(&e->out);
    return OK;
}

int engine_prose(struct engine *e, const struct engine_request *r)
{
    static const char *const words[] = {"rules", "state", NULL};
    struct json_reader in = json_reader_of(r->field[FIELD_WHAT], 1);
    int what = r->field[FIELD_WHAT].size ? json_string_among(json_read_string(&in), words) : 1;
    int viewer, err;
    if (in.error || what < 0)
        return engine_refuse(e, in.error ? in.error : ERR_UNKNOWN, "what must be \"rules\" or \"state\"");
    if ((err = engine_read_viewer(e, r, &viewer)) != OK)
        return err;
    if (viewer < 0)
        return engine_refuse(e, ERR_TYPE, "prose needs one viewer: a seat or \"spectator\"");
    if (what == 0) {
        e->row->codec->describe_rules(&e->prose, &e->live->match.rules, e->live->match.seats);
    } else {
        union game_view view;
        struct codec_table table = table_for(e->live, viewer);
        e->row->game->view(&e->live->match.state, viewer, &view);
        e->row->codec->describe_view(&e->prose, &table, &view);
    }
    put_prose(e, "text");
    return OK;
}

int engine_hash(struct engine *e, const struct engine_request *r)
{
    (void)r;
    const struct game *g = e->row->game;
    json_put_hex(&e->out, "hash", game_hash(g, &e->live->match.state));
    if (!g->digests)
        return OK;
    json_begin_object_at(&e->out, "digests");
    for (int i = 0; g->digests[i]; i++)
        json_put_hex(&e->out, g->digests[i], g->digest(&e->live->match.state, i));
    json_end_object(&e->out);
    return OK;
}

void engine_write_payoffs(struct engine *e)
{
    int32_t payoffs[GAME_MAX_SEATS] = {0};
    e->row->game->payoffs(&e->live->match.state, payoffs);
    json_put_bool(&e->out, "over", match_is_over(&e->live->match));
    app_write_payoffs(&e->out, payoffs, e->live->match.seats);
}

int engine_payoffs(struct engine *e, const struct engine_request *r)
{
    (void)r;
    engine_write_payoffs(e);
    return OK;
}

int engine_rewards(struct engine *e, const struct engine_request *r)
{
    (void)r;
    const struct game *g = e->row->game;
    json_begin_array_at(&e->out, "rewards");
    for (int s = 0; s < e->live->match.seats; s++) {
        json_begin_object(&e->out);
        json_put_decimal(&e->out, "total", game_reward(g, &e->live->earned, s), 6);
        for (int c = 0; g->rewarded[c]; c++)
            json_put_decimal(&e->out, g->rewarded[c], e->live->earned.at[s][c], 6);
        json_end_object(&e->out);
    }
    json_end_array(&e->out);
    return OK;
}
