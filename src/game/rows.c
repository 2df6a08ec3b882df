#include "game/rows.h"

#include <assert.h>

// ---- Names ----------------------------------------------------------------------------------------------------------
int game_row_vectors(const struct game *g)
{
    return g->rows && g->rows->size[1] ? 2 : 1;
}

uint32_t game_row_size(const struct game *g, int version)
{
    if (version < 1 || version > game_row_vectors(g))
        return 0;
    return version == 1 ? g->vector_size : g->rows->size[1];
}

static bool is_in(const struct game_span *s, int index, int place[2])
{
    int rest = index - (int)s->at, first = s->count[0] ? s->count[0] : 1, second = s->count[1] ? s->count[1] : 1;
    for (place[0] = 0; place[0] < first; place[0]++)
        for (place[1] = 0; place[1] < second; place[1]++)
            if (rest == place[0] * s->stride[0] + place[1] * s->stride[1])
                return true;
    return false;
}

// The digits of a number below 1000.
static const char *digits_of(int number, char out[4])
{
    char *at = out + 3;
    *at = 0;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    return at;
}

static void write_name(char *out, size_t room, const struct game_span *s, const int place[2])
{
    (void)room; // without assertions
    char digits[4], one[2] = {0};
    size_t size = 0;
    int index = 0;
    for (const char *c = s->name; *c; c++) {
        const char *part = one;
        one[0] = *c;
        if (*c == '#') {
            assert(index < 2);
            part = s->words[index] ? s->words[index][place[index]] : digits_of(place[index], digits);
            index++;
        }
        assert(size + strlen(part) < room);
        memcpy(out + size, part, strlen(part));
        size += strlen(part);
    }
    out[size] = 0;
}

bool game_row_element(const struct game *g, int version, int index, struct game_element *out)
{
    if (index < 0 || (uint32_t)index >= game_row_size(g, version))
        return false;
    static const struct game_span unnamed = {.name = "v.#", .group = "v", .high = 1, .step = 1.0f / 255, .since = 1};
    const struct game_span *s = g->rows ? g->rows->spans : NULL;
    int place[2] = {index, 0};
    while (s && s->name && !is_in(s, index, place))
        s++;
    assert(!s || s->name); // the table has a row for every element
    if (!s)
        s = &unnamed;
    *out = (struct game_element){.group = s->group, .low = s->low, .high = s->high, .step = s->step, .since = s->since};
    write_name(out->name, sizeof out->name, s, place);
    return true;
}

int game_row_find(const struct game *g, int version, const char *name)
{
    struct game_element e;
    for (int i = 0; game_row_element(g, version, i, &e); i++)
        if (!strcmp(e.name, name))
            return i;
    return -1;
}

// ---- History --------------------------------------------------------------------------------------------------------
uint32_t game_history_size(const struct game *g)
{
    return g->rows ? g->rows->history_size : 0;
}

bool game_reads_history(const struct game *g, int version, bool tokens)
{
    return game_history_size(g) && (tokens || version >= (int)g->rows->history_since);
}

void game_history_begin(const struct game *g, const void *state, void *history)
{
    if (!game_history_size(g) || !history)
        return;
    memset(history, 0, g->rows->history_size);
    if (g->rows->begin)
        g->rows->begin(state, history);
}

// Tokens are made from events, so a caller that wants tokens needs a listener.
struct listener {
    struct game_events *events;
    uint32_t first; // of this step
    uint32_t unused;
    struct game_events own;
};

static struct game_events *begin_listening(struct listener *l, const struct game *g, struct game_events *happened,
                                           const struct game_tokens *tokens)
{
    l->events = happened;
    if (tokens && game_token_kinds(g) && !happened) {
        l->events = &l->own;
        l->own.count = l->own.ticks = 0;
    }
    l->first = l->events ? l->events->count : 0;
    return l->events;
}

static void put_tokens(const struct listener *l, const struct game *g, const void *state, const void *history,
                       struct game_tokens *tokens)
{
    if (!tokens || !game_token_kinds(g))
        return;
    g->rows->tell(state, history, l->events->at + l->first, (int)(l->events->count - l->first), tokens);
}

int game_init_kept(const struct game *g, void *state, void *history, const void *rules, int seats, struct rng chance,
                   struct game_events *happened, struct game_tokens *tokens)
{
    struct listener l;
    int status = g->init(state, rules, seats, chance, begin_listening(&l, g, happened, tokens));
    if (status == OK) {
        game_history_begin(g, state, history);
        put_tokens(&l, g, state, history, tokens);
    }
    return status;
}

static void before(const struct game *g, const void *state, int seat, struct game_action action, struct game_mark *note)
{
    if (g->rows && g->rows->before)
        g->rows->before(state, seat, action, note);
}

static void note_after(const struct game *g, const void *state, void *history, int seat, struct game_action action,
                       const struct game_mark *note)
{
    if (g->rows && g->rows->after && history)
        g->rows->after(state, history, seat, action, note);
}

static int apply_with_tokens(const struct game *g, void *state, void *history, int seat, struct game_action action,
                             struct game_events *happened, struct game_tokens *tokens)
{
    struct game_mark note;
    struct listener l;
    before(g, state, seat, action, &note);
    int status = g->apply(state, seat, action, begin_listening(&l, g, happened, tokens));
    if (status != OK)
        return status;
    note_after(g, state, history, seat, action, &note);
    put_tokens(&l, g, state, history, tokens);
    return OK;
}

int game_apply_kept(const struct game *g, void *state, void *history, int seat, struct game_action action,
                    struct game_events *happened, struct game_tokens *tokens)
{
    if (tokens) // apart: a listener takes 16 KB of stack
        return apply_with_tokens(g, state, history, seat, action, happened, tokens);
    struct game_mark note;
    before(g, state, seat, action, &note);
    int status = g->apply(state, seat, action, happened);
    if (status == OK)
        note_after(g, state, history, seat, action, &note);
    return status;
}

int game_apply_brief(const struct game *g, void *state, void *history, int seat, struct game_action action,
                     struct game_events *happened)
{
    bool brief = g->rows && g->rows->after_brief && seat != GAME_MASTER;
    if (history && !brief)
        return game_apply_kept(g, state, history, seat, action, happened, NULL);
    int status = g->apply(state, seat, action, happened);
    if (status == OK && history)
        g->rows->after_brief(state, history);
    return status;
}

static void tick_once(const struct game *g, void *state, void *history, struct game_events *happened)
{
    struct game_action none = {0};
    struct game_mark note;
    before(g, state, GAME_SPECTATOR, none, &note);
    g->tick(state, happened);
    note_after(g, state, history, GAME_SPECTATOR, none, &note);
}

static void tick_with_tokens(const struct game *g, void *state, void *history, struct game_events *happened,
                             struct game_tokens *tokens)
{
    struct listener l;
    tick_once(g, state, history, begin_listening(&l, g, happened, tokens));
    put_tokens(&l, g, state, history, tokens);
}

void game_tick_kept(const struct game *g, void *state, void *history, struct game_events *happened,
                    struct game_tokens *tokens)
{
    if (tokens)
        tick_with_tokens(g, state, history, happened, tokens);
    else
        tick_once(g, state, history, happened);
}

// ---- Observations ---------------------------------------------------------------------------------------------------
// V33, for elements that know their step; without a table everything is a fraction.
static uint8_t as_byte(float value, float low, float step)
{
    float scaled = step < 1.0f / 200 ? value * 255 : (value - low) / step + 0.5f;
    return (uint8_t)(scaled < 255 ? scaled : 255);
}

static void pack(const struct game *g, const float *row, uint8_t *out)
{
    const struct game_span *s = g->rows ? g->rows->spans : NULL;
    if (!s) {
        for (uint32_t i = 0; i < g->vector_size; i++)
            out[i] = as_byte(row[i], 0, 1.0f / 255);
        return;
    }
    for (; s->name; s++)
        for (int i = 0; s->since == 1 && i < (s->count[0] ? s->count[0] : 1); i++)
            for (int k = 0; k < (s->count[1] ? s->count[1] : 1); k++) {
                uint32_t at = s->at + (uint32_t)(i * s->stride[0] + k * s->stride[1]);
                out[at] = as_byte(row[at], s->low, s->step);
            }
}

static void observe_view(const struct game *g, const void *state, int viewer, enum game_dtype dtype, void *out)
{
    union game_view view;
    float row[GAME_MAX_VECTOR];
    g->view(state, viewer, &view);
    g->vector(&view, dtype == GAME_F32 ? out : row);
    if (dtype == GAME_U8)
        pack(g, row, out);
}

void game_observe(const struct game *g, const void *state, const void *history, int viewer, int version,
                  enum game_dtype dtype, void *out)
{
    assert(version >= 1 && version <= game_row_vectors(g));
    if (g->rows && g->rows->observe)
        g->rows->observe(state, history, viewer, version, dtype, out);
    else
        observe_view(g, state, viewer, dtype, out);
}

// ---- Numbers --------------------------------------------------------------------------------------------------------
void game_mask_of(const struct game *g, const void *state, int seat, const uint64_t wanted[GAME_FLAT_WORDS],
                  uint64_t out[GAME_FLAT_WORDS])
{
    if (g->rows && g->rows->mask) {
        memset(out, 0, GAME_FLAT_WORDS * sizeof *out);
        g->rows->mask(state, seat, wanted, out);
    } else {
        game_mask(g, state, seat, out);
    }
    for (int i = 0; i < GAME_FLAT_WORDS; i++)
        out[i] = game_scalar(out[i] & wanted[i]);
}

struct game_action game_action_at(const struct game *g, const void *state, int seat, int number)
{
    if (g->rows && g->rows->action)
        return g->rows->action(state, seat, number);
    struct game_action a = {0};
    bool known = g->flat(state, seat, number, &a);
    assert(known);
    (void)known;
    return a;
}

// ---- Rewards --------------------------------------------------------------------------------------------------------
bool game_needs_events(const struct game *g)
{
    return !g->rows || !(g->rows->earned || g->rows->won_at);
}

static const int32_t *won(const struct game *g, const void *state)
{
    return (const int32_t *)((const uint8_t *)state + g->rows->won_at);
}

void game_mark(const struct game *g, const void *state, struct game_mark *mark)
{
    if (game_needs_events(g))
        return;
    if (g->rows->mark)
        g->rows->mark(state, mark);
    else if (g->max_seats == 2) // a word instead of a call
        memcpy(mark->at, won(g, state), 2 * sizeof *mark->at);
    else
        memcpy(mark->at, won(g, state), g->max_seats * sizeof *mark->at);
}

void game_earned(const struct game *g, const void *state, const struct game_mark *mark,
                 const struct game_events *happened, struct game_rewards *out)
{
    if (game_needs_events(g))
        g->rewards(state, happened, out);
    else if (g->rows->earned)
        g->rows->earned(state, mark, out);
    else
        for (int seat = 0; seat < g->max_seats; seat++)
            out->at[seat][0] = (float)(won(g, state)[seat] - mark->at[seat]);
}

// ---- Tokens ---------------------------------------------------------------------------------------------------------
int game_token_kinds(const struct game *g)
{
    int count = 0;
    while (g->rows && g->rows->token_kinds && g->rows->token_kinds[count].name)
        count++;
    return count;
}

void game_add_token(struct game_tokens *out, int kind, int seat, int first, int second)
{
    if (out->count == GAME_MAX_TOKENS)
        memmove(out->at, out->at + 1, --out->count * sizeof *out->at);
    out->at[out->count++] = (struct game_token){(int16_t)kind, (int16_t)seat, {(int16_t)first, (int16_t)second}};
}

static int16_t relative(int16_t seat, int seats, int viewer)
{
    return (int16_t)(seat ? (seat - 1 - viewer + seats) % seats + 1 : 0);
}

void game_write_token(const struct game *g, const struct game_token *t, int seats, int viewer, int16_t out[4])
{
    uint64_t args = g->rows->token_kinds[t->kind - 1].args;
    int from = viewer < seats ? viewer : 0;
    bool swap = args & GAME_ARG_TEAMS && from % 2;
    out[0] = t->kind;
    out[1] = relative(t->seat, seats, from);
    out[2] = args & GAME_ARG_SEAT_0 ? relative(t->arg[0], seats, from) : t->arg[swap];
    out[3] = args & GAME_ARG_SEAT_1 ? relative(t->arg[1], seats, from) : t->arg[!swap];
}
