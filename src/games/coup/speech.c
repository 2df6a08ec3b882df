// Coup as players say it.
#include "codec/speech.h"
#include "games/coup/codec.h"

#define TARGET                                                                                                         \
    {                                                                                                                  \
        "target", "TARGET", SPEECH_SEAT, NULL                                                                          \
    }

static const struct speech_phrase phrases[] = {
    {"income", {{0}}},
    {"foreign_aid", {{0}}},
    {"tax", {{0}}},
    {"exchange", {{0}}},
    {"coup", {TARGET}},
    {"assassinate", {TARGET}},
    {"steal", {TARGET}},
    {"challenge", {{0}}},
    {"pass", {{0}}},
    {"block", {{"role", "ROLE", SPEECH_WORD, coup_role_names + 1}}},
    {"lose_card", {{"card_index", "INDEX", SPEECH_NUMBER, NULL}}},
    {"return_cards", {{"return_indices", "INDEX", SPEECH_PAIR, NULL}}},
    {NULL, {{0}}},
};

static const struct speech_alias aliases[] = {
    {"allow", "pass"}, {"lose influence", "lose_card"}, {"reveal", "lose_card"}, {"return", "return_cards"}, {0}};

static void note(struct text *t, const struct codec_table *table, const void *view, struct game_choice c)
{
    const struct coup_view *v = view;
    (void)table;
    if (c.first.kind == COUP_LOSE_CARD) {
        text_puts(t, coup_role_names[v->seat[v->viewer].card[c.first.arg[0]]]);
    } else if (c.first.kind == COUP_RETURN_CARDS) {
        uint8_t all[4];
        coup_combined(&v->seat[v->viewer], v->exchange, all);
        codec_write(t, "%s, %s", coup_role_names[all[c.first.arg[0]]], coup_role_names[all[c.first.arg[1]]]);
    }
}

static const struct speech_event events[] = {
    {"action_resolved", "action", "steal", "{player} takes {stolen} from {target} and has {coins_now} coins now"},
    {"action_resolved", "action", "assassinate", "{player} strikes {target}"},
    {"action_resolved", NULL, NULL, "{player} has {coins_now} coins now"},
    {"challenge_pass", NULL, NULL, "{player} does not challenge"},
    {"block_pass", NULL, NULL, "{player} does not block"},
    {"block_challenge_pass", NULL, NULL, "{player} does not challenge the block"},
    {"challenge", NULL, NULL, "{challenger} challenges the {claimed_role} of {actor}"},
    {"challenge_block", NULL, NULL, "{challenger} challenges the {claimed_role} of {blocker}"},
    {"challenge_result", "result", "fail", "{actor} shows {revealed_card} and draws a new card"},
    {"challenge_result", NULL, NULL, "{actor} was bluffing"},
    {"challenge_block_result", "result", "fail", "{blocker} shows {revealed_card} and draws a new card"},
    {"challenge_block_result", NULL, NULL, "{blocker} was bluffing"},
    {"block", NULL, NULL, "{blocker} blocks, claiming {claimed_role}"},
    {"block_accepted", NULL, NULL, "{blocker} has blocked the action"},
    {"influence_lost", NULL, NULL, "{player} loses {card}"},
    {"player_eliminated", NULL, NULL, "{player} is out"},
    {"player_disconnected", NULL, NULL, "{player} has left the table"},
    {"exchange_draw", NULL, NULL, "{player} draws two cards"},
    {"exchange_complete", NULL, NULL, "{player} returns two cards"},
    {"game_over", "winner", "", "the match ends in a draw"},
    {"game_over", NULL, NULL, "{winner} wins"},
    {0},
};

static const struct speech_word words[] = {{"foreign_aid", "foreign aid"}, {"lose_card", "lose a card"}, {0}};

const struct codec_speech coup_speech = {
    .version = 1,
    .legend = "TARGET is a seat such as seat_2. ROLE is Duke, Assassin, Captain, Ambassador or Contessa. INDEX counts "
              "your cards from 0.\n",
    .phrases = phrases,
    .aliases = aliases,
    .parts = (const uint8_t[]){COUP_EVENT_ACTION, 0},
    .part = "Turn",
    .part_names = "turns",
    .note = note,
    .events = events,
    .words = words,
};
