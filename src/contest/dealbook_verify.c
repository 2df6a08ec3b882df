// Replays a transcript line by line.
#include "botwire/deal_record.h"
#include "contest/dealbook.h"
#include "contest/dealbook_deals.h"
#include "games/belote/codec.h"
#include "heap/heap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 120 };

struct verifier {
    struct dealbook_check *out;
    struct deal_record_line line;
    struct belote_rules rules;
    struct belote_state state;
    struct deal_record record;
    struct dealbook_deals deals;
    struct text again; // the line as it should be
    bool running;      // a match is in progress, so another deal of it may follow
};

__attribute__((format(printf, 3, 4))) static int report_difference(struct verifier *v, int err, const char *format, ...)
{
    va_list list;
    int used = snprintf(v->out->why, sizeof v->out->why, "line %" PRIu64 ": ", v->out->lines + 1);
    va_start(list, format);
    vsnprintf(v->out->why + used, sizeof v->out->why - (size_t)used, format, list);
    va_end(list);
    return err;
}

// --- the match

static int read_rules(struct verifier *v)
{
    char bad[64];
    int seats = BELOTE_SEATS;
    belote_game.defaults(&v->rules);
    if (v->line.rules.at) {
        struct json_reader r = json_reader_of(v->line.rules, 8);
        if (codec_read_rules(&belote_codec, &r, &v->rules, &seats, bad) != OK)
            return report_difference(v, ERR_FORMAT, "'rules' has an unknown belote rule");
    } else {
        v->rules.dealer = v->line.dealer; // B18: the first deal of its own match
    }
    return OK;
}

static int start_match(struct verifier *v)
{
    int err = read_rules(v);
    if (err != OK)
        return err;
    v->rules.cut = v->rules.has_deck = 0; // the line has both
    if (belote_game.init(&v->state, &v->rules, BELOTE_SEATS, (struct rng){0}, NULL) != OK)
        return report_difference(v, ERR_FORMAT, "'rules' are out of range");
    v->deals.count = 0;
    v->out->matches++;
    return OK;
}

// The deck is as the line says; dealing it is the cut.
static int deal_cards(struct verifier *v)
{
    const struct deal_record_line *l = &v->line;
    if (!l->field[DEAL_RECORD_DECK].at) // broken off before the cut
        return OK;
    if (belote_game.stack(&v->state, l->deck, BELOTE_CARDS) != OK)
        return report_difference(v, ERR_MISMATCH, "deck: every card must occur exactly once");
    return OK;
}

// --- the deals

static int apply_action(struct verifier *v, struct game_action a, const char *what, int index)
{
    struct belote_state before = v->state;
    if (belote_game.apply(&v->state, before.turn, a, NULL) != OK)
        return report_difference(v, ERR_MISMATCH, "%s %d: not legal at this point", what, index);
    v->out->decisions++;
    if (deal_record_add(&v->record, &before, a, &v->state, DEAL_RECORD_UNASKED))
        dealbook_deals_add(&v->deals, &v->state.last, &v->record.after);
    return OK;
}

static int apply_bid(struct verifier *v, int i)
{
    struct game_choice list[GAME_MAX_CHOICES];
    int chosen = v->line.chosen[i];
    if (v->state.phase != BELOTE_BID_PHASE)
        return report_difference(v, ERR_MISMATCH, "negotiation %d: the negotiation was over before", i);
    if (chosen >= belote_game.choices(&v->state, v->state.turn, list))
        return report_difference(v, ERR_MISMATCH, "negotiation %d: no such choice", i);
    return apply_action(v, list[chosen].first, "negotiation", i);
}

static int play_card(struct verifier *v, int i)
{
    if (v->state.phase != BELOTE_PLAY_PHASE)
        return report_difference(v, ERR_MISMATCH, "plays %d: no card can be played at this point", i);
    return apply_action(v, (struct game_action){.kind = BELOTE_PLAY, .arg = {v->line.card[i]}}, "plays", i);
}

static int play_deal(struct verifier *v)
{
    const struct deal_record_line *l = &v->line;
    int err = deal_cards(v);
    deal_record_begin(&v->record, &v->state, NULL);
    if (err == OK && l->field[DEAL_RECORD_CUT].at)
        err =
            apply_action(v, (struct game_action){.kind = BELOTE_CUT, .arg = {l->from_top}, .amount = l->cut}, "cut", 0);
    for (int i = 0; err == OK && i < l->bids; i++)
        err = apply_bid(v, i);
    for (int i = 0; err == OK && i < l->plays; i++)
        err = play_card(v, i);
    return err;
}

// --- comparing

static int shown_size(struct span s)
{
    return s.size < SHOWN ? (int)s.size : SHOWN;
}

static struct span or_null(struct span s)
{
    return s.at ? s : SPAN("null");
}

static int describe_field(struct verifier *v, const char *name, struct span claimed, struct span found)
{
    claimed = or_null(claimed), found = or_null(found);
    return report_difference(v, ERR_MISMATCH, "%s: the record has %.*s, the replay %.*s", name, shown_size(claimed),
                             claimed.at, shown_size(found), found.at);
}

// Finds the first item of a list that differs.
static int describe_item(struct verifier *v, const char *name, struct span claimed, struct span found)
{
    char place[64];
    for (int i = 0; i <= BELOTE_CARDS; i++) {
        struct span a = deal_record_item(claimed, i), b = deal_record_item(found, i);
        if (deal_record_same(a, b))
            continue;
        snprintf(place, sizeof place, "%s %d", name, i);
        return describe_field(v, place, a, b);
    }
    return describe_field(v, name, claimed, found);
}

static int compare_records(struct verifier *v)
{
    struct deal_record_line found;
    v->again.size = 0;
    v->again.full = false;
    json_begin_object(&v->again);
    deal_record_write(&v->again, &v->record);
    json_end_object(&v->again);
    if (v->again.full || deal_record_read(text_span(&v->again), &found) != OK)
        return report_difference(v, ERR_FULL, "out of memory");
    for (int i = 0; i < DEAL_RECORD_FIELDS; i++) {
        if (deal_record_same(v->line.field[i], found.field[i]))
            continue;
        bool list = i == DEAL_RECORD_NEGOTIATION || i == DEAL_RECORD_PLAYS;
        return (list ? describe_item : describe_field)(v, deal_record_field_names[i], v->line.field[i], found.field[i]);
    }
    return OK;
}

static int verify_line(struct verifier *v, struct span text)
{
    uint64_t match = v->line.match;
    uint32_t deal = v->line.deal;
    int err = deal_record_read(text, &v->line);
    if (err != OK)
        return report_difference(v, ERR_FORMAT, "not a record of a deal: %s", err_sentence(err));
    if (v->line.deal == 0)
        err = start_match(v);
    else if (!v->running || v->line.match != match || v->line.deal != deal + 1)
        err = report_difference(v, ERR_FORMAT, "deal %u of match %" PRIu64 " does not follow the record before it",
                                v->line.deal, v->line.match);
    if (err == OK)
        err = play_deal(v);
    if (err == OK)
        err = compare_records(v);
    v->running = err == OK && v->record.complete && v->state.phase != BELOTE_DONE;
    v->out->lines += err == OK;
    return err;
}

int dealbook_verify(struct span file, struct dealbook_check *out)
{
    struct verifier *v = calloc(1, sizeof *v);
    int err = v ? OK : ERR_FULL;
    *out = (struct dealbook_check){0};
    if (v)
        *v = (struct verifier){.out = out, .again.grow = heap_text_grow};
    while (err == OK && file.size) {
        const char *stop = memchr(file.at, '\n', file.size);
        size_t size = stop ? (size_t)(stop - file.at) : file.size;
        err = verify_line(v, (struct span){file.at, size});
        size += stop != NULL;
        file.at += size;
        file.size -= size;
    }
    if (v)
        free(v->again.at);
    free(v);
    return err;
}
