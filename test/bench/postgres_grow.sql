-- Lays down the matches that `bench.store fill` has put :copies times, one after the other in time, so that an arena of ten
-- million matches takes minutes and not hours. Lists and counts are as if they had been played: numbers without gaps, tallies
-- by day and hour. The last two bytes of an id say which copy it is. Logs are not copied: a replay reads one row of them,
-- however many there are.
\set ON_ERROR_STOP on
SET synchronous_commit = off;
SET maintenance_work_mem = '512MB';
SELECT max(match) - min(match) + 1 AS rows, 2000 * count(*) AS span, max(finish_no) AS nos, min(finished) AS first FROM matches \gset

CREATE FUNCTION copy_of(id uuid, k bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
$$ SELECT encode(substring(uuid_send(id) FOR 14) || int2send(k::smallint), 'hex')::uuid $$;

SELECT make_month(:first + m * 28 * 86400000::bigint) FROM generate_series(0::bigint, (:span::bigint * :copies / (28 * 86400000::bigint)) + 1) m \g /dev/null

INSERT INTO matches SELECT match + k * :rows, finished + k * :span, copy_of(id, k), copy_of(replay, k), game, finish_no + k * :nos,
    listed, unreported, record FROM generate_series(1::bigint, :copies - 1) k, matches WHERE finish_no <= :nos;

CREATE TEMP TABLE base AS SELECT s.*, g.size AS in_game, a.size AS in_all FROM seats s
    JOIN lists g ON g.agent = s.agent AND g.game = s.game JOIN lists a ON a.agent = s.agent AND a.game = 0;
INSERT INTO seats SELECT match + k * :rows, seat, finished + k * :span, agent, game, number + k * in_game, place + k * in_all,
    copy_of(session, k), result, rating, deviation, delivered FROM generate_series(1::bigint, :copies - 1) k, base;
UPDATE lists SET size = size * :copies;
UPDATE versus SET games = games * :copies, wins = wins * :copies, losses = losses * :copies, draws = draws * :copies;
INSERT INTO starts SELECT agent, at_ms + k * :span, match + k * :rows FROM generate_series(1::bigint, :copies - 1) k, starts;

TRUNCATE tallies;
INSERT INTO tallies SELECT finished / 86400000, -1, game, 1, count(*), count(*), 9 * count(*) FROM matches GROUP BY 1, 3;
INSERT INTO tallies SELECT finished / 86400000, finished / 3600000 % 24, game, 1, count(*), count(*), 0 FROM matches GROUP BY 1, 2, 3;
SELECT setval('finish_nos', :nos * :copies), setval('row_blocks', (SELECT max(match) / 1000 + 2 FROM matches)) \g /dev/null
VACUUM ANALYZE;
SELECT count(*) || ' matches, ' || pg_size_pretty(pg_database_size(current_database())) AS grown FROM matches;
