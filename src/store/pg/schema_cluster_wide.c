// A migration: what is counted and looked up over all nodes (S45, S46, S48, S49).
#include "store/pg/internal.h"

// clang-format off
const char *const pg_schema_cluster_wide[] = {
    // S46. A code belongs to the node that takes it, while that lives: when it is gone without having used the code, which
    // its fence makes sure of, another one may.
    "ALTER TABLE pairings ADD taken bigint NOT NULL DEFAULT 0",
    "CREATE FUNCTION take_pairing(h bytea, me bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN\n"
    "  PERFORM set_config('synchronous_commit', 'on', true);\n"
    "  UPDATE pairings p SET taken = me WHERE p.code_hash = h AND NOT p.used AND NOT p.revoked\n"
    "    AND EXISTS (SELECT FROM nodes WHERE epoch = me) AND (p.taken IN (0, me) OR NOT EXISTS (SELECT FROM nodes WHERE epoch = p.taken));\n"
    "  RETURN CASE WHEN FOUND THEN 1 ELSE 0 END;\n"
    "END $$",

    // S46. Calls that are counted over all nodes: when the bucket of a caller would be full again, by the store's clock. A full
    // one is worth nothing, and makes room. 0: counted; else seconds to wait.
    "CREATE TABLE calls(kind smallint NOT NULL, who text NOT NULL, full_ms bigint NOT NULL, PRIMARY KEY(kind, who))\n"
    "  WITH (fillfactor = 80)",
    "CREATE INDEX calls_full ON calls(full_ms)",
    "CREATE FUNCTION take_call(k bigint, w text, each bigint, burst bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE now_ms bigint := extract(epoch FROM clock_timestamp()) * 1000; depth bigint := each * burst; f bigint; BEGIN\n"
    "  DELETE FROM calls WHERE (kind, who) IN (SELECT c.kind, c.who FROM calls c WHERE c.full_ms < now_ms AND (c.kind, c.who) <> (k, w)\n"
    "    ORDER BY c.full_ms LIMIT 16 FOR UPDATE SKIP LOCKED);\n"
    "  INSERT INTO calls AS c VALUES(k, w, now_ms + each) ON CONFLICT (kind, who) DO UPDATE SET full_ms =\n"
    "    greatest(least(c.full_ms, now_ms + depth), now_ms) + each WHERE greatest(least(c.full_ms, now_ms + depth), now_ms) + each <=\n"
    "    now_ms + depth;\n"
    "  IF FOUND THEN RETURN 0; END IF;\n"
    "  SELECT least(full_ms, now_ms + depth) INTO f FROM calls WHERE kind = k AND who = w;\n"
    "  RETURN greatest(1, (coalesce(f, now_ms) + each - now_ms - depth + 999) / 1000);\n"
    "END $$",

    // S45. Asked under the agent's lock (schema_matches.c), so that what other nodes have begun is counted.
    "CREATE FUNCTION reached_cap(a bigint, at bigint) RETURNS boolean LANGUAGE sql STABLE AS $$\n"
    "  SELECT coalesce((SELECT (g.max_games_per_hour > 0 AND g.max_games_per_hour <= (SELECT count(*) FROM starts s WHERE s.agent = a\n"
    "    AND s.at_ms > at - 3600000)) OR (g.max_games_per_day > 0 AND g.max_games_per_day <= (SELECT count(*) FROM starts s WHERE\n"
    "    s.agent = a AND s.at_ms > at - 86400000)) FROM agents g WHERE g.row = a), false) $$",

    // S48. A running match by the name that spectators know. It stands in the record, behind two others, without zeros at its
    // end (pack.c).
    "CREATE FUNCTION live_of(r bytea) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$\n"
    "  SELECT substr(r, c + 3, get_byte(r, c)) FROM (SELECT b + 2 + get_byte(r, b) AS c FROM (SELECT 3 + get_byte(r, 1) AS b) x) y $$",
    "CREATE INDEX running_by_live ON running(live_of(record))",

    // S49. What the nodes tell of themselves besides matches.
    "CREATE TABLE loads(epoch bigint PRIMARY KEY, agents bigint NOT NULL, queued bigint NOT NULL, spectators bigint NOT NULL)\n"
    "  WITH (fillfactor = 20)",
    "CREATE FUNCTION tell_load(e bigint, a bigint, q bigint, s bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "  INSERT INTO loads VALUES(e, a, q, s) ON CONFLICT (epoch) DO UPDATE SET agents = a, queued = q, spectators = s;\n"
    "  DELETE FROM loads WHERE epoch < e AND epoch NOT IN (SELECT epoch FROM nodes);\n"
    "END $$",
    NULL,
};
