// Lines of a transcript, as far as they are needed to play them again.
#include "botwire/deal_record.h"

enum { DEPTH = 16, MAX_DEAL = 1 << 20 }; // of JSON; the number of a deal in a match

// "TenHearts": a rank and a suit without anything between them.
static int read_card(struct json_reader *r)
{
    struct json_string s = json_read_string(r);
    char name[24];
    if (json_string_copy(s, name, sizeof name) > 0)
        for (int rank = 0; wire_ranks[rank]; rank++) {
            size_t size = strlen(wire_ranks[rank]);
            for (int suit = 0; wire_suits[suit]; suit++)
                if (strncmp(name, wire_ranks[rank], size) == 0 && strcmp(name + size, wire_suits[suit]) == 0)
                    return BELOTE_RANKS * suit + rank;
        }
    json_fail(r, ERR_UNKNOWN);
    return 0;
}

static void read_deck(struct json_reader *r, struct deal_record_line *out)
{
    int n = 0;
    for (json_enter_array(r); json_next_item(r); n++) {
        int card = read_card(r);
        if (n < BELOTE_CARDS)
            out->deck[n] = (uint8_t)card;
    }
    if (n != BELOTE_CARDS)
        json_fail(r, ERR_RANGE);
}

// Reads only the member of each item that says what was done; deal_record_same compares the rest as text.
static void read_steps(struct json_reader *r, const char *name, int room, uint8_t *count, uint8_t *done)
{
    struct json_string key;
    bool cards = room == BELOTE_CARDS;
    *count = 0;
    for (json_enter_array(r); json_next_item(r);) {
        int value = -1;
        for (json_enter_object(r); json_next_key(r, &key);)
            if (json_string_is(key, name))
                value = cards ? read_card(r) : (int)json_read_int(r, 0, BELOTE_WORDS - 1);
            else
                json_skip(r);
        if (value < 0 || *count == room)
            json_fail(r, value < 0 ? ERR_MISSING : ERR_TOO_LONG);
        else
            done[(*count)++] = (uint8_t)value;
    }
}

static void read_field(struct json_reader *r, int field, struct deal_record_line *out)
{
    int seat;
    switch (field) {
    case DEAL_RECORD_DEALER:
        if ((seat = json_string_among(json_read_string(r), wire_seats)) < 0)
            json_fail(r, ERR_UNKNOWN);
        out->dealer = (uint8_t)seat;
        return;
    case DEAL_RECORD_DECK:
        read_deck(r, out);
        return;
    case DEAL_RECORD_CUT:
        out->cut = (uint8_t)json_read_int(r, BELOTE_CUT_MIN, BELOTE_CUT_MAX);
        return;
    case DEAL_RECORD_FROM_TOP:
        out->from_top = json_read_bool(r);
        return;
    case DEAL_RECORD_NEGOTIATION:
        read_steps(r, "chosen", BELOTE_MAX_BIDS, &out->bids, out->chosen);
        return;
    case DEAL_RECORD_PLAYS:
        read_steps(r, "card", BELOTE_CARDS, &out->plays, out->card);
        return;
    default:
        json_skip(r);
    }
}

static void read_member(struct json_reader *r, struct json_string key, struct deal_record_line *out)
{
    if (json_string_is(key, "match")) {
        out->match = json_read_uint(r, INT64_MAX);
        return;
    }
    if (json_string_is(key, "deal")) {
        out->deal = (uint32_t)json_read_uint(r, MAX_DEAL);
        return;
    }
    if (json_string_is(key, "rules")) {
        out->rules = json_read_raw(r);
        return;
    }
    int field = json_string_among(key, deal_record_field_names);
    if (field < 0) {
        json_skip(r);
        return;
    }
    if (json_read_if_null(r))
        return;
    struct json_reader again = *r;
    read_field(r, field, out);
    if (r->error == OK)
        out->field[field] = json_read_raw(&again);
}

int deal_record_read(struct span line, struct deal_record_line *out)
{
    struct json_reader r = json_reader_of(line, DEPTH);
    struct json_string key;
    *out = (struct deal_record_line){0};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        read_member(&r, key, out);
    int err = json_finish(&r);
    if (err != OK)
        return err;
    bool dealt =
        out->field[DEAL_RECORD_DECK].at && out->field[DEAL_RECORD_CUT].at && out->field[DEAL_RECORD_FROM_TOP].at;
    bool needs_deal = out->bids || out->plays || out->field[DEAL_RECORD_RESULT].at;
    return out->field[DEAL_RECORD_DEALER].at && (dealt || !needs_deal) ? OK : ERR_MISSING;
}

// --- comparing

static void skip_spaces(struct span *s)
{
    while (s->size && memchr(" \t\n\r", *s->at, 4)) {
        s->at++;
        s->size--;
    }
}

bool deal_record_same(struct span a, struct span b)
{
    bool quoted = false, escaped = false;
    if (!a.at || !b.at)
        return !a.at && !b.at;
    for (;;) {
        if (!quoted) {
            skip_spaces(&a);
            skip_spaces(&b);
        }
        if (!a.size || !b.size)
            return !a.size && !b.size;
        char c = *a.at;
        if (c != *b.at)
            return false;
        if (c == '"' && !escaped)
            quoted = !quoted;
        escaped = quoted && c == '\\' && !escaped;
        a.at++, a.size--;
        b.at++, b.size--;
    }
}

struct span deal_record_item(struct span array, int index)
{
    struct json_reader r = json_reader_of(array, DEPTH);
    if (!array.at)
        return (struct span){0};
    for (json_enter_array(&r); json_next_item(&r); index--) {
        struct span item = json_read_raw(&r);
        if (index == 0)
            return item;
    }
    return (struct span){0};
}
