// SQLite: a folder belongs to one process, so there are no other nodes, and this node has every role.
#include "store/internal.h"

#include <string.h>

store_ticket lite_change_agent(struct store *s, const struct store_agent *a, const uint32_t before[STORE_AGENT_MARKS])
{
    (void)before; // no other node has changed it
    return lite_put_agent(s, a);
}

// With one writer, results are counted in the order of finishing: takes a page from the end of the list, which has the
// newest first, and reverses it.
int lite_list_ended(struct store *s, uint64_t *after, struct store_match *out, int room)
{
    int total = 0;
    lite_list_matches(s, NULL, NULL, 0, out, 1, &total);
    int left = total - (int)*after, want = left < room ? left : room;
    int count = want > 0 ? lite_list_matches(s, NULL, NULL, left - want, out, want, &total) : 0;
    for (int i = 0; i < count / 2; i++) {
        struct store_match held = out[i];
        out[i] = out[count - 1 - i];
        out[count - 1 - i] = held;
    }
    *after += (uint64_t)count;
    return count;
}

uint64_t lite_first_deal(const struct store *s)
{
    (void)s;
    return 0;
}

store_ticket lite_end_epoch(struct store *s, uint64_t first)
{
    (void)first;
    return lite_last(s);
}

int lite_list_left_epochs(struct store *s, struct store_epoch *out, int room)
{
    (void)s, (void)out, (void)room;
    return 0;
}

uint64_t lite_last_number_of(struct store *s, enum store_entry_kind kind, uint64_t first)
{
    (void)first; // there is one chain
    return lite_last_number(s, kind);
}

bool lite_is_shared(const struct store *s)
{
    (void)s;
    return false;
}

uint64_t lite_my_epoch(const struct store *s)
{
    (void)s;
    return 0;
}

bool lite_lacks_standby(const struct store *s)
{
    (void)s;
    return false;
}

uint64_t lite_lost_batches(const struct store *s)
{
    (void)s;
    return 0;
}

bool lite_is_fenced(const struct store *s)
{
    (void)s;
    return false;
}

struct uuid lite_arena_id(const struct store *s)
{
    (void)s;
    return (struct uuid){0};
}

int lite_list_nodes(const struct store *s, struct store_node *out, int room)
{
    (void)s, (void)out, (void)room;
    return 0;
}

bool lite_is_live(const struct store *s, uint64_t epoch)
{
    (void)s;
    return epoch == 0;
}

uint64_t lite_term(const struct store *s, const char *role)
{
    (void)s, (void)role;
    return 1;
}

bool lite_find_role(const struct store *s, const char *role, struct store_role *out)
{
    (void)s, (void)role, (void)out;
    return false;
}

int lite_count_places(struct store *s, struct uuid agent)
{
    (void)s, (void)agent; // the lobby knows
    return 0;
}

store_ticket lite_keep_match(struct store *s, struct uuid match)
{
    (void)match;
    return lite_last(s);
}

bool lite_arrive(struct store *s, struct uuid agent, const char *instance, uint32_t flags, bool claims,
                 struct store_arrival *out)
{
    (void)s, (void)agent, (void)instance, (void)flags, (void)claims;
    *out = (struct store_arrival){0};
    return true;
}

bool lite_find_presence(struct store *s, struct uuid agent, struct store_presence *out)
{
    (void)s, (void)agent, (void)out;
    return false;
}

bool lite_find_host(struct store *s, struct uuid match, struct store_hosted *out)
{
    struct store_match m;
    *out = (struct store_hosted){.match = match};
    return lite_find_match(s, match, &m) && m.status == STORE_RUNNING;
}

bool lite_take_news(struct store *s, struct store_news *out)
{
    (void)s, (void)out;
    return false;
}

store_ticket lite_mark_adopted(struct store *s, struct uuid match)
{
    (void)match;
    return lite_last(s);
}

store_ticket lite_mark_dropped(struct store *s, struct uuid match, int seat)
{
    (void)match, (void)seat; // the lobby counts
    return lite_last(s);
}

store_ticket lite_hand_over(struct store *s, struct uuid match, uint64_t epoch, struct span state)
{
    (void)match, (void)epoch, (void)state; // there is no other node
    return lite_last(s);
}

int lite_list_presence(struct store *s, uint64_t *after, struct uuid *out, int room)
{
    (void)s, (void)after, (void)out, (void)room;
    return 0;
}

int lite_find_handover(struct store *s, struct uuid match, char out[STORE_HANDOVER])
{
    (void)s, (void)match, (void)out;
    return 0;
}

void lite_poll_soon(struct store *s)
{
    (void)s;
}

bool lite_read_cluster(struct store *s, struct store_cluster *out)
{
    (void)s;
    *out = (struct store_cluster){0};
    return true;
}

void lite_describe_node(struct store *s, enum store_node_state state)
{
    (void)s, (void)state;
}

void lite_describe_bus(struct store *s, bool has_bus)
{
    (void)s, (void)has_bus;
}

void lite_want_role(struct store *s, const char *role)
{
    (void)s, (void)role;
}

void lite_give_role_up(struct store *s, const char *role)
{
    (void)s, (void)role;
}

void lite_depart(struct store *s, struct uuid agent, uint64_t conn)
{
    (void)s, (void)agent, (void)conn;
}

void lite_count_node(const struct store *s, struct store_node_figures *out)
{
    (void)s;
    *out = (struct store_node_figures){0};
}

bool lite_take_pairing(struct store *s, const uint8_t code_hash[STORE_HASH])
{
    (void)s, (void)code_hash; // lobby_take_code has checked it
    return true;
}

int lite_take_call(struct store *s, int kind, struct span who, int64_t each_ms, int64_t burst)
{
    (void)s, (void)kind, (void)who, (void)each_ms, (void)burst;
    return 0;
}

int lite_find_present(struct store *s, const struct uuid *agents, int count, bool *out)
{
    (void)s, (void)agents; // the lobby knows
    memset(out, 0, (size_t)count * sizeof *out);
    return 0;
}

bool lite_find_live(struct store *s, struct uuid live, struct store_elsewhere *out)
{
    (void)s, (void)live, (void)out;
    return false;
}

int lite_list_elsewhere(struct store *s, struct store_elsewhere *out, int room, int *total)
{
    (void)s, (void)out, (void)room;
    *total = 0;
    return 0;
}

int lite_list_played(struct store *s, struct uuid agent, struct store_elsewhere *out, int room)
{
    (void)s, (void)agent, (void)out, (void)room;
    return 0;
}

void lite_describe_load(struct store *s, const struct store_load *load)
{
    (void)s, (void)load;
}

store_ticket lite_put_tournament_file(struct store *s, struct uuid tour, const char *file, uint64_t at,
                                      struct span bytes, bool ends)
{
    (void)tour, (void)file, (void)at, (void)bytes, (void)ends; // a single server keeps them in a folder
    return lite_last(s);
}

store_ticket lite_drop_tournament_file(struct store *s, struct uuid tour, const char *file)
{
    (void)tour, (void)file;
    return lite_last(s);
}

int lite_list_tournaments(struct store *s, bool all, struct store_tournament *out, int room)
{
    (void)s, (void)all, (void)out, (void)room;
    return 0;
}

bool lite_read_tournament(struct store *s, struct uuid tour, store_each_tournament_file *each, void *owner)
{
    (void)s, (void)tour, (void)each, (void)owner;
    return true;
}

bool lite_read_tournament_file(struct store *s, struct uuid tour, const char *file, uint64_t from, uint64_t to,
                               store_each_tournament_file *each, void *owner)
{
    (void)s, (void)tour, (void)file, (void)from, (void)to, (void)each, (void)owner;
    return true;
}
