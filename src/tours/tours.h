// Tournaments of a server (F5.13): made by the operator, played in the background, kept in a folder, resumed.
//
// A tournament is a contest (contest/contest.h), so every figure is the one that the command line would print. House
// bots and bots behind HTTP play on threads of low priority that belong to the tournament; the loop takes snapshots and
// never waits for a game, for its journal or for a disk. All calls here come from the loop's thread.
//
// The folder has one folder for each tournament: what was asked (tournament.json), the contest's journal, a replay for
// every game, and the end with the standings (end.json), which makes it a thing of the past.
#pragma once

#include "contest/play.h"
#include "lobby/lobby.h"

enum {
    TOURS_ENTRANT = CONTEST_NAME + CONTEST_ADDRESS,
    TOURS_SAY = 640,
    TOURS_KEPT = 10000, // tournaments, running and past
};

struct tours;
struct tour;

// What can be played, and by whom in the house.
struct tours_game {
    const struct codec *codec;
    const struct game_kit *kit;
    const struct contest_facts *facts;
};

struct tours_options {
    struct loop *loop;
    struct lobby *lobby;
    const struct tours_game *games; // ended by a NULL codec
    const char *folder;             // made when the first tournament is
    int64_t (*now_ms)(void);        // from any thread
    int max_running;                // 0: none are made
    uint64_t max_games;             // of one tournament
    struct seat_options seats;      // of bots behind HTTP
};

void tours_defaults(struct tours_options *o);
struct tours *tours_open(const struct tours_options *o); // NULL without memory; what was interrupted goes on
void tours_close(struct tours *t);                       // interrupts what runs
// What became of an errand: 201 for one that was made, 200 for one that was cancelled, or 503 and `say`.
typedef void tours_on_done(void *owner, uint64_t errand, int status, struct uuid id, const char *say);
// Called from the loop when something has changed (true: call again soon, whatever happens), and when an errand is
// done.
void tours_listen(struct tours *t, bool (*on_news)(void *owner), tours_on_done *on_done, void *owner);
void tours_stir(struct tours *t); // there is somebody to be told

// --- making and ending one

struct tours_request {
    char game[24];
    enum contest_format format;
    int entrants;
    char entrant[CONTEST_ENTRANTS][TOURS_ENTRANT]; // as on the command line: [LABEL=]house:NAME, a URL; an agent's uuid
    uint64_t games;                                // in all, rounded up to whole sets, and to rounds; 0: not said
    uint64_t rounds;                               // of a Swiss tournament, instead of games; 0: not said
    uint64_t seed;
    bool has_seed; // else it is drawn
    bool mirrored;
};

// A status of HTTP: 202, and when all is on disk the listener hears what came of the errand of this number; or 400,
// 404, 409 or 503, nothing was changed, and `say` tells what would be right.
int tours_create(struct tours *t, const struct tours_request *q, uint64_t *errand, char say[TOURS_SAY]);
int tours_cancel(struct tours *t, struct uuid id, uint64_t *errand, char say[TOURS_SAY]);

// --- looking

enum tour_status { TOUR_RUNNING, TOUR_FINISHED, TOUR_CANCELLED };
extern const char *const tour_status_names[];

struct tour_facts {
    struct uuid id;
    const char *game;
    enum contest_format format;
    enum tour_status status;
    int entrants;
    int64_t created_ms, finished_ms; // finished_ms 0: it runs
    uint64_t done, total;            // games
    uint64_t seed;                   // secret while it runs: who knows it knows the cards
    uint64_t version;                // another one when done or status is
};

int tours_count_running(const struct tours *t);
const struct tour *tours_find(const struct tours *t, struct uuid id); // NULL: unknown
// Newest first, of one game or (NULL) of all; how many were written.
int tours_list(const struct tours *t, const char *game, int from, const struct tour **out, int room, int *total);
struct tour_facts tour_look(const struct tour *x);
const char *tour_entrant(const struct tour *x, int entrant);       // as it is shown
void tour_write_standings(const struct tour *x, struct text *out); // a JSON array, best first

struct tour_game {
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
int tour_list_games(const struct tour *x, uint64_t from, struct tour_game *out, int room, uint64_t *total);
// Whether the replay of a finished match may be shown: not while a mirrored game with its cards may still be played.
bool tours_shows(const struct tours *t, const struct store_match *m);
// The replay of a game and what its record would be; `log` is on the heap. OK, ERR_UNKNOWN, ERR_STORAGE.
int tours_load_replay(const struct tours *t, struct uuid replay, struct store_match *m, struct text *log);
