// A migration: start and end of a match in few statements, whose plans the writer's session keeps (link.c).
#include "store/pg/inside.h"

// A function is one string, longer than the 4,095 bytes that every compiler must accept.
#pragma GCC diagnostic ignored "-Woverlength-strings"
// clang-format off
const char *const pg_cheaper_matches[] = {
    // What nothing reads often: a takeover looks at all running matches, and they are few.
    "DROP INDEX IF EXISTS running_of_host",

    // Logs of up to 8 kB stay in their row, without chunks beside it. Partitions do not inherit that.
    "CREATE OR REPLACE FUNCTION keep_whole(t text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "  EXECUTE format('ALTER TABLE %I SET (toast_tuple_target = 8160)', t);\n"
    "END $$",

    "DO $$ DECLARE t text; BEGIN\n"
    "  FOR t IN SELECT c.relname FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid WHERE h.inhparent = 'logs'::regclass LOOP\n"
    "    PERFORM keep_whole(t);\n"
    "  END LOOP;\n"
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
    "  PERFORM keep_whole('logs' || to_char(m, '_YYYY_MM'));\n"
    "  EXCEPTION WHEN check_violation THEN NULL; -- the default partition has rows of it, and keeps them\n"
    "END $$",

    // S42. Rows of new agents are made before any lock is taken.
    "CREATE OR REPLACE FUNCTION lock_agents(who uuid[]) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE rows bigint[]; known bigint; BEGIN\n"
    "  SELECT array_agg(a.row), count((SELECT 1 FROM agent_state s WHERE s.agent = a.row)) INTO rows, known FROM agents a\n"
    "    WHERE a.id = ANY(who);\n"
    "  IF known < cardinality(rows) THEN\n"
    "    INSERT INTO agent_state(agent) SELECT a FROM unnest(rows) a ORDER BY a ON CONFLICT DO NOTHING;\n"
    "  END IF;\n"
    "  PERFORM 1 FROM agent_state WHERE agent = ANY(rows) ORDER BY agent FOR NO KEY UPDATE;\n"
    "END $$",

    "CREATE OR REPLACE FUNCTION begin_match(me bigint, no bigint, m uuid, ru bigint, g bigint, at bigint, started bigint, untold bigint,\n"
    "  rec bytea, who uuid[], shot boolean[], sess uuid[], most bigint[], r text, t bigint) RETURNS int LANGUAGE plpgsql AS $$\n"
    "DECLARE rows bigint[]; taken boolean; over boolean; BEGIN\n"
    "  IF t > 0 THEN\n"
    "    PERFORM 1 FROM roles WHERE role = r AND term = t FOR SHARE;\n"
    "    IF NOT FOUND THEN RETURN -1; END IF;\n"
    "  END IF;\n"
    "  SELECT array_agg(y.row), bool_or(y.places > 0 AND ((SELECT s.active FROM agent_state s WHERE s.agent = y.row) >= y.places OR\n"
    "    NOT y.one AND reached_cap(y.row, started))), EXISTS (SELECT FROM matches x WHERE x.id = m) INTO rows, taken, over\n"
    "    FROM (SELECT u.places, u.one, (SELECT a.row FROM agents a WHERE a.id = u.id) AS row\n"
    "    FROM unnest(who, most, shot) u(id, places, one) OFFSET 0) y;\n"
    "  IF over THEN RETURN -3; END IF;\n"
    "  IF array_position(rows, NULL) IS NOT NULL THEN RAISE EXCEPTION 'unknown agent in %', who; END IF;\n"
    "  IF taken THEN RETURN -2; END IF;\n"
    "  WITH it AS (INSERT INTO running(match, id, host, rules, game, began, record, unreported)\n"
    "      VALUES(no, m, me, ru, g, at, rec, untold) ON CONFLICT DO NOTHING RETURNING match),\n"
    "    seated AS (INSERT INTO running_seats SELECT it.match, u.i - 1, u.a, u.s FROM it, unnest(rows, sess) WITH ORDINALITY u(a, s, i)),\n"
    "    counted AS (INSERT INTO starts SELECT u.a, started, it.match FROM it, unnest(rows, shot) u(a, s) WHERE NOT u.s\n"
    "      ON CONFLICT DO NOTHING)\n"
    "    UPDATE agent_state SET active = active + cardinality(array_positions(rows, agent)) FROM it WHERE agent = ANY(rows);\n"
    "  RETURN CASE WHEN FOUND THEN 0 ELSE -3 END;\n"
    "END $$",

    "CREATE OR REPLACE FUNCTION add_counts(a bigint, g bigint, at bigint, cn bigint[], cof bigint[], csq float8[]) RETURNS void\n"
    "  LANGUAGE plpgsql AS $$ BEGIN\n"
    "  UPDATE counters c SET matches = c.matches + 1,\n"
    "    n = ARRAY(SELECT coalesce(x, 0) + coalesce(y, 0) FROM unnest(c.n, cn) u(x, y)),\n"
    "    of = ARRAY(SELECT coalesce(x, 0) + coalesce(y, 0) FROM unnest(c.of, cof) u(x, y)),\n"
    "    squares = ARRAY(SELECT coalesce(x, 0) + coalesce(y, 0) FROM unnest(c.squares, csq) u(x, y)) WHERE c.agent = a AND c.game = g;\n"
    "  IF NOT FOUND THEN INSERT INTO counters VALUES(a, g, 1, at, cn, cof, csq); END IF;\n"
    "END $$",

    // S40, S41. 0: done; 1: ratings moved meanwhile, compute again; 2: not ours, or over before. By seat: who, sess, res, deliv,
    // point and dev (NULL: not rated), and what they had to do with each other (va, vb: seats; vr: 1, 0, -1 for the first); by
    // agent that is rated: rseat (a seat of it), rver (the version it was computed from), rbody; counts of all seats one after
    // the other (NULL: none). All agents are locked (lock_agents), so nobody else adds to their lists and ratings.
    "CREATE OR REPLACE FUNCTION end_match(me bigint, no bigint, m uuid, rep uuid, g bigint, at bigint, counted boolean, acts bigint,\n"
    "  rec bytea, tail bytea, who uuid[], sess uuid[], res bigint[], deliv boolean[], point float8[], dev float8[], rseat bigint[],\n"
    "  rver bigint[], rbody bytea[], va bigint[], vb bigint[], vr bigint[], width bigint, cn bigint[], cof bigint[], csq float8[])\n"
    "  RETURNS int LANGUAGE plpgsql AS $$\n"
    "DECLARE x record; rows bigint[]; rrows bigint[] := '{}'; vers bigint[]; num bigint[]; plc bigint[]; everybody bigint[];\n"
    "  busy bigint[]; c bigint; fn bigint; fresh boolean; d bigint := at / 86400000; h bigint := at / 3600000 % 24; BEGIN\n"
    "  SELECT array_agg(y.row), array_agg((SELECT r.version FROM ratings r WHERE r.agent = y.row AND r.game = g)),\n"
    "    array_agg((SELECT l.size FROM lists l WHERE l.agent = y.row AND l.game = g)),\n"
    "    array_agg((SELECT l.size FROM lists l WHERE l.agent = y.row AND l.game = 0)) INTO rows, vers, num, plc\n"
    "    FROM (SELECT (SELECT a.row FROM agents a WHERE a.id = u) AS row FROM unnest(who) u OFFSET 0) y;\n"
    "  IF array_position(rows, NULL) IS NOT NULL THEN RAISE EXCEPTION 'unknown agent in %', who; END IF;\n"
    "  FOR i IN 1 .. cardinality(rseat) LOOP\n"
    "    rrows := rrows || rows[rseat[i]];\n"
    "    IF coalesce(vers[rseat[i]], 0) <> rver[i] THEN\n"
    "      RETURN CASE WHEN EXISTS (SELECT FROM running WHERE match = no AND id = m AND host = me) THEN 1 ELSE 2 END;\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "  DELETE FROM running WHERE match = no AND id = m AND host = me RETURNING unreported, folded, folded_to INTO x;\n"
    "  IF NOT FOUND THEN RETURN 2; END IF;\n"
    "  fn := nextval('finish_nos');\n"
    "  IF cardinality(rseat) > 0 THEN\n"
    "    UPDATE ratings t SET version = t.version + 1, finish_no = fn, xid = pg_current_xact_id(),\n"
    "      body = rbody[array_position(rrows, t.agent)] WHERE t.agent = ANY(rrows) AND t.game = g;\n"
    "    IF 0 = ANY(rver) THEN -- the first of an agent\n"
    "      INSERT INTO ratings SELECT u.a, g, 1, fn, pg_current_xact_id(), u.b FROM unnest(rrows, rver, rbody) u(a, v, b) WHERE u.v = 0;\n"
    "    END IF;\n"
    "  END IF;\n"
    "  IF counted THEN\n"
    "    fresh := array_position(num, NULL) IS NOT NULL OR array_position(plc, NULL) IS NOT NULL;\n"
    "    FOR i IN 1 .. cardinality(who) LOOP -- who sits twice is counted twice\n"
    "      c := 1 + cardinality(array_positions(rows[1 : i - 1], rows[i]));\n"
    "      num[i] := coalesce(num[i], 0) + c;\n"
    "      plc[i] := coalesce(plc[i], 0) + c;\n"
    "    END LOOP;\n"
    "    UPDATE lists SET size = size + cardinality(array_positions(rows, agent)) WHERE agent = ANY(rows) AND game IN (0, g);\n"
    "    IF fresh THEN\n"
    "      INSERT INTO lists SELECT u.a, g, max(u.n) FROM unnest(rows, num) u(a, n) GROUP BY u.a UNION ALL\n"
    "        SELECT u.a, 0, max(u.n) FROM unnest(rows, plc) u(a, n) GROUP BY u.a ON CONFLICT DO NOTHING;\n"
    "    END IF;\n"
    "  ELSE\n"
    "    num := NULL;\n"
    "    plc := NULL;\n"
    "  END IF;\n"
    "  WITH over AS (INSERT INTO matches VALUES(no, at, m, rep, g, fn, counted, x.unreported, rec)),\n"
    "    sat AS (INSERT INTO seats SELECT no, u.i - 1, at, u.a, g, u.n, u.p, u.s, u.r, u.pt, u.dv, u.d\n"
    "      FROM unnest(rows, num, plc, sess, res, point, dev, deliv) WITH ORDINALITY u(a, n, p, s, r, pt, dv, d, i)),\n"
    "    told AS (INSERT INTO logs SELECT no, at, coalesce(x.folded, ''::bytea) || coalesce((SELECT string_agg(p.body, ''::bytea) FROM\n"
    "      (SELECT body FROM pieces WHERE match = no AND number >= x.folded_to ORDER BY number) p), ''::bytea) || tail),\n"
    "    gone AS (DELETE FROM running_seats WHERE match = no RETURNING agent, counts)\n"
    "    SELECT array_agg(agent), coalesce(array_agg(agent) FILTER (WHERE counts), '{}') INTO everybody, busy FROM gone;\n"
    "  UPDATE agent_state SET active = active - cardinality(array_positions(busy, agent)), last_over = at WHERE agent = ANY(everybody);\n"
    "  IF x.folded_to > 0 THEN DELETE FROM pieces WHERE match = no; END IF;\n"
    "  INSERT INTO versus AS t SELECT rows[u.a + 1], g, rows[u.b + 1], count(*), count(*) FILTER (WHERE u.r > 0),\n"
    "    count(*) FILTER (WHERE u.r < 0), count(*) FILTER (WHERE u.r = 0) FROM unnest(va, vb, vr) u(a, b, r) GROUP BY 1, 3\n"
    "    ON CONFLICT (agent, game, opponent) DO UPDATE SET games = t.games + excluded.games, wins = t.wins + excluded.wins,\n"
    "    losses = t.losses + excluded.losses, draws = t.draws + excluded.draws;\n"
    "  UPDATE tallies SET listed = listed + counted::int, ended = ended + 1, actions = actions + CASE WHEN hour < 0 THEN acts ELSE 0 END\n"
    "    WHERE hour IN (-1, h) AND day = d AND game = g AND epoch = me;\n"
    "  GET DIAGNOSTICS c = ROW_COUNT;\n"
    "  IF c < 2 THEN\n"
    "    INSERT INTO tallies VALUES(d, -1, g, me, counted::int, 1, acts), (d, h, g, me, counted::int, 1, 0) ON CONFLICT DO NOTHING;\n"
    "  END IF;\n"
    "  IF cn IS NOT NULL THEN\n"
    "    FOR i IN 0 .. cardinality(who) - 1 LOOP\n"
    "      PERFORM add_counts(rows[i + 1], g, at, cn[i * width + 1 : (i + 1) * width], cof[i * width + 1 : (i + 1) * width],\n"
    "        csq[i * width + 1 : (i + 1) * width]);\n"
    "    END LOOP;\n"
    "  END IF;\n"
    "  RETURN 0;\n"
    "END $$",

    // S35. Hours are named one by one: the index has them before the day.
    "CREATE OR REPLACE FUNCTION page_of_all(g bigint, skip bigint, most bigint) RETURNS TABLE(match bigint, finished bigint)\n"
    "  LANGUAGE plpgsql STABLE AS $$\n"
    "DECLARE d int; h int; c bigint; s bigint := skip; top bigint; hours int[] := ARRAY(SELECT generate_series(0, 23)); BEGIN\n"
    "  FOR d, c IN SELECT t.day, sum(t.listed) FROM tallies t WHERE t.hour = -1 AND (g = 0 OR t.game = g)\n"
    "      GROUP BY t.day ORDER BY t.day DESC LOOP\n"
    "    IF c > s THEN\n"
    "      FOR h, c IN SELECT t.hour, sum(t.listed) FROM tallies t WHERE t.hour = ANY(hours) AND t.day = d AND\n"
    "          (g = 0 OR t.game = g) GROUP BY t.hour ORDER BY t.hour DESC LOOP\n"
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

    // S35. How many agents of a kind there are in each thousand rows, so that a page of them is found without reading those before.
    "CREATE TABLE agent_blocks(kind bigint NOT NULL, block bigint NOT NULL, size bigint NOT NULL, PRIMARY KEY(kind, block))\n"
    "  WITH (fillfactor = 50)",
    "CREATE FUNCTION count_agent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN\n"
    "  IF TG_OP = 'UPDATE' THEN UPDATE agent_blocks SET size = size - 1 WHERE kind = OLD.kind AND block = OLD.row / 1000; END IF;\n"
    "  INSERT INTO agent_blocks AS b VALUES(NEW.kind, NEW.row / 1000, 1) ON CONFLICT (kind, block) DO UPDATE SET size = b.size + 1;\n"
    "  RETURN NULL;\n"
    "END $$",
    "CREATE TRIGGER agent_made AFTER INSERT ON agents FOR EACH ROW EXECUTE FUNCTION count_agent()",
    "CREATE TRIGGER agent_changed AFTER UPDATE OF kind ON agents FOR EACH ROW WHEN (OLD.kind <> NEW.kind)\n"
    "  EXECUTE FUNCTION count_agent()",
    // Counted behind the triggers, whose lock keeps other nodes from adding agents until the migration is done.
    "INSERT INTO agent_blocks SELECT kind, row / 1000, count(*) FROM agents GROUP BY 1, 2",
    // The row of the agent of a kind before which there are `skip` others; NULL: there are not so many.
    "CREATE FUNCTION nth_of_kind(k bigint, skip bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$\n"
    "DECLARE b bigint; c bigint; s bigint := skip; BEGIN\n"
    "  FOR b, c IN SELECT block, size FROM agent_blocks WHERE kind = k ORDER BY block LOOP\n"
    "    IF c > s THEN RETURN (SELECT row FROM agents WHERE kind = k AND row >= b * 1000 ORDER BY row OFFSET s LIMIT 1); END IF;\n"
    "    s := s - c;\n"
    "  END LOOP;\n"
    "  RETURN NULL;\n"
    "END $$",

    // The list of commitments: `said` is what the link covers behind the place, as the node has written it. An end that was
    // refused has closed its deal all the same (S41); when its node is gone before it puts the end again, whoever adopts the
    // match closes the deal a second time (S19): once is enough.
    "CREATE OR REPLACE FUNCTION link_entries(kinds bigint[], numbers bigint[], times bigint[], bodies bytea[], said bytea[]) RETURNS void\n"
    "  LANGUAGE plpgsql AS $$\n"
    "DECLARE p bigint; l bytea; b bytea; links bytea[] := '{}'; kept int[] := '{}'; closed bigint[]; BEGIN\n"
    "  PERFORM pg_advisory_xact_lock(7311, 2);\n"
    "  SELECT place, link INTO p, l FROM commitments ORDER BY place DESC LIMIT 1;\n"
    "  IF NOT FOUND THEN p := -1; l := decode(repeat('00', 32), 'hex'); END IF;\n"
    "  IF 3 = ANY(kinds) THEN closed := ARRAY(SELECT number FROM commitments WHERE kind = 3 AND number = ANY(numbers)); END IF;\n"
    "  FOR i IN 1 .. cardinality(kinds) LOOP\n"
    "    IF kinds[i] = 3 THEN\n"
    "      CONTINUE WHEN numbers[i] = ANY(closed);\n"
    "      closed := closed || numbers[i];\n"
    "    END IF;\n"
    "    kept := kept || i;\n"
    "    b := int8send(p + cardinality(kept));\n"
    "    l := sha256('agon.commitments.1'::bytea || l || substr(b, 8, 1) || substr(b, 7, 1) || substr(b, 6, 1) || substr(b, 5, 1) ||\n"
    "      substr(b, 4, 1) || substr(b, 3, 1) || substr(b, 2, 1) || substr(b, 1, 1) || said[i]);\n"
    "    links := links || l;\n"
    "  END LOOP;\n"
    "  INSERT INTO commitments(place, kind, number, at_ms, body, link) SELECT p + u.i, kinds[u.k], numbers[u.k], times[u.k], bodies[u.k], u.l\n"
    "    FROM unnest(kept, links) WITH ORDINALITY u(k, l, i);\n"
    "END $$",

    NULL,
};
// clang-format on
