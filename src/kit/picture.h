// The picture of a game without pictures of its own: the codec's text drawing for terminals, on a plain table.
#pragma once

#include "codec/codec.h"
#include "render/render.h"

enum { KIT_PICTURE_TEXT = 8192 };

// If eyes->picture is NULL, sets eyes->text, stored in `room`; view, hands and seats must be set. For the picture of
// one viewer, `names->viewer` is that viewer; several open hands are drawn below each other.
void kit_draw_text(const struct codec *c, const struct codec_table *names, struct render_eyes *eyes,
                   char room[KIT_PICTURE_TEXT]);
