// Memory that grows on the heap, for rooms that may allocate. The owner frees `at`.
#pragma once

#include "base/text.h"

// For struct text's grow. Returns false without memory; the text is as before then.
bool heap_text_grow(struct text *t, size_t more);
size_t heap_text_room(const struct text *t, size_t more); // its room after adding so many bytes
// The same with a limit of its own: begins with `first` bytes, and refuses a text longer than `most`.
bool heap_text_grow_within(struct text *t, size_t more, size_t first, size_t most);

// A list of `count` elements with room for one more: `at`, or where it has been moved. Begins with `first` elements and
// doubles. Ends the process without memory.
void *heap_list_grow(void *at, uint32_t count, uint32_t *room, uint32_t first, size_t element_size);
