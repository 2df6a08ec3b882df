#include "kit/small_poker.h"

bool small_poker_deal(int number, const uint8_t *cards, int count, int dealt, struct hands_rules *r)
{
    memset(r->deck, CARD_NONE, sizeof r->deck);
    memcpy(r->deck, cards, (size_t)count);
    for (int i = 0; i < dealt; i++) {
        int at = i + number % (count - i);
        uint8_t card = r->deck[at];
        number /= count - i;
        r->deck[at] = r->deck[i];
        r->deck[i] = card;
    }
    return number == 0;
}
