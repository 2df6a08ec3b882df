// The belote API: builds a view from each request (B11.28, B15.10) and from what the session knows of the deal.
#include "front/botapi/internal.h"

#include "base/hash.h"
#include "crypto/crypto.h"

static const char *const decisions[] = {"choose-cut", "choose-negotiation-action", "choose-card", NULL};
static const enum wire_call decision_calls[] = {WIRE_CUT, WIRE_NEGOTIATE, WIRE_CARD};

static const struct {
    const char *name;
    enum wire_call call;
} events[] = {
    {"card-played", WIRE_PLAYED},        {"trick-completed", WIRE_TRICK},
    {"deal-started", WIRE_DEAL_STARTED}, {"negotiation-completed", WIRE_NEGOTIATED},
    {"deal-ended", WIRE_ENDED},          {"match-ended", WIRE_MATCH_ENDED},
};

static enum wire_verdict read_request(struct span body, enum wire_call call, struct wire_request *q,
                                      struct field_error *error)
{
    enum wire_verdict verdict = wire_read_request(body, call, q);
    *error = (struct field_error){q->field, q->expected};
    return verdict;
}

static enum wire_verdict create(const struct botapi *b, struct span body, struct session *s, struct field_error *error)
{
    (void)b;
    struct wire_request q;
    uint8_t key[CRYPTO_KEY_BYTES];
    enum wire_verdict verdict = read_request(body, WIRE_CREATE, &q, error);
    if (verdict != WIRE_FINE)
        return verdict;
    if (q.has_seed)
        crypto_seed_key(key, "bot-api.session", q.seed);
    else
        crypto_random(key, sizeof key);
    s->root = rng_from_key(key);
    s->seat = (uint8_t)q.seat;
    s->seats = BELOTE_SEATS;
    return WIRE_FINE;
}

// --- memory of a session

static bool is_same_deal(const struct session *s, const struct wire_request *q, int dealer)
{
    return s->knows_deal && s->deal.dealer == dealer &&
           (!q->knows_match || (s->points[0] == q->match_state.points[0] && s->points[1] == q->match_state.points[1] &&
                                s->deals == q->match_state.count));
}

static void keep_deal(struct session *s, const struct wire_request *q, const struct wire_deal *d)
{
    s->knows_deal = true;
    s->deal = *d;
    // Only the bids are worth keeping: every request for a card contains all plays.
    s->deal.plays = 0;
    s->points[0] = q->match_state.points[0];
    s->points[1] = q->match_state.points[1];
    s->deals = q->match_state.count;
}

// --- views

static void describe_match(struct belote_view *v, const struct wire_request *q)
{
    const struct wire_match *m = &q->match_state;
    *v = (struct belote_view){.target = q->knows_match ? m->target : 150,
                              .points = {m->points[0], m->points[1]},
                              .deal_number = m->count + 1,
                              .last = q->last,
                              .clubs_base = 32};
}

static void describe_bids(struct belote_view *v, const struct wire_deal *d)
{
    v->bids = d->bids;
    memcpy(v->bid, d->bid, d->bids);
}

static void set_hand(struct belote_view *v, const struct wire_request *q)
{
    v->cards = q->cards;
    memcpy(v->hand, q->hand, q->cards);
}

// The cutter sits at one side of the dealer (B2.3) or at the other (B8.4); the view assumes the first.
static bool view_cut(struct belote_view *v, int seat)
{
    v->phase = BELOTE_CUT_PHASE;
    v->viewer = (uint8_t)seat;
    v->dealer = (uint8_t)((seat + 1) % BELOTE_SEATS);
    return belote_rebuild_view(v) == OK;
}

static bool view_negotiation(struct belote_view *v, const struct wire_request *q, int seat)
{
    if (!q->knows_bids || !q->knows_hand)
        return false;
    v->phase = BELOTE_BID_PHASE;
    v->viewer = (uint8_t)seat;
    v->dealer = q->deal.dealer;
    describe_bids(v, &q->deal);
    set_hand(v, q);
    return belote_rebuild_view(v) == OK;
}

// A request for a card does not contain the bids. They are what the session has seen, completed by the shortest
// negotiation that leads to the mode being played.
static bool view_play(struct belote_view *v, const struct wire_request *q, struct session *s, int seat)
{
    if (!q->knows_plays || !q->knows_hand)
        return false;
    struct wire_deal bids = s->deal;
    if (!is_same_deal(s, q, q->deal.dealer))
        wire_start_deal(&bids, q->deal.dealer);
    botapi_complete_negotiation(&bids, q->deal.mode);
    keep_deal(s, q, &bids);
    v->phase = BELOTE_PLAY_PHASE;
    v->viewer = (uint8_t)seat;
    v->dealer = q->deal.dealer;
    describe_bids(v, &bids);
    set_hand(v, q);
    v->plays = q->deal.plays;
    memcpy(v->play, q->deal.play, q->deal.plays);
    return belote_rebuild_view(v) == OK && v->mode == q->deal.mode;
}

static uint32_t listed_set(const struct wire_request *q, enum wire_call call)
{
    uint32_t set = 0;
    for (int i = 0; i < q->count && call != WIRE_CUT; i++) {
        struct game_action a = q->choices[i].first;
        set |= 1u << (call == WIRE_CARD ? a.arg[0] : wire_word_of(a));
    }
    return set;
}

// --- decisions

// B11.26: chance is keyed by what matters for the decision, never drawn from a running stream.
static struct rng dice_for(const struct session *s, const struct wire_request *q, enum wire_call call)
{
    struct {
        struct wire_deal deal;
        uint8_t hand[BELOTE_HAND];
        uint8_t cards, call;
        int32_t points[2];
        uint32_t deals;
    } known;
    memset(&known, 0, sizeof known); // padding too: the bytes are hashed
    known.deal = q->deal;
    memcpy(known.hand, q->hand, q->cards);
    known.cards = q->cards;
    known.call = (uint8_t)call;
    memcpy(known.points, q->match_state.points, sizeof known.points);
    known.deals = q->match_state.count;
    uint64_t put = hash_bytes(q->choices, q->count * sizeof *q->choices);
    return rng_split(&s->root, hash_bytes(&known, sizeof known) * 31 + put);
}

static bool build_view(struct belote_view *v, const struct wire_request *q, enum wire_call call, struct session *s,
                       int seat)
{
    describe_match(v, q);
    bool knows = call == WIRE_CUT         ? view_cut(v, seat)
                 : call == WIRE_NEGOTIATE ? view_negotiation(v, q, seat)
                                          : view_play(v, q, s, seat);
    if (knows)
        v->may = listed_set(q, call);
    return knows;
}

static enum wire_verdict decide(struct botapi *b, int which, struct span body, struct session *s, struct decision *d,
                                struct field_error *error)
{
    enum wire_call call = decision_calls[which];
    struct wire_request q;
    enum wire_verdict verdict = read_request(body, call, &q, error);
    if (verdict != WIRE_FINE)
        return verdict;
    // B11.28: the request wins over what the session was told.
    int seat = q.seat >= 0 ? q.seat : s->seat;
    if (b->options.bot->game) // bots for any game do not read views
        d->has_view = build_view((struct belote_view *)&d->view, &q, call, s, seat);
    if (call == WIRE_NEGOTIATE && q.knows_bids)
        keep_deal(s, &q, &q.deal);
    d->count = q.count;
    memcpy(d->choices, q.choices, q.count * sizeof *q.choices);
    d->dice = dice_for(s, &q, call);
    d->ask = (struct bot_ask){.game = &belote_game, .seat = seat, .seats = BELOTE_SEATS, .aggro = b->options.aggro};
    return WIRE_FINE;
}

// The bot's own bid is part of the negotiation that the session remembers.
static void decided(struct session *s, const struct decision *d)
{
    struct game_action a = d->answer;
    if (a.kind >= BELOTE_ANNOUNCE && a.kind <= BELOTE_REDOUBLE && s->knows_deal && s->deal.bids < BELOTE_MAX_BIDS)
        wire_add_bid(&s->deal, wire_word_of(a));
}

static enum wire_verdict notify(struct botapi *b, struct span event, struct span body, struct session *s,
                                struct field_error *error)
{
    enum wire_call call = WIRE_OTHER;
    struct wire_request q;
    for (unsigned i = 0; i < sizeof events / sizeof *events; i++)
        if (span_is(event, events[i].name))
            call = events[i].call;
    enum wire_verdict verdict = read_request(body, call, &q, error);
    if (verdict != WIRE_FINE)
        return verdict;
    if (call == WIRE_DEAL_STARTED)
        s->knows_deal = false;
    if (call == WIRE_NEGOTIATED && q.knows_bids)
        keep_deal(s, &q, &q.deal);
    if (call == WIRE_MATCH_ENDED)
        sessions_end(&b->sessions, s);
    return WIRE_FINE;
}

static void write_answer(const struct botapi *b, const struct session *s, struct game_action a, struct text *t)
{
    (void)b, (void)s;
    wire_write_answer(t, a);
}

const struct bot_dialect bot_dialect_belote = {decisions, create, decide, decided, notify, write_answer};
