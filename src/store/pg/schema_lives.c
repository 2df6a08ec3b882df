// Who wrote what (S90): each piece of a log has the epoch and the batch that added it, and when a node's row is
// deleted, its last batch is kept. So a piece that was written after its writer was taken over can be detected.
#include "store/pg/internal.h"

// clang-format off
const char *const pg_schema_lives[] = {
    "ALTER TABLE pieces ADD epoch int, ADD batch bigint",
    "CREATE TABLE lives(epoch bigint PRIMARY KEY, name text NOT NULL, batch bigint NOT NULL, ended_ms bigint NOT NULL)",
    // An epoch may be used again if the database has lost the newest ones (S73).
    "CREATE FUNCTION note_life() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN\n"
    "  INSERT INTO lives AS l VALUES(OLD.epoch, OLD.name, OLD.batch, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)\n"
    "    ON CONFLICT (epoch) DO UPDATE SET name = excluded.name, batch = greatest(l.batch, excluded.batch),\n"
    "    ended_ms = excluded.ended_ms;\n"
    "  RETURN NULL;\n"
    "END $$",
    "CREATE TRIGGER nodes_end AFTER DELETE ON nodes FOR EACH ROW EXECUTE FUNCTION note_life()",
    NULL,
};
