// Arbitrary text as a poker hand: it is refused with a reason, or it becomes a replay that is written as a hand which
// is read again.
#include "app/phh.h"

#include <assert.h>

enum { ROOM = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char first_bytes[ROOM], hand_bytes[ROOM], second_bytes[ROOM];
    struct text first = text_on(first_bytes, ROOM), hand = text_on(hand_bytes, ROOM),
                second = text_on(second_bytes, ROOM);
    struct phh_fault fault;
    struct phh_counts n;
    struct span file = {(const char *)data, size};
    phh_is(file);
    int err = phh_import(&first, file, 0, &fault);
    assert(err == OK || fault.why[0]);
    if (err != OK)
        return 0;
    assert(phh_export(&hand, text_span(&first), NULL, -1, &n) == OK);
    assert(n.hands + n.unfinished == 1);
    assert(!n.hands || phh_import(&second, text_span(&hand), 0, &fault) == OK);
    return 0;
}
