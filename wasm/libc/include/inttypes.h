#pragma once

#include <stdint.h>

#define PRIu32 "u"
#define PRIu64 "llu"
#define PRIx64 "llx"
