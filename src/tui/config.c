#include "tui/config.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const actions[PLAY_KEYS] = {
    [PLAY_LEFT] = "left",
    [PLAY_RIGHT] = "right",
    [PLAY_SOFT_DROP] = "soft_drop",
    [PLAY_ROTATE_CW] = "rotate_cw",
    [PLAY_ROTATE_CCW] = "rotate_ccw",
    [PLAY_HARD_DROP] = "hard_drop",
    [PLAY_HOLD] = "hold",
    [PLAY_PAUSE] = "pause",
    [PLAY_RESTART] = "restart",
    [PLAY_SEED] = "seed",
    [PLAY_HELP] = "help",
    [PLAY_QUIT] = "quit",
};

static const struct {
    const char *name;
    uint32_t code;
} key_names[] = {
    {"left", INPUT_LEFT}, {"right", INPUT_RIGHT},         {"up", INPUT_UP},
    {"down", INPUT_DOWN}, {"space", INPUT_SPACE},         {"enter", INPUT_ENTER},
    {"tab", INPUT_TAB},   {"backspace", INPUT_BACKSPACE}, {"f1", INPUT_F1},
};

enum { KEY_NAMES = sizeof key_names / sizeof *key_names };

void config_defaults(struct config *c)
{
    // T6.2, T6.4, T6.5
    *c = (struct config){
        .timing = {150, 50, 50, 150, 80, 300},
        .code =
            {
                [PLAY_LEFT] = {INPUT_LEFT, 'a', 'h'},
                [PLAY_RIGHT] = {INPUT_RIGHT, 'd', 'l'},
                [PLAY_SOFT_DROP] = {INPUT_DOWN, 's', 'j'},
                [PLAY_ROTATE_CW] = {INPUT_UP, 'w', 'k'},
                [PLAY_ROTATE_CCW] = {'z', 'y'},
                [PLAY_HARD_DROP] = {INPUT_SPACE},
                [PLAY_HOLD] = {'c'},
                [PLAY_PAUSE] = {'p'},
                [PLAY_RESTART] = {'r'},
                [PLAY_SEED] = {'n'},
                [PLAY_HELP] = {'?', INPUT_F1},
                [PLAY_QUIT] = {'q'},
            },
    };
}

enum play_key config_key(const struct config *c, uint32_t code)
{
    for (int key = PLAY_NONE + 1; code && key < PLAY_KEYS; key++)
        for (int i = 0; i < CONFIG_KEYS_EACH; i++)
            if (c->code[key][i] == code)
                return (enum play_key)key;
    return PLAY_NONE;
}

const char *config_key_name(const struct config *c, enum play_key key, char room[8])
{
    uint32_t code = c->code[key][0];
    for (int i = 0; i < KEY_NAMES; i++)
        if (key_names[i].code == code)
            return key_names[i].name;
    if (!code)
        return "-";
    room[0] = (char)code;
    room[1] = 0;
    return room;
}

// --- lines

// A file is read to its end whatever is wrong in it: each wrong line is reported and skipped.
struct reader {
    struct config *config;
    config_complaint complain;
    void *owner;
    int line;
};

static void report_error(struct reader *r, const char *what, struct span about)
{
    char message[CONFIG_ERROR_ROOM];
    snprintf(message, sizeof message, "%s '%.*s'", what, (int)(about.size < 60 ? about.size : 60), about.at);
    r->complain(r->owner, r->line, message);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct span trim(struct span s)
{
    while (s.size && is_space(s.at[0]))
        s = (struct span){s.at + 1, s.size - 1};
    while (s.size && is_space(s.at[s.size - 1]))
        s.size--;
    return s;
}

// Returns the word at the start of *rest and moves *rest behind it; empty at the end.
static struct span take_word(struct span *rest)
{
    struct span s = trim(*rest);
    size_t size = 0;
    while (size < s.size && !is_space(s.at[size]))
        size++;
    *rest = (struct span){s.at + size, s.size - size};
    return (struct span){s.at, size};
}

static uint32_t read_key(struct span word)
{
    char name[16] = "";
    for (size_t i = 0; i < word.size && i + 1 < sizeof name; i++)
        name[i] = (char)(word.at[i] >= 'A' && word.at[i] <= 'Z' ? word.at[i] + ('a' - 'A') : word.at[i]);
    if (word.size == 1 && name[0] > ' ' && name[0] < 127)
        return (uint32_t)name[0];
    for (int i = 0; i < KEY_NAMES && word.size + 1 < sizeof name; i++)
        if (strcmp(key_names[i].name, name) == 0)
            return key_names[i].code;
    return 0;
}

// A key has one action: an earlier assignment is removed.
static void bind_key(struct config *c, int key, uint32_t code, int at)
{
    for (int other = 0; other < PLAY_KEYS; other++)
        for (int i = 0; i < CONFIG_KEYS_EACH; i++)
            if (c->code[other][i] == code)
                c->code[other][i] = 0;
    c->code[key][at] = code;
}

static void close_gaps(struct config *c)
{
    for (int key = 0; key < PLAY_KEYS; key++)
        for (int from = 0, to = 0; from < CONFIG_KEYS_EACH; from++) {
            uint32_t code = c->code[key][from];
            c->code[key][from] = 0;
            if (code)
                c->code[key][to++] = code;
        }
}

static void set_keys(struct reader *r, int key, struct span value)
{
    struct span rest = value, word;
    int count = 0;
    while ((word = take_word(&rest)).size) {
        if (!read_key(word)) {
            report_error(r, "no such key:", word);
            return;
        }
        if (++count > CONFIG_KEYS_EACH) {
            report_error(r, "too many keys:", value);
            return;
        }
    }
    memset(r->config->code[key], 0, sizeof r->config->code[key]);
    rest = value;
    for (int i = 0; (word = take_word(&rest)).size; i++)
        bind_key(r->config, key, read_key(word), i);
    close_gaps(r->config);
}

static bool set_number(struct reader *r, struct span name, struct span value)
{
    struct keys_timing *t = &r->config->timing;
    const struct {
        const char *name;
        int *to;
        int least;
    } numbers[] = {
        {"das_ms", &t->das_ms, 0},
        {"arr_ms", &t->arr_ms, 1},
        {"soft_drop_ms", &t->soft_drop_ms, 1},
        {"release_ms", &t->release_ms, 1},
        {"repeat_release_min_ms", &t->repeat_release_min_ms, 1},
        {"repeat_release_max_ms", &t->repeat_release_max_ms, 1},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!span_is(name, numbers[i].name))
            continue;
        int number = 0;
        bool good = value.size > 0 && value.size <= 5;
        for (size_t k = 0; good && k < value.size; k++) {
            good = value.at[k] >= '0' && value.at[k] <= '9';
            number = number * 10 + (value.at[k] - '0');
        }
        if (good && number >= numbers[i].least && number <= 10000)
            *numbers[i].to = number;
        else
            report_error(r,
                         numbers[i].least ? "not a number from 1 to 10000:" : "not a number from 0 to 10000:", value);
        return true;
    }
    return false;
}

static void set_setting(struct reader *r, struct span name, struct span value)
{
    for (int key = PLAY_NONE + 1; key < PLAY_KEYS; key++)
        if (span_is(name, actions[key])) {
            set_keys(r, key, value);
            return;
        }
    if (set_number(r, name, value))
        return;
    if (!span_is(name, "anchor"))
        report_error(r, "no such setting:", name);
    else if (!span_is(value, "top") && !span_is(value, "center"))
        report_error(r, "anchor is top or center, not", value);
    else
        r->config->top = span_is(value, "top");
}

void config_read(struct config *c, struct span text, config_complaint complaint, void *owner)
{
    struct reader r = {c, complaint, owner, 0};
    while (text.size) {
        const char *end = memchr(text.at, '\n', text.size);
        struct span line = {text.at, end ? (size_t)(end - text.at) : text.size};
        size_t used = line.size + (end != NULL);
        text = (struct span){text.at + used, text.size - used};
        r.line++;
        line = trim(line);
        if (!line.size || line.at[0] == '#')
            continue;
        const char *equals = memchr(line.at, '=', line.size);
        if (!equals) {
            report_error(&r, "no '=' in", line);
            continue;
        }
        size_t left = (size_t)(equals - line.at);
        set_setting(&r, trim((struct span){line.at, left}), trim((struct span){equals + 1, line.size - left - 1}));
    }
}

bool config_path(char *path, size_t room)
{
    const char *folder = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int size = folder && folder[0] == '/' ? snprintf(path, room, "%s/agon/tetris.conf", folder)
               : home                     ? snprintf(path, room, "%s/.config/agon/tetris.conf", home)
                                          : -1;
    return size > 0 && (size_t)size < room;
}
