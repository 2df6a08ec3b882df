#include "llm/template.h"

#include "base/json_read.h"
#include "heap/heap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PART = 65536 }; // bytes of one text of a template

extern const char embedded_system_txt[], embedded_user_txt[], embedded_again_txt[], embedded_template_json[];
extern const size_t embedded_system_txt_size, embedded_user_txt_size, embedded_again_txt_size,
    embedded_template_json_size;

static const char *const template_files[TEMPLATE_PARTS] = {"system.txt", "user.txt", "again.txt", "template.json"};

// The placeholders of each part (L33).
static const char *const known[TEMPLATE_PARTS][12] = {
    {"game", "seat", "seats", "rules", "actions", "answer", "policy", "talk", NULL},
    {"history", "situation", "legal", "since", NULL},
    {"problem", "legal", NULL},
    {NULL},
};

void template_close(struct llm_template *t)
{
    for (int i = 0; i < TEMPLATE_PARTS; i++)
        free(t->part[i].at);
    *t = (struct llm_template){0};
}

// The placeholder that begins at `at`, which is a brace; empty: there is none.
static struct span find_placeholder(const char *at, const char *end)
{
    const char *stop = at + 1;
    while (stop < end && ((*stop >= 'a' && *stop <= 'z') || *stop == '_'))
        stop++;
    bool closed = stop > at + 1 && stop < end && *stop == '}';
    return closed ? (struct span){at + 1, (size_t)(stop - at - 1)} : (struct span){0};
}

// L30: at load, since a misspelt placeholder would otherwise be noticed when requests have been paid for.
static bool check_placeholders(const char *which, int part, struct span text, char why[ENDPOINT_WHY])
{
    for (const char *at = text.at, *end = text.at + text.size; at < end; at++) {
        if (*at != '{')
            continue;
        if (at + 1 < end && at[1] == '{') {
            at++;
            continue;
        }
        struct span name = find_placeholder(at, end);
        int i = 0;
        while (name.size && known[part][i] && !span_is(name, known[part][i]))
            i++;
        if (!name.size || !known[part][i]) {
            snprintf(why, ENDPOINT_WHY, "template %.100s, %s: '%.*s' is no placeholder here; a brace is written {{",
                     which, template_files[part], (int)(end - at < 24 ? end - at : 24), at);
            return false;
        }
    }
    return true;
}

static bool read_part(struct text *t, const char *folder, const char *file, char why[ENDPOINT_WHY])
{
    char path[SETTINGS_TEXT + 32], bytes[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *in = fopen(path, "r");
    if (!in) {
        snprintf(why, ENDPOINT_WHY, "cannot read the template %.300s: %s; built in: standard@1", path, strerror(errno));
        return false;
    }
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0 && t->size < MAX_PART;)
        text_put(t, (struct span){bytes, n});
    fclose(in);
    return true;
}

static void set_built_in(struct llm_template *t)
{
    const struct span parts[TEMPLATE_PARTS] = {
        {embedded_system_txt, embedded_system_txt_size},
        {embedded_user_txt, embedded_user_txt_size},
        {embedded_again_txt, embedded_again_txt_size},
        {embedded_template_json, embedded_template_json_size},
    };
    for (int i = 0; i < TEMPLATE_PARTS; i++)
        text_put(&t->part[i], parts[i]);
}

static bool read_about(struct llm_template *t, const char *which, char why[ENDPOINT_WHY])
{
    struct span about = text_span(&t->part[TEMPLATE_ABOUT]), name = json_member(about, "name"),
                version = json_member(about, "version");
    struct json_reader r = json_reader_of(name, 1), v = json_reader_of(version, 1);
    char word[40] = "";
    int64_t number = version.at ? json_read_int(&v, 0, 1000000) : -1;
    if (!name.at || json_string_copy(json_read_string(&r), word, sizeof word) <= 0 || number < 0 || v.error) {
        snprintf(why, ENDPOINT_WHY, "template %.200s: template.json needs \"name\" and \"version\", a number", which);
        return false;
    }
    snprintf(t->name, sizeof t->name, "%s@%d", word, (int)number);
    struct span language = json_member(about, "language");
    struct json_reader l = json_reader_of(language, 1);
    if (!language.at || json_string_copy(json_read_string(&l), t->language, sizeof t->language) <= 0)
        snprintf(t->language, sizeof t->language, "en");
    return true;
}

static bool is_built_in(const char *which)
{
    return strcmp(which, "standard") == 0 || strcmp(which, "standard@1") == 0;
}

bool template_open(struct llm_template *t, const char *which, char why[ENDPOINT_WHY])
{
    *t = (struct llm_template){0};
    for (int i = 0; i < TEMPLATE_PARTS; i++)
        t->part[i].grow = heap_text_grow;
    bool built_in = is_built_in(which), sound = true;
    if (built_in)
        set_built_in(t);
    for (int i = 0; i < TEMPLATE_PARTS && sound; i++)
        sound = (built_in || read_part(&t->part[i], which, template_files[i], why)) &&
                (i == TEMPLATE_ABOUT || check_placeholders(which, i, text_span(&t->part[i]), why));
    if (sound && read_about(t, which, why))
        return true;
    template_close(t);
    return false;
}

// "de", "pt-BR": it stands in prompts and in names of files.
static bool is_language(const char *language)
{
    size_t size = strlen(language);
    return size >= 2 && language[0] != '-' &&
           strspn(language, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == size;
}

bool template_speak(struct llm_template *t, const char *which, const char *language, char why[ENDPOINT_WHY])
{
    if (!is_language(language)) {
        snprintf(why, ENDPOINT_WHY, "language: '%.20s' is not a language tag; write it as de or pt-BR", language);
        return false;
    }
    if (strcmp(language, t->language) == 0 || is_built_in(which))
        return true;
    for (int i = 0; i < TEMPLATE_ABOUT; i++) {
        char file[64], path[SETTINGS_TEXT + 96];
        struct text other = {.grow = heap_text_grow};
        snprintf(file, sizeof file, "%.*s.%s.txt", (int)strcspn(template_files[i], "."), template_files[i], language);
        snprintf(path, sizeof path, "%s/%s", which, file);
        if (access(path, F_OK) != 0)
            continue;
        if (!read_part(&other, which, file, why) || !check_placeholders(which, i, text_span(&other), why)) {
            free(other.at);
            return false;
        }
        free(t->part[i].at);
        t->part[i] = other;
        if (i == TEMPLATE_SYSTEM)
            snprintf(t->language, sizeof t->language, "%s", language);
    }
    return true;
}

// Values are not scanned: braces in somebody's name stay text (L142).
void template_fill(struct text *out, struct span text, const struct template_value *values)
{
    for (const char *at = text.at, *end = text.at + text.size; at < end; at++) {
        struct span name = *at == '{' ? find_placeholder(at, end) : (struct span){0};
        if (*at == '{' && at + 1 < end && at[1] == '{') {
            text_put_char(out, '{');
            at++;
        } else if (name.size) {
            for (const struct template_value *v = values; v->name; v++)
                if (span_is(name, v->name))
                    text_put(out, v->value);
            at += name.size + 1;
        } else {
            text_put_char(out, *at);
        }
    }
}

bool template_write_out(const char *which, const char *folder, char why[ENDPOINT_WHY])
{
    struct llm_template t;
    if (!template_open(&t, which, why))
        return false;
    bool done = mkdir(folder, 0777) == 0 || errno == EEXIST;
    for (int i = 0; i < TEMPLATE_PARTS && done; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, template_files[i]);
        // "x": a template that somebody has edited is not overwritten.
        FILE *f = fopen(path, "wx");
        done = f && fwrite(t.part[i].at, 1, t.part[i].size, f) == t.part[i].size;
        done = f && fclose(f) == 0 && done;
    }
    if (!done)
        snprintf(why, ENDPOINT_WHY, "cannot write the template to %.200s: %s", folder, strerror(errno));
    template_close(&t);
    return done;
}
