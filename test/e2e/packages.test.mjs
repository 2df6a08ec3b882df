// Packages (packaging/): cheap checks without a release build. `make gate GATE=packages` builds, installs and runs them.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import Ajv from "ajv";
import { program, root } from "./agon.mjs";
import { scratch } from "./lib/scratch.mjs";

const folder = scratch("agon-packages-");
const version = /[\d.]+/.exec(execFileSync(program, ["--version"], { encoding: "utf8" }))[0];
const sha = (bytes) => createHash("sha256").update(bytes).digest("hex");

function pack(format, tree, to = "one") {
    const done = spawnSync(`${root}packaging/pack.py`, [format, tree, `${folder}/${to}`], { encoding: "utf8" });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout.trim();
}

// {name: [mode, bytes or link]} of a tar file.
function list(bytes) {
    const found = {};
    for (let at = 0; bytes[at]; ) {
        const text = (from, size) => bytes.subarray(at + from, at + from + size).toString().replace(/\0.*$/s, "");
        const size = parseInt(text(124, 12), 8);
        const kind = text(156, 1);
        if ("025".includes(kind)) found[text(0, 100)] = { mode: parseInt(text(100, 8), 8), uid: parseInt(text(108, 8), 8), kind, link: text(157, 100), data: bytes.subarray(at + 512, at + 512 + size) };
        at += 512 + Math.ceil(size / 512) * 512;
    }
    return found;
}

// A tree as packaging/tree makes it, with a script in the place of the program.
const tree = `${folder}/tree`;
before(() => {
    for (const part of ["bin", "lib/agon", "share/man/man1", "share/doc/agon/licenses", "var/lib/agon", "tmp"]) mkdirSync(`${tree}/${part}`, { recursive: true });
    writeFileSync(`${tree}/bin/agon`, "#!/bin/sh\necho agon stands here\n");
    chmodSync(`${tree}/bin/agon`, 0o755);
    chmodSync(`${tree}/tmp`, 0o1777);
    writeFileSync(`${tree}/lib/agon/libx.so.1`, "x");
    symlinkSync("libx.so.1", `${tree}/lib/agon/libx.so`);
    for (const file of ["LICENSE", "share/man/man1/agon.1.gz", "share/doc/agon/licenses/libx1", ".packages"]) writeFileSync(`${tree}/${file}`, file);
});

describe("packages", () => {
    test("the same tree gives the same bytes", () => {
        for (const format of ["tarball", "npm", "mcpb", "image"]) assert.equal(sha(readFileSync(pack(format, tree, "one"))), sha(readFileSync(pack(format, tree, "two"))), format);
    });
    test("the tarball has one folder, and the program can be run", () => {
        const files = list(gunzipSync(readFileSync(pack("tarball", tree))));
        const top = `agon-${version}-linux-x86_64/`;
        assert.ok(Object.keys(files).every((name) => name.startsWith(top)));
        assert.equal(files[`${top}bin/agon`].mode, 0o755);
        assert.equal(files[`${top}lib/agon/libx.so.1`].mode, 0o644);
        assert.equal(files[`${top}lib/agon/libx.so`].link, "libx.so.1");
        assert.ok(files[`${top}LICENSE`] && files[`${top}share/man/man1/agon.1.gz`] && files[`${top}share/doc/agon/licenses/libx1`]);
    });
    test("the npm package runs the program itself, on the platform it is for", () => {
        const files = list(gunzipSync(readFileSync(pack("npm", tree))));
        const about = JSON.parse(files["package/package.json"].data);
        assert.deepEqual([about.name, about.version, about.os, about.cpu, about.libc], ["agon-referee", version, ["linux"], ["x64"], ["glibc"]]);
        for (const path of Object.values(about.bin)) assert.equal(files[`package/${path}`].mode, 0o755);
        assert.ok(!files["package/root/share/man/man1/agon.1.gz"]);
    });
    test("the wheel's record holds for every file, and its script starts the program", () => {
        const path = pack("wheel", tree);
        assert.match(path, new RegExp(`/agon_referee-${version}-py3-none-manylinux_2_36_x86_64\\.whl$`));
        execFileSync("python3", ["-m", "zipfile", "-e", path, `${folder}/wheel`]);
        const rows = readFileSync(`${folder}/wheel/agon_referee-${version}.dist-info/RECORD`, "utf8").trim().split("\n").map((row) => row.split(","));
        assert.equal(rows.length, new Set(rows.map(([name]) => name)).size);
        for (const [name, hash, size] of rows.filter((row) => row[1])) {
            const data = readFileSync(`${folder}/wheel/${name}`);
            assert.deepEqual([hash, size], [`sha256=${createHash("sha256").update(data).digest("base64url")}`, String(data.length)]);
        }
        chmodSync(`${folder}/wheel/agon_referee/root/bin/agon`, 0o755); // pip does this by the modes in the wheel
        assert.equal(execFileSync("python3", ["-m", "agon_referee"], { cwd: `${folder}/wheel`, encoding: "utf8" }), "agon stands here\n");
        const modes = execFileSync("python3", ["-c", "import sys,zipfile\nfor i in zipfile.ZipFile(sys.argv[1]).infolist(): print(oct(i.external_attr >> 16), i.filename)", path], { encoding: "utf8" });
        assert.match(modes, /^0o100755 agon_referee\/root\/bin\/agon$/m);
        const entries = readFileSync(`${folder}/wheel/agon_referee-${version}.dist-info/entry_points.txt`, "utf8");
        assert.doesNotMatch(entries, /^agon\s*=/m, "that command is another package's");
    });
    test("the bundle's manifest names tools that the program has", () => {
        const path = pack("mcpb", tree);
        execFileSync("python3", ["-m", "zipfile", "-e", path, `${folder}/bundle`]);
        const manifest = JSON.parse(readFileSync(`${folder}/bundle/manifest.json`, "utf8"));
        assert.equal(manifest.version, version);
        assert.ok(readFileSync(`${folder}/bundle/${manifest.server.entry_point}`).length > 0);
        assert.equal(manifest.server.mcp_config.command, `\${__dirname}/${manifest.server.entry_point}`);
        const input = [{ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } } },
            { jsonrpc: "2.0", method: "notifications/initialized" }, { jsonrpc: "2.0", id: 2, method: "tools/list" }].map((m) => JSON.stringify(m) + "\n").join("");
        const out = execFileSync(program, manifest.server.mcp_config.args, { input, encoding: "utf8" });
        const tools = JSON.parse(out.trim().split("\n").at(-1)).result.tools.map((tool) => tool.name);
        assert.deepEqual(manifest.tools.map((tool) => tool.name), tools);
    });
    test("the image is an OCI layout whose digests hold, for a user without rights, with a health check", () => {
        const blobs = list(readFileSync(pack("image", tree)));
        const json = (name) => JSON.parse(blobs[name].data);
        const blob = ({ digest, size }) => {
            const { data } = blobs[`blobs/${digest.replace(":", "/")}`];
            assert.deepEqual([`sha256:${sha(data)}`, data.length], [digest, size]);
            return data;
        };
        assert.deepEqual(json("oci-layout"), { imageLayoutVersion: "1.0.0" });
        const manifest = JSON.parse(blob(json("index.json").manifests[0]));
        const config = JSON.parse(blob(manifest.config));
        const layer = gunzipSync(blob(manifest.layers[0]));
        assert.deepEqual(config.rootfs.diff_ids, [`sha256:${sha(layer)}`]);
        assert.match(config.config.User, /^[1-9]\d*:[1-9]\d*$/);
        assert.deepEqual(config.config.Healthcheck.Test.slice(0, 4), ["CMD", "/usr/bin/agon", "admin", "health"]);
        const files = list(layer);
        assert.equal(`${files["var/lib/agon/"]?.uid ?? files["var/lib/agon"].uid}`, config.config.User.split(":")[0], "its data is its own");
        assert.ok(!files[".packages"]);
    });
});

// The parts of the registry's schema (2025-12-11) that our file uses, and what the registry itself asks for beyond it.
describe("server.json", () => {
    const text = { type: "string", minLength: 1 };
    const argument = {
        type: "object", required: ["type"], additionalProperties: false,
        properties: { type: { enum: ["positional", "named"] }, name: text, value: text, valueHint: text, description: text, default: text, isRequired: { type: "boolean" } },
        allOf: [{ if: { properties: { type: { const: "named" } } }, then: { required: ["name"] }, else: { anyOf: [{ required: ["value"] }, { required: ["valueHint"] }] } }],
    };
    const schema = {
        type: "object", required: ["name", "description", "version", "packages"], additionalProperties: false,
        properties: {
            $schema: { const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" },
            name: { type: "string", minLength: 3, maxLength: 200, pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" },
            title: { type: "string", minLength: 1, maxLength: 100 }, description: { type: "string", minLength: 1, maxLength: 100 },
            version: { type: "string", maxLength: 255, pattern: "^\\d+\\.\\d+\\.\\d+$" },
            packages: {
                type: "array", minItems: 1,
                items: {
                    type: "object", required: ["registryType", "identifier", "version", "transport"], additionalProperties: false,
                    properties: {
                        registryType: { enum: ["npm", "pypi", "oci", "nuget", "mcpb"] }, identifier: text, version: { type: "string", minLength: 1, maxLength: 255, not: { const: "latest" } },
                        runtimeHint: text, transport: { type: "object", required: ["type"], properties: { type: { const: "stdio" } }, additionalProperties: false },
                        packageArguments: { type: "array", items: argument },
                    },
                },
            },
        },
    };
    const server = JSON.parse(readFileSync(`${root}packaging/server.json`, "utf8"));
    const valid = new Ajv({ allErrors: true }).compile(schema);
    test("is accepted, and names this version and our packages", () => {
        assert.ok(valid(server), JSON.stringify(valid.errors));
        assert.equal(server.version, version);
        const npm = JSON.parse(list(gunzipSync(readFileSync(pack("npm", tree))))["package/package.json"].data);
        for (const one of server.packages) assert.deepEqual([one.identifier, one.version], [npm.name, version]);
        assert.equal(npm.mcpName, server.name);
        assert.equal(sha(readFileSync(pack("server-json", tree))), sha(Buffer.from(JSON.stringify(server, null, 2) + "\n")));
    });
    test("the program understands the arguments that it gives", () => {
        for (const { packageArguments } of server.packages) {
            const words = packageArguments.flatMap((a) => (a.type === "named" ? [a.name, a.value] : [a.value]));
            assert.equal(spawnSync(program, words, { input: "" }).status, 0, words.join(" "));
        }
    });
    test("the schema refuses what the registry would", () => {
        for (const change of [{ name: "agon" }, { description: "x".repeat(101) }, { version: "^1.0.0" }, { packages: [{ ...server.packages[0], transport: {} }] },
            { packages: [{ ...server.packages[0], packageArguments: [{ type: "named", value: "x" }] }] }])
            assert.ok(!valid({ ...server, ...change }), JSON.stringify(change));
    });
});
