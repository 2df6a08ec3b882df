// Every SQL statement of the SQLite engine, by name: reads for the caller's thread, writes for the writer. Columns are
// in the order of the tables (struct column) that bind and read them.
#pragma once

#define SQL_AGENT                                                                                                      \
    "SELECT id, public_no, key_hash, claim_hash, verify_hash, created_ms, renamed_ms, verify_until_ms, "               \
    "max_games_per_day, max_games_per_hour, cooldown_seconds, max_concurrent, kind, has_key, claimed, "                \
    "disabled, auto_requeue, auto_confirm, client_kind, runtime_type, device_id, instance, "                           \
    "bridge_version, terms_version, privacy_version, standby, games, bot_url, owner, name, model, "                    \
    "description, day_ceiling, hour_ceiling, cooldown_floor, concurrent_ceiling, origin, lineage, entropy FROM "       \
    "agents "
#define SQL_MATCH                                                                                                      \
    "SELECT row, game, id, replay, live, challenge, mode, key, commitment, created_ms, started_ms, "                   \
    "finished_ms, seats, teams, events, status, rated, is_draw, winner, forfeited_by, forfeit_reason, "                \
    "untold, deal, swing, largest_swing, players, outcome FROM matches "
#define SQL_CHALLENGE                                                                                                  \
    "SELECT row, game, id, token_hash, created_ms, expires_ms, match, places, taken, status FROM "                     \
    "challenges "

#define SQL_ENTRY "SELECT place, kind, number, at_ms, body, link FROM commitments "

#define SQL_READS(X)                                                                                                   \
    X(SQL_BEGIN_READ, "BEGIN")                                                                                         \
    X(SQL_END_READ, "COMMIT")                                                                                          \
    X(SQL_GAMES, "SELECT row, name FROM games ORDER BY row")                                                           \
    X(SQL_FIND_AGENT, SQL_AGENT "WHERE id = ?1")                                                                       \
    X(SQL_FIND_AGENT_BY_KEY, SQL_AGENT "WHERE key_hash = ?1 AND has_key")                                              \
    X(SQL_FIND_AGENT_BY_CLAIM, SQL_AGENT "WHERE claim_hash = ?1")                                                      \
    X(SQL_FIND_AGENT_BY_VERIFY, SQL_AGENT "WHERE verify_hash = ?1")                                                    \
    X(SQL_FIND_PUBLIC_NO, "SELECT 1 FROM agents WHERE public_no = ?1")                                                 \
    X(SQL_AGENT_ROW, "SELECT row FROM agents WHERE id = ?1")                                                           \
    X(SQL_AGENT_WORDS, "SELECT name, model FROM agents WHERE id = ?1")                                                 \
    X(SQL_AGENT_NAMES, "SELECT id, name, model, kind FROM agents WHERE row = ?1")                                      \
    X(SQL_LIST_AGENTS, SQL_AGENT "WHERE row > ?2 ORDER BY row LIMIT ?1")                                               \
    X(SQL_LIST_AGENTS_OF_KIND, SQL_AGENT "WHERE kind = ?3 ORDER BY row LIMIT ?1 OFFSET ?2")                            \
    X(SQL_GUESTS_FROM,                                                                                                 \
      "SELECT row, id, created_ms, disabled, (SELECT at_ms FROM lists WHERE agent = agents.row AND game = 0 ORDER BY " \
      "number DESC LIMIT 1) FROM agents WHERE kind = 3 AND row > ?1 ORDER BY row LIMIT ?2")                            \
    X(SQL_COUNT_AGENTS, "SELECT coalesce(max(row), 0) FROM agents")                                                    \
    X(SQL_COUNT_AGENTS_OF_KIND, "SELECT count(*) FROM agents WHERE kind = ?1")                                         \
    X(SQL_COUNT_OTHER_AGENTS,                                                                                          \
      "SELECT (SELECT count(*) FROM agents WHERE kind < ?1) + (SELECT count(*) FROM agents WHERE kind > ?1)")          \
    X(SQL_FIND_PAIRING,                                                                                                \
      "SELECT p.code_hash, p.expires_ms, p.used, p.revoked, p.runtime_type, a.id FROM pairings p JOIN "                \
      "agents a ON a.row = p.agent WHERE p.code_hash = ?1")                                                            \
    X(SQL_FIND_MATCH, SQL_MATCH "WHERE id = ?1")                                                                       \
    X(SQL_FIND_REPLAY, SQL_MATCH "WHERE replay = ?1")                                                                  \
    X(SQL_MATCH_AT, SQL_MATCH "WHERE row = ?1")                                                                        \
    X(SQL_SEATS_OF,                                                                                                    \
      "SELECT s.seat, s.payoff, a.id, s.session, s.one_shot, s.delivered, s.dropped, s.result, s.name FROM "           \
      "seats s JOIN agents a ON a.row = s.agent WHERE s.match = ?1 ORDER BY s.seat")                                   \
    X(SQL_FIND_SESSION, "SELECT match, seat FROM seats WHERE session = ?1")                                            \
    X(SQL_LAST_ROWS, "SELECT coalesce((SELECT max(row) FROM matches), 0), coalesce((SELECT max(id) FROM pieces), 0)")  \
    X(SQL_LIST_RUNNING, "SELECT row, id FROM matches WHERE status = 0 ORDER BY row LIMIT ?1")                          \
    X(SQL_COUNT_RUNNING, "SELECT count(*) FROM matches WHERE status = 0")                                              \
    X(SQL_LIST_PIECES, "SELECT id, match FROM pieces ORDER BY id")                                                     \
    X(SQL_PIECE_AT, "SELECT match, number, at_ms, log, note, sum FROM pieces WHERE id = ?1")                           \
    X(SQL_PIECES_OF, "SELECT match, number, at_ms, log, note, sum FROM pieces WHERE match = ?1 ORDER BY id")           \
    X(SQL_LOG_OF, "SELECT pieces, bytes, sum FROM logs WHERE match = ?1")                                              \
    X(SQL_LIST_SIZE, "SELECT coalesce(max(number), 0) FROM lists WHERE agent = ?1 AND game = ?2")                      \
    X(SQL_LIST_PAGE,                                                                                                   \
      "SELECT match FROM lists WHERE agent = ?1 AND game = ?2 AND number <= ?3 ORDER BY number DESC LIMIT "            \
      "?4")                                                                                                            \
    X(SQL_LIST_UNDELIVERED,                                                                                            \
      "SELECT m.id FROM undelivered u JOIN matches m ON m.row = u.match WHERE u.agent = (SELECT row FROM "             \
      "agents WHERE id = ?1) AND u.at_ms >= ?2 ORDER BY u.at_ms, u.match LIMIT ?3")                                    \
    X(SQL_LIST_STARTS, "SELECT at_ms FROM starts WHERE agent = (SELECT row FROM agents WHERE id = ?1) AND at_ms > ?2 " \
                       "ORDER BY at_ms DESC LIMIT ?3")                                                                 \
    X(SQL_RATINGS_OF,                                                                                                  \
      "SELECT agent_id, game, rating, deviation, volatility, peak, rated_ms, played_ms, games, "                       \
      "rated_games, wins, losses, draws, streak, best_streak, form, latency FROM ratings WHERE agent = "               \
      "(SELECT row FROM agents WHERE id = ?1)")                                                                        \
    X(SQL_HISTORY_OF,                                                                                                  \
      "SELECT played, rating, at_ms, deviation FROM (SELECT * FROM lists WHERE agent = "                               \
      "(SELECT row FROM agents WHERE id = ?1) AND game = 0 AND rating IS NOT NULL ORDER BY number DESC "               \
      "LIMIT ?2) ORDER BY number")                                                                                     \
    X(SQL_AGENTS_BY_NAME,                                                                                              \
      "SELECT id, name, model, kind FROM agents WHERE name COLLATE NOCASE >= ?1 AND name COLLATE NOCASE < ?2 AND "     \
      "claimed AND NOT disabled ORDER BY name COLLATE NOCASE, row LIMIT ?3 OFFSET ?4")                                 \
    X(SQL_AGENTS_BY_AGE,                                                                                               \
      "SELECT id, name, model, kind FROM agents WHERE claimed AND NOT disabled ORDER BY row DESC LIMIT ?3 OFFSET ?4")  \
    X(SQL_POINTS_OF,                                                                                                   \
      "SELECT played, rating, deviation, at_ms, match FROM lists WHERE agent = ?1 AND game = 0 AND rating IS NOT "     \
      "NULL AND (?2 = 0 OR played = ?2) ORDER BY number DESC LIMIT ?3 OFFSET ?4")                                      \
    X(SQL_COUNTERS_OF,                                                                                                 \
      "SELECT game, matches, since_ms, counts FROM counters WHERE agent = (SELECT row FROM agents WHERE id = ?1) "     \
      "ORDER BY game")                                                                                                 \
    X(SQL_VERSUS_OFTEN,                                                                                                \
      "SELECT opponent, games, wins, losses, draws FROM versus WHERE agent = ?1 AND game = ?2 AND games > "            \
      "1 ORDER BY games DESC, opponent LIMIT ?3")                                                                      \
    X(SQL_VERSUS_ONCE,                                                                                                 \
      "SELECT opponent, games, wins, losses, draws FROM versus WHERE agent = ?1 AND game = ?2 AND games = "            \
      "1 ORDER BY opponent LIMIT ?3")                                                                                  \
    X(SQL_FIND_CHALLENGE, SQL_CHALLENGE "WHERE id = ?1")                                                               \
    X(SQL_FIND_CHALLENGE_BY_TOKEN, SQL_CHALLENGE "WHERE token_hash = ?1")                                              \
    X(SQL_LIST_CHALLENGES,                                                                                             \
      "SELECT c.row, c.game, c.id, c.token_hash, c.created_ms, c.expires_ms, c.match, c.places, c.taken, "             \
      "c.status FROM places p JOIN challenges c ON c.row = p.challenge WHERE p.agent = (SELECT row FROM "              \
      "agents WHERE id = ?1) ORDER BY p.challenge DESC LIMIT ?2")                                                      \
    X(SQL_LIST_OPEN_CHALLENGES, SQL_CHALLENGE "WHERE status < 4 ORDER BY row LIMIT ?1")                                \
    X(SQL_PLACES_OF, "SELECT p.place, a.id FROM places p JOIN agents a ON a.row = p.agent WHERE p.challenge = ?1")     \
    X(SQL_TOTALS, "SELECT actions FROM totals")                                                                        \
    X(SQL_LIST_ENTRIES, SQL_ENTRY "WHERE place >= ?1 ORDER BY place LIMIT ?2")                                         \
    X(SQL_ENTRIES_OF, SQL_ENTRY "WHERE kind IN (1, 2, 3) AND number = ?1 ORDER BY kind")                               \
    X(SQL_LAST_ENTRY, SQL_ENTRY "ORDER BY place DESC LIMIT 1")                                                         \
    X(SQL_LAST_NUMBER, "SELECT coalesce(max(number), 0) FROM commitments WHERE kind = ?1")                             \
    X(SQL_LIST_EPOCHS, "SELECT first, id, secret, restored FROM epochs ORDER BY first LIMIT ?2 OFFSET ?1")

#define SQL_WRITES(X)                                                                                                  \
    X(SQL_BEGIN, "BEGIN IMMEDIATE")                                                                                    \
    X(SQL_COMMIT, "COMMIT")                                                                                            \
    X(SQL_ROLLBACK, "ROLLBACK")                                                                                        \
    X(SQL_ADD_ENTRY, "INSERT INTO commitments(place, kind, number, at_ms, body, link) VALUES(?1, ?2, ?3, ?4, ?5, ?6)") \
    X(SQL_ADD_EPOCH, "INSERT INTO epochs(first, id, secret) VALUES(?1, ?2, ?3)")                                       \
    X(SQL_ADD_GAME, "INSERT INTO games(row, name) VALUES(?1, ?2)")                                                     \
    X(SQL_PUT_AGENT,                                                                                                   \
      "INSERT INTO agents(id, public_no, key_hash, claim_hash, verify_hash, created_ms, renamed_ms, "                  \
      "verify_until_ms, max_games_per_day, max_games_per_hour, cooldown_seconds, max_concurrent, kind, "               \
      "has_key, claimed, disabled, auto_requeue, auto_confirm, client_kind, runtime_type, device_id, "                 \
      "instance, bridge_version, terms_version, privacy_version, standby, games, bot_url, owner, name, "               \
      "model, description, day_ceiling, hour_ceiling, cooldown_floor, concurrent_ceiling, origin, lineage, entropy) "  \
      "VALUES(?1, "                                                                                                    \
      "?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, "              \
      "?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39) ON CONFLICT(id) DO "       \
      "UPDATE SET public_no = excluded.public_no, key_hash = excluded.key_hash, claim_hash = "                         \
      "excluded.claim_hash, verify_hash = excluded.verify_hash, created_ms = excluded.created_ms, "                    \
      "renamed_ms = excluded.renamed_ms, verify_until_ms = excluded.verify_until_ms, max_games_per_day = "             \
      "excluded.max_games_per_day, max_games_per_hour = excluded.max_games_per_hour, cooldown_seconds = "              \
      "excluded.cooldown_seconds, max_concurrent = excluded.max_concurrent, kind = excluded.kind, has_key "            \
      "= excluded.has_key, claimed = excluded.claimed, disabled = excluded.disabled, auto_requeue = "                  \
      "excluded.auto_requeue, auto_confirm = excluded.auto_confirm, client_kind = excluded.client_kind, "              \
      "runtime_type = excluded.runtime_type, device_id = excluded.device_id, instance = excluded.instance, "           \
      "bridge_version = excluded.bridge_version, terms_version = excluded.terms_version, privacy_version = "           \
      "excluded.privacy_version, standby = excluded.standby, games = excluded.games, bot_url = "                       \
      "excluded.bot_url, owner = excluded.owner, name = excluded.name, model = excluded.model, description "           \
      "= excluded.description, day_ceiling = excluded.day_ceiling, hour_ceiling = excluded.hour_ceiling, "             \
      "cooldown_floor = excluded.cooldown_floor, concurrent_ceiling = excluded.concurrent_ceiling, origin = "          \
      "excluded.origin, lineage = excluded.lineage, entropy = excluded.entropy")                                       \
    X(SQL_ROW_OF_AGENT, "SELECT row FROM agents WHERE id = ?1")                                                        \
    X(SQL_REVOKE_PAIRINGS, "UPDATE pairings SET revoked = 1 WHERE agent = ?1 AND revoked = 0")                         \
    X(SQL_PUT_PAIRING,                                                                                                 \
      "INSERT INTO pairings(code_hash, expires_ms, used, revoked, runtime_type, agent) VALUES(?1, ?2, ?3, "            \
      "?4, ?5, ?6) ON CONFLICT(code_hash) DO UPDATE SET expires_ms = excluded.expires_ms, used = "                     \
      "excluded.used, revoked = excluded.revoked, runtime_type = excluded.runtime_type, agent = "                      \
      "excluded.agent")                                                                                                \
    X(SQL_USE_PAIRING, "UPDATE pairings SET used = 1 WHERE code_hash = ?1")                                            \
    X(SQL_BEGIN_MATCH,                                                                                                 \
      "INSERT INTO matches(row, game, id, replay, live, challenge, mode, key, commitment, created_ms, "                \
      "started_ms, finished_ms, seats, teams, events, status, rated, is_draw, winner, forfeited_by, "                  \
      "forfeit_reason, untold, deal, swing, largest_swing, players) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "  \
      "?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)")                               \
    X(SQL_BEGIN_SEAT,                                                                                                  \
      "INSERT INTO seats(match, seat, payoff, agent, session, one_shot, delivered, dropped, result, name) "            \
      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")                                                               \
    X(SQL_ADD_START, "INSERT INTO starts(agent, at_ms, match) VALUES(?1, ?2, ?3)")                                     \
    X(SQL_MARK_UNTOLD, "UPDATE matches SET untold = ?2 WHERE row = ?1")                                                \
    X(SQL_ADD_PIECE,                                                                                                   \
      "INSERT INTO pieces(id, match, number, at_ms, log, note, sum) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")               \
    X(SQL_GET_PIECE, "SELECT match, number, at_ms, log, note, sum FROM pieces WHERE id = ?1")                          \
    X(SQL_MOVE_PIECE, "UPDATE pieces SET id = ?2 WHERE id = ?1")                                                       \
    X(SQL_SWEEP_PIECES, "DELETE FROM pieces WHERE id < ?1")                                                            \
    X(SQL_ADD_LOG, "INSERT INTO logs(match, pieces, bytes, sum) VALUES(?1, ?2, ?3, ?4)")                               \
    X(SQL_ADD_ACTIONS, "UPDATE totals SET actions = actions + ?1")                                                     \
    X(SQL_FINISH_MATCH,                                                                                                \
      "UPDATE matches SET started_ms = ?2, finished_ms = ?3, events = ?4, status = ?5, rated = ?6, is_draw "           \
      "= ?7, winner = ?8, forfeited_by = ?9, forfeit_reason = ?10, swing = ?11, "                                      \
      "largest_swing = ?12, outcome = ?13 WHERE row = ?1")                                                             \
    X(SQL_FINISH_SEAT,                                                                                                 \
      "UPDATE seats SET payoff = ?3, delivered = ?4, dropped = ?5, result = ?6, number = ?7 WHERE match = "            \
      "?1 AND seat = ?2")                                                                                              \
    X(SQL_END_OF_LIST, "SELECT number FROM lists WHERE agent = ?1 AND game = ?2 ORDER BY number DESC LIMIT 1")         \
    X(SQL_ADD_TO_LIST,                                                                                                 \
      "INSERT INTO lists(agent, game, number, match, rating, played, at_ms, deviation) VALUES(?1, ?2, ?3, ?4, ?5, "    \
      "?6, ?7, ?8)")                                                                                                   \
    X(SQL_ADD_UNDELIVERED, "INSERT INTO undelivered(agent, at_ms, match) VALUES(?1, ?2, ?3)")                          \
    X(SQL_END_OF_MATCH, "SELECT row, finished_ms FROM matches WHERE id = ?1")                                          \
    X(SQL_AGENT_OF_SEAT, "SELECT agent FROM seats WHERE match = ?1 AND seat = ?2")                                     \
    X(SQL_MARK_DELIVERED, "UPDATE seats SET delivered = 1 WHERE match = ?1 AND seat = ?2")                             \
    X(SQL_DROP_UNDELIVERED, "DELETE FROM undelivered WHERE agent = ?1 AND at_ms = ?2 AND match = ?3")                  \
    X(SQL_ADD_VERSUS,                                                                                                  \
      "INSERT INTO versus(agent, game, opponent, games, wins, losses, draws) VALUES(?1, ?2, ?3, 1, ?4, ?5, "           \
      "?6) ON CONFLICT DO UPDATE SET games = games + 1, wins = wins + excluded.wins, losses = losses + "               \
      "excluded.losses, draws = draws + excluded.draws")                                                               \
    X(SQL_PUT_RATING,                                                                                                  \
      "INSERT INTO ratings(agent, game, agent_id, rating, deviation, volatility, peak, rated_ms, played_ms, games, "   \
      "rated_games, wins, losses, draws, streak, best_streak, form, latency) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "  \
      "?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18) ON CONFLICT DO UPDATE SET rating = excluded.rating, "          \
      "deviation = excluded.deviation, volatility = excluded.volatility, peak = excluded.peak, rated_ms = "            \
      "excluded.rated_ms, played_ms = excluded.played_ms, games = excluded.games, rated_games = "                      \
      "excluded.rated_games, wins = excluded.wins, losses = excluded.losses, draws = excluded.draws, streak = "        \
      "excluded.streak, best_streak = excluded.best_streak, form = excluded.form, latency = excluded.latency")         \
    X(SQL_GET_COUNTERS, "SELECT matches, since_ms, counts FROM counters WHERE agent = ?1 AND game = ?2")               \
    X(SQL_PUT_COUNTERS,                                                                                                \
      "INSERT INTO counters(agent, game, matches, since_ms, counts) VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT DO "        \
      "UPDATE SET matches = excluded.matches, counts = excluded.counts")                                               \
    X(SQL_CLEAR_COUNTERS, "DELETE FROM counters")                                                                      \
    X(SQL_ADD_HISTORY, "UPDATE lists SET rating = ?3, deviation = ?4 WHERE agent = ?1 AND game = 0 AND number = "      \
                       "(SELECT number FROM seats "                                                                    \
                       "WHERE match = ?2 AND agent = ?1)")                                                             \
    X(SQL_CLEAR_RATINGS, "DELETE FROM ratings")                                                                        \
    X(SQL_CLEAR_HISTORY, "UPDATE lists SET rating = NULL, deviation = NULL WHERE rating IS NOT NULL")                  \
    X(SQL_PUT_CHALLENGE,                                                                                               \
      "INSERT INTO challenges(game, id, token_hash, created_ms, expires_ms, match, places, taken, status) "            \
      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT(id) DO UPDATE SET token_hash = "                         \
      "excluded.token_hash, created_ms = excluded.created_ms, expires_ms = excluded.expires_ms, match = "              \
      "excluded.match, places = excluded.places, taken = excluded.taken, status = excluded.status, game = "            \
      "excluded.game RETURNING row")                                                                                   \
    X(SQL_CLEAR_PLACES, "DELETE FROM places WHERE challenge = ?1")                                                     \
    X(SQL_ADD_PLACE, "INSERT INTO places(challenge, place, agent) VALUES(?1, ?2, ?3)")

enum sql {
#define SQL_AS_ENUM(name, text) name,
    SQL_READS(SQL_AS_ENUM) SQL_READS_END,
    SQL_WRITES(SQL_AS_ENUM) SQL_COUNT
#undef SQL_AS_ENUM
};
