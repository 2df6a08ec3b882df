// Bots behind TLS: certificates are checked unless somebody says otherwise (B11.29, B12.1).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, describe, test } from "node:test";
import { program, run } from "./agon.mjs";
import { start } from "./lib/bots.mjs";
import { spawn } from "./lib/children.mjs";

const folder = mkdtempSync(`${tmpdir()}/agon-tls-`), cert = `${folder}/cert.pem`, key = `${folder}/key.pem`;
after(() => rmSync(folder, { recursive: true }));
const openssl = spawnSync("openssl", ["version"]).status === 0;

function beside(args) {
    return new Promise((resolve) => {
        const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
        let stdout = "", stderr = "";
        child.stdout.on("data", (bytes) => (stdout += bytes));
        child.stderr.on("data", (bytes) => (stderr += bytes));
        child.on("close", (status) => resolve({ status, stdout, stderr }));
    });
}

describe("TLS", { skip: !openssl && "no openssl to make certificates with" }, () => {
    before(() => {
        const made = spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
        assert.equal(made.status, 0, String(made.stderr));
    });
    const serve = async () => {
        const { url, port } = await start(program, ["bot", "belote", "--bot", "random", "--port", "0", "--tls-cert", cert, "--tls-key", key]);
        assert.match(url, /^https:/);
        return port;
    };
    const match = async (address, ...more) => {
        const done = await beside(["match", "belote", "--seat", `far=${address}`, "--seat", "house:rules", "--games", "2", "--seed", "1", "--rules", '{"target":30}', "-v", "--json", ...more]);
        return { ...done, report: done.stdout && JSON.parse(done.stdout) };
    };
    const rows = [
        ["nobody vouches for it", "https://localhost", [], /its TLS certificate is not trusted/],
        ["it is trusted", "https://localhost", ["--ca-file", cert], null],
        ["it is another host's", "https://127.0.0.1", ["--ca-file", cert], /its TLS certificate is not trusted/],
        ["nobody asks", "https://127.0.0.1", ["--insecure"], null],
        ["it is spoken to in the clear", "http://localhost", [], /far: http:/],
    ];
    for (const [name, host, more, fault] of rows)
        test(name, async () => {
            const { report, status, stderr } = await match(`${host}:${await serve()}`, ...more);
            assert.equal(status, fault ? 2 : 0, stderr); // before the first game
            if (fault) return assert.match(stderr, fault);
            assert.equal(report.forfeited, 0, stderr);
            const far = report.standings.find((row) => row.entrant === "far");
            assert.equal(far.trouble.sessions_created, 4);
            assert.equal(far.trouble.sessions_deleted, 4);
        });

    test("agon verify bot", async () => {
        const url = `https://localhost:${await serve()}`;
        const refused = await beside(["verify", "bot", url, "--quick"]);
        assert.equal(refused.status, 2);
        assert.match(refused.stderr, /cannot reach .*certificate/);
        const passed = await beside(["verify", "bot", url, "--quick", "--strict", "--games", "2", "--seed", "1", "--ca-file", cert]);
        assert.equal(passed.status, 0, passed.stderr);
    });

    test("what makes no sense is refused", () => {
        writeFileSync(`${folder}/empty.pem`, "");
        for (const [args, says] of [
            [["bot", "belote", "--tls-cert", cert], /must be given together/],
            [["bot", "belote", "--tls-cert", "/nowhere", "--tls-key", key], /cannot read the certificate \/nowhere/],
            [["bot", "belote", "--tls-cert", cert, "--tls-key", `${folder}/empty.pem`], /cannot use the key .*empty\.pem: .*; it must be a PEM file/],
            [["match", "belote", "--seat", "a=https://localhost:1", "--seat", "b=house:rules", "--ca-file", "/nowhere"], /cannot read the certificates in \/nowhere/],
            [["verify", "bot", "https://localhost:1", "--ca-file", "/nowhere"], /cannot read the certificates in \/nowhere/],
        ]) {
            const { status, stderr } = run(args);
            assert.equal(status, 2, args.join(" "));
            assert.match(stderr, says);
        }
    });
});
