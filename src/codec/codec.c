#include "codec/codec.h"

#include "game/cards.h"

#include <stdarg.h>
#include <stdio.h>

const char *const codec_seat_names[GAME_MAX_SEATS + 1] = {"seat_0", "seat_1", "seat_2", "seat_3", "seat_4", "seat_5",
                                                          "seat_6", "seat_7", "seat_8", "seat_9", NULL};

const struct codec_action *codec_find_type(const struct codec *c, struct json_string type)
{
    for (const struct codec_action *row = c->actions; row->type; row++)
        if (json_string_is(type, row->type))
            return row;
    return NULL;
}

const struct codec_action *codec_find_kind(const struct codec *c, uint8_t kind, bool master)
{
    for (const struct codec_action *row = c->actions; row->type; row++)
        if (row->kind == kind && row->master == master)
            return row;
    return NULL;
}

const char *codec_verb(const struct codec_table *table, const char *offered, const char *done)
{
    return table->voice == CODEC_OFFER ? offered : done;
}

void codec_describe_type(const struct codec *c, struct text *t, const struct codec_table *table, struct game_action a)
{
    const char *type = codec_find_kind(c, a.kind, false)->type;
    char last = type[strlen(type) - 1];
    if (table->voice == CODEC_OFFER) {
        text_puts(t, type);
        return;
    }
    codec_write(t, last == 's' || last == 'x' || last == 'h' ? "%ses" : "%ss", type); // passes, taxes
}

void codec_describe_action(const struct codec *c, struct text *t, const struct codec_table *table, struct game_action a)
{
    if (a.kind == GAME_DROP)
        codec_write(t, "drops %s", codec_seat_name(table, a.arg[0]));
    else if (c->describe_action)
        c->describe_action(t, table, a);
    else
        codec_describe_type(c, t, table, a);
}

void codec_write_params(const struct codec *c, struct text *t, const struct codec_table *table, struct game_action a)
{
    if (a.kind == GAME_DROP) {
        codec_put_seat(t, "seat", table, a.arg[0]);
        json_put_int(t, "reason", a.arg[1]);
    } else if (c->write_params) {
        c->write_params(t, table, a);
    }
}

void codec_write_action(const struct codec *c, struct text *t, const struct codec_table *table, struct game_action a,
                        bool master)
{
    const struct codec_action *row = codec_find_kind(c, a.kind, master);
    json_begin_object(t);
    json_put_text(t, "type", row ? row->type : NULL);
    codec_write_params(c, t, table, a);
    json_end_object(t);
}

int codec_split_choices(const struct codec *c, const struct game_choice *list, int count,
                        struct game_choice out[2 * GAME_MAX_CHOICES])
{
    int n = 0;
    for (int i = 0; i < count; i++)
        if (c->split_range && list[i].max_amount > list[i].first.amount)
            n += c->split_range(list[i], out + n);
        else
            out[n++] = list[i];
    return n;
}

void codec_write_choice(const struct codec *c, struct text *t, const struct codec_table *table,
                        struct game_choice choice)
{
    const struct codec_action *row = codec_find_kind(c, choice.first.kind, false);
    json_begin_object(t);
    json_put_text(t, "type", row ? row->type : NULL);
    codec_write_params(c, t, table, choice.first);
    if (choice.max_amount > choice.first.amount && c->write_range)
        c->write_range(t, table, choice);
    json_end_object(t);
}

void codec_write_event(const struct codec *c, struct text *t, const struct codec_table *table,
                       const struct game_event *e, int count)
{
    json_begin_object(t);
    json_put_text(t, "type", c->event_types[e->kind]);
    c->write_event(t, table, e, count);
    json_end_object(t);
}

int codec_event_parts(const struct game_event *e, uint32_t left)
{
    uint32_t n = 1;
    while (n < left && e[n].part)
        n++;
    return (int)n;
}

const char *codec_seat_name(const struct codec_table *table, int seat)
{
    return seat >= 0 && seat < table->seats ? table->seat[seat] : NULL;
}

void codec_write_seats(struct text *t, const struct codec_table *table, seat_set set)
{
    json_begin_array(t);
    for (int s = 0; s < table->seats; s++)
        if (set & SEAT(s))
            json_write_text(t, table->seat[s]);
    json_end_array(t);
}

int codec_read_seat(struct json_reader *r, const struct codec_table *table)
{
    if (json_peek(r) == JSON_INT)
        return (int)json_read_int(r, 0, table->seats - 1);
    struct json_string name = json_read_string(r);
    for (int s = 0; !r->error && s < table->seats; s++)
        if (json_string_is(name, table->seat[s]))
            return s;
    json_fail(r, ERR_UNKNOWN);
    return -1;
}

static const char ranks[] = "23456789TJQKA", suits[] = "cdhs";

static const char names[CARDS_IN_DECK][3] = {
    "2c", "2d", "2h", "2s", "3c", "3d", "3h", "3s", "4c", "4d", "4h", "4s", "5c", "5d", "5h", "5s", "6c", "6d",
    "6h", "6s", "7c", "7d", "7h", "7s", "8c", "8d", "8h", "8s", "9c", "9d", "9h", "9s", "Tc", "Td", "Th", "Ts",
    "Jc", "Jd", "Jh", "Js", "Qc", "Qd", "Qh", "Qs", "Kc", "Kd", "Kh", "Ks", "Ac", "Ad", "Ah", "As",
};

const char *codec_card_name(uint8_t card)
{
    return names[card];
}

void codec_write_card(struct text *t, uint8_t card)
{
    json_write_text(t, card < CARDS_IN_DECK ? codec_card_name(card) : NULL);
}

void codec_write_cards(struct text *t, const uint8_t *cards, int count)
{
    json_begin_array(t);
    for (int i = 0; i < count; i++)
        codec_write_card(t, cards[i]);
    json_end_array(t);
}

int codec_read_card(struct json_reader *r)
{
    char name[4] = "";
    struct json_string s = json_read_string(r);
    if (r->error)
        return -1;
    const char *rank, *suit;
    if (json_string_copy(s, name, sizeof name) == 2 && (rank = strchr(ranks, name[0])) &&
        (suit = strchr(suits, name[1])))
        return (int)(4 * (rank - ranks) + (suit - suits));
    json_fail(r, ERR_UNKNOWN);
    return -1;
}

int codec_read_cards(struct json_reader *r, uint8_t *cards, int room)
{
    int count = 0;
    for (json_enter_array(r); json_next_item(r); count++) {
        int card = codec_read_card(r);
        if (count >= room)
            json_fail(r, ERR_RANGE);
        else if (card >= 0)
            cards[count] = (uint8_t)card;
    }
    return r->error ? r->error : count;
}

static void say_rest(struct text *t, const char *format, va_list args)
{
    char line[512];
    int size = vsnprintf(line, sizeof line, format, args);
    text_put(t, (struct span){line, (size_t)size < sizeof line ? (size_t)size : sizeof line - 1});
}

// Prose is part of every observation: words and numbers go straight into the text, the rest by vsnprintf.
void codec_write(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    while (*format) {
        size_t plain = 0;
        while (format[plain] && format[plain] != '%') // a few bytes, as a rule
            plain++;
        text_put(t, (struct span){format, plain});
        format += plain;
        if (!*format)
            break;
        if (format[1] == 's') {
            const char *word = va_arg(args, const char *);
            text_puts(t, word ? word : "nobody");
        } else if (format[1] == 'd') {
            text_put_int(t, va_arg(args, int));
        } else if (format[1] == 'u') {
            text_put_uint(t, va_arg(args, unsigned));
        } else if (format[1] == 'c') {
            text_put_char(t, (char)va_arg(args, int));
        } else {
            say_rest(t, format, args);
            break;
        }
        format += 2;
    }
    va_end(args);
}
