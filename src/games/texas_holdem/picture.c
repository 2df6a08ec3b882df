// Board, pot and bets in the middle, a plate with cards and stack for every seat.
#include "games/texas_holdem/rules/texas_holdem.h"

#include "render/canvas.h"

enum { CARD = 58, BOARD_CARD = 66, MOST_CHIPS = 12 };

static void draw_card(struct render_list *l, int x, int y, int width, uint8_t card, int owner, int below)
{
    canvas_face(l, x, y, width, "23456789TJQKA"[card_rank(card)], card_suit(card), owner, below);
}

// How high a stack is drawn: one more chip each time it is twice as much.
static int chips_for(int32_t amount)
{
    int chips = 0;
    for (uint32_t left = amount > 0 ? (uint32_t)amount : 0; left; left /= 2)
        chips++;
    return chips * 2 / 3 < MOST_CHIPS ? chips * 2 / 3 + (chips > 0) : MOST_CHIPS;
}

// The two cards of a seat as this camera may know them; CARD_NONE where it may not.
static const uint8_t *cards_of(const struct render_eyes *e, int seat)
{
    const struct texas_holdem_view *v = e->view, *own = e->hand[seat];
    if (v->shown[seat][0] != CARD_NONE)
        return v->shown[seat];
    return own && own->hole[0] != CARD_NONE ? own->hole : NULL;
}

static void draw_hand(struct render_list *l, const struct render_eyes *e, int seat, int x, int y)
{
    const struct texas_holdem_view *v = e->view;
    const uint8_t *cards = cards_of(e, seat);
    for (int i = 0; i < 2; i++)
        if (cards)
            draw_card(l, x + i * (CARD + 4), y, CARD, cards[i], seat, 0);
        else if (holdem_has_cards(v, seat) && v->phase < HOLDEM_DONE)
            canvas_back(l, x + i * (CARD + 4), y, CARD, seat, 0);
}

static void draw_seat(struct render_list *l, const struct render_eyes *e, int seat)
{
    static const char *const states[] = {"", "FOLD", "ALL IN", "OUT"};
    const struct texas_holdem_view *v = e->view;
    struct canvas_place at = canvas_seat(e, seat);
    canvas_thing(l, RENDER_FELT, seat, 0);
    canvas_box(l, at.x - 88, at.y - 74, 176, 158, COLOUR_PLATE);
    draw_hand(l, e, seat, at.x - CARD - 2, at.y - 68);
    canvas_number(l, at.x, at.y + 18, 30, COLOUR_WHITE, seat, "", v->chips[seat]);
    canvas_number(l, at.x - 66, at.y + 54, 24, COLOUR_GREY, seat, "S", seat);
    canvas_text(l, at.x + 30, at.y + 54, 24, COLOUR_GOLD, seat, states[v->status[seat]]);
    if (v->bet[seat] > 0) {
        canvas_pile(l, at.in_x, at.in_y, RENDER_CHIP, chips_for(v->bet[seat]), seat);
        canvas_number(l, at.in_x, at.in_y + 22, 24, COLOUR_WHITE, seat, "", v->bet[seat]);
    }
    if (seat == v->button) {
        canvas_thing(l, RENDER_MARKER, seat, DEPTH_CHIP);
        canvas_disc(l, at.x + 74, at.y - 62, 18, COLOUR_WHITE);
        canvas_glyph(l, at.x + 66, at.y - 73, 22, 'D', COLOUR_BLACK);
    }
    if (e->to_act & SEAT(seat))
        canvas_turn(l, at.x - 74, at.y - 62, seat);
}

static void draw(struct render_list *l, const struct render_eyes *e)
{
    const struct texas_holdem_view *v = e->view;
    canvas_table(l);
    for (int i = 0; i < v->board_count; i++)
        draw_card(l, 512 - 5 * (BOARD_CARD + 8) / 2 + i * (BOARD_CARD + 8), 420, BOARD_CARD, v->board[i], NOBODY, 0);
    if (v->pot > 0)
        canvas_pile(l, 512, 590, RENDER_CHIP, chips_for(v->pot), NOBODY);
    canvas_number(l, 512, 614, 30, COLOUR_WHITE, NOBODY, "POT ", v->pot);
    canvas_number(l, 512, 384, 24, COLOUR_GREY, NOBODY, "HAND ", v->hand);
    for (int seat = 0; seat < v->seats; seat++)
        draw_seat(l, e, seat);
}

const struct render_picture texas_holdem_picture = {.draw = draw, .far = DEPTH_FELT};
