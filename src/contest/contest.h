// A contest: games between entrants, judged in order, whoever finished first.
//
// A plan says which game has which number: who sits where, and from which seed its cards come. Runners ask for games by
// number, play them anywhere and in any order, and hand in results. The contest takes results in the order of the
// numbers, so that every figure, an early stop and the pairings of the next round depend on the plan alone.
//
// Mirrored games come in sets: the same cards once for every rotation of the entrants around the table. What luck gives
// to one seat it gives to everybody once.
#pragma once

#include "base/uuid.h"
#include "bots/bot.h"
#include "codec/codec.h"
#include "kit/contest.h"
#include "match/compare.h"
#include "match/match.h"
#include "match/sprt.h"
#include "match/standing.h"

#include <pthread.h>

enum {
    CONTEST_ENTRANTS = STANDING_ENTRANTS,
    CONTEST_NAME = 96,
    CONTEST_ADDRESS = 512,
    CONTEST_MAX_GAMES = 100000000,
};

enum contest_format { CONTEST_MATCH, CONTEST_ROUND_ROBIN, CONTEST_GAUNTLET, CONTEST_SWISS, CONTEST_FORMATS };
extern const char *const contest_format_names[CONTEST_FORMATS + 1]; // "match", "round_robin".., ended by NULL

struct contest_entrant {
    char name[CONTEST_NAME];       // as it is shown; no two are equal
    const struct bot *bot;         // of the house; NULL: somewhere else
    char address[CONTEST_ADDRESS]; // of a bot outside (seats/seat.h); empty: none, "person": whoever is at the terminal
    char command[CONTEST_ADDRESS]; // what is started for the address program:NAME, else empty
    unsigned notices;              // what a bot outside wants to be told of
};

// NULL: the verdict is about winning. `whole`: only what a game paid is known, not its parts.
const struct contest_stake *contest_find_stake(const struct contest_facts *f, const void *rules, bool whole);

struct contest_plan {
    const struct codec *codec;
    union game_rules rules;
    int seats;
    // What a seat has won, in finer steps than payoffs, from the public view at the end; NULL: the payoffs themselves.
    int32_t (*points)(const void *view, int seat);
    const struct contest_attempt_kinds *attempts; // NULL: none are counted
    const struct contest_luck *luck;              // NULL: luck is not told apart
    const struct contest_facts *facts;            // of the game, where contest_check finds the stake; NULL: none
    const struct contest_stake *stake;            // NULL: contest_check finds it; still NULL: who wins more is better
    double target;          // B14.17: in a Swiss contest a lead of so many points is a whole win; 0: any win is
    const char *first_rule; // the option that says who begins, by seat: it moves on with every set; NULL: none
    enum contest_format format;
    int entrants;
    struct contest_entrant entrant[CONTEST_ENTRANTS];
    uint64_t games; // in all; of a Swiss contest: rounds
    uint64_t seed;  // of the run
    bool mirrored;  // the games of a pairing, one for every rotation of its entrants, have the same cards
    bool uneven;    // the rules exclude deals that are equal whatever the players do (B14.6)
    bool aivat;     // N14.5: luck by the known strategies too
    bool simulated; // seeds and seats are those of `agon simulate`; such a contest is not judged
    bool has_sprt;  // of a match between two: stop when it has decided
    struct sprt sprt;
    double elo_start, elo_k; // of the running ratings (B14.16): 1200, 24
    uint64_t max_steps;      // of a game; what is not over then counts as it stands
    uint64_t ahead;          // games that may be played before an earlier one is judged; 0: any number
    const uint64_t *deals;   // N11.5: seeds in place of those drawn from `seed`; the caller's. NULL: none
    uint64_t deal_count;
    int64_t clock_us, increment_us; // N11.6: time of a remote player for all its decisions; 0: no such clock
};

void contest_defaults(struct contest_plan *p);
// What the game says about being judged; NULL: nothing.
void contest_set_facts(struct contest_plan *p, const struct contest_facts *f);
// Names an entrant as it was given, LABEL=WHO or WHO: by its label, by its address, a house bot (house:NAME) by its
// name. Returns WHO.
const char *contest_name_entrant(struct contest_entrant *e, const char *given);
void contest_fill_seats(struct contest_plan *p); // as many seats as entrants that meet, where the game allows it
// B14.6: sets the option that makes deals equal whatever the players do, where deals are mirrored and there is one.
void contest_even_deals(struct contest_plan *p, const char *mirror_rule);
// What would be right, or NULL when the plan is sound. Rounds the number of games up to whole sets.
const char *contest_check(struct contest_plan *p);
// The game has one seat: everyone plays alone, and results from the same seed are compared. A game of the plan is one
// player's; a set has one of each, and is what is won, drawn or lost.
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
    CONTEST_OVER,    // by its rules
    CONTEST_CUT,     // at max_steps
    CONTEST_FORFEIT, // a player failed and lost by it
    CONTEST_ABORTED, // a player failed; there is no result
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
    int8_t at_fault;                                    // seat, -1: nobody
    uint16_t trouble[GAME_MAX_SEATS][CONTEST_TROUBLES]; // by seat
    struct contest_attempts attempts;                   //
    uint64_t hash;                                      // of the final state
    int64_t at_ms;                                      // when it was over, since 1970; 0: nobody looked at a clock
    bool overran;                                       // the player at fault overran its clock (N11.6)
    uint8_t lucks;                                      // by how many measures what luck gave is known
    double luck[CONTEST_LUCKS][GAME_MAX_SEATS];         // by seat, in points
};

// How far the first of two entrants is before the second: points (contest_plan.points), by game and by part of a game,
// and what is tallied, by part. The last two are known where a game has parts.
enum contest_measure { CONTEST_POINTS, CONTEST_PART_POINTS, CONTEST_TALLY, CONTEST_MEASURES };
struct contest_margin {
    struct compare_rate games, pairs; // every game as a unit; of mirrored games every pair
};

// What is known of one entrant so far.
struct contest_row {
    uint64_t games, wins, draws, losses, aborted; // a game is won when nobody's payoff is higher, drawn when shared
    uint64_t forfeits;                            // games that it lost by failing
    uint64_t overruns;                            // of these, by overrunning its clock
    double points;                                // wins and half the draws; byes too
    double elo, elo_low, elo_high;                // running (B14.16, B14.17), and its lowest and highest
    uint64_t byes;
    struct stats_mean payoff;    // per seat and game
    double lead, lead_parts;     // sums of what it had more than the others, and of the parts of these games
    double share_squares;        // of its share of every win
    struct stats_mean set_share; // the same by sets
    uint64_t trouble[CONTEST_TROUBLES];
    uint64_t tried[CONTEST_ATTEMPTS], made[CONTEST_ATTEMPTS];
};

// Who meets whom, and how often each of the two has met anybody before.
struct contest_meeting {
    struct standing_pair pair;
    uint32_t before[2];
    uint32_t turn; // its round; of a Swiss contest: the seat that begins
};

struct contest {
    struct contest_plan plan;
    struct contest_result *results; // by number
    uint64_t total;                 // games that the plan has, as far as is known
    uint64_t judged;                // in order, all of them in the figures below
    uint64_t stop;                  // games from here on are not needed; total when there is no early stop
    uint64_t handed_in;             // whether judged or not
    struct contest_row row[CONTEST_ENTRANTS];
    struct standing standing;
    struct compare_games games; // of the first of two entrants
    struct compare_pairs pairs;
    struct contest_margin margin[CONTEST_MEASURES];
    struct compare_rate shape;                      // of leads in points, by sets (compare_shape_elo)
    struct contest_margin corrected[CONTEST_LUCKS]; // N14: leads by part, less what luck gave
    uint64_t unlucky[CONTEST_LUCKS];                // games of which it is not known: old journals, other runners
    enum sprt_verdict verdict;
    double llr;
    struct stats_mean steps, parts; // of a game
    uint64_t hash;                  // of all final states, in order
    uint64_t cut, forfeits, aborted;
    struct contest_meeting *meeting; // set by set; a Swiss contest adds a round at a time
    uint64_t meetings;
    uint32_t met[CONTEST_ENTRANTS];                   // of those, an entrant's
    uint32_t begun[CONTEST_ENTRANTS][GAME_MAX_SEATS]; // of a Swiss contest: an entrant's pairings, by the first seat
    void (*on_result)(void *owner, uint64_t index, const struct contest_result *r); // handed in, in any order
    void (*on_judged)(void *owner, const struct contest *c, uint64_t index);        // a game has entered the figures
    void *owner;
    int64_t (*now_ms)(void); // gives results their time; NULL: they have none
    bool unjudged;           // results are only collected: by a worker, which has a few of the games
    pthread_mutex_t lock;
};

void contest_open(struct contest *c, const struct contest_plan *plan); // the plan is sound
void contest_close(struct contest *c);

// Only these games are played, and nothing is judged; results of an earlier range are forgotten. `meeting` are the
// pairings of a Swiss contest that the range is about, from the first game's on; NULL in the other formats.
// Runners must not run meanwhile.
void contest_set_range(struct contest *c, uint64_t first, uint64_t count, const struct contest_meeting *meeting);

// From any thread. False when that game is not there yet (a Swiss round waits for the one before, plan.ahead for the
// judge) or not at all.
bool contest_get(struct contest *c, uint64_t index, struct contest_game *out);
void contest_put(struct contest *c, uint64_t index, const struct contest_result *r);
bool contest_has(struct contest *c, uint64_t index);     // handed in already
void contest_stop_at(struct contest *c, uint64_t games); // no more are needed than these, or than are judged already
bool contest_is_done(struct contest *c);                 // all that is needed has been judged
void contest_lock(struct contest *c);                    // whoever reads figures while runners run
void contest_unlock(struct contest *c);
// By what the verdict is about (stake, else points), then running Elo, then name.
void contest_sort(struct contest *c, int order[CONTEST_ENTRANTS]);

// A game that is there already (index < total), for whoever holds the lock: on_judged, for one.
void contest_make_game(const struct contest *c, uint64_t index, struct contest_game *out);
// The games before that one in which an entrant of it plays; the same.
uint64_t contest_count_before(const struct contest *c, uint64_t index, int entrant);
// Ratings fitted to all games (B14.19), relative to the anchor: `random` with 1000 when it takes part (B14.18), else
// the first entrant with 1200.
int contest_anchor(const struct contest *c);
void contest_fit(const struct contest *c, struct standing_rating out[CONTEST_ENTRANTS]);

// What is said of the first of two entrants against the second.
struct contest_verdict {
    double mean; // a score, or a lead in the unit of the stake
    struct stats_interval interval;
    double p;   // of equal players differing as much; 1 when there is too little to tell
    double elo; // difference; normalised where there is a stake. NAN: the interval has an open end
    struct stats_interval elo_interval;
    double los;                         // N11.2: the probability that the first is the better one
    struct compare_estimate normalised; // N11.3; of a stake that is elo above
};
struct contest_verdict contest_judge_two(const struct contest *c);
// Why the games say nothing about who plays better: most were not played to their end because a player failed. NULL:
// they do. Then no significance, interval or Elo is told.
const char *contest_void(const struct contest *c);
const char *contest_about(const struct contest_plan *p); // "wins", "chips", "points", "score"
const char *contest_unit(const struct contest_plan *p);  // "score", "bb/100"..
bool contest_has_parts(const struct contest_plan *p);    // games have parts that are counted
double contest_scale(const struct contest_plan *p);      // units for a lead of one in one part; 1 without a stake
struct compare_estimate contest_lead(const struct contest *c, int entrant); // of one entrant over all it met, in units
struct stats_interval contest_share_interval(const struct contest *c, int entrant);
// N14.4: the lead of the first of two entrants with luck taken off, in units; `factor`: as many times more games would
// tell as much without that. False when there is nothing to tell.
struct contest_corrected {
    struct compare_estimate lead;
    double factor;
};
bool contest_correct(const struct contest *c, int luck, struct contest_corrected *out);
int contest_lucks(const struct contest_plan *p); // by how many measures luck is told apart
const struct compare_rate *contest_rate(const struct contest *c, enum contest_measure m); // of pairs where there are
double contest_share(const struct contest_row *r); // of the points that were to be had; 0 when nothing was played

const char *contest_address(const struct contest_entrant *e);       // where a player outside is reached
uint64_t contest_simulate_seed(uint64_t run_seed, uint64_t number); // of one game of `agon simulate`
int contest_rotations(const struct contest_plan *p);                // games of a set
int contest_set_scores(const struct contest_plan *p);    // of these, how many tell who is better: one of solo games
int contest_pairing_games(const struct contest_plan *p); // of a pairing: every entrant at every place once
uint64_t contest_most_games(const struct contest_plan *p);
uint64_t contest_games_of_deals(const struct contest_plan *p); // every pairing plays each of the plan's deals once
// What makes two plans the same contest: a journal of one continues the other.
uint64_t contest_fingerprint(const struct contest_plan *p);
