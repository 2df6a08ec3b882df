#include "llm/api_key.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// PAGE: the key has a page of its own, because madvise works on whole pages. SHORT: of shorter keys nothing is shown,
// since four characters would reveal too much.
enum { PAGE = 4096, SHORT = 8 };

struct api_key {
    char text[PAGE];
};

static struct api_key *key_create(void)
{
    struct api_key *k = mmap(NULL, sizeof *k, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (k == MAP_FAILED)
        abort();
    // L140: not in core files.
    madvise(k, sizeof *k, MADV_DONTDUMP);
    return k;
}

void api_key_free(struct api_key *key)
{
    if (key) {
        explicit_bzero(key, sizeof *key);
        munmap(key, sizeof *key);
    }
}

const char *api_key_text(const struct api_key *key)
{
    return key ? key->text : "";
}

static struct api_key *read_environment(const char *name)
{
    const char *value = getenv(name);
    if (!value || !*value || strlen(value) >= PAGE)
        return NULL;
    struct api_key *k = key_create();
    memcpy(k->text, value, strlen(value) + 1);
    return k;
}

static bool read_key_file(struct api_key **key, const char *path, char why[ENDPOINT_WHY])
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) {
        snprintf(why, ENDPOINT_WHY, "cannot read the key file %s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    // The mode of the open file, not of its name: nobody can replace the file in between.
    if (about.st_mode & 077) {
        snprintf(why, ENDPOINT_WHY, "others can read the key file %.200s; chmod 600 %.200s", path, path);
        close(fd);
        return false;
    }
    *key = key_create();
    ssize_t size = read(fd, (*key)->text, PAGE - 1);
    close(fd);
    (*key)->text[size > 0 ? strcspn((*key)->text, "\r\n") : 0] = 0;
    if ((*key)->text[0])
        return true;
    snprintf(why, ENDPOINT_WHY, "the key file %s is empty", path);
    api_key_free(*key);
    *key = NULL;
    return false;
}

static void write_host_variable(const char *host, char out[ENDPOINT_HOST + 32])
{
    int size = snprintf(out, ENDPOINT_HOST + 32, "AGON_LLM_KEY_%s", host);
    for (int i = 0; i < size; i++)
        out[i] = isalnum((unsigned char)out[i]) ? (char)toupper((unsigned char)out[i]) : '_';
}

// No header can hold a line feed, and no key has one.
static bool fits_header(const struct api_key *k)
{
    for (const char *at = api_key_text(k); *at; at++)
        if ((unsigned char)*at < 0x21 || (unsigned char)*at > 0x7E)
            return false;
    return true;
}

bool api_key_find(struct api_key **key, const struct llm_endpoint *n, char why[ENDPOINT_WHY])
{
    char by_host[ENDPOINT_HOST + 32];
    *key = NULL;
    write_host_variable(n->host, by_host);
    const char *const names[] = {n->settings.key_env, by_host,
                                 n->settings.api == LLM_ANTHROPIC ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY"};
    if (n->settings.key_file[0] && !read_key_file(key, n->settings.key_file, why))
        return false;
    for (unsigned i = 0; i < sizeof names / sizeof *names && !*key; i++)
        if (*names[i])
            *key = read_environment(names[i]);
    if (fits_header(*key))
        return true;
    snprintf(why, ENDPOINT_WHY, "the key for %s has a space or a character that no header can hold", n->host);
    api_key_free(*key);
    *key = NULL;
    return false;
}

void api_key_mask(const struct api_key *key, char *text)
{
    const char *secret = api_key_text(key);
    size_t size = strlen(secret);
    if (size < SHORT) {
        for (char *at = text; size && (at = strstr(at, secret)); at += size)
            memset(at, '*', size);
        return;
    }
    char shown[16];
    snprintf(shown, sizeof shown, "sk-...%s", secret + size - 4);
    size_t shown_size = strlen(shown) < size ? strlen(shown) : size;
    for (char *at = text; (at = strstr(at, secret)); at += shown_size) { // on, for a key that looks like its own mask
        memcpy(at, shown, shown_size);
        memmove(at + shown_size, at + size, strlen(at + size) + 1);
    }
}
