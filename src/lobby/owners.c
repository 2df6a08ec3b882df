// Whether two agents belong to the same owner (F7.2), as far as the server can see: by the e-mail address of a claim,
// the key that registered them, their device, or their network address. Agents registered from two networks with two
// devices look like two owners.
#include "lobby/internal.h"

static bool is_same_word(const char *a, const char *b)
{
    return a[0] && strcmp(a, b) == 0;
}

static struct uuid first_of_lineage(const struct store_agent *a)
{
    return uuid_is_none(a->lineage) ? a->id : a->lineage;
}

static bool share_address(const struct lobby_agent *a, const struct lobby_agent *b)
{
    return is_same_word(a->record.origin, b->record.origin) || is_same_word(a->address, b->address) ||
           is_same_word(a->record.origin, b->address) || is_same_word(a->address, b->record.origin);
}

static bool share_owner(const struct lobby *l, const struct lobby_agent *a, const struct lobby_agent *b)
{
    return is_same_word(a->record.owner, b->record.owner) || is_same_word(a->record.device_id, b->record.device_id) ||
           uuid_equals(first_of_lineage(&a->record), first_of_lineage(&b->record)) ||
           (!l->o.rate_same_address && share_address(a, b));
}

void owners_check(const struct lobby *l, struct live_match *b)
{
    for (int i = 0; i < b->record.seats; i++)
        for (int k = 0; k < i; k++) {
            const struct lobby_agent *one = b->seat[i].agent, *other = b->seat[k].agent;
            b->same_owner |= one && other && one != other && share_owner(l, one, other);
        }
}
