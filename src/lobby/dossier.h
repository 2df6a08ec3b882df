// What is known of an agent beyond its record. For the files of the lobby.
//
// lobby_agent_load reads all of it before an agent comes or is seated; whatever is missing then is read when it is
// asked for, which blocks the thread where the store is elsewhere (store_blocked).
#pragma once

#include "lobby/inside.h"

void dossier_release(struct lobby_agent *a);
void dossier_forget(struct lobby_agent *a); // to be read again

void dossier_note_start(struct lobby_agent *a, int64_t at_ms);      // a match that counts toward the caps has begun
void dossier_forget_start(struct lobby_agent *a, int64_t at_ms);    // it was refused
void dossier_reload_starts(struct lobby *l, struct lobby_agent *a); // other nodes may have begun some (S45)
int dossier_count_starts(struct lobby *l, struct lobby_agent *a, int64_t since_ms);

void dossier_note_end(struct lobby_agent *a, const struct store_match *m); // a match of its own is over
// F7.9: how often the two have met in rated matches of m's game within a day before its end, m included.
int dossier_count_meetings(struct lobby *l, struct lobby_agent *a, const struct store_match *m, struct uuid opponent);

// The row of one game as the store has it now: after a result was refused. False: no answer.
bool dossier_reload_rating(struct lobby *l, struct lobby_agent *a, int game);
