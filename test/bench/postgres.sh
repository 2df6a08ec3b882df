#!/bin/bash
# postgres.sh BENCH [COPIES]: what the store costs on PostgreSQL, beside SQLite. BENCH is the program bench.store.
#
# First durable actions, SQLite and PostgreSQL in turns: CPU of the node (caller and writer) and of the server. Then reads on
# 100,000 matches of 100,000 agents, laid down COPIES (100) times. Commits reach the disk, as in operation.
set -eu
bench=$(realpath "$1") copies=${2:-100}
here=$(dirname "$(realpath "$0")")
if [ -z "${AGON_TEST_POSTGRES:-}" ]; then
    export AGON_TEST_POSTGRES_SETTINGS="fsync = on
full_page_writes = on
shared_buffers = 1GB
autovacuum = on
max_wal_size = 8GB"
    exec "$here/../support/with-postgres" "$0" "$@"
fi
folder=${AGON_TEST_POSTGRES#*host=}
AGON_BENCH_SERVER=$(head -n 1 "$folder/data/postmaster.pid")
export AGON_BENCH_SERVER
fresh() { psql -q "$AGON_TEST_POSTGRES" -c "DROP DATABASE IF EXISTS $1 WITH (FORCE)" -c "CREATE DATABASE $1" && echo "postgresql://agon@/$1?host=$folder"; }

for round in 1 2 3; do
    echo "sqlite      $("$bench" appends | sed -n 1p)"
    echo "postgresql  $("$bench" appends "$(fresh "actions_$round")" | sed -n 1p)"
    psql -q "$AGON_TEST_POSTGRES" -c "DROP DATABASE actions_$round"
done

url=$(fresh reads)
"$bench" fill "$url" "${AGON_BENCH_MATCHES:-100000}" "${AGON_BENCH_AGENTS:-100000}" 2>/dev/null
psql -qtA "$url" -v copies="$copies" -f "$here/postgres_grow.sql"
"$bench" reads "$url" "$copies"
