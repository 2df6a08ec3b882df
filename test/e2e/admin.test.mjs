// The operator's tools on a data folder, without a server.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect } from "node:tls";
import { Agent, agon, Arena, play } from "./lib/arena.mjs";
import { spawn } from "./lib/children.mjs";
import { until } from "./lib/wait.mjs";

const folder = mkdtempSync(join(tmpdir(), "admin-")), data = join(folder, "data");
let ada, bea;

function admin(...args) {
    const done = spawnSync(agon, ["admin", ...args, "--data", data], { encoding: "utf8" });
    return { ...done, json: done.stdout.startsWith("{") ? JSON.parse(done.stdout) : undefined };
}

// Rated and unrated matches of two games, of two agents and house bots.
before(async () => {
    const arena = await Arena.start(["--house-wait", "50", "--fill-wait", "50", "--rate-house", "--table-max", "2"], { data });
    [ada, bea] = [await arena.register("Ada", { auto_confirm: true }), await arena.register("Bea", { auto_confirm: true })];
    for (const [game, mode] of [["liars_dice"], ["liars_dice"], ["coup"], ["liars_dice", "friendly"], ["liars_dice"], ["texas_holdem"], ["coup"]]) {
        const [a, b] = [await Agent.connect(arena, ada), await Agent.connect(arena, bea)]; // anew: what one may send is limited
        for (const client of [a, b]) client.join(game, { one_shot: true, ...(mode ? { mode } : {}) });
        await Promise.all([play(a, 1), play(b, 1)]);
        await Promise.all([a.close(), b.close()]);
    }
    await arena.stop();
});
after(() => rmSync(folder, { recursive: true, force: true }));

const profiles = () => [ada, bea].map(({ id }) => admin("ratings", id, "--json").json);

test("recomputing from the replays gives every digit again", () => {
    const before = profiles();
    assert.deepEqual(before[0].ratings.map((r) => r.games_played).sort(), [1, 2, 4]);
    const done = admin("recompute", "--json");
    assert.equal(done.status, 0, done.stderr);
    assert.ok(done.json.matches >= 7 && done.json.rated >= 6 && done.json.damaged === 0);
    assert.deepEqual(profiles(), before);
});

test("recomputing what was damped", async () => {
    const other = join(folder, "damped"), ratings = (id) => JSON.parse(spawnSync(agon, ["admin", "ratings", id, "--data", other, "--json"], { encoding: "utf8" }).stdout);
    const recompute = (...more) => assert.equal(spawnSync(agon, ["admin", "recompute", "--data", other, ...more], { encoding: "utf8" }).status, 0);
    const arena = await Arena.start(["--house-bots", "0", "--fill-wait", "50", "--table-max", "2", "--damp-repeats", "--message-rate", "1000", "--message-burst", "1000"], { data: other });
    const agents = [await arena.register("Ada", { auto_confirm: true }), await arena.register("Bea", { auto_confirm: true })];
    const clients = [await Agent.connect(arena, agents[0]), await Agent.connect(arena, agents[1])];
    for (const client of clients) client.join("liars_dice");
    await Promise.all(clients.map((c) => play(c, 6))); // they queue again by themselves
    await Promise.all(clients.map((c) => c.close()));
    await arena.stop();
    const before = ratings(agents[0].id);
    recompute("--damp-repeats");
    assert.deepEqual(ratings(agents[0].id), before);
    recompute();
    assert.notDeepEqual(ratings(agents[0].id).ratings, before.ratings); // F7.9: so the option does something
});

test("agents, keys, codes, bans without a server", () => {
    assert.match(admin("agents").stdout, /Ada/);
    const made = admin("create", "--name", "Made", "--model", "m", "--json").json;
    assert.match(made.api_key, /^agk_/);
    const { id } = made.agent;
    assert.notEqual(admin("rotate-key", id, "--json").json.api_key, made.api_key);
    assert.match(admin("rotate-key", id).stdout, /^agent:\n  id: [^]*\n  limits:\n    max_games_per_day: 0\n[^]*\napi_key: agk_[0-9a-f]{48}\n$/);
    assert.match(admin("pairing-code", id).stdout, /^pairing_code: aifp_[0-9a-f]{32}$/m);
    assert.equal(admin("limits", id, "--max-games-per-day", "7", "--json").json.agent.max_games_per_day, 7);
    assert.equal(admin("ban", id, "--json").json.agent.disabled, true);
    assert.equal(admin("enable", id, "--json").json.agent.disabled, false);
    assert.equal(admin("claim", id).status, 1); // it is claimed
    const bot = admin("create", "--name", "Bot", "--bot-url", "http://127.0.0.1:9", "--games", "coup,belote", "--json").json;
    assert.deepEqual([bot.agent.kind, bot.agent.games], ["remote", "coup,belote"]);
});

test("matches", () => {
    const [head, ...rows] = admin("history").stdout.trim().split("\n");
    assert.match(head, /^ID +GAME +MODE +FINISHED AT +PLAYERS$/);
    assert.ok(rows.length >= 7);
    for (const row of rows) assert.match(row, /^[0-9a-f-]{36} +\w+ +\w+ +\S+Z +\S.*(,|$)/);
    assert.ok(rows.some((r) => /Ada/.test(r.slice(r.indexOf("Z ")))));
    assert.match(admin("match", rows[0].split(" ")[0]).stdout, /^status: completed$/m);
    assert.match(admin("matches").stdout, /^ID .*PLAYERS\n$/);
});

// A match that was running when the server stopped; its players hear of the end when they come back.
test("a match is cancelled without a server", async () => {
    const options = ["--house-bots", "0", "--fill-wait", "50", "--table-max", "2"];
    let arena = await Arena.start(options, { data });
    const clients = [await Agent.connect(arena, ada, { instance: "i" }), await Agent.connect(arena, bea, { instance: "i" })];
    for (const c of clients) c.join("coup", { one_shot: true });
    for (const c of clients) await c.next("game_start");
    await arena.stop();
    const before = profiles(), [, row] = admin("matches").stdout.split("\n"), id = row.split(" ")[0];
    assert.match(row, /Ada, Bea|Bea, Ada/);
    assert.match(admin("match", "cancel", id.replace(/^./, (c) => (c === "0" ? "1" : "0"))).stderr, /unknown match/);
    assert.deepEqual(admin("match", "cancel", id, "--json").json, { status: "cancelled" });
    assert.equal(admin("match", "cancel", id).status, 1); // it is over
    assert.match(admin("matches").stdout, /^ID .*PLAYERS\n$/);
    assert.deepEqual(profiles(), before);
    arena = await Arena.start(options, { data });
    for (const [i, agent] of [ada, bea].entries()) {
        const back = await Agent.connect(arena, agent, { instance: "i", memory: clients[i].memory });
        assert.equal((await back.next("game_over")).data.result.is_draw, true);
        await back.close();
    }
    await arena.stop();
});

test("backup and restore", () => {
    const file = join(folder, "copy.db"), before = admin("agents", "--json").json.total;
    assert.equal(admin("backup", file).status, 0);
    assert.equal(admin("backup", file).status, 1); // it is there already
    admin("create", "--name", "Later");
    assert.equal(admin("agents", "--json").json.total, before + 1);
    assert.equal(admin("restore", file).status, 1); // what is there is not replaced unless told
    assert.equal(admin("restore", file, "--force").status, 0);
    assert.equal(admin("agents", "--json").json.total, before);
    assert.ok(existsSync(join(data, "agon.db.before")));
});

const nonsense = [
    [["agent"], /which ID/], [["agent", "x y"], /not an id/], [["agent", "1", "2"], /unexpected argument/], [["create", "extra"], /unexpected argument/],
    [["limits", "1", "--max-games-per-day", "many"], /whole number/], [["backup"], /which FILE/], [["backup", "copy.db", "--server", "http://127.0.0.1:1"], /a running server names its backups itself .*leave out 'copy.db'/], [["match"], /which REPLAY/], [["match", "cancel"], /which MATCH/], [["match", "cancel", "x"], /not an id/], [["match", "cancel", "1", "2"], /unexpected argument/], [["restore"], /which FILE/],
    [["agents", "--server", "ftp://x"], /http:\/\/HOST:PORT/], [["dance"], /unknown command/],
];
for (const [args, says] of nonsense)
    test(`refused with status 2: agon admin ${args.join(" ")}`, () => {
        const done = spawnSync(agon, ["admin", ...args], { encoding: "utf8" });
        assert.equal(done.status, 2);
        assert.match(done.stderr, says);
    });

test("nobody at that address", () => {
    const done = spawnSync(agon, ["admin", "stats", "--server", "http://127.0.0.1:1"], { encoding: "utf8" });
    assert.equal(done.status, 1);
    assert.match(done.stderr, /cannot reach/);
});

// What is not all of an answer of ours is a failure, never a success with nothing to show.
test("cut-off and foreign answers", async () => {
    const rows = [
        ["nothing", "", /no answer/],
        ["half a head", "HTTP/1.1 200 OK\r\nContent-Le", /cut off/],
        ["half a body", 'HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{"agents":[', /cut off/],
        ["half a body without a length", 'HTTP/1.1 200 OK\r\n\r\n{"agents":[', /not an answer of agon|not from agon/],
        ["too much", 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"agents":[]}', /not an answer of agon|not from agon/],
        ["a page", "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>", /not an answer of agon|not from agon/],
        ["a redirection", 'HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\n{}', /not an answer of agon|not from agon/],
        ["another protocol", "220 mail.example.org ESMTP\r\n\r\n", /not an answer of agon|not from agon/],
        ["an object without the list", 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a":1}', /not an answer of agon|not from agon/],
    ];
    for (const [name, bytes, says] of rows) {
        const server = createServer((s) => s.on("error", () => {}).once("data", () => s.end(bytes)));
        await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
        const done = await new Promise((resolve) => execFile(agon, ["admin", "agents", "--server", `http://127.0.0.1:${server.address().port}`], (error, stdout, stderr) => resolve({ status: error?.code ?? 0, stdout, stderr })));
        assert.equal(done.status, 1, name);
        assert.match(done.stderr, says, name);
        server.close();
    }
});

// Other users read the list of processes.
test("a token does not show in the list of processes", async () => {
    const secret = "hush-0123456789", file = join(folder, "token");
    writeFileSync(file, secret + "\n");
    for (const option of [["--admin-token", secret], [`--admin-token=${secret}`], ["--admin-token-file", file]]) {
        const arena = await Arena.start(option);
        assert.ok(!readFileSync(`/proc/${arena.process.pid}/cmdline`, "latin1").includes(secret), option[0]);
        for (const words of [["--token", secret], ["--token-file", file]]) {
            const done = await new Promise((resolve) => execFile(agon, ["admin", "stats", "--server", arena.url, ...words], (error, stdout, stderr) => resolve({ status: error?.code ?? 0, stderr })));
            assert.equal(done.status, 0, done.stderr);
        }
        await arena.stop();
    }
});

// Any user of the machine can reach the loopback: wrong tokens are limited there too.
test("tokens cannot be guessed at speed", async () => {
    const arena = await Arena.start(["--admin-token", "right"]);
    const ask = (token) => fetch(`${arena.url}/api/admin/stats`, { headers: { "x-agon-admin": token } }).then((r) => r.status);
    const answers = [];
    for (let i = 0; i < 30; i++) answers.push(await ask(`wrong ${i}`));
    assert.deepEqual(answers.slice(0, 10), Array(10).fill(401));
    assert.ok(answers.filter((a) => a === 429).length >= 15, String(answers));
    await arena.stop();
});

// A backup on a medium that cannot be written. Root may write everywhere: it gives that right up, and stays root, because nobody else may
// be allowed to enter the folder of the program (a home, a folder of mktemp).
test("restore reads from a read-only folder", () => {
    const shelf = join(folder, "shelf 50%?#"), home = join(folder, "restored");
    mkdirSync(shelf);
    mkdirSync(home);
    const file = join(shelf, "agon.db");
    assert.equal(admin("backup", file).status, 0);
    chmodSync(file, 0o444);
    chmodSync(shelf, 0o555);
    const modest = (...args) => {
        const words = process.getuid() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", agon] : [agon];
        return spawnSync(words[0], [...words.slice(1), ...args], { encoding: "utf8" });
    };
    const done = modest("admin", "restore", file, "--data", join(home, "data"));
    assert.equal(done.status, 0, done.stderr);
    const agents = modest("admin", "agents", "--data", join(home, "data"));
    assert.match(agents.stdout, /^ID +NAME +KIND .*\n[^]*Ada/);
    for (const [data, status, says] of [[join(shelf, "new", "arena"), 2, "cannot be created"], [shelf, 2, "is not a writable folder"], [join(home, "new", "arena"), 0, ""]]) {
        const check = modest("serve", "--check", "--data", data);
        assert.equal(check.status, status, check.stderr);
        assert.ok(check.stderr.includes(says), check.stderr);
    }
    chmodSync(shelf, 0o755);
});

const made = (cert, key, name) => {
    const done = spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", `/CN=${name}`, "-addext", "subjectAltName=DNS:localhost"]);
    assert.equal(done.status, 0, String(done.stderr));
};

// A certificate that was renewed and settings that changed hold without a restart; nonsense changes nothing.
test("SIGHUP reads the certificate and the settings again", async () => {
    const cert = join(folder, "hup-cert.pem"), key = join(folder, "hup-key.pem"), file = join(folder, "hup.conf");
    made(cert, key, "first");
    const write = (...lines) => writeFileSync(file, [`tls-cert = ${cert}`, `tls-key = ${key}`, ...lines, ""].join("\n"));
    write("admin-token = one");
    const arena = await Arena.start(["--config", file, "--log-json"]);
    const subject = () => new Promise((resolve, reject) => {
        const socket = connect({ port: arena.port, host: "127.0.0.1", servername: "localhost", rejectUnauthorized: false }, () => {
            resolve(socket.getPeerCertificate().subject.CN);
            socket.destroy();
        }).on("error", reject);
    });
    const status = (token) => new Promise((resolve, reject) => request(`https://127.0.0.1:${arena.port}/api/admin/stats`, { rejectUnauthorized: false, headers: { "x-agon-admin": token } }, (r) => (r.resume(), resolve(r.statusCode))).on("error", reject).end());
    const events = (name) => arena.errors.split("\n").filter((l) => l.includes(`"${name}"`)).map((l) => JSON.parse(l));
    const hup = async (name) => {
        const before = events(name).length;
        arena.process.kill("SIGHUP");
        await until(() => events(name).length > before, name);
        return events(name).at(-1);
    };
    assert.deepEqual([await subject(), await status("one"), await status("two")], ["first", 200, 401]);
    made(cert, key, "second");
    write("admin-token = two");
    assert.equal((await hup("server.reloaded")).needs_restart, undefined);
    assert.deepEqual([await subject(), await status("one"), await status("two")], ["second", 401, 200]);
    write("admin-token = three", "admin-tokken = x");
    assert.ok(await hup("server.reload_refused"));
    assert.match(arena.errors, /hup.conf:4: unknown key 'admin-tokken'/);
    writeFileSync(key, "no key");
    write("admin-token = three");
    assert.ok(await hup("server.reload_refused"));
    assert.deepEqual([await subject(), await status("two")], ["second", 200]);
    made(cert, key, "third");
    write("admin-token = three", "port = 1");
    assert.equal((await hup("server.reloaded")).needs_restart, "port");
    assert.deepEqual([await subject(), await status("three")], ["third", 200]);
    await arena.stop();
});

test("the environment and files that cannot be read", () => {
    const check = (env, ...args) => spawnSync(agon, ["serve", "--check", ...args], { encoding: "utf8", env: { PATH: process.env.PATH, HOME: folder, ...env } });
    assert.equal(check({ AGON_TURN_TIMEOUT: "5000" }).status, 0);
    const stray = check({ AGON_TURN_TIMEOUTS: "5000" });
    assert.equal(stray.status, 2);
    assert.match(stray.stderr, /unknown variable AGON_TURN_TIMEOUTS/);
    const cert = join(folder, "hup-cert.pem");
    const missing = check({}, "--tls-cert", cert, "--tls-key", join(folder, "nowhere.pem"));
    assert.equal(missing.status, 2);
    assert.match(missing.stderr, /cannot read the key .*nowhere\.pem: No such file or directory/);
    const name = (file) => join(folder, file), other = name("other-key.pem"), locked = name("locked-key.pem"), own = name("locked-cert.pem");
    made(name("other-cert.pem"), other, "localhost");
    assert.equal(spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-passout", "pass:secret", "-keyout", locked, "-out", own, "-days", "2", "-subj", "/CN=localhost"]).status, 0);
    const curve = name("curve-key.pem");
    assert.equal(spawnSync("openssl", ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", curve]).status, 0);
    for (const [certificate, key, says] of [[own, other, /the key .*other-key\.pem does not belong to the certificate .*locked-cert\.pem$/m],
        [own, curve, /the key .*curve-key\.pem does not belong to the certificate .*locked-cert\.pem$/m], [own, locked, /the key .*locked-key\.pem has a pass phrase; 'openssl pkey/],
        [other, other, /cannot use the certificate .*other-key\.pem: .*PEM/], [own, own, /cannot use the key .*locked-cert\.pem: .*PEM/]]) {
        const wrong = check({}, "--tls-cert", certificate, "--tls-key", key);
        assert.equal(wrong.status, 2);
        assert.match(wrong.stderr, says);
        assert.doesNotMatch(wrong.stderr, /Enter PEM/); // nobody is there to type
    }
});

// As agon agent does it: a certificate is checked unless somebody says otherwise.
test("a server behind TLS", async () => {
    const cert = join(folder, "cert.pem"), key = join(folder, "key.pem");
    made(cert, key, "localhost");
    const arena = await Arena.start(["--tls-cert", cert, "--tls-key", key, "--admin-token", "t"]);
    const ask = (url, args, env = {}) => new Promise((resolve) => {
        const child = spawn(agon, ["admin", ...args, "--server", url, "--token", "t"], { env: { ...process.env, ...env } });
        let stdout = "", stderr = "";
        child.stdout.on("data", (bytes) => (stdout += bytes));
        child.stderr.on("data", (bytes) => (stderr += bytes));
        child.on("close", (status) => resolve({ status, stdout, stderr }));
    });
    const named = `https://localhost:${arena.port}`, numbered = `https://127.0.0.1:${arena.port}`, trusted = { SSL_CERT_FILE: cert };
    const rows = [
        ["nobody vouches for it", named, [], {}, 1, /cannot use the answer of https:.*certificate/],
        ["it is trusted", named, [], trusted, 0, null],
        ["it is another host's", numbered, [], trusted, 1, /mismatch/],
        ["nobody asks", numbered, ["--insecure"], {}, 0, null],
        ["it is spoken to in the clear", named.replace("https", "http"), [], {}, 1, /cannot use the answer of http:/],
    ];
    for (const [name, url, more, env, status, says] of rows) {
        const done = await ask(url, ["stats", "--json", ...more], env);
        assert.equal(done.status, status, `${name}: ${done.stderr}`);
        if (says) assert.match(done.stderr, says, name);
        else assert.equal(JSON.parse(done.stdout).draining, false, name);
    }
    const agent = JSON.parse((await ask(named, ["create", "--name", "Far", "--json"], trusted)).stdout).agent; // with a body
    assert.match((await ask(named, ["agents"], trusted)).stdout, new RegExp(`^${agent.id} +Far`, "m"));
    await arena.stop();
    assert.match((await ask(named, ["stats"], trusted)).stderr, /cannot reach https:/);
});
