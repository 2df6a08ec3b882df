#!/usr/bin/env python3
"""pack.py FORMAT TREE DIST: one package file from a tree of packaging/tree, or from a root file system (image).

FORMAT is tarball, npm, wheel, mcpb, image or server-json. The same tree gives the same bytes: names are sorted, times are
SOURCE_DATE_EPOCH or 1980. Prints the file.
"""
import base64
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tarfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
WHEN = max(int(os.environ.get("SOURCE_DATE_EPOCH", 315532800)), 315532800)  # zip knows nothing before 1980
NAME = "agon-referee"  # on npm and the Python index, where `agon` is another project or another package of ours
PLATFORM = "manylinux_2_36_x86_64"  # glibc of Debian 12
SUMMARY = "The referee between AI agents and games: poker, Coup, Liar's Dice, belote, Tetris"
USER = 65532


def version():
    with open(os.path.join(HERE, "../CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(agon VERSION ([0-9.]+)", file.read())[1]


def server_json():
    with open(os.path.join(HERE, "server.json"), encoding="utf-8") as file:
        return json.load(file)


def as_json(value):
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


# --- what goes in: {name: (bytes, mode)}, or a link as (target, None)


def read_tree(tree, parts=None):
    found = {}
    for folder, folders, files in os.walk(tree):
        folders.sort()  # the order in which the walk goes on
        for name in sorted(files) + sorted(f for f in folders if os.path.islink(os.path.join(folder, f))):
            path = os.path.join(folder, name)
            inside = os.path.relpath(path, tree)
            if parts and not any(inside == p or inside.startswith(p + "/") for p in parts):
                continue
            if os.path.islink(path) and not parts:  # zip files and npm have none: there a link becomes what it names
                found[inside] = (os.readlink(path), None)
            else:
                with open(path, "rb") as file:
                    found[inside] = (file.read(), 0o755 if os.stat(path).st_mode & 0o111 else 0o644)
    return found


PROGRAM = ["bin", "lib", "LICENSE", "share/doc/agon/licenses"]  # of packages whose users want to run it, no more


def put_tar(out, files, prefix="", owner=lambda name: 0, folders=()):
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, mode in sorted(folders):
            info = tarfile.TarInfo(prefix + name)
            info.type, info.mode, info.mtime = tarfile.DIRTYPE, mode, WHEN
            info.uid = info.gid = owner(name)
            tar.addfile(info)
        for name in sorted(files):
            data, mode = files[name]
            info = tarfile.TarInfo(prefix + name)
            info.mtime = WHEN
            info.uid = info.gid = owner(name)
            if mode is None:
                info.type, info.linkname, info.mode = tarfile.SYMTYPE, data, 0o777
                tar.addfile(info)
            else:
                info.mode, info.size = mode, len(data)
                tar.addfile(info, io.BytesIO(data))


def packed(write, level=9):
    raw, out = io.BytesIO(), io.BytesIO()
    write(raw)
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=level, mtime=0) as file:
        file.write(raw.getvalue())
    return raw.getvalue(), out.getvalue()


def put_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, (data, mode) in files.items():
            info = zipfile.ZipInfo(name, time.gmtime(WHEN)[:6])
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(info, data)


def save(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


# --- formats


def tarball(tree, dist):
    name = f"agon-{version()}-linux-x86_64"
    return save(f"{dist}/{name}.tar.gz", packed(lambda out: put_tar(out, read_tree(tree), name + "/"))[1])


def readme():
    return f"""# agon

{SUMMARY}. This package carries the program for Linux on x86-64 (glibc 2.36 or newer).

    npx {NAME} play coup          # from npm
    uvx {NAME} play coup          # from the Python index; pipx run {NAME} does the same
    {NAME} mcp --tools player     # an MCP server for a language model

mcp-name: {server_json()["name"]}
"""


def npm(tree, dist):
    files = {f"root/{k}": v for k, v in read_tree(tree, PROGRAM).items()}
    about = {
        "name": NAME,
        "version": version(),
        "description": SUMMARY,
        "mcpName": server_json()["name"],
        "license": "MIT",
        "os": ["linux"],
        "cpu": ["x64"],
        "libc": ["glibc"],
        "bin": {"agon": "root/bin/agon", NAME: "root/bin/agon"},
        "keywords": ["games", "agents", "mcp", "mcp-server", "poker", "benchmark"],
    }
    files["package.json"] = (as_json(about), 0o644)
    files["README.md"] = (readme().encode(), 0o644)
    return save(f"{dist}/{NAME}-{version()}.tgz", packed(lambda out: put_tar(out, files, "package/"))[1])


LAUNCH = '''"""Starts the program that this package carries."""
import os
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "root", "bin", "agon")
    os.execv(program, ["agon", *sys.argv[1:]])


if __name__ == "__main__":
    main()
'''


def wheel(tree, dist):
    package = NAME.replace("-", "_")
    info = f"{package}-{version()}.dist-info"
    files = {f"{package}/root/{k}": v for k, v in read_tree(tree, PROGRAM).items()}
    files[f"{package}/__init__.py"] = (b'"""The program agon."""\n', 0o644)
    files[f"{package}/__main__.py"] = (LAUNCH.encode(), 0o644)
    meta = f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\nSummary: {SUMMARY}\nRequires-Python: >=3.8\n"
    files[f"{info}/METADATA"] = ((meta + "Description-Content-Type: text/markdown\n\n" + readme()).encode(), 0o644)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: agon\nRoot-Is-Purelib: false\nTag: py3-none-{PLATFORM}\n".encode(), 0o644)
    # Not `agon`: the package for training may bring a command of that name.
    files[f"{info}/entry_points.txt"] = (f"[console_scripts]\n{NAME} = {package}.__main__:main\n".encode(), 0o644)
    rows = []
    for name, (data, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}")
    files = dict(sorted(files.items()))
    files[f"{info}/RECORD"] = (("\n".join([*rows, f"{info}/RECORD,,"]) + "\n").encode(), 0o644)
    path = f"{dist}/{package}-{version()}-py3-none-{PLATFORM}.whl"
    put_zip(path, files)
    return path


def manifest():
    return {
        "manifest_version": "0.3",
        "name": "agon",
        "display_name": "agon: games for models",
        "version": version(),
        "description": SUMMARY,
        "author": {"name": "the agon authors"},
        "server": {
            "type": "binary",
            "entry_point": "server/bin/agon",
            "mcp_config": {"command": "${__dirname}/server/bin/agon", "args": ["mcp", "--tools", "player"], "env": {}},
        },
        "tools": [
            {"name": "join", "description": "Take a seat and start a game against house bots."},
            {"name": "act", "description": "Make a move."},
            {"name": "look", "description": "Show the table without moving."},
            {"name": "leave", "description": "Give up the seat."},
        ],
        "keywords": ["games", "poker", "coup", "liars-dice", "belote", "tetris"],
        "compatibility": {"platforms": ["linux"]},
    }


def mcpb(tree, dist):
    files = {"manifest.json": (as_json(manifest()), 0o644)}
    files.update({f"server/{k}": v for k, v in read_tree(tree, PROGRAM).items()})
    path = f"{dist}/agon-{version()}.mcpb"
    put_zip(path, files)
    return path


def registry(tree, dist):
    return save(f"{dist}/server.json", as_json(server_json()))


# --- the image: an OCI layout in a tar file


def folders_of(tree):
    for folder, folders, _ in os.walk(tree):
        for name in folders:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                yield os.path.relpath(path, tree), os.stat(path).st_mode & 0o7777


def image(tree, dist):
    files = read_tree(tree)
    del files[".packages"]
    own = lambda name: USER if name == "var/lib/agon" else 0
    raw, layer = packed(lambda out: put_tar(out, files, owner=own, folders=folders_of(tree)))
    blobs = {}

    def blob(kind, data):
        digest = hashlib.sha256(data).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = (data, 0o644)
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(data)}

    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(WHEN))
    labels = {"org.opencontainers.image.title": "agon", "org.opencontainers.image.version": version(), "org.opencontainers.image.description": SUMMARY}
    config = {
        "created": when,
        "architecture": "amd64",
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {"8080/tcp": {}},
            "Env": ["PATH=/usr/bin", "HOME=/var/lib/agon", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
            "Entrypoint": ["/usr/bin/agon"],
            "Cmd": ["serve", "--host", "0.0.0.0", "--data", "/var/lib/agon", "--tetris-port", "0"],
            "Volumes": {"/var/lib/agon": {}},
            "WorkingDir": "/var/lib/agon",
            "StopSignal": "SIGTERM",
            "Labels": labels,
            # Beyond OCI, as engines that know health checks read it; times in nanoseconds.
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/agon", "admin", "health", "--server", "http://127.0.0.1:8080"],
                "Interval": 30 * 10**9,
                "Timeout": 5 * 10**9,
                "StartPeriod": 5 * 10**9,
                "Retries": 3,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(raw).hexdigest()]},
        "history": [{"created": when, "created_by": "packaging/image", "comment": "Debian 12 packages and agon"}],
    }
    parts = [blob("application/vnd.oci.image.config.v1+json", as_json(config)), blob("application/vnd.oci.image.layer.v1.tar+gzip", layer)]
    body = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": parts[0], "layers": parts[1:], "annotations": labels}
    entry = blob(body["mediaType"], as_json(body))
    entry["platform"] = {"architecture": "amd64", "os": "linux"}
    entry["annotations"] = {"org.opencontainers.image.ref.name": version()}
    blobs["index.json"] = (as_json({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [entry]}), 0o644)
    blobs["oci-layout"] = (as_json({"imageLayoutVersion": "1.0.0"}), 0o644)
    out = io.BytesIO()
    put_tar(out, blobs)
    return save(f"{dist}/agon-{version()}-oci.tar", out.getvalue())


FORMATS = {"tarball": tarball, "npm": npm, "wheel": wheel, "mcpb": mcpb, "image": image, "server-json": registry}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in FORMATS:
        sys.exit(__doc__)
    os.makedirs(sys.argv[3], exist_ok=True)
    print(FORMATS[sys.argv[1]](sys.argv[2], sys.argv[3]))
