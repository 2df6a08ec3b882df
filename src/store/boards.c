#include "store/boards.h"

#include "base/hash.h"
#include "heap/heap.h"
#include "store/engine.h"
#include "store/ranked_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_ROOM = 64,
    TEND_MOST = 500,  // most rows moved in one call: one or two milliseconds
    MOVE_MOST = 5000, // if more have to be moved, the board is sorted again
};

// An agent in one game, or over all games (game 0, where grade, wins etc. are not stored but summed up).
struct rank {
    struct grade grade;
    double display;
    int64_t changes_ms; // when the display drops next; 0: never
    uint32_t agent, next;
    uint32_t games, rated_games, wins, losses, draws;
    uint32_t due; // index in the board's heap, from 1; 0: not in it
    uint8_t game, pace;
    bool listed;
    char form[STORE_FORM + 1];
};

struct board_agent { // an agent
    struct uuid id;
    uint32_t first; // the first of its ranks
    bool is_house;
    char *names; // name and model, each with its NUL; NULL: not known here
};

struct board {
    struct ranked_list order;
    uint32_t *due; // heap of ranks by changes_ms, from index 1
    uint32_t due_count, due_room;
    int64_t as_of_ms;
};

struct boards {
    uint32_t min_rated;
    bool filling;
    struct rank *rank; // from index 1
    uint32_t ranks, rank_room;
    struct board_agent *agent; // from index 1
    uint32_t agents, agent_room;
    uint32_t *slot; // hash table of agents by id; the size is a power of two
    uint32_t slots;
    uint32_t *house; // house agents
    uint32_t houses, house_room;
    struct board board[STORE_GAMES + 1];
};

// --- agents by id

static uint32_t *find_slot(const struct boards *b, const struct uuid *id)
{
    uint32_t at = (uint32_t)hash_bytes(id, sizeof *id) & (b->slots - 1);
    while (b->slot[at] && memcmp(&b->agent[b->slot[at]].id, id, sizeof *id) != 0)
        at = (at + 1) & (b->slots - 1);
    return &b->slot[at];
}

static uint32_t find_agent(const struct boards *b, const struct uuid *id)
{
    return *find_slot(b, id);
}

static void make_slots(struct boards *b, uint32_t slots)
{
    free(b->slot);
    b->slots = slots;
    b->slot = calloc(slots, sizeof *b->slot);
    if (!b->slot)
        abort();
    for (uint32_t i = 1; i <= b->agents; i++)
        *find_slot(b, &b->agent[i].id) = i;
}

static uint32_t get_agent(struct boards *b, const struct uuid *id)
{
    uint32_t found = find_agent(b, id);
    if (found)
        return found;
    if (2 * (b->agents + 1) > b->slots)
        make_slots(b, b->slots * 2);
    b->agent = heap_list_grow(b->agent, b->agents + 1, &b->agent_room, FIRST_ROOM, sizeof *b->agent);
    b->agent[++b->agents] = (struct board_agent){.id = *id};
    return *find_slot(b, id) = b->agents;
}

static struct rank *find_rank(const struct boards *b, uint32_t agent, int game)
{
    uint32_t r = b->agent[agent].first;
    while (r && b->rank[r].game != game)
        r = b->rank[r].next;
    return r ? &b->rank[r] : NULL;
}

static struct rank *get_rank(struct boards *b, uint32_t agent, int game)
{
    struct rank *found = find_rank(b, agent, game);
    if (found)
        return found;
    b->rank = heap_list_grow(b->rank, b->ranks + 1, &b->rank_room, FIRST_ROOM, sizeof *b->rank);
    struct rank *r = &b->rank[++b->ranks];
    *r = (struct rank){.agent = agent, .next = b->agent[agent].first, .game = (uint8_t)game};
    b->agent[agent].first = b->ranks;
    return r;
}

// --- the order of a board (F7.10)

static bool is_before(const void *owner, uint32_t a, uint32_t b)
{
    const struct boards *all = owner;
    const struct rank *x = &all->rank[a], *y = &all->rank[b];
    if (x->display != y->display)
        return x->display > y->display;
    if (x->games != y->games)
        return x->games > y->games;
    return memcmp(&all->agent[x->agent].id, &all->agent[y->agent].id, sizeof(struct uuid)) < 0;
}

// --- the heap of rows whose display will drop

static void put_due(struct boards *b, struct board *on, uint32_t place, uint32_t r)
{
    on->due[place] = r;
    b->rank[r].due = place;
}

static void sift_due(struct boards *b, struct board *on, uint32_t place, uint32_t r)
{
    int64_t at_ms = b->rank[r].changes_ms;
    for (; place > 1 && at_ms < b->rank[on->due[place / 2]].changes_ms; place /= 2)
        put_due(b, on, place, on->due[place / 2]);
    for (uint32_t child; (child = 2 * place) <= on->due_count; place = child) {
        child += child < on->due_count && b->rank[on->due[child + 1]].changes_ms < b->rank[on->due[child]].changes_ms;
        if (at_ms <= b->rank[on->due[child]].changes_ms)
            break;
        put_due(b, on, place, on->due[child]);
    }
    put_due(b, on, place, r);
}

static void add_due(struct boards *b, struct board *on, uint32_t r)
{
    if (!b->rank[r].changes_ms)
        return;
    on->due = heap_list_grow(on->due, on->due_count + 1, &on->due_room, FIRST_ROOM, sizeof *on->due);
    on->due_count++;
    sift_due(b, on, on->due_count, r);
}

static void drop_due(struct boards *b, struct board *on, uint32_t r)
{
    uint32_t place = b->rank[r].due;
    if (!place)
        return;
    uint32_t last = on->due[on->due_count--];
    b->rank[r].due = 0;
    if (last != r)
        sift_due(b, on, place, last);
}

// --- the value of a row at a given time

static bool is_eligible(const struct boards *b, const struct rank *r)
{
    return r->game > 0 && r->rated_games >= b->min_rated;
}

// F7.11: computes the row over all games from the agent's other rows.
static void compute_total(struct boards *b, struct rank *all, int64_t now_ms)
{
    struct grade_sum sum = {0};
    all->changes_ms = 0;
    all->games = 0;
    for (uint32_t i = b->agent[all->agent].first; i; i = b->rank[i].next) {
        const struct rank *r = &b->rank[i];
        if (r->game == 0)
            continue;
        all->games += r->games;
        if (!is_eligible(b, r))
            continue;
        int64_t changes_ms = grade_changes_ms(r->grade, now_ms);
        grade_add(&sum, grade_display(r->grade, now_ms), r->games);
        if (changes_ms && (!all->changes_ms || changes_ms < all->changes_ms))
            all->changes_ms = changes_ms;
    }
    all->display = grade_aggregate(&sum);
    all->listed = sum.games > 0;
}

static void compute_display(struct boards *b, struct rank *r, int64_t now_ms)
{
    if (r->game == 0) {
        compute_total(b, r, now_ms);
        return;
    }
    r->display = grade_display(r->grade, now_ms);
    r->changes_ms = grade_changes_ms(r->grade, now_ms);
    r->listed = is_eligible(b, r);
}

// --- adding and removing rows

static void remove_row(struct boards *b, struct rank *r)
{
    struct board *on = &b->board[r->game];
    uint32_t index = (uint32_t)(r - b->rank);
    if (!r->listed || b->filling)
        return;
    ranked_list_remove(&on->order, is_before, b, index);
    drop_due(b, on, index);
    r->listed = false;
}

static void insert_row(struct boards *b, struct rank *r)
{
    struct board *on = &b->board[r->game];
    uint32_t index = (uint32_t)(r - b->rank);
    if (b->filling)
        return;
    compute_display(b, r, on->as_of_ms);
    if (!r->listed)
        return;
    ranked_list_insert(&on->order, is_before, b, index);
    add_due(b, on, index);
}

static void move_row(struct boards *b, uint32_t r)
{
    remove_row(b, &b->rank[r]);
    insert_row(b, &b->rank[r]);
}

uint8_t boards_pace(const uint32_t latency[STORE_LATENCY_BUCKETS])
{
    uint64_t count = 0, seen = 0;
    uint8_t at = 0;
    for (int i = 0; i < STORE_LATENCY_BUCKETS; i++)
        count += latency[i];
    while (2 * seen < count)
        seen += latency[at++];
    return at;
}

struct boards_row boards_row_of(struct uuid agent, int game, const struct store_rating *r)
{
    struct boards_row row = {.agent = agent,
                             .game = (uint8_t)game,
                             .grade = {{r->rating, r->deviation, r->volatility}, r->rated_ms},
                             .games = r->games,
                             .rated_games = r->rated_games,
                             .wins = r->wins,
                             .losses = r->losses,
                             .draws = r->draws,
                             .pace = boards_pace(r->latency)};
    memcpy(row.form, r->form, sizeof row.form);
    return row;
}

void boards_set(struct boards *b, const struct boards_row *row)
{
    assert(row->game > 0 && row->game <= STORE_GAMES);
    uint32_t agent = get_agent(b, &row->agent);
    get_rank(b, agent, 0); // first, because it may move the array that others point into
    struct rank *r = get_rank(b, agent, row->game);
    remove_row(b, r);
    r->grade = row->grade;
    r->games = row->games;
    r->rated_games = row->rated_games;
    r->wins = row->wins;
    r->losses = row->losses;
    r->draws = row->draws;
    r->pace = row->pace;
    memcpy(r->form, row->form, sizeof r->form);
    insert_row(b, r);
    move_row(b, (uint32_t)(find_rank(b, agent, 0) - b->rank));
}

bool boards_has_newer(const struct boards *b, const struct boards_row *row)
{
    uint32_t agent = find_agent(b, &row->agent);
    const struct rank *r = agent ? find_rank(b, agent, row->game) : NULL;
    return r && r->games > row->games;
}

void boards_clear(struct boards *b)
{
    for (int game = 0; game <= STORE_GAMES; game++) {
        ranked_list_clear(&b->board[game].order);
        b->board[game].due_count = 0;
    }
    b->ranks = 0;
    for (uint32_t i = 1; i <= b->agents; i++)
        b->agent[i].first = 0;
}

// --- sorting a whole board

struct key { // usually all that sorting needs to compare
    double display;
    uint32_t games, rank;
};

static int compare_keys(const void *one, const void *other, void *owner)
{
    const struct key *x = one, *y = other;
    if (x->display != y->display)
        return x->display > y->display ? -1 : 1;
    if (x->games != y->games)
        return x->games > y->games ? -1 : 1;
    return is_before(owner, x->rank, y->rank) ? -1 : 1;
}

static void sort_board(struct boards *b, int game, int64_t now_ms)
{
    struct board *on = &b->board[game];
    size_t count = 0;
    struct key *key = malloc((b->ranks + 1) * sizeof *key);
    uint32_t *item = malloc((b->ranks + 1) * sizeof *item);
    if (!key || !item)
        abort();
    ranked_list_clear(&on->order);
    on->due_count = 0;
    on->as_of_ms = now_ms;
    for (uint32_t i = 1; i <= b->ranks; i++) {
        struct rank *r = &b->rank[i];
        if (r->game != game)
            continue;
        compute_display(b, r, now_ms);
        r->due = 0;
        if (!r->listed)
            continue;
        key[count++] = (struct key){r->display, r->games, i};
        add_due(b, on, i);
    }
    qsort_r(key, count, sizeof *key, compare_keys, b);
    for (size_t i = 0; i < count; i++)
        item[i] = key[i].rank;
    ranked_list_fill(&on->order, item, count);
    free(key);
    free(item);
}

void boards_sort(struct boards *b)
{
    bool met[STORE_GAMES + 1] = {0};
    b->filling = false;
    for (uint32_t i = 1; i <= b->ranks; i++)
        met[b->rank[i].game] = true;
    for (int game = 0; game <= STORE_GAMES; game++)
        if (met[game])
            sort_board(b, game, b->board[game].as_of_ms);
}

static bool is_due(const struct boards *b, const struct board *on, int64_t now_ms)
{
    return on->due_count && b->rank[on->due[1]].changes_ms <= now_ms;
}

// Moves every due row once: its next change is after now_ms.
static void advance_board(struct boards *b, int game, int64_t now_ms)
{
    struct board *on = &b->board[game];
    if (now_ms < on->as_of_ms) {
        sort_board(b, game, now_ms);
        return;
    }
    on->as_of_ms = now_ms;
    for (int i = 0; i < MOVE_MOST; i++) {
        if (!is_due(b, on, now_ms))
            return;
        move_row(b, on->due[1]);
    }
    sort_board(b, game, now_ms);
}

void boards_tend(struct boards *b, int64_t now_ms)
{
    int left = TEND_MOST;
    for (int game = 0; game <= STORE_GAMES; game++) {
        struct board *on = &b->board[game];
        if (now_ms < on->as_of_ms)
            continue;
        for (; left > 0 && is_due(b, on, now_ms); left--) {
            // The board is as of the time up to which all rows were moved.
            on->as_of_ms = b->rank[on->due[1]].changes_ms;
            move_row(b, on->due[1]);
        }
    }
}

// --- reading

static int count_house_before(const struct boards *b, int game, uint32_t row)
{
    int before = 0;
    for (uint32_t i = 0; i < b->houses; i++) {
        const struct rank *r = find_rank(b, b->house[i], game);
        before += r && r->listed && is_before(b, (uint32_t)(r - b->rank), row);
    }
    return before;
}

// Place among agents that are no house agents, from 1.
static int place_of(const struct boards *b, int game, uint32_t row)
{
    return 1 + (int)ranked_list_position(&b->board[game].order, is_before, b, row) - count_house_before(b, game, row);
}

static void read_names(const struct board_agent *a, char name[STORE_NAME], char model[STORE_MODEL])
{
    if (!a->names)
        return;
    memcpy(name, a->names, strlen(a->names));
    const char *second = a->names + strlen(a->names) + 1;
    memcpy(model, second, strlen(second));
}

static void read_rank(const struct boards *b, uint32_t row, struct store_rank *out)
{
    const struct rank *r = &b->rank[row];
    const struct board_agent *a = &b->agent[r->agent];
    *out = (struct store_rank){.agent = a->id,
                               .rating = r->grade.glicko.rating,
                               .deviation = r->grade.glicko.deviation,
                               .volatility = r->grade.glicko.volatility,
                               .rated_ms = r->grade.rated_ms,
                               .display = r->display,
                               .games = r->games,
                               .rated_games = r->rated_games,
                               .wins = r->wins,
                               .losses = r->losses,
                               .draws = r->draws,
                               .pace = r->pace,
                               .is_house = a->is_house};
    memcpy(out->form, r->form, sizeof out->form);
    read_names(a, out->name, out->model);
}

static int read_rows(struct boards *b, int game, int64_t now_ms, int from, uint32_t *rows, int room)
{
    advance_board(b, game, now_ms);
    return from < 0 || room <= 0 ? 0 : (int)ranked_list_read(&b->board[game].order, (size_t)from, rows, (size_t)room);
}

int boards_size(const struct boards *b, int game)
{
    return (int)b->board[game].order.count;
}

int boards_read(struct boards *b, int game, int64_t now_ms, int from, struct store_rank *out, int room)
{
    uint32_t rows[STORE_PAGE];
    int count = read_rows(b, game, now_ms, from, rows, room < STORE_PAGE ? room : STORE_PAGE);
    int place = count ? place_of(b, game, rows[0]) : 0;
    for (int i = 0; i < count; i++) {
        read_rank(b, rows[i], &out[i]);
        out[i].place = out[i].is_house ? 0 : place++;
    }
    return count;
}

static void read_total(const struct boards *b, uint32_t agent, int64_t now_ms, struct store_total *out)
{
    struct grade_sum sum = {0};
    const struct board_agent *a = &b->agent[agent];
    *out = (struct store_total){.agent = a->id, .is_house = a->is_house};
    for (uint32_t i = a->first; i; i = b->rank[i].next) {
        const struct rank *r = &b->rank[i];
        if (r->game == 0)
            continue;
        out->games += r->games;
        out->wins += r->wins;
        out->losses += r->losses;
        out->draws += r->draws;
        out->games_active += r->games > 0;
        if (is_eligible(b, r))
            grade_add(&sum, grade_display(r->grade, now_ms), r->games);
    }
    out->aggregate = grade_aggregate(&sum);
    read_names(a, out->name, out->model);
}

int boards_read_totals(struct boards *b, int64_t now_ms, int from, struct store_total *out, int room)
{
    uint32_t rows[STORE_PAGE];
    int count = read_rows(b, 0, now_ms, from, rows, room < STORE_PAGE ? room : STORE_PAGE);
    int place = count ? place_of(b, 0, rows[0]) : 0;
    for (int i = 0; i < count; i++) {
        read_total(b, b->rank[rows[i]].agent, now_ms, &out[i]);
        out[i].place = out[i].is_house ? 0 : place++;
    }
    return count;
}

void boards_read_total(struct boards *b, struct uuid agent, int64_t now_ms, struct store_total *out)
{
    uint32_t found = find_agent(b, &agent);
    *out = (struct store_total){.agent = agent};
    if (!found)
        return;
    advance_board(b, 0, now_ms);
    read_total(b, found, now_ms, out);
    const struct rank *r = find_rank(b, found, 0);
    if (r && r->listed && !out->is_house)
        out->place = place_of(b, 0, (uint32_t)(r - b->rank));
}

// --- names and kinds of agents

void boards_set_house(struct boards *b, struct uuid agent, bool is_house)
{
    uint32_t a = is_house ? get_agent(b, &agent) : find_agent(b, &agent);
    if (!a || b->agent[a].is_house == is_house)
        return;
    b->agent[a].is_house = is_house;
    if (is_house) {
        b->house = heap_list_grow(b->house, b->houses, &b->house_room, FIRST_ROOM, sizeof *b->house);
        b->house[b->houses++] = a;
        return;
    }
    for (uint32_t i = 0; i < b->houses; i++)
        if (b->house[i] == a) {
            b->house[i] = b->house[--b->houses];
            return;
        }
}

void boards_drop_names(struct boards *b, struct uuid agent)
{
    uint32_t a = find_agent(b, &agent);
    if (!a)
        return;
    free(b->agent[a].names);
    b->agent[a].names = NULL;
}

void boards_set_names(struct boards *b, struct uuid agent, const char *name, const char *model)
{
    uint32_t a = find_agent(b, &agent);
    size_t first = strlen(name) + 1, second = strlen(model) + 1;
    if (!a)
        return;
    boards_drop_names(b, agent);
    char *names = malloc(first + second);
    if (!names)
        abort();
    memcpy(names, name, first);
    memcpy(names + first, model, second);
    b->agent[a].names = names;
}

// --- creating and destroying

struct boards *boards_create(uint32_t min_rated, int64_t now_ms)
{
    struct boards *b = calloc(1, sizeof *b);
    if (!b)
        abort();
    b->min_rated = min_rated;
    b->filling = true;
    for (int game = 0; game <= STORE_GAMES; game++)
        b->board[game].as_of_ms = now_ms;
    make_slots(b, 1024);
    return b;
}

void boards_destroy(struct boards *b)
{
    if (!b)
        return;
    for (int game = 0; game <= STORE_GAMES; game++) {
        ranked_list_clear(&b->board[game].order);
        free(b->board[game].due);
    }
    for (uint32_t i = 1; i <= b->agents; i++)
        free(b->agent[i].names);
    free(b->rank);
    free(b->agent);
    free(b->slot);
    free(b->house);
    free(b);
}
