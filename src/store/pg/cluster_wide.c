// Reads about the whole arena: rate limits and codes over all nodes, connected agents, and matches at other nodes (S46
// to S49).
#include "store/pg/internal.h"

#include <stdio.h>
#include <string.h>

bool pg_take_pairing(struct store *s, const uint8_t code_hash[STORE_HASH])
{
    struct pg *p = pg_of(s);
    struct query q;
    if (!p->shared)
        return true;
    struct args a = query_begin(&q, PG_TAKE_PAIRING);
    args_bytes(&a, (struct span){(const char *)code_hash, STORE_HASH});
    args_int(&a, p->epoch);
    struct answer r = query_run(p, &q, &a);
    if (!answer_next(&r))
        return false;
    bool taken = answer_int(&r) == 1;
    answer_end(&r);
    return taken;
}

int pg_take_call(struct store *s, int kind, struct span who, int64_t each_ms, int64_t burst)
{
    struct pg *p = pg_of(s);
    struct query q;
    char name[64] = "";
    if (!p->shared)
        return 0;
    memcpy(name, who.at, who.size < sizeof name ? who.size : sizeof name - 1);
    struct args a = query_begin(&q, PG_TAKE_CALL);
    args_int(&a, kind);
    args_text(&a, name, sizeof name);
    args_int(&a, each_ms);
    args_int(&a, burst);
    struct answer r = query_run(p, &q, &a);
    if (!answer_next(&r))
        return -1;
    int seconds = (int)answer_int(&r);
    answer_end(&r);
    return seconds;
}

int pg_find_present(struct store *s, const struct uuid *agents, int count, bool *out)
{
    struct pg *p = pg_of(s);
    struct query q;
    int present = 0;
    memset(out, 0, (size_t)count * sizeof *out);
    if (!p->shared || count == 0)
        return 0;
    struct args a = query_begin(&q, PG_ARE_PRESENT);
    args_begin_array(&a, ARGS_UUID);
    for (int i = 0; i < count; i++)
        args_uuid(&a, agents[i]);
    args_end_array(&a);
    struct answer r = query_run(p, &q, &a);
    while (answer_next(&r)) {
        struct uuid id = answer_uuid(&r);
        for (int i = 0; i < count; i++)
            if (!out[i] && uuid_equals(agents[i], id)) {
                out[i] = true;
                present++;
            }
    }
    return present;
}

static bool read_elsewhere(struct pg *p, struct answer *r, struct store_elsewhere *out)
{
    *out = (struct store_elsewhere){.at = {.epoch = (uint64_t)answer_int(r)}};
    answer_text(r, out->at.node, sizeof out->at.node);
    answer_text(r, out->at.address, sizeof out->at.address);
    out->house = answer_bool(r);
    const char *game = pg_game_name(p, answer_int(r));
    int64_t unreported = answer_int(r);
    if (!unpack_match(answer_bytes(r), &out->match)) {
        pg_note_damage(p, "running: a record cannot be read");
        return false;
    }
    snprintf(out->match.game, sizeof out->match.game, "%s", game);
    out->match.unreported = (uint16_t)unreported;
    out->at.match = out->match.id;
    return true;
}

bool pg_find_live(struct store *s, struct uuid live, struct store_elsewhere *out)
{
    struct pg *p = pg_of(s);
    struct query q;
    size_t size = UUID_BYTES;
    bool found = false;
    if (!p->shared)
        return false;
    while (size > 0 && live.byte[size - 1] == 0)
        size--; // pack_row writes it without zeros at the end
    struct args a = query_begin(&q, PG_FIND_LIVE);
    args_bytes(&a, (struct span){(const char *)live.byte, size});
    struct answer r = query_run(p, &q, &a);
    while (answer_next(&r))
        found |= read_elsewhere(p, &r, out);
    return found;
}

int pg_list_elsewhere(struct store *s, struct store_elsewhere *out, int room, int *total)
{
    struct pg *p = pg_of(s);
    struct query q;
    int count = 0;
    *total = 0;
    if (!p->shared)
        return 0;
    struct args a = query_begin(&q, PG_LIST_ELSEWHERE);
    args_int(&a, p->epoch);
    args_int(&a, room);
    struct answer r = query_run(p, &q, &a);
    while (answer_next(&r)) {
        bool sound = count < room && read_elsewhere(p, &r, &out[count]);
        count += sound;
        if (sound)
            *total = (int)answer_int(&r);
    }
    return count;
}

int pg_list_played(struct store *s, struct uuid agent, struct store_elsewhere *out, int room)
{
    struct pg *p = pg_of(s);
    struct query q;
    int count = 0;
    if (!p->shared)
        return 0;
    struct args a = query_begin(&q, PG_LIST_PLAYED);
    args_uuid(&a, agent);
    args_int(&a, p->epoch);
    args_int(&a, room);
    struct answer r = query_run(p, &q, &a);
    while (answer_next(&r))
        count += count < room && read_elsewhere(p, &r, &out[count]);
    return count;
}
