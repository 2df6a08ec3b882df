#include "games/tetris/bots/finesse.h"

enum { PLACES = 2048, NOBODY = PLACES };

static const uint8_t inputs[] = {TETRIS_MOVE_LEFT, TETRIS_MOVE_RIGHT, TETRIS_ROTATE_CW, TETRIS_ROTATE_CCW,
                                 TETRIS_SOFT_DROP};

// Breadth first over (rotation, x, y), as the rules search (place.c), but to every end at once.
struct search {
    struct tetris_field f;
    int ruleset;
    uint64_t seen[PLACES / 64];
    uint64_t ended[PLACES / 64];
    uint16_t from[PLACES];
    uint8_t by[PLACES];
    uint8_t first[PLACES]; // input of the way here
    uint8_t far[PLACES];
    uint16_t queue[PLACES];
    int count;
};

static unsigned place_of(int rotation, int x, int y)
{
    return (unsigned)(rotation << 9 | (y + FIELD_ABOVE) << 4 | (x + FIELD_LEFT));
}

static void piece_at(struct tetris_piece *p, unsigned place)
{
    p->rotation = (uint8_t)(place >> 9);
    p->y = (int8_t)((int)(place >> 4 & 31) - FIELD_ABOVE);
    p->x = (int8_t)((int)(place & 15) - FIELD_LEFT);
}

static bool set_bit(uint64_t *bits, unsigned at)
{
    bool was = bits[at / 64] >> at % 64 & 1;
    bits[at / 64] |= (uint64_t)1 << at % 64;
    return !was;
}

static void search_begin(struct search *s, const struct board *b, const struct tetris_piece *p)
{
    unsigned at = place_of(p->rotation, p->x, p->y);
    board_field(b, &s->f);
    s->ruleset = b->guideline ? TETRIS_GUIDELINE : TETRIS_STANDARD;
    memset(s->seen, 0, sizeof s->seen);
    memset(s->ended, 0, sizeof s->ended);
    set_bit(s->seen, at);
    s->from[at] = NOBODY;
    s->by[at] = 0;
    s->first[at] = TETRIS_HARD_DROP;
    s->far[at] = 0;
    s->queue[0] = (uint16_t)at;
    s->count = 1;
}

static void search_step(struct search *s, const struct tetris_piece *p, unsigned at)
{
    for (size_t k = 0; k < sizeof inputs; k++) {
        struct tetris_piece next = *p;
        if (!piece_press(&s->f, &next, inputs[k], s->ruleset))
            continue;
        unsigned to = place_of(next.rotation, next.x, next.y);
        if (!set_bit(s->seen, to))
            continue;
        s->from[to] = (uint16_t)at;
        s->by[to] = inputs[k];
        s->first[to] = s->far[at] ? s->first[at] : inputs[k];
        s->far[to] = (uint8_t)(s->far[at] + (s->far[at] < UINT8_MAX - 1));
        s->queue[s->count++] = (uint16_t)to;
    }
}

static struct board_end landing(const struct search *s, struct tetris_piece p)
{
    piece_drop(&s->f, &p, s->ruleset);
    return (struct board_end){(int8_t)p.rotation, p.x, p.y};
}

int finesse_find(const struct board *b, const struct tetris_piece *from, struct finesse_end out[BOARD_ENDS])
{
    struct search s;
    struct tetris_piece p = *from;
    int count = 0;
    search_begin(&s, b, from);
    for (int i = 0; i < s.count; i++) {
        unsigned at = s.queue[i];
        piece_at(&p, at);
        struct board_end lies = landing(&s, p), end = board_usual(p.kind, lies);
        if (count < BOARD_ENDS && set_bit(s.ended, place_of(end.rotation, end.x, end.y)))
            out[count++] = (struct finesse_end){
                .end = end, .lies = lies, .inputs = (uint8_t)(s.far[at] + 1), .first = s.first[at]};
        search_step(&s, &p, at);
    }
    return count;
}

int finesse_path(const struct board *b, const struct tetris_piece *from, struct board_end end, uint8_t *out, int room)
{
    struct search s;
    struct tetris_piece p = *from;
    struct board_end usual = board_usual(p.kind, end);
    search_begin(&s, b, from);
    for (int i = 0; i < s.count; i++) {
        unsigned at = s.queue[i];
        piece_at(&p, at);
        struct board_end e = board_usual(p.kind, landing(&s, p));
        if (e.rotation == usual.rotation && e.x == usual.x && e.y == usual.y) {
            int count = s.far[at] + 1;
            if (count > room)
                return -1;
            out[count - 1] = TETRIS_HARD_DROP;
            for (int k = count - 2; k >= 0; k--, at = s.from[at])
                out[k] = s.by[at];
            return count;
        }
        search_step(&s, &p, at);
    }
    return -1;
}

int finesse_guess(int kind, struct board_end end)
{
    static const uint8_t turns[] = {[TETRIS_NORTH] = 0, [TETRIS_EAST] = 1, [TETRIS_SOUTH] = 2, [TETRIS_WEST] = 1};
    int x = end.x - 3;
    if (end.rotation == TETRIS_EAST && x < 0 && board_has_twins(kind)) // by the turn to the left, a column nearer
        x++;
    return turns[end.rotation] + (x < 0 ? -x : x) + 1;
}
