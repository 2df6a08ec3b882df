// Belote in prose and as a picture for a terminal, and the names that its JSON shares with them.
#pragma once

#include "codec/codec.h"
#include "games/belote/rules/belote.h"

extern const char *const belote_mode_names[BELOTE_MODES + 1]; // B1.3, ended by NULL
extern const char *const belote_word_types[];                 // by belote_word_type

const char *belote_card_name(int card); // "Tc"
int belote_word_type(int word);         // 0 announce, 1 accept, 2 double, 3 redouble
int belote_word_mode(int word);         // BELOTE_NONE for accept

void belote_describe_rules(struct text *t, const void *rules, int seats);
void belote_describe_view(struct text *t, const struct codec_table *table, const void *view);
void belote_describe_action(struct text *t, const struct codec_table *table, struct game_action a);
void belote_describe_event(struct text *t, const struct codec_table *table, const struct game_event *e, int count);
void belote_draw(struct text *t, const struct codec_table *table, const void *view);
