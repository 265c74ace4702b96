#!/usr/bin/env bash
# Builds the image without a container engine, then runs it: the doctor and a small sweep.
#
#   apt-get install buildah debootstrap && docker/check.sh [IMAGE]
#
# Needs root. If the base image cannot be pulled, it is built from Debian's packages under the same name, with this
# machine's trusted certificates in addition to Debian's.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
image=${1:-localhost/cuda-dse:0.1.0}
base=$(sed -n 's/^ARG BASE=//p' "$repository/docker/Dockerfile")
export BUILDAH_ISOLATION=chroot BUILDAH_FORMAT=docker

step() {
    echo "+ $*"
    local began=$SECONDS
    "$@"
    echo "  $((SECONDS - began)) s"
}

make_base() {
    local root suite=${base#debian:} container
    root=$(mktemp -d)
    debootstrap --variant=minbase --include=ca-certificates "${suite%-slim}" "$root" >/dev/null
    cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null || true
    chroot "$root" update-ca-certificates >/dev/null 2>&1
    rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,info,locale,man}/*
    container=$(buildah from scratch)
    buildah add --quiet "$container" "$root" / >/dev/null
    buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd bash "$container"
    buildah commit --quiet --rm "$container" "docker.io/library/$base" >/dev/null
    rm -rf "$root"
}

run_inside() {
    buildah run --user 10001:10001 "$container" -- "$@"
}

buildah inspect --type image "$base" >/dev/null 2>&1 || buildah pull "$base" 2>/dev/null || step make_base
step buildah build --layers --pull-never --network host --file "$repository/docker/Dockerfile" --tag "$image" "$repository"
container=$(buildah from --pull-never "$image")
trap 'buildah rm "$container" >/dev/null' EXIT
step run_inside dse doctor
step run_inside dse run rsqrt_chain --gpu h200 --trials 6 --workers 1
test "$(run_inside id --user)" = 10001
if run_inside sh -c 'command -v gcc || touch /opt/dse/probe' 2>/dev/null; then
    echo "the image holds a compiler, or its user may change the program" >&2
    exit 1
fi
