#!/usr/bin/env python3
"""registry.py DIST VERSION: the packages of DIST on a free port of the loopback, as npm, the Python index and a container registry
serve them: /npm/, /simple/ and /v2/. Read only; prints the port.
"""
import base64
import functools
import hashlib
import http.server
import json
import os
import sys
import tarfile

NAME = "agon-referee"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def load_image(path):
    with tarfile.open(path) as tar:
        files = {m.name: tar.extractfile(m).read() for m in tar if m.isfile()}
    entry = json.loads(files["index.json"])["manifests"][0]
    blobs = {name.removeprefix("blobs/").replace("/", ":"): data for name, data in files.items() if name.startswith("blobs/")}
    return entry["digest"], blobs


class Registry(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, dist, version, image, *rest):
        self.dist, self.version, self.image = dist, version, image
        super().__init__(*rest)

    def log_message(self, *_):
        pass

    def base(self):
        return "http://" + self.headers["Host"]

    def npm(self):
        data = read(f"{self.dist}/{NAME}-{self.version}.tgz")
        with tarfile.open(f"{self.dist}/{NAME}-{self.version}.tgz") as tar:
            about = json.load(tar.extractfile("package/package.json"))
        about["dist"] = {
            "tarball": f"{self.base()}/npm/-/{NAME}-{self.version}.tgz",
            "shasum": hashlib.sha1(data).hexdigest(),
            "integrity": "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode(),
        }
        body = {"name": NAME, "dist-tags": {"latest": self.version}, "versions": {self.version: about}}
        return json.dumps(body).encode(), "application/json"

    def simple(self):
        wheel = next(f for f in os.listdir(self.dist) if f.startswith("agon_referee-") and f.endswith(".whl"))
        digest = hashlib.sha256(read(f"{self.dist}/{wheel}")).hexdigest()
        page = f'<!doctype html><html><body><a href="/files/{wheel}#sha256={digest}">{wheel}</a></body></html>'
        return page.encode(), "text/html"

    def oci(self, path):
        digest, blobs = self.image
        kind, _, what = path.removeprefix("/v2/agon/").partition("/")
        if kind == "manifests" and what in (self.version, digest):
            return blobs[digest], MANIFEST
        return blobs[what], "application/octet-stream"

    def find(self, path):
        if path == f"/npm/{NAME}":
            return self.npm()
        if path == f"/npm/-/{NAME}-{self.version}.tgz":
            return read(f"{self.dist}/{NAME}-{self.version}.tgz"), "application/octet-stream"
        if path == f"/simple/{NAME}/":
            return self.simple()
        if path.startswith("/files/"):
            return read(f"{self.dist}/{os.path.basename(path)}"), "application/octet-stream"
        if path in ("/v2/", "/v2"):
            return b"{}", "application/json"
        if path.startswith("/v2/agon/"):
            return self.oci(path)
        raise KeyError(path)

    def do_GET(self):
        try:
            body, kind = self.find(self.path.partition("?")[0])
            status = 200
        except (KeyError, OSError):
            body, kind, status = b"{}", "application/json", 404
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if kind == MANIFEST:
            self.send_header("Docker-Content-Digest", self.image[0])
        self.end_headers()
        try:
            if self.command != "HEAD":
                self.wfile.write(body)
        except ConnectionError:  # it wanted a part, or has seen enough
            self.close_connection = True

    do_HEAD = do_GET


if __name__ == "__main__":
    dist, version = sys.argv[1:]
    image = load_image(f"{dist}/agon-{version}-oci.tar")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Registry, dist, version, image))
    print(server.server_address[1], flush=True)
    server.serve_forever()
