// Arbitrary lines as a transcript: they are refused with a reason, or every one of them plays again.
#include "contest/dealbook.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dealbook_check check;
    int err = dealbook_verify((struct span){(const char *)data, size}, &check);
    assert(err == OK ? !check.why[0] : check.why[0]);
    return 0;
}
