#include "app/rating_plot.h"

#include "render/canvas.h"

#include <errno.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of the picture, its margins and a character, in pixels; RIGHT has room for the names.
enum { WIDTH = 1200, HEIGHT = 720, LEFT = 90, RIGHT = 260, TOP = 40, BOTTOM = 60, GLYPH_WIDE = 6, GLYPH_HIGH = 7 };
enum { TICKS = 6, BACKGROUND = 0xffffff, INK = 0x202428, GRID = 0xdde1e6 };

static const uint32_t colours[] = {0x1f6fd0, 0xd0412f, 0x2c9a4b, 0x8a4fc0, 0xd98b1a, 0x128a95, 0xb03a7c, 0x6b6f76};
enum { COLOURS = sizeof colours / sizeof *colours };

struct picture {
    uint8_t *at; // rgb
};

bool rating_plot_init(struct rating_plot *p, const struct contest_plan *plan)
{
    *p =
        (struct rating_plot){.entrants = plan->entrants, .stride = 1, .title = plan->stake ? plan->stake->unit : "Elo"};
    for (int i = 0; i < plan->entrants; i++)
        memcpy(p->name[i], plan->entrant[i].name, sizeof p->name[i]);
    p->at = calloc(RATING_PLOT_POINTS, sizeof *p->at);
    return p->at;
}

void rating_plot_release(struct rating_plot *p)
{
    free(p->at);
    p->at = NULL;
}

// The current value of what the verdict is about: the lead in its unit, or the running Elo.
static double plotted_value(const struct contest *c, const struct contest_row *r)
{
    if (!c->plan.stake)
        return r->elo;
    return r->lead_parts > 0 ? contest_scale(&c->plan) * r->lead / r->lead_parts : 0;
}

// When there is no room left, every other point is dropped, and from then on every other game counts.
void rating_plot_add(struct rating_plot *p, const struct contest *c)
{
    if (p->games++ % p->stride)
        return;
    if (p->count == RATING_PLOT_POINTS) {
        for (uint32_t i = 0; i < RATING_PLOT_POINTS / 2; i++)
            memcpy(p->at[i], p->at[2 * i], sizeof p->at[i]);
        p->count = RATING_PLOT_POINTS / 2;
        p->stride *= 2;
        if ((p->games - 1) % p->stride)
            return;
    }
    for (int i = 0; i < p->entrants; i++)
        p->at[p->count][i] = (float)plotted_value(c, &c->row[i]);
    p->count++;
}

static void draw_dot(struct picture *pic, int x, int y, uint32_t colour)
{
    if (x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT)
        return;
    uint8_t *at = pic->at + 3 * (y * WIDTH + x);
    at[0] = (uint8_t)(colour >> 16);
    at[1] = (uint8_t)(colour >> 8);
    at[2] = (uint8_t)colour;
}

static void draw_box(struct picture *pic, int x, int y, int width, int height, uint32_t colour)
{
    for (int j = y; j < y + height; j++)
        for (int i = x; i < x + width; i++)
            draw_dot(pic, i, j, colour);
}

static void draw_line(struct picture *pic, double x0, double y0, double x1, double y1, uint32_t colour)
{
    int steps = (int)fmax(fabs(x1 - x0), fabs(y1 - y0)) + 1;
    for (int i = 0; i <= steps; i++) {
        double part = (double)i / steps;
        draw_box(pic, (int)lround(x0 + (x1 - x0) * part), (int)lround(y0 + (y1 - y0) * part), 2, 2, colour);
    }
}

// Characters missing in the font leave a gap.
static void write_text(struct picture *pic, int x, int y, int size, uint32_t colour, const char *text)
{
    for (; *text; text++, x += GLYPH_WIDE * size) {
        char c = *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text;
        const uint8_t *rows = font_rows(c);
        for (int j = 0; rows && j < GLYPH_HIGH; j++)
            for (int i = 0; i < 5; i++)
                if (rows[j] >> (4 - i) & 1)
                    draw_box(pic, x + i * size, y + j * size, size, size, colour);
    }
}

struct frame {
    double low, high; // Elo
    double games;
};

static struct frame find_frame(const struct rating_plot *p)
{
    struct frame f = {.low = INFINITY, .high = -INFINITY, .games = (double)(p->games > 1 ? p->games : 2)};
    for (uint32_t k = 0; k < p->count; k++)
        for (int i = 0; i < p->entrants; i++) {
            f.low = fmin(f.low, (double)p->at[k][i]);
            f.high = fmax(f.high, (double)p->at[k][i]);
        }
    if (p->count == 0)
        f.low = f.high = 1200;
    double margin = fmax(10, (f.high - f.low) * 0.05);
    f.low -= margin;
    f.high += margin;
    return f;
}

static double x_of(const struct frame *f, double game)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * game / (f->games - 1);
}

static double y_of(const struct frame *f, double elo)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (elo - f->low) / (f->high - f->low);
}

static void draw_axes(struct picture *pic, const struct frame *f, const char *title)
{
    char label[32];
    for (int i = 0; i <= TICKS; i++) {
        double elo = f->low + (f->high - f->low) * i / TICKS, game = (f->games - 1) * i / TICKS;
        int y = (int)y_of(f, elo), x = (int)x_of(f, game);
        draw_box(pic, LEFT, y, WIDTH - LEFT - RIGHT, 1, GRID);
        draw_box(pic, x, TOP, 1, HEIGHT - TOP - BOTTOM, GRID);
        snprintf(label, sizeof label, "%.0f", elo);
        write_text(pic, LEFT - 10 - 12 * (int)strlen(label), y - 7, 2, INK, label);
        snprintf(label, sizeof label, "%.0f", game + 1);
        write_text(pic, x - 6 * (int)strlen(label), HEIGHT - BOTTOM + 12, 2, INK, label);
    }
    write_text(pic, LEFT, 14, 2, INK, title);
    write_text(pic, WIDTH - RIGHT - 70, HEIGHT - 24, 2, INK, "GAMES");
}

static void draw_curves(struct picture *pic, const struct rating_plot *p, const struct frame *f)
{
    for (int i = 0; i < p->entrants; i++) {
        uint32_t colour = colours[i % COLOURS];
        for (uint32_t k = 1; k < p->count; k++) {
            double before = (double)((k - 1) * p->stride), now = (double)(k * p->stride);
            draw_line(pic, x_of(f, before), y_of(f, (double)p->at[k - 1][i]), x_of(f, now),
                      y_of(f, (double)p->at[k][i]), colour);
        }
        char label[18];
        snprintf(label, sizeof label, "%.17s", p->name[i]);
        draw_box(pic, WIDTH - RIGHT + 14, TOP + 24 * i + 4, 14, 6, colour);
        write_text(pic, WIDTH - RIGHT + 36, TOP + 24 * i, 2, INK, label);
    }
}

bool rating_plot_write(const struct rating_plot *p, const char *path)
{
    struct picture pic = {malloc(3 * WIDTH * HEIGHT)};
    png_image png = {.version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB};
    if (!pic.at)
        return false;
    struct frame f = find_frame(p);
    draw_box(&pic, 0, 0, WIDTH, HEIGHT, BACKGROUND);
    draw_axes(&pic, &f, p->title);
    draw_curves(&pic, p, &f);
    FILE *file = fopen(path, "wbe"); // libpng's own open would remove what it could not write, even a device
    bool written = file && png_image_write_to_stdio(&png, file, 0, pic.at, 0, NULL);
    written = file && fflush(file) == 0 && written;
    int why = errno;
    if (file)
        fclose(file);
    errno = why;
    free(pic.at);
    return written;
}
