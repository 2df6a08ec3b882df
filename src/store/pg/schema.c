// What the database looks like: a list of migrations, each one a transaction (S36). A released step is never changed;
// what comes later is a new row at the end. Of a function the last one that has its name and parameters holds.
#include "store/pg/inside.h"

// clang-format off
static const char *const first[] = {
    // S36: the version of the schema, and the oldest program that may open it.
    "CREATE TABLE arena(one boolean PRIMARY KEY DEFAULT true CHECK (one), id uuid NOT NULL DEFAULT gen_random_uuid(),\n"
    "  schema int NOT NULL, oldest_reader int NOT NULL)",
    "CREATE SEQUENCE epochs",
    "CREATE SEQUENCE conns",
    "CREATE SEQUENCE row_blocks",
    "CREATE SEQUENCE finish_nos",

    // S10. One row for each life of a node. The epoch is the fencing token; the row is the lease.
    "CREATE TABLE nodes(epoch bigint PRIMARY KEY DEFAULT nextval('epochs'), name text NOT NULL, address text NOT NULL,\n"
    "  program int NOT NULL, rules int[] NOT NULL, state smallint NOT NULL DEFAULT 0, has_bus boolean NOT NULL DEFAULT false,\n"
    "  load int NOT NULL DEFAULT 0, backend int NOT NULL, batch bigint NOT NULL DEFAULT 0,\n"
    "  renewed timestamptz NOT NULL DEFAULT clock_timestamp()) WITH (fillfactor = 20)",
    "CREATE TABLE roles(role text PRIMARY KEY, epoch bigint NOT NULL, term bigint NOT NULL)",
    "CREATE TABLE presence(agent bigint PRIMARY KEY, epoch bigint NOT NULL, conn bigint NOT NULL, instance text NOT NULL,\n"
    "  flags int NOT NULL) WITH (fillfactor = 80)",
    "CREATE INDEX presence_of_node ON presence(epoch)",
    "CREATE TABLE agent_state(agent bigint PRIMARY KEY, active int NOT NULL DEFAULT 0, last_over bigint)\n"
    "  WITH (fillfactor = 80)",
    "CREATE TABLE changes(no bigserial PRIMARY KEY, xid xid8 NOT NULL DEFAULT pg_current_xact_id(), kind smallint NOT NULL,\n"
    "  about bigint NOT NULL)",

    "CREATE TABLE games(row smallint PRIMARY KEY, name text NOT NULL UNIQUE)",
    "CREATE TABLE agents(row bigint PRIMARY KEY, id uuid NOT NULL UNIQUE, public_no bigint UNIQUE,\n"
    "  key_hash bytea, claim_hash bytea, verify_hash bytea, created_ms bigint NOT NULL DEFAULT 0,\n"
    "  renamed_ms bigint NOT NULL DEFAULT 0, verify_until_ms bigint NOT NULL DEFAULT 0,\n"
    "  max_games_per_day bigint NOT NULL DEFAULT 0, max_games_per_hour bigint NOT NULL DEFAULT 0,\n"
    "  cooldown_seconds bigint NOT NULL DEFAULT 0, max_concurrent bigint NOT NULL DEFAULT 0, kind bigint NOT NULL DEFAULT 0,\n"
    "  has_key boolean NOT NULL DEFAULT false, claimed boolean NOT NULL DEFAULT false,\n"
    "  disabled boolean NOT NULL DEFAULT false, auto_requeue boolean NOT NULL DEFAULT false,\n"
    "  auto_confirm boolean NOT NULL DEFAULT false, client_kind text NOT NULL DEFAULT '',\n"
    "  runtime_type text NOT NULL DEFAULT '', device_id text NOT NULL DEFAULT '', instance text NOT NULL DEFAULT '',\n"
    "  bridge_version text NOT NULL DEFAULT '', terms_version text NOT NULL DEFAULT '',\n"
    "  privacy_version text NOT NULL DEFAULT '', standby text NOT NULL DEFAULT '', games text NOT NULL DEFAULT '',\n"
    "  bot_url text NOT NULL DEFAULT '', owner text NOT NULL DEFAULT '', name text NOT NULL DEFAULT '',\n"
    "  model text NOT NULL DEFAULT '', description text NOT NULL DEFAULT '', day_ceiling bigint NOT NULL DEFAULT 0,\n"
    "  hour_ceiling bigint NOT NULL DEFAULT 0, cooldown_floor bigint NOT NULL DEFAULT 0,\n"
    "  concurrent_ceiling bigint NOT NULL DEFAULT 0, origin text NOT NULL DEFAULT '', lineage uuid, entropy bytea)",
    "CREATE INDEX agents_by_key ON agents(key_hash) WHERE key_hash IS NOT NULL",
    "CREATE INDEX agents_by_claim ON agents(claim_hash) WHERE claim_hash IS NOT NULL",
    "CREATE INDEX agents_by_verify ON agents(verify_hash) WHERE verify_hash IS NOT NULL",
    "CREATE INDEX agents_by_kind ON agents(kind, row)",
    "CREATE INDEX agents_by_name ON agents((lower(name COLLATE \"C\")) COLLATE \"C\", row)",
    "CREATE TABLE pairings(code_hash bytea PRIMARY KEY, agent bigint NOT NULL REFERENCES agents(row),\n"
    "  expires_ms bigint NOT NULL, used boolean NOT NULL, revoked boolean NOT NULL, runtime_type text NOT NULL)",
    "CREATE INDEX pairings_open ON pairings(agent) WHERE NOT revoked",

    // Running matches: small, hot, gone at the end.
    "CREATE TABLE running(match bigint PRIMARY KEY, id uuid NOT NULL UNIQUE, host bigint NOT NULL, rules int NOT NULL,\n"
    "  game smallint NOT NULL, began bigint NOT NULL, record bytea NOT NULL, unreported int NOT NULL, folded bytea,\n"
    "  folded_to int NOT NULL DEFAULT 0, folded_ms bigint NOT NULL DEFAULT 0, handover bytea) WITH (fillfactor = 70)",
    "CREATE INDEX running_of_host ON running(host)",
    "CREATE TABLE running_seats(match bigint NOT NULL, seat smallint NOT NULL, agent bigint NOT NULL, session uuid,\n"
    "  PRIMARY KEY(match, seat))",
    "CREATE INDEX running_seats_of_agent ON running_seats(agent)",
    "CREATE INDEX running_seats_by_session ON running_seats(session)",
    // S31: partitions are dropped whole. The default one takes what is added to matches that were folded.
    "CREATE TABLE pieces(match bigint NOT NULL, number int NOT NULL, at_ms bigint NOT NULL, body bytea NOT NULL,\n"
    "  PRIMARY KEY(match, number)) PARTITION BY RANGE (match)",
    "CREATE TABLE pieces_rest PARTITION OF pieces DEFAULT",

    // What is over: written once, by month (S32). The default partitions take what no month was made for.
    "CREATE TABLE matches(match bigint NOT NULL, finished bigint NOT NULL, id uuid NOT NULL, replay uuid,\n"
    "  game smallint NOT NULL, finish_no bigint NOT NULL, listed boolean NOT NULL, unreported int NOT NULL,\n"
    "  record bytea NOT NULL, PRIMARY KEY(match, finished)) PARTITION BY RANGE (finished)",
    "CREATE TABLE matches_rest PARTITION OF matches DEFAULT",
    "CREATE INDEX ON matches(id)",
    "CREATE INDEX ON matches(replay) WHERE replay IS NOT NULL",
    "CREATE INDEX ON matches(game, finished DESC, finish_no DESC) WHERE listed",
    "CREATE INDEX ON matches(finished DESC, finish_no DESC) WHERE listed",
    "CREATE INDEX ON matches(finish_no)",
    // S34, S35: `number` counts the agent's matches of the game, `place` those of all games.
    "CREATE TABLE seats(match bigint NOT NULL, seat smallint NOT NULL, finished bigint NOT NULL, agent bigint NOT NULL,\n"
    "  game smallint NOT NULL, number bigint, place bigint, session uuid, result smallint NOT NULL, rating float8,\n"
    "  deviation float8, delivered boolean NOT NULL, PRIMARY KEY(match, seat, finished)) PARTITION BY RANGE (finished)",
    "CREATE TABLE seats_rest PARTITION OF seats DEFAULT",
    "CREATE INDEX ON seats(agent, place DESC) INCLUDE (match, finished, game, seat, rating, deviation)\n"
    "  WHERE place IS NOT NULL",
    "CREATE INDEX ON seats(agent, game, number DESC) INCLUDE (match, finished) WHERE number IS NOT NULL",
    "CREATE INDEX ON seats(session) WHERE session IS NOT NULL",
    "CREATE INDEX ON seats(agent, finished, match) WHERE NOT delivered",
    "CREATE TABLE logs(match bigint NOT NULL, finished bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY(match, finished))\n"
    "  PARTITION BY RANGE (finished)",
    "ALTER TABLE logs ALTER bytes SET STORAGE EXTERNAL",
    "CREATE TABLE logs_rest PARTITION OF logs DEFAULT",
    // How long an agent's lists are (game 0: all games), and how many matches ended by hour and by day (hour -1), a row for
    // each node, so that nobody waits for a row.
    "CREATE TABLE lists(agent bigint NOT NULL, game smallint NOT NULL, size bigint NOT NULL, PRIMARY KEY(agent, game))\n"
    "  WITH (fillfactor = 80)",
    "CREATE TABLE tallies(day int NOT NULL, hour smallint NOT NULL, game smallint NOT NULL, epoch bigint NOT NULL,\n"
    "  listed bigint NOT NULL, ended bigint NOT NULL, actions bigint NOT NULL, PRIMARY KEY(hour, day, game, epoch))\n"
    "  WITH (fillfactor = 60)",
    "CREATE TABLE starts(agent bigint NOT NULL, at_ms bigint NOT NULL, match bigint NOT NULL,\n"
    "  PRIMARY KEY(agent, at_ms, match))",
    "CREATE TABLE ratings(agent bigint NOT NULL, game smallint NOT NULL, version bigint NOT NULL, finish_no bigint NOT NULL,\n"
    "  xid xid8 NOT NULL, body bytea NOT NULL, PRIMARY KEY(agent, game)) WITH (fillfactor = 60)",
    "CREATE INDEX ratings_news ON ratings(xid)",
    "CREATE TABLE versus(agent bigint NOT NULL, game smallint NOT NULL, opponent bigint NOT NULL, games bigint NOT NULL,\n"
    "  wins bigint NOT NULL, losses bigint NOT NULL, draws bigint NOT NULL, PRIMARY KEY(agent, game, opponent))",
    "CREATE INDEX versus_often ON versus(agent, game, games DESC, opponent)",
    "CREATE TABLE counters(agent bigint NOT NULL, game smallint NOT NULL, matches bigint NOT NULL, since_ms bigint NOT NULL,\n"
    "  n bigint[] NOT NULL, of bigint[] NOT NULL, squares float8[] NOT NULL, PRIMARY KEY(agent, game))",
    "CREATE TABLE challenges(row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, game smallint NOT NULL,\n"
    "  id uuid NOT NULL UNIQUE, token_hash bytea UNIQUE, created_ms bigint NOT NULL, expires_ms bigint NOT NULL, match uuid,\n"
    "  places bigint NOT NULL, taken bigint NOT NULL, status bigint NOT NULL)",
    "CREATE INDEX challenges_open ON challenges(row) WHERE status < 4",
    "CREATE TABLE places(challenge bigint NOT NULL REFERENCES challenges(row), place smallint NOT NULL,\n"
    "  agent bigint NOT NULL REFERENCES agents(row), PRIMARY KEY(challenge, place))",
    "CREATE INDEX places_by_agent ON places(agent, challenge)",
    "CREATE TABLE commitments(place bigint PRIMARY KEY, kind bigint NOT NULL, number bigint NOT NULL, at_ms bigint NOT NULL,\n"
    "  body bytea NOT NULL, link bytea NOT NULL)",
    "CREATE UNIQUE INDEX commitments_by_number ON commitments(kind, number)",
    "CREATE TABLE deal_epochs(first bigint PRIMARY KEY, id bytea NOT NULL, secret bytea NOT NULL,\n"
    "  restored boolean NOT NULL DEFAULT false)",

    // S11. First statement of every batch of a node.
    "CREATE FUNCTION fence(e bigint, b bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "  UPDATE nodes SET batch = b, renewed = clock_timestamp(), backend = pg_backend_pid() WHERE epoch = e AND batch = b - 1;\n"
    "  IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'AG001'; END IF;\n"
    "END $$",

    // S13. 1: taken; 0: it moved meanwhile, or somebody else took it.
    "CREATE FUNCTION take_over(dead bigint, seen bigint, targets bigint[]) RETURNS int LANGUAGE plpgsql AS $$\n"
    "DECLARE k int := coalesce(array_length(targets, 1), 0); BEGIN\n"
    "  DELETE FROM nodes WHERE epoch = dead AND batch = seen;\n"
    "  IF NOT FOUND THEN RETURN 0; END IF;\n"
    "  UPDATE running SET host = targets[1 + match % k] WHERE host = dead;\n"
    "  DELETE FROM presence WHERE epoch = dead;\n"
    "  RETURN 1;\n"
    "END $$",

    // A role belongs to whoever took it from an epoch that is no more.
    "CREATE FUNCTION take_role(r text, me bigint) RETURNS bigint LANGUAGE sql AS $$\n"
    "  INSERT INTO roles AS x VALUES(r, me, 1) ON CONFLICT (role) DO UPDATE SET epoch = me, term = x.term + 1\n"
    "  WHERE NOT EXISTS (SELECT FROM nodes WHERE epoch = x.epoch) RETURNING term $$",

    // Rows of agents have no gaps: a list of them goes by row.
    "CREATE FUNCTION make_agent(who uuid) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "  IF EXISTS (SELECT FROM agents WHERE id = who) THEN RETURN; END IF;\n"
    "  PERFORM pg_advisory_xact_lock(7311, 1);\n"
    "  INSERT INTO agents(row, id) SELECT coalesce(max(row), 0) + 1, who FROM agents;\n"
    "END $$",

    "CREATE FUNCTION agent_row(who uuid) RETURNS bigint LANGUAGE plpgsql STABLE AS $$\n"
    "DECLARE r bigint; BEGIN\n"
    "  SELECT row INTO r FROM agents WHERE id = who;\n"
    "  IF NOT FOUND THEN RAISE EXCEPTION 'unknown agent %', who; END IF;\n"
    "  RETURN r;\n"
    "END $$",

    // S42. All agents of a batch's begins and ends, locked in one order before anything else.
    "CREATE FUNCTION lock_agents(who uuid[]) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "  INSERT INTO agent_state(agent) SELECT DISTINCT row FROM agents WHERE id = ANY(who) ORDER BY row ON CONFLICT DO NOTHING;\n"
    "  PERFORM 1 FROM agent_state WHERE agent IN (SELECT row FROM agents WHERE id = ANY(who)) ORDER BY agent FOR UPDATE;\n"
    "END $$",

    // S31. The next thousand rows for matches; partitions for their pieces are made, and old ones dropped. Matches that are
    // older than 200,000 rows are folded first: what they add goes to the default partition from then on.
    "CREATE FUNCTION take_rows(me bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE b bigint := nextval('row_blocks') * 1000; k bigint := b / 100000; old bigint := (k - 2) * 100000; t text; BEGIN\n"
    "  FOR i IN k .. k + 1 LOOP\n"
    "    IF to_regclass('pieces_' || i) IS NULL THEN\n"
    "      EXECUTE format('CREATE TABLE pieces_%s PARTITION OF pieces FOR VALUES FROM (%s) TO (%s)', i, i * 100000,\n"
    "        (i + 1) * 100000);\n"
    "      UPDATE running r SET folded = coalesce(folded, '') || p.body, folded_to = p.next, folded_ms = p.at_ms\n"
    "        FROM (SELECT q.match, string_agg(q.body, ''::bytea ORDER BY q.number) AS body, max(q.number) + 1 AS next,\n"
    "              (array_agg(q.at_ms ORDER BY q.number DESC))[1] AS at_ms\n"
    "              FROM pieces q JOIN running s ON s.match = q.match AND q.number >= s.folded_to\n"
    "              WHERE s.match < old GROUP BY q.match) p WHERE r.match = p.match;\n"
    "      FOR t IN SELECT c.relname FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid\n"
    "          WHERE h.inhparent = 'pieces'::regclass AND c.relname ~ '^pieces_[0-9]+$'\n"
    "          AND (substr(c.relname, 8)::bigint + 1) * 100000 <= old LOOP\n"
    "        EXECUTE 'DROP TABLE ' || t;\n"
    "      END LOOP;\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "  PERFORM make_month((extract(epoch FROM clock_timestamp()) * 1000)::bigint + 32 * 86400000::bigint);\n"
    "  RETURN b;\n"
    "END $$",

    // S32. The partitions of a month, named by any of its milliseconds.
    "CREATE FUNCTION make_month(ms bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE m timestamp := date_trunc('month', to_timestamp(ms / 1000) AT TIME ZONE 'UTC');\n"
    "  lo bigint := extract(epoch FROM m) * 1000; hi bigint := extract(epoch FROM m + interval '1 month') * 1000; t text; BEGIN\n"
    "  FOREACH t IN ARRAY ARRAY['matches', 'seats', 'logs'] LOOP\n"
    "    IF to_regclass(t || to_char(m, '_YYYY_MM')) IS NULL THEN\n"
    "      EXECUTE format('CREATE TABLE %s PARTITION OF %s FOR VALUES FROM (%s) TO (%s)', t || to_char(m, '_YYYY_MM'), t, lo,\n"
    "        hi);\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "  EXCEPTION WHEN check_violation THEN NULL; -- the default partition has rows of it, and keeps them\n"
    "END $$",

    // 0: begun; -3: it began before.
    "CREATE FUNCTION begin_match(me bigint, no bigint, m uuid, ru bigint, g bigint, at bigint, started bigint, untold bigint,\n"
    "  rec bytea, who uuid[], shot boolean[], sess uuid[]) RETURNS int LANGUAGE plpgsql AS $$\n"
    "DECLARE a bigint; BEGIN\n"
    "  IF EXISTS (SELECT FROM matches WHERE id = m) THEN RETURN -3; END IF;\n"
    "  INSERT INTO running(match, id, host, rules, game, began, record, unreported) VALUES(no, m, me, ru, g, at, rec, untold)\n"
    "    ON CONFLICT DO NOTHING;\n"
    "  IF NOT FOUND THEN RETURN -3; END IF;\n"
    "  FOR i IN 1 .. array_length(who, 1) LOOP\n"
    "    a := agent_row(who[i]);\n"
    "    UPDATE agent_state SET active = active + 1 WHERE agent = a;\n"
    "    INSERT INTO running_seats VALUES(no, i - 1, a, sess[i]);\n"
    "    IF NOT shot[i] THEN INSERT INTO starts VALUES(a, started, no) ON CONFLICT DO NOTHING; END IF;\n"
    "  END LOOP;\n"
    "  RETURN 0;\n"
    "END $$",

    "CREATE FUNCTION add_counts(a bigint, g bigint, at bigint, cn bigint[], cof bigint[], csq float8[]) RETURNS void\n"
    "  LANGUAGE sql AS $$\n"
    "  INSERT INTO counters AS c VALUES(a, g, 1, at, cn, cof, csq) ON CONFLICT (agent, game) DO UPDATE SET\n"
    "    matches = c.matches + 1,\n"
    "    n = ARRAY(SELECT coalesce(x, 0) + coalesce(y, 0) FROM unnest(c.n, excluded.n) WITH ORDINALITY u(x, y, i) ORDER BY i),\n"
    "    of = ARRAY(SELECT coalesce(x, 0) + coalesce(y, 0) FROM unnest(c.of, excluded.of) WITH ORDINALITY u(x, y, i)\n"
    "      ORDER BY i),\n"
    "    squares = ARRAY(SELECT coalesce(x, 0) + coalesce(y, 0) FROM unnest(c.squares, excluded.squares)\n"
    "      WITH ORDINALITY u(x, y, i) ORDER BY i) $$",

    "CREATE FUNCTION add_tally(d bigint, h bigint, g bigint, e bigint, l bigint, acts bigint) RETURNS void\n"
    "  LANGUAGE sql AS $$\n"
    "  INSERT INTO tallies AS t VALUES(d, h, g, e, l, 1, acts) ON CONFLICT (hour, day, game, epoch) DO UPDATE SET\n"
    "    listed = t.listed + excluded.listed, ended = t.ended + 1, actions = t.actions + excluded.actions $$",

    "CREATE FUNCTION add_to_list(a bigint, g bigint) RETURNS bigint LANGUAGE sql AS $$\n"
    "  INSERT INTO lists AS l VALUES(a, g, 1) ON CONFLICT (agent, game) DO UPDATE SET size = l.size + 1 RETURNING size $$",

    // S40, S41. 0: done; 1: ratings moved meanwhile, compute again; 2: not ours, or over before. By seat: who, sess, res,
    // deliv, and what they had to do with each other (va, vb: seats; vr: 1, 0, -1 for the first); by agent that is rated:
    // rwho, rver (the version it was computed from), rbody, rpoint and rdev (NULL: not rated); counts of all seats one after
    // the other (NULL: none).
    "CREATE FUNCTION finish_match(me bigint, no bigint, m uuid, rep uuid, g bigint, at bigint, counted boolean, acts bigint,\n"
    "  rec bytea, tail bytea, who uuid[], sess uuid[], res bigint[], deliv boolean[], rwho uuid[], rver bigint[], rbody bytea[],\n"
    "  rpoint float8[], rdev float8[], va bigint[], vb bigint[], vr bigint[], width bigint, cn bigint[], cof bigint[],\n"
    "  csq float8[]) RETURNS int LANGUAGE plpgsql AS $$\n"
    "DECLARE x running%ROWTYPE; a bigint; rows bigint[] := '{}'; rrows bigint[] := '{}'; v bigint; fn bigint; j int; w int; BEGIN\n"
    "  SELECT * INTO x FROM running WHERE match = no AND id = m AND host = me FOR UPDATE;\n"
    "  IF NOT FOUND THEN RETURN 2; END IF;\n"
    "  FOR i IN 1 .. coalesce(array_length(rwho, 1), 0) LOOP\n"
    "    a := agent_row(rwho[i]);\n"
    "    rrows := rrows || a;\n"
    "    v := NULL;\n"
    "    SELECT version INTO v FROM ratings WHERE agent = a AND game = g FOR UPDATE;\n"
    "    IF coalesce(v, 0) <> rver[i] THEN RETURN 1; END IF;\n"
    "  END LOOP;\n"
    "  fn := nextval('finish_nos');\n"
    "  FOR i IN 1 .. coalesce(array_length(rwho, 1), 0) LOOP\n"
    "    INSERT INTO ratings VALUES(rrows[i], g, rver[i] + 1, fn, pg_current_xact_id(), rbody[i])\n"
    "      ON CONFLICT (agent, game) DO UPDATE SET version = excluded.version, finish_no = fn, xid = excluded.xid,\n"
    "      body = excluded.body;\n"
    "  END LOOP;\n"
    "  INSERT INTO matches VALUES(no, at, m, rep, g, fn, counted, x.unreported, rec);\n"
    "  FOR i IN 1 .. array_length(who, 1) LOOP\n"
    "    a := agent_row(who[i]);\n"
    "    rows := rows || a;\n"
    "    j := array_position(rwho, who[i]);\n"
    "    INSERT INTO seats VALUES(no, i - 1, at, a, g, CASE WHEN counted THEN add_to_list(a, g) END,\n"
    "      CASE WHEN counted THEN add_to_list(a, 0) END, sess[i], res[i], rpoint[j], rdev[j], deliv[i]);\n"
    "    UPDATE agent_state SET active = active - 1, last_over = at WHERE agent = a;\n"
    "    IF cn IS NOT NULL THEN\n"
    "      w := (i - 1) * width;\n"
    "      PERFORM add_counts(a, g, at, cn[w + 1 : w + width], cof[w + 1 : w + width], csq[w + 1 : w + width]);\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "  FOR i IN 1 .. coalesce(array_length(va, 1), 0) LOOP\n"
    "    INSERT INTO versus AS t VALUES(rows[va[i] + 1], g, rows[vb[i] + 1], 1, (vr[i] > 0)::int, (vr[i] < 0)::int,\n"
    "      (vr[i] = 0)::int) ON CONFLICT (agent, game, opponent) DO UPDATE SET games = t.games + 1,\n"
    "      wins = t.wins + excluded.wins, losses = t.losses + excluded.losses, draws = t.draws + excluded.draws;\n"
    "  END LOOP;\n"
    "  INSERT INTO logs SELECT no, at, coalesce(x.folded, ''::bytea) || coalesce((SELECT string_agg(body, ''::bytea ORDER BY number)\n"
    "    FROM pieces WHERE match = no AND number >= x.folded_to), ''::bytea) || tail;\n"
    "  PERFORM add_tally(at / 86400000, -1, g, me, counted::int, acts);\n"
    "  PERFORM add_tally(at / 86400000, at / 3600000 % 24, g, me, counted::int, 0);\n"
    "  IF x.folded_to > 0 THEN DELETE FROM pieces WHERE match = no; END IF;\n"
    "  DELETE FROM running_seats WHERE match = no;\n"
    "  DELETE FROM running WHERE match = no;\n"
    "  RETURN 0;\n"
    "END $$",

    // S35. The newest finished matches from the skip-th on (game 0: of all games): the day, then the hour, then the rows.
    "CREATE FUNCTION page_of_all(g bigint, skip bigint, most bigint) RETURNS TABLE(match bigint, finished bigint)\n"
    "  LANGUAGE plpgsql STABLE AS $$\n"
    "DECLARE d int; h int; c bigint; s bigint := skip; top bigint; BEGIN\n"
    "  FOR d, c IN SELECT t.day, sum(t.listed) FROM tallies t WHERE t.hour = -1 AND (g = 0 OR t.game = g)\n"
    "      GROUP BY t.day ORDER BY t.day DESC LOOP\n"
    "    IF c > s THEN\n"
    "      FOR h, c IN SELECT t.hour, sum(t.listed) FROM tallies t WHERE t.hour >= 0 AND t.day = d AND (g = 0 OR t.game = g)\n"
    "          GROUP BY t.hour ORDER BY t.hour DESC LOOP\n"
    "        IF c > s THEN\n"
    "          top := d * 86400000::bigint + (h + 1) * 3600000::bigint;\n"
    "          IF g = 0 THEN\n"
    "            RETURN QUERY SELECT x.match, x.finished FROM matches x WHERE x.listed AND x.finished < top\n"
    "              ORDER BY x.finished DESC, x.finish_no DESC OFFSET s LIMIT most;\n"
    "          ELSE\n"
    "            RETURN QUERY SELECT x.match, x.finished FROM matches x WHERE x.listed AND x.game = g AND x.finished < top\n"
    "              ORDER BY x.finished DESC, x.finish_no DESC OFFSET s LIMIT most;\n"
    "          END IF;\n"
    "          RETURN;\n"
    "        END IF;\n"
    "        s := s - c;\n"
    "      END LOOP;\n"
    "    END IF;\n"
    "    s := s - c;\n"
    "  END LOOP;\n"
    "END $$",

    NULL,
};
// Several nodes (S10 to S33).
static const char *const second[] = {
    "UPDATE arena SET oldest_reader = 2",
    "ALTER TABLE nodes ADD alone boolean NOT NULL DEFAULT true",
    "ALTER TABLE running ADD adopted boolean NOT NULL DEFAULT true, ADD wanted bigint",
    "CREATE INDEX running_wanted ON running(host) WHERE wanted IS NOT NULL",
    "CREATE INDEX running_to_adopt ON running(host) WHERE NOT adopted",
    "ALTER TABLE running_seats ADD counts boolean NOT NULL DEFAULT true",
    "ALTER TABLE changes ADD epoch bigint NOT NULL DEFAULT 0, ADD at timestamptz NOT NULL DEFAULT clock_timestamp()",
    "CREATE INDEX changes_news ON changes(xid)",
    "CREATE TABLE takeovers(no bigserial PRIMARY KEY, epoch bigint NOT NULL, name text NOT NULL, by bigint NOT NULL,\n"
    "  by_name text NOT NULL, at_ms bigint NOT NULL, silent_ms bigint NOT NULL, matches bigint NOT NULL)",
    // Numbers of deals: each life of a node has a chain of its own, with numbers that no other has.
    "ALTER TABLE deal_epochs ADD node bigint NOT NULL DEFAULT 0, ADD ended boolean NOT NULL DEFAULT false",
    "CREATE SEQUENCE deal_ranges",

    // S11. What the row tells the others goes with it.
    "CREATE FUNCTION fence(e bigint, b bigint, s bigint, l bigint, bus boolean) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "  UPDATE nodes SET batch = b, renewed = clock_timestamp(), backend = pg_backend_pid(), state = s, load = l, has_bus = bus\n"
    "    WHERE epoch = e AND batch = b - 1;\n"
    "  IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'AG001'; END IF;\n"
    "END $$",

    // S13. How many matches went to the targets; -1: it moved meanwhile, or somebody else took it.
    "CREATE FUNCTION take_node(dead bigint, seen bigint, me bigint, targets bigint[]) RETURNS bigint LANGUAGE plpgsql\n"
    "  SET lock_timeout = '500ms' AS $$\n"
    "DECLARE x nodes%ROWTYPE; k int := coalesce(array_length(targets, 1), 0); c bigint; BEGIN\n"
    "  DELETE FROM nodes WHERE epoch = dead AND batch = seen RETURNING * INTO x;\n"
    "  IF NOT FOUND THEN RETURN -1; END IF;\n"
    "  UPDATE running SET host = CASE WHEN k > 0 THEN targets[1 + match % k] ELSE 0 END, adopted = false WHERE host = dead;\n"
    "  GET DIAGNOSTICS c = ROW_COUNT;\n"
    "  DELETE FROM presence WHERE epoch = dead;\n"
    "  INSERT INTO takeovers(epoch, name, by, by_name, at_ms, silent_ms, matches) VALUES(dead, x.name, me,\n"
    "    coalesce((SELECT name FROM nodes WHERE epoch = me), ''), (extract(epoch FROM clock_timestamp()) * 1000)::bigint,\n"
    "    (extract(epoch FROM clock_timestamp() - x.renewed) * 1000)::bigint, c);\n"
    "  RETURN c;\n"
    "END $$",

    // A node that ends by itself; its matches go to the others, or wait for the next one.
    "CREATE FUNCTION leave_node(e bigint, targets bigint[]) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE k int := coalesce(array_length(targets, 1), 0); BEGIN\n"
    "  DELETE FROM nodes WHERE epoch = e;\n"
    "  IF NOT FOUND THEN RETURN; END IF;\n"
    "  UPDATE running SET host = CASE WHEN k > 0 THEN targets[1 + match % k] ELSE 0 END, adopted = false WHERE host = e;\n"
    "  DELETE FROM presence WHERE epoch = e;\n"
    "END $$",

    // The session of a node that holds its row's lock: its transaction is rolled back.
    "CREATE FUNCTION end_backend(dead bigint) RETURNS bigint LANGUAGE sql AS $$\n"
    "  SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'agon-' || dead\n"
    "    AND pid = (SELECT backend FROM nodes WHERE epoch = dead) $$",

    // S20. NULL: somebody else has it. A node that is no more gets none.
    "CREATE OR REPLACE FUNCTION take_role(r text, me bigint) RETURNS bigint LANGUAGE sql AS $$\n"
    "  INSERT INTO roles AS x SELECT r, me, 1 WHERE EXISTS (SELECT FROM nodes WHERE epoch = me) ON CONFLICT (role)\n"
    "  DO UPDATE SET epoch = me, term = x.term + 1 WHERE NOT EXISTS (SELECT FROM nodes WHERE epoch = x.epoch) RETURNING term $$",

    // S26. A row for each running match of the agent, or one without. Whoever claims cannot relay: matches are asked for, and
    // where that is in vain nothing is written (conn 0).
    "CREATE FUNCTION is_busy(a bigint, no bigint, h bigint) RETURNS boolean LANGUAGE sql STABLE AS $$\n"
    "  SELECT EXISTS (SELECT FROM running_seats s JOIN presence p ON p.agent = s.agent WHERE s.match = no AND s.agent <> a AND\n"
    "    p.epoch = h) AND EXISTS (SELECT FROM nodes WHERE epoch = h) $$",
    "CREATE FUNCTION arrive(who uuid, e bigint, inst text, fl bigint, claims boolean) RETURNS TABLE(conn bigint, b_epoch bigint,\n"
    "  b_conn bigint, b_flags bigint, b_instance text, match uuid, host bigint, busy boolean, node text, address text)\n"
    "  LANGUAGE plpgsql AS $$\n"
    "#variable_conflict use_column\n"
    "DECLARE a bigint; c bigint := 0; o presence%ROWTYPE; BEGIN\n"
    "  SELECT x.row INTO a FROM agents x WHERE x.id = who;\n"
    "  IF NOT FOUND OR NOT EXISTS (SELECT FROM nodes n WHERE n.epoch = e) THEN RETURN; END IF;\n"
    "  SELECT * INTO o FROM presence p WHERE p.agent = a FOR UPDATE;\n"
    "  IF NOT claims OR NOT EXISTS (SELECT FROM running_seats s JOIN running r ON r.match = s.match WHERE s.agent = a AND s.counts\n"
    "      AND r.host <> e AND is_busy(a, r.match, r.host)) OR EXISTS (SELECT FROM running_seats s JOIN running r ON r.match =\n"
    "      s.match WHERE s.agent = a AND s.counts AND r.host = e) THEN\n"
    "    c := nextval('conns');\n"
    "    INSERT INTO presence AS p VALUES(a, e, c, inst, fl) ON CONFLICT (agent) DO UPDATE SET epoch = excluded.epoch,\n"
    "      conn = excluded.conn, instance = excluded.instance, flags = excluded.flags WHERE p.conn < excluded.conn;\n"
    "    IF o.epoch <> e THEN INSERT INTO changes(kind, about, epoch) VALUES(2, a, e); END IF;\n"
    "    UPDATE running r SET wanted = e FROM running_seats s WHERE claims AND s.agent = a AND s.counts AND r.match = s.match\n"
    "      AND r.host <> e;\n"
    "  END IF;\n"
    "  RETURN QUERY SELECT c, coalesce(o.epoch, 0), coalesce(o.conn, 0), coalesce(o.flags, 0)::bigint, coalesce(o.instance, ''),\n"
    "    y.id, y.host, y.busy, y.name, y.address FROM (SELECT 1) one LEFT JOIN (SELECT r.id, r.host, r.host <> e AND\n"
    "    is_busy(a, r.match, r.host) AS busy, n.name, n.address FROM\n"
    "    running_seats s JOIN running r ON r.match = s.match LEFT JOIN nodes n ON n.epoch = r.host\n"
    "    WHERE s.agent = a AND s.counts ORDER BY r.match) y ON true;\n"
    "END $$",

    // S31. Partitions are made and dropped behind a lock of the table: what other nodes add meanwhile waits, and finds what
    // was folded. Whoever comes second has nothing left to do.
    "CREATE FUNCTION make_pieces(b bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE k bigint := b / 100000; old bigint := (k - 2) * 100000; t text; BEGIN\n"
    "  IF to_regclass('pieces_' || k) IS NOT NULL AND to_regclass('pieces_' || k + 1) IS NOT NULL THEN RETURN; END IF;\n"
    "  LOCK TABLE pieces IN ACCESS EXCLUSIVE MODE;\n"
    "  FOR i IN k .. k + 1 LOOP\n"
    "    IF to_regclass('pieces_' || i) IS NULL THEN\n"
    "      EXECUTE format('CREATE TABLE pieces_%s PARTITION OF pieces FOR VALUES FROM (%s) TO (%s)', i, i * 100000,\n"
    "        (i + 1) * 100000);\n"
    "      UPDATE running r SET folded = coalesce(folded, '') || p.body, folded_to = p.next, folded_ms = p.at_ms\n"
    "        FROM (SELECT q.match, string_agg(q.body, ''::bytea ORDER BY q.number) AS body, max(q.number) + 1 AS next,\n"
    "              (array_agg(q.at_ms ORDER BY q.number DESC))[1] AS at_ms\n"
    "              FROM pieces q JOIN running s ON s.match = q.match AND q.number >= s.folded_to\n"
    "              WHERE s.match < old GROUP BY q.match) p WHERE r.match = p.match;\n"
    "      FOR t IN SELECT c.relname FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid\n"
    "          WHERE h.inhparent = 'pieces'::regclass AND c.relname ~ '^pieces_[0-9]+$'\n"
    "          AND (substr(c.relname, 8)::bigint + 1) * 100000 <= old LOOP\n"
    "        EXECUTE 'DROP TABLE ' || t;\n"
    "      END LOOP;\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "END $$",
    "CREATE OR REPLACE FUNCTION take_rows(me bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE b bigint := nextval('row_blocks') * 1000; BEGIN\n"
    "  PERFORM make_pieces(b);\n"
    "  PERFORM make_month((extract(epoch FROM clock_timestamp()) * 1000)::bigint + 32 * 86400000::bigint);\n"
    "  RETURN b;\n"
    "END $$",
    "CREATE OR REPLACE FUNCTION make_month(ms bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE m timestamp := date_trunc('month', to_timestamp(ms / 1000) AT TIME ZONE 'UTC');\n"
    "  lo bigint := extract(epoch FROM m) * 1000; hi bigint := extract(epoch FROM m + interval '1 month') * 1000; t text; BEGIN\n"
    "  IF to_regclass('logs' || to_char(m, '_YYYY_MM')) IS NOT NULL THEN RETURN; END IF;\n"
    "  PERFORM pg_advisory_xact_lock(7311, 3);\n"
    "  FOREACH t IN ARRAY ARRAY['matches', 'seats', 'logs'] LOOP\n"
    "    IF to_regclass(t || to_char(m, '_YYYY_MM')) IS NULL THEN\n"
    "      EXECUTE format('CREATE TABLE %s PARTITION OF %s FOR VALUES FROM (%s) TO (%s)', t || to_char(m, '_YYYY_MM'), t, lo,\n"
    "        hi);\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "  EXCEPTION WHEN check_violation THEN NULL; -- the default partition has rows of it, and keeps them\n"
    "END $$",

    // Upkeep, by whoever holds the role: partitions ahead, what nobody reads any more, matches and agents of nodes that are
    // gone without a word. -1: the role has passed on.
    "CREATE FUNCTION sweep(me bigint) RETURNS bigint LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$\n"
    "DECLARE c bigint; now_ms bigint := extract(epoch FROM clock_timestamp()) * 1000; BEGIN\n"
    "  PERFORM 1 FROM roles r JOIN nodes n ON n.epoch = r.epoch WHERE r.role = 'sweep' AND r.epoch = me;\n"
    "  IF NOT FOUND THEN RETURN -1; END IF;\n"
    "  PERFORM make_pieces((SELECT last_value * 1000 + 10000 FROM row_blocks));\n"
    "  PERFORM make_month(now_ms);\n"
    "  PERFORM make_month(now_ms + 32 * 86400000::bigint);\n"
    "  DELETE FROM changes WHERE at < now() - interval '10 minutes';\n"
    "  DELETE FROM takeovers WHERE no <= (SELECT max(no) - 1000 FROM takeovers);\n"
    "  DELETE FROM presence WHERE epoch NOT IN (SELECT epoch FROM nodes);\n"
    "  UPDATE running SET host = me, adopted = false WHERE host NOT IN (SELECT epoch FROM nodes);\n"
    "  GET DIAGNOSTICS c = ROW_COUNT;\n"
    "  RETURN c;\n"
    "END $$",

    // S23, S24, S30. 0: begun; -1: the term is over; -2: somebody has no place left; -3: it began before.
    "CREATE FUNCTION begin_match(me bigint, no bigint, m uuid, ru bigint, g bigint, at bigint, started bigint, untold bigint,\n"
    "  rec bytea, who uuid[], shot boolean[], sess uuid[], most bigint[], r text, t bigint) RETURNS int LANGUAGE plpgsql AS $$\n"
    "DECLARE a bigint; n int; BEGIN\n"
    "  IF t > 0 THEN\n"
    "    PERFORM 1 FROM roles WHERE role = r AND term = t FOR SHARE;\n"
    "    IF NOT FOUND THEN RETURN -1; END IF;\n"
    "  END IF;\n"
    "  IF EXISTS (SELECT FROM matches WHERE id = m) THEN RETURN -3; END IF;\n"
    "  FOR i IN 1 .. array_length(who, 1) LOOP\n"
    "    IF most[i] > 0 THEN\n"
    "      SELECT active INTO n FROM agent_state WHERE agent = agent_row(who[i]);\n"
    "      IF n >= most[i] THEN RETURN -2; END IF;\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "  INSERT INTO running(match, id, host, rules, game, began, record, unreported) VALUES(no, m, me, ru, g, at, rec, untold)\n"
    "    ON CONFLICT DO NOTHING;\n"
    "  IF NOT FOUND THEN RETURN -3; END IF;\n"
    "  FOR i IN 1 .. array_length(who, 1) LOOP\n"
    "    a := agent_row(who[i]);\n"
    "    UPDATE agent_state SET active = active + 1 WHERE agent = a;\n"
    "    INSERT INTO running_seats VALUES(no, i - 1, a, sess[i]);\n"
    "    IF NOT shot[i] THEN INSERT INTO starts VALUES(a, started, no) ON CONFLICT DO NOTHING; END IF;\n"
    "  END LOOP;\n"
    "  RETURN 0;\n"
    "END $$",
    // Who was dropped has a place again (F3.15).
    "CREATE FUNCTION drop_seat(no bigint, st bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE a bigint; BEGIN\n"
    "  UPDATE running_seats SET counts = false WHERE match = no AND seat = st AND counts RETURNING agent INTO a;\n"
    "  IF FOUND THEN UPDATE agent_state SET active = active - 1 WHERE agent = a; END IF;\n"
    "END $$",
    "CREATE FUNCTION free_places(no bigint, at bigint) RETURNS void LANGUAGE sql AS $$\n"
    "  UPDATE agent_state s SET active = s.active - x.seats, last_over = at FROM (SELECT agent, count(*) FILTER (WHERE counts) AS seats\n"
    "    FROM running_seats WHERE match = no GROUP BY agent) x WHERE s.agent = x.agent $$",
    "CREATE OR REPLACE FUNCTION finish_match(me bigint, no bigint, m uuid, rep uuid, g bigint, at bigint, counted boolean, acts bigint,\n"
    "  rec bytea, tail bytea, who uuid[], sess uuid[], res bigint[], deliv boolean[], rwho uuid[], rver bigint[], rbody bytea[],\n"
    "  rpoint float8[], rdev float8[], va bigint[], vb bigint[], vr bigint[], width bigint, cn bigint[], cof bigint[],\n"
    "  csq float8[]) RETURNS int LANGUAGE plpgsql AS $$\n"
    "DECLARE x running%ROWTYPE; a bigint; rows bigint[] := '{}'; rrows bigint[] := '{}'; v bigint; fn bigint; j int; w int; BEGIN\n"
    "  SELECT * INTO x FROM running WHERE match = no AND id = m AND host = me FOR UPDATE;\n"
    "  IF NOT FOUND THEN RETURN 2; END IF;\n"
    "  FOR i IN 1 .. coalesce(array_length(rwho, 1), 0) LOOP\n"
    "    a := agent_row(rwho[i]);\n"
    "    rrows := rrows || a;\n"
    "    v := NULL;\n"
    "    SELECT version INTO v FROM ratings WHERE agent = a AND game = g FOR UPDATE;\n"
    "    IF coalesce(v, 0) <> rver[i] THEN RETURN 1; END IF;\n"
    "  END LOOP;\n"
    "  fn := nextval('finish_nos');\n"
    "  FOR i IN 1 .. coalesce(array_length(rwho, 1), 0) LOOP\n"
    "    INSERT INTO ratings VALUES(rrows[i], g, rver[i] + 1, fn, pg_current_xact_id(), rbody[i])\n"
    "      ON CONFLICT (agent, game) DO UPDATE SET version = excluded.version, finish_no = fn, xid = excluded.xid,\n"
    "      body = excluded.body;\n"
    "  END LOOP;\n"
    "  INSERT INTO matches VALUES(no, at, m, rep, g, fn, counted, x.unreported, rec);\n"
    "  FOR i IN 1 .. array_length(who, 1) LOOP\n"
    "    a := agent_row(who[i]);\n"
    "    rows := rows || a;\n"
    "    j := array_position(rwho, who[i]);\n"
    "    INSERT INTO seats VALUES(no, i - 1, at, a, g, CASE WHEN counted THEN add_to_list(a, g) END,\n"
    "      CASE WHEN counted THEN add_to_list(a, 0) END, sess[i], res[i], rpoint[j], rdev[j], deliv[i]);\n"
    "    IF cn IS NOT NULL THEN\n"
    "      w := (i - 1) * width;\n"
    "      PERFORM add_counts(a, g, at, cn[w + 1 : w + width], cof[w + 1 : w + width], csq[w + 1 : w + width]);\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "  FOR i IN 1 .. coalesce(array_length(va, 1), 0) LOOP\n"
    "    INSERT INTO versus AS t VALUES(rows[va[i] + 1], g, rows[vb[i] + 1], 1, (vr[i] > 0)::int, (vr[i] < 0)::int,\n"
    "      (vr[i] = 0)::int) ON CONFLICT (agent, game, opponent) DO UPDATE SET games = t.games + 1,\n"
    "      wins = t.wins + excluded.wins, losses = t.losses + excluded.losses, draws = t.draws + excluded.draws;\n"
    "  END LOOP;\n"
    "  INSERT INTO logs SELECT no, at, coalesce(x.folded, ''::bytea) || coalesce((SELECT string_agg(body, ''::bytea ORDER BY number)\n"
    "    FROM pieces WHERE match = no AND number >= x.folded_to), ''::bytea) || tail;\n"
    "  PERFORM add_tally(at / 86400000, -1, g, me, counted::int, acts);\n"
    "  PERFORM add_tally(at / 86400000, at / 3600000 % 24, g, me, counted::int, 0);\n"
    "  IF x.folded_to > 0 THEN DELETE FROM pieces WHERE match = no; END IF;\n"
    "  PERFORM free_places(no, at);\n"
    "  DELETE FROM running_seats WHERE match = no;\n"
    "  DELETE FROM running WHERE match = no;\n"
    "  RETURN 0;\n"
    "END $$",

    // The list of commitments (docs/fairness.md): several nodes add to it, one at a time, each entry linked to the one before.
    "CREATE FUNCTION le64(v bigint) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$\n"
    "  SELECT substr(b, 8, 1) || substr(b, 7, 1) || substr(b, 6, 1) || substr(b, 5, 1) || substr(b, 4, 1) || substr(b, 3, 1) ||\n"
    "    substr(b, 2, 1) || substr(b, 1, 1) FROM int8send(v) b $$",
    "CREATE FUNCTION add_entries(kinds bigint[], numbers bigint[], times bigint[], bodies bytea[]) RETURNS void\n"
    "  LANGUAGE plpgsql AS $$\n"
    "DECLARE p bigint; l bytea; BEGIN\n"
    "  PERFORM pg_advisory_xact_lock(7311, 2);\n"
    "  SELECT place, link INTO p, l FROM commitments ORDER BY place DESC LIMIT 1;\n"
    "  IF NOT FOUND THEN p := -1; l := decode(repeat('00', 32), 'hex'); END IF;\n"
    "  FOR i IN 1 .. array_length(kinds, 1) LOOP\n"
    "    p := p + 1;\n"
    "    l := sha256('agon.commitments.1'::bytea || l || le64(p) || set_byte(decode('00', 'hex'), 0, kinds[i]::int) || le64(numbers[i])\n"
    "      || le64(times[i]) || bodies[i]);\n"
    "    INSERT INTO commitments(place, kind, number, at_ms, body, link) VALUES(p, kinds[i], numbers[i], times[i], bodies[i], l);\n"
    "  END LOOP;\n"
    "END $$",

    NULL,
};
// clang-format on

const char *const *const pg_migrations[] = {
    first, second, pg_schema_whole, pg_schema_lives, pg_cheaper_matches, pg_schema_tours, pg_cheaper_reads};
const int pg_migration_count = sizeof pg_migrations / sizeof *pg_migrations;
