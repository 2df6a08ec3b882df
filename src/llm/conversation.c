#include "llm/conversation.h"

#include "heap/heap.h"

#include <stdlib.h>
#include <string.h>

void conversation_add(struct conversation *t, enum llm_role role, struct span text, bool is_call)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 8;
        t->at = realloc(t->at, (size_t)t->room * sizeof *t->at);
    }
    char *copy = malloc(text.size + 1);
    if (!t->at || !copy)
        abort();
    if (text.size)
        memcpy(copy, text.at, text.size);
    t->at[t->count++] = (struct llm_message){role, {copy, text.size}, is_call};
}

void conversation_drop(struct conversation *t, int count)
{
    for (int i = 0; i < count; i++)
        free((void *)(uintptr_t)t->at[i].text.at);
    t->count -= count;
    if (t->count)
        memmove(t->at, t->at + count, (size_t)t->count * sizeof *t->at);
}

void conversation_append(struct conversation *t, struct span text)
{
    struct llm_message *m = &t->at[t->count - 1];
    struct text joined = {.grow = heap_text_grow};
    text_put(&joined, m->text);
    text_puts(&joined, "\n\n");
    text_put(&joined, text);
    free((void *)(uintptr_t)m->text.at);
    m->text = text_span(&joined);
}

size_t conversation_bytes(const struct conversation *t)
{
    size_t sum = 0;
    for (int i = 0; i < t->count; i++)
        sum += t->at[i].text.size;
    return sum;
}

struct span conversation_tail(struct span text, size_t most)
{
    if (text.size > most)
        text = (struct span){text.at + text.size - most, most};
    while (text.size && ((unsigned char)text.at[0] & 0xC0) == 0x80) // not in the middle of a character
        text.at++, text.size--;
    return text;
}
