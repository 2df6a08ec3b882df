// G21.3, G29.3: what is hidden from a viewer is not in the viewer's picture. Everything hidden is redrawn after every
// step, and the two pictures are compared, shape by shape and byte by byte. In a game with hidden information the
// picture of all hands must tell the worlds apart now and then, or the test would see nothing.
#include "games/games.h"
#include "games_found.h"
#include "kit/picture.h"
#include "render/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MATCHES = 3, STEPS = 100, SIZE = 64 };

struct picture {
    struct render_list list;
    uint8_t rgb[SIZE * SIZE * 3], depth[SIZE * SIZE * 4], classes[SIZE * SIZE * 4];
};

static struct picture one, two;

// `viewer` sits at the bottom with an open hand; `all`: every hand is open.
static void take(struct picture *p, const struct game *g, const union game_state *s, int seats, int viewer, bool all)
{
    static char text[KIT_PICTURE_TEXT];
    static union game_view view, hand[GAME_MAX_SEATS];
    struct render_eyes e = {
        .picture = games_find(g->name)->picture, .view = &view, .seats = seats, .to_act = g->turn(s).seats};
    e.bottom = viewer == GAME_SPECTATOR ? 0 : viewer;
    g->view(s, viewer, &view);
    for (int seat = 0; seat < seats; seat++)
        if (all || seat == viewer) {
            g->view(s, seat, &hand[seat]);
            e.hand[seat] = &hand[seat];
        }
    struct codec_table names = {.seat = codec_seat_names, .seats = seats, .viewer = viewer};
    kit_draw_text(games_find(g->name)->codec, &names, &e, text);
    render_draw(&p->list, &e);
    struct render_frame f = {.type = RENDER_RGB, .width = SIZE, .height = SIZE, .light = 65536};
    render_paint(&p->list, &f, p->rgb);
    f.type = RENDER_DEPTH;
    render_paint(&p->list, &f, p->depth);
    f.type = RENDER_SEGMENTATION;
    render_paint(&p->list, &f, p->classes);
}

static bool differ(const struct game *g, const union game_state *s, const union game_state *t, int seats, int viewer,
                   bool all)
{
    take(&one, g, s, seats, viewer, all);
    take(&two, g, t, seats, viewer, all);
    return one.list.count != two.list.count ||
           memcmp(one.list.at, two.list.at, (size_t)one.list.count * sizeof one.list.at[0]) != 0 ||
           memcmp(one.rgb, two.rgb, sizeof one.rgb) != 0 || memcmp(one.depth, two.depth, sizeof one.depth) != 0 ||
           memcmp(one.classes, two.classes, sizeof one.classes) != 0;
}

// Whether some seat sees the two worlds differently: then something is hidden from the others.
static bool hides(const struct game *g, const union game_state *s, const union game_state *t, int seats)
{
    static union game_view here, there;
    for (int seat = 0; seat < seats; seat++) {
        g->view(s, seat, &here);
        g->view(t, seat, &there);
        if (memcmp(&here, &there, g->view_size) != 0)
            return true;
    }
    return false;
}

static bool step(const struct game *g, union game_state *s, struct rng *dice)
{
    struct game_choice list[GAME_MAX_CHOICES];
    struct game_turn turn = g->turn(s);
    if (turn.kind == TURN_OVER)
        return false;
    int seat = __builtin_ctz(turn.seats);
    int count = g->choices(s, seat, list);
    const struct game_choice *c = &list[rng_below(dice, (uint32_t)count)];
    g->apply(s, seat, c->first, NULL);
    if (g->tick)
        g->tick(s, NULL);
    return true;
}

struct shown_counts {
    uint64_t hidden, told_apart;
};

static bool check_match(const struct game *g, int seats, uint32_t seed, struct shown_counts *n)
{
    union game_rules rules;
    union game_state state, other;
    struct rng chance = {.key = {seed, 1}}, dice = {.key = {seed, 2}};
    g->defaults(&rules);
    g->scenario(&rules, 0);
    if (g->init(&state, &rules, seats, chance, NULL) != OK)
        return false;
    for (int i = 0; i < STEPS; i++) {
        for (int k = 0; k <= seats; k++) {
            int viewer = k == seats ? GAME_SPECTATOR : k;
            other = state;
            g->resample(&other, viewer, &dice);
            if (differ(g, &state, &other, seats, viewer, false)) {
                fprintf(stderr, "%s, %d seats, seed %u, step %d: viewer %d sees what is hidden\n", g->name, seats, seed,
                        i, viewer);
                return false;
            }
            n->hidden += hides(g, &state, &other, seats);
            n->told_apart += differ(g, &state, &other, seats, viewer, true);
        }
        if (!step(g, &state, &dice))
            break;
    }
    return true;
}

int main(void)
{
    for (int i = 0; games_found[i]; i++) {
        const struct game *g = games_found[i];
        struct shown_counts n = {0};
        for (int seats = g->min_seats; seats <= g->max_seats; seats++)
            for (uint32_t seed = 1; seed <= MATCHES; seed++)
                if (!check_match(g, seats, seed, &n))
                    return 1;
        if (n.hidden && !n.told_apart) {
            fprintf(stderr, "%s: no two worlds ever looked different\n", g->name);
            return 1;
        }
        printf("%s: %llu pictures of all hands told the worlds apart\n", g->name, (unsigned long long)n.told_apart);
    }
    return 0;
}
