#include "games/tetris/codec.h"
#include "games/tetris/rules/tetris.h"

#include <string.h>

enum { KINDS = 8, ROTATIONS = 4 };

// A cell by its letter, as codec.c writes it; what is none counts as a piece.
static uint8_t read_cell(char letter)
{
    static const char letters[] = ".IOTSZJLG";
    const char *at = letter ? strchr(letters, letter) : NULL;
    return (uint8_t)(at ? at - letters : TETRIS_I);
}

static uint8_t read_kind(struct json_reader *r)
{
    return json_read_if_null(r) ? 0 : codec_read_word(r, tetris_kind_names, KINDS);
}

static void read_board(struct json_reader *r, struct tetris_view *v)
{
    int y = 0;
    for (json_enter_array(r); json_next_item(r); y++) {
        struct json_string row = json_read_string(r);
        if (row.raw.size != TETRIS_WIDTH || y >= TETRIS_HEIGHT) {
            json_fail(r, ERR_RANGE);
            continue;
        }
        for (int x = 0; x < TETRIS_WIDTH; x++)
            v->cells[y * TETRIS_WIDTH + x] = read_cell(row.raw.at[x]);
    }
    if (y != TETRIS_HEIGHT)
        json_fail(r, ERR_RANGE);
}

static void read_active(struct json_reader *r, struct tetris_view *v)
{
    struct json_string key;
    int x = 0, y = 0;
    if (json_read_if_null(r))
        return;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "kind"))
            v->piece.kind = read_kind(r);
        else if (json_string_is(key, "rotation"))
            v->piece.rotation = codec_read_word(r, tetris_rotation_names, ROTATIONS);
        else if (json_string_is(key, "x"))
            x = (int)json_read_int(r, 0, TETRIS_WIDTH - 1);
        else if (json_string_is(key, "y"))
            y = (int)json_read_int(r, -TETRIS_HIDDEN, TETRIS_HEIGHT - 1);
        else
            json_skip(r);
    if (r->error || !v->piece.kind) {
        json_fail(r, ERR_MISSING);
        return;
    }
    v->piece.x = (int8_t)(x - tetris_left(v->piece.kind, v->piece.rotation));
    v->piece.y = (int8_t)(y - tetris_top(v->piece.kind, v->piece.rotation));
}

static void read_next(struct json_reader *r, struct tetris_view *v)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r); count++) {
        uint8_t kind = read_kind(r);
        if (count < TETRIS_NEXT)
            v->next[count] = kind;
    }
}

bool tetris_read_view(struct json_reader *r, const struct codec_table *table, int phase, void *view)
{
    static const char *const rulesets[] = {"standard", "guideline"};
    struct tetris_view *v = view;
    struct json_string key;
    (void)table, (void)phase;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "board"))
            read_board(r, v);
        else if (json_string_is(key, "active"))
            read_active(r, v);
        else if (json_string_is(key, "hold"))
            v->facts.hold = read_kind(r);
        else if (json_string_is(key, "can_hold"))
            v->facts.can_hold = json_read_bool(r);
        else if (json_string_is(key, "next"))
            read_next(r, v);
        else if (json_string_is(key, "ruleset"))
            v->ruleset = codec_read_word(r, rulesets, 2);
        else
            json_skip(r);
    return !r->error && v->piece.kind && v->next[0];
}
