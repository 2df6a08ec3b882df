// Answers as an engine reads them, and the file that tells how a bot is started.
#include "botwire/wire.h"
#include "seats/launch_internal.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span body = {(const char *)data, size};
    struct game_action a;
    struct launch_meta meta;
    char id[64];
    if (wire_read_session(body, id, sizeof id) == OK && (strlen(id) == 0 || strlen(id) >= sizeof id))
        abort();
    if (wire_read_cut(body, size % 2, &a) == OK &&
        (a.amount < BELOTE_CUT_MIN || a.amount > BELOTE_CUT_MAX || a.arg[0] > 1))
        abort();
    if (wire_read_word(body, &a) == OK && wire_word_of(a) >= BELOTE_WORDS)
        abort();
    if (wire_read_card(body, &a) == OK && a.arg[0] >= BELOTE_CARDS)
        abort();
    if (!launch_meta_read(&meta, "/tmp/folder", body)) {
        if (!meta.file_name || !meta.agent_name || !meta.id)
            abort();
        launch_meta_release(&meta);
    }
    return 0;
}
