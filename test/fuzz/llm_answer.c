// What a model wrote, whatever it is, becomes one of the choices, a forfeit, or a cause (L60-L69).
#include "games/games.h"
#include "llm/answer.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct codec_table table = {.seat = codec_seat_names, .seats = 4};
    static union game_state state;
    union game_rules rules;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct llm_found found;
    int kits = 0;
    while (game_kits[kits])
        kits++;
    if (size < 1)
        return 0;
    const struct game_kit *k = game_kits[data[0] % kits];
    k->game->defaults(&rules);
    int seats = k->game->max_seats < 4 ? k->game->max_seats : 4;
    if (k->game->init(&state, &rules, seats, (struct rng){.key = {1}}, NULL) != OK)
        return 0;
    struct game_turn turn = k->game->turn(&state);
    int count = turn.seats ? k->game->choices(&state, __builtin_ctz(turn.seats), choices) : 0;
    struct span text = {(const char *)data + 1, size - 1};
    struct llm_tool_call call = {SPAN("act"), text};
    struct llm_said said[] = {{.text = text, .cut = data[0] >> 7}, {.calls = &call, .call_count = 1}};
    for (int i = 0; i < 2; i++) {
        answer_read(&said[i], k->codec, &table, choices, count, &found);
        if (found.cause >= LLM_CAUSES)
            abort();
        if (found.cause == LLM_FINE && !found.forfeit && !game_has_choice(choices, count, found.action))
            abort();
    }
    return 0;
}
