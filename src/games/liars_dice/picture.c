// A cup for every hand that is hidden, dice for those that are not, the bid in the middle.
#include "games/liars_dice/rules/liars_dice.h"

#include "render/canvas.h"

enum { DIE = 40, SMALL = 30, CUP = 110 };

// Dice of the last challenge stay visible until the next bid.
static const uint8_t *shown_at(const struct liars_dice_view *v, int seat)
{
    return v->last.round && !v->bid && v->last.dice[seat][0] ? v->last.dice[seat] : NULL;
}

static void draw_dice(struct render_list *l, const uint8_t dice[LIARS_DICE_DICE], int x, int y, int size, int owner)
{
    int count = 0;
    while (count < LIARS_DICE_DICE && dice[count])
        count++;
    for (int i = 0; i < count; i++)
        canvas_die(l, x - count * (size + 4) / 2 + i * (size + 4), y, size, dice[i], owner);
}

static void draw_seat(struct render_list *l, const struct render_eyes *e, int seat)
{
    const struct liars_dice_view *v = e->view, *own = e->hand[seat];
    struct canvas_place at = canvas_seat(e, seat);
    bool out = !v->dice_counts[seat];
    canvas_thing(l, RENDER_FELT, seat, 0);
    canvas_box(l, at.x - 112, at.y - 74, 224, 158, COLOUR_PLATE);
    if (own && own->dice[0])
        draw_dice(l, own->dice, at.x, at.y - 40, DIE, seat);
    else if (!out)
        canvas_cup(l, at.x, at.y - 14, CUP, seat);
    canvas_number(l, at.x - 74, at.y + 54, 24, COLOUR_GREY, seat, "S", seat);
    if (out)
        canvas_text(l, at.x + 20, at.y + 54, 24, COLOUR_GOLD, seat, "OUT");
    else
        canvas_number(l, at.x + 20, at.y + 54, 24, COLOUR_WHITE, seat, "DICE ", v->dice_counts[seat]);
    if (shown_at(v, seat))
        draw_dice(l, shown_at(v, seat), at.in_x, at.in_y, SMALL, seat);
    if (v->bid && seat == v->bidder) {
        canvas_thing(l, RENDER_MARKER, seat, 0);
        canvas_disc(l, at.x + 96, at.y - 58, 14, COLOUR_BLUE);
    }
    if (e->to_act & SEAT(seat))
        canvas_turn(l, at.x - 96, at.y - 58, seat);
}

static void draw(struct render_list *l, const struct render_eyes *e)
{
    const struct liars_dice_view *v = e->view;
    canvas_table(l);
    canvas_number(l, 512, 400, 30, COLOUR_GREY, NOBODY, "ROUND ", v->round);
    if (v->bid) {
        canvas_number(l, 470, 460, 70, COLOUR_WHITE, NOBODY, "", liars_dice_quantity(v->bid));
        canvas_die(l, 530, 460, 70, liars_dice_face(v->bid), NOBODY);
    } else {
        canvas_text(l, 512, 470, 36, COLOUR_WHITE, NOBODY, "NO BID");
    }
    canvas_number(l, 512, 560, 30, COLOUR_GREY, NOBODY, v->wild_ones ? "ONES WILD - DICE " : "DICE ", v->total);
    for (int seat = 0; seat < v->seats; seat++)
        draw_seat(l, e, seat);
}

const struct render_picture liars_dice_picture = {.draw = draw, .far = DEPTH_FELT};
