// Initial states of agon's games that fix what is dealt, so that two episodes can differ in hidden things alone.
#include "judge/gamerl_inside.h"

#include <stdlib.h>
#include <string.h>

// `swapped` are two items of the list that another seat gets, or nobody yet; seat 0 sees neither.
static const struct deck {
    const char *game, *key;
    const char *items; // JSON
    int swapped[2];
    const char *more; // members besides
} decks[] = {
    {"tetris", "queue", "['I','O','T','S','Z','J','L','I','O','T','S','Z','J','L']", {9, 10}, "{}"},
    {"texas_holdem",
     "deck",
     "['2c','3c','4c','5c','6c','7c','8c','9c','Tc','Jc','Qc','Kc','Ac','2d','3d','4d','5d','6d','7d','8d','9d','Td',"
     "'Jd','Qd','Kd','Ad','2h','3h','4h','5h','6h','7h','8h','9h','Th','Jh','Qh','Kh','Ah','2s','3s','4s','5s','6s',"
     "'7s','8s','9s','Ts','Js','Qs','Ks','As']",
     {0, 1}, // to seats 1 and 2: the first card goes behind the button
     "{'button':0}"},
    {"liars_dice", "dice", "[[1,2,3,4,5],[1,1,2,3,6],[2,2,4,5,6],[3,3,3,4,4]]", {1, 2}, "{'starter':0}"},
    {"coup",
     "deck",
     "['Duke','Assassin','Captain','Ambassador','Contessa','Duke','Assassin','Captain','Ambassador','Contessa','Duke',"
     "'Assassin','Captain','Ambassador','Contessa']",
     {7, 8}, // the last one dealt to four seats, and the next
     "{'starter':0}"},
    {"belote",
     "deck",
     "['7c','8c','9c','Tc','Jc','Qc','Kc','Ac','7d','8d','9d','Td','Jd','Qd','Kd','Ad','7h','8h','9h','Th','Jh','Qh',"
     "'Kh','Ah','7s','8s','9s','Ts','Js','Qs','Ks','As']",
     {19, 22}, // behind the cut the second and the third seat's
     "{'dealer':3,'cut':{'position':16,'from_top':true}}"},
};

static json_t *parse(const char *quoted)
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

static void swap(json_t *list, const int at[2])
{
    json_t *first = json_incref(json_array_get(list, (size_t)at[0]));
    json_array_set(list, (size_t)at[0], json_array_get(list, (size_t)at[1]));
    json_array_set_new(list, (size_t)at[1], first);
}

json_t *gr_deck(struct gamerl *g, bool other)
{
    for (unsigned i = 0; i < sizeof decks / sizeof *decks; i++) {
        const struct deck *d = &decks[i];
        if (strcmp(d->game, g->game) != 0)
            continue;
        json_t *state = parse(d->more), *items = parse(d->items);
        if (other)
            swap(items, d->swapped);
        json_object_set_new(state, d->key, items);
        json_object_set_new(state, "bots", json_integer(1)); // what they do does not depend on what they hold
        return json_pack("{s:o}", "initial_state", state);
    }
    gr_skip(g, "no deal is known for this game");
    return NULL;
}
