// bot.meta.json (B13.1): describes the bot in a folder.
#include "base/json_read.h"
#include "base/utf8.h"
#include "seats/launch_internal.h"
#include "seats/seat.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

// Limits for a file that somebody else has written.
enum { MAX_FILE = 1 << 16, DEPTH = 16, MAX_VARIABLES = 256 };

// B13.1: property names are case-insensitive.
static bool is_key(struct json_string key, const char *name)
{
    const char *const words[] = {name, NULL};
    return json_string_among_nocase(key, words) == 0;
}

static void set_text(char **to, struct json_reader *r)
{
    struct json_string s = json_read_string(r);
    char *text = malloc(s.raw.size + 1);
    if (!text)
        abort();
    if (r->error || json_string_copy(s, text, s.raw.size + 1) < 0) {
        free(text);
        json_fail(r, ERR_TYPE);
        return;
    }
    free(*to);
    *to = text;
}

static void read_notices(struct json_reader *r, struct launch_meta *m)
{
    if (json_read_if_null(r))
        return;
    m->has_notices = true;
    m->notices = 0;
    for (json_enter_array(r); json_next_item(r);) {
        char name[64];
        int set = json_string_copy(json_read_string(r), name, sizeof name) > 0 ? seat_read_notices(name) : -1;
        if (set > 0) // unknown events are ignored
            m->notices |= (unsigned)set;
    }
}

static void read_init(struct json_reader *r, struct launch_meta *m)
{
    struct json_string key;
    if (json_read_if_null(r))
        return;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (is_key(key, "command"))
            set_text(&m->init, r);
        else if (is_key(key, "arguments"))
            set_text(&m->init_arguments, r);
        else if (is_key(key, "timeout"))
            m->init_timeout_s = (int)json_read_int(r, 1, 86400);
        else
            json_skip(r);
}

static void read_variables(struct json_reader *r, struct launch_meta *m)
{
    struct json_string key;
    size_t count = 0;
    if (!m->environment && !(m->environment = calloc(MAX_VARIABLES + 1, sizeof *m->environment)))
        abort();
    while (m->environment[count])
        count++;
    for (json_enter_object(r); json_next_key(r, &key);) {
        char name[256], *value = NULL, *both = NULL;
        int size = json_string_copy(key, name, sizeof name);
        set_text(&value, r);
        // With a = in it the name would be that of another variable.
        if (!value || size < 1 || strchr(name, '=') || count == MAX_VARIABLES)
            json_fail(r, ERR_RANGE);
        else if (asprintf(&both, "%s=%s", name, value) > 0)
            m->environment[count++] = both;
        free(value);
    }
}

static void read_launch(struct json_reader *r, struct launch_meta *m)
{
    struct json_string key;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (is_key(key, "fileName"))
            set_text(&m->file_name, r);
        else if (is_key(key, "arguments"))
            set_text(&m->arguments, r);
        else if (is_key(key, "port"))
            m->port = json_read_if_null(r) ? 0 : (int)json_read_int(r, 0, 65535);
        else if (is_key(key, "startupTimeout"))
            m->startup_timeout_s = (int)json_read_int(r, 1, 86400);
        else if (is_key(key, "healthEndpoint"))
            set_text(&m->health, r);
        else if (is_key(key, "environmentVariables"))
            read_variables(r, m);
        else
            json_skip(r);
}

static void read_member(struct json_reader *r, struct json_string key, struct launch_meta *m, char **name)
{
    const struct {
        const char *key;
        char **to;
    } texts[] = {{"id", &m->id},
                 {"agentName", &m->agent_name},
                 {"name", name},
                 {"pun", &m->pun},
                 {"displayName", &m->display_name},
                 {"author", &m->author},
                 {"authorGithub", &m->github},
                 {"game", &m->game}};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        if (is_key(key, texts[i].key)) {
            if (!json_read_if_null(r))
                set_text(texts[i].to, r);
            return;
        }
    if (is_key(key, "notifications"))
        read_notices(r, m);
    else if (is_key(key, "init"))
        read_init(r, m);
    else if (is_key(key, "launch"))
        read_launch(r, m);
    else
        json_skip(r);
}

static char *copy_of(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        abort();
    return copy;
}

static void set_default(char **to, const char *text)
{
    if (!*to)
        *to = copy_of(text);
}

// Derives a stable id from the name if the file has none, in the form of a UUID.
static void derive_id(struct launch_meta *m)
{
    uint64_t a = hash_bytes(m->agent_name, strlen(m->agent_name)), b = hash_bytes(&a, sizeof a);
    char id[40];
    // Version 8 of RFC 9562: custom contents.
    snprintf(id, sizeof id, "%08x-%04x-8%03x-%04x-%012llx", (unsigned)(a >> 32), (unsigned)(a >> 16) & 0xFFFF,
             (unsigned)a & 0xFFF, (unsigned)(0x8000 | (b >> 48 & 0x3FFF)), (unsigned long long)(b & 0xFFFFFFFFFFFFULL));
    set_default(&m->id, id);
}

static void set_defaults(struct launch_meta *m, char *name)
{
    const char *folder = strrchr(m->folder, '/');
    if (!m->agent_name && name)
        m->agent_name = copy_of(name);
    set_default(&m->agent_name, folder ? folder + 1 : m->folder);
    set_default(&m->display_name, m->agent_name);
    set_default(&m->pun, "");
    set_default(&m->author, "");
    set_default(&m->github, "");
    set_default(&m->init_arguments, "");
    set_default(&m->arguments, "");
    set_default(&m->health, "health");
    set_default(&m->game, "belote");
    if (!m->has_notices)
        m->notices = SEAT_ALL_NOTICES;
    derive_id(m);
}

void launch_meta_release(struct launch_meta *m)
{
    char *all[] = {m->id,   m->agent_name,     m->display_name, m->pun,       m->author, m->github, m->folder,
                   m->init, m->init_arguments, m->file_name,    m->arguments, m->health, m->game};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    for (char **v = m->environment; v && *v; v++)
        free(*v);
    free(m->environment);
    *m = (struct launch_meta){0};
}

const char *launch_meta_read(struct launch_meta *m, const char *folder, struct span file)
{
    struct json_reader r = json_reader_of(file, DEPTH);
    struct json_string key;
    char *name = NULL;
    *m = (struct launch_meta){.folder = copy_of(folder), .init_timeout_s = 120, .startup_timeout_s = 30};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        read_member(&r, key, m, &name);
    const char *wrong = json_finish(&r) != OK ? err_sentence(r.error) : NULL;
    if (!wrong && (!m->file_name || !*m->file_name))
        wrong = "launch.fileName is missing";
    if (!wrong)
        set_defaults(m, name);
    if (!wrong && (utf8_count_shown(span_of(m->agent_name)) < 1 || utf8_count_shown(span_of(m->display_name)) < 1))
        wrong = "its name is empty or has control or invisible characters";
    free(name);
    if (wrong)
        launch_meta_release(m);
    return wrong;
}

// --- folders

static bool read_file(const char *path, char *out, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    *size = fread(out, 1, MAX_FILE, f);
    bool whole = feof(f) && !ferror(f);
    fclose(f);
    return whole;
}

static void add_folder(struct launch_list *list, const char *folder, const char *entry,
                       void (*warn)(void *owner, const char *text), void *owner)
{
    static char bytes[MAX_FILE];
    char path[PATH_MAX], inside[PATH_MAX], real[PATH_MAX], text[PATH_MAX + 256];
    struct stat st;
    size_t size;
    struct launch_meta meta;
    if (snprintf(inside, sizeof inside, "%s/%s", folder, entry) >= (int)sizeof inside ||
        snprintf(path, sizeof path, "%s/bot.meta.json", inside) >= (int)sizeof path || stat(path, &st) != 0)
        return;
    const char *wrong = "it cannot be read";
    if (realpath(inside, real) && read_file(path, bytes, &size))
        wrong = launch_meta_read(&meta, real, (struct span){bytes, size});
    if (wrong) {
        snprintf(text, sizeof text, "%s is skipped: %s", path, wrong);
        warn(owner, text);
        return;
    }
    list->at = realloc(list->at, (list->count + 1) * sizeof *list->at);
    if (!list->at)
        abort();
    list->at[list->count++] = meta;
}

static int by_name(const void *a, const void *b)
{
    return strcasecmp(((const struct launch_meta *)a)->agent_name, ((const struct launch_meta *)b)->agent_name);
}

int launch_discover(struct launch_list *list, const char *folder, void (*warn)(void *owner, const char *text),
                    void *owner)
{
    *list = (struct launch_list){0};
    DIR *d = opendir(folder);
    if (!d)
        return errno;
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            add_folder(list, folder, e->d_name, warn, owner);
    closedir(d);
    if (list->count)
        qsort(list->at, list->count, sizeof *list->at, by_name);
    return 0;
}

void launch_list_release(struct launch_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        launch_meta_release(&list->at[i]);
    free(list->at);
    *list = (struct launch_list){0};
}

const struct launch_meta *launch_find(const struct launch_list *list, const char *name)
{
    for (int pass = 0; pass < 2; pass++) // agent names take precedence over display names
        for (size_t i = 0; i < list->count; i++)
            if (strcasecmp(pass ? list->at[i].display_name : list->at[i].agent_name, name) == 0)
                return &list->at[i];
    return NULL;
}
