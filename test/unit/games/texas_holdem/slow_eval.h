// A slow and obvious evaluator: five cards by counting, seven by trying all 21 fives.
#pragma once

#include "games/texas_holdem/rules/eval.h"

#include <stdbool.h>

static int compare_down(int a, int b)
{
    return (a < b) - (a > b);
}

// Category, then the ranks that decide, as one number. The five ranks are put in order: more copies first, then higher.
static int slow5(const uint8_t cards[5])
{
    int copies[13] = {0}, rank[5], suits = 0;
    for (int i = 0; i < 5; i++) {
        copies[rank[i] = cards[i] / 4]++;
        suits |= 1 << cards[i] % 4;
    }
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 5; j++) {
            int by_copies = compare_down(copies[rank[i]], copies[rank[j]]);
            if (by_copies > 0 || (by_copies == 0 && compare_down(rank[i], rank[j]) > 0)) {
                int t = rank[i];
                rank[i] = rank[j];
                rank[j] = t;
            }
        }
    bool flush = suits == 1 || suits == 2 || suits == 4 || suits == 8;
    bool distinct = copies[rank[0]] == 1;
    bool wheel = distinct && rank[0] == 12 && rank[1] == 3; // A 5 4 3 2: the five is the highest
    bool straight = distinct && (rank[0] - rank[4] == 4 || wheel);
    int category = EVAL_HIGH_CARD;
    if (straight && flush)
        category = rank[0] == 12 && !wheel ? EVAL_ROYAL_FLUSH : EVAL_STRAIGHT_FLUSH;
    else if (copies[rank[0]] == 4)
        category = EVAL_FOUR_OF_A_KIND;
    else if (copies[rank[0]] == 3 && copies[rank[3]] == 2)
        category = EVAL_FULL_HOUSE;
    else if (flush)
        category = EVAL_FLUSH;
    else if (straight)
        category = EVAL_STRAIGHT;
    else if (copies[rank[0]] == 3)
        category = EVAL_THREE_OF_A_KIND;
    else if (copies[rank[0]] == 2)
        category = copies[rank[2]] == 2 ? EVAL_TWO_PAIR : EVAL_ONE_PAIR;
    int value = category;
    for (int i = 0; i < 5; i++)
        value = value * 16 + (wheel ? rank[(i + 1) % 5] % 12 : rank[i]);
    return value;
}

static int slow7(const uint8_t cards[7])
{
    int best = 0;
    for (int a = 0; a < 7; a++)
        for (int b = a + 1; b < 7; b++) {
            uint8_t five[5];
            int n = 0;
            for (int i = 0; i < 7; i++)
                if (i != a && i != b)
                    five[n++] = cards[i];
            int value = slow5(five);
            best = value > best ? value : best;
        }
    return best;
}
