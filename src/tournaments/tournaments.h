// Tournaments of a server (F5.13): made by the operator, played in the background, kept in a folder, resumed.
//
// A tournament may be open first: agents enter it until its time has come, until it is full or until the operator
// begins it. Nobody is waited for without end: an entrant that a game has waited for too long loses that game, and one
// that was deleted loses all that are left (decision 054).
//
// A tournament is a contest (contest/contest.h), so every figure is the one that the command line would print. House
// bots and bots behind HTTP play on threads of low priority that belong to the tournament; the loop takes snapshots and
// never waits for a game, for its journal or for a disk. All calls here come from the loop's thread.
//
// The folder has one folder for each tournament: what was asked (tournament.json), who has entered (entry-AGENT.json),
// the contest's journal, a replay for every game, and the end with the standings (end.json), which makes it a thing of
// the past.
//
// Of several nodes (struct tournaments_nodes) one directs each tournament, and all of them tell of it and take requests
// about it (S47). Then the store keeps those files, and the folder is the director's scratch paper.
#pragma once

#include "contest/play.h"
#include "lobby/lobby.h"

enum {
    TOURNAMENTS_ENTRANT = CONTEST_NAME + CONTEST_ADDRESS,
    TOURNAMENTS_SAY = 640,
    TOURNAMENTS_KEPT = 10000, // tournaments, running and past
};

struct tournaments;
struct tournament;

// What can be played, and by whom in the house.
struct tournaments_game {
    const struct codec *codec;
    const struct game_kit *kit;
    const struct contest_facts *facts;
};

// How nodes share their tournaments. Whoever reads, waits or asks is a job of the loop's, but for the opening.
struct tournaments_nodes {
    void *owner;
    // Files as store.h has them (store_put_tour_file).
    void (*put)(void *owner, struct uuid tour, const char *file, uint64_t at, struct span bytes, bool ends);
    void (*drop)(void *owner, struct uuid tour, const char *file);
    bool (*wait)(void *owner); // until what was put is durable; false: that will not be known
    int (*list)(void *owner, bool all, struct store_tour *out, int room);
    bool (*read)(void *owner, struct uuid tour, store_each_tour_file *each, void *each_owner);
    bool (*read_file)(void *owner, struct uuid tour, const char *file, uint64_t from, uint64_t to,
                      store_each_tour_file *each, void *each_owner);
    void (*want)(void *owner, struct uuid tour, bool wanted); // to direct it; or no longer
    bool (*holds)(void *owner, struct uuid tour);             // this node does
    // Asks the director. 0: nobody answers; else a status of HTTP and what was said.
    int (*ask)(void *owner, const struct lobby_tour_wish *w, char said[LOBBY_TOUR_SAY]);
};

struct tournaments_options {
    const struct tournaments_nodes *nodes; // NULL: this server keeps them in its folder, alone
    struct loop *loop;
    struct lobby *lobby;
    const struct tournaments_game *games; // ended by a NULL codec
    const char *folder;                   // made when the first tournament is
    int64_t (*now_ms)(void);              // from any thread
    int max_running;                      // 0: none are made
    uint64_t max_games;                   // of one tournament
    struct seat_options seats;            // of bots behind HTTP
};

void tournaments_defaults(struct tournaments_options *o);
struct tournaments *
tournaments_open(const struct tournaments_options *o); // NULL without memory; what was interrupted goes on
void tournaments_close(struct tournaments *t);         // interrupts what runs
void tournaments_resign(struct tournaments *t);        // S60: other nodes shall direct them, from now on
// What another node was asked, as a job (lobby_on_tour_wish).
int tournaments_do(struct tournaments *t, const struct lobby_tour_wish *w, char said[LOBBY_TOUR_SAY]);
// What became of a job: 201 for one that was made; 200, and `said` is a word for it: "cancelled", "entered",
// "withdrawn", "running"; or 503 and `said` tells why.
typedef void tournaments_on_done(void *owner, uint64_t job, int status, struct uuid id, const char *said);
// Called from the loop when something has changed (true: call again soon, whatever happens), and when a job is
// done.
void tournaments_listen(struct tournaments *t, bool (*on_news)(void *owner), tournaments_on_done *on_done, void *owner);
void tournaments_stir(struct tournaments *t); // there is somebody to be told

// --- making and ending one

enum {
    TOURNAMENTS_TITLE = 80,           // characters
    TOURNAMENTS_WAIT = 3600,          // seconds, where nothing else was asked
    TOURNAMENTS_MOST_WAIT = 604800,   // a week
    TOURNAMENTS_MOST_ENTRY = 2592000, // 30 days
};

struct tournaments_request {
    char title[4 * TOURNAMENTS_TITLE + 1]; // empty: called after its game and format
    char game[24];
    enum contest_format format;
    int entrants;
    char entrant[CONTEST_ENTRANTS]
                [TOURNAMENTS_ENTRANT]; // as on the command line: [LABEL=]house:NAME, a URL; an agent's uuid
    uint64_t games;                    // in all, rounded up to whole sets, and to rounds; 0: not said
    uint64_t rounds;                   // of a Swiss tournament, instead of games; 0: not said
    uint64_t seed;
    bool has_seed; // else it is drawn
    bool mirrored;
    int wait_seconds;  // an entrant that a game has waited for so long loses it; 0: TOURNAMENTS_WAIT
    int entry_seconds; // so long agents may enter; 0: it begins at once, with the entrants named
    int entry_max;     // most entrants then, those named among them; 0: CONTEST_ENTRANTS
    uint64_t per_pair; // games of every two entrants that meet, instead of games; 0: not said
};

// A status of HTTP: 202, and when all is on disk the listener hears what came of the job of this number; or 400,
// 404, 409 or 503, nothing was changed, and `why` tells what would be right.
int tournaments_create(struct tournaments *t, const struct tournaments_request *q, uint64_t *job,
                       char why[TOURNAMENTS_SAY]);
int tournaments_cancel(struct tournaments *t, struct uuid id, uint64_t *job, char why[TOURNAMENTS_SAY]);
// The same for the agents of one that is open, and 200 when nothing had to be done: it has entered already.
int tournaments_enter(struct tournaments *t, struct uuid id, const struct store_agent *a, uint64_t *job,
                      char why[TOURNAMENTS_SAY]);
int tournaments_withdraw(struct tournaments *t, struct uuid id, struct uuid agent, uint64_t *job,
                         char why[TOURNAMENTS_SAY]);
// Begins one that is open before its time.
int tournaments_begin(struct tournaments *t, struct uuid id, uint64_t *job, char why[TOURNAMENTS_SAY]);
// An agent was deleted: it leaves what is open, and loses what it had still to play.
void tournaments_forget_agent(struct tournaments *t, struct uuid agent);

// --- looking

enum tournament_status { TOURNAMENT_RUNNING, TOURNAMENT_FINISHED, TOURNAMENT_CANCELLED, TOURNAMENT_OPEN };
extern const char *const tournament_status_names[];
bool tournament_status_is_past(enum tournament_status status);

struct tournament_facts {
    struct uuid id;
    const char *title; // empty: none was given
    const char *game;
    enum contest_format format;
    enum tournament_status status;
    int entrants;
    int64_t created_ms, started_ms, finished_ms; // 0: not yet
    int64_t entry_until_ms;                      // of one that is or was open; 0: of none
    int entry_max;                               // likewise
    int wait_seconds;
    uint64_t done, total; // games; of one that is open as if it began now
    uint64_t seed;        // secret while it runs: who knows it knows the cards
    uint64_t version;     // another one when done or status is
};

int tournaments_count_running(const struct tournaments *t);                             // that this node directs
const struct tournament *tournaments_find(const struct tournaments *t, struct uuid id); // NULL: unknown
// Newest first, of one game or (NULL) of all; how many were written.
int tournaments_list(const struct tournaments *t, const char *game, int from, const struct tournament **out, int room,
                     int *total);
struct tournament_facts tournament_summary(const struct tournament *x);
const char *tournament_entrant(const struct tournament *x, int entrant);       // as it is shown
void tournament_write_standings(const struct tournament *x, struct text *out); // a JSON array, best first

struct tournament_game {
    uint64_t index;
    int seats;
    int8_t entrant[GAME_MAX_SEATS]; // by seat, as the payoffs
    int32_t payoffs[GAME_MAX_SEATS];
    enum contest_end end;
    int8_t at_fault;    // a seat; -1: nobody
    uint8_t forfeit;    // enum lobby_forfeit
    uint64_t seed;      // of its cards
    int64_t at_ms;      // when it was over
    struct uuid replay; // none: it is not to be had, or not yet
};
// In order of their numbers, those that are in the figures. How many, or ERR_STORAGE when they cannot be read.
int tournament_list_games(const struct tournament *x, uint64_t from, struct tournament_game *out, int room,
                          uint64_t *total);
// Whether the replay of a finished match may be shown: not while a mirrored game with its cards may still be played.
bool tournaments_shows(const struct tournaments *t, const struct store_match *m);
// The replay of a game and what its record would be; `log` is on the heap. OK, ERR_UNKNOWN, ERR_STORAGE.
int tournaments_load_replay(const struct tournaments *t, struct uuid replay, struct store_match *m, struct text *log);
