#include "render/canvas.h"

#include "games/belote/belote.h"
#include "games/coup/coup.h"
#include "games/liars_dice/liars_dice.h"
#include "games/tetris/tetris.h"
#include "games/texas_holdem/texas_holdem.h"

static const struct row {
    const struct game *game;
    render_game *draw;
    uint16_t far; // G29.4
    bool flows;
} rows[] = {
    {&tetris_game, render_tetris, 10000, true},
    {&texas_holdem_game, render_texas_holdem, DEPTH_FELT, false},
    {&liars_dice_game, render_liars_dice, DEPTH_FELT, false},
    {&coup_game, render_coup, DEPTH_FELT, false},
    {&belote_game, render_belote, DEPTH_FELT, false},
};

static const struct row *find_row(const struct game *g)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].game == g)
            return &rows[i];
    return NULL;
}

bool render_has_flow(const struct game *g)
{
    const struct row *row = find_row(g);
    return row && row->flows;
}

void render_draw(struct render_list *l, const struct render_eyes *e)
{
    const struct row *row = find_row(e->game);
    l->count = 0;
    l->background = COLOUR_ROOM;
    l->far = row ? row->far : DEPTH_FELT;
    l->pen = (struct render_shape){0};
    l->mover = 0;
    l->mover_x = l->mover_y = 0;
    if (!e->view)
        canvas_text(l, RENDER_SIDE / 2, RENDER_SIDE / 2 - 30, 60, COLOUR_GREY, NOBODY, "NO EPISODE");
    else if (row)
        row->draw(l, e);
    else
        canvas_table(l); // a game without pictures of its own
}
