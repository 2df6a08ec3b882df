#include "app/tetris_agent.h"

#include "house/ask.h"

#include <stdio.h>
#include <string.h>

// The observation as rules of a fresh game: its field, its pieces in order, its hold.
static void rules_of(const struct tetris_agent *a, const struct server_observation *o, struct tetris_rules *rules)
{
    tetris_game.defaults(rules);
    tetris_game.seed(rules, 0);
    rules->ruleset = a->guideline ? TETRIS_GUIDELINE : TETRIS_STANDARD;
    rules->listed = TETRIS_LIST_PLACEMENTS;
    rules->hold = o->hold;
    rules->queue[0] = o->kind;
    memcpy(rules->queue + 1, o->queue, sizeof o->queue);
    for (int i = 0; i < TETRIS_CELLS; i++)
        rules->board[i / 2] |= (uint8_t)(o->cells[i] << (i % 2 ? 4 : 0));
}

static int remove_holds(struct game_choice *choices, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!(choices[i].first.arg[2] & TETRIS_PLACE_HOLD))
            choices[kept++] = choices[i];
    return kept;
}

// The first suggestion that is one of the listed placements.
static bool ask_outside(struct tetris_agent *a, const struct tetris_state *s, const struct tetris_view *v,
                        struct game_action *place)
{
    struct tbp_move moves[TBP_MOVES];
    struct tbp_game now;
    tbp_game_of(&now, v);
    int count = tbp_client_suggest(a->tbp, &now, moves, a->tbp_ms);
    for (int i = 0; i < count; i++)
        if (tbp_find_place(s, moves[i], place)) {
            tbp_client_played(a->tbp, moves[i]);
            return true;
        }
    if (count >= 0)
        snprintf(a->tbp->why, sizeof a->tbp->why, "none of the bot's %d suggestions can be played here", count);
    return false;
}

bool tetris_agent_plan(struct tetris_agent *a, const struct server_observation *o, bool avoid_hold,
                       struct tetris_plan *plan)
{
    struct tetris_rules rules;
    struct tetris_state state;
    struct tetris_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    if (!o->kind)
        return false;
    rules_of(a, o, &rules);
    if (tetris_game.init(&state, &rules, 1, a->dice, NULL) != OK || state.facts.end)
        return false;
    int count = tetris_game.choices(&state, 0, choices);
    if (!o->can_hold || avoid_hold)
        count = remove_holds(choices, count);
    if (count == 0)
        return false;
    tetris_game.view(&state, 0, &view);
    view.facts.can_hold = o->can_hold && !avoid_hold;
    struct bot_ask ask = {.game = &tetris_game,
                          .view = &view,
                          .seats = 1,
                          .choices = choices,
                          .count = count,
                          .fallback = choices[0].first,
                          .aggro = 0.5f,
                          .dice = &a->dice};
    struct game_action place;
    state.facts.can_hold = view.facts.can_hold;
    if (!a->tbp)
        place = house_choose(a->bot, &ask);
    else if (!ask_outside(a, &state, &view, &place))
        return false;
    plan->hold = place.arg[2] & TETRIS_PLACE_HOLD;
    plan->rotation = place.arg[1];
    int kind = !plan->hold ? o->kind : o->hold ? o->hold : o->queue[0];
    plan->x = place.arg[0] - (a->box ? tetris_left(kind, plan->rotation) : 0);
    return true;
}
