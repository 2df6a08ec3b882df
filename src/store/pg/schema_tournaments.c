// A migration: tournaments of several nodes (S47). What a director writes is stored as the files that it would have in
// its folder; `at` is the offset of a part of a growing file, -1 for a file that is written as a whole.
#include "store/pg/internal.h"

// clang-format off
const char *const pg_schema_tournaments[] = {
    "CREATE TABLE tours(id uuid PRIMARY KEY, changes bigint NOT NULL, ended_ms bigint NOT NULL DEFAULT 0)",
    "CREATE INDEX tours_ended ON tours(ended_ms)",
    "CREATE TABLE tour_files(tour uuid NOT NULL REFERENCES tours(id), file text NOT NULL, at bigint NOT NULL, bytes bytea NOT NULL,\n"
    "  PRIMARY KEY(tour, file, at))",
    // An ended tournament stays ended. Also removes roles of ended tournaments whose holder is gone.
    "CREATE FUNCTION put_tour_file(t uuid, f text, a bigint, b bytea, ends boolean) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE end_ms bigint := CASE WHEN ends THEN (extract(epoch FROM clock_timestamp()) * 1000)::bigint ELSE 0 END; BEGIN\n"
    "  INSERT INTO tours AS x VALUES(t, 1, end_ms) ON CONFLICT (id) DO UPDATE SET changes = x.changes + CASE WHEN a < 0 THEN 1 ELSE 0 END,\n"
    "    ended_ms = CASE WHEN x.ended_ms > 0 THEN x.ended_ms ELSE end_ms END;\n"
    "  INSERT INTO tour_files VALUES(t, f, a, b) ON CONFLICT (tour, file, at) DO UPDATE SET bytes = b;\n"
    "  IF ends THEN\n"
    "    DELETE FROM roles r WHERE r.role LIKE 'tour:%' AND r.epoch NOT IN (SELECT epoch FROM nodes) AND EXISTS (SELECT FROM tours x\n"
    "      WHERE x.ended_ms > 0 AND r.role = 'tour:' || replace(x.id::text, '-', ''));\n"
    "  END IF;\n"
    "END $$",
    "CREATE FUNCTION drop_tour_file(t uuid, f text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "  DELETE FROM tour_files WHERE tour = t AND file = f;\n"
    "  UPDATE tours SET changes = changes + 1 WHERE id = t;\n"
    "END $$",
    NULL,
};
