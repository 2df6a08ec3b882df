#include "games/liars_dice/rules/dice.h"

// A one in the place of every die that shows the face.
static uint32_t showing(liars_dice_hand hand, int face)
{
    uint32_t differs = hand ^ (uint32_t)face * EVERY_DIGIT;
    return ~(differs | differs >> 1 | differs >> 2) & EVERY_DIGIT;
}

// Six hands add up to at most 6 in each octal place, so places never overflow; then the five places are added.
static int add_up(uint32_t places)
{
    uint32_t pairs = (places & 070707) + (places >> 3 & 070707);
    return (int)((pairs + (pairs >> 6) + (pairs >> 12)) & 63);
}

int dice_count(const liars_dice_hand *hand, int hands, int face, bool wild)
{
    uint32_t places = 0;
    int also = wild ? 1 : face;
    for (int s = 0; s < hands; s++)
        places += showing(hand[s], face) | showing(hand[s], also);
    return add_up(places);
}

int dice_in(liars_dice_hand hand)
{
    return add_up((hand | (uint32_t)hand >> 1 | (uint32_t)hand >> 2) & EVERY_DIGIT);
}

int dice_from_faces(const uint8_t *faces, int count)
{
    int hand = 0, dice = 0;
    for (int i = 0; i < count; i++) {
        if (faces[i] > LIARS_DICE_FACES || (faces[i] && dice != i))
            return -1;
        dice += faces[i] != 0;
        hand |= faces[i] << 3 * i;
    }
    return hand;
}
