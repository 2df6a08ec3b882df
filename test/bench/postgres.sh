#!/bin/bash
# postgres.sh BENCH [COPIES]: what the store costs on PostgreSQL, beside SQLite. BENCH is the program bench.store.
#
# First durable actions, SQLite and PostgreSQL in turns: CPU of the node (caller and writer) and of the server. Commits reach
# the disk, as in operation. Then reads on 100,000 matches of 100,000 agents, laid down COPIES (100) times; 0: no reads. That
# server need not survive a loss of power, and needs 15 GB of disk for ten million matches.
set -eu
bench=$(realpath "$1") copies=${2:-100} part=${3:-actions}
here=$(dirname "$(realpath "$0")")
if [ "$part" = actions ] && [ -z "${AGON_TEST_POSTGRES:-}" ]; then
    AGON_TEST_POSTGRES_SETTINGS="fsync = on
full_page_writes = on
shared_buffers = 1GB
autovacuum = on
max_wal_size = 8GB" "$here/../support/with-postgres" "$0" "$bench" "$copies" actions
    [ "$copies" -gt 0 ] || exit 0
    AGON_TEST_POSTGRES_SETTINGS="shared_buffers = 2GB
wal_level = minimal
max_wal_senders = 0
max_wal_size = 8GB
checkpoint_timeout = 30min" exec "$here/../support/with-postgres" "$0" "$bench" "$copies" reads
fi
folder=${AGON_TEST_POSTGRES#*host=}
AGON_BENCH_SERVER=$(head -n 1 "$folder/data/postmaster.pid")
export AGON_BENCH_SERVER
fresh() { psql -q "$AGON_TEST_POSTGRES" -c "DROP DATABASE IF EXISTS $1 WITH (FORCE)" -c "CREATE DATABASE $1" && echo "postgresql://agon@/$1?host=$folder"; }

if [ "$part" = actions ]; then
    for round in 1 2 3; do
        echo "sqlite      $("$bench" appends | sed -n 1p)"
        echo "postgresql  $("$bench" appends "$(fresh "actions_$round")" | sed -n 1p)"
        psql -q "$AGON_TEST_POSTGRES" -c "DROP DATABASE actions_$round"
    done
    exit 0
fi
url=$(fresh reads)
"$bench" fill "$url" "${AGON_BENCH_MATCHES:-100000}" "${AGON_BENCH_AGENTS:-100000}" 2>/dev/null
begun=$SECONDS
psql -qtA "$url" -v copies="$copies" -f "$here/postgres_grow.sql"
echo "laid down in $((SECONDS - begun)) s"
"$bench" reads "$url" "$copies"
