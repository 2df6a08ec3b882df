// A small language for tests of Coup: tables, scripts of answers, and what happened as text. Roles are D A C M O: Duke,
// Assassin, Captain, aMbassador, cOntessa. Cards of a table: the hands by seat ("AD CD MM", "--" is dealt), or all 15
// in dealing order. A script: "0 steal 1; 1 pass; drop 2; stack DDDAAACCCMMMOOO".
#pragma once

#include "games/coup/rules/coup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// clang-format off
#include <cmocka.h>
// clang-format on

static const struct game *const g = &coup_game;

static const char letters[] = "-DACMO";
static const char *const kinds[COUP_ACTIONS] = {
    "",         "income",    "foreign_aid", "coup",  "tax",       "assassinate", "steal",
    "exchange", "challenge", "pass",        "block", "lose_card", "return_cards"};
static const char *const phases[COUP_PHASES] = {"action",         "challenge_action", "block", "challenge_block",
                                                "lose_influence", "exchange_return",  "done"};
static const char *const events[COUP_EVENTS] = {"",
                                                "action",
                                                "challenge_pass",
                                                "block_pass",
                                                "block_challenge_pass",
                                                "challenge",
                                                "challenge_result",
                                                "block",
                                                "block_accepted",
                                                "challenge_block",
                                                "challenge_block_result",
                                                "influence_lost",
                                                "player_eliminated",
                                                "player_disconnected",
                                                "exchange_draw",
                                                "exchange_complete",
                                                "action_resolved",
                                                "game_over"};

struct setup {
    const char *cards, *coins; // "3 2 2": as many seats
    int windows, ask_single, starter;
};

static inline uint8_t role_of(char letter)
{
    const char *at = strchr(letters, letter);
    assert_non_null(at);
    return (uint8_t)(at - letters);
}

static inline struct rng stream_of(uint8_t n)
{
    uint8_t key[RNG_KEY_BYTES] = {n, 'r'};
    return rng_from_key(key);
}

static inline int rules_of(const struct setup *setup, struct coup_rules *r)
{
    int seats = 0;
    g->defaults(r);
    r->windows = (uint8_t)setup->windows;
    r->ask_single = (uint8_t)setup->ask_single;
    r->starter = (uint8_t)setup->starter;
    for (const char *c = setup->coins; *c; c++)
        if (*c != ' ')
            r->coins[seats++] = (uint8_t)(*c - '0');
    if (strlen(setup->cards) == COUP_CARDS)
        for (int i = 0; i < COUP_CARDS; i++)
            r->deck[i] = role_of(setup->cards[i]);
    else
        for (int i = 0; i < seats; i++) {
            r->hands[i][0] = role_of(setup->cards[3 * i]);
            r->hands[i][1] = role_of(setup->cards[3 * i + 1]);
        }
    return seats;
}

static inline void start(struct coup_state *s, const struct setup *setup)
{
    struct coup_rules r;
    int seats = rules_of(setup, &r);
    assert_int_equal(g->init(s, &r, seats, stream_of(1), NULL), OK);
}

static inline struct game_action action_of(const char *kind, const char *args)
{
    struct game_action a = {0};
    for (uint8_t k = 1; k < COUP_ACTIONS; k++)
        if (!strcmp(kind, kinds[k]))
            a.kind = k;
    assert_int_not_equal(a.kind, 0);
    if (a.kind == COUP_BLOCK)
        a.arg[0] = role_of(args[0]);
    else if (args[0])
        a.arg[0] = (uint8_t)(args[0] - '0');
    if (a.kind == COUP_RETURN_CARDS)
        a.arg[1] = (uint8_t)(args[1] - '0');
    return a;
}

// One word of a script; the seat, GAME_MASTER, or -1 for a stack.
static inline int apply_step(struct coup_state *s, const char *step, struct game_events *out)
{
    char who[16] = "", what[20] = "", args[20] = "";
    sscanf(step, " %15s %19s %19s", who, what, args);
    if (!strcmp(who, "stack")) {
        uint8_t items[COUP_CARDS + 1];
        int count = 0;
        for (const char *c = what; *c; c++)
            items[count++] = role_of(*c);
        return g->stack(s, items, count);
    }
    if (!strcmp(who, "drop")) {
        struct game_action drop = {.kind = GAME_DROP, .arg = {(uint8_t)(what[0] - '0')}};
        return g->apply(s, GAME_MASTER, drop, out);
    }
    return g->apply(s, who[0] - '0', action_of(what, args), out);
}

static inline void play(struct coup_state *s, const char *script, struct game_events *out)
{
    char copy[1024];
    assert_true(snprintf(copy, sizeof copy, "%s", script) < (int)sizeof copy);
    char *rest = copy, *step;
    while ((step = strsep(&rest, ";"))) {
        if (strspn(step, " ") == strlen(step))
            continue;
        int err = apply_step(s, step, out);
        if (err != OK)
            fail_msg("'%s' refused: %s", step, err_name(err));
        const char *broken = g->check(s);
        if (broken)
            fail_msg("'%s': %s", step, broken);
    }
}

static inline void put_event(char *text, const struct game_event *e)
{
    struct coup_fact f = coup_event_fact(e);
    char *at = text + strlen(text);
    at += sprintf(at, "%s%d %s", *text ? "; " : "", e->seat == COUP_NOBODY ? -1 : e->seat, events[e->kind]);
    if (f.action)
        at += sprintf(at, " %s", kinds[f.action]);
    if (f.action && coup_acts[f.action].targeted && e->kind != COUP_EVENT_BLOCK)
        at += sprintf(at, " %d", f.target);
    if (e->kind == COUP_EVENT_CHALLENGE || e->kind == COUP_EVENT_CHALLENGE_BLOCK || f.result)
        at += sprintf(at, " vs %d", f.other);
    if (f.role)
        at += sprintf(at, " %c", letters[f.role]);
    if (f.result)
        at += sprintf(at, " %s", f.result == COUP_FAIL ? "fail" : "success");
    if (f.card)
        at += sprintf(at, " %c", letters[f.card]);
    if (e->kind == COUP_EVENT_INFLUENCE_LOST)
        at += sprintf(at, " @%d", f.slot);
    if (e->kind == COUP_EVENT_ACTION_RESOLVED && f.action == COUP_STEAL)
        at += sprintf(at, " +%d", f.stolen);
    if (e->kind == COUP_EVENT_ACTION_RESOLVED && f.action != COUP_ASSASSINATE)
        sprintf(at, " =%d", f.coins);
}

static inline void put_question(char *text, const struct coup_state *s)
{
    struct game_turn t = g->turn(s);
    char *at = text + sprintf(text, "%s", phases[t.phase]);
    for (int i = 0; i < COUP_MAX_SEATS; i++)
        if (t.seats & SEAT(i))
            at += sprintf(at, " %d", i);
}

static inline void put_coins(char *text, const struct coup_state *s)
{
    for (int i = 0; i < s->seats; i++)
        text += sprintf(text, "%s%d", i ? " " : "", s->seat[i].coins);
}
