// Pictures as an agent gets them: the view of a seat, drawn and painted, rgb 224 x 224; one random step between two.
#include "app/bench.h"

#include "games/games.h"
#include "kit/picture.h"

enum { SIZE = 224 }; // pixels, as image models take them

static void draw_frame(const struct game *g, const union game_state *s, int seats)
{
    static struct render_list list;
    static uint8_t pixels[SIZE * SIZE * 3];
    static char text[KIT_PICTURE_TEXT];
    union game_view view;
    struct render_eyes eyes = {.picture = games_find(g->name)->picture,
                               .view = &view,
                               .hand = {&view},
                               .seats = seats,
                               .to_act = g->turn(s).seats};
    struct render_frame frame = {.type = RENDER_RGB, .width = SIZE, .height = SIZE, .light = 65536};
    struct codec_table names = {.seat = codec_seat_names, .seats = seats};
    g->view(s, 0, &view);
    kit_draw_text(games_find(g->name)->codec, &names, &eyes, text);
    render_draw(&list, &eyes);
    render_paint(&list, &frame, pixels);
}

uint64_t bench_render_frames(const struct bench_case *c, struct bench_dice *dice, uint64_t units)
{
    const struct game *g = c->game;
    union game_rules rules;
    union game_state state;
    struct game_choice choices[GAME_MAX_CHOICES];
    g->defaults(&rules);
    bench_start(g, &state, &rules, c->seats, dice);
    for (uint64_t done = 0; done < units; done++) {
        struct game_turn turn = g->turn(&state);
        if (turn.kind == TURN_OVER) {
            bench_start(g, &state, &rules, c->seats, dice);
        } else {
            int seat = bench_pick_seat(dice, turn.seats), count = g->choices(&state, seat, choices);
            if (g->apply(&state, seat, bench_pick_action(bench_draw(dice), choices, count), NULL) != OK)
                app_die("%s refuses a choice of its own list", g->name);
            if (g->tick)
                g->tick(&state, NULL);
        }
        draw_frame(g, &state, c->seats);
    }
    return units;
}
