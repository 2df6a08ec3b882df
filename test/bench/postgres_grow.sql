-- Lays down the matches that `bench.store fill` has put :copies times, one after the other in time, so that an arena of ten
-- million matches takes minutes and not hours. Lists and counts are as if they had been played: numbers without gaps, tallies
-- by day and hour. The last two bytes of an id say which copy it is. Logs are not copied: a replay reads one row of them,
-- however many there are.
--
-- Each month is filled as a table of its own, without indexes, and becomes a partition then, which builds them. For a scratch
-- server: with wal_level = minimal nothing of it is written twice.
\set ON_ERROR_STOP on
SET synchronous_commit = off;
SET maintenance_work_mem = '1GB';
SET max_parallel_maintenance_workers = 0;
SET work_mem = '256MB';
CREATE TEMP TABLE sizes AS SELECT max(match) - min(match) + 1 AS rows, 2000 * count(*) AS span, max(finish_no) AS nos,
    min(finished) AS first, max(finished) AS last FROM matches;

CREATE FUNCTION copy_of(id uuid, k bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT encode(substring(uuid_send(id) FOR 14) || int2send(k::smallint), 'hex')::uuid $$;

-- What was filled in lies in the default partitions; it is laid down with the copies.
CREATE TEMP TABLE played AS SELECT * FROM matches;
CREATE TEMP TABLE sat AS SELECT s.*, g.size AS in_game, a.size AS in_all FROM seats s
    JOIN lists g ON g.agent = s.agent AND g.game = s.game JOIN lists a ON a.agent = s.agent AND a.game = 0;
TRUNCATE matches, seats;

CREATE PROCEDURE lay_down(copies bigint) LANGUAGE plpgsql AS $$
DECLARE z sizes%ROWTYPE; m timestamp; lo bigint; hi bigint; a bigint; b bigint; t text; name text; BEGIN
    SELECT * INTO z FROM sizes;
    m := date_trunc('month', to_timestamp(z.first / 1000) AT TIME ZONE 'UTC');
    LOOP
        lo := extract(epoch FROM m) * 1000;
        hi := extract(epoch FROM m + interval '1 month') * 1000;
        EXIT WHEN lo > z.last + (copies - 1) * z.span;
        a := greatest(0, (lo - z.last) / z.span);
        b := least(copies - 1, (hi - z.first) / z.span);
        FOREACH t IN ARRAY ARRAY['matches', 'seats'] LOOP
            name := t || to_char(m, '_YYYY_MM');
            EXECUTE format('CREATE TABLE %I (LIKE %I)', name, t);
            IF t = 'matches' THEN
                EXECUTE format('INSERT INTO %I SELECT match + k * $1, finished + k * $2, copy_of(id, k), copy_of(replay, k), game,
                    finish_no + k * $3, listed, unreported, record FROM generate_series($4, $5) k, played
                    WHERE finished + k * $2 >= $6 AND finished + k * $2 < $7', name) USING z.rows, z.span, z.nos, a, b, lo, hi;
            ELSE
                EXECUTE format('INSERT INTO %I SELECT match + k * $1, seat, finished + k * $2, agent, game, number + k * in_game,
                    place + k * in_all, copy_of(session, k), result, rating, deviation, delivered FROM generate_series($4, $5) k, sat
                    WHERE finished + k * $2 >= $6 AND finished + k * $2 < $7', name) USING z.rows, z.span, z.nos, a, b, lo, hi;
            END IF;
            EXECUTE format('ALTER TABLE %I ADD CHECK (finished >= %s AND finished < %s)', name, lo, hi);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', t, name, lo, hi);
        END LOOP;
        COMMIT;
        m := m + interval '1 month';
    END LOOP;
END $$;
CALL lay_down(:copies);

UPDATE lists SET size = size * :copies;
UPDATE versus SET games = games * :copies, wins = wins * :copies, losses = losses * :copies, draws = draws * :copies;
ALTER TABLE starts DROP CONSTRAINT starts_pkey;
INSERT INTO starts SELECT s.agent, s.at_ms + k * z.span, s.match + k * z.rows FROM generate_series(1::bigint, :copies - 1) k, starts s, sizes z;
ALTER TABLE starts ADD PRIMARY KEY (agent, at_ms, match);

TRUNCATE tallies;
INSERT INTO tallies SELECT finished / 86400000, finished / 3600000 % 24, game, 1, count(*), count(*), 0 FROM matches GROUP BY 1, 2, 3;
INSERT INTO tallies SELECT day, -1, game, 1, sum(listed), sum(ended), 9 * sum(ended) FROM tallies GROUP BY 1, 3;
SELECT setval('finish_nos', nos * :copies), setval('row_blocks', rows * :copies / 1000 + 2) FROM sizes \g /dev/null
VACUUM ANALYZE;
SELECT count(*) || ' matches, ' || pg_size_pretty(pg_database_size(current_database())) AS grown FROM matches;
