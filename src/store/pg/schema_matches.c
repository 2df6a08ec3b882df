// A migration: start and end of a match in few statements, whose plans the writer's session keeps (link.c).
#include "store/pg/internal.h"

// A function is one string, longer than the 4,095 bytes that every compiler must accept.
#pragma GCC diagnostic ignored "-Woverlength-strings"
// clang-format off
const char *const pg_schema_matches[] = {
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

    // S32. The partitions of a month, named by any of its milliseconds.
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

    // S42. All agents of a batch's begins and ends, locked in one order before anything else. Rows of new agents are made before any lock is taken.
    "CREATE OR REPLACE FUNCTION lock_agents(who uuid[]) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE rows bigint[]; known bigint; BEGIN\n"
    "  SELECT array_agg(a.row), count((SELECT 1 FROM agent_state s WHERE s.agent = a.row)) INTO rows, known FROM agents a\n"
    "    WHERE a.id = ANY(who);\n"
    "  IF known < cardinality(rows) THEN\n"
    "    INSERT INTO agent_state(agent) SELECT a FROM unnest(rows) a ORDER BY a ON CONFLICT DO NOTHING;\n"
    "  END IF;\n"
    "  PERFORM 1 FROM agent_state WHERE agent = ANY(rows) ORDER BY agent FOR NO KEY UPDATE;\n"
    "END $$",

    // begin_match and end_match are called by programs up to schema 8; newer ones begin and end all matches of a batch in one
    // call (schema_batches.c).
    // S23, S24, S30. 0: begun; -1: the term is over; -2: somebody has no place left; -3: it began before.
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

    // The list of commitments (docs/fairness.md): several nodes add to it, one at a time, each entry linked to the one before.
    // `said` is what the link covers behind the place, as the node has written it. An end that was
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
