#!/bin/bash
# postgres_nodes.sh BENCH: what an action costs the server when several nodes write, in turns: 4,000 actions a second by 1 to 8
# nodes together, and 2,000 a second by each of them. BENCH is the program bench.store. ROUNDS (2) turns.
set -eu
bench=$(realpath "$1")
if [ -z "${AGON_TEST_POSTGRES:-}" ]; then
    export AGON_TEST_POSTGRES_SETTINGS="fsync = on
full_page_writes = on
shared_buffers = 1GB
autovacuum = on
max_wal_size = 8GB
max_connections = 100"
    exec "$(dirname "$(realpath "$0")")/../support/with-postgres" "$0" "$bench"
fi
folder=${AGON_TEST_POSTGRES#*host=}
AGON_BENCH_SERVER=$(head -n 1 "$folder/data/postmaster.pid")
export AGON_BENCH_SERVER
for round in $(seq "${ROUNDS:-2}"); do
    for case in "1 4000" "2 4000" "4 4000" "8 4000" "1 2000" "8 16000"; do
        psql -q "$AGON_TEST_POSTGRES" -c "CREATE DATABASE turn"
        # shellcheck disable=SC2086
        echo "round $round, ${case#* } /s in all: $("$bench" nodes "postgresql://agon@/turn?host=$folder" $case)"
        psql -q "$AGON_TEST_POSTGRES" -c "DROP DATABASE turn WITH (FORCE)"
    done
done
