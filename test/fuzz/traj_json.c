// Arbitrary bytes as a trajectory of JSON, a tree or lines: records or a refusal, and memory within a ceiling.
#include "support_traj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && (data[0] & 0xf0) == 0x80)
        return 0; // MessagePack's
    traj_read_all((struct span){(const char *)data, size});
    return 0;
}
