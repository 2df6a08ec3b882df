#include "kit/environment.h"

bool env_facts_flat_at(const struct env_facts *k, int index, struct game_action *a)
{
    if (k->flat_at)
        return k->flat_at(index, a);
    *a = k->flat[index].action;
    return k->flat[index].fixed;
}

double env_facts_health(const struct env_facts *k, const void *view, int seat, double *most)
{
    if (k->health)
        return k->health(view, seat, most);
    *most = 1;
    return env_facts_in_play(k, view, seat);
}

bool env_facts_in_play(const struct env_facts *k, const void *view, int seat)
{
    return !k->in_play || k->in_play(view, seat);
}

bool env_facts_has_won(const struct env_facts *k, const struct game *g, const void *state, const void *view, int seats,
                       int seat)
{
    int32_t paid[GAME_MAX_SEATS] = {0};
    if (k->has_won)
        return k->has_won(view, seat);
    g->payoffs(state, paid);
    bool beats_one = seats == 1 && paid[0] > 0;
    for (int s = 0; s < seats; s++) {
        if (paid[s] > paid[seat])
            return false;
        beats_one |= paid[s] < paid[seat];
    }
    return beats_one;
}

int env_facts_severity(const struct env_facts *k, const struct game_event *e, int viewer)
{
    return k->severity ? k->severity(e, viewer) : 1;
}
