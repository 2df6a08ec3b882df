// Questions and states of somebody's arena: whatever they say, they are refused, or give a view that can be drawn; one
// that asks is answered by every house player.
#include "ask_players.h"
#include "games/games.h"

enum { ROOM = 1 << 16, LONGEST = 1 << 14 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void draw(const struct game_kit *k, const struct action_request *t)
{
    static char bytes[ROOM];
    struct text out = text_on(bytes, ROOM);
    struct codec_table table = dialect_table(t->seats, t->seat);
    if (t->seat < 0 || t->seat >= t->seats || t->seats > GAME_MAX_SEATS)
        abort();
    k->codec->draw(&out, &table, &t->view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct action_request t;
    struct span json = {(const char *)data, size};
    if (size > LONGEST)
        return 0;
    for (const struct game_kit *const *k = game_kits; *k; k++) {
        if (dialect_refusal(*k) || !dialect_has_view(*k))
            continue;
        if (action_request_read_state(*k, json, &t) == OK)
            draw(*k, &t);
        if (action_request_read(*k, json, &t) == OK) {
            draw(*k, &t);
            ask_players(*k, &t, false);
        }
    }
    return 0;
}
