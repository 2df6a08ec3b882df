#!/bin/bash
# packages.sh DIST: every package of `make packages`, installed or unpacked as a user would, and a game played with it. Prints a line
# for each. Root file systems are entered with chroot, in a namespace of their own for mounts.
set -eu
cd "$(dirname "$0")/../.."
dist=$(realpath "$1")
version=$(sed -n 's/^project(agon VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { echo "package: $*"; }
fail() { echo "package: FAILED: $*" >&2; exit 1; }
enter() { # ROOT UID COMMAND...; with how=exec in the place of this shell
    local root=$1 uid=$2
    shift 2
    local -a namespace=(unshare --mount) user=(--userspec="$uid:$uid")
    [ "$(id -u)" = 0 ] || namespace+=(--user --map-root-user) user=()
    mkdir -p "$root/proc"
    # shellcheck disable=SC2016 # the inner shell expands it
    ${how:-} "${namespace[@]}" sh -c 'mount --rbind /proc "$1/proc" && shift && exec chroot "$@"' sh "$root" ${user[@]+"${user[@]}"} "$root" "$@"
}
game() { "$@" match coup --seat house:rules --seat house:random -n 4 --seed 1 | grep -q '^coup, match: 4 games'; }
within() { # SECONDS NAME COMMAND...: a first game from nothing
    local limit=$1 name=$2 began
    began=$(date +%s%N)
    shift 2
    "$@" || fail "$name"
    local ms=$((($(date +%s%N) - began) / 1000000))
    [ "$ms" -lt $((limit * 1000)) ] || fail "$name took $ms ms, more than $limit s"
    say "$name: first game after $ms ms"
}

# The tarball, on a Debian 12 that has the C library, a shell and nothing else.
packaging/rootfs "$work/bare" base-files libc6 dash
mkdir -p "$work/bare/opt" "$work/bare/tmp" && chmod 1777 "$work/bare/tmp"
tar -xzf "$dist/agon-$version-linux-x86_64.tar.gz" -C "$work/bare/opt"
game enter "$work/bare" 65532 "/opt/agon-$version-linux-x86_64/bin/agon" || fail 'the tarball does not run on a bare Debian 12'
say "tarball: $(stat -c %s "$dist/agon-$version-linux-x86_64.tar.gz") bytes, plays on a Debian 12 of $(wc -l <"$work/bare/.packages") packages"

# The image: its layout by its own digests and by skopeo where it is installed, then served and asked for its health.
tar -xf "$dist/agon-$version-oci.tar" -C "$(mkdir -p "$work/oci" && echo "$work/oci")"
(cd "$work/oci/blobs/sha256" && for blob in *; do [ "$(sha256sum <"$blob")" = "$blob  -" ] || fail "the digest of $blob"; done)
! command -v skopeo >/dev/null || skopeo inspect "oci:$work/oci:$version" >/dev/null || fail 'skopeo cannot read the image'
read -r config layer < <(python3 - "$work/oci" <<'PY'
import json, sys
blob = lambda d: json.load(open(f"{sys.argv[1]}/blobs/{d.replace(':', '/')}"))
manifest = blob(json.load(open(f"{sys.argv[1]}/index.json"))["manifests"][0]["digest"])
print(manifest["config"]["digest"].replace(":", "/"), manifest["layers"][0]["digest"].replace(":", "/"))
PY
)
size=$(stat -c %s "$work/oci/blobs/$layer")
[ "$size" -lt 60000000 ] || fail "the image has $size bytes, 60 MB at most"
mkdir "$work/root" && tar -xzpf "$work/oci/blobs/$layer" -C "$work/root"
field() { python3 -c 'import json,sys; c=json.load(open(sys.argv[1]))["config"]; print("\n".join(eval(sys.argv[2])))' "$work/oci/blobs/$config" "$1"; }
uid=$(field '[c["User"].split(":")[0]]')
[ "$uid" != 0 ] || fail 'the image runs as root'
mapfile -t start < <(field 'c["Entrypoint"] + c["Cmd"]')
mapfile -t health < <(field 'c["Healthcheck"]["Test"][1:]')
port=$(python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])')
(how="exec"; enter "$work/root" "$uid" "${start[@]}" --port "$port") >"$work/served" 2>&1 & server=$!
for _ in $(seq 200); do grep -q 'listening unix' "$work/served" && break; kill -0 $server || { cat "$work/served" >&2; fail 'the image does not serve'; }; sleep 0.1; done
enter "$work/root" "$uid" "${health[@]/http:\/\/127.0.0.1:8080/http:\/\/127.0.0.1:$port}" >"$work/health" || fail 'the health check of a server that runs'
"$work/root/usr/bin/agon" --version >/dev/null
enter "$work/root" "$uid" /usr/bin/agon agent --server "http://127.0.0.1:$port" --game liars_dice --seconds 20 >/dev/null || fail 'nobody can play at the image'
kill $server
wait $server || fail 'the server did not end well'
! enter "$work/root" "$uid" "${health[@]/http:\/\/127.0.0.1:8080/http:\/\/127.0.0.1:$port}" >/dev/null 2>&1 || fail 'the health check of a server that is gone'
say "image: $size bytes, serves as user $uid, its health check tells the difference"

# npm, the Python index and a container registry, on this machine: a user's first game, with empty caches. The tools themselves are
# fetched before. Settings of this machine's own npm and pip do not count.
coproc REGISTRY { exec test/gates/registry.py "$dist" "$version"; }
registry=$REGISTRY_PID
trap 'kill "$registry" 2>/dev/null; rm -rf "$work"' EXIT
read -r port <&"${REGISTRY[0]}"
mkdir "$work/npm" "$work/node" "$work/home"
python3 -m venv "$work/tools" && "$work/tools/bin/pip" install -q uv==0.13.8 pipx==1.18.4
python3 -m venv "$work/venv"
clean=(env -i PATH="$work/tools/bin:$PATH" HOME="$work/home" LANG=C.UTF-8)
first=(match coup --seat house:rules --seat house:random -n 4 --seed 1)
plays() {
    (cd "$work/node" && "$@" "${first[@]}") >"$work/out" 2>"$work/err" || true
    grep -q '^coup, match: 4 games' "$work/out" || { cat "$work/out" "$work/err" >&2; return 1; }
}
within 30 npx plays "${clean[@]}" npm_config_cache="$work/npm" npm_config_registry="http://127.0.0.1:$port/npm/" npx --yes "agon-referee@$version"
"${clean[@]}" PIP_CONFIG_FILE=/dev/null "$work/venv/bin/pip" install -q --disable-pip-version-check --index-url "http://127.0.0.1:$port/simple/" agon-referee || fail pip
within 30 pip plays "${clean[@]}" "$work/venv/bin/agon-referee"
within 30 uvx plays "${clean[@]}" UV_PYTHON_DOWNLOADS=never uvx --no-config --cache-dir "$work/uv" --default-index "http://127.0.0.1:$port/simple/" agon-referee
within 30 pipx plays "${clean[@]}" PIP_CONFIG_FILE=/dev/null PIPX_HOME="$work/pipx" pipx run --index-url "http://127.0.0.1:$port/simple/" --spec agon-referee agon-referee
! command -v skopeo >/dev/null || {
    skopeo copy -q --src-tls-verify=false "docker://127.0.0.1:$port/agon:$version" "oci:$work/pulled:$version" || fail 'the image cannot be pulled'
    cmp <(skopeo inspect --raw "oci:$work/pulled:$version") <(skopeo inspect --raw "oci:$work/oci:$version") || fail 'another image was pulled'
    say 'image: pulled from a registry, the same'
}

# The bundle, by the official tool, then started as its manifest says.
npm install --silent --no-audit --no-fund --prefix "$work/node" @anthropic-ai/mcpb@2.1.2 >/dev/null
mcpb=$work/node/node_modules/.bin/mcpb
"$mcpb" unpack "$dist/agon-$version.mcpb" "$work/bundle" >/dev/null || fail 'the bundle cannot be unpacked'
"$mcpb" validate "$work/bundle/manifest.json" >/dev/null || fail 'the manifest of the bundle'
chmod +x "$work/bundle/server/bin/agon"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"join","arguments":{"game":"coup","seed":5}}}' |
    "$work/bundle/server/bin/agon" mcp --tools player | grep -q 'Your move: ' || fail 'nobody can join a game of the bundle'
say 'bundle: valid for the official tool, a game can be joined'
say 'all work'
