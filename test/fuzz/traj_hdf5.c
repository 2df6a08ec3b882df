// Arbitrary bytes behind a right user block, so that they reach the library: its child may die of them, we may not.
#include "support_traj.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[64];
    char block[512] = {0}, path[96], hash[TRAJ_HASH_ROOM];
    uint8_t digest[CRYPTO_SHA256_BYTES];
    struct traj_path place;
    struct traj_reader *r;
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/dev/shm/agon-fuzz-XXXXXX");
        if (!mkdtemp(folder))
            abort();
    }
    crypto_sha256(digest, data, size);
    traj_hash_text(digest, hash);
    snprintf(block, sizeof block, "agon game-rl-trajectory\n%s\n", hash);
    snprintf(path, sizeof path, "%s/t", folder);
    FILE *f = fopen(path, "w");
    if (!f)
        abort();
    fwrite(block, 1, sizeof block, f);
    fwrite(data, 1, size, f);
    fclose(f);
    if (traj_path_resolve(&place, folder, SPAN("t")) != TRAJ_FINE)
        abort();
    if (traj_read_open(&r, &place) == TRAJ_FINE)
        traj_read_rest(r);
    traj_path_release(&place);
    return 0;
}
