// Arbitrary bytes as what a matchmaker and other nodes say to each other: refused, or read and written again as they
// were (S21 to S25). The first byte is the kind.
#include "cluster/note.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t kinds = ENTRY_REFUSED - ENTRY_JOIN + 1;
    char again[NOTE_MOST];
    struct note n;
    struct entry e = {.kind = size ? (uint8_t)(ENTRY_JOIN + data[0] % kinds) : ENTRY_FRAME}, back;
    if (size)
        e.payload = (struct span){(const char *)data + 1, size - 1};
    if (note_read(&e, &n) != OK)
        return 0;
    note_write(&n, again, &back);
    assert(back.kind == e.kind && span_equals(back.payload, e.payload));
    return 0;
}
