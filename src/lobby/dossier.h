// What is known of an agent besides its record: matches begun, meetings, ratings. Private to the lobby.
//
// lobby_agent_load reads all of it before an agent comes online or is seated. Anything missing is read when it is asked
// for; with a remote store that blocks the thread (counted by store_blocked).
#pragma once

#include "lobby/inside.h"

void dossier_release(struct lobby_agent *a);
void dossier_forget(struct lobby_agent *a); // so that it is read again

void dossier_note_start(struct lobby_agent *a, int64_t at_ms);      // a match that counts towards the caps has begun
void dossier_forget_start(struct lobby_agent *a, int64_t at_ms);    // the match was refused
void dossier_reload_starts(struct lobby *l, struct lobby_agent *a); // other nodes may have begun some (S45)
int dossier_count_starts(struct lobby *l, struct lobby_agent *a, int64_t since_ms);

void dossier_note_end(struct lobby_agent *a, const struct store_match *m); // one of its matches has ended
// F7.9: how often the two agents have met in rated matches of m's game in the day before its end, m included.
int dossier_count_meetings(struct lobby *l, struct lobby_agent *a, const struct store_match *m, struct uuid opponent);

// Reads one game's rating again, after a result was refused. Returns false if the store did not answer.
bool dossier_reload_rating(struct lobby *l, struct lobby_agent *a, int game);
