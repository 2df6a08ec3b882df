#include "kit/picture.h"

void kit_draw_text(const struct codec *c, const struct codec_table *names, struct render_eyes *eyes,
                   char room[KIT_PICTURE_TEXT])
{
    struct text out = text_on(room, KIT_PICTURE_TEXT - 1);
    int hands = 0;
    if (eyes->picture || !eyes->view)
        return;
    for (int seat = 0; seat < eyes->seats; seat++)
        hands += eyes->hand[seat] != NULL;
    if (hands < 2)
        c->draw(&out, names, eyes->view);
    for (int seat = 0; hands > 1 && seat < eyes->seats; seat++) {
        struct codec_table own = *names;
        own.viewer = seat;
        if (eyes->hand[seat])
            c->draw(&out, &own, eyes->hand[seat]);
    }
    room[out.size] = 0;
    eyes->text = room;
}
