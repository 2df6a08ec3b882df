#include "lobby/identity.h"

#include "base/utf8.h"
#include "crypto/crypto.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    NAME_MIN = 2,
    NAME_MAX = 50,
    MODEL_MAX = 100,
    PAIRING_LIFE_MS = 10 * 60 * 1000, // F5.5
    VERIFY_LIFE_MS = 60 * 60 * 1000,
    MAX_PER_DAY = 10000, // what a policy may ask for, before the operator's ceilings
    MAX_PER_HOUR = 10000,
    MAX_COOLDOWN = 86400,
    MAX_CONCURRENT = 8,
};

static int refuse(char why[IDENTITY_ERROR_ROOM], int status, const char *text)
{
    snprintf(why, IDENTITY_ERROR_ROOM, "%s", text);
    return status;
}

// --- validating texts

static bool is_blank(struct span s)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.at[i] != ' ')
            return false;
    return true;
}

// Like a name, but may have several lines.
static bool is_prose(struct span s)
{
    while (s.size) {
        const char *end = memchr(s.at, '\n', s.size);
        size_t size = end ? (size_t)(end - s.at) : s.size;
        if (utf8_count_shown((struct span){s.at, size}) < 0)
            return false;
        size += end != NULL;
        s = (struct span){s.at + size, s.size - size};
    }
    return true;
}

static bool is_word_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// F7.15: people would take such a name for that of a house bot (get_house in house.c).
static bool looks_like_house(struct span name)
{
    static const char word[] = "house";
    const size_t size = sizeof word - 1;
    while (name.size && name.at[0] == ' ')
        name = (struct span){name.at + 1, name.size - 1};
    return name.size >= size && strncasecmp(name.at, word, size) == 0 &&
           (name.size == size || !is_word_byte(name.at[size]));
}

static const char *check_name(struct span name)
{
    int count = utf8_count_shown(name);
    if (count < 0)
        return "name must be valid UTF-8 without control, invisible or bidirectional characters";
    if (count < NAME_MIN || count > NAME_MAX || is_blank(name))
        return "name must have 2 to 50 characters";
    if (looks_like_house(name))
        return "name must not begin with the word House, which marks house bots; choose another name";
    return NULL;
}

static const char *check_model(struct span model, int min)
{
    int count = utf8_count_shown(model);
    return count < min || count > MODEL_MAX
               ? "model must have 1 to 100 characters, none of them a control, invisible or bidirectional character"
               : NULL;
}

static void copy_text(char *out, size_t room, struct span s)
{
    size_t size = s.size < room ? s.size : room - 1;
    if (size)
        memcpy(out, s.at, size);
    out[size] = 0;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// F1.3: 64 hex digits, stored in lower case; anything else counts as not given.
static void read_device(char out[65], struct span device)
{
    out[0] = 0;
    if (device.size != 64)
        return;
    for (size_t i = 0; i < 64; i++)
        if (!is_hex(device.at[i]))
            return;
    for (size_t i = 0; i < 64; i++)
        out[i] = (char)(device.at[i] >= 'A' && device.at[i] <= 'F' ? device.at[i] + 32 : device.at[i]);
    out[64] = 0;
}

static void read_client(char out[8], struct span kind)
{
    copy_text(out, 8, span_is(kind, "cli") || span_is(kind, "desktop") ? kind : SPAN(""));
}

// --- secrets

static void make_secret(char *out, const char *prefix, size_t bytes, uint8_t hash[STORE_HASH])
{
    // Keys take 24 bytes of it, tokens all, pairing codes 16.
    uint8_t random[32];
    struct text t = text_on(out, strlen(prefix) + 2 * bytes);
    crypto_random(random, bytes);
    text_puts(&t, prefix);
    text_put_hex_bytes(&t, random, bytes);
    out[t.size] = 0;
    crypto_sha256(hash, out, t.size);
}

static void make_key(struct store_agent *a, char key[IDENTITY_KEY + 1])
{
    // F5.6: only the hash is stored.
    make_secret(key, "agk_", 24, a->key_hash);
    a->has_key = true;
}

uint64_t identity_new_public_no(struct lobby *l)
{
    // F5.6: ten digits, the first not 0.
    static const uint64_t first = 1000000000, count = 9000000000;
    for (;;) {
        uint64_t word;
        crypto_random(&word, sizeof word);
        if (word >= UINT64_MAX / count * count)
            continue; // avoids the bias of a remainder
        word = first + word % count;
        if (!store_has_public_no(lobby_store(l), word))
            return word;
    }
}

// --- registering

static const char *check_new(const struct identity_new *n)
{
    const char *fault = check_name(n->name);
    if (!fault && n->model.size)
        fault = check_model(n->model, 1);
    if (fault)
        return fault;
    if (n->description.size >= sizeof((struct store_agent *)0)->description || !is_prose(n->description))
        return "description must be at most 511 bytes of UTF-8 without control, invisible or bidirectional characters";
    if (n->bot_url.size >= sizeof((struct store_agent *)0)->bot_url || utf8_count_shown(n->bot_url) < 0)
        return "bot_url must be an http or https URL of at most 255 bytes";
    return NULL;
}

static void set_remote(struct store_agent *a, const struct identity_new *n, int day)
{
    a->kind = STORE_REMOTE;
    a->auto_confirm = a->auto_requeue = true; // F3.21
    a->max_games_per_day = day;
    copy_text(a->bot_url, sizeof a->bot_url, n->bot_url);
    copy_text(a->games, sizeof a->games, span_of(n->games));
    copy_text(a->standby, sizeof a->standby, span_of(n->games));
}

int identity_register(struct lobby *l, const struct identity_new *n, int64_t now_ms, struct lobby_agent **agent,
                      char key[IDENTITY_KEY + 1], char claim_token[IDENTITY_TOKEN + 1], char why[IDENTITY_ERROR_ROOM])
{
    const struct lobby_options *o = lobby_options_of(l);
    struct store_agent a = {.kind = STORE_CLIENT,
                            .created_ms = now_ms,
                            .max_concurrent = o->agent_concurrent,
                            .max_games_per_hour = o->agent_per_hour,
                            .max_games_per_day = o->agent_per_day,
                            .cooldown_seconds = o->agent_cooldown_s};
    const char *fault = check_new(n);
    if (fault)
        return refuse(why, 400, fault);
    crypto_random(&a.id, sizeof a.id);
    uuid_mark_random(&a.id);
    a.public_no = identity_new_public_no(l);
    a.claimed = n->by_operator || o->claim == LOBBY_CLAIM_AUTO;
    copy_text(a.runtime_type, sizeof a.runtime_type, SPAN("direct"));
    copy_text(a.name, sizeof a.name, n->name);
    copy_text(a.model, sizeof a.model, n->model);
    copy_text(a.description, sizeof a.description, n->description);
    read_device(a.device_id, n->device_id);
    // F7.2: agents that were registered with each other's keys have one owner.
    a.lineage = n->parent;
    if (n->origin)
        copy_text(a.origin, sizeof a.origin, span_of(n->origin));
    read_client(a.client_kind, n->client_kind);
    make_secret(claim_token, "", IDENTITY_TOKEN / 2, a.claim_hash);
    key[0] = 0;
    if (n->bot_url.size)
        set_remote(&a, n, MAX_PER_DAY);
    else
        make_key(&a, key);
    *agent = lobby_agent_add(l, &a);
    return 201;
}

static struct store_agent new_guest(struct lobby *l, int64_t now_ms)
{
    struct store_agent a = {.kind = STORE_GUEST,
                            .created_ms = now_ms,
                            .max_concurrent = 1,
                            .claimed = true,
                            .auto_confirm = true,
                            .public_no = identity_new_public_no(l)};
    crypto_random(&a.id, sizeof a.id);
    uuid_mark_random(&a.id);
    copy_text(a.runtime_type, sizeof a.runtime_type, SPAN("direct"));
    snprintf(a.name, sizeof a.name, "Guest %llu", (unsigned long long)a.public_no);
    return a;
}

struct lobby_agent *identity_make_guest(struct lobby *l, int64_t now_ms)
{
    struct store_agent a = new_guest(l, now_ms);
    return lobby_agent_add(l, &a);
}

int identity_register_guest(struct lobby *l, struct span name, const char *origin, int64_t now_ms,
                            struct lobby_agent **agent, char key[IDENTITY_KEY + 1], char why[IDENTITY_ERROR_ROOM])
{
    const char *fault = name.size ? check_name(name) : NULL;
    if (fault)
        return refuse(why, 400, fault);
    struct store_agent a = new_guest(l, now_ms);
    if (name.size)
        copy_text(a.name, sizeof a.name, name);
    copy_text(a.origin, sizeof a.origin, span_of(origin));
    make_key(&a, key);
    *agent = lobby_agent_add(l, &a);
    return 201;
}

// --- pairing

int identity_make_pairing(struct lobby *l, struct lobby_agent *a, struct span runtime_type, int64_t now_ms,
                          char code[IDENTITY_CODE + 1], int64_t *expires_ms, char why[IDENTITY_ERROR_ROOM])
{
    struct store_pairing p = {.agent = lobby_agent_record(a)->id, .expires_ms = now_ms + PAIRING_LIFE_MS};
    if (runtime_type.size == 0)
        runtime_type = SPAN("direct");
    if (!span_is(runtime_type, "direct") && !span_is(runtime_type, "mock"))
        return refuse(why, 400, "runtime_type must be direct or mock");
    if (lobby_agent_record(a)->kind != STORE_CLIENT)
        return refuse(why, 409, "only agents that connect by themselves can be paired");
    copy_text(p.runtime_type, sizeof p.runtime_type, runtime_type);
    make_secret(code, "aifp_", 16, p.code_hash);
    store_put_pairing(lobby_store(l), &p); // revokes older codes (F5.5)
    *expires_ms = p.expires_ms;
    return 200;
}

static bool is_code(struct span code)
{
    if (code.size != IDENTITY_CODE || memcmp(code.at, "aifp_", 5) != 0)
        return false;
    for (size_t i = 5; i < code.size; i++)
        if (!is_hex(code.at[i]))
            return false;
    return true;
}

static int check_pairing(const struct store_pairing *p, int64_t now_ms, char why[IDENTITY_ERROR_ROOM])
{
    if (p->used)
        return refuse(why, 409, "pairing_code already used");
    if (p->revoked)
        return refuse(why, 410, "pairing_code revoked");
    if (p->expires_ms <= now_ms)
        return refuse(why, 410, "pairing_code expired");
    return 200;
}

// Reads return what is durable, so a code that is being used right now is only seen as used after waiting. An unknown
// code is refused without waiting.
static int find_pairing(struct store *s, const uint8_t hash[STORE_HASH], int64_t now_ms, struct store_pairing *p,
                        char why[IDENTITY_ERROR_ROOM])
{
    for (int look = 0; look < 2; look++) {
        if (!store_find_pairing(s, hash, p))
            return refuse(why, 400, "invalid pairing_code");
        int status = check_pairing(p, now_ms, why);
        if (status != 200)
            return status;
        if (look == 0)
            store_wait(s);
    }
    return 200;
}

int identity_pair(struct lobby *l, struct span code, struct span device_id, struct span client_kind, int64_t now_ms,
                  struct lobby_agent **agent, char key[IDENTITY_KEY + 1], char why[IDENTITY_ERROR_ROOM])
{
    uint8_t hash[STORE_HASH];
    struct store_pairing p;
    if (!is_code(code))
        return refuse(why, 400, "invalid pairing_code");
    crypto_sha256(hash, code.at, code.size);
    int status = find_pairing(lobby_store(l), hash, now_ms, &p, why);
    if (status != 200)
        return status;
    struct lobby_agent *a = lobby_agent_by_id(l, p.agent);
    if (!a || lobby_agent_record(a)->disabled)
        return refuse(why, 410, "pairing_code revoked");
    lobby_agent_hold(a);
    bool taken = store_take_pairing(lobby_store(l), hash); // false if another node has used it (S46)
    lobby_agent_release(a);
    if (!taken || !lobby_take_code(l, hash)) // false if another request of this node was faster while this one waited
        return refuse(why, 409, "pairing_code already used");
    struct store_agent *record = lobby_agent_edit(a);
    make_key(record, key);
    read_device(record->device_id, device_id); // F5.5: bound to the new device
    read_client(record->client_kind, client_kind);
    copy_text(record->runtime_type, sizeof record->runtime_type, span_of(p.runtime_type));
    lobby_agent_save(l, a);
    store_use_pairing(lobby_store(l), hash);
    lobby_agent_kick(l, a);
    *agent = a;
    return 200;
}

void identity_rotate_key(struct lobby *l, struct lobby_agent *a, char key[IDENTITY_KEY + 1])
{
    make_key(lobby_agent_edit(a), key);
    lobby_agent_save(l, a);
    lobby_agent_kick(l, a);
}

void identity_disable(struct lobby *l, struct lobby_agent *a, bool disabled)
{
    lobby_agent_edit(a)->disabled = disabled;
    lobby_agent_save(l, a);
    if (disabled)
        lobby_agent_kick(l, a);
}

// At any node; may read from the store.
static bool is_playing(struct lobby *l, struct lobby_agent *a)
{
    lobby_agent_hold(a);
    struct store *s = lobby_store(l);
    bool elsewhere = store_is_shared(s) && store_count_places(s, lobby_agent_record(a)->id) > 0;
    lobby_agent_release(a);
    return elsewhere || lobby_agent_active(a);
}

int identity_remove(struct lobby *l, struct lobby_agent *a, int64_t now_ms, char why[IDENTITY_ERROR_ROOM])
{
    bool plays = is_playing(l, a);
    // A copy, since the record is replaced below.
    const struct store_agent was = *lobby_agent_record(a);
    if (plays)
        return refuse(why, 409, "the agent is playing and cannot be deleted; finish the match first");
    lobby_quit(l, a, now_ms);
    struct store_agent *record = lobby_agent_edit(a);
    *record = (struct store_agent){.id = was.id,
                                   .public_no = was.public_no,
                                   .created_ms = was.created_ms,
                                   .kind = was.kind,
                                   .claimed = was.claimed, // or links from leaderboards would break
                                   .disabled = true};
    copy_text(record->runtime_type, sizeof record->runtime_type, SPAN("direct"));
    snprintf(record->name, sizeof record->name, "Deleted %llu", (unsigned long long)was.public_no);
    lobby_agent_save(l, a);
    lobby_agent_kick(l, a);
    return 200;
}

// --- claiming

// One '@' with something on both sides, a dot behind it, no blanks. The mail server judges the rest.
static bool is_email(struct span s)
{
    const char *at = s.size ? memchr(s.at, '@', s.size) : NULL;
    if (!at || at == s.at || s.size >= sizeof((struct store_agent *)0)->owner || utf8_count_shown(s) < 0)
        return false;
    size_t behind = (size_t)(s.at + s.size - at - 1);
    return behind >= 3 && !memchr(at + 1, '@', behind) && memchr(at + 2, '.', behind - 2) &&
           !memchr(s.at, ' ', s.size) && s.at[s.size - 1] != '.';
}

static struct lobby_agent *find_by_token(struct lobby *l, struct span token, bool verify, uint8_t hash[STORE_HASH])
{
    struct store_agent found;
    crypto_sha256(hash, token.at, token.size);
    bool known = verify ? store_find_agent_by_verify(lobby_store(l), hash, &found)
                        : store_find_agent_by_claim(lobby_store(l), hash, &found);
    struct lobby_agent *a = known ? lobby_agent_by_id(l, found.id) : NULL;
    if (!a)
        return NULL;
    const struct store_agent *now = lobby_agent_record(a); // memory is newer than the store
    return crypto_equal(verify ? now->verify_hash : now->claim_hash, hash, STORE_HASH) ? a : NULL;
}

int identity_claim(struct lobby *l, struct span token, struct span email, int64_t now_ms,
                   char verify_token[IDENTITY_TOKEN + 1], char why[IDENTITY_ERROR_ROOM])
{
    uint8_t hash[STORE_HASH];
    if (!is_email(email))
        return refuse(why, 400, "email must be an address such as name@example.org");
    struct lobby_agent *a = token.size == IDENTITY_TOKEN ? find_by_token(l, token, false, hash) : NULL;
    if (!a)
        return refuse(why, 404, "unknown claim_token");
    if (lobby_agent_record(a)->claimed)
        return refuse(why, 409, "agent is already claimed");
    struct store_agent *record = lobby_agent_edit(a);
    copy_text(record->owner, sizeof record->owner, email); // takes effect when the agent is claimed
    verify_token[0] = 0;
    if (lobby_options_of(l)->claim == LOBBY_CLAIM_TOKEN) {
        make_secret(verify_token, "", IDENTITY_TOKEN / 2, record->verify_hash);
        record->verify_until_ms = now_ms + VERIFY_LIFE_MS;
    }
    lobby_agent_save(l, a);
    return 200;
}

static void set_claimed(struct lobby *l, struct lobby_agent *a)
{
    struct store_agent *record = lobby_agent_edit(a);
    record->claimed = true;
    // The link in the mail works once.
    memset(record->verify_hash, 0, sizeof record->verify_hash);
    lobby_agent_save(l, a);
}

int identity_verify(struct lobby *l, struct span token, int64_t now_ms, struct lobby_agent **agent,
                    char why[IDENTITY_ERROR_ROOM])
{
    uint8_t hash[STORE_HASH];
    struct lobby_agent *a = token.size == IDENTITY_TOKEN ? find_by_token(l, token, true, hash) : NULL;
    if (!a)
        return refuse(why, 400, "unknown token");
    if (lobby_agent_record(a)->verify_until_ms <= now_ms)
        return refuse(why, 410, "token expired; claim again");
    set_claimed(l, a);
    *agent = a;
    return 200;
}

int identity_approve(struct lobby *l, struct lobby_agent *a)
{
    if (lobby_agent_record(a)->claimed)
        return 409;
    set_claimed(l, a);
    return 200;
}

// --- names and policies

int identity_rename(struct lobby *l, struct lobby_agent *a, struct span name, int64_t cooldown_ms, int64_t now_ms,
                    char why[IDENTITY_ERROR_ROOM])
{
    const char *fault = check_name(name);
    if (fault)
        return refuse(why, 400, fault);
    const struct store_agent *old = lobby_agent_record(a);
    if (old->renamed_ms && now_ms - old->renamed_ms < cooldown_ms && now_ms >= old->renamed_ms) {
        snprintf(why, IDENTITY_ERROR_ROOM, "the agent was renamed recently; try again in %lld s",
                 (long long)((cooldown_ms - (now_ms - old->renamed_ms) + 999) / 1000));
        return 429;
    }
    struct store_agent *record = lobby_agent_edit(a);
    copy_text(record->name, sizeof record->name, name);
    record->renamed_ms = now_ms;
    lobby_agent_save(l, a);
    return 200;
}

static const char *check_range(const struct identity_policy *p)
{
    if (p->has_day && (p->day < 0 || p->day > MAX_PER_DAY))
        return "max_games_per_day must be 0 to 10000";
    if (p->has_hour && (p->hour < 0 || p->hour > MAX_PER_HOUR))
        return "max_games_per_hour must be 0 to 10000";
    if (p->has_cooldown && (p->cooldown < 0 || p->cooldown > MAX_COOLDOWN))
        return "cooldown_seconds must be 0 to 86400";
    if (p->has_concurrent && (p->concurrent < 1 || p->concurrent > MAX_CONCURRENT))
        return "max_concurrent must be 1 to 8";
    return p->has_model ? check_model(p->model, 1) : NULL;
}

// Returns the first name that is not a game, or an empty span.
static struct span find_unknown_game(struct lobby *l, const char *games)
{
    while (*games) {
        struct span name = {games, strcspn(games, ",")};
        if (!lobby_find_game(l, name))
            return name;
        games += name.size + (games[name.size] == ',');
    }
    return (struct span){0};
}

// F5.4: limits the wanted value to the operator's ceiling; 0 means no limit for both.
static int64_t keep_below(int64_t wanted, int64_t ceiling)
{
    return ceiling && (wanted == 0 || wanted > ceiling) ? ceiling : wanted;
}

// A guest plays one match at a time, unless the operator allows more.
static int64_t most_concurrent(const struct lobby *l, const struct store_agent *a)
{
    int64_t own = a->concurrent_ceiling || a->kind != STORE_GUEST ? a->concurrent_ceiling : 1;
    return keep_below(own, lobby_options_of(l)->max_concurrent_ceiling);
}

// F5.5: an agent on standby with a cap of 0 gets the default cap.
static int64_t cap_for_standby(struct lobby *l, const struct store_agent *a, const struct identity_policy *p)
{
    int64_t cap = p->has_day ? p->day : a->max_games_per_day;
    if (p->has_auto_requeue && p->auto_requeue && cap == 0)
        cap = lobby_options_of(l)->standby_default_cap;
    return keep_below(cap, a->day_ceiling);
}

int identity_set_policy(struct lobby *l, struct lobby_agent *a, const struct identity_policy *p, int64_t now_ms,
                        char why[IDENTITY_ERROR_ROOM])
{
    const char *fault = check_range(p);
    if (fault)
        return refuse(why, 400, fault);
    struct span unknown = p->has_standby ? find_unknown_game(l, p->standby) : (struct span){0};
    if (unknown.at) {
        snprintf(why, IDENTITY_ERROR_ROOM, "unknown game %.*s", (int)unknown.size, unknown.at);
        return 400;
    }
    int64_t cap = cap_for_standby(l, lobby_agent_record(a), p);
    if (p->has_auto_requeue && p->auto_requeue && cap == 0)
        return refuse(why, 400, "auto_requeue=true requires max_games_per_day > 0");
    struct store_agent *record = lobby_agent_edit(a);
    record->max_games_per_day = (int32_t)cap;
    if (p->has_model)
        copy_text(record->model, sizeof record->model, p->model);
    if (p->has_standby)
        copy_text(record->standby, sizeof record->standby, span_of(p->standby));
    if (p->has_auto_requeue)
        record->auto_requeue = p->auto_requeue;
    if (p->has_hour)
        record->max_games_per_hour = (int32_t)keep_below(p->hour, record->hour_ceiling);
    if (p->has_cooldown)
        record->cooldown_seconds = p->cooldown < record->cooldown_floor ? record->cooldown_floor : (int32_t)p->cooldown;
    if (p->has_auto_confirm)
        record->auto_confirm = p->auto_confirm;
    if (p->has_concurrent)
        record->max_concurrent = (int32_t)keep_below(p->concurrent, most_concurrent(l, record));
    lobby_agent_save(l, a);
    lobby_policy_changed(l, a, now_ms);
    return 200;
}

int identity_set_limits(struct lobby *l, struct lobby_agent *a, const struct identity_policy *p, int64_t now_ms,
                        char why[IDENTITY_ERROR_ROOM])
{
    const char *fault = check_range(p);
    if (fault)
        return refuse(why, 400, fault);
    struct store_agent *record = lobby_agent_edit(a);
    if (p->has_day)
        record->day_ceiling = (int32_t)p->day;
    if (p->has_hour)
        record->hour_ceiling = (int32_t)p->hour;
    if (p->has_cooldown)
        record->cooldown_floor = (int32_t)p->cooldown;
    if (p->has_concurrent)
        record->concurrent_ceiling = (int32_t)p->concurrent;
    return identity_set_policy(l, a, p, now_ms, why);
}

// --- new connections

int identity_bind(struct lobby *l, struct lobby_agent *a, struct span device_id, struct span client_kind,
                  const char **bound_client)
{
    char device[65], client[8];
    const struct store_agent *old = lobby_agent_record(a);
    *bound_client = NULL;
    read_device(device, device_id);
    read_client(client, client_kind);
    // In constant time, like a key.
    if (device[0] && old->device_id[0] && !crypto_equal(device, old->device_id, sizeof device))
        return 403;
    if (client[0] && old->client_kind[0] && strcmp(client, old->client_kind) != 0) {
        *bound_client = old->client_kind;
        return 403;
    }
    if ((!device[0] || old->device_id[0]) && (!client[0] || old->client_kind[0]))
        return OK; // nothing new is stated
    struct store_agent *record = lobby_agent_edit(a);
    if (device[0])
        memcpy(record->device_id, device, sizeof device);
    if (client[0])
        memcpy(record->client_kind, client, sizeof client);
    lobby_agent_save(l, a);
    return OK;
}
