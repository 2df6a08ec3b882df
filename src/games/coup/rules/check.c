// What holds in every state.
#include "games/coup/rules/internal.h"

static const char *check_cards(const struct coup_state *s)
{
    int number[COUP_ROLES + 1] = {0}, deck = 0, top[COUP_ROLES + 1] = {0};
    for (int i = 0; i < s->seats; i++)
        for (int slot = 0; slot < 2; slot++) {
            if (s->seat[i].card[slot] < COUP_DUKE || s->seat[i].card[slot] > COUP_CONTESSA)
                return "a slot holds no role";
            number[s->seat[i].card[slot]]++;
        }
    bool drawn = s->phase == COUP_PHASE_EXCHANGE_RETURN;
    for (int i = 0; i < 2; i++) {
        if ((s->exchange[i] != 0) != drawn || s->exchange[i] > COUP_CONTESSA)
            return "cards are drawn in exchange_return and only there";
        number[s->exchange[i]] += drawn;
    }
    for (int i = 0; i < 3; i++)
        top[s->top[i] > COUP_CONTESSA ? 0 : s->top[i]]++;
    for (int role = COUP_DUKE; role <= COUP_CONTESSA; role++) {
        if (number[role] + s->deck[role - 1] != COUP_COPIES)
            return "there are three cards of each role";
        if (top[role] > s->deck[role - 1])
            return "the front of the deck is not in the deck";
        deck += s->deck[role - 1];
    }
    if (deck != COUP_CARDS - 2 * s->seats - 2 * drawn)
        return "the deck has 15 - 2 x seats cards, two less in exchange_return";
    return NULL;
}

static const char *check_seats(const struct coup_state *s)
{
    static const struct coup_seat empty;
    for (int i = 0; i < COUP_MAX_SEATS; i++) {
        const struct coup_seat *seat = &s->seat[i];
        if (i >= s->seats) {
            if (memcmp(seat, &empty, sizeof empty) != 0)
                return "a seat nobody has is not empty";
            continue;
        }
        if (seat->up > 3 || (seat->up != 3) != (s->in_play >> i & 1))
            return "in play means a face-down card";
        if (seat->coins > COUP_MAX_COINS)
            return "nobody can have more than 12 coins";
    }
    if (s->in_play >> s->seats || s->dropped & s->in_play || s->dropped >> s->seats)
        return "a set holds a seat it cannot";
    return NULL;
}

unsigned coup_entitled(const struct coup_state *s)
{
    switch ((enum coup_phase)s->phase) {
    case COUP_PHASE_ACTION:
    case COUP_PHASE_EXCHANGE_RETURN:
        return s->in_play & 1u << s->log.actor;
    case COUP_PHASE_CHALLENGE_ACTION:
        return s->in_play & ~(1u << s->log.actor);
    case COUP_PHASE_BLOCK:
        return s->in_play & (s->log.action == COUP_FOREIGN_AID ? ~(1u << s->log.actor) : 1u << s->log.target);
    case COUP_PHASE_CHALLENGE_BLOCK:
        return s->in_play & ~(1u << s->log.blocker);
    case COUP_PHASE_LOSE_INFLUENCE:
        return s->in_play & 1u << s->log.loser;
    case COUP_PHASE_DONE:
    case COUP_PHASES:
        break;
    }
    return 0;
}

static const char *check_question(const struct coup_state *s)
{
    bool done = s->phase == COUP_PHASE_DONE;
    if (s->phase >= COUP_PHASES || done != (s->won != 0) || done == (s->asked != 0))
        return "either somebody is asked or somebody has won";
    if (s->asked & ~coup_entitled(s))
        return "a seat is asked that has no say";
    if (!done && !(s->in_play & (s->in_play - 1)))
        return "the last one in play has won";
    bool pending = !done && s->phase != COUP_PHASE_ACTION;
    if (s->log.action > COUP_TURN_ACTIONS || pending != (s->log.action != 0))
        return "an action is pending outside of action and done, and only there";
    struct coup_log idle = {.actor = s->log.actor};
    if (!pending && memcmp(&s->log, &idle, sizeof idle) != 0)
        return "something of a turn is left that is over";
    if (s->phase != COUP_PHASE_LOSE_INFLUENCE && (s->then || s->log.loser))
        return "a loss is pending that nobody is asked for";
    if (s->turns > COUP_TURN_CAP || (s->turns == COUP_TURN_CAP && !done))
        return "the match ends at the turn cap";
    for (int i = 0; i < COUP_MAX_SEATS; i++)
        if (s->answer[i] &&
            (s->windows != COUP_WINDOWS_DETERMINISTIC || !coup_is_window(s->phase) || s->asked >> i & 1))
            return "an answer is kept outside of a deterministic window, or of a seat still asked";
    return NULL;
}

const char *coup_check(const void *state)
{
    const struct coup_state *s = state;
    if (s->seats < 2 || s->seats > COUP_MAX_SEATS)
        return "2 to 6 seats";
    const char *broken = check_seats(s);
    broken = broken ? broken : check_question(s);
    return broken ? broken : check_cards(s);
}
