#include "botwire/look.h"

#include "botwire/look_inside.h"
#include "games/belote/belote.h"
#include "games/coup/coup.h"
#include "games/liars_dice/liars_dice.h"
#include "games/tetris/tetris.h"
#include "games/texas_holdem/texas_holdem.h"

#include <stddef.h>

enum { NO_PHASE = GAME_MAX_VIEW };

static const struct {
    const struct game *game;
    bool (*read)(struct json_reader *r, const struct codec_table *table, int phase, void *view);
    size_t phase; // where it stands in the view
} rows[] = {
    {&coup_game, look_coup, offsetof(struct coup_view, phase)},
    {&liars_dice_game, look_liars_dice, offsetof(struct liars_dice_view, phase)},
    {&texas_holdem_game, look_texas_holdem, offsetof(struct texas_holdem_view, phase)},
    {&tetris_game, look_tetris, NO_PHASE},
    {&belote_game, NULL, offsetof(struct belote_view, phase)},
};

static int row_of(const struct codec *c)
{
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++)
        if (rows[i].game == c->game)
            return i;
    return -1;
}

bool look_read(const struct codec *c, struct json_reader r, const struct codec_table *table, int phase, void *view)
{
    int i = row_of(c);
    if (i < 0 || !rows[i].read || table->seats < c->game->min_seats || table->seats > c->game->max_seats)
        return false;
    memset(view, 0, c->game->view_size);
    return rows[i].read(&r, table, phase, view) && !r.error;
}

int look_phase(const struct codec *c, const void *view)
{
    int i = row_of(c);
    return i < 0 || rows[i].phase == NO_PHASE ? 0 : ((const uint8_t *)view)[rows[i].phase];
}

// --- choices

// {"type":...,"amount":the most}: the largest action of a family, as an action.
static void write_most(struct text *t, struct json_string type, struct json_reader range)
{
    struct json_string key;
    text_puts(t, "{\"type\":\"");
    text_put(t, type.raw);
    text_put_char(t, '"');
    for (json_enter_object(&range); json_next_key(&range, &key);) {
        int64_t most = 0;
        for (json_enter_array(&range); json_next_item(&range);)
            most = json_read_int(&range, INT32_MIN, INT32_MAX);
        text_puts(t, ",\"");
        text_put(t, key.raw);
        text_puts(t, "\":");
        text_put_int(t, most);
    }
    text_put_char(t, '}');
    t->full |= range.error != OK;
}

bool look_read_choice(const struct codec *c, struct json_reader *r, const struct codec_table *table,
                      struct game_choice *choice)
{
    struct json_reader inside = *r, range = {0}, most;
    struct json_string key, type = {0};
    char bytes[256];
    struct text t = text_on(bytes, sizeof bytes);
    struct game_action last;
    if (json_peek(r) != JSON_OBJECT || codec_read_action(c, r, table, false, &choice->first) != OK)
        return false;
    choice->max_amount = choice->first.amount;
    for (json_enter_object(&inside); json_next_key(&inside, &key);) {
        if (json_string_is(key, "range"))
            range = inside;
        if (json_string_is(key, "type"))
            type = json_read_string(&inside);
        else
            json_skip(&inside);
    }
    if (!range.at || json_peek(&range) != JSON_OBJECT)
        return true;
    write_most(&t, type, range);
    most = json_reader_of(text_span(&t), 4);
    if (t.full || codec_read_action(c, &most, table, false, &last) != OK || last.amount < choice->first.amount)
        return false;
    choice->max_amount = last.amount;
    return true;
}
