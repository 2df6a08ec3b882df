// Every prepared statement, by name: those of the writer's connection and those of the readers'. Parameters and results
// are binary. All numbers are bigint, so that one encoding is enough.
#pragma once

// clang-format off
#define PG_AGENT "SELECT " \
    "id, public_no, key_hash, claim_hash, verify_hash, created_ms, renamed_ms, verify_until_ms, " \
    "max_games_per_day, max_games_per_hour, cooldown_seconds, max_concurrent, kind, has_key, claimed, " \
    "disabled, auto_requeue, auto_confirm, client_kind, runtime_type, device_id, instance, " \
    "bridge_version, terms_version, privacy_version, standby, games, bot_url, owner, name, model, " \
    "description, day_ceiling, hour_ceiling, cooldown_floor, concurrent_ceiling, origin, lineage, " \
    "entropy " \
    "FROM agents "
// A finished match. Who has received game_over is in the table of seats, which changes; everything else is in the
// record.
#define PG_MATCH "SELECT x.game::bigint, x.unreported::bigint, x.record, coalesce((SELECT sum((1 << s.seat)::bigint) " \
    "FROM seats s WHERE s.match = x.match AND s.finished = x.finished AND s.delivered), 0)::bigint "
// Lists do not say to whom game_over was delivered: that would be a second read for each match.
#define PG_LISTED "SELECT x.game::bigint, x.unreported::bigint, x.record, 0::bigint "
#define PG_RUNNING PG_LISTED
// A running match, its host, and whether only house players play it.
#define PG_ELSEWHERE "SELECT x.host, coalesce(n.name, ''), coalesce(n.address, ''), NOT EXISTS (SELECT FROM running_seats y JOIN " \
    "agents a ON a.row = y.agent WHERE y.match = x.match AND a.kind <> 1), x.game::bigint, x.unreported::bigint, x.record "
#define PG_CHALLENGE "SELECT c.game::bigint, c.id, c.token_hash, c.created_ms, c.expires_ms, c.match, c.places, c.taken, " \
    "c.status, (SELECT string_agg(uuid_send(a.id), ''::bytea ORDER BY p.place) FROM places p JOIN agents a " \
    "ON a.row = p.agent WHERE p.challenge = c.row) FROM challenges c "
#define PG_ENTRY "SELECT place, kind, number, at_ms, body, link FROM commitments "

#define PG_WRITES(X) \
    X(PG_FENCE, "SELECT fence($1, $2, $3, $4, $5)") \
    X(PG_LOCK_AGENTS, "SELECT lock_agents($1)") \
    X(PG_TAKE_ROWS, "SELECT take_rows($1)") \
    X(PG_ADD_PIECES, "INSERT INTO pieces SELECT u.*, $5::bigint::int, $6::bigint FROM unnest($1::bigint[], $2::int[], $3::bigint[], " \
    "$4::bytea[]) u") \
    X(PG_FORGET_PIECES, "DELETE FROM pieces WHERE match = $1 AND NOT EXISTS (SELECT FROM running WHERE match = $1)") \
    X(PG_ADD_GAME, "INSERT INTO games VALUES($1::bigint, $2) ON CONFLICT DO NOTHING") \
    X(PG_MAKE_AGENT, "SELECT make_agent($1)") \
    X(PG_SET_AGENT, "UPDATE agents SET " \
    "public_no = $2, key_hash = $3, claim_hash = $4, verify_hash = $5, created_ms = $6, renamed_ms = $7, " \
    "verify_until_ms = $8, max_games_per_day = $9, max_games_per_hour = $10, cooldown_seconds = $11, " \
    "max_concurrent = $12, kind = $13, has_key = $14, claimed = $15, disabled = $16, auto_requeue = $17, " \
    "auto_confirm = $18, client_kind = $19, runtime_type = $20, device_id = $21, instance = $22, " \
    "bridge_version = $23, terms_version = $24, privacy_version = $25, standby = $26, games = $27, " \
    "bot_url = $28, owner = $29, name = $30, model = $31, description = $32, day_ceiling = $33, " \
    "hour_ceiling = $34, cooldown_floor = $35, concurrent_ceiling = $36, origin = $37, lineage = $38, " \
    "entropy = $39 " \
    "WHERE id = $1") \
    X(PG_CHANGE_AGENT, "UPDATE agents SET " \
    "public_no = CASE WHEN ($40::bigint >> 1) & 1 = 1 THEN $2 ELSE public_no END, " \
    "key_hash = CASE WHEN ($40::bigint >> 2) & 1 = 1 THEN $3 ELSE key_hash END, " \
    "claim_hash = CASE WHEN ($40::bigint >> 3) & 1 = 1 THEN $4 ELSE claim_hash END, " \
    "verify_hash = CASE WHEN ($40::bigint >> 4) & 1 = 1 THEN $5 ELSE verify_hash END, " \
    "created_ms = CASE WHEN ($40::bigint >> 5) & 1 = 1 THEN $6 ELSE created_ms END, " \
    "renamed_ms = CASE WHEN ($40::bigint >> 6) & 1 = 1 THEN $7 ELSE renamed_ms END, " \
    "verify_until_ms = CASE WHEN ($40::bigint >> 7) & 1 = 1 THEN $8 ELSE verify_until_ms END, " \
    "max_games_per_day = CASE WHEN ($40::bigint >> 8) & 1 = 1 THEN $9 ELSE max_games_per_day END, " \
    "max_games_per_hour = CASE WHEN ($40::bigint >> 9) & 1 = 1 THEN $10 ELSE max_games_per_hour END, " \
    "cooldown_seconds = CASE WHEN ($40::bigint >> 10) & 1 = 1 THEN $11 ELSE cooldown_seconds END, " \
    "max_concurrent = CASE WHEN ($40::bigint >> 11) & 1 = 1 THEN $12 ELSE max_concurrent END, " \
    "kind = CASE WHEN ($40::bigint >> 12) & 1 = 1 THEN $13 ELSE kind END, " \
    "has_key = CASE WHEN ($40::bigint >> 13) & 1 = 1 THEN $14 ELSE has_key END, " \
    "claimed = CASE WHEN ($40::bigint >> 14) & 1 = 1 THEN $15 ELSE claimed END, " \
    "disabled = CASE WHEN ($40::bigint >> 15) & 1 = 1 THEN $16 ELSE disabled END, " \
    "auto_requeue = CASE WHEN ($40::bigint >> 16) & 1 = 1 THEN $17 ELSE auto_requeue END, " \
    "auto_confirm = CASE WHEN ($40::bigint >> 17) & 1 = 1 THEN $18 ELSE auto_confirm END, " \
    "client_kind = CASE WHEN ($40::bigint >> 18) & 1 = 1 THEN $19 ELSE client_kind END, " \
    "runtime_type = CASE WHEN ($40::bigint >> 19) & 1 = 1 THEN $20 ELSE runtime_type END, " \
    "device_id = CASE WHEN ($40::bigint >> 20) & 1 = 1 THEN $21 ELSE device_id END, " \
    "instance = CASE WHEN ($40::bigint >> 21) & 1 = 1 THEN $22 ELSE instance END, " \
    "bridge_version = CASE WHEN ($40::bigint >> 22) & 1 = 1 THEN $23 ELSE bridge_version END, " \
    "terms_version = CASE WHEN ($40::bigint >> 23) & 1 = 1 THEN $24 ELSE terms_version END, " \
    "privacy_version = CASE WHEN ($40::bigint >> 24) & 1 = 1 THEN $25 ELSE privacy_version END, " \
    "standby = CASE WHEN ($40::bigint >> 25) & 1 = 1 THEN $26 ELSE standby END, " \
    "games = CASE WHEN ($40::bigint >> 26) & 1 = 1 THEN $27 ELSE games END, " \
    "bot_url = CASE WHEN ($40::bigint >> 27) & 1 = 1 THEN $28 ELSE bot_url END, " \
    "owner = CASE WHEN ($40::bigint >> 28) & 1 = 1 THEN $29 ELSE owner END, " \
    "name = CASE WHEN ($40::bigint >> 29) & 1 = 1 THEN $30 ELSE name END, " \
    "model = CASE WHEN ($40::bigint >> 30) & 1 = 1 THEN $31 ELSE model END, " \
    "description = CASE WHEN ($40::bigint >> 31) & 1 = 1 THEN $32 ELSE description END, " \
    "day_ceiling = CASE WHEN ($40::bigint >> 32) & 1 = 1 THEN $33 ELSE day_ceiling END, " \
    "hour_ceiling = CASE WHEN ($40::bigint >> 33) & 1 = 1 THEN $34 ELSE hour_ceiling END, " \
    "cooldown_floor = CASE WHEN ($40::bigint >> 34) & 1 = 1 THEN $35 ELSE cooldown_floor END, " \
    "concurrent_ceiling = CASE WHEN ($40::bigint >> 35) & 1 = 1 THEN $36 ELSE concurrent_ceiling END, " \
    "origin = CASE WHEN ($40::bigint >> 36) & 1 = 1 THEN $37 ELSE origin END, " \
    "lineage = CASE WHEN ($40::bigint >> 37) & 1 = 1 THEN $38 ELSE lineage END, " \
    "entropy = CASE WHEN ($40::bigint >> 38) & 1 = 1 THEN $39 ELSE entropy END " \
    "WHERE id = $1") \
    X(PG_REVOKE_PAIRINGS, "UPDATE pairings SET revoked = true WHERE agent = agent_row($1) AND NOT revoked") \
    X(PG_PUT_PAIRING, "INSERT INTO pairings(code_hash, expires_ms, used, revoked, runtime_type, agent) VALUES($1, $2, " \
    "$3, $4, $5, agent_row($6)) ON CONFLICT(code_hash) DO UPDATE SET expires_ms = excluded.expires_ms, used = " \
    "excluded.used, revoked = excluded.revoked, runtime_type = excluded.runtime_type, agent = excluded.agent") \
    X(PG_TELL_LOAD, "SELECT tell_load($1, $2, $3, $4)") \
    X(PG_USE_PAIRING, "UPDATE pairings SET used = true WHERE code_hash = $1") \
    X(PG_BEGIN_MATCHES, "SELECT begin_matches($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)") \
    X(PG_END_MATCHES, "SELECT end_matches($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, " \
    "$16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30)") \
    X(PG_MARK_UNREPORTED, "UPDATE running SET unreported = $2::bigint WHERE match = $1") \
    X(PG_MARK_DELIVERED, "UPDATE seats s SET delivered = true FROM matches m WHERE m.id = $1 AND s.match = m.match AND " \
    "s.finished = m.finished AND s.seat = $2::bigint") \
    X(PG_PUT_CHALLENGE, "INSERT INTO challenges(game, id, token_hash, created_ms, expires_ms, match, places, taken, " \
    "status) VALUES($1::bigint, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT(id) DO UPDATE SET token_hash = " \
    "excluded.token_hash, created_ms = excluded.created_ms, expires_ms = excluded.expires_ms, match = excluded.match, " \
    "places = excluded.places, taken = excluded.taken, status = excluded.status, game = excluded.game") \
    X(PG_CLEAR_PLACES, "DELETE FROM places WHERE challenge = (SELECT row FROM challenges WHERE id = $1)") \
    X(PG_ADD_PLACES, "INSERT INTO places SELECT c.row, u.i - 1, agent_row(u.a) FROM challenges c, unnest($2::uuid[]) " \
    "WITH ORDINALITY u(a, i) WHERE c.id = $1") \
    X(PG_ADD_ENTRY, "INSERT INTO commitments(place, kind, number, at_ms, body, link) VALUES($1, $2, $3, $4, $5, $6)") \
    X(PG_ADD_ENTRIES, "SELECT link_entries($1, $2, $3, $4, $5)") \
    X(PG_ADD_DEAL_EPOCH, "INSERT INTO deal_epochs(first, id, secret, node) VALUES($1, $2, $3, $4)") \
    X(PG_END_DEAL_EPOCH, "UPDATE deal_epochs SET ended = true WHERE first = $1") \
    X(PG_NOTE_CHANGE, "INSERT INTO changes(kind, about, epoch) VALUES(1, agent_row($1), $2)") \
    X(PG_MARK_ADOPTED, "UPDATE running SET adopted = true, handover = NULL WHERE match = $1 AND host = $2") \
    X(PG_MARK_DROPPED, "SELECT drop_seat($1, $2)") \
    X(PG_HAND_OVER, "UPDATE running SET host = CASE WHEN EXISTS (SELECT FROM nodes WHERE epoch = $2) THEN $2 ELSE host END, " \
    "adopted = false, wanted = NULL, handover = $4 WHERE match = $1 AND host = $3") \
    X(PG_KEEP_MATCH, "UPDATE running SET wanted = NULL WHERE match = $1") \
    X(PG_GIVE_ROLE_UP, "UPDATE roles SET epoch = 0 WHERE role = $1 AND epoch = $2") \
    X(PG_DEPART, "DELETE FROM presence WHERE agent = (SELECT row FROM agents WHERE id = $1) AND conn = $2") \
    X(PG_ADD_COUNTS, "SELECT add_counts(agent_row($1), $2, $3, $4, $5, $6)") \
    X(PG_CLEAR_RATINGS, "DELETE FROM ratings") \
    X(PG_CLEAR_HISTORY, "UPDATE seats SET rating = NULL, deviation = NULL WHERE rating IS NOT NULL") \
    X(PG_CLEAR_COUNTERS, "DELETE FROM counters") \
    X(PG_PUT_RATING, "INSERT INTO ratings VALUES(agent_row($1), $2::bigint, $3, nextval('finish_nos'), " \
    "pg_current_xact_id(), $4) ON CONFLICT (agent, game) DO UPDATE SET version = excluded.version, finish_no = " \
    "excluded.finish_no, xid = excluded.xid, body = excluded.body") \
    X(PG_ADD_HISTORY, "UPDATE seats s SET rating = $3, deviation = $4 FROM matches m WHERE m.id = $2 AND s.match = " \
    "m.match AND s.finished = m.finished AND s.agent = agent_row($1)") \
    X(PG_PUT_TOURNAMENT_FILE, "SELECT put_tour_file($1, $2, $3, $4, $5)") \
    X(PG_DROP_TOURNAMENT_FILE, "SELECT drop_tour_file($1, $2)") \
    X(PG_SETTLE, "SELECT n.batch, x.id, x.over, EXISTS (SELECT FROM lives WHERE epoch = $1) FROM (SELECT max(batch) AS batch FROM " \
    "nodes WHERE epoch = $1 AND name = $3) n LEFT JOIN " \
    "(SELECT id, false AS over FROM running WHERE id = ANY($2) UNION ALL SELECT id, true FROM matches WHERE id = " \
    "ANY($2)) x ON true")
// Readers and `async` do not wait for the disk (link.c), except here: a crash could otherwise give to another node what this one still believes it has.
#define PG_DURABLY " FROM set_config('synchronous_commit', 'on', true)"

#define PG_READS(X) \
    X(PG_FIND_AGENT, PG_AGENT "WHERE id = $1") \
    X(PG_FIND_AGENT_BY_KEY, PG_AGENT "WHERE key_hash = $1 AND has_key") \
    X(PG_FIND_AGENT_BY_CLAIM, PG_AGENT "WHERE claim_hash = $1") \
    X(PG_FIND_AGENT_BY_VERIFY, PG_AGENT "WHERE verify_hash = $1") \
    X(PG_FIND_PUBLIC_NO, "SELECT 1 FROM agents WHERE public_no = $1") \
    X(PG_LIST_AGENTS, PG_AGENT "WHERE row > $2::bigint ORDER BY row LIMIT $1") \
    X(PG_LIST_AGENTS_OF_KIND, PG_AGENT "WHERE kind = $3 AND row >= nth_of_kind($3, $2) ORDER BY row LIMIT $1") \
    X(PG_GUESTS_FROM, "SELECT a.row, a.id, a.created_ms, a.disabled, coalesce((SELECT finished FROM seats WHERE agent = a.row AND " \
    "place IS NOT NULL ORDER BY place DESC LIMIT 1), 0)::bigint FROM agents a WHERE a.kind = 3 AND a.row > $1 ORDER BY a.row " \
    "LIMIT $2") \
    X(PG_COUNT_AGENTS, "SELECT CASE WHEN $1::bigint < 0 THEN (SELECT coalesce(max(row), 0) FROM agents) ELSE " \
    "(SELECT coalesce(sum(size), 0)::bigint FROM agent_blocks WHERE kind = $1) END") \
    X(PG_NAMES_OF, "SELECT id, name, model FROM agents WHERE id = ANY($1)") \
    X(PG_AGENTS_BY_NAME, "SELECT id, name, model, kind FROM agents WHERE lower(name COLLATE \"C\") COLLATE \"C\" >= " \
    "lower($1::text COLLATE \"C\") AND lower(name COLLATE \"C\") COLLATE \"C\" < lower($2::text COLLATE \"C\") AND claimed " \
    "AND NOT disabled ORDER BY lower(name COLLATE \"C\") COLLATE \"C\", row LIMIT $3 OFFSET $4") \
    X(PG_AGENTS_BY_AGE, "SELECT id, name, model, kind FROM agents WHERE claimed AND NOT disabled ORDER BY row DESC LIMIT " \
    "$1 OFFSET $2") \
    X(PG_FIND_PAIRING, "SELECT p.code_hash, p.expires_ms, p.used, p.revoked, p.runtime_type, a.id FROM pairings p JOIN " \
    "agents a ON a.row = p.agent WHERE p.code_hash = $1") \
    X(PG_RATINGS_OF, "SELECT game::bigint, version, body FROM ratings WHERE agent = (SELECT row FROM agents WHERE id = $1) " \
    "ORDER BY game") \
    X(PG_COUNTERS_OF, "SELECT game::bigint, matches, since_ms, n, of, squares FROM counters WHERE agent = (SELECT row FROM " \
    "agents WHERE id = $1) ORDER BY game") \
    X(PG_HISTORY_OF, "SELECT game::bigint, rating, finished, deviation FROM seats WHERE agent = (SELECT row FROM agents WHERE " \
    "id = $1) AND place IS NOT NULL AND rating IS NOT NULL ORDER BY place DESC LIMIT $2") \
    X(PG_RATED_MATCHES, "SELECT x.game::bigint, x.unreported::bigint, x.record, 0::bigint, y.seat::bigint, y.rating, " \
    "y.deviation, y.finished FROM (SELECT * FROM seats WHERE agent = (SELECT row FROM agents WHERE id = $1) AND place IS " \
    "NOT NULL AND rating IS NOT NULL AND ($2::bigint = 0 OR game = $2) ORDER BY place DESC LIMIT $3 OFFSET $4) y " \
    "JOIN matches x ON x.match = y.match AND x.finished = y.finished ORDER BY y.place DESC") \
    X(PG_FIND_MATCH, PG_RUNNING "FROM running x WHERE x.id = $1 UNION ALL " PG_MATCH "FROM matches x WHERE x.id = $1") \
    X(PG_FIND_REPLAY, PG_MATCH "FROM matches x WHERE x.replay = $1") \
    X(PG_FIND_SESSION, "SELECT x.game::bigint, x.unreported::bigint, x.record, 0::bigint, s.seat::bigint FROM " \
    "running_seats s JOIN running x ON x.match = s.match WHERE s.session = $1 UNION ALL SELECT x.game::bigint, " \
    "x.unreported::bigint, x.record, coalesce((SELECT sum((1 << y.seat)::bigint) FROM seats y WHERE y.match = x.match AND " \
    "y.finished = x.finished AND y.delivered), 0)::bigint, s.seat::bigint FROM seats s JOIN matches x ON x.match = " \
    "s.match AND x.finished = s.finished WHERE s.session = $1") \
    X(PG_LOG_OF, "SELECT m.match, l.bytes FROM matches m JOIN logs l ON l.match = m.match AND l.finished = m.finished " \
    "WHERE m.id = $1 UNION ALL SELECT r.match, coalesce(r.folded, ''::bytea) || coalesce((SELECT string_agg(p.body, " \
    "''::bytea ORDER BY p.number) FROM pieces p WHERE p.match = r.match AND p.number >= r.folded_to), ''::bytea) FROM " \
    "running r WHERE r.id = $1") \
    X(PG_LIST_RUNNING, "SELECT id, (SELECT count(*) FROM running) FROM running ORDER BY match LIMIT $1") \
    X(PG_LIST_OF_AGENT, PG_LISTED "FROM (SELECT match, finished, number FROM seats WHERE agent = $1 AND game = $2::bigint AND number " \
    "<= $3 AND number IS NOT NULL ORDER BY number DESC LIMIT $4) y JOIN matches x ON x.match = y.match AND x.finished = " \
    "y.finished ORDER BY y.number DESC") \
    X(PG_RECENT_OF_AGENT, PG_LISTED ", y.seat::bigint FROM (SELECT match, finished, place, seat FROM seats WHERE agent = $1 AND place <= $2 AND place IS NOT " \
    "NULL ORDER BY place DESC LIMIT $3) y JOIN matches x ON x.match = y.match AND x.finished = y.finished ORDER BY y.place DESC") \
    X(PG_LIST_SIZE, "SELECT a.row, coalesce((SELECT size FROM lists WHERE agent = a.row AND game = $2::bigint), 0) FROM agents a " \
    "WHERE a.id = $1") \
    X(PG_LIST_ALL, "SELECT total, game, unreported, record, 0::bigint FROM list_page($1, $2, $3)") \
    X(PG_LIST_ENDED, PG_LISTED ", x.finish_no FROM matches x WHERE x.listed AND x.finish_no > $1 ORDER BY x.finish_no LIMIT $2") \
    X(PG_LIST_UNDELIVERED, "SELECT m.id FROM seats s JOIN matches m ON m.match = s.match AND m.finished = s.finished WHERE " \
    "s.agent = (SELECT row FROM agents WHERE id = $1) AND NOT s.delivered AND s.finished >= $2 ORDER BY s.finished, " \
    "s.match LIMIT $3") \
    X(PG_LIST_STARTS, "SELECT at_ms FROM starts WHERE agent = (SELECT row FROM agents WHERE id = $1) AND at_ms > $2 ORDER BY " \
    "at_ms DESC LIMIT $3") \
    X(PG_VERSUS_IN, "SELECT a.id, a.name, v.game::bigint, v.games, v.wins, v.losses, v.draws FROM (SELECT * FROM versus WHERE " \
    "agent = (SELECT row FROM agents WHERE id = $1) AND game = $2::bigint ORDER BY games DESC, opponent LIMIT $3) v JOIN agents a " \
    "ON a.row = v.opponent ORDER BY v.games DESC, v.opponent") \
    X(PG_VERSUS, "SELECT a.id, a.name, v.game::bigint, v.games, v.wins, v.losses, v.draws FROM versus v JOIN agents a ON a.row = " \
    "v.opponent WHERE v.agent = (SELECT row FROM agents WHERE id = $1) ORDER BY v.games DESC, a.id LIMIT $2") \
    X(PG_FIND_CHALLENGE, PG_CHALLENGE "WHERE c.id = $1") \
    X(PG_FIND_CHALLENGE_BY_TOKEN, PG_CHALLENGE "WHERE c.token_hash = $1") \
    X(PG_LIST_CHALLENGES, PG_CHALLENGE "JOIN places q ON q.challenge = c.row WHERE q.agent = (SELECT row FROM agents WHERE " \
    "id = $1) ORDER BY c.row DESC LIMIT $2") \
    X(PG_LIST_OPEN_CHALLENGES, PG_CHALLENGE "WHERE c.status < 4 ORDER BY c.row LIMIT $1") \
    X(PG_LIST_ENTRIES, PG_ENTRY "WHERE place >= $1 ORDER BY place LIMIT $2") \
    X(PG_ENTRIES_OF, PG_ENTRY "WHERE kind IN (1, 2, 3) AND number = $1 ORDER BY kind") \
    X(PG_LAST_ENTRY, PG_ENTRY "ORDER BY place DESC LIMIT 1") \
    X(PG_LAST_NUMBER, "SELECT coalesce(max(number), 0) FROM commitments WHERE kind = $1") \
    X(PG_LAST_NUMBER_OF, "SELECT coalesce(max(number), 0) FROM commitments WHERE kind = $1 AND number >= $2 AND number < $3") \
    X(PG_LIST_EPOCHS, "SELECT first, id, secret, restored, node, ended FROM deal_epochs ORDER BY first LIMIT $2 OFFSET $1") \
    X(PG_LEFT_EPOCHS, "SELECT first, id, secret, restored, node, ended FROM deal_epochs d WHERE NOT ended AND (node <> 0 OR $2) " \
    "AND NOT EXISTS (SELECT FROM nodes n WHERE n.epoch = d.node) ORDER BY first LIMIT $1") \
    X(PG_LOOK, "SELECT n.epoch, name, address, program::bigint, state::bigint, has_bus, load::bigint, batch, alone, " \
    "(extract(epoch FROM clock_timestamp()) * 1000)::bigint, l.agents, l.queued, l.spectators FROM nodes n LEFT JOIN loads l " \
    "ON l.epoch = n.epoch ORDER BY n.epoch") \
    X(PG_ROLES, "SELECT role, epoch, term FROM roles ORDER BY role") \
    X(PG_TAKE_ROLE, "SELECT take_role($1, $2), $1::text" PG_DURABLY) \
    X(PG_TAKE_NODE, "SELECT take_node($1, $2, $3, $4)" PG_DURABLY) \
    X(PG_END_BACKEND, "SELECT end_backend($1)") \
    X(PG_SWEEP, "SELECT sweep($1)") \
    X(PG_GAMES_FROM, "SELECT row::bigint, name FROM games WHERE row > $1::bigint ORDER BY row") \
    X(PG_ADOPTABLE, "SELECT r.id, r.match, coalesce(p.next, r.folded_to)::bigint, coalesce(p.at_ms, r.folded_ms) FROM running r " \
    "LEFT JOIN LATERAL (SELECT number + 1 AS next, at_ms FROM pieces q WHERE q.match = r.match ORDER BY number DESC LIMIT 1) p " \
    "ON true WHERE r.host = $1 AND NOT r.adopted ORDER BY r.match LIMIT 1000") \
    X(PG_CHANGES, "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, c.kind::bigint, a.id, a.kind, coalesce(p.epoch, 0), coalesce(p.conn, 0) FROM " \
    "(SELECT 1) one LEFT JOIN (changes c JOIN agents a ON a.row = c.about LEFT JOIN presence p ON p.agent = c.about) ON " \
    "c.xid >= ($1::bigint)::text::xid8 AND c.xid < pg_snapshot_xmin(pg_current_snapshot()) AND c.epoch <> $2 ORDER BY c.no") \
    X(PG_RATING_NEWS, "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, r.game::bigint, a.id, r.body FROM " \
    "(SELECT 1) one LEFT JOIN (ratings r JOIN agents a ON a.row = r.agent) ON r.xid >= ($1::bigint)::text::xid8 AND r.xid < " \
    "pg_snapshot_xmin(pg_current_snapshot())") \
    X(PG_WANTED, "SELECT id, wanted FROM running WHERE host = $1 AND wanted IS NOT NULL AND adopted LIMIT 1000") \
    X(PG_COUNT_PLACES, "SELECT coalesce((SELECT active::bigint FROM agent_state WHERE agent = (SELECT row FROM agents WHERE id = " \
    "$1)), 0)") \
    X(PG_ARRIVE, "SELECT * FROM arrive($1, $2, $3, $4, $5)") \
    X(PG_FIND_PRESENCE, "SELECT p.epoch, p.conn, p.flags::bigint, p.instance FROM presence p JOIN agents a ON a.row = p.agent " \
    "WHERE a.id = $1") \
    X(PG_LIST_PRESENCE, "SELECT p.conn, a.id FROM presence p JOIN agents a ON a.row = p.agent WHERE p.epoch = $1 AND p.conn > $2 " \
    "ORDER BY p.conn LIMIT $3") \
    X(PG_FIND_HOST, "SELECT r.host, coalesce(n.name, ''), coalesce(n.address, '') FROM running r LEFT JOIN nodes n ON n.epoch = " \
    "r.host WHERE r.id = $1") \
    X(PG_TAKE_PAIRING, "SELECT take_pairing($1, $2)") \
    X(PG_TAKE_CALL, "SELECT take_call($1, $2, $3, $4)") \
    X(PG_ARE_PRESENT, "SELECT a.id FROM agents a JOIN presence p ON p.agent = a.row WHERE a.id = ANY($1)") \
    X(PG_FIND_LIVE, PG_ELSEWHERE "FROM running x LEFT JOIN nodes n ON n.epoch = x.host WHERE live_of(x.record) = $1") \
    X(PG_LIST_ELSEWHERE, PG_ELSEWHERE ", (SELECT count(*) FROM running WHERE host <> $1) FROM running x LEFT JOIN nodes n ON " \
    "n.epoch = x.host WHERE x.host <> $1 ORDER BY x.began DESC, x.match DESC LIMIT $2") \
    X(PG_LIST_PLAYED, PG_ELSEWHERE "FROM running_seats s JOIN running x ON x.match = s.match LEFT JOIN nodes n ON n.epoch = x.host " \
    "WHERE s.agent = (SELECT row FROM agents WHERE id = $1) AND s.counts AND x.host <> $2 ORDER BY x.match DESC LIMIT $3") \
    X(PG_FIND_HANDOVER, "SELECT coalesce(handover, ''::bytea) FROM running WHERE id = $1") \
    X(PG_MEMBERS, "SELECT n.epoch, n.name, n.address, n.program::bigint, n.state::bigint, n.has_bus, n.batch, (extract(epoch FROM " \
    "clock_timestamp() - n.renewed) * 1000)::bigint, (SELECT count(*) FROM running r WHERE r.host = n.epoch), (SELECT count(*) " \
    "FROM presence p WHERE p.epoch = n.epoch), l.queued, l.spectators FROM nodes n LEFT JOIN loads l ON l.epoch = n.epoch ORDER " \
    "BY n.epoch LIMIT 64") \
    X(PG_TAKEOVERS, "SELECT epoch, name, by, by_name, at_ms, silent_ms, matches FROM takeovers ORDER BY no DESC LIMIT 16") \
    X(PG_COUNTS, "SELECT (SELECT coalesce(max(row), 0) FROM agents), (SELECT coalesce(sum(ended), 0)::bigint FROM tallies " \
    "WHERE hour = -1), (SELECT count(*) FROM running), (SELECT coalesce(sum(actions), 0)::bigint FROM tallies WHERE hour = " \
    "-1), pg_database_size(current_database())") \
    X(PG_STANDBYS, "SELECT count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')), count(*) FILTER (WHERE sync_state IS NULL) " \
    "FROM pg_stat_replication") \
    X(PG_LIST_TOURNAMENTS, "SELECT id, changes, ended_ms > 0 FROM tours WHERE $1 OR ended_ms = 0 OR ended_ms > (extract(epoch FROM " \
    "clock_timestamp()) * 1000)::bigint - 60000 ORDER BY id LIMIT $2") \
    X(PG_READ_TOURNAMENT, "SELECT file, at, bytes FROM tour_files WHERE tour = $1 AND at < 0 ORDER BY file") \
    X(PG_READ_TOURNAMENT_FILE, "SELECT file, at, bytes FROM tour_files WHERE tour = $1 AND file = $2 AND at + length(bytes) > $3 AND " \
    "at < $4 ORDER BY at") \
    X(PG_REACH, "SELECT 1::bigint")
// clang-format on

enum pg_statement {
#define PG_AS_ENUM(name, text) name,
    PG_WRITES(PG_AS_ENUM) PG_WRITES_END,
    PG_READS(PG_AS_ENUM) PG_STATEMENTS
#undef PG_AS_ENUM
};
