#include "llm/endpoint.h"

#include "base/json_read.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

// Of the models file: bytes, and levels of its JSON.
enum { MAX_FILE = 1 << 20, DEPTH = 32 };

// --- the models file

bool llm_file_open(struct llm_file *f, const char *path, char why[ENDPOINT_WHY])
{
    FILE *in = fopen(path, "r");
    *f = (struct llm_file){0};
    if (!in || !(f->at = malloc(MAX_FILE + 1))) {
        snprintf(why, ENDPOINT_WHY, "cannot read the models file %s: %s", path, strerror(errno));
        if (in)
            fclose(in);
        return false;
    }
    f->size = fread(f->at, 1, MAX_FILE + 1, in);
    fclose(in);
    struct span models = {0};
    if (f->size <= MAX_FILE && json_type_of((struct span){f->at, f->size}, DEPTH) != JSON_NONE)
        models = json_member((struct span){f->at, f->size}, "models");
    if (models.size && models.at[0] == '{')
        return true;
    snprintf(why, ENDPOINT_WHY,
             "%s is not a models file; expected {\"models\":{\"NAME\":{\"model\":\"M\",\"url\":\"https://..\"}}}",
             path);
    llm_file_close(f);
    return false;
}

void llm_file_close(struct llm_file *f)
{
    free(f->at);
    *f = (struct llm_file){0};
}

static struct span models_of(const struct llm_file *f)
{
    return f && f->at ? json_member((struct span){f->at, f->size}, "models") : (struct span){0};
}

void llm_file_names(const struct llm_file *f, void (*call)(void *owner, const char *name), void *owner)
{
    struct json_reader r = json_reader_of(models_of(f), DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        char name[ENDPOINT_MODEL];
        if (json_string_copy(key, name, sizeof name) >= 0)
            call(owner, name);
        json_skip(&r);
    }
}

// A value of the file as the text it would be in a fragment. False: null.
static bool plain_value(struct span json, char out[SETTINGS_EXTRA])
{
    struct json_reader r = json_reader_of(json, DEPTH);
    enum json_type type = json_peek(&r);
    if (type == JSON_STRING)
        return json_string_copy(json_read_string(&r), out, SETTINGS_EXTRA) >= 0;
    if (type == JSON_BOOL)
        snprintf(out, SETTINGS_EXTRA, "%s", json_read_bool(&r) ? "on" : "off");
    else
        snprintf(out, SETTINGS_EXTRA, "%.*s", (int)(json.size < SETTINGS_EXTRA ? json.size : 0), json.at);
    return type != JSON_NULL;
}

static bool read_entry(struct llm_endpoint *n, const char *name, struct span entry, char why[ENDPOINT_WHY])
{
    struct json_reader r = json_reader_of(entry, DEPTH);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        char word[64], value[SETTINGS_EXTRA], wrong[SETTINGS_WHY];
        struct span json = json_read_raw(&r);
        if (json_string_copy(key, word, sizeof word) < 0 || strcmp(word, "model") == 0 || strcmp(word, "url") == 0)
            continue;
        if (plain_value(json, value) && !settings_put(&n->settings, span_of(word), span_of(value), true, wrong)) {
            snprintf(why, ENDPOINT_WHY, "models file, '%.60s': %s", name, wrong);
            return false;
        }
    }
    if (!n->model[0])
        json_copy_text(json_member(entry, "model"), n->model, sizeof n->model);
    if (!n->model[0] || json_copy_text(json_member(entry, "url"), n->url, sizeof n->url) <= 0) {
        snprintf(why, ENDPOINT_WHY, "models file, '%.60s': expected the members 'model' and 'url'", name);
        return false;
    }
    return true;
}

// --- the address

// L145: 169.254/16 and fe80::/10, where clouds give credentials to their machines.
static bool is_metadata(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;
    char plain[ENDPOINT_HOST];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(*host == '[' ? host + 1 : host, "]%"),
             *host == '[' ? host + 1 : host);
    if (inet_pton(AF_INET, plain, &v4) == 1)
        return (ntohl(v4.s_addr) >> 16) == 0xA9FE;
    return inet_pton(AF_INET6, plain, &v6) == 1 && v6.s6_addr[0] == 0xFE && (v6.s6_addr[1] & 0xC0) == 0x80;
}

static bool is_loopback(const char *host)
{
    return strncmp(host, "127.", 4) == 0 || strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0;
}

static bool ends_in(const char *text, const char *end)
{
    size_t size = strlen(text), tail = strlen(end);
    return size >= tail && strcmp(text + size - tail, end) == 0;
}

// L2: the dialect, and where requests go.
static void set_dialect_and_path(struct llm_endpoint *n, const char *path)
{
    bool messages = ends_in(path, "/messages");
    if (n->settings.api < 0)
        n->settings.api =
            strcmp(n->host, "api.anthropic.com") == 0 || ends_in(path, "/v1/messages") ? LLM_ANTHROPIC : LLM_OPENAI;
    size_t size = strlen(n->url);
    while (size && n->url[size - 1] == '/')
        n->url[--size] = 0;
    if (messages || ends_in(path, "/chat/completions"))
        return;
    bool bare = strcmp(path, "/") == 0 || !*path;
    const char *more = n->settings.api == LLM_ANTHROPIC ? ends_in(n->url, "/v1") ? "/messages" : "/v1/messages"
                       : bare                           ? "/v1/chat/completions"
                                                        : "/chat/completions";
    snprintf(n->url + size, sizeof n->url - size, "%s", more);
}

static const char *check_parts(CURLU *url, struct llm_endpoint *n, bool allow_private)
{
    char *scheme = NULL, *host = NULL, *query = NULL, *user = NULL, *path = NULL;
    const char *wrong = NULL;
    if (curl_url_set(url, CURLUPART_URL, n->url, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_HOST, &host, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_PATH, &path, 0) != CURLUE_OK ||
        (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0))
        wrong = "expected an address like https://api.example.com/v1 or http://127.0.0.1:11434/v1";
    else if (curl_url_get(url, CURLUPART_USER, &user, 0) == CURLUE_OK)
        wrong = "an address cannot have a user name or password; keys come from the environment or a file";
    else if (curl_url_get(url, CURLUPART_QUERY, &query, 0) == CURLUE_OK)
        wrong = "an address cannot have a query; keys come from the environment or a file";
    // 32: for what set_dialect_and_path appends.
    else if (strlen(host) >= sizeof n->host || strlen(n->url) + 32 > sizeof n->url)
        wrong = "the address is too long";
    else if (is_metadata(host) && !allow_private)
        wrong = "link-local addresses are refused; --allow-private allows them";
    if (!wrong) {
        snprintf(n->host, sizeof n->host, "%s", host);
        n->is_loopback = is_loopback(host);
        set_dialect_and_path(n, path);
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(query);
    curl_free(user);
    curl_free(path);
    return wrong;
}

static bool decode_percent(struct span s, char *out, size_t room)
{
    size_t size = 0;
    for (size_t i = 0; i < s.size && size + 1 < room; i++) {
        out[size] = s.at[i];
        if (s.at[i] == '%' && i + 2 < s.size && text_read_hex((struct span){s.at + i + 1, 2}, &out[size], 1))
            i += 2;
        size++;
    }
    out[size] = 0;
    return size > 0 && size + 1 < room;
}

static bool read_file_name(struct llm_endpoint *n, struct span name, const struct llm_file *file,
                           char why[ENDPOINT_WHY])
{
    char key[ENDPOINT_MODEL];
    struct span entry = {0};
    if (decode_percent(name, key, sizeof key))
        entry = json_member(models_of(file), key);
    if (entry.at && entry.at[0] == '{')
        return read_entry(n, key, entry, why);
    snprintf(why, ENDPOINT_WHY, "'%.*s' is not MODEL@URL, as gpt-x@https://api.example.com/v1, and %s",
             (int)(name.size < 80 ? name.size : 80), name.at,
             file && file->at ? "the models file has no such name" : "--models FILE was not given");
    return false;
}

bool llm_endpoint_read(struct llm_endpoint *n, const char *where, const struct llm_file *file, struct span all,
                       bool allow_private, char why[ENDPOINT_WHY])
{
    char wrong[SETTINGS_WHY];
    size_t size = strcspn(where, "#");
    struct span rest = {where, size}, fragment = span_of(where[size] ? where + size + 1 : "");
    const char *at = memrchr(rest.at, '@', rest.size); // L1: the last one, since names of models may contain an @ too
    memset(n, 0, sizeof *n);
    settings_init(&n->settings);
    if (!settings_put_list(&n->settings, all, wrong)) {
        snprintf(why, ENDPOINT_WHY, "--llm: %s", wrong);
        return false;
    }
    if (at && !decode_percent((struct span){where, (size_t)(at - where)}, n->model, sizeof n->model)) {
        snprintf(why, ENDPOINT_WHY, "which model? As llm:MODEL@https://api.example.com/v1");
        return false;
    }
    if (at && strstr(n->model, "://")) {
        snprintf(why, ENDPOINT_WHY,
                 "an address cannot have a user name or password; keys come from the environment or a file");
        return false;
    }
    struct span place = at ? (struct span){at + 1, (size_t)(rest.at + rest.size - at - 1)} : rest;
    bool is_url = place.size > 7 && (strncmp(place.at, "http://", 7) == 0 || strncmp(place.at, "https://", 8) == 0);
    if (is_url && !at) {
        snprintf(why, ENDPOINT_WHY, "which model? As llm:MODEL@%.*s", (int)(place.size < 200 ? place.size : 200),
                 place.at);
        return false;
    }
    if (is_url)
        snprintf(n->url, sizeof n->url, "%.*s", (int)(place.size < sizeof n->url ? place.size : 0), place.at);
    else if (!read_file_name(n, place, file, why))
        return false;
    if (!settings_put_list(&n->settings, fragment, wrong)) {
        snprintf(why, ENDPOINT_WHY, "%s", wrong);
        return false;
    }
    CURLU *url = curl_url();
    const char *fault = check_parts(url, n, allow_private);
    curl_url_cleanup(url);
    if (!fault && n->settings.api == LLM_OPENAI && n->settings.effort[0] >= '0' && n->settings.effort[0] <= '9')
        fault = "effort as a number of tokens is for api=anthropic; use a word, as effort=low"; // L14
    if (fault)
        snprintf(why, ENDPOINT_WHY, "%s", fault);
    return !fault;
}
