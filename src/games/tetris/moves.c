// Tetris: moves in words.
#include "codec/moves.h"
#include "games/tetris/codec.h"
#include "games/tetris/rules/tetris.h"

static const struct moves_alias aliases[] = {
    {"left", "move"},
    {"right", "move"},
    {"cw", "rotate"},
    {"ccw", "rotate"},
    {"down", "soft_drop"},
    {"drop", "hard_drop"},
    {0},
};

// "north (0-7)", or the columns one by one where there are gaps.
static void write_columns(struct text *t, unsigned columns)
{
    bool first = true;
    text_puts(t, " (");
    for (int x = 0; x < TETRIS_WIDTH; x++) {
        int end = x;
        if (!(columns >> x & 1))
            continue;
        while (columns >> (end + 1) & 1)
            end++;
        codec_write(t, end > x ? "%s%d-%d" : "%s%d", first ? "" : ", ", x, end);
        first = false;
        x = end;
    }
    text_put_char(t, ')');
}

static unsigned columns_of(const struct game_choice *list, int count, int rotation, int flags)
{
    unsigned columns = 0;
    for (int i = 0; i < count; i++)
        if (list[i].first.kind == TETRIS_PLACE && list[i].first.arg[1] == rotation && list[i].first.arg[2] == flags)
            columns |= 1u << list[i].first.arg[0];
    return columns;
}

static void write_placements(struct text *t, const struct game_choice *list, int count, int flags, const char *between)
{
    unsigned columns[4], listed = 0;
    for (int rotation = 0; rotation < 4; rotation++)
        columns[rotation] = columns_of(list, count, rotation, flags);
    for (int rotation = 0; rotation < 4; rotation++) {
        if (!columns[rotation] || listed >> rotation & 1)
            continue;
        codec_write(t, "%splace X %s", t->size ? between : "", tetris_rotation_names[rotation]);
        for (int same = rotation + 1; same < 4; same++)
            if (columns[same] == columns[rotation]) {
                codec_write(t, "/%s", tetris_rotation_names[same]);
                listed |= 1u << same;
            }
        text_puts(t, flags ? " hold" : "");
        write_columns(t, columns[rotation]);
    }
}

static bool is_same_with_hold(const struct game_choice *list, int count)
{
    for (int rotation = 0; rotation < 4; rotation++)
        if (columns_of(list, count, rotation, 0) != columns_of(list, count, rotation, TETRIS_PLACE_HOLD))
            return false;
    return true;
}

// Single inputs are legal too, but a list of them does not help a player who places pieces.
static bool write_all(struct text *t, const struct codec_table *table, const void *view, const struct game_choice *list,
                      int count, const char *between)
{
    char bytes[512];
    struct text line = text_on(bytes, sizeof bytes);
    (void)table, (void)view;
    write_placements(&line, list, count, 0, between);
    size_t plain = line.size;
    if (!plain)
        return false;
    if (is_same_with_hold(list, count))
        codec_write(&line, "%sthe same with \" hold\"", between);
    else
        write_placements(&line, list, count, TETRIS_PLACE_HOLD, between);
    for (int i = 0; i < count; i++)
        if (list[i].first.kind == TETRIS_HOLD)
            codec_write(&line, "%shold", between);
    text_put(t, text_span(&line));
    return true;
}

static bool read_place(const struct moves_said *s, struct game_action *a, struct text *why)
{
    int x = -1, rotation = -1;
    for (int i = s->at; i < s->count; i++) {
        int value, turned = moves_among(s->word[i], tetris_rotation_names, 4);
        if (moves_number(s->word[i], &value))
            x = value;
        else if (turned >= 0)
            rotation = turned;
        else if (strcmp(s->word[i], "hold") == 0)
            a->arg[2] = TETRIS_PLACE_HOLD;
    }
    if (x < 0 || rotation < 0)
        text_puts(why, "place needs a column and a rotation, such as \"place 4 east\"");
    a->arg[0] = (uint8_t)(x < 0 || x > UINT8_MAX ? UINT8_MAX : x);
    a->arg[1] = (uint8_t)(rotation < 0 ? 0 : rotation);
    return why->size == 0;
}

static bool read(const struct moves_said *s, const struct codec_table *table, const void *view, struct game_action *a,
                 struct text *why)
{
    (void)table, (void)view;
    if (a->kind == TETRIS_PLACE)
        return read_place(s, a, why);
    for (int i = 0; i < s->count; i++) // "move left", "left"
        if (strcmp(s->word[i], "right") == 0 && a->kind == TETRIS_MOVE_LEFT)
            a->kind = TETRIS_MOVE_RIGHT;
        else if (strcmp(s->word[i], "ccw") == 0 && a->kind == TETRIS_ROTATE_CW)
            a->kind = TETRIS_ROTATE_CCW;
    return a->kind;
}

static void explain(struct text *t, const struct codec_table *table, const void *view, struct game_action a)
{
    const struct tetris_view *v = view;
    bool hold = a.arg[2] & TETRIS_PLACE_HOLD;
    int kind = v->piece.kind;
    if (hold)
        kind = v->facts.hold ? v->facts.hold : v->next[0];
    (void)table;
    if ((a.kind == TETRIS_HOLD || (a.kind == TETRIS_PLACE && hold)) && !v->facts.can_hold) {
        text_puts(t, "hold has been used for this piece");
        return;
    }
    if (a.kind != TETRIS_PLACE || !kind)
        return;
    int most = TETRIS_WIDTH - tetris_span(kind, a.arg[1] & 3);
    if (a.arg[0] > most)
        codec_write(t, "%s facing %s has its leftmost column at 0 to %d", tetris_kind_names[kind],
                    tetris_rotation_names[a.arg[1] & 3], most);
    else
        codec_write(t, "%s facing %s does not get to column %d", tetris_kind_names[kind],
                    tetris_rotation_names[a.arg[1] & 3], a.arg[0]);
}

const struct codec_moves tetris_moves = {
    .examples = "\"place 4 east\", \"place 0 north hold\"",
    .aliases = aliases,
    .write_all = write_all,
    .read = read,
    .explain = explain,
};
