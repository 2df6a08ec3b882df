// The schema of the database as a list of migrations, each one a step from the previous version. A released step is
// never changed; a later change is a new step at the end.
#include "store/internal.h"

// All other tables refer to agents and games by small numbers (row). Rows of agents and matches are never deleted, so
// their numbers have no gaps. What is looked up by agent is clustered by agent; what grows with every action is
// clustered by time, so that a commit touches few pages.
static const char *const first[] = {
    "CREATE TABLE games(row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",

    "CREATE TABLE agents(row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, public_no INTEGER UNIQUE,"
    " key_hash BLOB, claim_hash BLOB, verify_hash BLOB,"
    " created_ms INTEGER NOT NULL, renamed_ms INTEGER NOT NULL, verify_until_ms INTEGER NOT NULL,"
    " max_games_per_day INTEGER NOT NULL, max_games_per_hour INTEGER NOT NULL, cooldown_seconds INTEGER NOT NULL,"
    " max_concurrent INTEGER NOT NULL, kind INTEGER NOT NULL, has_key INTEGER NOT NULL, claimed INTEGER NOT NULL,"
    " disabled INTEGER NOT NULL, auto_requeue INTEGER NOT NULL, auto_confirm INTEGER NOT NULL,"
    " client_kind TEXT NOT NULL, runtime_type TEXT NOT NULL, device_id TEXT NOT NULL, instance TEXT NOT NULL,"
    " bridge_version TEXT NOT NULL, terms_version TEXT NOT NULL, privacy_version TEXT NOT NULL,"
    " standby TEXT NOT NULL, games TEXT NOT NULL, bot_url TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL,"
    " model TEXT NOT NULL, description TEXT NOT NULL) STRICT",
    "CREATE INDEX agents_by_kind ON agents(kind)",
    "CREATE INDEX agents_by_key ON agents(key_hash) WHERE key_hash IS NOT NULL",
    "CREATE INDEX agents_by_claim ON agents(claim_hash) WHERE claim_hash IS NOT NULL",
    "CREATE INDEX agents_by_verify ON agents(verify_hash) WHERE verify_hash IS NOT NULL",

    "CREATE TABLE pairings(code_hash BLOB PRIMARY KEY, agent INTEGER NOT NULL REFERENCES agents(row),"
    " expires_ms INTEGER NOT NULL, used INTEGER NOT NULL, revoked INTEGER NOT NULL, runtime_type TEXT NOT NULL)"
    " STRICT, WITHOUT ROWID",
    "CREATE INDEX pairings_open ON pairings(agent) WHERE revoked = 0",

    "CREATE TABLE matches(row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, replay BLOB, live BLOB, challenge BLOB,"
    " mode TEXT NOT NULL, key BLOB NOT NULL, commitment BLOB NOT NULL, created_ms INTEGER NOT NULL,"
    " started_ms INTEGER NOT NULL, finished_ms INTEGER NOT NULL, seats INTEGER NOT NULL, teams INTEGER NOT NULL,"
    " events INTEGER NOT NULL, status INTEGER NOT NULL, rated INTEGER NOT NULL, is_draw INTEGER NOT NULL,"
    " winner INTEGER NOT NULL, forfeited_by INTEGER NOT NULL, forfeit_reason INTEGER NOT NULL,"
    " game INTEGER NOT NULL) STRICT",
    "CREATE INDEX matches_by_replay ON matches(replay) WHERE replay IS NOT NULL",
    "CREATE INDEX matches_running ON matches(status) WHERE status = 0",

    "CREATE TABLE seats(match INTEGER NOT NULL, seat INTEGER NOT NULL, session BLOB, one_shot INTEGER NOT NULL,"
    " delivered INTEGER NOT NULL, dropped INTEGER NOT NULL, result INTEGER NOT NULL, name TEXT NOT NULL,"
    " payoff INTEGER NOT NULL, agent INTEGER NOT NULL, number INTEGER, PRIMARY KEY(match, seat)) STRICT, WITHOUT ROWID",
    "CREATE INDEX seats_by_session ON seats(session) WHERE session IS NOT NULL",

    // The logs of running matches, in order of arrival; of a finished match, all pieces in one blob.
    "CREATE TABLE pieces(id INTEGER PRIMARY KEY, match INTEGER NOT NULL, number INTEGER NOT NULL,"
    " at_ms INTEGER NOT NULL, log BLOB NOT NULL, note BLOB, sum INTEGER NOT NULL) STRICT",
    "CREATE TABLE logs(match INTEGER PRIMARY KEY, pieces INTEGER NOT NULL, bytes BLOB NOT NULL,"
    " sum INTEGER NOT NULL) STRICT",
    "CREATE TABLE totals(one INTEGER PRIMARY KEY CHECK (one = 1), actions INTEGER NOT NULL) STRICT",
    "INSERT INTO totals VALUES(1, 0)",

    // The n-th finished match of an agent (0: of all) in a game (0: in any). In an agent's list of all games, `rating`
    // is the rating after the match if it was rated: the agent's history.
    "CREATE TABLE lists(agent INTEGER NOT NULL, game INTEGER NOT NULL, number INTEGER NOT NULL,"
    " match INTEGER NOT NULL, rating REAL, PRIMARY KEY(agent, game, number)) STRICT, WITHOUT ROWID",
    "CREATE TABLE starts(agent INTEGER NOT NULL, at_ms INTEGER NOT NULL, match INTEGER NOT NULL,"
    " PRIMARY KEY(agent, at_ms, match)) STRICT, WITHOUT ROWID",
    "CREATE TABLE undelivered(agent INTEGER NOT NULL, at_ms INTEGER NOT NULL, match INTEGER NOT NULL,"
    " PRIMARY KEY(agent, at_ms, match)) STRICT, WITHOUT ROWID",

    // `display` is exact until `changes_ms` and too high afterwards (boards.c). Game 0 is all games: `display` is the
    // aggregate, and `rated_games` whether the agent is listed; it is stored beside the agent's other rows.
    "CREATE TABLE ratings(agent INTEGER NOT NULL, game INTEGER NOT NULL, agent_id BLOB NOT NULL,"
    " rating REAL NOT NULL, deviation REAL NOT NULL, volatility REAL NOT NULL, peak REAL NOT NULL,"
    " rated_ms INTEGER NOT NULL, played_ms INTEGER NOT NULL, games INTEGER NOT NULL, rated_games INTEGER NOT NULL,"
    " wins INTEGER NOT NULL, losses INTEGER NOT NULL, draws INTEGER NOT NULL, streak INTEGER NOT NULL,"
    " best_streak INTEGER NOT NULL, form TEXT NOT NULL, latency BLOB NOT NULL, display REAL NOT NULL,"
    " changes_ms INTEGER, PRIMARY KEY(agent, game)) STRICT, WITHOUT ROWID",
    "CREATE INDEX ratings_board ON ratings(game, display DESC, games DESC, agent_id, rated_games, changes_ms)",
    "CREATE INDEX ratings_due ON ratings(changes_ms) WHERE changes_ms IS NOT NULL AND game > 0",
    "CREATE TABLE standings(game INTEGER NOT NULL, rated INTEGER NOT NULL, agents INTEGER NOT NULL,"
    // Agents by rated games; dropped again below.
    " PRIMARY KEY(game, rated)) STRICT, WITHOUT ROWID",
    "CREATE TABLE versus(agent INTEGER NOT NULL, game INTEGER NOT NULL, opponent INTEGER NOT NULL,"
    " games INTEGER NOT NULL, wins INTEGER NOT NULL, losses INTEGER NOT NULL, draws INTEGER NOT NULL,"
    " PRIMARY KEY(agent, game, opponent)) STRICT, WITHOUT ROWID",
    "CREATE INDEX versus_often ON versus(agent, game, games DESC, opponent) WHERE games > 1", // most pairs meet once

    "CREATE TABLE challenges(row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, token_hash BLOB UNIQUE,"
    " created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL, match BLOB, places INTEGER NOT NULL,"
    " taken INTEGER NOT NULL, status INTEGER NOT NULL, game INTEGER NOT NULL) STRICT",
    "CREATE INDEX challenges_open ON challenges(status) WHERE status < 4",
    "CREATE TABLE places(challenge INTEGER NOT NULL REFERENCES challenges(row), place INTEGER NOT NULL,"
    " agent INTEGER NOT NULL REFERENCES agents(row), PRIMARY KEY(challenge, place)) STRICT, WITHOUT ROWID",
    "CREATE INDEX places_by_agent ON places(agent, challenge)",
    NULL,
};

// Boards are computed in memory, so ratings need no index; the columns that boards show come first.
static const char *const boards_in_memory[] = {
    "CREATE TABLE grades(agent INTEGER NOT NULL, game INTEGER NOT NULL, agent_id BLOB NOT NULL,"
    " rating REAL NOT NULL, deviation REAL NOT NULL, volatility REAL NOT NULL, rated_ms INTEGER NOT NULL,"
    " games INTEGER NOT NULL, rated_games INTEGER NOT NULL, wins INTEGER NOT NULL, losses INTEGER NOT NULL,"
    " draws INTEGER NOT NULL, form TEXT NOT NULL, peak REAL NOT NULL, played_ms INTEGER NOT NULL,"
    " streak INTEGER NOT NULL, best_streak INTEGER NOT NULL, latency BLOB NOT NULL, PRIMARY KEY(agent, game)) STRICT,"
    " WITHOUT ROWID",
    "INSERT INTO grades SELECT agent, game, agent_id, rating, deviation, volatility, rated_ms, games, rated_games,"
    " wins, losses, draws, form, peak, played_ms, streak, best_streak, latency FROM ratings WHERE game > 0"
    " ORDER BY agent, game",
    "DROP TABLE ratings",
    "ALTER TABLE grades RENAME TO ratings",
    "DROP TABLE standings",
    NULL,
};

// Bit set of the seats that have not received game_start.
static const char *const who_was_notified[] = {
    "ALTER TABLE matches ADD COLUMN untold INTEGER NOT NULL DEFAULT 0",
    NULL,
};

// Stores what a profile shows together, because it may have to be read from disk: a point of the history is in its row
// of the list, where `played` is the game; who played a match is in the match's row (players.c).
static const char *const profiles_lie_together[] = {
    "ALTER TABLE lists ADD COLUMN played INTEGER",
    "ALTER TABLE lists ADD COLUMN at_ms INTEGER",
    // Matches and seats in their order, then the lists in theirs, so that each page is read once.
    "INSERT INTO lists(agent, game, number, match, played, at_ms)"
    " SELECT s.agent, 0, s.number, m.row, m.game, m.finished_ms FROM matches m CROSS JOIN seats s ON s.match = m.row"
    " WHERE m.status = 1 AND s.number > 0 ORDER BY s.agent, s.number"
    " ON CONFLICT DO UPDATE SET played = excluded.played, at_ms = excluded.at_ms",
    "ALTER TABLE matches ADD COLUMN players TEXT",
    "ALTER TABLE matches ADD COLUMN outcome TEXT",
    "UPDATE matches SET (players, outcome) = (SELECT json_group_array(json_array(agent, name)),"
    " iif(status > 0, json_group_array(json_array(payoff, result)), NULL) FROM"
    " (SELECT agent, name, payoff, result FROM seats WHERE match = matches.row ORDER BY seat))",
    NULL,
};

// The operator's limits for an agent; its own policy may be stricter.
static const char *const ceilings_of_the_operator[] = {
    "ALTER TABLE agents ADD COLUMN day_ceiling INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE agents ADD COLUMN hour_ceiling INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE agents ADD COLUMN cooldown_floor INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE agents ADD COLUMN concurrent_ceiling INTEGER NOT NULL DEFAULT 0",
    NULL,
};

// Who registered an agent, as far as the server can see: agents of the same owner are not rated against each other
// (F7.2).
static const char *const origins_of_agents[] = {
    "ALTER TABLE agents ADD COLUMN origin TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE agents ADD COLUMN lineage BLOB",
    NULL,
};

// The list of commitments, append-only: a number is published, dealt and closed once each (docs/fairness.md). The
// master secrets of its epochs are in another table, so that no query of the list can reveal one.
static const char *const commitments[] = {
    "CREATE TABLE commitments(place INTEGER PRIMARY KEY, kind INTEGER NOT NULL, number INTEGER NOT NULL,"
    " at_ms INTEGER NOT NULL, body BLOB NOT NULL, link BLOB NOT NULL) STRICT",
    "CREATE UNIQUE INDEX commitments_by_number ON commitments(kind, number)",
    "CREATE TABLE epochs(first INTEGER PRIMARY KEY, id BLOB NOT NULL, secret BLOB NOT NULL,"
    " restored INTEGER NOT NULL DEFAULT 0) STRICT",
    "ALTER TABLE matches ADD COLUMN deal INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE agents ADD COLUMN entropy BLOB",
    NULL,
};

// How agents play, summed over the matches since this step (store/counters.c; earlier matches are counted when ratings
// are recomputed), and the deviation in the history of ratings.
static const char *const habits_of_agents[] = {
    "CREATE TABLE counters(agent INTEGER NOT NULL, game INTEGER NOT NULL, matches INTEGER NOT NULL,"
    " since_ms INTEGER NOT NULL, counts BLOB NOT NULL, PRIMARY KEY(agent, game)) STRICT, WITHOUT ROWID",
    "ALTER TABLE lists ADD COLUMN deviation REAL",
    "CREATE INDEX agents_by_name ON agents(name COLLATE NOCASE)",
    NULL,
};

// How much the winning chances moved: in total, and in the largest step.
static const char *const swings_of_matches[] = {
    "ALTER TABLE matches ADD COLUMN swing INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE matches ADD COLUMN largest_swing INTEGER NOT NULL DEFAULT 0",
    NULL,
};

const char *const *const store_migrations[] = {
    first,       boards_in_memory, who_was_notified, profiles_lie_together, ceilings_of_the_operator, origins_of_agents,
    commitments, habits_of_agents, swings_of_matches};
const int store_migration_count = sizeof store_migrations / sizeof *store_migrations;
