#include "tui/tetris_play.h"

#include "tui/terminal.h"
#include "tui/tetris_scene.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

enum {
    NOTE_US = 5000000,
    REPEATS_PER_STEP = 32, // of keys that are held, in one go; what is due beyond is lost
};

struct tetris_play {
    const struct tetris_play_options *options;
    struct loop loop;
    struct adapter_server serve;
    struct terminal terminal;
    struct keys keys;
    struct tetris_scene scene;
    struct frame frame;
    int listen_error; // an errno; 0: none
    bool redraw;
    bool paused_here;      // by the prompt, which resumes it when it closes
    uint64_t drawn_step;   // the logical step that the frame shows: the next frame is made after another step or for a
                           // redraw
    uint32_t over_episode; // whose end was shown, plus one; 0: none
    int64_t note_until_us;
};

// --- keys

static void send_action(struct tetris_play *p, enum play_key key)
{
    static const uint8_t kinds[PLAY_KEYS] = {
        [PLAY_LEFT] = TETRIS_MOVE_LEFT,      [PLAY_RIGHT] = TETRIS_MOVE_RIGHT,      [PLAY_SOFT_DROP] = TETRIS_SOFT_DROP,
        [PLAY_ROTATE_CW] = TETRIS_ROTATE_CW, [PLAY_ROTATE_CCW] = TETRIS_ROTATE_CCW, [PLAY_HARD_DROP] = TETRIS_HARD_DROP,
        [PLAY_HOLD] = TETRIS_HOLD,           [PLAY_PAUSE] = TETRIS_PAUSE,           [PLAY_RESTART] = TETRIS_RESTART,
    };
    if (kinds[key])
        adapter_press(p->serve.adapter, (struct game_action){.kind = kinds[key]});
}

static void open_prompt(struct tetris_play *p)
{
    const struct tetris_facts *f = &p->scene.view.facts;
    p->scene.prompt = p->redraw = true;
    p->scene.seed[0] = 0;
    p->paused_here = !f->paused && !f->end;
    keys_release_all(&p->keys);
    if (p->paused_here)
        send_action(p, PLAY_PAUSE);
}

// Pauses a running game while the list is shown, and resumes no game that was paused before.
static void show_keys(struct tetris_play *p, bool on)
{
    const struct tetris_facts *f = &p->scene.view.facts;
    p->scene.keys = on;
    p->redraw = true;
    if (on)
        p->paused_here = !f->paused && !f->end;
    keys_release_all(&p->keys);
    if (p->paused_here)
        send_action(p, PLAY_PAUSE);
}

static void close_prompt(struct tetris_play *p, bool restart)
{
    uint64_t seed = 0;
    struct game_action a = {.kind = TETRIS_RESTART};
    p->scene.prompt = false;
    for (const char *c = p->scene.seed; *c; c++)
        seed = seed * 10 + (uint64_t)(*c - '0');
    if (p->scene.seed[0]) { // nothing typed: the seeds form a chain (T2.15)
        a.arg[0] = 1;
        a.amount = (int32_t)(uint32_t)seed;
    }
    if (restart)
        adapter_press(p->serve.adapter, a);
    else if (p->paused_here)
        send_action(p, PLAY_PAUSE);
}

// A digit that would lead beyond the largest seed is not taken (T2.12).
static void type_digit(struct tetris_scene *s, char digit)
{
    uint64_t seed = 0;
    size_t size = strlen(s->seed);
    for (size_t i = 0; i < size; i++)
        seed = seed * 10 + (uint64_t)(s->seed[i] - '0');
    if (seed * 10 + (uint64_t)(digit - '0') > UINT32_MAX || (size && seed == 0))
        return;
    s->seed[size] = digit;
    s->seed[size + 1] = 0;
}

static void prompt_key(struct tetris_play *p, uint32_t code)
{
    size_t size = strlen(p->scene.seed);
    p->redraw = true;
    if (code >= '0' && code <= '9')
        type_digit(&p->scene, (char)code);
    else if (code == INPUT_BACKSPACE && size)
        p->scene.seed[size - 1] = 0;
    else if (code == INPUT_ENTER || code == INPUT_ESCAPE)
        close_prompt(p, code == INPUT_ENTER);
}

static void press_key(struct tetris_play *p, enum play_key key)
{
    if (!key || !keys_press(&p->keys, key, loop_now_us()))
        return;
    if (key == PLAY_QUIT)
        loop_stop(&p->loop);
    else if (key == PLAY_HELP)
        show_keys(p, true);
    else if (key == PLAY_SEED)
        open_prompt(p);
    else
        send_action(p, key);
}

static void on_key(void *owner, struct input_event e)
{
    struct tetris_play *p = owner;
    enum play_key key = config_key(&p->options->config, e.code);
    switch (e.kind) {
    case INPUT_HAS_RELEASES:
        p->keys.has_releases = true;
        break;
    case INPUT_FOCUS_LOST:
        keys_release_all(&p->keys);
        break;
    case INPUT_RELEASE:
        keys_release(&p->keys, key, loop_now_us());
        break;
    case INPUT_REPEAT: // of a key that we repeat ourselves
        break;
    case INPUT_PRESS:
        if (p->scene.prompt)
            prompt_key(p, e.code);
        else if (p->scene.keys && key != PLAY_QUIT) // any key goes on
            show_keys(p, false);
        else
            press_key(p, key);
        break;
    }
}

// Before the steps of a turn: what held keys add to them.
static void before_steps(void *owner)
{
    struct tetris_play *p = owner;
    enum play_key repeats[REPEATS_PER_STEP];
    int count = keys_advance(&p->keys, loop_now_us(), repeats, REPEATS_PER_STEP);
    for (int i = 0; i < count; i++)
        send_action(p, repeats[i]);
}

// --- the picture

static struct text panel_line(struct tetris_play *p, int line)
{
    return text_on(p->scene.panel[line], TETRIS_SCENE_LINE_ROOM - 1);
}

static void end_line(struct text *t)
{
    t->at[t->size] = 0;
}

static void write_address(struct tetris_play *p, struct text *t)
{
    const struct adapter_server_options *o = &p->options->serve;
    if (!p->serve.port && !p->listen_error) {
        text_puts(t, "off");
        return;
    }
    text_puts(t, p->listen_error ? "not on " : "tcp://");
    text_puts(t, o->host);
    text_put_char(t, ':');
    text_put_uint(t, p->serve.port ? conn_port(p->serve.port) : o->port);
    if (p->listen_error)
        text_puts(t, p->listen_error == EADDRINUSE ? ": taken" : ": cannot listen");
}

static void write_numbers(struct tetris_play *p)
{
    const struct tetris_facts *f = &p->scene.view.facts;
    struct adapter_status status = adapter_status(p->serve.adapter);
    const struct {
        const char *name;
        uint64_t value;
        const char *instead; // of the value, where it is 0
    } rows[] = {
        {"clients ", (uint64_t)status.clients, NULL},
        {"controller ", status.controller_id, "none"},
        {"piece_id ", f->piece_id, NULL},
        {"seed ", f->seed, NULL},
    };
    for (int i = 0; i < 4; i++) {
        struct text t = panel_line(p, 2 + i);
        text_puts(&t, rows[i].name);
        if (rows[i].value || !rows[i].instead)
            text_put_uint(&t, rows[i].value);
        else
            text_puts(&t, rows[i].instead);
        end_line(&t);
    }
}

static struct text over_line(struct tetris_play *p)
{
    return text_on(p->scene.over[p->scene.over_count++], sizeof p->scene.over[0] - 1);
}

// What can be done after a game, and the best ones so far.
static void write_over(struct tetris_play *p, const struct tetris_facts *f)
{
    static const struct {
        enum play_key key;
        const char *does;
    } choices[] = {{PLAY_RESTART, " plays again"}, {PLAY_SEED, " takes a seed"}, {PLAY_QUIT, " quits"}};
    struct tetris_play_scores best = {.place = -1};
    char name[8];
    p->scene.over_count = 0;
    for (int i = 0; i < 3; i++) {
        struct text t = over_line(p);
        text_puts(&t, config_key_name(&p->options->config, choices[i].key, name));
        text_puts(&t, choices[i].does);
        end_line(&t);
    }
    if (!p->options->on_over)
        return;
    p->options->on_over(p->options->owner, f, &best);
    struct text t = over_line(p);
    end_line(&t);
    t = over_line(p);
    text_puts(&t, best.place == 0 ? "A NEW BEST SCORE" : "BEST SCORES");
    end_line(&t);
    for (int i = 0; i < TETRIS_PLAY_BEST && best.score[i]; i++) {
        t = over_line(p);
        text_put_uint(&t, (uint64_t)i + 1);
        text_puts(&t, ". ");
        text_put_uint(&t, best.score[i]);
        text_puts(&t, i == best.place ? " <" : "");
        end_line(&t);
    }
}

static void draw_frame(struct tetris_play *p, int64_t now_us)
{
    struct tetris_scene *s = &p->scene;
    tetris_game.view(adapter_match(p->serve.adapter)->state.byte, GAME_SPECTATOR, &s->view);
    const struct tetris_facts *f = &s->view.facts;
    if (f->end && p->over_episode != f->episode_id + 1) {
        p->over_episode = f->episode_id + 1;
        write_over(p, f);
    }
    tetris_effect_update(&s->effect, &s->view, now_us);
    write_numbers(p);
    if (now_us >= p->note_until_us)
        s->note[0] = 0;
    tetris_scene_draw(s, p->terminal.display.columns, p->terminal.display.rows, &p->frame);
    display_show(&p->terminal.display, &p->frame);
}

static void after_steps(void *owner)
{
    struct tetris_play *p = owner;
    uint64_t step = adapter_step_count(p->serve.adapter);
    if (step == p->drawn_step && !p->redraw)
        return;
    p->drawn_step = step;
    p->redraw = false;
    draw_frame(p, loop_now_us());
}

static void on_redraw(void *owner)
{
    struct tetris_play *p = owner;
    p->redraw = true;
    keys_release_all(&p->keys); // after a stop: releases may have been missed
    loop_end_turn(&p->loop);
}

static void list_keys(struct tetris_play *p)
{
    static const char *const does[PLAY_KEYS] = {
        [PLAY_LEFT] = "left",      [PLAY_RIGHT] = "right",          [PLAY_SOFT_DROP] = "down",
        [PLAY_ROTATE_CW] = "turn", [PLAY_ROTATE_CCW] = "turn back", [PLAY_HARD_DROP] = "drop",
        [PLAY_HOLD] = "hold",      [PLAY_PAUSE] = "pause",          [PLAY_RESTART] = "new game",
        [PLAY_SEED] = "seed",      [PLAY_HELP] = "these keys",      [PLAY_QUIT] = "quit",
    };
    enum { NAME_COLUMNS = 6 };
    char name[8];
    for (int key = PLAY_LEFT; key < PLAY_KEYS; key++) {
        struct text t = text_on(p->scene.key[p->scene.key_count++], sizeof p->scene.key[0] - 1);
        text_puts(&t, config_key_name(&p->options->config, (enum play_key)key, name));
        while (t.size < NAME_COLUMNS)
            text_put_char(&t, ' ');
        text_puts(&t, does[key]);
        end_line(&t);
    }
}

static void write_words(struct tetris_play *p)
{
    static const struct {
        enum play_key key;
        const char *name;
    } rows[] = {{PLAY_HARD_DROP, " drop  "},  {PLAY_HOLD, " hold  "}, {PLAY_PAUSE, " pause  "},
                {PLAY_RESTART, " restart  "}, {PLAY_SEED, " seed  "}, {PLAY_HELP, " keys  "},
                {PLAY_QUIT, " quit"}};
    const struct config *c = &p->options->config;
    struct tetris_scene *s = &p->scene;
    char name[8];
    struct text t = text_on(s->help, sizeof s->help - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_puts(&t, config_key_name(c, rows[i].key, name));
        text_puts(&t, rows[i].name);
    }
    end_line(&t);
    t = text_on(s->resume_hint, sizeof s->resume_hint - 1);
    text_puts(&t, config_key_name(c, PLAY_PAUSE, name));
    text_puts(&t, " goes on");
    end_line(&t);
    list_keys(p);
    t = panel_line(p, 0);
    text_puts(&t, "ADAPTER");
    end_line(&t);
    t = panel_line(p, 1);
    write_address(p, &t);
    end_line(&t);
    t = text_on(s->note, sizeof s->note - 1);
    text_puts(&t, p->options->note ? p->options->note : "");
    end_line(&t);
}

// --- public functions

// T6.7: if the port is in use, the game starts without agents.
static bool open_adapter(struct tetris_play *p)
{
    const struct tetris_play_options *o = p->options;
    struct adapter_server_options so = o->serve;
    so.adapter.attended = true;
    if (o->listen) {
        p->listen_error = adapter_server_open(&p->serve, &p->loop, &so, true, o->log);
        if (!p->listen_error)
            return true;
        if (o->log)
            o->log->size = 0; // the match begins again
    }
    return adapter_server_open(&p->serve, &p->loop, &so, false, o->log) == 0;
}

static const char *run_game(struct tetris_play *p)
{
    static const struct terminal_handler handler = {.on_key = on_key, .on_redraw = on_redraw};
    loop_add_hook(&p->loop, before_steps, p);
    if (!open_adapter(p))
        return "the rules are refused";
    const char *why = terminal_open(&p->terminal, &p->loop, p->options->config.top, &handler, p);
    if (!why) {
        loop_add_hook(&p->loop, after_steps, p);
        p->note_until_us = loop_now_us() + NOTE_US;
        p->scene.has_view = p->redraw = true;
        write_words(p);
        loop_run(&p->loop);
        terminal_close(&p->terminal);
        if (p->options->log)
            adapter_end_log(p->serve.adapter);
    }
    adapter_server_close(&p->serve);
    return why;
}

const char *tetris_play_run(const struct tetris_play_options *o)
{
    static struct tetris_play p; // too large for a stack
    p = (struct tetris_play){.options = o};
    keys_init(&p.keys, &o->config.timing);
    loop_init(&p.loop);
    signal(SIGPIPE, SIG_IGN);
    const char *why = run_game(&p);
    loop_release(&p.loop);
    return why;
}
