#include "llm/settings.h"

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/nearest.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

const char *const llm_api_names[] = {"openai", "anthropic", NULL};
const char *const llm_form_names[] = {"json", "schema", "tool", "line", NULL};
static const char *const memory_names[] = {"alone", "dialogue", NULL};
static const char *const policy_names[] = {"fallback", "random", "forfeit", "abort", NULL};
static const char *const switches[] = {"off", "on", NULL};
static const char *const efforts[] = {"none", "minimal", "low", "medium", "high", "xhigh", "max", NULL};

enum kind { WORD, SWITCH, NUMBER, REAL, TEXT, EFFORT, SEED, OBJECT };

#define AT(member) offsetof(struct llm_settings, member)

// L5 says what they mean. A setting that changes the text of prompts belongs in prompt_version, too (L31).
static const struct row {
    const char *key;
    enum kind kind;
    size_t at;
    const char *const *words;
    double min, max; // of a text: its room
    bool only_in_file;
    bool is_secret; // not shown
} rows[] = {
    {"api", WORD, AT(api), llm_api_names, 0, 0, false, false},
    {"template", TEXT, AT(template_name), NULL, 0, SETTINGS_TEXT, false, false},
    {"legal", SWITCH, AT(legal), NULL, 0, 0, false, false},
    {"answer", WORD, AT(form), llm_form_names, 0, 0, false, false},
    {"memory", WORD, AT(memory), memory_names, 0, 0, false, false},
    {"thoughts", SWITCH, AT(thoughts), NULL, 0, 0, false, false},
    {"names", SWITCH, AT(names), NULL, 0, 0, false, false},
    {"max_tokens", NUMBER, AT(max_tokens), NULL, 1, 1000000, false, false},
    {"temperature", REAL, AT(temperature), NULL, 0, 2, false, false},
    {"top_p", REAL, AT(top_p), NULL, 0, 1, false, false},
    // 2^53 - 1: put_number reads doubles, which would round larger ones.
    {"seed", SEED, AT(seed), NULL, 0, 9007199254740991.0, false, false},
    {"effort", EFFORT, AT(effort), NULL, 0, 0, false, false},
    {"stream", SWITCH, AT(stream), NULL, 0, 0, false, false},
    {"context", NUMBER, AT(context), NULL, 1024, 100000000, false, false},
    {"retries", NUMBER, AT(retries), NULL, 0, 10, false, false},
    {"fallback", WORD, AT(policy), policy_names, 0, 0, false, false},
    {"concurrency", NUMBER, AT(concurrency), NULL, 1, 1000, false, false},
    {"idle", NUMBER, AT(idle_s), NULL, 1, 3600, false, false},
    {"total", NUMBER, AT(total_s), NULL, 1, 86400, false, false},
    {"language", TEXT, AT(language), NULL, 0, 16, false, false},
    {"price", TEXT, AT(price), NULL, 0, SETTINGS_TEXT, false, false},
    {"extra", OBJECT, AT(extra), NULL, 0, SETTINGS_EXTRA, false, false},
    {"key_env", TEXT, AT(key_env), NULL, 0, 64, true, true},
    {"key_file", TEXT, AT(key_file), NULL, 0, SETTINGS_TEXT, true, true},
};
enum { ROWS = sizeof rows / sizeof *rows };

// The defaults of L5.
void settings_init(struct llm_settings *s)
{
    *s = (struct llm_settings){
        .api = -1,
        .template_name = "standard@1",
        .legal = true,
        .stream = true,
        .max_tokens = 4096,
        .temperature = NAN,
        .top_p = NAN,
        .seed = -1,
        .context = 8192,
        .retries = 2,
        .concurrency = 4,
        .idle_s = 120,
        .total_s = 600,
        .language = "en",
    };
}

static bool refuse_words(char why[SETTINGS_WHY], const char *key, const char *value, const char *const *words)
{
    char known[128];
    struct text t = text_on(known, sizeof known - 1);
    for (int i = 0; words[i]; i++) {
        text_puts(&t, i ? ", " : "");
        text_puts(&t, words[i]);
    }
    known[t.size] = 0;
    snprintf(why, SETTINGS_WHY, "%s: unknown value '%.60s'; known: %s", key, value, known);
    return false;
}

static bool put_number(const struct row *r, void *at, const char *value, char why[SETTINGS_WHY])
{
    char *end;
    double number = strtod(value, &end);
    bool whole = r->kind == REAL || number == floor(number);
    if (end == value || *end || !whole || !(number >= r->min && number <= r->max)) {
        snprintf(why, SETTINGS_WHY, "%s: '%.60s' is not a %snumber from %.0f to %.0f", r->key, value,
                 r->kind == REAL ? "" : "whole ", r->min, r->max);
        return false;
    }
    if (r->kind == REAL)
        *(double *)at = number;
    else if (r->kind == SEED)
        *(int64_t *)at = (int64_t)number;
    else
        *(int *)at = (int)number;
    return true;
}

static bool is_number(const char *text)
{
    // Seven digits fit into the int that anthropic.c reads from it.
    return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 8;
}

static bool put_text(const struct row *r, char *at, const char *value, char why[SETTINGS_WHY])
{
    if (strlen(value) >= (size_t)r->max) {
        snprintf(why, SETTINGS_WHY, "%s is longer than %.0f bytes", r->key, r->max - 1);
        return false;
    }
    memcpy(at, value, strlen(value) + 1);
    return true;
}

// It is copied into the body of every request as it stands (dialect_write_extra), so it must be sound JSON.
static bool put_object(const struct row *r, char *at, const char *value, char why[SETTINGS_WHY])
{
    struct json_reader j = json_reader_of(span_of(value), 32);
    bool object = json_peek(&j) == JSON_OBJECT;
    json_skip(&j);
    if (json_finish(&j) != OK || !object) {
        snprintf(why, SETTINGS_WHY, "%s: expected a JSON object, as {\"top_k\":40}", r->key);
        return false;
    }
    return put_text(r, at, value, why);
}

static bool put_value(const struct row *r, struct llm_settings *s, const char *value, char why[SETTINGS_WHY])
{
    void *at = (char *)s + r->at;
    int word;
    switch (r->kind) {
    case WORD:
        if ((word = span_among(span_of(value), r->words)) < 0)
            return refuse_words(why, r->key, value, r->words);
        *(int *)at = word;
        return true;
    case SWITCH:
        if ((word = span_among(span_of(value), switches)) < 0)
            return refuse_words(why, r->key, value, switches);
        *(bool *)at = word;
        return true;
    case EFFORT:
        if (span_among(span_of(value), efforts) < 0 && !is_number(value))
            return refuse_words(why, "effort (or a number of tokens)", value, efforts);
        snprintf(at, sizeof s->effort, "%.15s", value);
        return true;
    case TEXT:
        return put_text(r, at, value, why);
    case OBJECT:
        return put_object(r, at, value, why);
    default:
        return put_number(r, at, value, why);
    }
}

bool settings_put(struct llm_settings *s, struct span key, struct span value, bool in_file, char why[SETTINGS_WHY])
{
    char word[SETTINGS_EXTRA];
    if (value.size >= sizeof word) {
        snprintf(why, SETTINGS_WHY, "%.*s: the value is too long", (int)(key.size < 40 ? key.size : 40), key.at);
        return false;
    }
    memcpy(word, value.at, value.size);
    word[value.size] = 0;
    // L140: an address is visible in argv and in ps, and stands in journals and reports.
    if (span_is(key, "key") || span_is(key, "api_key") || span_is(key, "token")) {
        snprintf(why, SETTINGS_WHY,
                 "a key is not a setting: put it into the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, "
                 "AGON_LLM_KEY_<HOST>) or into a file that the models file names as key_file");
        return false;
    }
    for (int i = 0; i < ROWS; i++)
        if (span_is(key, rows[i].key) && (in_file || !rows[i].only_in_file))
            return put_value(&rows[i], s, word, why);
    char given[48];
    snprintf(given, sizeof given, "%.*s", (int)(key.size < 40 ? key.size : 40), key.at);
    struct nearest n = nearest_to(given);
    for (int i = 0; i < ROWS; i++)
        if (in_file || !rows[i].only_in_file)
            nearest_try(&n, rows[i].key);
    const char *near = n.best;
    snprintf(why, SETTINGS_WHY, "unknown setting '%s'%s%s%s", given, near ? "; did you mean '" : "", near ? near : "",
             near ? "'?" : "");
    return false;
}

// Where the next comma is that does not stand inside braces: extra is an object.
static size_t item_size(struct span s)
{
    int depth = 0;
    for (size_t i = 0; i < s.size; i++) {
        depth += (s.at[i] == '{') - (s.at[i] == '}');
        if (s.at[i] == ',' && depth <= 0)
            return i;
    }
    return s.size;
}

bool settings_put_list(struct llm_settings *s, struct span list, char why[SETTINGS_WHY])
{
    while (list.size) {
        size_t size = item_size(list);
        const char *equals = memchr(list.at, '=', size);
        if (!equals) {
            snprintf(why, SETTINGS_WHY, "settings are KEY=VALUE, separated by commas; not '%.*s'",
                     (int)(size < 60 ? size : 60), list.at);
            return false;
        }
        struct span key = {list.at, (size_t)(equals - list.at)}, value = {equals + 1, size - key.size - 1};
        if (!settings_put(s, key, value, false, why))
            return false;
        size += size < list.size;
        list = (struct span){list.at + size, list.size - size};
    }
    return true;
}

// --- telling

static void write_value(struct text *t, const struct row *r, const struct llm_settings *s)
{
    const void *at = (const char *)s + r->at;
    char number[32];
    switch (r->kind) {
    case WORD:
        text_puts(t, *(const int *)at < 0 ? "auto" : r->words[*(const int *)at]);
        return;
    case SWITCH:
        text_puts(t, switches[*(const bool *)at]);
        return;
    case NUMBER:
        text_put_int(t, *(const int *)at);
        return;
    case SEED:
        text_put_int(t, *(const int64_t *)at);
        return;
    case REAL:
        snprintf(number, sizeof number, "%g", *(const double *)at);
        text_puts(t, number);
        return;
    default:
        text_puts(t, at);
    }
}

static void value_of(const struct row *r, const struct llm_settings *s, char out[SETTINGS_EXTRA])
{
    struct text t = text_on(out, SETTINGS_EXTRA - 1);
    write_value(&t, r, s);
    out[t.size] = 0;
}

static bool is_unset(const char *value)
{
    return !*value || strcmp(value, "nan") == 0 || strcmp(value, "-nan") == 0 || strcmp(value, "-1") == 0;
}

void settings_write(struct text *t, const struct llm_settings *s)
{
    char value[SETTINGS_EXTRA];
    json_begin_object(t);
    for (int i = 0; i < ROWS; i++) {
        if (rows[i].is_secret)
            continue;
        value_of(&rows[i], s, value);
        json_put_text(t, rows[i].key, is_unset(value) ? NULL : value);
    }
    json_end_object(t);
}

void settings_describe(struct text *t, const struct llm_settings *s)
{
    char value[SETTINGS_EXTRA], usual[SETTINGS_EXTRA];
    struct llm_settings plain;
    bool first = true;
    settings_init(&plain);
    for (int i = 0; i < ROWS; i++) {
        value_of(&rows[i], s, value);
        value_of(&rows[i], &plain, usual);
        if (rows[i].is_secret || strcmp(rows[i].key, "api") == 0 || strcmp(rows[i].key, "price") == 0 ||
            strcmp(value, usual) == 0)
            continue;
        text_puts(t, first ? "" : ",");
        text_puts(t, rows[i].key);
        text_put_char(t, '=');
        text_puts(t, value);
        first = false;
    }
}
