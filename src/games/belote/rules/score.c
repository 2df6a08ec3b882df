// Scoring a deal and the match (B6, B7).
#include "games/belote/rules/internal.h"

#include <string.h>

// B6.5: AllTrumps played once: the announcers' share and the defenders'.
static void split_all_trumps(int a, int d, uint8_t *announcers, uint8_t *defenders)
{
    *announcers = *defenders = 0;
    if (a <= 128) {
        *defenders = 26;
    } else if (a >= 204) {
        *announcers = 26;
    } else if (a >= 134) {
        *announcers = (uint8_t)((a + 5) / 10);
        *defenders = (uint8_t)((d + 5) / 10);
    }
}

struct belote_deal belote_score(int mode, int multiplier, int team, const uint16_t card_points[2], int sweep,
                                int clubs_base)
{
    struct belote_deal d = {
        .card_points = {card_points[0], card_points[1]},
        .mode = (uint8_t)mode,
        .multiplier = (uint8_t)multiplier,
        .team = (uint8_t)team,
        .sweep = (uint8_t)sweep,
    };
    if (sweep != BELOTE_NONE) // B6.1
        d.match_points[sweep] = (uint8_t)(multiplier * (mode == BELOTE_ALL_TRUMPS  ? 35
                                                        : mode == BELOTE_NO_TRUMPS ? 90
                                                                                   : 0));
    else if (mode == BELOTE_ALL_TRUMPS && multiplier == 1)
        split_all_trumps(card_points[team], card_points[1 - team], &d.match_points[team], &d.match_points[1 - team]);
    else if (card_points[0] != card_points[1])
        d.match_points[card_points[1] > card_points[0]] = (uint8_t)(multiplier * belote_stake(mode, clubs_base));
    return d;
}

int belote_find_winner(const int32_t points[2], int32_t *target)
{
    bool there[2] = {points[0] >= *target, points[1] >= *target};
    if (there[0] && there[1])
        *target += 100;
    return there[0] == there[1] ? BELOTE_NONE : there[1];
}

static void end_match(struct belote_state *s, int winner, struct game_events *out)
{
    s->phase = BELOTE_DONE;
    s->turn = BELOTE_NONE;
    s->may = 0;
    s->winner = (uint8_t)winner;
    struct game_event *e;
    if (!out || !(e = game_emit(out, BELOTE_MATCH_ENDED, BELOTE_NONE, EVERYONE)))
        return;
    struct belote_match_ended end = {.points = {s->points[0], s->points[1]}, .team = (uint8_t)winner};
    memcpy(e->data, &end, sizeof end);
}

static void emit_deal(const struct belote_state *s, const int32_t gained[2], struct game_events *out)
{
    struct game_event *e = game_emit(out, BELOTE_DEAL_ENDED, s->dealer, EVERYONE);
    struct belote_deal_ended end = {
        .points = {s->points[0], s->points[1]},
        .gained = {gained[0], gained[1]},
        .target = s->target,
        .deal = s->last,
    };
    memcpy(e->data, &end, sizeof end);
}

// The winner now that the deal's points are added, or BELOTE_NONE; `over` when the match has ended all the same.
static int judge_match(struct belote_state *s, bool instant, bool *over)
{
    int winner;
    if (instant)
        winner = s->last.sweep; // B7.4
    else if (s->options & BELOTE_SINGLE_DEAL)
        winner = s->points[0] == s->points[1] ? BELOTE_NONE : s->points[1] > s->points[0]; // G28.5
    else
        winner = belote_find_winner(s->points, &s->target);
    *over = winner != BELOTE_NONE || s->options & BELOTE_SINGLE_DEAL;
    return winner;
}

void belote_end_deal(struct belote_state *s, struct game_events *out)
{
    int sweep = s->won[0] == BELOTE_TRICKS ? 0 : s->won[1] == BELOTE_TRICKS ? 1 : BELOTE_NONE;
    s->last = belote_score(s->mode, s->multiplier, s->team, s->card_points, sweep, s->clubs_base);
    bool colour_sweep = sweep != BELOTE_NONE && s->mode < BELOTE_NO_TRUMPS;
    int32_t gained[2] = {s->last.match_points[0], s->last.match_points[1]};
    if (colour_sweep)
        gained[sweep] = s->colour_sweep_points * s->multiplier; // B7.5; nothing when it is the match (B7.4)
    s->points[0] += gained[0];
    s->points[1] += gained[1];
    if (out)
        emit_deal(s, gained, out);
    bool over;
    int winner = judge_match(s, colour_sweep && !s->colour_sweep_points, &over);
    s->dealer = (uint8_t)seat_after(s->dealer, 1); // B2.8
    if (over) {
        end_match(s, winner, out);
        return;
    }
    s->deal++;
    belote_start_deal(s, out);
}

void belote_forfeit(struct belote_state *s, int seat, int reason, struct game_events *out)
{
    struct game_event *e;
    if (out && (e = game_emit(out, BELOTE_DISCONNECTED, seat, EVERYONE)))
        e->data[0] = (uint8_t)reason;
    s->left = (uint8_t)seat;
    end_match(s, 1 - belote_team(seat), out); // B7.6
}
