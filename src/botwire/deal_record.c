// Records deals as they are played, and writes them as lines.
#include "botwire/deal_record.h"

#include "botwire/internal.h"

#include <assert.h>

const char *const deal_record_field_names[] = {"dealer",     "deck",      "cut",   "fromTop", "negotiation", "mode",
                                               "multiplier", "announcer", "plays", "result",  "after",       NULL};

// --- from states

// B2.5, B2.4: derives the order after the cut from the dealt hands, and the deck before the cut from that order.
static void find_deck(struct deal_record *r, const struct belote_state *s)
{
    uint8_t top[BELOTE_CARDS];
    for (int i = 0; i < BELOTE_SEATS; i++) {
        const uint8_t *hand = s->hand[(s->dealer + 1 + i) % BELOTE_SEATS];
        memcpy(top + 3 * i, hand, 3);
        memcpy(top + 12 + 2 * i, hand + 3, 2);
    }
    memcpy(top + 20, s->undealt, BELOTE_UNDEALT);
    int shift = r->from_top ? r->cut : BELOTE_CARDS - r->cut;
    for (int i = 0; i < BELOTE_CARDS; i++)
        r->deck[(shift + i) % BELOTE_CARDS] = top[i];
}

static void add_cut(struct deal_record *r, int position, bool from_top, const struct belote_state *after)
{
    r->cut = (uint8_t)position;
    r->from_top = from_top;
    find_deck(r, after);
}

void deal_record_begin(struct deal_record *r, const struct belote_state *s, const struct belote_rules *rules)
{
    *r = (struct deal_record){
        .deal = s->deal, .dealer = s->dealer, .mode = BELOTE_NONE, .team = BELOTE_NONE, .cut_us = DEAL_RECORD_UNASKED};
    if (s->phase == BELOTE_BID_PHASE && rules)
        add_cut(r, rules->cut, !rules->cut_from_bottom, s);
}

static void add_word(struct deal_record *r, const struct belote_state *before, struct game_action a, uint32_t took_us)
{
    struct deal_record_word *w = &r->bid[r->bids];
    int said = wire_word_of(a);
    w->player = before->turn;
    for (int word = 0; word < BELOTE_WORDS; word++)
        if (before->may >> word & 1) {
            if (word == said)
                w->chosen = w->count;
            w->valid[w->count++] = (uint8_t)word;
        }
    r->bid_us[r->bids++] = took_us;
}

static void add_card(struct deal_record *r, const struct belote_state *before, int card, uint32_t took_us)
{
    struct deal_record_card *c = &r->play[r->plays];
    c->player = before->turn;
    c->card = (uint8_t)card;
    for (int i = 0; i < BELOTE_HAND; i++) // B5.2: in hand order
        if (before->may >> before->hand[c->player][i] & 1)
            c->valid[c->count++] = before->hand[c->player][i];
    r->play_us[r->plays++] = took_us;
}

bool deal_record_add(struct deal_record *r, const struct belote_state *before, struct game_action a,
                     const struct belote_state *after, uint32_t took_us)
{
    if (before->phase == BELOTE_CUT_PHASE) {
        add_cut(r, a.amount, a.arg[0], after);
        r->cut_us = took_us;
        return false;
    }
    if (before->phase == BELOTE_BID_PHASE) {
        assert(r->bids < BELOTE_MAX_BIDS);
        add_word(r, before, a, took_us);
        if (after->phase == BELOTE_PLAY_PHASE) {
            r->mode = after->mode;
            r->multiplier = after->multiplier;
            r->team = after->team;
        }
        return false;
    }
    assert(r->plays < BELOTE_CARDS);
    add_card(r, before, a.arg[0], took_us);
    r->complete = r->plays == BELOTE_CARDS;
    r->after = (struct wire_match){.target = after->target,
                                   .points = {after->points[0], after->points[1]},
                                   .dealer = after->dealer,
                                   .winner = after->winner,
                                   .complete = after->phase == BELOTE_DONE};
    return r->complete;
}

// --- writing

static void write_name(struct text *t, int card)
{
    char bytes[16];
    struct text name = text_on(bytes, sizeof bytes); // the longest is QueenDiamonds
    text_puts(&name, wire_ranks[belote_rank(card)]);
    text_puts(&name, wire_suits[belote_suit(card)]);
    json_write_string(t, text_span(&name));
}

static void write_names(struct text *t, const char *key, const uint8_t *cards, int count)
{
    json_begin_array_at(t, key);
    for (int i = 0; i < count; i++)
        write_name(t, cards[i]);
    json_end_array(t);
}

static void write_negotiation(struct text *t, const struct deal_record *r)
{
    json_begin_array_at(t, "negotiation");
    for (int i = 0; i < r->bids; i++) {
        const struct deal_record_word *w = &r->bid[i];
        json_begin_object(t);
        json_put_text(t, "player", wire_seats[w->player]);
        json_begin_array_at(t, "valid");
        for (int k = 0; k < w->count; k++)
            wire_write_word(t, w->valid[k], -1);
        json_end_array(t);
        json_put_int(t, "chosen", w->chosen);
        json_end_object(t);
    }
    json_end_array(t);
}

static void write_plays(struct text *t, const struct deal_record *r)
{
    json_begin_array_at(t, "plays");
    for (int i = 0; i < r->plays; i++) {
        const struct deal_record_card *c = &r->play[i];
        json_begin_object(t);
        json_put_text(t, "player", wire_seats[c->player]);
        write_names(t, "valid", c->valid, c->count);
        json_key(t, "card");
        write_name(t, c->card);
        json_end_object(t);
    }
    json_end_array(t);
}

static void write_contract(struct text *t, const struct deal_record *r)
{
    bool known = r->mode != BELOTE_NONE;
    json_put_text(t, "mode", known ? wire_modes[r->mode] : NULL);
    if (known)
        json_put_int(t, "multiplier", r->multiplier);
    else
        json_put_null(t, "multiplier");
    json_put_text(t, "announcer", known ? wire_teams[r->team] : NULL);
}

void deal_record_write(struct text *t, const struct deal_record *r)
{
    json_put_text(t, "dealer", wire_seats[r->dealer]);
    if (r->cut) {
        write_names(t, "deck", r->deck, BELOTE_CARDS);
        json_put_int(t, "cut", r->cut);
        json_put_bool(t, "fromTop", r->from_top);
    } else {
        json_put_null(t, "deck");
        json_put_null(t, "cut");
        json_put_null(t, "fromTop");
    }
    write_negotiation(t, r);
    write_contract(t, r);
    write_plays(t, r);
    if (!r->complete) {
        json_put_null(t, "result");
        json_put_null(t, "after");
        return;
    }
    json_key(t, "result");
    wire_write_deal(t, &r->after.deals[r->after.count - 1], false);
    wire_put_match(t, "after", &r->after, false);
}

static void write_time(struct text *t, uint32_t us)
{
    if (us == DEAL_RECORD_UNASKED)
        json_write_null(t);
    else
        json_write_uint(t, us);
}

void deal_record_write_times(struct text *t, const struct deal_record *r)
{
    json_begin_object(t);
    json_key(t, "cut");
    write_time(t, r->cut_us);
    json_begin_array_at(t, "negotiation");
    for (int i = 0; i < r->bids; i++)
        write_time(t, r->bid_us[i]);
    json_end_array(t);
    json_begin_array_at(t, "plays");
    for (int i = 0; i < r->plays; i++)
        write_time(t, r->play_us[i]);
    json_end_array(t);
    json_end_object(t);
}
