// The stake of a contest: what its verdict is about, such as wins or chips, and in which unit.
#include "contest/contest.h"

const struct contest_stake *contest_find_stake(const struct contest_facts *f, const void *rules, bool whole)
{
    if (!f || (f->has_stake && !f->has_stake(rules)))
        return NULL;
    return whole ? f->whole : f->stake;
}

const char *contest_about(const struct contest_plan *p)
{
    return p->stake ? p->stake->of : "wins";
}

const char *contest_unit(const struct contest_plan *p)
{
    return p->stake ? p->stake->unit : "score";
}

bool contest_has_parts(const struct contest_plan *p)
{
    return p->attempts || (p->stake && p->stake->count_parts);
}

double contest_scale(const struct contest_plan *p)
{
    if (!p->stake)
        return 1;
    double meeting = contest_pairing_games(p), net = p->stake->is_net ? (meeting - 1) / meeting : 1;
    return net * (p->stake->scale ? p->stake->scale(&p->rules) : 1);
}
