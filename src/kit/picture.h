// The picture of a game that has no pictures of its own: the text its codec draws for a terminal, on a plain table.
#pragma once

#include "codec/codec.h"
#include "render/render.h"

enum { KIT_PICTURE_TEXT = 8192 };

// Sets eyes->text, in `room`, where eyes->picture is NULL; view, hands and seats are there already. Of one viewer's
// picture `names->viewer` is the viewer; where several hands lie open, each of them is drawn below the one before.
void kit_draw_text(const struct codec *c, const struct codec_table *names, struct render_eyes *eyes,
                   char room[KIT_PICTURE_TEXT]);
