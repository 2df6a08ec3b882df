// What is known of an agent besides its record: matches begun, meetings, ratings. Private to the lobby.
//
// lobby_agent_load reads all of it before an agent comes online or is seated. Anything missing is read when it is asked
// for; with a remote store that blocks the thread (counted by store_blocked).
#pragma once

#include "lobby/internal.h"

void agent_cache_release(struct lobby_agent *a);
void agent_cache_drop(struct lobby_agent *a); // so that it is read again

void agent_cache_note_start(struct lobby_agent *a, int64_t at_ms);   // a match that counts towards the caps has begun
void agent_cache_remove_start(struct lobby_agent *a, int64_t at_ms); // the match was refused
void agent_cache_reload_starts(struct lobby *l, struct lobby_agent *a); // other nodes may have begun some (S45)
int agent_cache_count_starts(struct lobby *l, struct lobby_agent *a, int64_t since_ms);

void agent_cache_note_end(struct lobby_agent *a, const struct store_match *m); // one of its matches has ended
// F7.9: how often the two agents have met in rated matches of m's game in the day before its end, m included.
int agent_cache_count_meetings(struct lobby *l, struct lobby_agent *a, const struct store_match *m,
                               struct uuid opponent);

// A result that was counted in it was refused (S41): until it is read again, what is computed from it is refused, too.
// If it was read again since then (agent_cache_rating_read), the refused result is not in it.
void agent_cache_doubt_rating(struct lobby_agent *a, int game, uint64_t read_no);
// The store did not answer when its ratings were read first, which happens to house agents alone: likewise.
void agent_cache_doubt_unread(struct lobby *l, struct lobby_agent *a);
uint64_t agent_cache_rating_read(const struct lobby_agent *a, int game);
bool agent_cache_knows_rating(const struct lobby_agent *a, int game);
// Reads one game's rating again if it is not known. Returns false if the store did not answer.
bool agent_cache_reload_rating(struct lobby *l, struct lobby_agent *a, int game);
