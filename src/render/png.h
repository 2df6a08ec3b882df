// A picture as a PNG file. Flat shapes are runs and equal rows, which is all that is packed.
#pragma once

#include "base/text.h"

void png_write(struct text *t, const uint8_t *rgb, int width, int height); // rows are tight
