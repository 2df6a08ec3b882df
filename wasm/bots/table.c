// The solved table of the game, where it has one: TABLE, TABLE_SIZE and TABLE_DIGEST are the build's. Its bytes come
// from elsewhere, when somebody asks for a bot that plays by them, and only those that the build has seen are taken.
#include "wasm/bots/module.h"

#ifdef TABLE
#include "base/sha256.h"

static char bytes[TABLE_SIZE];
static size_t taken;
const struct bot_table TABLE = {bytes, &taken};

// Where the bytes go before bots_take_table.
char *EXPORT(bots_table)(void)
{
    return bytes;
}

size_t EXPORT(bots_table_size)(void)
{
    return sizeof bytes;
}

static uint64_t digest(void) // the first eight bytes of SHA-256, in the order in which they are written
{
    uint8_t sum[SHA256_BYTES];
    uint64_t first = 0;
    sha256(sum, bytes, sizeof bytes);
    for (int i = 0; i < 8; i++)
        first = first << 8 | sum[i];
    return first;
}

// N1.11: of so many bytes that were put there; false: they are not the table.
int EXPORT(bots_take_table)(size_t size)
{
    taken = size == sizeof bytes && digest() == TABLE_DIGEST ? size : 0;
    return taken > 0;
}

#else

size_t EXPORT(bots_table_size)(void) // it has none
{
    return 0;
}
#endif
