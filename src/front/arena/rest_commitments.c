// The list of commitments, and the entropy of an agent's next deal (docs/fairness.md).
#include "front/arena/rest_internal.h"
#include "lobby/deals.h"

enum {
    LISTED = 256, // F5.8: most entries of a page
    USUAL = 64,
    MOST_NUMBER_DIGITS = 18, // every number of so many digits fits into int64_t
};

static const char for_ever[] = "public, max-age=31536000, immutable";

static void write_bytes(struct text *t, const void *bytes, size_t size)
{
    char hex[2 * GAME_MAX_RULES];
    struct text text = text_on(hex, sizeof hex);
    if (!bytes) {
        json_write_null(t);
        return;
    }
    text_put_hex_bytes(&text, bytes, size);
    json_write_string(t, text_span(&text));
}

void rest_put_hex(struct text *t, const char *key, const uint8_t bytes[STORE_HASH])
{
    json_key(t, key);
    write_bytes(t, bytes, STORE_HASH);
}

// --- entries

static void put_entropy(struct text *t, const struct deal_entry *d)
{
    json_begin_array_at(t, "entropy");
    for (int i = 0; i < d->seats; i++)
        write_bytes(t, d->entropy[i], STORE_HASH);
    json_end_array(t);
}

static bool write_entry(struct text *t, const struct store_entry *e)
{
    struct deal_entry d;
    if (!deals_read(e, &d))
        return false;
    json_begin_object(t);
    json_put_uint(t, "index", e->place);
    json_put_text(t, "type", deal_entry_names[e->kind]);
    json_put_uint(t, "number", e->number);
    json_put_int(t, "at_ms", e->at_ms);
    if (e->kind == STORE_EPOCH) {
        rest_put_hex(t, "epoch", d.epoch);
        json_put_text(t, "reason", d.restored ? "restored" : "created");
    } else if (e->kind == STORE_PUBLISHED) {
        rest_put_hex(t, "commitment", d.commitment);
    } else if (e->kind == STORE_DEALT) {
        rest_put_hex(t, "seed_commitment", d.commitment);
        json_put_text(t, "source", deal_source_names[d.source]);
        json_put_string(t, "game", d.game);
        rest_put_hex(t, "rules_sha256", d.rules);
        put_entropy(t, &d);
    } else {
        json_put_text(t, "end", deal_end_names[d.end]);
        rest_put_hex(t, "secret", d.secret);
    }
    rest_put_hex(t, "link", e->link);
    json_end_object(t);
    return true;
}

static bool write_entries(struct rest_call *c, const struct store_entry *e, int count)
{
    json_begin_array_at(&c->out, "entries");
    for (int i = 0; i < count; i++)
        if (!write_entry(&c->out, &e[i])) {
            rest_fail(c, 500, "the list of commitments is damaged");
            return false;
        }
    json_end_array(&c->out);
    return true;
}

// Without a total, so that a full page never changes.
void rest_commitments(struct rest_call *c)
{
    struct store_entry rows[LISTED];
    struct rest_page page;
    if (!rest_read_page(c, USUAL, LISTED, &page))
        return;
    int count = store_list_entries(c->rest->store, (uint64_t)page.from, rows, page.limit);
    json_begin_object(&c->out);
    if (!write_entries(c, rows, count))
        return;
    json_put_int(&c->out, "from", page.from);
    json_put_int(&c->out, "limit", page.limit);
    json_end_object(&c->out);
    if (count == page.limit)
        c->cache = for_ever;
}

void rest_commitments_head(struct rest_call *c)
{
    struct store_entry last;
    bool any = store_last_entry(c->rest->store, &last);
    json_begin_object(&c->out);
    json_put_uint(&c->out, "entries", any ? last.place + 1 : 0);
    rest_put_hex(&c->out, "link", any ? last.link : NULL);
    json_put_uint(&c->out, "published", store_last_number(c->rest->store, STORE_PUBLISHED));
    json_put_uint(&c->out, "dealt", store_last_number(c->rest->store, STORE_DEALT));
    json_end_object(&c->out);
}

static bool read_number(struct span word, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < word.size; i++) {
        if (word.at[i] < '0' || word.at[i] > '9')
            return false;
        *number = *number * 10 + (uint64_t)(word.at[i] - '0');
    }
    // Last: a longer number has wrapped above, and is refused here.
    return word.size > 0 && word.size <= MOST_NUMBER_DIGITS;
}

void rest_commitment(struct rest_call *c)
{
    struct store_entry rows[STORE_ENTRIES_OF_NUMBER];
    uint8_t epoch[STORE_HASH];
    uint64_t number;
    int count = read_number(c->id, &number) ? store_find_entries(c->rest->store, number, rows) : 0;
    if (count == 0 || !deals_find_epoch(c->rest->lobby, number, epoch)) {
        rest_fail(c, 404, "no commitment of this number is published");
        return;
    }
    json_begin_object(&c->out);
    json_put_uint(&c->out, "number", number);
    rest_put_hex(&c->out, "epoch", epoch);
    if (!write_entries(c, rows, count))
        return;
    json_end_object(&c->out);
    // The last entry that a number gets.
    if (rows[count - 1].kind == STORE_CLOSED)
        c->cache = for_ever;
}

// --- the deal of one match

void rest_put_deal(struct rest_call *c, const struct store_match *m, struct span rules)
{
    struct store_entry rows[STORE_ENTRIES_OF_NUMBER];
    struct deal_entry d;
    uint8_t epoch[STORE_HASH];
    struct text *t = &c->out;
    json_key(t, "deal");
    int count = m->deal ? store_find_entries(c->rest->store, m->deal, rows) : 0;
    if (count == 0 || !deals_find_epoch(c->rest->lobby, m->deal, epoch)) {
        json_write_null(t);
        return;
    }
    json_begin_object(t);
    json_put_uint(t, "number", m->deal);
    rest_put_hex(t, "epoch", epoch);
    for (int i = 0; i < count; i++) {
        if (!deals_read(&rows[i], &d))
            continue;
        if (rows[i].kind == STORE_PUBLISHED) {
            rest_put_hex(t, "commitment", d.commitment);
        } else if (rows[i].kind == STORE_DEALT) {
            json_put_text(t, "source", deal_source_names[d.source]);
            rest_put_hex(t, "rules_sha256", d.rules);
            put_entropy(t, &d);
        } else {
            rest_put_hex(t, "secret", d.secret);
        }
    }
    if (rules.size)
        json_key(t, "rules");
    if (rules.size)
        write_bytes(t, rules.at, rules.size);
    json_end_object(t);
}

// --- entropy

static void answer_entropy(struct rest_call *c)
{
    const struct store_agent *a = lobby_agent_record(c->agent);
    json_begin_object(&c->out);
    rest_put_hex(&c->out, "entropy", deals_entropy(a));
    json_end_object(&c->out);
}

void rest_entropy(struct rest_call *c)
{
    answer_entropy(c);
}

void rest_set_entropy(struct rest_call *c)
{
    char text[REST_TEXT] = "";
    struct rest_body b;
    if (!rest_open_body(c, &b, false))
        return;
    while (rest_next_key(&b))
        if (rest_key_is(&b, "entropy"))
            rest_read_text(&b, text, sizeof text);
        else
            json_skip(&b.r);
    if (!rest_close_body(&b))
        return;
    uint8_t entropy[STORE_HASH];
    if (!deals_read_entropy(span_of(text), entropy)) {
        rest_fail(c, 400, "entropy: " DEALS_ENTROPY_FORM);
        return;
    }
    deals_set_entropy(c->rest->lobby, c->agent, entropy);
    answer_entropy(c);
}

void rest_drop_entropy(struct rest_call *c)
{
    if (!rest_skip_body(c))
        return;
    deals_set_entropy(c->rest->lobby, c->agent, NULL);
    answer_entropy(c);
}
