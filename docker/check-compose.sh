#!/usr/bin/env bash
# Starts compose.yaml with the image built by check.sh, uses the service, kills its parts, and removes everything.
#
#   apt-get install podman runc catatonit netavark aardvark-dns docker-compose   # the last from Debian 13 or newer
#   docker/check-compose.sh [IMAGE]
#
# Uses Docker if its engine is available, otherwise podman, which needs root. If PostgreSQL's image cannot be pulled,
# a compatible one is built from Debian's packages.
set -euo pipefail
folder=$(cd "$(dirname "$0")" && pwd)
image=${1:-localhost/cuda-dse:0.1.0}
work=$(mktemp -d)
export DSE_VERSION=check DSE_PORT=18000 MLFLOW_PORT=15000 WORKER_CPUS=1 WORKER_MEMORY=3g
export POSTGRES_PASSWORD='p@ss:w/rd #%' DSE_ADMIN_TOKEN RAY_AUTH_TOKEN
DSE_ADMIN_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
RAY_AUTH_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')

say() { echo "+ $* ($SECONDS s)"; }
fail() { echo "failed: $*" >&2; exit 1; }
compose() { docker-compose --project-name cuda-dse-check --file "$folder/compose.yaml" "$@"; }
in_api() { compose exec -T -e DSE_SERVER=http://127.0.0.1:8000 -e DSE_TOKEN="${token:-}" api "$@" </dev/null; }
status() { curl --silent --output /dev/null --write-out '%{http_code}' --max-time 5 "$@" || true; }

start_podman() {
    cat >"$work/containers.conf" <<END
[containers]
init_path = "/usr/bin/catatonit"
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=10000:10000"]
[engine]
runtime = "runc"
END
    export CONTAINERS_CONF=$work/containers.conf DOCKER_HOST=unix://$work/podman.sock
    podman system service --time=0 "$DOCKER_HOST" >"$work/podman.log" 2>&1 &
    podman tag "$image" "docker.io/library/cuda-dse:$DSE_VERSION"
    podman image exists postgres:17-bookworm || podman pull --quiet postgres:17-bookworm 2>/dev/null || make_postgres
    # Without systemd, podman does not run health checks by itself.
    while sleep 5; do
        for container in $(podman ps --quiet --filter name=cuda-dse-check); do
            podman healthcheck run "$container" >/dev/null 2>&1 || true
        done
    done &
}

make_postgres() {
    cat >"$work/entrypoint.sh" <<'END'
#!/bin/bash
set -euo pipefail
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    initdb --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") --auth-host=scram-sha-256
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
    pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start
    createdb --username="$POSTGRES_USER" "$POSTGRES_DB" 2>/dev/null || true
    for script in /docker-entrypoint-initdb.d/*.sql; do
        psql -v ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --file="$script"
    done
    pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec postgres -c 'listen_addresses=*'
END
    cat >"$work/Dockerfile" <<'END'
FROM debian:trixie-slim
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-17 && rm -rf /var/lib/apt/lists/* \
    && install -d -o postgres -g postgres -m 700 /var/lib/postgresql/data \
    && install -d -o postgres -g postgres -m 3775 /run/postgresql
ENV PATH=/usr/lib/postgresql/17/bin:/usr/sbin:/usr/bin:/sbin:/bin PGDATA=/var/lib/postgresql/data LANG=C.UTF-8
COPY --chmod=755 entrypoint.sh /usr/bin/
STOPSIGNAL SIGINT
ENTRYPOINT ["entrypoint.sh"]
END
    buildah build --isolation chroot --network host --pull-never --tag docker.io/library/postgres:17-bookworm "$work" >/dev/null
}

end() {
    compose logs --no-color >"$work/services.log" 2>&1 || true
    compose down --volumes --timeout 10 >/dev/null 2>&1 || true
    jobs -p | xargs --no-run-if-empty kill 2>/dev/null || true
    echo "logs: $work/services.log"
}

# Waits until a command succeeds, up to the number of seconds in the first argument.
wait_for() {
    local limit=$((SECONDS + $1)); shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $limit ] || fail "waited too long for: $*"
        sleep 1
    done
}

answers() { [ "$(status "http://127.0.0.1:$DSE_PORT/readyz")" = 200 ]; }
mlflow_answers() { [ "$(status "http://127.0.0.1:$MLFLOW_PORT/health")" = 200 ]; }
has_finished() { in_api dse status "$1" -o json | grep -q '"finished"'; }

# SIGKILLs the process of a service, as a crash would; its container exits and is restarted.
crash() {
    compose exec -T "$1" python -c "
import os, sys
from pathlib import Path
for folder in Path('/proc').glob('[0-9]*'):
    words = (folder / 'cmdline').read_bytes().split(b'\0')
    if int(folder.name) not in (1, os.getpid()) and sys.argv[1].encode() in words:
        os.kill(int(folder.name), 9)
" "$2" </dev/null
}

trap end EXIT
docker info >/dev/null 2>&1 || start_podman
sleep 2
compose up --detach --no-build --scale worker=2 >"$work/up.log" 2>&1 || { cat "$work/up.log"; fail "compose up"; }
wait_for 120 answers
wait_for 120 mlflow_answers
say "the API and MLflow answer"

[ "$(status "http://127.0.0.1:$DSE_PORT/healthz")" = 200 ] || fail "health needs a token"
[ "$(status "http://127.0.0.1:$DSE_PORT/metrics")" = 401 ] || fail "metrics need no token"
[ "$(status -H 'Host: elsewhere.example' "http://127.0.0.1:$MLFLOW_PORT/api/2.0/mlflow/experiments/search?max_results=1")" = 403 ] \
    || fail "MLflow answers to any name"
token=$(compose exec -T api dse token create check --scope submit </dev/null | tail -1)
say "a token is made"

in_api dse submit dot --gpu h200 --trials 24 --id undisturbed -o json
wait_for 300 has_finished undisturbed
say "a sweep has run on two workers"

in_api dse submit dot --gpu b200,h200 --trials 40 --id disturbed -o json
sleep 3
crash coordinator coordinate
crash api serve
crash worker ray::IDLE || true
wait_for 120 answers
wait_for 300 has_finished disturbed
say "a sweep has survived its coordinator and its API"

for sweep in undisturbed disturbed; do
    echo "$sweep: $(in_api dse results "$sweep" -o csv | wc -l) lines of results"
done
runs=$(curl --silent --max-time 20 -X POST -H 'Content-Type: application/json' -d '{"experiment_ids": ["0", "1", "2"], "max_results": 1000}' \
    "http://127.0.0.1:$MLFLOW_PORT/api/2.0/mlflow/runs/search" | grep -o '"run_id"' | wc -l)
echo "$runs runs in MLflow"
say "done"
