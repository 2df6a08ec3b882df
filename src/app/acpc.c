#include "app/acpc.h"

#include "codec/codec.h"
#include "heap/heap.h"

#include <stdlib.h>

static void add_mark(struct acpc_hand *h)
{
    h->mark = heap_list_grow(h->mark, h->marks, &h->mark_room, 32, sizeof *h->mark);
    h->mark[h->marks++] = (struct acpc_mark){(uint32_t)h->betting.size, h->board_count};
}

// N16.1: between two, the big blind is position 0, because it sits left of the button.
void acpc_begin(struct acpc_hand *h, uint64_t number, seat_set dealt, int button)
{
    struct acpc_hand old = *h;
    *h = (struct acpc_hand){.number = number, .betting = old.betting, .mark = old.mark, .mark_room = old.mark_room};
    h->betting.grow = heap_text_grow;
    h->betting.size = 0;
    memset(h->cards, CARD_NONE, sizeof h->cards);
    for (int i = 0, seat = button; i < __builtin_popcount(dealt); i++) {
        seat = game_next_seat(dealt, seat);
        h->position[seat] = (uint8_t)h->players;
        h->seat[h->players++] = (uint8_t)seat;
    }
    add_mark(h);
}

void acpc_release(struct acpc_hand *h)
{
    free(h->betting.at);
    free(h->mark);
    *h = (struct acpc_hand){0};
}

// --- what happens

static void put_in(struct acpc_hand *h, int seat, int32_t total)
{
    h->total[seat] = total;
    h->most = total > h->most ? total : h->most;
}

void acpc_post(struct acpc_hand *h, int seat, int32_t total)
{
    put_in(h, seat, total);
}

void acpc_fold(struct acpc_hand *h)
{
    text_put_char(&h->betting, 'f');
    add_mark(h);
}

// N16.3: raises give the seat's total over all betting rounds.
void acpc_bet(struct acpc_hand *h, int seat, int32_t total)
{
    bool raises = total > h->most;
    text_put_char(&h->betting, raises ? 'r' : 'c');
    if (raises)
        text_put_int(&h->betting, total);
    put_in(h, seat, total);
    add_mark(h);
}

// N16.4: the cards of a betting round come with the action that ended the previous one.
void acpc_deal(struct acpc_hand *h, const uint8_t *cards, int count)
{
    text_put_char(&h->betting, '/');
    for (int i = 0; i < count && h->board_count < 5; i++)
        h->board[h->board_count++] = cards[i];
    memcpy(h->before, h->total, sizeof h->before);
    h->mark[h->marks - 1] = (struct acpc_mark){(uint32_t)h->betting.size, h->board_count};
}

void acpc_set_cards(struct acpc_hand *h, int seat, const uint8_t cards[2])
{
    memcpy(h->cards[seat], cards, 2);
}

void acpc_end(struct acpc_hand *h)
{
    h->over = true;
}

// --- lines

static void put_card(struct text *t, uint8_t card)
{
    if (card != CARD_NONE)
        text_puts(t, codec_card_name(card));
}

// Hands by position, then the board by street. seat -1: all known hands.
static void put_cards(const struct acpc_hand *h, struct text *t, int seat, int board)
{
    for (int i = 0; i < h->players; i++) {
        int whose = h->seat[i];
        if (i)
            text_put_char(t, '|');
        for (int k = 0; k < 2 && (seat < 0 || seat == whose); k++)
            put_card(t, h->cards[whose][k]);
    }
    for (int i = 0; i < board; i++) {
        if (i == 0 || i >= 3)
            text_put_char(t, '/');
        put_card(t, h->board[i]);
    }
}

static void put_hand(const struct acpc_hand *h, struct text *t, int seat, const struct acpc_mark *m)
{
    text_put_uint(t, h->number);
    text_put_char(t, ':');
    text_put(t, (struct span){h->betting.at, m->betting});
    text_put_char(t, ':');
    put_cards(h, t, seat, m->board);
}

void acpc_put_state(const struct acpc_hand *h, struct text *t, int seat, uint32_t mark)
{
    bool last = h->over && mark + 1 == h->marks;
    text_puts(t, "MATCHSTATE:");
    text_put_uint(t, h->position[seat]);
    text_put_char(t, ':');
    put_hand(h, t, last ? -1 : seat, &h->mark[mark]);
}

// Colons and bars separate the fields.
static void put_names(const struct acpc_hand *h, struct text *t, const char *const *names)
{
    for (int i = 0; i < h->players; i++) {
        text_puts(t, i ? "|" : ":");
        for (const char *at = names[h->seat[i]]; *at; at++)
            text_put_char(t, *at == ':' || *at == '|' || (unsigned char)*at < ' ' ? '_' : *at);
    }
    text_put_char(t, '\n');
}

void acpc_put_log(const struct acpc_hand *h, struct text *t, const int32_t *net, const char *const *names)
{
    text_puts(t, "STATE:");
    put_hand(h, t, -1, &h->mark[h->marks - 1]);
    for (int i = 0; i < h->players; i++) {
        text_puts(t, i ? "|" : ":");
        text_put_int(t, net[h->seat[i]]);
    }
    put_names(h, t, names);
}

void acpc_put_score(const struct acpc_hand *h, struct text *t, const int64_t *net, const char *const *names)
{
    text_puts(t, "SCORE");
    for (int i = 0; i < h->players; i++) {
        text_puts(t, i ? "|" : ":");
        text_put_int(t, net[h->seat[i]]);
    }
    put_names(h, t, names);
}

enum acpc_word acpc_read_word(struct span word, int32_t *total)
{
    int64_t value = 0;
    if (word.size == 1 && *word.at == 'f')
        return ACPC_FOLD;
    if (word.size == 1 && *word.at == 'c')
        return ACPC_CALL;
    if (word.size < 2 || word.size > 11 || *word.at != 'r')
        return ACPC_BAD;
    for (size_t i = 1; i < word.size; i++) {
        if (word.at[i] < '0' || word.at[i] > '9')
            return ACPC_BAD;
        value = 10 * value + (word.at[i] - '0');
    }
    *total = value > HOLDEM_MAX_CHIPS ? HOLDEM_MAX_CHIPS : (int32_t)value;
    return ACPC_RAISE;
}
