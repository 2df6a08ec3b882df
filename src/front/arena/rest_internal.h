// Shared by the files of REST: a request from its route to its reply.
#pragma once

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/rfc3339.h"
#include "front/arena/client_address.h"
#include "front/arena/limits.h"
#include "front/arena/rest.h"
#include "kit/arena_dialect.h"
#include "lobby/rematch.h"
#include "net/log.h"

#include <sys/queue.h>

enum {
    REST_MAX_BODY = 65536, // F5.1
    REST_TEXT = 512,       // longest string in a body
    REST_DEPTH = 16,
    REST_GAME = 32,          // longest name of a game in a query
    REST_ELIGIBLE = 5,       // rated games (F7.8)
    REST_BUCKETS = 12,       // of histograms
    REST_CACHED_REPLAYS = 8, // replayed matches, so that a client that pages through frames does not replay for each
};

enum rest_auth { REST_PUBLIC, REST_KEY, REST_ADMIN, REST_METRICS };

struct rest_call;

struct rest_route {
    const char *method;
    const char *path; // "{id}" stands for one segment
    uint8_t auth;     // enum rest_auth
    uint8_t limit;    // enum limit_class
    bool settled;     // reports durable data only: no need to wait
    uint16_t ok;      // status of success
    void (*handle)(struct rest_call *c);
    const char *summary;
    const char *takes;   // schema of the body; NULL: none
    const char *gives;   // schema of success; NULL: not JSON
    const char *queries; // names separated by blanks; NULL: none
    const char *refuses; // statuses separated by blanks; NULL: none
};

extern const struct rest_route rest_routes[]; // ends with a NULL method

// Histogram of durations in the format of Prometheus.
struct rest_times {
    uint64_t at[REST_BUCKETS + 1];
    uint64_t count;
    double seconds;
};
extern const double rest_time_bounds[REST_BUCKETS]; // in seconds

// A reply that is sent when what it reports is durable (F8.1).
struct rest_held {
    TAILQ_ENTRY(rest_held) link;
    struct http_request *r;
    const struct rest_route *route;
    store_ticket ticket;
    int64_t since_us;
    int status;
    const char *type;
    struct text body;
};

// A line of the log that waits until what it reports is durable: the log must not report what a crash can undo.
struct rest_line {
    STAILQ_ENTRY(rest_line) link;
    store_ticket ticket;
    struct log_line line;
};

struct rest_replay_cache; // replayed matches (rest_replay.c)
struct rest_stream;
struct analyses;

struct arena_rest {
    struct arena_rest_options options;
    struct lobby *lobby;
    struct store *store;
    struct challenges *challenges;
    struct rematches *rematches;
    struct limits limits;
    store_ticket durable;
    // In the order of their tickets, so that a walk ends at the first one that is not durable.
    TAILQ_HEAD(rest_waiting, rest_held) waiting;
    STAILQ_HEAD(, rest_line) lines;
    LIST_HEAD(, rest_stream) streams; // clients that follow a tournament (rest_tournament.c)
    int stream_count;
    struct rest_waiting early;           // requests for boards that are still being loaded
    struct rest_waiting tournament_jobs; // requests that wait for a job of tournaments/, whose number is the ticket
    struct rest_replay_cache *replays;   // NULL: empty
    struct analyses *analyses;           // NULL: not used yet
    LIST_HEAD(, rest_call) jobs;         // requests in progress as jobs
    struct text openapi;                 // generated once
    // Of the operator's token: hashes have one length, so comparing them in constant time reveals nothing of the token.
    uint8_t admin_hash[STORE_HASH];
    uint64_t answers[6]; // by the first digit of the status
    uint64_t limited, waiting_now, errors;
    struct node_bus *node_bus; // NULL: no other nodes, or no bus (rest_peers.c)
    struct feeds *feeds;
    int64_t heavy_ms;     // when heavy clients are reported next; INT64_MAX: never
    store_ticket changed; // ticket of changed records that other nodes do not know yet; 0: none
    bool bus_away;        // for /api/health
    const char *unready;  // why clients should not be sent here; NULL: they may
    uint32_t id_salt;     // part of the ids of errors, so that they differ between starts
    struct rest_times handling, waits, commits;
};

struct rest_call {
    struct arena_rest *rest;
    struct http_request *r;
    const struct rest_route *route;
    // Points into the request, like the rest that is read from it: valid until the reply.
    struct span id; // the value of {id}
    struct lobby_agent *agent;
    int64_t now_ms;
    struct client_address client;
    int status;
    bool streams; // the reply is streamed, or comes later (rest_wait_for)
    const char *type;
    const char *cache; // Cache-Control; NULL: no-store
    struct text out;   // on the heap; freed by the reply, or by hold_reply until it is durable
    bool is_job;       // it may be suspended
    bool admitted;     // the client is authorised
    bool gone;         // of a job: the peer has disconnected; r stays valid
    // The store only counts damage and missing answers. While this call does not run, another may read, so the counts
    // are compared whenever it is suspended and resumed (on_switch).
    uint64_t damages; // store_damages before it began to read
    uint64_t misses;  // store_unanswered before it began to read
    bool damaged;     // its own reads have met damage
    bool unanswered;  // or got no answer
    int64_t began_us;
    LIST_ENTRY(rest_call) link;
};

// Cost of handling, in units of about a microsecond (work/work.h), measured with the release build.
enum { REST_COST = 30, REST_COST_FRAME = 4 };

void rest_begin_stream(struct rest_call *c, const char *type); // the handler writes the reply from here on
void rest_wait_for(struct rest_call *c, uint64_t job);         // the reply comes when the job is done
// Takes ownership of the body, which is on the heap. Ignored if the client has disconnected.
void rest_answer_job(struct arena_rest *rest, uint64_t job, int status, struct text *body);

// --- refusing (F5.2)

void rest_fail(struct rest_call *c, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Adds an X-Request-Id to the reply, and logs the error with it.
void rest_name_error(struct arena_rest *rest, struct http_request *r, const struct rest_route *route, int status);

// --- the request

// A body that is read member by member. Strings are valid as long as the request.
struct rest_body {
    struct rest_call *call;
    struct json_reader r;
    struct json_string key;
    char bad[64];        // the invalid member
    int64_t least, most; // range of the last number; both 0: none was read
};
bool rest_open_body(struct rest_call *c, struct rest_body *b, bool may_be_empty); // false: refused
bool rest_next_key(struct rest_body *b);
bool rest_key_is(const struct rest_body *b, const char *name);
struct span rest_read_text(struct rest_body *b, char *out, size_t room);    // an error if too long
int64_t rest_read_number(struct rest_body *b, int64_t least, int64_t most); // anything else is an error that says so
bool rest_close_body(struct rest_body *b);                                  // false: refused
bool rest_skip_body(struct rest_call *c);                                   // any object or nothing

struct rest_page {
    int from, limit;
};
bool rest_read_page(struct rest_call *c, int usual, int most, struct rest_page *p); // false: refused
// A game that this request may name (F6.B1); otherwise NULL, and refused with `status`.
const struct lobby_game *rest_find_game(struct rest_call *c, struct span name, int status);
bool rest_may_name(const struct rest_call *c, const struct lobby_game *g);
// ?game=, which needs no capability; "" if absent. Returns false if refused.
bool rest_read_game(struct rest_call *c, char name[REST_GAME]);
bool rest_read_id(struct rest_call *c, struct uuid *id, const char *what); // {id} as a uuid; false: refused with 404

// --- writing values

void rest_put_number(struct text *t, const char *key, double value); // with at most six digits
void rest_put_public_no(struct text *t, const struct store_agent *a, bool display);
void rest_put_page(struct text *t, int count, int total, const struct rest_page *p); // count, total, has_more
void rest_put_result(struct text *t, const struct store_match *m);                   // F2.3
void rest_put_completed(struct text *t,
                        const struct store_match *m); // what every description of a finished match begins with
void rest_put_replay_url(struct text *t, const char *key, const struct store_match *m);
void rest_put_forfeit(struct text *t, const struct store_match *m); // F2.11; nothing after a natural end
bool rest_shows_replay(const struct arena_rest *rest, const struct store_match *m); // it is over, and public
void rest_write_base(const struct rest_call *c, struct text *t, bool ws);           // "https://host", "wss://host"

// The reply is complete: adds an ETag of its bytes; a client that has them already gets 304.
void rest_tag_answer(struct rest_call *c);
bool rest_is_local(const struct rest_call *c); // from this machine, to which limits do not apply
void rest_put_hex(struct text *t, const char *key, const uint8_t bytes[STORE_HASH]); // NULL: null
// "deal": the inputs of its key; null: unknown. `rules` as in the head of the replay; empty: left out.
void rest_put_deal(struct rest_call *c, const struct store_match *m, struct span rules);

// Whether agents are connected, to any node (S49).
void rest_find_online(const struct rest_call *c, const struct uuid *agents, int count, bool *out);
bool rest_is_online(const struct rest_call *c, struct uuid agent);

// Ends a line that reports what was just put into the store: it is written when that is durable, and never if the store
// is lost or taken over before.
void rest_end_line(struct arena_rest *rest, struct log_line *l);
void rest_log_agent(const struct rest_call *c, const char *event, const struct lobby_agent *a);

// --- handlers, by file

void rest_register(struct rest_call *c);
void rest_make_guest(struct rest_call *c);
void rest_delete_me(struct rest_call *c);
void rest_pair(struct rest_call *c);
void rest_status(struct rest_call *c);
void rest_own_status(struct rest_call *c);
void rest_presence(struct rest_call *c);
void rest_set_policy(struct rest_call *c);
void rest_rename(struct rest_call *c);
void rest_accept_legal(struct rest_call *c);
void rest_claim(struct rest_call *c);
void rest_verify(struct rest_call *c);
void rest_bridge_version(struct rest_call *c);
void rest_console_token(struct rest_call *c);
void rest_set_avatar(struct rest_call *c);
void rest_drop_avatar(struct rest_call *c);
void rest_upload_avatar(struct rest_call *c);

void rest_leave_queue(struct rest_call *c);
void rest_create_challenge(struct rest_call *c);
void rest_create_table(struct rest_call *c);
void rest_hint(struct rest_call *c);
void rest_rules(struct rest_call *c);
void rest_refuse_challenge(struct rest_call *c, int status, const char *why);
void rest_put_join_url(struct rest_call *c, const char *token);
void rest_write_duel(struct rest_call *c, const struct store_challenge *d, bool own); // own: as its players see it
void rest_show_challenge(struct rest_call *c);
void rest_accept_challenge(struct rest_call *c);
void rest_cancel_challenge(struct rest_call *c);
void rest_list_challenges(struct rest_call *c);
void rest_ask_rematch(struct rest_call *c);
void rest_show_rematch(struct rest_call *c);
void rest_withdraw_rematch(struct rest_call *c);
void rest_session_events(struct rest_call *c);
void rest_session_result(struct rest_call *c);
void rest_session(struct rest_call *c);
void rest_session_replay(struct rest_call *c);
void rest_radar(struct rest_call *c);
void rest_radar_game(struct rest_call *c);

void rest_health(struct rest_call *c);
void rest_ready(struct rest_call *c);
void rest_admin_drain_node(struct rest_call *c);
void rest_admin_cluster(struct rest_call *c);
void rest_games(struct rest_call *c);
void rest_matches(struct rest_call *c);
void rest_live(struct rest_call *c);
void rest_live_events(struct rest_call *c);
void rest_events(struct rest_call *c);
void rest_openapi(struct rest_call *c);

void rest_leaderboard(struct rest_call *c);
void rest_leaderboard_game(struct rest_call *c);
void rest_profile(struct rest_call *c);
void rest_versus(struct rest_call *c);
void rest_stats(struct rest_call *c);
void rest_find_agents(struct rest_call *c);
void rest_agent_matches(struct rest_call *c);
void rest_rating_points(struct rest_call *c);
void rest_list_matches(struct rest_call *c, const struct uuid *agent); // finished matches; NULL: of everybody
void rest_preview(struct rest_call *c);

void rest_tournaments(struct rest_call *c);
void rest_tournament(struct rest_call *c);
void rest_tournament_games(struct rest_call *c);
void rest_tournament_progress(struct rest_call *c);
void rest_create_tournament(struct rest_call *c);
void rest_cancel_tournament(struct rest_call *c);
void rest_begin_tournament(struct rest_call *c);
void rest_enter_tournament(struct rest_call *c);
void rest_leave_tournament(struct rest_call *c);

void rest_commitments(struct rest_call *c);
void rest_commitments_head(struct rest_call *c);
void rest_commitment(struct rest_call *c);
void rest_entropy(struct rest_call *c);
void rest_set_entropy(struct rest_call *c);
void rest_drop_entropy(struct rest_call *c);

void rest_replay(struct rest_call *c);
void rest_frames(struct rest_call *c);
void rest_whole_replay(struct rest_call *c);
void rest_decisions(struct rest_call *c);
void rest_replay_file(struct rest_call *c);
void rest_analysis(struct rest_call *c);

void rest_admin_list(struct rest_call *c);
void rest_admin_create(struct rest_call *c);
void rest_admin_show(struct rest_call *c);
void rest_admin_pairing(struct rest_call *c);
void rest_admin_claim(struct rest_call *c);
void rest_admin_limits(struct rest_call *c);
void rest_admin_disable(struct rest_call *c);
void rest_admin_key(struct rest_call *c);
void rest_admin_drain(struct rest_call *c);
void rest_admin_resume(struct rest_call *c);
void rest_admin_stats(struct rest_call *c);
void rest_admin_matches(struct rest_call *c);
void rest_admin_cancel(struct rest_call *c);
void rest_admin_backup(struct rest_call *c);

void rest_metrics(struct rest_call *c);
void rest_page(struct rest_call *c);
void rest_missing(struct rest_call *c); // 404: a page for browsers, JSON for others
void rest_asset(struct rest_call *c);
void rest_service_worker(struct rest_call *c);

// --- other nodes

void rest_note_change(struct rest_call *c); // of a record that other nodes cache
void rest_publish_changes(struct arena_rest *rest);
void rest_publish_heavy(struct arena_rest *rest, int64_t now_ms);
int rest_write_live_rows(void *rest, unsigned query, struct text *out); // for another node
struct feeds_page;
bool rest_write_live_events(void *rest, const struct feeds_page *wanted, struct text *out); // likewise

void rest_write_openapi(struct text *t);
void rest_drop_cached(struct arena_rest *rest);
void rest_follow_tournaments(struct arena_rest *rest);                         // once, at the beginning
bool rest_leave_stream(struct arena_rest *rest, const struct http_request *r); // false: it had none
void rest_drop_streams(struct arena_rest *rest);
