// Memory of fixed maximum size, reserved once: pages are allocated when first used, and nothing is allocated later.
#pragma once

#include "base/text.h"

void *memory_reserve(size_t size); // zeroed; ends the program if the system refuses
void memory_release(void *memory, size_t size);
struct text memory_reserve_text(size_t room); // an empty text on reserved memory
