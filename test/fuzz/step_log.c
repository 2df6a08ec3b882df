// Arbitrary text as a step log: it is refused with a reason, or it survives the way into a replay and back.
#include "app/step_log.h"

#include <assert.h>
#include <stdlib.h>

enum { ROOM = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char first_bytes[ROOM], log_bytes[ROOM], second_bytes[ROOM];
    struct text first = text_on(first_bytes, ROOM), log = text_on(log_bytes, ROOM),
                second = text_on(second_bytes, ROOM);
    struct step_log_fault fault;
    // The first line is given: what follows is worth the time.
    static const char *const heads[] = {"", "AGT1\tstandard\t123\tagon\n", "AGT1\tguideline\t7\tcompat\n"};
    const char *head = heads[size ? data[0] % 3 : 0];
    struct text text = text_on(malloc(size + 64), size + 64);
    text_puts(&text, head);
    if (size)
        text_put(&text, (struct span){(const char *)data + 1, size - 1});
    int err = step_log_import(&first, text_span(&text), &fault);
    free(text.at);
    assert(err == OK || fault.why[0]);
    if (err != OK || !fault.ended)
        return 0;
    assert(step_log_export(&log, text_span(&first), NULL, "agon", &fault) == OK);
    assert(step_log_import(&second, text_span(&log), &fault) == OK);
    return 0;
}
