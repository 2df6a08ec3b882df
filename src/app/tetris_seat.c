#include "app/tetris_seat.h"

#include "app/app.h"
#include "app/play_file.h"
#include "app/tape.h"
#include "tui/observe.h"
#include "tui/play.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tetris_seat_is_headless(void)
{
    return environment_is_yes("TUI_TETRIS_HEADLESS");
}

// --- settings

struct settings {
    struct config config;
    char path[PATH_MAX];
    char first[LOADED_REPLAY_ERROR_ROOM]; // complaint, to be shown in the game
};

static void on_complaint(void *owner, int line, const char *what)
{
    struct settings *s = owner;
    fprintf(stderr, "agon tetris: %s:%d: %s\n", s->path, line, what);
    if (!s->first[0])
        snprintf(s->first, sizeof s->first, "tetris.conf:%d: %.*s", line, CONFIG_ERROR_ROOM, what);
}

static void read_file(struct settings *s)
{
    char error[LOADED_REPLAY_ERROR_ROOM];
    if (!config_path(s->path, sizeof s->path) || access(s->path, F_OK) != 0)
        return;
    struct span file = tape_read_file(s->path, error, sizeof error);
    if (!file.at) {
        fprintf(stderr, "agon tetris: %s\n", error);
        snprintf(s->first, sizeof s->first, "%s", error);
        return;
    }
    config_read(&s->config, file, on_complaint, s);
    free((char *)file.at);
}

static void read_environment(struct config *c)
{
    struct keys_timing *t = &c->timing;
    t->release_ms = (int)environment_number("TUI_TETRIS_KEY_RELEASE_TIMEOUT_MS", t->release_ms, 1, 10000);
    t->repeat_release_min_ms =
        (int)environment_number("TUI_TETRIS_REPEAT_RELEASE_TIMEOUT_MIN_MS", t->repeat_release_min_ms, 1, 10000);
    t->repeat_release_max_ms =
        (int)environment_number("TUI_TETRIS_REPEAT_RELEASE_TIMEOUT_MAX_MS", t->repeat_release_max_ms, 1, 10000);
    const char *anchor = getenv("TUI_TETRIS_ANCHOR_Y");
    if (anchor && strcmp(anchor, "top") != 0 && strcmp(anchor, "center") != 0)
        fprintf(stderr, "agon: TUI_TETRIS_ANCHOR_Y: '%s' is not top or center; using %s\n", anchor,
                c->top ? "top" : "center");
    else if (anchor)
        c->top = strcmp(anchor, "top") == 0;
}

static void settle(struct settings *s, const struct tetris_seat *seat)
{
    *s = (struct settings){0};
    config_defaults(&s->config);
    read_file(s);
    read_environment(&s->config);
    if (seat->das_ms >= 0)
        s->config.timing.das_ms = seat->das_ms;
    if (seat->arr_ms >= 0)
        s->config.timing.arr_ms = seat->arr_ms;
}

// --- the best scores: a line for each, "SCORE LINES LEVEL SECONDS SEED", best first

static int read_scores(const char *path, struct tetris_facts best[PLAY_BEST])
{
    FILE *f = fopen(path, "re");
    int count = 0;
    unsigned score, lines, level, seconds, seed;
    while (f && count < PLAY_BEST && fscanf(f, "%u %u %u %u %u", &score, &lines, &level, &seconds, &seed) == 5)
        best[count++] = (struct tetris_facts){
            .score = score, .lines = lines, .level = level, .ticks = seconds * 1000 / TETRIS_TICK_MS, .seed = seed};
    if (f)
        fclose(f);
    return count;
}

static void write_scores(const char *path, const struct tetris_facts *best, int count)
{
    char bytes[PLAY_BEST * 64], why[LOADED_REPLAY_ERROR_ROOM];
    int size = 0;
    for (int i = 0; i < count; i++)
        size += snprintf(bytes + size, sizeof bytes - (size_t)size, "%u %u %u %u %u\n", best[i].score, best[i].lines,
                         best[i].level, best[i].ticks * TETRIS_TICK_MS / 1000, best[i].seed);
    play_file_write(path, (struct span){bytes, (size_t)size}, why, sizeof why); // without a place for it none are kept
}

static void on_over(void *owner, const struct tetris_facts *f, struct play_scores *out)
{
    struct tetris_facts best[PLAY_BEST + 1] = {0};
    char path[PLAY_PATH];
    (void)owner;
    play_scores_path(path, tetris_game.name);
    int count = read_scores(path, best), place = count;
    while (place > 0 && best[place - 1].score < f->score)
        place--;
    out->place = f->score && place < PLAY_BEST ? place : -1;
    if (out->place >= 0) {
        memmove(best + place + 1, best + place, (size_t)(PLAY_BEST - place) * sizeof *best);
        best[place] = *f;
        count = count < PLAY_BEST ? count + 1 : PLAY_BEST;
        write_scores(path, best, count);
    }
    for (int i = 0; i < count; i++)
        out->score[i] = best[i].score;
}

// --- playing and watching

int tetris_seat_play(const struct tetris_seat *seat, const struct adapter_settings *adapter, struct text *log)
{
    struct settings s;
    settle(&s, seat);
    struct play_options o = {.serve = adapter->serve,
                             .config = s.config,
                             .listen = !adapter->disabled,
                             .note = s.first[0] ? s.first : NULL,
                             .log = log,
                             .on_over = on_over};
    const char *why = play_run(&o);
    if (!why)
        return APP_DONE;
    fprintf(stderr, "agon tetris: %s; use --headless to serve agents without a terminal\n", why);
    return APP_USAGE;
}

int tetris_seat_observe(const struct tetris_seat *seat)
{
    static const int status[] = {
        [OBSERVE_ENDED] = APP_DONE, [OBSERVE_LOST] = APP_FAILED, [OBSERVE_NEVER_BEGAN] = APP_USAGE};
    struct settings s;
    char error[512];
    settle(&s, seat);
    struct observe_options o = {
        .config = s.config, .host = seat->host, .port = seat->port, .note = s.first[0] ? s.first : NULL};
    int end = observe_run(&o, error, sizeof error);
    if (end != OBSERVE_ENDED)
        fprintf(stderr, "agon tetris: %s\n", error);
    return status[end];
}
