#include "render/canvas.h"

#include <assert.h>

enum { MIDDLE = RENDER_SIDE / 2, RIM = 508, FELT = 490, SEATS_X = 390, SEATS_Y = 392, BEFORE_X = 250, BEFORE_Y = 215 };

void canvas_thing(struct render_list *l, enum render_class class, int owner, int above)
{
    struct render_shape *pen = &l->pen;
    pen->class = (uint8_t) class;
    pen->owner = (uint8_t)(owner + 1);
    pen->depth = (uint16_t)(l->far - above);
    pen->instance = (uint8_t)(pen->instance < 255 ? pen->instance + 1 : 255);
    pen->moves = 0;
}

static void add_shape(struct render_list *l, int form, int x, int y, int width, int height, uint32_t colour)
{
    assert(l->count < RENDER_MAX_SHAPES);
    struct render_shape *s = &l->at[l->count++];
    *s = l->pen;
    s->form = (uint8_t)form;
    s->x0 = (int16_t)x;
    s->y0 = (int16_t)y;
    s->x1 = (int16_t)(x + width);
    s->y1 = (int16_t)(y + height);
    s->colour = colour;
}

void canvas_box(struct render_list *l, int x, int y, int width, int height, uint32_t colour)
{
    add_shape(l, RENDER_BOX, x, y, width, height, colour);
}

void canvas_disc(struct render_list *l, int x, int y, int radius, uint32_t colour)
{
    add_shape(l, RENDER_DISC, x - radius, y - radius, 2 * radius, 2 * radius, colour);
}

// A character is five sevenths as wide as it is high.
void canvas_glyph(struct render_list *l, int x, int y, int height, int glyph, uint32_t colour)
{
    if (font_rows(glyph))
        add_shape(l, glyph, x, y, height * 5 / 7, height, colour);
}

// --- text

void canvas_text(struct render_list *l, int x, int y, int height, uint32_t colour, int owner, const char *text)
{
    int step = height * 6 / 7, width = (int)strlen(text) * step;
    canvas_thing(l, RENDER_TEXT, owner, 0);
    for (x -= width / 2; *text; text++, x += step)
        canvas_glyph(l, x, y, height, *text, colour);
}

void canvas_lines(struct render_list *l, int x, int y, int height, uint32_t colour, const char *text)
{
    int left = x;
    canvas_thing(l, RENDER_TEXT, NOBODY, 0);
    for (; *text && l->count < RENDER_MAX_SHAPES; text++) { // a longer text is cut
        bool is_lower = *text >= 'a' && *text <= 'z';       // the font has capitals alone
        canvas_glyph(l, x, y, height, is_lower ? *text - 'a' + 'A' : *text, colour);
        x = *text == '\n' ? left : x + height * 6 / 7;
        y += *text == '\n' ? height * 4 / 3 : 0;
    }
}

void canvas_number(struct render_list *l, int x, int y, int height, uint32_t colour, int owner, const char *before,
                   int64_t value)
{
    char text[48], digits[24];
    size_t n = 0, at = strlen(before);
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    assert(at < sizeof text - sizeof digits);
    memcpy(text, before, at);
    do
        digits[n++] = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        digits[n++] = '-';
    while (n)
        text[at++] = digits[--n];
    text[at] = 0;
    canvas_text(l, x, y, height, colour, owner, text);
}

// --- cards

int canvas_card_height(int width)
{
    return width * 7 / 5;
}

void canvas_face(struct render_list *l, int x, int y, int width, char rank, int suit, int owner, int below)
{
    int height = canvas_card_height(width);
    uint32_t colour = suit == 1 || suit == 2 ? COLOUR_RED : COLOUR_BLACK;
    canvas_thing(l, RENDER_CARD_FACE, owner, DEPTH_CARD * (below + 1));
    canvas_box(l, x, y, width, height, COLOUR_GREY);
    canvas_box(l, x + 2, y + 2, width - 4, height - 4, COLOUR_WHITE);
    canvas_glyph(l, x + width / 2 - height * 5 / 35, y + height / 12, height * 2 / 5, rank, colour);
    canvas_glyph(l, x + width / 2 - height * 5 / 35, y + height * 13 / 24, height * 2 / 5, RENDER_SUIT + suit, colour);
}

void canvas_back(struct render_list *l, int x, int y, int width, int owner, int below)
{
    int height = canvas_card_height(width);
    canvas_thing(l, RENDER_CARD_BACK, owner, DEPTH_CARD * (below + 1));
    canvas_box(l, x, y, width, height, COLOUR_GREY);
    canvas_box(l, x + 2, y + 2, width - 4, height - 4, COLOUR_BACK_EDGE);
    canvas_box(l, x + width / 8, y + width / 8, width - width / 4, height - width / 4, COLOUR_BACK);
    canvas_disc(l, x + width / 2, y + height / 2, width / 5, COLOUR_BACK_EDGE);
}

// --- dice, chips, coins, markers

void canvas_die(struct render_list *l, int x, int y, int size, int face, int owner)
{
    // Where the dots of a face are, on a grid of three by three, the top left one lowest.
    static const uint16_t dots[7] = {0, 0x010, 0x101, 0x111, 0x145, 0x155, 0x16d};
    assert(face >= 0 && face <= 6);
    canvas_thing(l, RENDER_DIE, owner, DEPTH_DIE);
    canvas_box(l, x, y, size, size, COLOUR_GREY);
    canvas_box(l, x + 2, y + 2, size - 4, size - 4, COLOUR_WHITE);
    for (int i = 0; i < 9; i++)
        if (dots[face] >> i & 1)
            canvas_disc(l, x + size * (1 + i % 3) / 4, y + size * (1 + i / 3) / 4, size / 10 + 1, COLOUR_BLACK);
}

void canvas_cup(struct render_list *l, int x, int y, int size, int owner)
{
    canvas_thing(l, RENDER_CUP, owner, DEPTH_CUP);
    canvas_disc(l, x, y, size / 2, 0x3a2414);
    canvas_disc(l, x, y, size / 2 - 4, 0x7a4c28);
    canvas_disc(l, x, y, size / 3, 0x8e5c34);
}

void canvas_pile(struct render_list *l, int x, int y, enum render_class class, int count, int owner)
{
    bool coins = class == RENDER_COIN;
    for (int i = 0; i < count; i++) {
        canvas_thing(l, class, owner, (coins ? DEPTH_COIN : DEPTH_CHIP) * (i + 1));
        canvas_disc(l, x, y - 5 * i, 20, coins ? 0x9a7410 : COLOUR_WHITE);
        canvas_disc(l, x, y - 5 * i, 15, coins ? COLOUR_GOLD : COLOUR_RED);
    }
}

void canvas_turn(struct render_list *l, int x, int y, int owner)
{
    canvas_thing(l, RENDER_MARKER, owner, 0);
    canvas_disc(l, x, y, 17, COLOUR_BLACK);
    canvas_disc(l, x, y, 14, COLOUR_GOLD);
}

// --- tables

void canvas_table(struct render_list *l)
{
    canvas_thing(l, RENDER_FELT, NOBODY, 0);
    canvas_disc(l, MIDDLE, MIDDLE, RIM, COLOUR_RIM);
    canvas_disc(l, MIDDLE, MIDDLE, FELT, COLOUR_FELT);
}

// The sine of 72nds of a circle, times 1024.
static int sine(int step)
{
    static const int16_t quarter[19] = {0,   89,  178, 265, 350, 433, 512,  587,  658, 724,
                                        784, 839, 887, 928, 962, 989, 1008, 1020, 1024};
    step = (step % 72 + 72) % 72;
    int half = step % 36, value = quarter[half <= 18 ? half : 36 - half];
    return step < 36 ? value : -value;
}

// Clockwise from the seat at the bottom.
struct canvas_place canvas_seat(const struct render_eyes *e, int seat)
{
    int turn = (seat - e->bottom + e->seats) % e->seats * 72 / e->seats;
    int x = -sine(turn), y = sine(turn + 18);
    return (struct canvas_place){MIDDLE + x * SEATS_X / 1024, MIDDLE + y * SEATS_Y / 1024, MIDDLE + x * BEFORE_X / 1024,
                                 MIDDLE + y * BEFORE_Y / 1024};
}
