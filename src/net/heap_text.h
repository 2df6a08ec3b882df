// Text that grows on the heap, for rooms that may allocate; the owner frees `at`.
#pragma once

#include "base/text.h"

bool heap_text_grow(struct text *t, size_t more); // for struct text's grow
