// The trick and the contract in the middle, hands around it, the own one in a row at the bottom.
#include "games/belote/rules/belote.h"

#include "render/canvas.h"

enum { CARD = 66, TRICK_CARD = 84, OWN_STEP = 72, STEP = 26, OPEN_CARD = 50, OPEN_STEP = 54, OPEN_ROW = 4 };

static const char *const modes[BELOTE_MODES] = {"CLUBS", "DIAMONDS", "HEARTS", "SPADES", "NO TRUMPS", "ALL TRUMPS"};

static void draw_card(struct render_list *l, int x, int y, int width, uint8_t card, int owner, int below)
{
    canvas_face(l, x, y, width, "789TJQKA"[belote_rank(card)], belote_suit(card), owner, below);
}

// What was said last by a seat in the running negotiation; BELOTE_NONE: nothing yet.
static int last_word(const struct belote_view *v, int seat)
{
    for (int i = v->bids - 1; i >= 0; i--)
        if ((v->opener + i) % BELOTE_SEATS == seat)
            return v->bid[i];
    return BELOTE_NONE;
}

static void draw_word(struct render_list *l, int word, int x, int y, int seat)
{
    if (word == BELOTE_NONE)
        return;
    if (word < BELOTE_SAY_ACCEPT)
        canvas_text(l, x, y, 26, COLOUR_WHITE, seat, modes[word]);
    else if (word == BELOTE_SAY_ACCEPT)
        canvas_text(l, x, y, 26, COLOUR_GREY, seat, "ACCEPT");
    else
        canvas_text(l, x, y, 26, COLOUR_GOLD, seat, word < BELOTE_SAY_REDOUBLE ? "DOUBLE" : "REDOUBLE");
}

// Backs overlap; open cards do not: a row at the bottom, two short ones elsewhere.
static void draw_hand(struct render_list *l, const struct render_eyes *e, int seat, int x, int y)
{
    const struct belote_view *v = e->view, *own = e->hand[seat];
    int count = own ? own->cards : v->held[seat];
    bool near = seat == e->bottom;
    for (int i = 0; i < count; i++) {
        if (!own)
            canvas_back(l, x - (CARD + (count - 1) * STEP) / 2 + i * STEP, y, CARD, seat, i);
        else if (near)
            draw_card(l, x - (CARD + (count - 1) * OWN_STEP) / 2 + i * OWN_STEP, y, CARD, own->hand[i], seat, 0);
        else
            draw_card(l, x - OPEN_ROW * OPEN_STEP / 2 + i % OPEN_ROW * OPEN_STEP,
                      y + i / OPEN_ROW * (canvas_card_height(OPEN_CARD) + 4), OPEN_CARD, own->hand[i], seat, 0);
    }
}

static void draw_seat(struct render_list *l, const struct render_eyes *e, int seat)
{
    const struct belote_view *v = e->view;
    struct canvas_place at = canvas_seat(e, seat);
    int x = at.x < 512 ? at.x + 20 : at.x > 512 ? at.x - 20 : at.x;
    draw_hand(l, e, seat, x, at.y - 44);
    canvas_number(l, x - 40, at.y - 76, 26, COLOUR_GREY, seat, "S", seat);
    if (seat == v->dealer) {
        canvas_thing(l, RENDER_MARKER, seat, DEPTH_CHIP);
        canvas_disc(l, x + 50, at.y - 64, 16, COLOUR_WHITE);
        canvas_glyph(l, x + 43, at.y - 74, 20, 'D', COLOUR_BLACK);
    }
    if (v->phase == BELOTE_BID_PHASE)
        draw_word(l, last_word(v, seat), x, seat == e->bottom ? at.y - 112 : at.y + (e->hand[seat] ? 106 : 62), seat);
    if (e->to_act & SEAT(seat))
        canvas_turn(l, x, at.y - 64, seat);
}

static void draw_trick(struct render_list *l, const struct render_eyes *e)
{
    const struct belote_view *v = e->view;
    int number = v->plays / BELOTE_SEATS, lying = v->plays % BELOTE_SEATS;
    for (int i = 0; i < lying; i++) {
        int seat = (v->leader[number] + i) % BELOTE_SEATS;
        struct canvas_place at = canvas_seat(e, seat);
        int x = 512 + (at.in_x - 512) / 2, y = 512 + (at.in_y - 512) / 2;
        draw_card(l, x - TRICK_CARD / 2, y - canvas_card_height(TRICK_CARD) / 2, TRICK_CARD,
                  v->play[number * BELOTE_SEATS + i], seat, 0);
    }
}

static void draw_contract(struct render_list *l, const struct belote_view *v)
{
    int mode = v->phase == BELOTE_BID_PHASE ? v->high : v->mode;
    if (mode < BELOTE_MODES)
        canvas_text(l, 512, 250, 28, COLOUR_WHITE, NOBODY, modes[mode]);
    if (v->phase == BELOTE_PLAY_PHASE && v->multiplier > 1)
        canvas_number(l, 512, 284, 28, COLOUR_GOLD, NOBODY, "X", v->multiplier);
    for (int team = 0; team < 2; team++) {
        int x = team ? 660 : 364;
        canvas_number(l, x, 690, 26, COLOUR_WHITE, NOBODY, team ? "T2 " : "T1 ", v->points[team]);
        canvas_number(l, x, 722, 24, COLOUR_GREY, NOBODY, "+", v->card_points[team]);
    }
}

static void draw(struct render_list *l, const struct render_eyes *e)
{
    const struct belote_view *v = e->view;
    canvas_table(l);
    draw_contract(l, v);
    if (v->phase == BELOTE_PLAY_PHASE)
        draw_trick(l, e);
    for (int seat = 0; seat < BELOTE_SEATS; seat++)
        draw_seat(l, e, seat);
}

const struct render_picture belote_picture = {.draw = draw, .far = DEPTH_FELT};
