// Arbitrary bytes as a message of the Tetris Bot Protocol: refused with a reason, or read; what was read is written and
// read again with the same content, and a situation that was read can be played on.
#include "games/tetris/tbp.h"

#include <assert.h>

enum { ROOM = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void play_on(const struct tbp_message *m)
{
    struct tbp_game g = m->game;
    struct tetris_state s;
    struct tetris_view v;
    struct game_choice list[GAME_MAX_CHOICES];
    for (int ruleset = 0; ruleset < 2; ruleset++)
        if (tbp_game_state(&g, ruleset, TETRIS_LIST_BOTH, &s, &v))
            assert(tetris_game.choices(&s, 0, list) > 0);
    tbp_game_play(&g, tbp_move_of(TETRIS_T, TETRIS_NORTH, 3, 17));
    tbp_game_add(&g, TETRIS_I);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char bytes[ROOM];
    static struct tbp_message m, again;
    struct text t = text_on(bytes, ROOM);
    if (!tbp_read(&m, (struct span){(const char *)data, size})) {
        assert(m.wrong);
        return 0;
    }
    if (m.type == TBP_START) {
        tbp_write_start(&t, &m.game);
        assert(tbp_read(&again, text_span(&t)));
        assert(memcmp(again.game.cells, m.game.cells, sizeof m.game.cells) == 0 && again.game.count == m.game.count);
        play_on(&m);
    } else if (m.type == TBP_SUGGESTION) {
        tbp_write_suggestion(&t, m.move, m.moves);
        assert(tbp_read(&again, text_span(&t)) && again.moves == m.moves);
        assert(memcmp(again.move, m.move, sizeof m.move) == 0);
        struct tbp_game empty = {.queue = {TETRIS_I, TETRIS_T}, .count = 2};
        for (int i = 0; i < m.moves; i++)
            tbp_game_play(&empty, m.move[i]);
    }
    return 0;
}
