#include "game/pen.h"

#define ONE(byte, bit) ((byte) >> (bit)&1)
#define EIGHT(byte)                                                                                                    \
    {                                                                                                                  \
        ONE(byte, 0), ONE(byte, 1), ONE(byte, 2), ONE(byte, 3), ONE(byte, 4), ONE(byte, 5), ONE(byte, 6), ONE(byte, 7) \
    }
#define BYTES_4(from)  EIGHT(from), EIGHT((from) + 1), EIGHT((from) + 2), EIGHT((from) + 3)
#define BYTES_16(from) BYTES_4(from), BYTES_4((from) + 4), BYTES_4((from) + 8), BYTES_4((from) + 12)
#define BYTES_64(from) BYTES_16(from), BYTES_16((from) + 16), BYTES_16((from) + 32), BYTES_16((from) + 48)

const float pen_eights[256][8] = {BYTES_64(0), BYTES_64(64), BYTES_64(128), BYTES_64(192)};
