// An environment to look at: as text and as a picture, from the view of one viewer.
#include "vec/internal.h"

#include "kit/picture.h"

#include <stdlib.h>

enum { TEXT_ROOM = 1 << 14 };

static struct codec_table table_of(const struct agon_vec *v, int viewer)
{
    return (struct codec_table){.seat = codec_seat_names, .seats = (int)v->seats, .viewer = viewer};
}

int agon_text(const agon_vec *v, uint32_t env, uint32_t viewer, char *out, size_t room)
{
    char text[TEXT_ROOM];
    union game_view view;
    int err = vec_check_viewer(v, env, viewer);
    if (err)
        return err;
    int seat = viewer == v->seats ? GAME_SPECTATOR : (int)viewer;
    struct codec_table names = table_of(v, seat);
    struct text t = text_on(text, sizeof text);
    v->game->view(lane_state(v, lane_at(v, env)), seat, &view);
    v->kit->codec->draw(&t, &names, &view);
    if (room == 0)
        return (int)t.size;
    if (!out || t.size >= room)
        return vec_refuse(AGON_TOO_SHORT, "the text has %zu bytes and a 0 at its end", t.size);
    memcpy(out, text, t.size);
    out[t.size] = 0;
    return (int)t.size;
}

int agon_picture(const agon_vec *v, uint32_t env, uint32_t viewer, uint32_t width, uint32_t height, uint8_t *rgb)
{
    char text[KIT_PICTURE_TEXT];
    union game_view view;
    int err = vec_check_viewer(v, env, viewer);
    if (err)
        return err;
    if (!rgb)
        return vec_refuse(AGON_RANGE, "the picture to be filled is NULL");
    if (width < 1 || height < 1 || width > RENDER_MAX_SIZE || height > RENDER_MAX_SIZE)
        return vec_refuse(AGON_RANGE, "a picture has 1 to %d pixels in each direction, not %u x %u", RENDER_MAX_SIZE,
                          width, height);
    struct render_list *list = malloc(sizeof *list);
    if (!list)
        return vec_refuse(AGON_NO_MEMORY, "there is no memory for a picture");
    const void *state = lane_state(v, lane_at(v, env));
    int seat = viewer == v->seats ? GAME_SPECTATOR : (int)viewer;
    struct codec_table names = table_of(v, seat);
    struct render_eyes eyes = {.picture = v->kit->picture,
                               .view = &view,
                               .seats = (int)v->seats,
                               .bottom = seat == GAME_SPECTATOR ? 0 : seat,
                               .to_act = v->game->turn(state).seats};
    struct render_frame frame = {.type = RENDER_RGB, .width = (int)width, .height = (int)height, .light = 65536};
    v->game->view(state, seat, &view);
    if (seat != GAME_SPECTATOR)
        eyes.hand[seat] = &view;
    kit_draw_text(v->kit->codec, &names, &eyes, text);
    render_draw(list, &eyes);
    render_paint(list, &frame, rgb);
    free(list);
    return AGON_OK;
}
