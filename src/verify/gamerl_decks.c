// Initial states with a fixed deal (kit_deck), so that two episodes can differ in hidden information only.
#include "verify/gamerl_games.h"
#include "verify/gamerl_internal.h"

#include <stdlib.h>
#include <string.h>

static json_t *parse_quoted(const char *quoted)
{
    char text[1024];
    size_t size = strlen(quoted);
    for (size_t i = 0; i <= size && i < sizeof text; i++)
        text[i] = quoted[i] == '\'' ? '"' : quoted[i];
    json_t *value = json_loads(text, 0, NULL);
    if (!value)
        abort();
    return value;
}

static void swap_items(json_t *list, const int at[2])
{
    json_t *first = json_incref(json_array_get(list, (size_t)at[0]));
    json_array_set(list, (size_t)at[0], json_array_get(list, (size_t)at[1]));
    json_array_set_new(list, (size_t)at[1], first);
}

json_t *gr_deck(struct gamerl *g, bool other)
{
    const struct kit_deck *d = gr_find_deck(g->game);
    if (!d) {
        gr_skip(g, "no deal is known for this game");
        return NULL;
    }
    json_t *state = parse_quoted(d->more), *items = parse_quoted(d->items);
    if (other)
        swap_items(items, d->swapped);
    json_object_set_new(state, d->key, items);
    json_object_set_new(state, "bots", json_integer(1)); // their play does not depend on their cards
    return json_pack("{s:o}", "initial_state", state);
}
