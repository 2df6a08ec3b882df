// Matches and replays here keep no history of observations (game/rows.h), so these are never called.
#include "game/rows.h"

int game_apply_kept(const struct game *g, void *state, void *history, int seat, struct game_action action,
                    struct game_events *happened, struct game_tokens *tokens)
{
    (void)g, (void)state, (void)history, (void)seat, (void)action, (void)happened, (void)tokens;
    __builtin_trap();
}

void game_tick_kept(const struct game *g, void *state, void *history, struct game_events *happened,
                    struct game_tokens *tokens)
{
    (void)g, (void)state, (void)history, (void)happened, (void)tokens;
    __builtin_trap();
}
