#include "llm/price.h"

#include "base/json_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Of the price file: bytes, and levels of its JSON.
enum { MAX_FILE = 4 << 20, DEPTH = 16 };

void prices_close(struct llm_prices *p)
{
    free(p->at);
    *p = (struct llm_prices){0};
}

static double read_real(struct span json, double otherwise)
{
    struct json_reader r = json_reader_of(json, 1);
    double value = json.at ? json_read_real(&r) : otherwise;
    return r.error || !(value >= 0) ? otherwise : value;
}

bool prices_open(struct llm_prices *p, const char *path, char why[ENDPOINT_WHY])
{
    FILE *in = fopen(path, "r");
    *p = (struct llm_prices){0};
    if (!in || !(p->at = malloc(MAX_FILE + 1))) {
        snprintf(why, ENDPOINT_WHY, "cannot read the price file %s: %s", path, strerror(errno));
        if (in)
            fclose(in);
        return false;
    }
    p->size = fread(p->at, 1, MAX_FILE + 1, in);
    fclose(in);
    struct span all = {p->at, p->size};
    bool sound = p->size <= MAX_FILE && json_type_of(all, DEPTH) != JSON_NONE && json_member(all, "models").at;
    if (sound) {
        json_copy_text(json_member(all, "currency"), p->currency, sizeof p->currency);
        json_copy_text(json_member(all, "updated"), p->updated, sizeof p->updated);
        p->per = read_real(json_member(all, "per"), 1e6);
    }
    if (sound && p->per > 0)
        return true;
    snprintf(why, ENDPOINT_WHY,
             "%s is not a price file; expected "
             "{\"currency\":\"USD\",\"per\":1000000,\"models\":{\"NAME\":{\"input\":1,\"output\":4}}}",
             path);
    prices_close(p);
    return false;
}

// One * stands for anything (L92).
static bool matches_pattern(const char *pattern, const char *name)
{
    const char *star = strchr(pattern, '*');
    if (!star)
        return strcmp(pattern, name) == 0;
    size_t head = (size_t)(star - pattern), tail = strlen(star + 1), size = strlen(name);
    return size >= head + tail && strncmp(pattern, name, head) == 0 && strcmp(star + 1, name + size - tail) == 0;
}

static struct span find_row(const struct llm_prices *p, const char *model)
{
    struct json_reader r = json_reader_of(json_member((struct span){p->at, p->size}, "models"), DEPTH);
    struct json_string key;
    struct span best = {0};
    size_t longest = 0;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        char pattern[ENDPOINT_MODEL];
        struct span row = json_read_raw(&r);
        if (json_string_copy(key, pattern, sizeof pattern) < 0 || !matches_pattern(pattern, model))
            continue;
        size_t weight = strchr(pattern, '*') ? strlen(pattern) : SIZE_MAX; // an exact name wins
        if (!best.at || weight > longest) {
            best = row;
            longest = weight;
        }
    }
    return best;
}

struct llm_price prices_find(const struct llm_prices *p, const char *model)
{
    struct llm_price out = {0};
    struct span row = p->at ? find_row(p, model) : (struct span){0};
    if (!row.at)
        return out;
    double scale = 1e9 / p->per;
    out.known = json_member(row, "input").at && json_member(row, "output").at;
    out.input = scale * read_real(json_member(row, "input"), 0);
    out.output = scale * read_real(json_member(row, "output"), 0);
    out.cached = json_member(row, "cached").at ? scale * read_real(json_member(row, "cached"), 0) : out.input;
    out.cache_write =
        json_member(row, "cache_write").at ? scale * read_real(json_member(row, "cache_write"), 0) : out.input;
    out.reasoning = json_member(row, "reasoning").at ? scale * read_real(json_member(row, "reasoning"), 0) : out.output;
    out.request = 1e9 * read_real(json_member(row, "request"), 0);
    return out;
}

static double at_least_0(int64_t n)
{
    return n > 0 ? (double)n : 0;
}

int64_t price_of(const struct llm_price *p, const struct llm_usage *u)
{
    if (u->cost >= 0)
        return u->cost;
    if (!p->known)
        return -1;
    double cached = at_least_0(u->cached), written = at_least_0(u->cache_write), reasoned = at_least_0(u->reasoning);
    double fresh = fmax(0, at_least_0(u->input) - cached - written), said = fmax(0, at_least_0(u->output) - reasoned);
    double sum = fresh * p->input + cached * p->cached + written * p->cache_write + said * p->output +
                 reasoned * p->reasoning + p->request;
    // Prices come from a file, so the sum may be anything.
    return sum < 9e18 ? llround(sum) : INT64_MAX;
}
