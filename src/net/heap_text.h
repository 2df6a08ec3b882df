// Text that grows on the heap, for rooms that may allocate. The owner frees `at`.
#pragma once

#include "base/text.h"

bool heap_text_grow(struct text *t, size_t more);         // for struct text's grow
size_t heap_text_room(const struct text *t, size_t more); // its room after adding so many bytes
