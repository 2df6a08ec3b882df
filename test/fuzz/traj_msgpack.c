// Arbitrary bytes as a trajectory of MessagePack: records or a refusal, and memory within a ceiling.
#include "support_traj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || (data[0] & 0xf0) != 0x80)
        return 0;
    traj_read_all((struct span){(const char *)data, size});
    return 0;
}
