// The interface of a storage engine: SQLite in a folder, or PostgreSQL (store/pg/pg.h). It has a function for each one
// of store.h, which says what they mean. Every store begins with a pointer to its engine (struct store_head).
//
// Names of implementations are generated from the list: lite_find_agent, pg_find_agent.
#pragma once

#include "store/store.h"

enum {
    STORE_GAMES = 64,           // most games
    STORE_FRESH_NUMBERS = 1024, // public numbers given out recently, so that none is given twice before it is durable
    STORE_WHY = 512,
};

// clang-format off
#define ENGINE_ANSWERS(X) \
    X(store_ticket, last, (const struct store *s), (s)) \
    X(store_ticket, durable, (const struct store *s), (s)) \
    X(int, descriptor, (const struct store *s), (s)) \
    X(int, collect, (struct store *s, store_ticket *durable), (s, durable)) \
    X(bool, is_away, (const struct store *s), (s)) \
    X(const char *, absence, (const struct store *s), (s)) \
    X(bool, may_wait, (const struct store *s), (s)) \
    X(bool, reach, (struct store *s), (s)) \
    X(uint64_t, unanswered, (const struct store *s), (s)) \
    X(uint64_t, blocked, (const struct store *s), (s)) \
    X(bool, lacks_standby, (const struct store *s), (s)) \
    X(uint64_t, lost_batches, (const struct store *s), (s)) \
    X(bool, has_room, (const struct store *s), (s)) \
    X(const char *, fault, (const struct store *s), (s)) \
    X(bool, may_refuse, (const struct store *s), (s)) \
    X(bool, take_refusal, (struct store *s, struct store_refusal *out), (s, out)) \
    X(uint64_t, damages, (const struct store *s), (s)) \
    X(const char *, damage, (const struct store *s), (s)) \
    X(store_ticket, put_agent, (struct store *s, const struct store_agent *a), (s, a)) \
    X(store_ticket, change_agent, (struct store *s, const struct store_agent *a, const uint32_t before[STORE_AGENT_MARKS]), (s, a, before)) \
    X(bool, find_agent, (struct store *s, struct uuid id, struct store_agent *out), (s, id, out)) \
    X(bool, find_agent_by_key, (struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out), (s, hash, out)) \
    X(bool, find_agent_by_claim, (struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out), (s, hash, out)) \
    X(bool, find_agent_by_verify, (struct store *s, const uint8_t hash[STORE_HASH], struct store_agent *out), (s, hash, out)) \
    X(bool, has_public_no, (struct store *s, uint64_t public_no), (s, public_no)) \
    X(int, list_agents, (struct store *s, int kind, int from, struct store_agent *out, int room, int *total), (s, kind, from, out, room, total)) \
    X(int, find_names, (struct store *s, const char *begin, int from, struct store_agent_name *out, int room), (s, begin, from, out, room)) \
    X(int, list_guests, (struct store *s, int64_t *after, struct store_guest *out, int room), (s, after, out, room)) \
    X(store_ticket, put_pairing, (struct store *s, const struct store_pairing *p), (s, p)) \
    X(bool, take_pairing, (struct store *s, const uint8_t code_hash[STORE_HASH]), (s, code_hash)) \
    X(int, take_call, (struct store *s, int kind, struct span who, int64_t each_ms, int64_t burst), (s, kind, who, each_ms, burst)) \
    X(int, find_present, (struct store *s, const struct uuid *agents, int count, bool *out), (s, agents, count, out)) \
    X(bool, find_live, (struct store *s, struct uuid live, struct store_elsewhere *out), (s, live, out)) \
    X(int, list_elsewhere, (struct store *s, struct store_elsewhere *out, int room, int *total), (s, out, room, total)) \
    X(int, list_played, (struct store *s, struct uuid agent, struct store_elsewhere *out, int room), (s, agent, out, room)) \
    X(store_ticket, use_pairing, (struct store *s, const uint8_t code_hash[STORE_HASH]), (s, code_hash)) \
    X(bool, find_pairing, (struct store *s, const uint8_t code_hash[STORE_HASH], struct store_pairing *out), (s, code_hash, out)) \
    X(int, ratings, (struct store *s, struct uuid agent, struct store_rating *out, int room), (s, agent, out, room)) \
    X(bool, has_boards, (struct store *s), (s)) \
    X(int, leaderboard, (struct store *s, const char *game, int64_t now_ms, int from, struct store_rank *out, int room, int *total), (s, game, now_ms, from, out, room, total)) \
    X(int, overall, (struct store *s, int64_t now_ms, int from, struct store_total *out, int room, int *total), (s, now_ms, from, out, room, total)) \
    X(store_ticket, add_counts, (struct store *s, struct uuid agent, const char *game, int64_t at_ms, const struct counts *counts), (s, agent, game, at_ms, counts)) \
    X(int, counters, (struct store *s, struct uuid agent, struct store_counters *out, int room), (s, agent, out, room)) \
    X(int, rating_history, (struct store *s, struct uuid agent, struct store_point *out, int room), (s, agent, out, room)) \
    X(int, rated_matches, (struct store *s, struct uuid agent, const char *game, int from, struct store_rated *out, int room), (s, agent, game, from, out, room)) \
    X(store_ticket, begin_match, (struct store *s, const struct store_match *m, const struct store_entry *e, struct span log), (s, m, e, log)) \
    X(store_ticket, append, (struct store *s, struct uuid match, int64_t at_ms, struct span log, struct span note), (s, match, at_ms, log, note)) \
    X(store_ticket, mark_unreported, (struct store *s, struct uuid match, uint16_t seats), (s, match, seats)) \
    X(store_ticket, finish_match, (struct store *s, const struct store_match *m, const struct store_entry *e, int64_t at_ms, struct span log, const struct store_rating *ratings, int count, const struct counts *habits), (s, m, e, at_ms, log, ratings, count, habits)) \
    X(store_ticket, mark_delivered, (struct store *s, struct uuid match, int seat), (s, match, seat)) \
    X(store_ticket, put_entry, (struct store *s, const struct store_entry *e), (s, e)) \
    X(int, list_entries, (struct store *s, uint64_t from, struct store_entry *out, int room), (s, from, out, room)) \
    X(int, find_entries, (struct store *s, uint64_t number, struct store_entry out[STORE_ENTRIES_OF_NUMBER]), (s, number, out)) \
    X(bool, last_entry, (struct store *s, struct store_entry *out), (s, out)) \
    X(uint64_t, last_number, (struct store *s, enum store_entry_kind kind), (s, kind)) \
    X(store_ticket, put_epoch, (struct store *s, const struct store_epoch *e), (s, e)) \
    X(int, list_epochs, (struct store *s, int from, struct store_epoch *out, int room), (s, from, out, room)) \
    X(bool, find_match, (struct store *s, struct uuid id, struct store_match *out), (s, id, out)) \
    X(bool, find_replay, (struct store *s, struct uuid replay, struct store_match *out), (s, replay, out)) \
    X(bool, find_session, (struct store *s, struct uuid session, struct store_match *out, int *seat), (s, session, out, seat)) \
    X(int, read_log, (struct store *s, struct uuid match, store_each *each, void *owner), (s, match, each, owner)) \
    X(int, list_running, (struct store *s, struct uuid *out, int room, int *total), (s, out, room, total)) \
    X(int, list_matches, (struct store *s, const char *game, const struct uuid *agent, int from, struct store_match *out, int room, int *total), (s, game, agent, from, out, room, total)) \
    X(int, list_ended, (struct store *s, uint64_t *after, struct store_match *out, int room), (s, after, out, room)) \
    X(int, list_recent, (struct store *s, struct uuid agent, struct store_match *out, int *seat, int room), (s, agent, out, seat, room)) \
    X(int, list_undelivered, (struct store *s, struct uuid agent, int64_t since_ms, struct uuid *out, int room), (s, agent, since_ms, out, room)) \
    X(int, list_starts, (struct store *s, struct uuid agent, int64_t since_ms, int64_t *at_ms, int room), (s, agent, since_ms, at_ms, room)) \
    X(int, versus, (struct store *s, struct uuid agent, const char *game, struct store_versus *out, int room), (s, agent, game, out, room)) \
    X(store_ticket, put_challenge, (struct store *s, const struct store_challenge *c), (s, c)) \
    X(bool, find_challenge, (struct store *s, struct uuid id, struct store_challenge *out), (s, id, out)) \
    X(bool, find_challenge_by_token, (struct store *s, const uint8_t hash[STORE_HASH], struct store_challenge *out), (s, hash, out)) \
    X(int, list_challenges, (struct store *s, struct uuid agent, struct store_challenge *out, int room), (s, agent, out, room)) \
    X(int, list_open_challenges, (struct store *s, struct store_challenge *out, int room), (s, out, room)) \
    X(int, backup, (struct store *s, const char *path, char *why, size_t room), (s, path, why, room)) \
    X(store_ticket, begin_ratings, (struct store *s), (s)) \
    X(store_ticket, put_rating, (struct store *s, const struct store_rating *r, struct uuid match), (s, r, match)) \
    X(store_ticket, end_ratings, (struct store *s), (s)) \
    X(uint64_t, first_deal, (const struct store *s), (s)) \
    X(store_ticket, end_epoch, (struct store *s, uint64_t first), (s, first)) \
    X(int, list_left_epochs, (struct store *s, struct store_epoch *out, int room), (s, out, room)) \
    X(uint64_t, last_number_of, (struct store *s, enum store_entry_kind kind, uint64_t first), (s, kind, first)) \
    X(bool, is_shared, (const struct store *s), (s)) \
    X(uint64_t, my_epoch, (const struct store *s), (s)) \
    X(bool, is_fenced, (const struct store *s), (s)) \
    X(struct uuid, arena_id, (const struct store *s), (s)) \
    X(int, list_nodes, (const struct store *s, struct store_node *out, int room), (s, out, room)) \
    X(bool, is_live, (const struct store *s, uint64_t epoch), (s, epoch)) \
    X(uint64_t, term, (const struct store *s, const char *role), (s, role)) \
    X(bool, find_role, (const struct store *s, const char *role, struct store_role *out), (s, role, out)) \
    X(bool, arrive, (struct store *s, struct uuid agent, const char *instance, uint32_t flags, bool claims, struct store_arrival *out), (s, agent, instance, flags, claims, out)) \
    X(int, count_places, (struct store *s, struct uuid agent), (s, agent)) \
    X(store_ticket, keep_match, (struct store *s, struct uuid match), (s, match)) \
    X(bool, find_presence, (struct store *s, struct uuid agent, struct store_presence *out), (s, agent, out)) \
    X(int, list_presence, (struct store *s, uint64_t *after, struct uuid *out, int room), (s, after, out, room)) \
    X(bool, find_host, (struct store *s, struct uuid match, struct store_hosted *out), (s, match, out)) \
    X(bool, take_news, (struct store *s, struct store_news *out), (s, out)) \
    X(store_ticket, mark_adopted, (struct store *s, struct uuid match), (s, match)) \
    X(store_ticket, mark_dropped, (struct store *s, struct uuid match, int seat), (s, match, seat)) \
    X(store_ticket, hand_over, (struct store *s, struct uuid match, uint64_t epoch, struct span state), (s, match, epoch, state)) \
    X(int, find_handover, (struct store *s, struct uuid match, char out[STORE_HANDOVER]), (s, match, out)) \
    X(store_ticket, put_tournament_file, (struct store *s, struct uuid tour, const char *file, uint64_t at, struct span bytes, bool ends), (s, tour, file, at, bytes, ends)) \
    X(store_ticket, drop_tournament_file, (struct store *s, struct uuid tour, const char *file), (s, tour, file)) \
    X(int, list_tournaments, (struct store *s, bool all, struct store_tournament *out, int room), (s, all, out, room)) \
    X(bool, read_tournament, (struct store *s, struct uuid tour, store_each_tournament_file *each, void *owner), (s, tour, each, owner)) \
    X(bool, read_tournament_file, (struct store *s, struct uuid tour, const char *file, uint64_t from, uint64_t to, store_each_tournament_file *each, void *owner), (s, tour, file, from, to, each, owner)) \
    X(bool, read_cluster, (struct store *s, struct store_cluster *out), (s, out))
#define ENGINE_ACTS(X) \
    X(submit, (struct store *s), (s)) \
    X(wait, (struct store *s), (s)) \
    X(give_up, (struct store *s), (s)) \
    X(settle, (struct store *s, store_ticket refused, store_ticket instead), (s, refused, instead)) \
    X(tend_boards, (struct store *s, int64_t now_ms), (s, now_ms)) \
    X(overall_of, (struct store *s, struct uuid agent, int64_t now_ms, struct store_total *out), (s, agent, now_ms, out)) \
    X(count, (struct store *s, struct store_counts *out), (s, out)) \
    X(describe_node, (struct store *s, enum store_node_state state), (s, state)) \
    X(describe_bus, (struct store *s, bool has_bus), (s, has_bus)) \
    X(poll_soon, (struct store *s), (s)) \
    X(describe_load, (struct store *s, const struct store_load *load), (s, load)) \
    X(want_role, (struct store *s, const char *role), (s, role)) \
    X(give_role_up, (struct store *s, const char *role), (s, role)) \
    X(depart, (struct store *s, struct uuid agent, uint64_t conn), (s, agent, conn)) \
    X(count_node, (const struct store *s, struct store_node_figures *out), (s, out))
// clang-format on

struct store_engine {
    const char *name;
    struct store *(*open)(const struct store_options *o, char *why, size_t room);
    void (*close)(struct store *s); // the argument is not NULL
#define ENGINE_ANSWER(type, name, parameters, arguments) type(*name) parameters;
#define ENGINE_ACT(name, parameters, arguments)          void(*name) parameters;
    ENGINE_ANSWERS(ENGINE_ANSWER)
    ENGINE_ACTS(ENGINE_ACT)
#undef ENGINE_ANSWER
#undef ENGINE_ACT
};

extern const struct store_engine store_sqlite;

struct store_head { // the first member of every store
    const struct store_engine *engine;
};
