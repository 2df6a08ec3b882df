#include "render/canvas.h"

enum { LINE = 40, CHARACTER = 26, MARGIN = 60 };

// A game without pictures of its own: the lines of its text picture, as large as fits.
static void draw_text(struct render_list *l, const char *text)
{
    int lines = 1, longest = 1, length = 0;
    for (const char *c = text; *c; c++) {
        length = *c == '\n' ? 0 : length + 1;
        lines += *c == '\n' && c[1];
        longest = length > longest ? length : longest;
    }
    int wide = (RENDER_SIDE - 2 * MARGIN) / longest, high = (RENDER_SIDE - 2 * MARGIN) / lines;
    int height = wide * LINE / CHARACTER < high * 3 / 4 ? wide * LINE / CHARACTER : high * 3 / 4;
    height = height > LINE ? LINE : height < 7 ? 7 : height;
    canvas_lines(l, MARGIN, MARGIN, height, COLOUR_WHITE, text);
}

void render_draw(struct render_list *l, const struct render_eyes *e)
{
    l->count = 0;
    l->background = COLOUR_ROOM;
    l->far = e->picture ? e->picture->far : DEPTH_FELT;
    l->pen = (struct render_shape){0};
    l->mover = 0;
    l->mover_x = l->mover_y = 0;
    if (!e->view) {
        canvas_text(l, RENDER_SIDE / 2, RENDER_SIDE / 2 - 30, 60, COLOUR_GREY, NOBODY, "NO EPISODE");
    } else if (e->picture) {
        e->picture->draw(l, e);
    } else {
        canvas_table(l);
        if (e->text)
            draw_text(l, e->text);
    }
}
