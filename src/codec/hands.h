// Shared by the codecs of games with several hands (game/hands.h, K1): options, score, events, and prose.
#pragma once

#include "codec/speech.h"
#include "game/hands.h"

// Options max_hands, starter and deck: read_rule and write_rules of such a game.
bool hands_read_rule(struct json_reader *r, struct json_string key, void *rules);
void hands_write_rules(struct text *t, const void *rules);

// Members of an open object: hand_number, hands_total, first, payoffs, last_hand.
void hands_write_score(struct text *t, const struct codec_table *table, const struct hands *h);
void hands_write_actions(const struct codec *c, struct text *t, const uint8_t *action, int count); // an array of types
// For read_view of such a game: reads one member of a score in which the viewer is asked, or nobody if it is over.
// Returns false, without reading, if `key` is not written by hands_write_score.
struct hands hands_begin_score(const struct codec_table *table, bool done);
bool hands_read_score(struct json_reader *r, const struct codec_table *table, struct json_string key, struct hands *h);
int hands_read_actions(const struct codec *c, struct json_reader *r, uint8_t *action, int room); // returns how many
uint8_t hands_read_card(struct json_reader *r); // J, Q or K; CARD_NONE: null
extern const char *const hands_event_types[];
void hands_write_event(const struct codec *c, struct text *t, const struct codec_table *table,
                       const struct game_event *e);

void hands_describe_rules(struct text *t, const struct hands_rules *r); // K1.2, K1.7: how a match is played
// The hand, the score, and the viewer's card.
void hands_describe_score(struct text *t, const struct codec_table *table, const struct hands *h, uint8_t card);
void hands_describe_actions(const struct codec *c, struct text *t, const struct codec_table *table,
                            const struct hands *h, const uint8_t *action, int count); // "seat_0 checks, seat_1 bets"
void hands_describe_event(const struct codec *c, struct text *t, const struct codec_table *table,
                          const struct game_event *e);
// Writes who has to act, or who has won. Returns true, without writing, if the viewer has to act.
bool hands_describe_turn(struct text *t, const struct codec_table *table, const struct hands *h);

// For draw of such a game: what its view has besides the score.
struct hands_picture {
    const struct hands *hands;
    int pot;
    uint8_t viewer, card;     // whose card it is; CARD_NONE: nobody's
    bool has_public;          // the game turns up a public card
    uint8_t public_card;      // the public card; CARD_NONE: not yet
    const uint8_t *action[2]; // actions of each betting round
    int acted[2], rounds;     // their number
};
void hands_draw(const struct codec *c, struct text *t, const struct codec_table *table, const struct hands_picture *p);

extern const struct codec_speech hands_speech; // actions without parameters, by hands

// Members of struct codec that are the same in every such game.
#define HANDS_CODEC                                                                                                    \
    .event_types = hands_event_types, .read_rule = hands_read_rule, .write_rules = hands_write_rules,                  \
    .read_items = codec_read_cards, .speech = &hands_speech
