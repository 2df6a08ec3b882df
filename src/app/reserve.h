// Memory with a ceiling, asked for once: pages come when they are first touched, and nothing is allocated later.
#pragma once

#include "base/text.h"

void *app_reserve(size_t size); // cleared; ends the program when the system refuses
void app_release(void *memory, size_t size);
struct text app_reserve_text(size_t room); // an empty text on reserved memory
