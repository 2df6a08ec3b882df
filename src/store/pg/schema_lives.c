// Who wrote what (S90): each piece of a log has the epoch and the batch that added it, and what a life of a node came
// to is kept when its row goes. So a piece that was written after its writer was taken over shows.
#include "store/pg/inside.h"

// clang-format off
const char *const pg_schema_lives[] = {
    "ALTER TABLE pieces ADD epoch int, ADD batch bigint",
    "CREATE TABLE lives(epoch bigint PRIMARY KEY, name text NOT NULL, batch bigint NOT NULL, ended_ms bigint NOT NULL)",
    // An epoch may come again when the store has lost the newest ones (S73).
    "CREATE FUNCTION note_life() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN\n"
    "  INSERT INTO lives AS l VALUES(OLD.epoch, OLD.name, OLD.batch, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)\n"
    "    ON CONFLICT (epoch) DO UPDATE SET name = excluded.name, batch = greatest(l.batch, excluded.batch),\n"
    "    ended_ms = excluded.ended_ms;\n"
    "  RETURN NULL;\n"
    "END $$",
    "CREATE TRIGGER nodes_end AFTER DELETE ON nodes FOR EACH ROW EXECUTE FUNCTION note_life()",

    // S19. An end that was refused has closed its deal all the same (S41). When its node is gone before it puts the end again,
    // whoever adopts the match closes the deal a second time: once is enough.
    "CREATE OR REPLACE FUNCTION add_entries(kinds bigint[], numbers bigint[], times bigint[], bodies bytea[]) RETURNS void\n"
    "  LANGUAGE plpgsql AS $$\n"
    "DECLARE p bigint; l bytea; BEGIN\n"
    "  PERFORM pg_advisory_xact_lock(7311, 2);\n"
    "  SELECT place, link INTO p, l FROM commitments ORDER BY place DESC LIMIT 1;\n"
    "  IF NOT FOUND THEN p := -1; l := decode(repeat('00', 32), 'hex'); END IF;\n"
    "  FOR i IN 1 .. array_length(kinds, 1) LOOP\n"
    "    CONTINUE WHEN kinds[i] = 3 AND EXISTS (SELECT FROM commitments WHERE kind = 3 AND number = numbers[i]);\n"
    "    p := p + 1;\n"
    "    l := sha256('agon.commitments.1'::bytea || l || le64(p) || set_byte(decode('00', 'hex'), 0, kinds[i]::int) || le64(numbers[i])\n"
    "      || le64(times[i]) || bodies[i]);\n"
    "    INSERT INTO commitments(place, kind, number, at_ms, body, link) VALUES(p, kinds[i], numbers[i], times[i], bodies[i], l);\n"
    "  END LOOP;\n"
    "END $$",
    NULL,
};
