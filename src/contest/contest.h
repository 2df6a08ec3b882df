// A contest: games between entrants, judged in order of their numbers, no matter which finishes first.
//
// A plan determines for each number who sits where and which seed the cards come from. Runners fetch games by number,
// play them anywhere and in any order, and hand in results. The contest judges results in the order of the numbers, so
// that every figure, an early stop and the pairings of the next round depend on the plan alone.
//
// Mirrored games come in sets: the same cards once for every rotation of the entrants around the table. So each entrant
// gets the luck of every seat once.
//
// contest_get, contest_put, contest_has, contest_stop_at and contest_is_done may be called from any thread. To read
// figures while runners run, hold the lock (contest_lock).
#pragma once

#include "base/uuid.h"
#include "bots/bot.h"
#include "codec/codec.h"
#include "kit/contest.h"
#include "match/match.h"
#include "stats/compare.h"
#include "stats/sprt.h"
#include "stats/standing.h"

#include <pthread.h>

enum {
    CONTEST_ENTRANTS = STANDING_ENTRANTS,
    CONTEST_NAME = 96,
    CONTEST_ADDRESS = 512,
    CONTEST_MAX_GAMES = 100000000,
};

enum contest_format { CONTEST_MATCH, CONTEST_ROUND_ROBIN, CONTEST_GAUNTLET, CONTEST_SWISS, CONTEST_FORMATS };
extern const char *const contest_format_names[CONTEST_FORMATS + 1]; // "match", "round_robin", ..., ended by NULL

struct contest_entrant {
    char name[CONTEST_NAME]; // as shown; unique
    const struct bot *bot;   // a house bot; NULL: an external player
    // Of an external player (seats/seat.h); empty: none; "person": somebody at the terminal.
    char address[CONTEST_ADDRESS];
    char command[CONTEST_ADDRESS]; // the command of an address program:NAME, else empty
    unsigned notices;              // enum seat_notice: what an external bot subscribes to
};

// NULL: the verdict is about winning. `whole`: only what a game paid is known, not its parts.
const struct contest_stake *contest_find_stake(const struct contest_facts *f, const void *rules, bool whole);

struct contest_plan {
    const struct codec *codec;
    union game_rules rules;
    int seats;
    // What a seat has won, in finer steps than payoffs, from the public view at the end; NULL: the payoffs.
    int32_t (*points)(const void *view, int seat);
    const struct contest_attempt_kinds *attempts; // NULL: none are counted
    const struct contest_luck *luck;              // NULL: luck is not measured
    const struct contest_facts *facts;            // where contest_check finds the stake; NULL: none
    const struct contest_stake *stake; // NULL: set by contest_check; if it stays NULL, the verdict is about winning
    double target;          // B14.17: in a Swiss contest, a lead of this many points is a full win; 0: any win is
    const char *first_rule; // option that says which seat begins; moves on with every set; NULL: none
    enum contest_format format;
    int entrants;
    struct contest_entrant entrant[CONTEST_ENTRANTS];
    uint64_t games; // in total; of a Swiss contest: rounds
    uint64_t seed;  // of the whole run
    bool mirrored;  // games of a pairing, one for every rotation of its entrants, have the same cards
    bool uneven;    // mirrored, but the rules exclude deals that are the same whatever the players do (B14.6)
    bool aivat;     // N14.5: also measures luck by the known strategies
    bool simulated; // seeds and seats are those of `agon simulate`; such a contest is not judged
    bool has_sprt;  // a match between two stops when the test has decided
    struct sprt sprt;
    double elo_start, elo_k; // of the running ratings (B14.16): 1200, 24
    uint64_t max_steps;      // of a game; one that is not over then counts as it stands
    uint64_t ahead;          // how many games may be played before an earlier one is judged; 0: any number
    const uint64_t *deals;   // N11.5: seeds to use instead of those drawn from `seed`; owned by the caller. NULL: none
    uint64_t deal_count;
    int64_t clock_us, increment_us; // N11.6: a remote player's time for all its decisions; 0: no such clock
};

void contest_defaults(struct contest_plan *p);
// Takes from the game's facts how it is judged; NULL: no facts.
void contest_set_facts(struct contest_plan *p, const struct contest_facts *f);
// Names an entrant given as LABEL=WHO or WHO: by its label, its address, or the name of a house bot (house:NAME).
// Returns WHO.
const char *contest_name_entrant(struct contest_entrant *e, const char *given);
void contest_fill_seats(struct contest_plan *p); // sets as many seats as entrants that meet, if the game allows it
// B14.6: if deals are mirrored, sets the option that makes deals the same whatever the players do (a cut changes
// nothing), if there is one; sets uneven if the rules exclude it.
void contest_even_deals(struct contest_plan *p, const char *mirror_rule);
// Returns what would be right, or NULL if the plan is valid. Rounds the number of games up to whole sets.
const char *contest_check(struct contest_plan *p);
// The game has one seat: everyone plays alone, and results from the same seed are compared. A game of the plan has one
// player; a set has one game of each entrant and is what is won, drawn or lost.
bool contest_is_solo(const struct contest_plan *p);

struct contest_game {
    uint64_t index;
    uint64_t set;                   // games of one set have the same cards; unmirrored: the game itself
    uint64_t seed;                  // of the match
    int8_t entrant[GAME_MAX_SEATS]; // by seat
    union game_rules rules;
};

enum contest_end {
    CONTEST_UNPLAYED,
    CONTEST_OVER,    // by the rules
    CONTEST_CUT,     // at max_steps
    CONTEST_FORFEIT, // a player failed and lost by it
    CONTEST_ABORTED, // a player failed; no result
    CONTEST_ENDS,
};
extern const char *const contest_end_names[CONTEST_ENDS + 1];

enum contest_trouble {
    CONTEST_ILLEGAL,
    CONTEST_TIMEOUT,
    CONTEST_FAILED,
    CONTEST_CRASHED,
    CONTEST_WARNING,
    CONTEST_TROUBLES
};
extern const char
    *const contest_trouble_names[CONTEST_TROUBLES + 1]; // "illegal", "timeout", "failed", "crashed", "warning"

struct contest_result {
    int32_t payoffs[GAME_MAX_SEATS]; // by seat
    int32_t points[GAME_MAX_SEATS];  // by seat (contest_plan.points)
    uint32_t steps;
    uint8_t end;                                        // enum contest_end
    int8_t at_fault;                                    // seat; -1: nobody
    uint16_t trouble[GAME_MAX_SEATS][CONTEST_TROUBLES]; // by seat
    struct contest_attempts attempts;
    uint64_t hash;                              // of the final state
    int64_t at_ms;                              // when it ended, since 1970; 0: unknown
    bool overran;                               // the player at fault ran out of time (N11.6)
    uint8_t lucks;                              // number of measures of luck in `luck`
    double luck[CONTEST_LUCKS][GAME_MAX_SEATS]; // what luck gave, by seat, in points
};

// Lead of the first of two entrants over the second: points (contest_plan.points) by game and by part of a game, and
// the tally by part. The last two are known if a game has parts.
enum contest_measure { CONTEST_POINTS, CONTEST_PART_POINTS, CONTEST_TALLY, CONTEST_MEASURES };
struct contest_margin {
    struct compare_rate games, pairs; // by game; of mirrored games by pair
};

// Figures of one entrant so far.
struct contest_row {
    // Won: nobody has a higher payoff; drawn: the highest payoff is shared.
    uint64_t games, wins, draws, losses, aborted;
    uint64_t forfeits;             // games lost by failing
    uint64_t overruns;             // of these, by running out of time
    double points;                 // wins plus half the draws, and byes
    double elo, elo_low, elo_high; // running (B14.16, B14.17), with its lowest and highest value
    uint64_t byes;
    struct stats_mean payoff;    // by seat and game
    double lead, lead_parts;     // sums of its leads over the others, and of the parts of these games
    double share_squares;        // sum of the squares of its shares of the wins
    struct stats_mean set_share; // its shares, by sets
    uint64_t trouble[CONTEST_TROUBLES];
    uint64_t tried[CONTEST_ATTEMPTS], made[CONTEST_ATTEMPTS];
};

// A pairing, and how often each of the two was paired before.
struct contest_meeting {
    struct standing_pair pair;
    uint32_t before[2];
    uint32_t turn; // its round; of a Swiss contest: the seat that begins
};

struct contest {
    struct contest_plan plan;
    struct contest_result *results; // by number
    uint64_t total;                 // games known so far
    uint64_t judged;                // games that are in the figures below, in order
    uint64_t stop;                  // games from here on are not needed; `total` without an early stop
    uint64_t handed_in;             // results received, judged or not
    struct contest_row row[CONTEST_ENTRANTS];
    struct standing standing;
    struct compare_games games; // of the first of two entrants
    struct compare_pairs pairs;
    struct contest_margin margin[CONTEST_MEASURES];
    struct compare_rate shape;                      // leads in points, by sets (compare_shape_elo)
    struct contest_margin corrected[CONTEST_LUCKS]; // N14: leads by part minus what luck gave
    uint64_t unlucky[CONTEST_LUCKS];                // games whose luck is unknown: old journals, other runners
    enum sprt_verdict verdict;
    double llr;
    struct stats_mean steps, parts; // by game
    uint64_t hash;                  // of all final states, in order
    uint64_t cut, forfeits, aborted;
    struct contest_meeting *meeting; // set by set; a Swiss contest adds one round at a time
    uint64_t meetings;
    uint32_t met[CONTEST_ENTRANTS]; // number of these, by entrant
    // Of a Swiss contest: an entrant's pairings, by the seat that begins.
    uint32_t begun[CONTEST_ENTRANTS][GAME_MAX_SEATS];
    // For each result handed in, in any order.
    void (*on_result)(void *owner, uint64_t index, const struct contest_result *r);
    // For each game judged, in order; the contest is locked.
    void (*on_judged)(void *owner, const struct contest *c, uint64_t index);
    void *owner;
    int64_t (*now_ms)(void); // time stamps for results; NULL: none
    bool unjudged;           // only collects results: for a worker, which has some of the games
    pthread_mutex_t lock;
};

void contest_open(struct contest *c, const struct contest_plan *plan); // the plan must be valid
void contest_close(struct contest *c);

// For a worker: only these games are played, and nothing is judged. Results of an earlier range are forgotten.
// `meeting`: the pairings of a Swiss contest for this range, from the first game's on; NULL for other formats. No
// runner may be running.
void contest_set_range(struct contest *c, uint64_t first, uint64_t count, const struct contest_meeting *meeting);

// Returns false if the game does not exist, or not yet (a Swiss round waits for the one before, plan.ahead for the
// judge).
bool contest_get(struct contest *c, uint64_t index, struct contest_game *out);
void contest_put(struct contest *c, uint64_t index, const struct contest_result *r);
bool contest_has(struct contest *c, uint64_t index); // its result was handed in
// No games beyond these, or beyond those already judged, are needed.
void contest_stop_at(struct contest *c, uint64_t games);
bool contest_is_done(struct contest *c); // everything needed is judged
void contest_lock(struct contest *c);    // to read figures while runners run
void contest_unlock(struct contest *c);
// By what the verdict is about (stake, else points), then by running Elo, then by name.
void contest_sort(struct contest *c, int order[CONTEST_ENTRANTS]);

// A game with index < total, for a caller that holds the lock, such as on_judged.
void contest_make_game(const struct contest *c, uint64_t index, struct contest_game *out);
// Number of earlier games in which this entrant plays, which must play in this one. The caller holds the lock.
uint64_t contest_count_before(const struct contest *c, uint64_t index, int entrant);
// Ratings fitted to all games (B14.19), relative to the anchor: `random` at 1000 if it takes part (B14.18), else the
// first entrant at 1200.
int contest_anchor(const struct contest *c);
void contest_fit(const struct contest *c, struct standing_rating out[CONTEST_ENTRANTS]);

// The comparison of the first of two entrants with the second.
struct contest_verdict {
    double mean; // a score, or a lead in the unit of the stake
    struct stats_interval interval;
    double p;   // probability that equal players differ as much; 1 if there are too few games
    double elo; // difference; normalised if there is a stake. NAN: the interval is unbounded
    struct stats_interval elo_interval;
    double los;                         // N11.2: probability that the first is better
    struct compare_estimate normalised; // N11.3; with a stake the same as `elo`
};
struct contest_verdict contest_judge_two(const struct contest *c);
// Why the games say nothing about who plays better: most were not finished because a player failed. Then no
// significance, interval or Elo is reported. NULL: they do.
const char *contest_void(const struct contest *c);
const char *contest_about(const struct contest_plan *p); // "wins", "chips", "points", "score"
const char *contest_unit(const struct contest_plan *p);  // "score", "bb/100", ...
bool contest_has_parts(const struct contest_plan *p);    // games have parts, and these are counted
double contest_scale(const struct contest_plan *p);      // units of a lead of one in one part; 1 without a stake
// Of one entrant over all opponents, in units.
struct compare_estimate contest_lead(const struct contest *c, int entrant);
struct stats_interval contest_share_interval(const struct contest *c, int entrant);
// N14.4: the lead of the first of two entrants corrected for luck, in units. `factor`: how many times more games would
// be needed without the correction. Returns false if nothing is known.
struct contest_corrected {
    struct compare_estimate lead;
    double factor;
};
bool contest_correct(const struct contest *c, int luck, struct contest_corrected *out);
int contest_lucks(const struct contest_plan *p); // number of measures of luck
// By pairs if games are mirrored.
const struct compare_rate *contest_rate(const struct contest *c, enum contest_measure m);
double contest_share(const struct contest_row *r); // share of the points that were available; 0 without games

const char *contest_address(const struct contest_entrant *e);       // where an external player is reached
uint64_t contest_simulate_seed(uint64_t run_seed, uint64_t number); // seed of one game of `agon simulate`
int contest_rotations(const struct contest_plan *p);                // games of a set
int contest_set_scores(const struct contest_plan *p);    // number of comparisons in a set: one for solo games
int contest_pairing_games(const struct contest_plan *p); // games of a pairing: every entrant in every seat once
uint64_t contest_most_games(const struct contest_plan *p);
// So that every pairing plays each of the plan's deals once.
uint64_t contest_games_of_deals(const struct contest_plan *p);
// Equal for plans of the same contest: a journal of one can continue the other.
uint64_t contest_fingerprint(const struct contest_plan *p);
