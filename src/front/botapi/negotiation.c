// Completes a negotiation whose end was not seen, by the shortest legal one that leads to the mode being played.
#include "front/botapi/internal.h"

struct search {
    const struct wire_deal *known;
    int mode;
    uint8_t word[BELOTE_MAX_BIDS];
    struct wire_deal best; // has more bids than possible if nothing was found
};

// At most 49,954 positions (B3.15), and far fewer as soon as something is found: accepting is tried first.
static void search_bids(struct search *f, const struct belote_state *s, int said)
{
    struct game_choice list[GAME_MAX_CHOICES];
    if (s->phase == BELOTE_PLAY_PHASE) {
        if (s->mode == f->mode && said < f->best.bids) {
            f->best.bids = (uint8_t)said;
            memcpy(f->best.bid, f->word, (size_t)said);
        }
        return;
    }
    int count = belote_game.choices(s, s->turn, list);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            int word = wire_word_of(list[i].first);
            bool known = said < f->known->bids;
            if ((word == BELOTE_SAY_ACCEPT) != (pass == 0) || (known && word != f->known->bid[said]))
                continue;
            if (said + 1 >= f->best.bids || said == BELOTE_MAX_BIDS)
                continue;
            struct belote_state next = *s;
            f->word[said] = (uint8_t)word;
            belote_game.apply(&next, s->turn, list[i].first, NULL);
            search_bids(f, &next, said + 1);
        }
}

static bool find_bids(struct search *f, const struct wire_deal *known, int mode)
{
    struct belote_rules rules;
    struct belote_state s;
    belote_game.defaults(&rules);
    rules.dealer = known->dealer;
    rules.cut = 16;
    f->known = known;
    f->mode = mode;
    f->best = *known;
    f->best.bids = BELOTE_MAX_BIDS + 1;
    belote_game.init(&s, &rules, BELOTE_SEATS, (struct rng){0}, NULL);
    search_bids(f, &s, 0);
    return f->best.bids <= BELOTE_MAX_BIDS;
}

void botapi_complete_negotiation(struct wire_deal *d, int mode)
{
    struct search f;
    struct wire_deal nothing;
    if (d->bids == 0) { // the opener announces the mode, and everybody accepts
        wire_add_bid(d, mode);
        for (int i = 0; i < 3; i++)
            wire_add_bid(d, BELOTE_SAY_ACCEPT);
        return;
    }
    if (find_bids(&f, d, mode)) {
        *d = f.best;
        return;
    }
    wire_start_deal(&nothing, d->dealer);
    *d = nothing;
    botapi_complete_negotiation(d, mode);
}
