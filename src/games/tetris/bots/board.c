#include "games/tetris/bots/board.h"

// Box rows: index y + FIELD_ABOVE. No piece has its cells in the topmost row of its box alone, so none is below 18.
enum { ROWS = 32, LOWEST = TETRIS_HEIGHT - 2 + FIELD_ABOVE };

void board_read(struct board *b, const struct tetris_view *v)
{
    struct tetris_field f;
    const uint8_t *cells = v->hidden; // the hidden rows, and the field right after them
    field_clear(&f, v->ruleset);
    memcpy(b->row, f.taken, sizeof b->row);
    b->garbage = 0;
    b->top = TETRIS_HEIGHT;
    b->first = (int8_t)field_top(v->ruleset);
    b->guideline = v->ruleset == TETRIS_GUIDELINE;
    b->spare = 0;
    for (int y = TETRIS_HEIGHT - 1; y >= b->first; y--) {
        unsigned row = 0;
        const uint8_t *line = cells + (y + TETRIS_HIDDEN) * TETRIS_WIDTH;
        for (int x = 0; x < TETRIS_WIDTH; x++) {
            row |= (unsigned)(line[x] != 0) << (x + FIELD_LEFT);
            b->garbage |= (uint32_t)(line[x] == TETRIS_GREY) << (y + FIELD_ABOVE);
        }
        b->row[y + FIELD_ABOVE] |= (uint16_t)row;
        if (row)
            b->top = (int8_t)y;
    }
}

void board_field(const struct board *b, struct tetris_field *f)
{
    memset(f, 0, sizeof *f);
    memcpy(f->taken, b->row, sizeof f->taken);
}

struct tetris_piece board_spawn(const struct board *b, int kind)
{
    struct tetris_piece p = {.kind = (uint8_t)kind, .x = 3};
    if (b->guideline) {
        p.y = (int8_t)piece_spawn_row(TETRIS_GUIDELINE);
        p.y = (int8_t)(p.y + board_fits(b, kind, TETRIS_NORTH, 3, p.y + 1)); // T1.62
        p.deepest = p.y;
    }
    return p;
}

static unsigned shifted(unsigned boxes, int x)
{
    return (uint16_t)(x < 0 ? boxes >> -x : boxes << x);
}

// Every box that is reached from `some` by steps to the side through `free`.
static unsigned spread(unsigned some, unsigned free)
{
    for (unsigned more; some != (more = (some | some << 1 | some >> 1) & free);)
        some = more;
    return some;
}

// What is free and what has been reached, by rotation and box row: bit x + FIELD_LEFT.
struct reach {
    const struct board *b;
    int kind;
    int from; // index of the first row that is looked at
    uint16_t free[4][ROWS], got[4][ROWS];
};

static void find_free(struct reach *r)
{
    for (int i = r->from > 2 ? r->from - 2 : 0; i <= LOWEST + 1; i++) {
        uint64_t rows;
        memcpy(&rows, &r->b->row[i], sizeof rows);
        for (int rotation = 0; rotation < 4; rotation++) {
            const uint8_t *bit = field_bits[r->kind][rotation];
            r->free[rotation][i] = (uint16_t) ~(rows >> bit[0] | rows >> bit[1] | rows >> bit[2] | rows >> bit[3]);
        }
    }
}

// Down and to the side; true: something was reached that had not been.
static bool sink(struct reach *r)
{
    bool more = false;
    for (int rotation = 0; rotation < 4; rotation++)
        for (int i = r->from; i <= LOWEST; i++) {
            unsigned free = r->free[rotation][i], got = r->got[rotation][i];
            unsigned now = got | (i > r->from ? r->got[rotation][i - 1] & free : 0u);
            now = spread(now, free);
            more |= now != got;
            r->got[rotation][i] = (uint16_t)now;
        }
    return more;
}

// All turns from one row, offset after offset: a piece that fits at one does not try the next (T1.6, T1.63).
static bool turn_row(struct reach *r, int rotation, bool back, int i)
{
    const struct field_kick *kick = field_kicks[r->kind == TETRIS_I][rotation][back];
    int to = (rotation + (back ? 3 : 1)) & 3, up = r->b->guideline ? -1 : 1;
    unsigned left = r->got[rotation][i];
    bool more = false;
    for (int k = 0; k < 5 && left; k++) {
        int at = i + up * kick[k].y;
        if (at < 0 || at > LOWEST)
            continue;
        unsigned hit = shifted(left, kick[k].x) & r->free[to][at];
        left &= ~shifted(hit, -kick[k].x);
        if (at >= r->from && (hit & ~(unsigned)r->got[to][at])) {
            r->got[to][at] |= (uint16_t)hit;
            more = true;
        }
    }
    return more;
}

static bool turn(struct reach *r)
{
    bool more = false;
    for (int rotation = 0; rotation < 4; rotation++)
        for (int i = r->from; i <= LOWEST; i++)
            for (int back = 0; back < 2; back++)
                if (r->got[rotation][i])
                    more |= turn_row(r, rotation, back, i);
    return more;
}

static bool is_all_reached(const struct reach *r)
{
    unsigned missed = 0;
    for (int rotation = 0; rotation < 4; rotation++)
        for (int i = r->from; i <= LOWEST; i++)
            missed |= (unsigned)r->free[rotation][i] & ~(unsigned)r->got[rotation][i];
    return missed == 0;
}

static void find_reach(struct reach *r, const struct tetris_piece *p)
{
    int open = r->b->top - 4; // a box there meets nothing but walls
    bool is_open = open >= p->y && open >= r->b->first;
    r->from = (is_open ? open : r->b->first - 2) + FIELD_ABOVE;
    memset(r->got, 0, sizeof r->got);
    memset(r->free, 0, sizeof r->free);
    find_free(r);
    if (is_open && p->kind != TETRIS_O)
        for (int rotation = 0; rotation < 4; rotation++)
            r->got[rotation][r->from] = r->free[rotation][r->from];
    else if (is_open)
        r->got[p->rotation][r->from] = r->free[p->rotation][r->from];
    else
        r->got[p->rotation][p->y + FIELD_ABOVE] = (uint16_t)(1u << (p->x + FIELD_LEFT));
    sink(r);
    if (p->kind == TETRIS_O)
        return;
    while (!is_all_reached(r) && turn(r))
        sink(r);
}

bool board_has_twins(int kind)
{
    return kind == TETRIS_I || kind == TETRIS_S || kind == TETRIS_Z;
}

struct board_end board_usual(int kind, struct board_end e)
{
    if (kind == TETRIS_O)
        e.rotation = TETRIS_NORTH;
    if (!board_has_twins(kind) || e.rotation < TETRIS_SOUTH)
        return e;
    if (e.rotation == TETRIS_SOUTH) // the same cells as north, one row deeper in the box
        return (struct board_end){TETRIS_NORTH, e.x, (int8_t)(e.y + 1)};
    return (struct board_end){TETRIS_EAST, (int8_t)(e.x - 1), e.y};
}

int board_ends(const struct board *b, const struct tetris_piece *from, struct board_end out[BOARD_ENDS])
{
    struct reach r = {.b = b, .kind = from->kind};
    int count = 0, rotations = board_has_twins(from->kind) ? 2 : 4;
    find_reach(&r, from);
    for (int i = r.from; i <= LOWEST; i++) {
        unsigned rests[4];
        for (int rotation = 0; rotation < 4; rotation++)
            rests[rotation] = r.got[rotation][i] & ~(unsigned)r.free[rotation][i + 1];
        if (rotations == 2) {
            unsigned above = i > r.from ? r.got[TETRIS_SOUTH][i - 1] & ~(unsigned)r.free[TETRIS_SOUTH][i] : 0;
            rests[TETRIS_NORTH] |= above;
            rests[TETRIS_EAST] |= rests[TETRIS_WEST] >> 1;
        }
        for (int rotation = 0; rotation < rotations; rotation++)
            for (unsigned left = rests[rotation]; left && count < BOARD_ENDS; left &= left - 1)
                out[count++] =
                    (struct board_end){(int8_t)(from->kind == TETRIS_O ? TETRIS_NORTH : rotation),
                                       (int8_t)(__builtin_ctz(left) - FIELD_LEFT), (int8_t)(i - FIELD_ABOVE)};
    }
    return count;
}

// The topmost taken row of each column, or the floor.
static void find_tops(const struct board *b, int top[TETRIS_WIDTH])
{
    unsigned open = ~(unsigned)FIELD_WALL & 0xFFFF;
    for (int x = 0; x < TETRIS_WIDTH; x++)
        top[x] = TETRIS_HEIGHT;
    for (int y = b->top; y < TETRIS_HEIGHT && open; y++) {
        unsigned met = b->row[y + FIELD_ABOVE] & open;
        open &= ~met;
        for (; met; met &= met - 1)
            top[__builtin_ctz(met) - FIELD_LEFT] = y;
    }
}

int board_drops(const struct board *b, const struct tetris_piece *from, struct board_end out[BOARD_ENDS])
{
    int top[TETRIS_WIDTH], count = 0, kind = from->kind;
    int rotations = kind == TETRIS_O ? 1 : board_has_twins(kind) ? 2 : 4;
    find_tops(b, top);
    for (int rotation = 0; rotation < rotations; rotation++) {
        const struct tetris_cell *cell = tetris_cells(kind, rotation);
        int left = tetris_left(kind, rotation), last = TETRIS_WIDTH - tetris_span(kind, rotation);
        for (int x = -left; x <= last - left; x++) {
            int y = TETRIS_HEIGHT;
            for (int i = 0; i < 4; i++) {
                int rest = top[x + cell[i].x] - 1 - cell[i].y;
                y = rest < y ? rest : y;
            }
            if (y >= from->y)
                out[count++] = (struct board_end){(int8_t)rotation, (int8_t)x, (int8_t)y};
        }
    }
    return count;
}

// The rows above come down by one.
static void remove_row(struct board *b, int i)
{
    int top = b->top + FIELD_ABOVE;
    memmove(&b->row[top + 1], &b->row[top], (size_t)(i - top) * sizeof *b->row);
    b->row[top] = FIELD_WALL;
    uint32_t below = ~0u << i << 1, above = ~below ^ (1u << i);
    b->garbage = (b->garbage & below) | (b->garbage & above) << 1;
    b->top++;
}

int board_settle(struct board *b, int kind, struct board_end e, int *grey)
{
    uint64_t rows;
    int lines = 0, i = e.y + FIELD_ABOVE, top = e.y + field_extents[kind][e.rotation].top;
    memcpy(&rows, &b->row[i], sizeof rows);
    rows |= field_shapes[kind][e.rotation] << (e.x + FIELD_LEFT);
    memcpy(&b->row[i], &rows, sizeof rows);
    b->top = (int8_t)(top < b->top ? top : b->top);
    *grey = 0;
    for (int k = 0; k < 4; k++, rows >>= 16)
        if ((rows & 0xFFFF) == FIELD_FULL && i + k >= b->first + FIELD_ABOVE && i + k < TETRIS_HEIGHT + FIELD_ABOVE) {
            *grey += (int)(b->garbage >> (i + k) & 1);
            remove_row(b, i + k);
            lines++;
        }
    return lines;
}
