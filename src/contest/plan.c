// The plan of a contest: which game has which number, who sits where, and which seed it has.
#include "base/hash.h"
#include "contest/internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *const contest_format_names[] = {"match", "round_robin", "gauntlet", "swiss", NULL};
const char *const contest_end_names[] = {"unplayed", "over", "cut", "forfeit", "aborted", NULL};
const char *const contest_trouble_names[] = {"illegal", "timeout", "failed", "crashed", "warning", NULL};

void contest_defaults(struct contest_plan *p)
{
    *p = (struct contest_plan){
        .mirrored = true, .games = 1000, .seed = 1, .elo_start = 1200, .elo_k = 24, .max_steps = 1000000};
}

// Number of entrants in one game.
static int entrants_per_game(const struct contest_plan *p)
{
    return p->format == CONTEST_MATCH ? p->entrants : 2;
}

int contest_pairing_games(const struct contest_plan *p)
{
    return entrants_per_game(p);
}

int contest_rotations(const struct contest_plan *p)
{
    return p->mirrored ? entrants_per_game(p) : 1;
}

bool contest_is_solo(const struct contest_plan *p)
{
    return p->codec->game->max_seats == 1;
}

int contest_set_scores(const struct contest_plan *p)
{
    return contest_is_solo(p) ? 1 : contest_rotations(p);
}

// An address may contain a '=', but not without a ':' or '/' before it.
static void name_model(struct contest_entrant *e, const char *where)
{
    size_t place = strcspn(where, "#"), model = place;
    for (size_t i = 0; i < place; i++)
        if (where[i] == '@')
            model = i;
    snprintf(e->name, sizeof e->name, "%.*s%s", (int)(model < CONTEST_NAME ? model : CONTEST_NAME), where,
             where + place);
}

const char *contest_name_entrant(struct contest_entrant *e, const char *given)
{
    size_t label = strcspn(given, "=:/ ");
    const char *who = given[label] == '=' && label ? given + label + 1 : given;
    if (who != given)
        snprintf(e->name, sizeof e->name, "%.*s", (int)label, given);
    else if (strncmp(who, "llm:", 4) == 0) // a model by its name, with its settings
        name_model(e, who + 4);
    else // a level keeps its prefix: "house:3" says more than "3"
        snprintf(e->name, sizeof e->name, "%s",
                 strncmp(who, "house:", 6) == 0 && !(who[6] >= '0' && who[6] <= '9') ? who + 6 : who);
    return who;
}

const char *contest_address(const struct contest_entrant *e)
{
    return e->command[0] ? e->command : e->address;
}

void contest_fill_seats(struct contest_plan *p)
{
    const struct game *g = p->codec->game;
    int meeting = entrants_per_game(p);
    if (g->min_seats <= meeting && meeting <= g->max_seats)
        p->seats = meeting;
}

void contest_set_facts(struct contest_plan *p, const struct contest_facts *f)
{
    p->facts = f;
    p->points = f ? f->points : NULL;
    p->attempts = f ? f->attempts : NULL;
    p->luck = f ? f->luck : NULL;
    p->first_rule = f ? f->first_rule : NULL;
}

void contest_even_deals(struct contest_plan *p, const char *mirror_rule)
{
    const struct game *g = p->codec->game;
    struct json_reader r = json_reader_of(SPAN("true"), 2);
    union game_rules even = p->rules;
    if (!p->mirrored || !mirror_rule)
        return;
    p->codec->read_rule(&r, (struct json_string){.raw = span_of(mirror_rule)}, &even);
    p->uneven = !game_can_begin(g, &even, p->seats) && game_can_begin(g, &p->rules, p->seats);
    p->rules = even;
}

static const char *check_entrants(const struct contest_plan *p)
{
    static _Thread_local char why[256];
    const struct game *g = p->codec->game;
    bool solo = contest_is_solo(p);
    if (p->entrants < 2)
        return "a contest needs at least two entrants";
    if (solo && !p->mirrored)
        return "entrants of a single-seat game always play from the same seeds; leave out --no-mirror (mirrored false)";
    if (solo && entrants_per_game(p) > GAME_MAX_SEATS)
        return "a match of a single-seat game has at most ten entrants; use a tournament for more";
    if (!solo && p->seats % entrants_per_game(p)) {
        snprintf(why, sizeof why, "%d entrants cannot share the %d seats of %s evenly", entrants_per_game(p), p->seats,
                 g->name);
        return why;
    }
    if (!solo && p->seats < 2) {
        snprintf(why, sizeof why, "%s has one seat with these rules; choose two or more with --seats", g->name);
        return why;
    }
    for (int i = 0; i < p->entrants; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(p->entrant[i].name, p->entrant[j].name) == 0) {
                snprintf(why, sizeof why, "two entrants have the same name, '%.100s'; rename one with LABEL=WHO",
                         p->entrant[i].name);
                return why;
            }
    return NULL;
}

// Without mirrors every pairing of a tournament plays one game before any plays its other one, so that all meet equally
// often, whatever the number of games. Pairings of a Swiss round have both games in it.
static bool plays_in_laps(const struct contest_plan *p)
{
    return !p->mirrored && (p->format == CONTEST_ROUND_ROBIN || p->format == CONTEST_GAUNTLET);
}

// Games of a pairing each time it meets.
static uint64_t games_at_once(const struct contest_plan *p)
{
    return plays_in_laps(p) ? 1 : (uint64_t)contest_pairing_games(p);
}

// Sets of a pairing each time it meets.
static uint64_t count_sets(const struct contest_plan *p)
{
    return games_at_once(p) / (uint64_t)contest_rotations(p);
}

// Number of pairings before the first one meets again.
static uint64_t count_pairings(const struct contest_plan *p)
{
    uint64_t n = (uint64_t)p->entrants;
    return p->format == CONTEST_ROUND_ROBIN ? n * (n - 1) / 2
           : p->format == CONTEST_GAUNTLET  ? n - 1
           : p->format == CONTEST_SWISS     ? n / 2
                                            : 1;
}

uint64_t contest_games_of_deals(const struct contest_plan *p)
{
    uint64_t meetings = p->deal_count / count_sets(p);
    return (meetings ? meetings : 1) * count_pairings(p) * games_at_once(p);
}

// Deals needed for the pairing that meets most often.
static uint64_t deals_needed(const struct contest_plan *p)
{
    uint64_t pairings = (contest_most_games(p) + games_at_once(p) - 1) / games_at_once(p);
    return (pairings + count_pairings(p) - 1) / count_pairings(p) * count_sets(p);
}

static const char *check_deals(const struct contest_plan *p)
{
    static _Thread_local char why[256];
    if (!p->deals || deals_needed(p) <= p->deal_count)
        return NULL;
    snprintf(why, sizeof why, "this contest needs %ju deals and %ju are given; add seeds or play fewer games",
             (uintmax_t)deals_needed(p), (uintmax_t)p->deal_count);
    return why;
}

static bool has_known_bot(const struct contest_plan *p)
{
    bool known = false;
    for (int i = 0; p->facts && p->luck && p->seats == 2 && i < p->entrants; i++)
        known |= aivat_knows(p->facts->aivat, p->entrant[i].bot);
    return known;
}

int contest_lucks(const struct contest_plan *p)
{
    return p->luck ? CONTEST_FOLLOWED + p->aivat : 0;
}

const char *contest_check(struct contest_plan *p)
{
    const char *wrong = check_entrants(p);
    if (wrong)
        return wrong;
    if (p->uneven)
        return "these rules exclude mirrored deals, as a gathered deck does; turn mirroring off (--no-mirror, mirrored "
               "false)";
    if (!game_can_begin(p->codec->game, &p->rules, p->seats))
        return "no game can start with these rules and this number of seats";
    if (p->has_sprt && p->entrants != 2)
        return "a sequential test needs exactly two entrants";
    if (p->games < 1 || p->games > CONTEST_MAX_GAMES)
        return "the number of games must be from 1 to 100000000";
    if (!p->stake)
        p->stake = contest_find_stake(p->facts, &p->rules, false);
    if (p->entrants != 2 || !contest_has_parts(p))
        p->luck = NULL; // it would not be reported (N14.4), and computing it costs more than playing
    if (p->aivat && !(p->facts && p->facts->luck))
        return "luck is not measured in this game, so AIVAT cannot reduce it; leave --aivat out";
    if (p->aivat && !has_known_bot(p))
        return "AIVAT needs two entrants at two seats, one of them a house bot that plays a solved table: house:5 or "
               "house:4";
    uint64_t whole = (uint64_t)contest_rotations(p);
    if (p->format != CONTEST_SWISS)
        p->games = (p->games + whole - 1) / whole * whole;
    return check_deals(p);
}

// Every match has one seed, a function of the run's seed and the set's number (B9.6). N11.5: given seeds go by how
// often a pairing has met, so that all pairings of a tournament play the same deals.
static uint64_t seed_of_set(const struct contest_plan *p, uint64_t set)
{
    uint64_t mixed[2] = {p->seed, set}, sets = count_sets(p);
    if (p->deals)
        return p->deals[set / sets / count_pairings(p) * sets + set % sets];
    return hash_bytes(mixed, sizeof mixed) >> 1; // fits into a signed 64-bit integer
}

// splitmix64 of both: neighbouring numbers get unrelated seeds, and game i of a run is the same whatever else is
// played.
uint64_t contest_simulate_seed(uint64_t run_seed, uint64_t number)
{
    uint64_t z = run_seed + (number + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    return b ? greatest_divisor(b, a % b) : a;
}

static const struct contest_meeting *meeting_of(const struct contest *c, uint64_t pairing)
{
    return &c->meeting[pairing % c->meetings]; // repeated cyclically; a Swiss contest has one for every pairing
}

// The seat that begins in all games of a pairing (B2.9). Two entrants that meet repeatedly get every seat equally
// often, and so does each entrant over all opponents: the seat goes by rounds, in which nobody plays twice. If the
// number of rounds and of seats have a common divisor, a pairing would get only a few of the seats; then each cycle
// begins one seat later.
static uint64_t first_seat(const struct contest *c, uint64_t pairing)
{
    const struct contest_plan *p = &c->plan;
    uint64_t seats = (uint64_t)p->seats;
    if (p->format == CONTEST_MATCH)
        return pairing % seats;
    const struct contest_meeting *m = meeting_of(c, pairing);
    if (p->format == CONTEST_SWISS)
        return m->turn;
    uint64_t around = pairing / c->meetings, rounds = c->meeting[c->meetings - 1].turn + 1;
    uint64_t common = greatest_divisor(rounds, seats);
    return (around * rounds + m->turn + around / (seats / common) % common) % seats;
}

// Which pairing a game belongs to, and how far its entrants have moved around the table.
struct rotation {
    uint64_t pairing;
    int turn;
};

// A lap has one game of every pairing, the next one the other. Whose turn it is to begin goes by the sum of the two
// numbers: then every entrant of a round robin begins in half of the games of a lap.
static struct rotation rotation_in_laps(const struct contest *c, uint64_t index)
{
    uint64_t lap = index / c->meetings, pairing = lap / 2 * c->meetings + index % c->meetings;
    const struct standing_pair *pair = &meeting_of(c, pairing)->pair;
    uint64_t begins = lap + (uint64_t)(pair->first + pair->second + 1);
    return (struct rotation){pairing, (int)((begins + (c->plan.first_rule ? first_seat(c, pairing) : 0)) % 2)};
}

static struct rotation rotation_of(const struct contest *c, uint64_t index)
{
    uint64_t count = (uint64_t)entrants_per_game(&c->plan);
    return plays_in_laps(&c->plan) ? rotation_in_laps(c, index)
                                   : (struct rotation){index / count, (int)(index % count)};
}

static void set_first_seat(const struct contest_plan *p, uint64_t seat, union game_rules *rules)
{
    char bytes[24];
    struct text t = text_on(bytes, sizeof bytes);
    if (!p->first_rule)
        return;
    text_put_uint(&t, seat);
    struct json_reader r = json_reader_of(text_span(&t), 4);
    struct json_string key = {.raw = span_of(p->first_rule)};
    p->codec->read_rule(&r, key, rules);
}

void contest_seat_players(const struct contest *c, uint64_t index, int8_t entrant[GAME_MAX_SEATS])
{
    const struct contest_plan *p = &c->plan;
    struct rotation rotation = rotation_of(c, index);
    struct standing_pair pair = {0, 1};
    if (p->format != CONTEST_MATCH)
        pair = meeting_of(c, rotation.pairing)->pair;
    // Simulate: players move one seat on after every game; in a match each seat moves to the next player.
    int count = entrants_per_game(p), turn = p->simulated ? count - rotation.turn : rotation.turn;
    for (int s = 0; s < p->seats; s++) {
        int k = (s + turn) % count;
        entrant[s] = (int8_t)(p->format == CONTEST_MATCH ? k : k == 0 ? pair.first : pair.second);
    }
}

void contest_make_game(const struct contest *c, uint64_t index, struct contest_game *out)
{
    const struct contest_plan *p = &c->plan;
    uint64_t set = index / (uint64_t)contest_rotations(p);
    out->index = index;
    out->set = set;
    out->seed = p->simulated ? contest_simulate_seed(p->seed, index) : seed_of_set(p, set);
    out->rules = p->rules;
    memset(out->entrant, 0, sizeof out->entrant);
    set_first_seat(p, first_seat(c, rotation_of(c, index).pairing), &out->rules);
    contest_seat_players(c, index, out->entrant);
}

uint64_t contest_count_before(const struct contest *c, uint64_t index, int entrant)
{
    uint64_t at_once = games_at_once(&c->plan), meeting = index / at_once;
    if (c->plan.format == CONTEST_MATCH)
        return index;
    const struct contest_meeting *m = meeting_of(c, meeting);
    assert(m->pair.first == entrant || m->pair.second == entrant);
    uint64_t met = meeting / c->meetings * c->met[entrant] + m->before[m->pair.second == entrant];
    return met * at_once + index % at_once;
}

// A plan that seats players differently from an earlier version, or that counts something else, is another contest:
// these bits make its fingerprint differ.
static uint64_t planning_bits(const struct contest_plan *p)
{
    uint64_t counted = p->facts && p->stake && p->stake == p->facts->other ? UINT64_C(1) << 40 : 0;
    counted |= p->simulated ? UINT64_C(1) << 41 : 0;
    counted |= plays_in_laps(p) ? UINT64_C(1) << 42 : 0;
    return counted | (p->mirrored && p->format == CONTEST_MATCH ? 0 : UINT64_C(2) << 32);
}

uint64_t contest_fingerprint(const struct contest_plan *p)
{
    uint64_t parts[] = {
        p->seed,      p->mirrored,        (uint64_t)p->format | planning_bits(p),   (uint64_t)p->entrants,
        p->max_steps, (uint64_t)p->seats, p->format == CONTEST_SWISS ? p->games : 0};
    uint64_t sum = hash_bytes(parts, sizeof parts);
    uint64_t rules[2] = {sum, hash_bytes(&p->rules, p->codec->game->rules_size)};
    sum = hash_bytes(rules, sizeof rules);
    if (p->deals) {
        uint64_t deals[2] = {sum, hash_bytes(p->deals, p->deal_count * sizeof *p->deals)};
        sum = hash_bytes(deals, sizeof deals);
    }
    if (p->clock_us) {
        uint64_t clock[3] = {sum, (uint64_t)p->clock_us, (uint64_t)p->increment_us};
        sum = hash_bytes(clock, sizeof clock);
    }
    for (int i = 0; i < p->entrants; i++) {
        const struct contest_entrant *e = &p->entrant[i];
        uint64_t name[3] = {sum, hash_bytes(e->name, strlen(e->name)), hash_bytes(e->address, strlen(e->address))};
        sum = hash_bytes(name, sizeof name);
    }
    uint64_t game[2] = {sum, hash_bytes(p->codec->game->name, strlen(p->codec->game->name))};
    return hash_bytes(game, sizeof game);
}
