// A migration: numbers of connections never repeat, and of two first connections of an agent, at two nodes at once, the
// second hears of the first (S26).
#include "store/pg/internal.h"

// clang-format off
const char *const pg_schema_arrivals[] = {
    // S26. Arrivals do not wait for the disk, so after a crash or a fail-over the server may have forgotten the last of them,
    // and the sequence with them. If it gave their numbers again, frames for one agent would reach another. So a number has an
    // era above it, which every session raises before its first arrival. A session sees an era only when it is durable, and a
    // crash ends all sessions.
    "CREATE TABLE conn_eras(one boolean PRIMARY KEY DEFAULT true CHECK (one), era bigint NOT NULL)",
    "INSERT INTO conn_eras VALUES(true, 0)",
    "CREATE FUNCTION begin_arrivals() RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "  PERFORM set_config('synchronous_commit', 'on', true);\n"
    "  UPDATE conn_eras SET era = era + 1;\n"
    "END $$",

    // S26. Returns a row for each running match of the agent, or one without a match. A connection that claims cannot be relayed: its
    // matches are requested from their hosts, and if that is in vain, nothing is written (conn 0). An agent that was nowhere has no row that could be locked: the second
    // of two arrivals waits for the first by an advisory lock, and then finds its row.
    "CREATE OR REPLACE FUNCTION arrive(who uuid, e bigint, inst text, fl bigint, claims boolean) RETURNS TABLE(conn bigint,\n"
    "  b_epoch bigint, b_conn bigint, b_flags bigint, b_instance text, match uuid, host bigint, busy boolean, node text, address text)\n"
    "  LANGUAGE plpgsql AS $$\n"
    "#variable_conflict use_column\n"
    "DECLARE a bigint; c bigint := 0; o presence%ROWTYPE; BEGIN\n"
    "  SELECT x.row INTO a FROM agents x WHERE x.id = who;\n"
    "  IF NOT FOUND OR NOT EXISTS (SELECT FROM nodes n WHERE n.epoch = e) THEN RETURN; END IF;\n"
    "  SELECT * INTO o FROM presence p WHERE p.agent = a FOR UPDATE;\n"
    "  IF NOT FOUND THEN\n"
    "    PERFORM pg_advisory_xact_lock(7312, (a % 2147483647)::int);\n"
    "    SELECT * INTO o FROM presence p WHERE p.agent = a FOR UPDATE;\n"
    "  END IF;\n"
    "  IF NOT claims OR NOT EXISTS (SELECT FROM running_seats s JOIN running r ON r.match = s.match WHERE s.agent = a AND s.counts\n"
    "      AND r.host <> e AND is_busy(a, r.match, r.host)) OR EXISTS (SELECT FROM running_seats s JOIN running r ON r.match =\n"
    "      s.match WHERE s.agent = a AND s.counts AND r.host = e) THEN\n"
    "    c := (SELECT era FROM conn_eras) * 4294967296 + nextval('conns');\n"
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
    NULL,
};
// clang-format on
