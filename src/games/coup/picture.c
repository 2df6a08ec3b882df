// Influence and coins at every seat; the court deck and what is claimed in the middle.
#include "games/coup/rules/coup.h"

#include "render/canvas.h"

enum { CARD = 66, MOST_COINS = 12 }; // width in pixels of the canvas; coins that a pile shows

static const struct {
    const char *name;
    uint32_t colour;
} roles[COUP_ROLES + 1] = {
    {"?", COLOUR_GREY}, {"DUKE", 0x8a3a9c}, {"ASSN", 0x34383e},
    {"CAPT", 0x2c5cb0}, {"AMBA", 0x3a8a3c}, {"CONT", 0xb02c2c},
};

static const char *const actions[COUP_TURN_ACTIONS + 1] = {
    "", "INCOME", "FOREIGN AID", "COUP", "TAX", "ASSASSINATE", "STEAL", "EXCHANGE",
};

// A role face up; a lost one is crossed out.
static void draw_role(struct render_list *l, int x, int y, int role, bool lost, int owner)
{
    int height = canvas_card_height(CARD);
    canvas_thing(l, RENDER_CARD_FACE, owner, DEPTH_CARD);
    canvas_box(l, x, y, CARD, height, COLOUR_GREY);
    canvas_box(l, x + 2, y + 2, CARD - 4, height - 4, lost ? COLOUR_GREY : COLOUR_WHITE);
    canvas_box(l, x + 6, y + 6, CARD - 12, height / 2, roles[role].colour);
    for (int i = 0; i < 4 && roles[role].name[i]; i++)
        canvas_glyph(l, x + 4 + i * 15, y + height * 2 / 3, 20, roles[role].name[i], COLOUR_BLACK);
    if (lost)
        canvas_glyph(l, x + CARD / 2 - 16, y + 8, 44, 'X', COLOUR_WHITE);
}

static void draw_influence(struct render_list *l, const struct render_eyes *e, int seat, int x, int y)
{
    const struct coup_view *v = e->view, *own = e->hand[seat];
    for (int i = 0; i < 2; i++, x += CARD + 4) {
        bool up = v->seat[seat].up >> i & 1;
        int role = up ? v->seat[seat].card[i] : own ? own->seat[seat].card[i] : COUP_NO_ROLE;
        if (role)
            draw_role(l, x, y, role, up, seat);
        else
            canvas_back(l, x, y, CARD, seat, 0);
    }
}

static void draw_seat(struct render_list *l, const struct render_eyes *e, int seat)
{
    const struct coup_view *v = e->view, *own = e->hand[seat];
    struct canvas_place at = canvas_seat(e, seat);
    int coins = v->seat[seat].coins;
    canvas_thing(l, RENDER_FELT, seat, 0);
    canvas_box(l, at.x - 100, at.y - 84, 200, 172, COLOUR_PLATE);
    draw_influence(l, e, seat, at.x - CARD - 2, at.y - 78);
    canvas_number(l, at.x - 70, at.y + 56, 24, COLOUR_GREY, seat, "S", seat);
    canvas_number(l, at.x + 40, at.y + 52, 30, COLOUR_GOLD, seat, "", coins);
    canvas_pile(l, at.x, at.y + 72, RENDER_COIN, coins < MOST_COINS ? coins : MOST_COINS, seat);
    if (v->phase == COUP_PHASE_EXCHANGE_RETURN && own && own->exchange[0])
        for (int i = 0; i < 2; i++)
            draw_role(l, at.in_x - CARD - 2 + i * (CARD + 4), at.in_y - 40, own->exchange[i], false, seat);
    if (e->to_act & SEAT(seat))
        canvas_turn(l, at.x - 86, at.y - 68, seat);
}

static void draw_claims(struct render_list *l, const struct coup_view *v)
{
    const struct coup_log *log = &v->log;
    if (v->phase == COUP_PHASE_DONE || !log->action || log->action > COUP_TURN_ACTIONS)
        return;
    canvas_text(l, 512, 420, 36, COLOUR_WHITE, log->actor, actions[log->action]);
    canvas_number(l, 440, 470, 26, COLOUR_GREY, log->actor, "BY S", log->actor);
    if (coup_acts[log->action].targeted)
        canvas_number(l, 584, 470, 26, COLOUR_GREY, log->target, "ON S", log->target);
    if (coup_acts[log->action].role)
        canvas_text(l, 512, 386, 26, COLOUR_GOLD, log->actor, roles[coup_acts[log->action].role].name);
    if (log->block_role) {
        canvas_number(l, 440, 506, 26, COLOUR_RED, log->blocker, "BLOCK S", log->blocker);
        canvas_text(l, 600, 506, 26, COLOUR_RED, log->blocker, roles[log->block_role].name);
    }
}

static void draw(struct render_list *l, const struct render_eyes *e)
{
    const struct coup_view *v = e->view;
    canvas_table(l);
    for (int i = 0; i < v->deck_count; i++)
        canvas_back(l, 480 + i, 556 - i, CARD, NOBODY, i);
    draw_claims(l, v);
    for (int seat = 0; seat < v->seats; seat++)
        draw_seat(l, e, seat);
}

const struct render_picture coup_picture = {.draw = draw, .far = DEPTH_FELT};
