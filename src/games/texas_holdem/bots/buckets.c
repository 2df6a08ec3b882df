#include "games/texas_holdem/bots/buckets.h"

#include "games/texas_holdem/rules/eval.h"

#include <string.h>

enum { FEW = 40, RIVERS = 2 }; // hands that are counted one by one; rivers for each turn card when a flop is run out

int bucket_class(const uint8_t hole[2])
{
    int a = card_rank(hole[0]), b = card_rank(hole[1]), high = a > b ? a : b, low = a > b ? b : a;
    return card_suit(hole[0]) == card_suit(hole[1]) ? 13 * high + low : 13 * low + high;
}

int bucket_count(int street)
{
    static const int count[] = {BUCKET_CLASSES, BUCKET_MIDDLE, BUCKET_MIDDLE, BUCKET_RIVER};
    return count[street];
}

static int flush_strength(const uint8_t board[5], uint8_t a, uint8_t b)
{
    uint8_t cards[7];
    memcpy(cards, board, 5);
    cards[5] = a;
    cards[6] = b;
    return eval7(cards);
}

void bucket_fill_board(struct bucket_board *b, const uint8_t board[5])
{
    uint64_t taken = cards_set(board, 5), base = eval_add(0, board, 5);
    int left = 0, n = 0;
    for (uint8_t card = 0; card < CARDS_IN_DECK; card++) {
        b->place[card] = taken >> card & 1 ? 255 : (uint8_t)left;
        if (!(taken >> card & 1))
            b->card[left++] = card;
    }
    for (int j = 1; j < left; j++) {
        uint64_t half = base + eval_card_worth[b->card[j]];
        for (int i = 0; i < j; i++) {
            int strength = eval_of_ranks(half + eval_card_worth[b->card[i]]);
            b->strength[n++] = (uint16_t)(strength < 0 ? flush_strength(board, b->card[i], b->card[j]) : strength);
        }
    }
}

// One pass of a radix sort: `from` is sorted by this byte of the strength into `to`.
static void sort_by(const uint16_t *strength, int shift, const uint16_t *from, uint16_t *to)
{
    uint16_t at[257] = {0};
    for (int i = 0; i < BUCKET_BOARD_HANDS; i++)
        at[(strength[i] >> shift & 255) + 1]++;
    for (int i = 0; i < 256; i++)
        at[i + 1] = (uint16_t)(at[i + 1] + at[i]);
    for (int i = 0; i < BUCKET_BOARD_HANDS; i++)
        to[at[strength[from[i]] >> shift & 255]++] = from[i];
}

void bucket_sort(const struct bucket_board *b, uint16_t order[BUCKET_BOARD_HANDS])
{
    uint16_t first[BUCKET_BOARD_HANDS];
    for (int i = 0; i < BUCKET_BOARD_HANDS; i++)
        order[i] = (uint16_t)i;
    sort_by(b->strength, 0, order, first);
    sort_by(b->strength, 8, first, order);
}

// 2 x weaker + equal hands of the board, for every hand on it.
static void rank_board(const struct bucket_board *b, uint16_t score[BUCKET_BOARD_HANDS])
{
    uint16_t order[BUCKET_BOARD_HANDS];
    bucket_sort(b, order);
    for (int i = 0, end; i < BUCKET_BOARD_HANDS; i = end) {
        for (end = i + 1; end < BUCKET_BOARD_HANDS && b->strength[order[end]] == b->strength[order[i]];)
            end++;
        for (int k = i; k < end; k++)
            score[order[k]] = (uint16_t)(i + end); // 2 x weaker + equal
    }
}

static unsigned score_of(const struct bucket_board *b, int place)
{
    unsigned own = b->strength[place], score = 0;
    for (int i = 0; i < BUCKET_BOARD_HANDS; i++)
        score += (unsigned)(b->strength[i] < own) + (b->strength[i] <= own);
    return score;
}

// ---- Features -------------------------------------------------------------------------------------------------------

struct sums {
    uint32_t boards, score;
    uint64_t squares;
};

static void add_score(struct sums *s, unsigned score)
{
    s->boards++;
    s->score += score;
    s->squares += (uint64_t)score * score;
}

static void count_board(const uint8_t board[5], const uint8_t (*hole)[2], int hands, struct sums *sums)
{
    struct bucket_board b;
    uint16_t score[BUCKET_BOARD_HANDS];
    bucket_fill_board(&b, board);
    if (hands > FEW)
        rank_board(&b, score);
    for (int h = 0; h < hands; h++) {
        int i = b.place[hole[h][0]], j = b.place[hole[h][1]];
        if (i != 255 && j != 255)
            add_score(&sums[h], hands > FEW ? score[bucket_place(i, j)] : score_of(&b, bucket_place(i, j)));
    }
}

// Every card left comes once as turn, with RIVERS others that a hash of the flop chooses.
static void run_out_flop(uint8_t board[5], const uint8_t *deck, int left, const uint8_t (*hole)[2], int hands,
                         struct sums *sums)
{
    uint32_t sum = 0; // does not depend on the order of the cards
    for (int i = 0; i < 3; i++)
        sum += (board[i] + 1u) * (board[i] + 1u) * 0x9E3779B1u;
    for (int t = 0; t < left; t++)
        for (int r = 0; r < RIVERS; r++) {
            uint32_t hash = (sum + (uint32_t)(RIVERS * t + r)) * 0x85EBCA6Bu;
            hash = (hash ^ hash >> 15) * 0xC2B2AE35u;
            board[3] = deck[t];
            board[4] = deck[(t + 1 + (int)((hash >> 8) % (uint32_t)(left - 1))) % left];
            count_board(board, hole, hands, sums);
        }
}

static void run_out(const uint8_t *cards, int count, const uint8_t (*hole)[2], int hands, struct sums *sums)
{
    uint8_t board[5], deck[CARDS_IN_DECK];
    int left = cards_list_others(cards_set(cards, count), deck);
    memcpy(board, cards, (size_t)count);
    if (count == 3) {
        run_out_flop(board, deck, left, hole, hands, sums);
        return;
    }
    for (int i = 0; i < (count == 4 ? left : 1); i++) {
        if (count == 4)
            board[4] = deck[i];
        count_board(board, hole, hands, sums);
    }
}

static struct bucket_feature feature_of(const struct sums *s)
{
    const uint64_t most = 2 * BUCKET_BOARD_HANDS;
    uint64_t n = s->boards ? s->boards : 1;
    uint64_t variance = (s->squares * n - (uint64_t)s->score * s->score) * 4 / n; // at most most^2 / 4 x n x 4 / n
    return (struct bucket_feature){(uint16_t)(s->score * UINT64_C(65535) / (n * most)),
                                   (uint16_t)(variance * 65535 / (n * most * most))};
}

void bucket_features(const uint8_t (*hole)[2], int hands, const uint8_t *board, int count, struct bucket_feature *out)
{
    enum { AT_ONCE = 64 };
    struct sums sums[AT_ONCE];
    if (hands > AT_ONCE && hands <= BUCKET_HANDS) { // all of them: a board is ranked once
        struct sums all[BUCKET_HANDS];
        memset(all, 0, (size_t)hands * sizeof *all);
        run_out(board, count, hole, hands, all);
        for (int i = 0; i < hands; i++)
            out[i] = feature_of(&all[i]);
        return;
    }
    memset(sums, 0, sizeof sums);
    run_out(board, count, hole, hands, sums);
    for (int i = 0; i < hands; i++)
        out[i] = feature_of(&sums[i]);
}

static int step_of(const uint16_t *cut, int cuts, uint16_t value)
{
    int step = 0;
    while (step < cuts && value > cut[step])
        step++;
    return step;
}

int bucket_of(const struct bucket_cuts *c, int street, struct bucket_feature f)
{
    if (street == 3)
        return step_of(c->river, BUCKET_RIVER - 1, f.equity);
    int step = step_of(c->step[street - 1], BUCKET_STEPS - 1, f.equity);
    return BUCKET_SPREADS * step + step_of(c->spread[street - 1][step], BUCKET_SPREADS - 1, f.spread);
}

int bucket_find(const struct bucket_cuts *c, const uint8_t hole[2], const uint8_t *board, int count)
{
    struct bucket_feature f;
    if (count < 3)
        return bucket_class(hole);
    bucket_features((const uint8_t(*)[2])hole, 1, board, count, &f);
    return bucket_of(c, count - 2, f);
}
