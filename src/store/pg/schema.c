// What the database looks like: a list of migrations, each one a transaction (S36). A released step is never changed;
// what comes later is a new row at the end. A function stands once, where it was last written: an arena that has it
// from an earlier step keeps it for programs of that time, and a new arena refuses those (open.c).
#include "store/pg/internal.h"

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

    // Running matches: a small table that changes often; a row leaves it when its match ends.
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

    // Finished matches: written once, partitioned by month (S32). The default partitions take rows that no month was made for.
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

    // S13. Returns 1: taken over; 0: the node has moved meanwhile, or another one took it over.
    "CREATE FUNCTION take_over(dead bigint, seen bigint, targets bigint[]) RETURNS int LANGUAGE plpgsql AS $$\n"
    "DECLARE k int := coalesce(array_length(targets, 1), 0); BEGIN\n"
    "  DELETE FROM nodes WHERE epoch = dead AND batch = seen;\n"
    "  IF NOT FOUND THEN RETURN 0; END IF;\n"
    "  UPDATE running SET host = targets[1 + match % k] WHERE host = dead;\n"
    "  DELETE FROM presence WHERE epoch = dead;\n"
    "  RETURN 1;\n"
    "END $$",

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

    NULL,
};
// Several nodes (S10 to S33).
static const char *const second[] = {
    "UPDATE arena SET oldest_reader = greatest(oldest_reader, 2)",
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

    // S11. First statement of every batch of a node. It also updates what the row tells other nodes.
    "CREATE FUNCTION fence(e bigint, b bigint, s bigint, l bigint, bus boolean) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "  UPDATE nodes SET batch = b, renewed = clock_timestamp(), backend = pg_backend_pid(), state = s, load = l, has_bus = bus\n"
    "    WHERE epoch = e AND batch = b - 1;\n"
    "  IF NOT FOUND THEN RAISE EXCEPTION 'fenced' USING ERRCODE = 'AG001'; END IF;\n"
    "END $$",

    // S13. Returns how many matches went to the targets; -1: the node has moved meanwhile, or another one took it over.
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

    // Ends the session of a node that holds its row's lock, which rolls its transaction back.
    "CREATE FUNCTION end_backend(dead bigint) RETURNS bigint LANGUAGE sql AS $$\n"
    "  SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'agon-' || dead\n"
    "    AND pid = (SELECT backend FROM nodes WHERE epoch = dead) $$",

    // S20. A role whose holder has no row goes to the node that asks first. NULL: another node has it, or the asking node has no row.
    "CREATE OR REPLACE FUNCTION take_role(r text, me bigint) RETURNS bigint LANGUAGE sql AS $$\n"
    "  INSERT INTO roles AS x SELECT r, me, 1 WHERE EXISTS (SELECT FROM nodes WHERE epoch = me) ON CONFLICT (role)\n"
    "  DO UPDATE SET epoch = me, term = x.term + 1 WHERE NOT EXISTS (SELECT FROM nodes WHERE epoch = x.epoch) RETURNING term $$",

    // S26. Returns a row for each running match of the agent, or one without a match. A connection that claims cannot be relayed: its
    // matches are requested from their hosts, and if that is in vain, nothing is written (conn 0).
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
    // was folded. A second caller has nothing left to do. Matches that are older than 200,000 rows are folded first: what
    // they add goes to the default partition from then on.
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
    // The next thousand rows for matches.
    "CREATE OR REPLACE FUNCTION take_rows(me bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE b bigint := nextval('row_blocks') * 1000; BEGIN\n"
    "  PERFORM make_pieces(b);\n"
    "  PERFORM make_month((extract(epoch FROM clock_timestamp()) * 1000)::bigint + 32 * 86400000::bigint);\n"
    "  RETURN b;\n"
    "END $$",

    // Upkeep by the holder of the role: makes partitions ahead, deletes what is not read any more, and gives away matches and
    // agents of nodes that have disappeared. -1: the role has passed on.
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

    // A dropped player may play another match (F3.15).
    "CREATE FUNCTION drop_seat(no bigint, st bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE a bigint; BEGIN\n"
    "  UPDATE running_seats SET counts = false WHERE match = no AND seat = st AND counts RETURNING agent INTO a;\n"
    "  IF FOUND THEN UPDATE agent_state SET active = active - 1 WHERE agent = a; END IF;\n"
    "END $$",

    NULL,
};
// clang-format on

const char *const *const pg_migrations[] = {first,
                                            second,
                                            pg_schema_cluster_wide,
                                            pg_schema_lives,
                                            pg_schema_matches,
                                            pg_schema_tournaments,
                                            pg_schema_reads,
                                            pg_schema_moved,
                                            pg_schema_batches,
                                            pg_schema_arrivals};
const int pg_migration_count = sizeof pg_migrations / sizeof *pg_migrations;
