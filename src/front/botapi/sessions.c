#include "crypto/crypto.h"
#include "front/botapi/internal.h"

#include <stdlib.h>

// B11.22. ENDED_S: how long an ended session is kept. IDLE_S: how long after its last request a session is safe from
// being evicted.
enum { ENDED_S = 60, IDLE_S = 60 };

static const int64_t second_us = 1000000;

void sessions_init(struct sessions *t, const struct botapi_options *o)
{
    uint64_t places = 64;
    while (places < o->max_sessions)
        places *= 2;
    *t = (struct sessions){.mask = places - 1, .max = o->max_sessions, .ttl_us = o->session_ttl_s * second_us};
    t->mind_size = o->bot ? o->bot->mind_size : 0;
    t->chain = calloc(places, sizeof *t->chain);
    if (!t->chain)
        abort();
    TAILQ_INIT(&t->live);
    TAILQ_INIT(&t->ended);
    t->seeded = o->has_id_seed;
    if (t->seeded) {
        uint8_t key[CRYPTO_KEY_BYTES];
        crypto_seed_key(key, "bot-api.ids", o->id_seed);
        t->ids = rng_from_key(key);
    }
}

void sessions_remove(struct sessions *t, struct session *s)
{
    LIST_REMOVE(s, same);
    TAILQ_REMOVE(s->ended ? &t->ended : &t->live, s, age);
    t->count--;
    free(s);
}

void sessions_release(struct sessions *t)
{
    for (struct session *s; (s = TAILQ_FIRST(&t->live)) || (s = TAILQ_FIRST(&t->ended));)
        sessions_remove(t, s);
    free(t->chain);
}

static bool is_expired(const struct sessions *t, const struct session *s, int64_t now_us)
{
    int64_t ended_us = ENDED_S * second_us;
    int64_t life_us = s->ended && t->ttl_us > ended_us ? ended_us : t->ttl_us;
    return !s->deciding && now_us - s->used_us > life_us;
}

static void expire_from(struct sessions *t, struct sessions_by_age *list, int64_t now_us)
{
    // The list is in order of use, so all after the first that has not expired have not either: O(1) amortised
    // (B11.22).
    for (struct session *s; (s = TAILQ_FIRST(list)) && is_expired(t, s, now_us);)
        sessions_remove(t, s);
}

void sessions_expire(struct sessions *t, int64_t now_us)
{
    expire_from(t, &t->live, now_us);
    expire_from(t, &t->ended, now_us);
}

static bool evict_oldest(struct sessions *t, int64_t now_us)
{
    struct session *a = TAILQ_FIRST(&t->live), *b = TAILQ_FIRST(&t->ended);
    struct session *oldest = !a ? b : !b ? a : b->used_us < a->used_us ? b : a;
    if (!oldest || oldest->deciding || now_us - oldest->used_us < IDLE_S * second_us)
        return false;
    sessions_remove(t, oldest);
    t->evicted++;
    return true;
}

static struct session_chain *chain_of(const struct sessions *t, const uint64_t id[2])
{
    return &t->chain[id[0] & t->mask];
}

static struct session *find_id(const struct sessions *t, const uint64_t id[2])
{
    struct session *s;
    LIST_FOREACH(s, chain_of(t, id), same)
        if (s->id[0] == id[0] && s->id[1] == id[1])
            return s;
    return NULL;
}

// B11.20
static void draw_id(struct sessions *t, uint64_t id[2])
{
    do {
        if (t->seeded) {
            id[0] = rng_u64(&t->ids);
            id[1] = rng_u64(&t->ids);
        } else {
            crypto_random(id, 2 * sizeof *id);
        }
    } while (find_id(t, id));
}

struct session *sessions_create(struct sessions *t, int64_t now_us)
{
    sessions_expire(t, now_us);
    if (t->count >= t->max && !evict_oldest(t, now_us))
        return NULL;
    struct session *s = calloc(1, sizeof *s + t->mind_size + (t->mind_size ? SESSION_EVENTS * sizeof *s->events : 0));
    if (!s)
        return NULL;
    s->events = t->mind_size ? (struct game_event *)(s->mind + t->mind_size) : NULL;
    draw_id(t, s->id);
    s->used_us = now_us;
    TAILQ_INIT(&s->waiting);
    LIST_INSERT_HEAD(chain_of(t, s->id), s, same);
    TAILQ_INSERT_TAIL(&t->live, s, age);
    t->count++;
    t->created++;
    return s;
}

static bool read_id(struct span text, uint64_t id[2])
{
    if (text.size != SESSION_ID_SIZE)
        return false;
    id[0] = id[1] = 0;
    for (int i = 0; i < SESSION_ID_SIZE; i++) {
        char c = text.at[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        id[i / 16] = id[i / 16] << 4 | (uint64_t)digit;
    }
    return true;
}

struct session *sessions_find(struct sessions *t, struct span text, int64_t now_us)
{
    uint64_t id[2];
    struct session *s = read_id(text, id) ? find_id(t, id) : NULL;
    if (s && is_expired(t, s, now_us)) {
        sessions_remove(t, s);
        return NULL;
    }
    if (!s)
        return NULL;
    struct sessions_by_age *list = s->ended ? &t->ended : &t->live;
    s->used_us = now_us;
    TAILQ_REMOVE(list, s, age);
    TAILQ_INSERT_TAIL(list, s, age);
    return s;
}

void sessions_end(struct sessions *t, struct session *s)
{
    if (s->ended)
        return;
    TAILQ_REMOVE(&t->live, s, age);
    s->ended = true;
    TAILQ_INSERT_TAIL(&t->ended, s, age);
}

void session_add_event(struct session *s, const struct game_event *e)
{
    if (!s->events)
        return;
    if (s->event_count == SESSION_EVENTS)
        memmove(s->events, s->events + 1, --s->event_count * sizeof *e);
    s->events[s->event_count++] = *e;
}

void session_write_id(const struct session *s, char out[SESSION_ID_SIZE + 1])
{
    struct text t = text_on(out, SESSION_ID_SIZE);
    text_put_hex(&t, s->id[0], 16);
    text_put_hex(&t, s->id[1], 16);
    out[SESSION_ID_SIZE] = 0;
}
