// Who may enter a queue (F3.4), and who is on standby (F3.10).
#include "lobby/agent_cache.h"

#include "base/rfc3339.h"
#include "base/utf8.h"

#include <stdio.h>

enum { SHOWN = 48, FAILURE_WINDOW_MS = 600000, BARRED_MS = 300000 }; // the last two: F3.16

// Quotes a word from the client in an error, cut at the end of a character.
static int refuse_word(const char *what, struct span word, char error[128])
{
    size_t size = 0;
    for (int n; size < word.size && (n = utf8_sequence(word.at + size, word.at + word.size)) > 0; size += (size_t)n)
        if (size + (size_t)n > SHOWN)
            break;
    snprintf(error, 128, "%s %.*s", what, (int)size, word.size ? word.at : "");
    return ERR_UNKNOWN;
}

bool eligibility_has_game(const struct lobby *l, const struct lobby_agent *a, const struct lobby_game *g)
{
    uint32_t capabilities = a->remote ? a->remote->capabilities : a->presence.capabilities;
    return !g->gated || capabilities >> lobby_game_index(l, g) & 1;
}

// F3.1: `tournament` and `event_final` are the operator's.
static bool is_mode(struct span word)
{
    if (word.size == 0 || word.size >= LOBBY_MODE_ROOM || span_is(word, "tournament") || span_is(word, "event_final"))
        return false;
    for (size_t i = 0; i < word.size; i++) {
        char c = word.at[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return true;
}

int eligibility_find_queue(const struct lobby *l, const struct lobby_agent *a, struct span game, struct span mode,
                           char mode_word[LOBBY_MODE_ROOM], struct queue_request *out, char error[128])
{
    const struct lobby_game *g = lobby_find_game(l, game);
    if (!g || (a && !eligibility_has_game(l, a, g)))
        return refuse_word("unknown game", game, error);
    if (mode.size == 0)
        mode = SPAN("ranked");
    if (!is_mode(mode))
        return refuse_word("unknown mode", mode, error);
    memset(mode_word, 0, LOBBY_MODE_ROOM);
    memcpy(mode_word, mode.at, mode.size);
    out->game = g;
    out->mode = mode_word;
    return OK;
}

// --- number of matches begun

int lobby_games_today(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    return agent_cache_count_starts(l, a, now_ms - LOBBY_DAY_MS);
}

// --- cooldowns

int64_t eligibility_cooldown_end(struct lobby *l, struct lobby_agent *a)
{
    if (a->record.cooldown_seconds <= 0)
        return 0;
    int64_t last = agents_last_over(l, a);
    return last ? last + (int64_t)a->record.cooldown_seconds * 1000 : 0;
}

static int refuse_until(int64_t until_ms, char error[128])
{
    struct text t = text_on(error, 127);
    text_puts(&t, "agent on cooldown until ");
    rfc3339_write(&t, until_ms);
    error[t.size] = 0;
    return ERR_RANGE;
}

// F3.16: the third missed confirmation within ten minutes bars the agent for five minutes.
void eligibility_count_missed(struct lobby_agent *a, int64_t now_ms)
{
    a->failed_ms[2] = a->failed_ms[1];
    a->failed_ms[1] = a->failed_ms[0];
    a->failed_ms[0] = now_ms;
    if (!a->failed_ms[2] || now_ms - a->failed_ms[2] > FAILURE_WINDOW_MS)
        return;
    a->barred_until_ms = now_ms + BARRED_MS;
    memset(a->failed_ms, 0, sizeof a->failed_ms);
}

static int deny(const char *why, char error[128])
{
    snprintf(error, 128, "matchmaking gate denied: %s", why);
    return ERR_RANGE;
}

bool eligibility_has_capacity(const struct lobby_agent *a)
{
    int limit = a->record.max_concurrent > 0 ? a->record.max_concurrent : 1;
    if (a->active < limit && a->active + a->elsewhere >= limit)
        // Matches counted at other nodes may have ended.
        nodes_count_places(a->lobby, (struct lobby_agent *)(uintptr_t)a);
    return a->active + a->elsewhere < limit;
}

static bool has_reached(struct lobby *l, struct lobby_agent *a, int cap, int64_t since_ms)
{
    return cap > 0 && agent_cache_count_starts(l, a, since_ms) >= cap;
}

bool eligibility_is_capped(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    return has_reached(l, a, a->record.max_games_per_hour, now_ms - LOBBY_HOUR_MS) ||
           has_reached(l, a, a->record.max_games_per_day, now_ms - LOBBY_DAY_MS);
}

int eligibility_check(struct lobby *l, struct lobby_agent *a, const struct queue_request *w, int64_t now_ms,
                      char error[128])
{
    const struct store_agent *r = &a->record;
    // In the order of F3.4: the first failure is the answer.
    if (!r->claimed || r->disabled) {
        snprintf(error, 128, "%s", r->disabled ? "agent disabled" : "agent is not claimed");
        return ERR_RANGE;
    }
    if (!lobby_may_begin(l))
        return deny("maintenance", error);
    if (a->barred_until_ms > now_ms)
        return refuse_until(a->barred_until_ms, error);
    int64_t cooldown_end = eligibility_cooldown_end(l, a);
    if (cooldown_end > now_ms)
        return refuse_until(cooldown_end, error);
    if (!eligibility_has_capacity(a))
        return deny("concurrent match limit reached", error);
    if (w->one_shot)
        return OK;
    if (has_reached(l, a, r->max_games_per_hour, now_ms - LOBBY_HOUR_MS))
        return deny("hourly limit reached", error);
    if (has_reached(l, a, r->max_games_per_day, now_ms - LOBBY_DAY_MS))
        return deny("daily limit reached", error);
    return OK;
}

bool eligibility_for_standby(struct lobby *l, struct lobby_agent *a, int64_t now_ms)
{
    const struct store_agent *r = &a->record;
    if (!mesh_is_here(a) || !mesh_is_synced(a) || !r->claimed || !r->auto_requeue || !r->standby[0] ||
        r->max_games_per_day <= 0)
        return false;
    if (a->queue || a->candidate || gateway_waits(a) || !eligibility_has_capacity(a) || a->barred_until_ms > now_ms ||
        a->left_out_until_ms > now_ms || eligibility_cooldown_end(l, a) > now_ms)
        return false;
    return !eligibility_is_capped(l, a, now_ms);
}

int lobby_may_join(struct lobby *l, struct lobby_agent *a, struct span game, struct span mode, int64_t now_ms,
                   char error[128])
{
    char word[LOBBY_MODE_ROOM];
    struct queue_request w = {.one_shot = true};
    int err = eligibility_find_queue(l, NULL, game, mode, word, &w, error);
    if (err != OK)
        return err;
    if (a)
        return eligibility_check(l, a, &w, now_ms, error);
    return lobby_may_begin(l) ? OK : deny("maintenance", error);
}
