#include "games/tetris/tbp.h"

#include "games/tetris/rules/field.h"

#include <stdlib.h>

static const char *const types[] = {
    [TBP_OTHER] = "",
    [TBP_INFO] = "info",
    [TBP_RULES] = "rules",
    [TBP_READY] = "ready",
    [TBP_ERROR] = "error",
    [TBP_START] = "start",
    [TBP_SUGGEST] = "suggest",
    [TBP_PLAY] = "play",
    [TBP_SUGGESTION] = "suggestion",
    [TBP_NEW_PIECE] = "new_piece",
    [TBP_STOP] = "stop",
    [TBP_QUIT] = "quit",
    NULL,
};
static const char *const kinds[] = {"", "I", "O", "T", "S", "Z", "J", "L", "G", NULL};
static const char *const orientations[] = {"north", "east", "south", "west", NULL};
static const char *const spins[] = {"none", "mini", "full", NULL};

// ---- Coordinates ----------------------------------------------------------------------------------------------------

// The cell of the centre in the box, by orientation.
static const struct tetris_cell centre_of_o[4] = {{1, 1}, {1, 0}, {2, 0}, {2, 1}};
static const struct tetris_cell centre_of_i[4] = {{1, 1}, {2, 1}, {2, 2}, {1, 2}};

static struct tetris_cell centre_of(int kind, int rotation)
{
    if (kind == TETRIS_O)
        return centre_of_o[rotation];
    return kind == TETRIS_I ? centre_of_i[rotation] : (struct tetris_cell){1, 1};
}

struct tetris_piece tbp_piece(struct tbp_move m)
{
    struct tetris_cell c = centre_of(m.kind, m.rotation);
    return (struct tetris_piece){
        .kind = m.kind, .rotation = m.rotation, .x = (int8_t)(m.x - c.x), .y = (int8_t)(TETRIS_HEIGHT - 1 - m.y - c.y)};
}

struct tbp_move tbp_move_of(int kind, int rotation, int box_x, int box_y)
{
    struct tetris_cell c = centre_of(kind, rotation);
    return (struct tbp_move){.kind = (uint8_t)kind,
                             .rotation = (uint8_t)rotation,
                             .x = (int8_t)(box_x + c.x),
                             .y = (int8_t)(TETRIS_HEIGHT - 1 - box_y - c.y)};
}

// Columns and rows of the four cells, in the order of rows, then columns.
static void list_cells(struct tbp_move m, int out[4])
{
    struct tetris_piece p = tbp_piece(m);
    const struct tetris_cell *cell = tetris_cells(p.kind, p.rotation);
    for (int i = 0; i < 4; i++) {
        int at = (TETRIS_HEIGHT - 1 - p.y - cell[i].y) * 64 + p.x + cell[i].x, k = i;
        for (; k > 0 && out[k - 1] > at; k--)
            out[k] = out[k - 1];
        out[k] = at;
    }
}

bool tbp_same_cells(struct tbp_move a, struct tbp_move b)
{
    int x[4], y[4];
    if (a.kind != b.kind)
        return false;
    list_cells(a, x);
    list_cells(b, y);
    return memcmp(x, y, sizeof x) == 0;
}

// ---- Reading --------------------------------------------------------------------------------------------------------

static uint8_t read_word(struct json_reader *r, const char *const *words, int most)
{
    if (json_peek(r) != JSON_STRING) {
        json_fail(r, ERR_TYPE);
        json_skip(r);
        return 0;
    }
    int at = json_string_among(json_read_string(r), words);
    if (at < 0 || at > most)
        json_fail(r, ERR_RANGE);
    return (uint8_t)(at < 0 || at > most ? 0 : at);
}

static uint8_t read_kind(struct json_reader *r)
{
    uint8_t kind = read_word(r, kinds, TETRIS_L);
    if (!kind)
        json_fail(r, ERR_RANGE);
    return kind;
}

static void read_board(struct json_reader *r, struct tbp_game *g)
{
    int y = 0;
    for (json_enter_array(r); json_next_item(r); y++) {
        int x = 0;
        for (json_enter_array(r); json_next_item(r); x++) {
            uint8_t code = json_read_if_null(r) ? TETRIS_NONE : read_word(r, kinds, TETRIS_GREY);
            if (x < TETRIS_WIDTH && y < TBP_ROWS)
                g->cells[y][x] = code;
        }
        if (x != TETRIS_WIDTH)
            json_fail(r, ERR_RANGE);
    }
    if (y != TBP_ROWS)
        json_fail(r, ERR_RANGE);
}

// What is beyond the room is not looked at: a search does not go that far.
static void read_queue(struct json_reader *r, struct tbp_game *g)
{
    g->count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        uint8_t kind = read_kind(r);
        if (g->count < TBP_QUEUE)
            g->queue[g->count++] = kind;
    }
}

enum { HAS_KIND = 1, HAS_ROTATION = 2, HAS_X = 4, HAS_Y = 8, HAS_PLACE = 15 };

static void read_location(struct json_reader *r, struct tbp_move *m)
{
    struct json_string key;
    unsigned has = 0;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "type")) {
            m->kind = read_kind(r);
            has |= HAS_KIND;
        } else if (json_string_is(key, "orientation")) {
            m->rotation = read_word(r, orientations, TETRIS_WEST);
            has |= HAS_ROTATION;
        } else if (json_string_is(key, "x")) {
            m->x = (int8_t)json_read_int(r, 0, TETRIS_WIDTH - 1);
            has |= HAS_X;
        } else if (json_string_is(key, "y")) {
            m->y = (int8_t)json_read_int(r, 0, TBP_ROWS - 1);
            has |= HAS_Y;
        } else {
            json_skip(r);
        }
    if (has != HAS_PLACE)
        json_fail(r, ERR_MISSING);
}

static void read_move(struct json_reader *r, struct tbp_move *m)
{
    struct json_string key;
    bool placed = false;
    *m = (struct tbp_move){0};
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "location")) {
            read_location(r, m);
            placed = true;
        } else if (json_string_is(key, "spin")) {
            m->spin = read_word(r, spins, TETRIS_SPIN_FULL);
        } else {
            json_skip(r);
        }
    if (!placed)
        json_fail(r, ERR_MISSING);
}

static void read_moves(struct json_reader *r, struct tbp_message *m)
{
    for (json_enter_array(r); json_next_item(r);) {
        struct tbp_move move;
        read_move(r, &move);
        if (m->moves < TBP_MOVES)
            m->move[m->moves++] = move;
    }
}

static void read_name(struct json_reader *r, struct tbp_message *m)
{
    if (json_peek(r) != JSON_STRING) {
        json_fail(r, ERR_TYPE);
        json_skip(r);
        return;
    }
    struct json_string name = json_read_string(r);
    if (json_string_copy(name, m->name, sizeof m->name) < 0)
        m->name[0] = 0;
}

enum { HAS_BOARD = 1, HAS_QUEUE = 2, HAS_HOLD = 4, HAS_MOVE = 8, HAS_MOVES = 16, HAS_PIECE = 32 };

static const uint8_t needs[] = {[TBP_START] = HAS_BOARD | HAS_QUEUE | HAS_HOLD,
                                [TBP_PLAY] = HAS_MOVE,
                                [TBP_SUGGESTION] = HAS_MOVES,
                                [TBP_NEW_PIECE] = HAS_PIECE,
                                [TBP_QUIT] = 0};

// Members by the type of the message; the same name may mean something else in another.
static unsigned read_member(struct json_reader *r, struct json_string key, struct tbp_message *m)
{
    struct tbp_game *g = &m->game;
    if (m->type == TBP_START && json_string_is(key, "board"))
        return read_board(r, g), HAS_BOARD;
    if (m->type == TBP_START && json_string_is(key, "queue"))
        return read_queue(r, g), HAS_QUEUE;
    if (m->type == TBP_START && json_string_is(key, "hold"))
        return g->hold = json_read_if_null(r) ? TETRIS_NONE : read_kind(r), HAS_HOLD;
    if (m->type == TBP_START && json_string_is(key, "combo"))
        return g->combo = (int32_t)json_read_int(r, -1, INT32_MAX), 0;
    if (m->type == TBP_START && json_string_is(key, "back_to_back"))
        return g->back_to_back = json_read_bool(r), 0;
    if (m->type == TBP_PLAY && json_string_is(key, "move"))
        return read_move(r, &m->move[0]), m->moves = 1, HAS_MOVE;
    if (m->type == TBP_SUGGESTION && json_string_is(key, "moves"))
        return read_moves(r, m), HAS_MOVES;
    if (m->type == TBP_NEW_PIECE && json_string_is(key, "piece"))
        return m->piece = read_kind(r), HAS_PIECE;
    if ((m->type == TBP_INFO && json_string_is(key, "name")) || (m->type == TBP_ERROR && json_string_is(key, "reason")))
        return read_name(r, m), 0;
    json_skip(r);
    return 0;
}

bool tbp_read(struct tbp_message *m, struct span line)
{
    struct json_reader r = json_reader_of(line, 16), ahead = r;
    struct json_string key;
    unsigned has = 0;
    bool typed = false;
    *m = (struct tbp_message){0};
    for (json_enter_object(&ahead); json_next_key(&ahead, &key);)
        if (json_string_is(key, "type") && json_peek(&ahead) == JSON_STRING) {
            int type = json_string_among(json_read_string(&ahead), types);
            m->type = type > 0 ? (enum tbp_type)type : TBP_OTHER;
            typed = true;
        } else {
            json_skip(&ahead);
        }
    if (json_finish(&ahead) != OK || !typed) {
        m->wrong = "it is no JSON object with a type";
        return false;
    }
    for (json_enter_object(&r); json_next_key(&r, &key);)
        has |= read_member(&r, key, m);
    if (json_finish(&r) != OK)
        m->wrong = "a member has a value that the protocol does not know";
    else if (m->type < sizeof needs && (needs[m->type] & ~has))
        m->wrong = "a member is missing";
    return !m->wrong;
}

// ---- Writing --------------------------------------------------------------------------------------------------------

static void message_begin(struct text *t, enum tbp_type type)
{
    json_begin_object(t);
    json_put_text(t, "type", types[type]);
}

static void end_message(struct text *t)
{
    json_end_object(t);
    text_put_char(t, '\n');
}

void tbp_write_plain(struct text *t, enum tbp_type type)
{
    message_begin(t, type);
    end_message(t);
}

void tbp_write_info(struct text *t, const char *name, const char *version, const char *author)
{
    message_begin(t, TBP_INFO);
    json_put_text(t, "name", name);
    json_put_text(t, "version", version);
    json_put_text(t, "author", author);
    json_begin_array_at(t, "features");
    json_end_array(t);
    end_message(t);
}

static void write_kind(struct text *t, int kind)
{
    if (kind)
        json_write_text(t, kinds[kind]);
    else
        json_write_null(t);
}

void tbp_write_start(struct text *t, const struct tbp_game *g)
{
    message_begin(t, TBP_START);
    json_key(t, "hold");
    write_kind(t, g->hold);
    json_begin_array_at(t, "queue");
    for (int i = 0; i < g->count; i++)
        write_kind(t, g->queue[i]);
    json_end_array(t);
    json_put_int(t, "combo", g->combo > 0 ? g->combo : 0);
    json_put_bool(t, "back_to_back", g->back_to_back);
    json_begin_array_at(t, "board");
    for (int y = 0; y < TBP_ROWS; y++) {
        json_begin_array(t);
        for (int x = 0; x < TETRIS_WIDTH; x++)
            write_kind(t, g->cells[y][x]);
        json_end_array(t);
    }
    json_end_array(t);
    end_message(t);
}

static void write_move(struct text *t, struct tbp_move m)
{
    json_begin_object(t);
    json_begin_object_at(t, "location");
    json_put_text(t, "type", kinds[m.kind]);
    json_put_text(t, "orientation", orientations[m.rotation]);
    json_put_int(t, "x", m.x);
    json_put_int(t, "y", m.y);
    json_end_object(t);
    json_put_text(t, "spin", spins[m.spin]);
    json_end_object(t);
}

void tbp_write_suggestion(struct text *t, const struct tbp_move *moves, int count)
{
    message_begin(t, TBP_SUGGESTION);
    json_begin_array_at(t, "moves");
    for (int i = 0; i < count; i++)
        write_move(t, moves[i]);
    json_end_array(t);
    end_message(t);
}

void tbp_write_play(struct text *t, struct tbp_move move)
{
    message_begin(t, TBP_PLAY);
    json_key(t, "move");
    write_move(t, move);
    end_message(t);
}

void tbp_write_new_piece(struct text *t, int kind)
{
    message_begin(t, TBP_NEW_PIECE);
    json_put_text(t, "piece", kinds[kind]);
    end_message(t);
}

// ---- The situation --------------------------------------------------------------------------------------------------

void tbp_game_of(struct tbp_game *g, const struct tetris_view *v)
{
    *g = (struct tbp_game){.hold = v->facts.hold, .combo = v->facts.combo + 1, .back_to_back = v->facts.back_to_back};
    const uint8_t *cells = v->hidden; // the hidden rows, and the field right after them
    for (int y = -TETRIS_HIDDEN; y < TETRIS_HEIGHT; y++)
        memcpy(g->cells[TETRIS_HEIGHT - 1 - y], cells + (y + TETRIS_HIDDEN) * TETRIS_WIDTH, TETRIS_WIDTH);
    if (v->piece.kind)
        g->queue[g->count++] = v->piece.kind;
    for (int i = 0; i < TETRIS_NEXT && v->next[i]; i++)
        g->queue[g->count++] = v->next[i];
}

static bool fits(const struct tbp_game *g, const int at[4])
{
    for (int i = 0; i < 4; i++) {
        int y = at[i] / 64, x = at[i] % 64;
        if (at[i] < 0 || x >= TETRIS_WIDTH || y >= TBP_ROWS || g->cells[y][x])
            return false;
    }
    return true;
}

static int remove_full(struct tbp_game *g)
{
    int to = 0;
    for (int y = 0; y < TBP_ROWS; y++) {
        if (!memchr(g->cells[y], TETRIS_NONE, TETRIS_WIDTH))
            continue;
        if (to != y)
            memcpy(g->cells[to], g->cells[y], TETRIS_WIDTH);
        to++;
    }
    memset(g->cells[to], 0, (size_t)(TBP_ROWS - to) * TETRIS_WIDTH);
    return TBP_ROWS - to;
}

static void drop_from_queue(struct tbp_game *g, int count)
{
    g->count -= count;
    memmove(g->queue, g->queue + count, (size_t)g->count);
}

bool tbp_game_play(struct tbp_game *g, struct tbp_move m)
{
    int at[4];
    list_cells(m, at);
    if (!g->count || !fits(g, at))
        return false;
    if (m.kind == g->queue[0]) {
        drop_from_queue(g, 1);
    } else if (g->hold == m.kind) {
        g->hold = g->queue[0];
        drop_from_queue(g, 1);
    } else if (!g->hold && g->count > 1 && g->queue[1] == m.kind) {
        g->hold = g->queue[0];
        drop_from_queue(g, 2);
    } else {
        return false;
    }
    for (int i = 0; i < 4; i++)
        g->cells[at[i] / 64][at[i] % 64] = m.kind;
    g->combo = remove_full(g) ? g->combo + 1 : 0;
    return true;
}

bool tbp_game_add(struct tbp_game *g, int kind)
{
    if (g->count == TBP_QUEUE)
        return false;
    g->queue[g->count++] = (uint8_t)kind;
    return true;
}

bool tbp_game_state(const struct tbp_game *g, int ruleset, int listed, struct tetris_state *s, struct tetris_view *v)
{
    struct tetris_rules r;
    struct tbp_game whole = *g;
    remove_full(&whole); // no rules have a full row
    tetris_game.defaults(&r);
    tetris_game.seed(&r, 0);
    r.ruleset = (uint8_t)ruleset;
    r.listed = (uint8_t)listed;
    r.hold = g->hold;
    memcpy(r.queue, g->queue, (size_t)(g->count < TETRIS_QUEUE ? g->count : TETRIS_QUEUE));
    if (!g->count || tetris_game.init(s, &r, 1, (struct rng){0}, NULL) != OK)
        return false;
    for (int y = field_top(ruleset); y < TETRIS_HEIGHT; y++)
        for (int x = 0; x < TETRIS_WIDTH; x++)
            field_set(&s->field, x, y, whole.cells[TETRIS_HEIGHT - 1 - y][x]);
    if (!field_fits(&s->field, field_shapes[g->queue[0]][TETRIS_NORTH], 3, piece_spawn_row(ruleset)))
        return false;
    piece_place(&s->field, &s->piece, g->queue[0], ruleset);
    tetris_game.view(s, 0, v);
    for (int i = 0; i < TETRIS_NEXT; i++) // the bag knows more than the other side has sent
        v->next[i] = i + 1 < g->count ? g->queue[i + 1] : TETRIS_NONE;
    return true;
}
