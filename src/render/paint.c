// From shapes to pixels. A pixel of any type is a few bytes that are the same all over a shape, so one set of loops
// paints colours, depths, classes and movement alike.
#include "render/canvas.h"

enum { INK = 48, GLYPH_COLUMNS = 5, GLYPH_ROWS = 7 }; // a multiple of every size of a pixel

struct sheet {
    uint8_t *pixels;
    int width, height, pixel;
    int side;         // of the square in the picture, in pixels
    int x, y;         // where it begins
    uint8_t ink[INK]; // the pixel of the shape, again and again
};

// What moves, moves by so many pixels; the rest by as many as the camera.
struct motion {
    float moving[2], still[2];
};

int render_pixel_size(enum render_type type)
{
    static const int sizes[RENDER_TYPES] = {
        [RENDER_RGB] = 3, [RENDER_DEPTH] = 4, [RENDER_SEGMENTATION] = 4, [RENDER_FLOW] = 8};
    return sizes[type];
}

// --- ink

static uint8_t light_byte(uint32_t byte, uint32_t light)
{
    uint64_t value = (uint64_t)byte * light >> 16;
    return (uint8_t)(value < 255 ? value : 255);
}

static void mix_pixel(struct sheet *s, const struct render_shape *shape, const struct render_frame *f,
                      const struct motion *m)
{
    uint8_t one[8] = {0};
    float metres = (float)shape->depth / 10000.0f;
    switch (f->type) {
    case RENDER_RGB:
        for (int i = 0; i < 3; i++)
            one[i] = light_byte(shape->colour >> (16 - 8 * i) & 255, f->light);
        break;
    case RENDER_DEPTH:
        memcpy(one, &metres, sizeof metres);
        break;
    case RENDER_SEGMENTATION:
        memcpy(one, (uint8_t[]){shape->class, shape->instance, shape->owner, 255}, 4);
        break;
    default:
        memcpy(one, shape->moves ? m->moving : m->still, sizeof m->still);
        break;
    }
    for (int i = 0; i < INK; i += s->pixel)
        memcpy(s->ink + i, one, (size_t)s->pixel);
}

// --- areas

static inline void fill_run(const struct sheet *s, int x, int y, int count)
{
    uint8_t *at = s->pixels + ((size_t)y * (size_t)s->width + (size_t)x) * (size_t)s->pixel;
    size_t bytes = (size_t)count * (size_t)s->pixel;
    for (; bytes >= INK; bytes -= INK, at += INK)
        memcpy(at, s->ink, INK);
    memcpy(at, s->ink, bytes);
}

struct area {
    int x0, y0, x1, y1; // pixels, the last two not in it
};

static inline void fill_clipped(const struct sheet *s, int x0, int x1, int y)
{
    x0 = x0 > 0 ? x0 : 0;
    x1 = x1 < s->width ? x1 : s->width;
    if (x0 < x1)
        fill_run(s, x0, y, x1 - x0);
}

static struct area rows_inside(const struct sheet *s, struct area a)
{
    a.y0 = a.y0 > 0 ? a.y0 : 0;
    a.y1 = a.y1 < s->height ? a.y1 : s->height;
    return a;
}

static void fill_box(const struct sheet *s, struct area a)
{
    a = rows_inside(s, a);
    for (int y = a.y0; y < a.y1; y++)
        fill_clipped(s, a.x0, a.x1, y);
}

// Whether the middle of a pixel of the row is inside the ellipse; all in half pixels from the middle.
static inline bool is_inside(int64_t dx, int64_t dy, int64_t width, int64_t height)
{
    return dx * dx * height * height + dy * dy * width * width <= width * width * height * height;
}

static void fill_disc(const struct sheet *s, struct area a)
{
    int width = a.x1 - a.x0, height = a.y1 - a.y0, left = width / 2;
    struct area seen = rows_inside(s, a);
    for (int y = seen.y0; y < seen.y1; y++) {
        int dy = 2 * (y - a.y0) + 1 - height;
        while (left > 0 && is_inside(2 * left - 1 - width, dy, width, height))
            left--;
        while (2 * left < width && !is_inside(2 * left + 1 - width, dy, width, height))
            left++;
        fill_clipped(s, a.x0 + left, a.x1 - left, y);
    }
}

static void fill_glyph(const struct sheet *s, struct area a, const uint8_t *rows)
{
    int width = a.x1 - a.x0, height = a.y1 - a.y0;
    struct area seen = rows_inside(s, a);
    for (int y = seen.y0; y < seen.y1; y++) {
        unsigned bits = rows[(y - a.y0) * GLYPH_ROWS / height];
        for (int c = 0; c < GLYPH_COLUMNS; c++) {
            int end = c;
            while (end < GLYPH_COLUMNS && bits >> (GLYPH_COLUMNS - 1 - end) & 1)
                end++;
            fill_clipped(s, a.x0 + c * width / GLYPH_COLUMNS, a.x0 + end * width / GLYPH_COLUMNS, y);
            c = end;
        }
    }
}

// --- the picture

static int floor_div(int a, int b)
{
    return a / b - (a % b < 0);
}

static struct area area_of(const struct sheet *s, const struct render_shape *shape)
{
    return (struct area){
        s->x + floor_div(shape->x0 * s->side, RENDER_SIDE), s->y + floor_div(shape->y0 * s->side, RENDER_SIDE),
        s->x + floor_div(shape->x1 * s->side, RENDER_SIDE), s->y + floor_div(shape->y1 * s->side, RENDER_SIDE)};
}

static void paint_shape(struct sheet *s, const struct render_shape *shape, const struct render_frame *f,
                        const struct motion *m)
{
    struct area a = area_of(s, shape);
    if (a.x0 >= a.x1 || a.y0 >= a.y1 || a.x1 <= 0 || a.y1 <= 0 || a.x0 >= s->width || a.y0 >= s->height)
        return;
    mix_pixel(s, shape, f, m);
    if (shape->form == RENDER_BOX)
        fill_box(s, a);
    else if (shape->form == RENDER_DISC)
        fill_disc(s, a);
    else
        fill_glyph(s, a, font_rows(shape->form));
}

// G29.6: each byte by at most `most`. The generator is xorshift64*: eight bytes a draw.
static void add_noise(uint8_t *bytes, size_t count, int most, uint64_t grain)
{
    uint64_t state = grain | 1, draw = 0;
    for (size_t i = 0; i < count; i++, draw >>= 8) {
        if (i % 8 == 0) {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            draw = state * 0x2545f4914f6cdd1du;
        }
        int value = bytes[i] + (int)((draw & 255) * (unsigned)(2 * most + 1) >> 8) - most;
        bytes[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
}

static struct motion motion_of(const struct render_list *l, const struct sheet *s, const struct render_frame *f,
                               int shift_x, int shift_y)
{
    struct motion m = {{0}, {0}};
    struct render_past *past = f->past;
    if (!past)
        return m;
    if (past->there) {
        m.still[0] = (float)(shift_x - past->shift_x);
        m.still[1] = (float)(shift_y - past->shift_y);
        memcpy(m.moving, m.still, sizeof m.moving);
        if (l->mover && past->mover == l->mover) {
            m.moving[0] += (float)((l->mover_x - past->mover_x) * s->side) / (float)RENDER_SIDE;
            m.moving[1] += (float)((l->mover_y - past->mover_y) * s->side) / (float)RENDER_SIDE;
        }
    }
    *past = (struct render_past){l->mover, l->mover_x, l->mover_y, shift_x, shift_y, true};
    return m;
}

void render_paint(const struct render_list *l, const struct render_frame *f, void *pixels)
{
    struct sheet s = {.pixels = pixels, .width = f->width, .height = f->height, .pixel = render_pixel_size(f->type)};
    struct render_shape ground = {.colour = l->background, .depth = l->far};
    int shift_x = floor_div(f->shift_x * f->width, 65536), shift_y = floor_div(f->shift_y * f->height, 65536);
    s.side = f->width < f->height ? f->width : f->height;
    s.x = (f->width - s.side) / 2 + shift_x;
    s.y = (f->height - s.side) / 2 + shift_y;
    struct motion m = motion_of(l, &s, f, shift_x, shift_y);
    mix_pixel(&s, &ground, f, &m);
    fill_box(&s, (struct area){0, 0, f->width, f->height});
    for (int i = 0; i < l->count; i++)
        paint_shape(&s, &l->at[i], f, &m);
    if (f->type == RENDER_RGB && f->noise > 0)
        add_noise(pixels, (size_t)f->width * (size_t)f->height * 3, f->noise, f->grain);
}
