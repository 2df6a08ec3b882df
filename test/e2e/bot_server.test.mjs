// agon bot: the server side of the bot API. A client tries every row of its table of errors.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname } from "node:path";
import { describe, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { games, program, root } from "./agon.mjs";
import { agonBot, parse, play, say, start } from "./lib/bots.mjs";
import { scratch } from "./lib/scratch.mjs";

const ajv = new Ajv({ strict: false, allErrors: true });
for (const name of ["belote", "generic"])
    ajv.addSchema(JSON.parse(readFileSync(`${root}protocol/bot-api/schema/${name}.schema.json`)), name);
const check = (name, value) => {
    const valid = ajv.getSchema(name);
    assert.ok(valid(value), `${JSON.stringify(value)} is no ${name}: ${ajv.errorsText(valid.errors)}`);
};

const golden = Object.fromEntries(readFileSync(`${root}test/golden/belote_wire.tsv`, "utf8").trim().split("\n")
    .map((line) => line.split("\t")).map(([rule, body, answer]) => [rule, { body, answer }]));
const post = (url, body, headers = {}) => fetch(url, { method: "POST", body, headers });
const create = async (url, fields = {}) => {
    const answer = await post(`${url}/api/sessions`, JSON.stringify({ position: "Bottom", matchId: "m", ...fields }));
    assert.equal(answer.status, 201);
    const made = await answer.json();
    check("belote#/$defs/sessions.answer", made);
    return `${url}/api/sessions/${made.sessionId}`;
};
const request = (method, path, body = "", headers = "") =>
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
const card = golden["B12.46"].body;

describe("endpoints", () => {
    test("a whole match by the book", async () => { // B11.1-B11.11
        const { url } = await agonBot("belote", ["--bot", "rules"]);
        const s = await create(url, { seed: 42 });
        for (const [path, rule] of [["notify/deal-started", "B12.42"], ["choose-cut", "B12.43"],
            ["choose-negotiation-action", "B12.44"], ["notify/negotiation-completed", "B12.45"], ["choose-card", "B12.46"],
            ["notify/card-played", "B12.47"], ["notify/trick-completed", "B12.48"], ["notify/deal-ended", "B12.49"],
            ["notify/match-ended", "B12.50"]]) {
            const answer = await post(`${s}/${path}`, golden[rule].body), text = await answer.text();
            assert.equal(answer.status, 200, path);
            if (path.startsWith("notify/")) {
                assert.equal(text, "");
                assert.equal(answer.headers.get("content-length"), "0"); // B11.13
            } else {
                assert.equal(answer.headers.get("content-type"), "application/json");
                check(`belote#/$defs/${path}.answer`, JSON.parse(text));
            }
        }
        const health = await (await fetch(`${url}/health`)).json();
        check("belote#/$defs/health.answer", health);
        assert.equal(health.sessions, 1);
        for (let i = 0; i < 2; i++) assert.equal((await fetch(s, { method: "DELETE" })).status, 204); // B11.2, B12.51: also twice
        assert.equal((await (await fetch(`${url}/health`)).json()).sessions, 0);
        const head = await fetch(`${url}/health`, { method: "HEAD" });
        assert.equal(head.status, 200);
        assert.equal(await head.text(), "");
    });

    test("paths are read as they are meant", async () => { // B11.12
        const { url } = await agonBot("belote");
        const s = await create(url), id = s.split("/").pop();
        for (const path of [`/api/api/sessions/${id}/choose-card`, `/api/sessions/${id}/choose-card/`,
            `/api/sessions/${id}/choose-card?x=1&y`, `/api/sessions/%${id.charCodeAt(0).toString(16)}${id.slice(1)}/choose-card`])
            assert.equal((await post(url + path, card)).status, 200, path);
        assert.equal((await post(`${s}/notify/comet-seen`, "{}")).status, 200); // an unknown event
        assert.equal((await post(`${url}/api/sessions/0/notify/comet-seen`, "{}")).status, 404);
    });

    test("what engines leave out or add does no harm", async () => { // B11.15, B11.23
        const { url } = await agonBot("belote", ["--bot", "calc"]);
        const s = await create(url), full = JSON.parse(card);
        for (const body of [{ validPlays: full.validPlays }, { ...full, hand: null, handState: null, matchState: null },
            { ...full, hand: [1, {}, "x"], handState: { currentTrick: 5 }, matchState: { completedDeals: [7] }, extra: { deep: [[]] } },
            { ...full, handState: { ...full.handState, gameMode: "Bridge" } },
            { ...full, hand: [full.hand[0], full.hand[0]] }, { ...full, hand: full.hand.slice(2) }]) {
            const answer = await post(`${s}/choose-card`, JSON.stringify(body));
            assert.equal(answer.status, 200, JSON.stringify(body).slice(0, 80));
            const played = await answer.json();
            assert.ok(full.validPlays.some((c) => c.rank === played.rank && c.suit === played.suit));
        }
        assert.equal((await post(`${s}/choose-card`, "\uFEFF" + card, { "Content-Type": "text/plain" })).status, 200);
        const one = await post(`${s}/choose-negotiation-action`, JSON.stringify({ validActions: [{ type: "ReRedouble", targetMode: "NoTrumps" }, { type: "Accept", note: 1 }] }));
        assert.deepEqual(await one.json(), { type: "Accept" }); // B11.16: skipped, and spelled as it should be
    });
});

describe("the table of errors", () => { // B11.14, B11.18, B11.19
    test("every row", async () => {
        const { url, port } = await agonBot("belote");
        const s = await create(url), path = new URL(s).pathname;
        const big = "x".repeat(1024 * 1024 + 1);
        const rows = [
            ["nonsense\r\n\r\n", 400, "bad_request"],
            ["POST /api/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "bad_request"],
            ["POST /api/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 3x\r\n\r\n{}", 400, "bad_request"],
            [request("POST", "/api/sessions", "not json"), 400, "bad_json"],
            [request("POST", "/api/sessions", ""), 400, "bad_json"],
            [request("POST", "/api/sessions", "[1]"), 400, "bad_json"],
            [request("POST", `${path}/choose-card`, `{"validPlays":[],"x":${"[".repeat(40)}${"]".repeat(40)}}`), 400, "bad_json"],
            [request("POST", "/api/sessions", '{"matchId":"m"}'), 400, "bad_field"],
            [request("POST", "/api/sessions", '{"position":"Middle","matchId":"m"}'), 400, "bad_field"],
            [request("POST", "/api/sessions", '{"position":"Top","matchId":""}'), 400, "bad_field"],
            [request("POST", `${path}/choose-card`, '{"hand":5,"validPlays":[{}]}'), 400, "bad_field"],
            [request("POST", `${path}/choose-card`, '{"validPlays":[3]}'), 400, "bad_field"],
            [request("POST", `${path}/choose-card`, "{}"), 400, "bad_field"],
            [request("GET", "/nowhere"), 404, "unknown_path"],
            [request("POST", `${path}/choose-wisely`, "{}"), 404, "unknown_path"],
            [request("POST", "/api/sessions//choose-card", card), 404, "unknown_path"],
            [request("POST", `/api/sessions/${"0".repeat(32)}/choose-card`, "not even json"), 404, "unknown_session"], // before JSON
            [request("POST", `/api/sessions/${"0".repeat(500)}/choose-card`, card), 404, "unknown_session"],
            [request("GET", "/api/sessions"), 405, "method_not_allowed"],
            [request("PUT", path), 405, "method_not_allowed"],
            [request("DELETE", "/health"), 405, "method_not_allowed"],
            [request("POST", "/api/sessions", big), 413, "too_large"],
            [request("POST", "/nowhere", big), 404, "unknown_path"], // B11.14: the path comes before the size
            [request("GET", "/api/sessions", big), 405, "method_not_allowed"],
            [`GET /${"x".repeat(9000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 414, "too_large"],
            [`GET /health HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(17000)}\r\n\r\n`, 431, "too_large"],
            [request("POST", `${path}/choose-cut`, '{"deckSize":52}'), 422, "unusable"],
            [request("POST", `${path}/choose-card`, '{"validPlays":[]}'), 422, "unusable"],
            [request("POST", `${path}/choose-card`, '{"validPlays":[{"rank":"Joker"}]}'), 422, "unusable"],
            ["GET /health HTTP/2.0\r\nHost: x\r\n\r\n", 505, "bad_version"],
            ["GET /health HTTP/1.2\r\nHost: x\r\n\r\n", 505, "bad_version"],
        ];
        for (const [bytes, status, code] of rows) {
            const answer = parse(await say(port, bytes));
            const shown = `${bytes.slice(0, 60)} -> ${answer.status} ${answer.body}`;
            assert.equal(answer.status, status, shown);
            const body = JSON.parse(answer.body);
            check("belote#/$defs/error", body);
            assert.equal(body.error, code, shown);
            if (status === 405) assert.ok(answer.headers.allow.length > 2, shown);
        }
        assert.equal((await post(`${s}/choose-card`, card)).status, 200); // the session has seen nothing of all this
    });

    test("a request that does not come to its end is given up after 10 s", { timeout: 600000 }, async () => {
        const { port } = await agonBot("belote");
        const answer = parse(await say(port, "POST /api/sessions HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"));
        assert.equal(answer.status, 408);
        assert.equal(JSON.parse(answer.body).error, "timeout");
    });

    test("a full table says when to come again", async () => { // B11.22
        const { url } = await agonBot("belote", ["--max-sessions", "2"]);
        const first = await create(url);
        await create(url);
        const answer = await post(`${url}/api/sessions`, '{"position":"Top","matchId":"m"}');
        assert.equal(answer.status, 503);
        assert.equal(answer.headers.get("retry-after"), "1");
        assert.equal((await answer.json()).error, "busy");
        await fetch(first, { method: "DELETE" });
        await create(url);
    });

    test("so does a server with too many connections", async () => {
        const { port } = await agonBot("belote", ["--max-conns", "1", "--bot", "search", "--think-ms", "1000", "--threads", "1"]);
        const sessions = [], body = JSON.stringify({ position: "Bottom", matchId: "m", seed: 5 });
        while (sessions.length < 10) { // each on a connection of its own, which makes room for the next
            const made = parse(await say(port, request("POST", "/api/sessions", body, "Content-Type: application/json\r\nConnection: close\r\n")));
            sessions.push(`/api/sessions/${JSON.parse(made.body).sessionId}`);
        }
        const busy = connect(port, "127.0.0.1"); // when the first answer comes, the next request is being answered
        busy.write(request("GET", "/health") + sessions.map((one) => request("POST", `${one}/choose-card`, card, "Content-Type: application/json\r\n")).join(""));
        await new Promise((resolve) => busy.once("data", resolve));
        const answer = parse(await say(port, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"));
        assert.equal(answer.status, 503);
        assert.equal(answer.headers["retry-after"], "1");
        assert.equal(answer.body.length, Number(answer.headers["content-length"]));
        assert.equal(JSON.parse(answer.body).error, "busy");
        busy.destroy();
    });
});

describe("repeatability", () => { // B11.26, B11.27
    test("the same question has the same answer, from servers apart too", async () => {
        const answers = [];
        for (let i = 0; i < 2; i++) {
            const { url } = await agonBot("belote", ["--bot", "random"]);
            const s = await create(url, { seed: 7 }), seen = [];
            for (const [path, rule] of [["choose-cut", "B12.43"], ["choose-negotiation-action", "B12.44"], ["choose-card", "B12.46"]])
                for (let again = 0; again < 2; again++)
                    seen.push(await (await post(`${s}/${path}`, golden[rule].body)).text());
            assert.equal(seen[0], seen[1]);
            assert.equal(seen[2], seen[3]);
            assert.equal(seen[4], seen[5]);
            answers.push(seen.join());
        }
        assert.equal(answers[0], answers[1]);
        const { url } = await agonBot("belote", ["--bot", "random"]);
        const cuts = new Set();
        for (let seed = 0; seed < 20; seed++)
            cuts.add(await (await post(`${await create(url, { seed })}/choose-cut`, golden["B12.43"].body)).text());
        assert.ok(cuts.size > 5, "seeds differ");
    });

    // The partner's session knows who holds what; the answers of the other one do not change by it.
    test("no session learns from another", async () => { // B11.25
        const { url } = await agonBot("belote", ["--bot", "search"]);
        const ask = async () => {
            const s = await create(url, { seed: 7 }), seen = [];
            for (const [path, rule] of [["choose-negotiation-action", "B12.44"], ["choose-card", "B12.46"]])
                seen.push(await (await post(`${s}/${path}`, golden[rule].body)).text());
            return seen;
        };
        const alone = await ask();
        const partner = await create(url, { position: "Top", seed: 8 }), told = JSON.parse(card);
        told.hand = ["Clubs", "Hearts"].flatMap((suit) => ["Eight", "King", "Nine", "Ten"].map((rank) => ({ rank, suit })));
        told.handState.currentTrick.playedCards = [];
        told.validPlays = told.hand;
        assert.equal((await post(`${partner}/notify/deal-started`, golden["B12.42"].body)).status, 200);
        assert.equal((await post(`${partner}/choose-card`, JSON.stringify(told))).status, 200);
        assert.deepEqual(await ask(), alone);
    });

    test("ids repeat with --id-seed and never else", async () => { // B11.20
        const ids = [];
        for (const args of [["--id-seed", "5"], ["--id-seed", "5"], [], []])
            ids.push((await create((await agonBot("belote", args)).url)).split("/").pop());
        assert.match(ids[0], /^[0-9a-f]{32}$/);
        assert.equal(ids[0], ids[1]);
        assert.equal(new Set(ids).size, 3);
    });

    test("search repeats its answers, or takes the time it is given", async () => { // B11.27, B15.8
        const legal = JSON.parse(card).validPlays.map((one) => JSON.stringify(one));
        assert.ok(legal.length > 1);
        const ask = async (args) => {
            const s = await create((await agonBot("belote", ["--bot", "search", ...args])).url, { seed: 5 });
            const begin = performance.now();
            const answer = await (await post(`${s}/choose-card`, card)).json();
            return [JSON.stringify(answer), performance.now() - begin];
        };
        const [[first], [second], [timed, ms]] = [await ask([]), await ask([]), await ask(["--think-ms", "300"])];
        assert.equal(first, second);
        assert.ok(legal.includes(first) && legal.includes(timed), `${first} ${timed}`);
        assert.ok(ms >= 300, `${ms} ms`);
    });

    test("threads beside the loop answer the same, one at a time for a session", async () => { // B11.24
        const [a, b] = [await agonBot("belote", ["--bot", "random"]), await agonBot("belote", ["--bot", "random", "--threads", "2"])];
        const ask = async ({ url }) => {
            const s = await create(url, { seed: 3 });
            return Promise.all([...Array(20)].map(async (_, i) =>
                (await post(`${s}/choose-card`, JSON.stringify({ ...JSON.parse(card), note: i }))).text()));
        };
        assert.deepEqual(await ask(a), await ask(b));
    });
});

describe("connections", () => { // B11.24
    test("pipelined, chunked, 100-continue, HTTP/1.0 and close", async () => {
        const { port } = await agonBot("belote");
        const two = await say(port, request("GET", "/health") + request("GET", "/nowhere"), 2);
        assert.ok(two.indexOf("200 OK") < two.indexOf("404 Not Found"));
        const body = '{"position":"Top","matchId":"m"}';
        const half = [body.slice(0, 9), body.slice(9)].map((p) => `${p.length.toString(16)};ext=1\r\n${p}\r\n`).join("");
        assert.equal(parse(await say(port, `POST /api/sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${half}0\r\nT: 1\r\n\r\n`)).status, 201);
        const patient = await say(port, request("POST", "/api/sessions", body, "Expect: 100-continue\r\n"), 2);
        assert.match(patient, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201/);
        const old = await say(port, "GET /health HTTP/1.0\r\n\r\n", Infinity);
        assert.match(old, /Connection: close/);
        const closed = await say(port, "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", Infinity);
        assert.match(closed, /Connection: close/);
    });
});

describe("the process", () => { // B11.29
    test("PORT, a signal, a launcher that is gone", { timeout: 600000 }, async () => {
        const first = await agonBot("belote");
        first.child.kill("SIGTERM");
        assert.deepEqual(await first.ended, { code: 0, signal: null });
        const again = await start(program, ["bot", "belote"], { PORT: String(first.port) });
        assert.equal(again.port, first.port);
        const taken = spawnSync(program, ["bot", "belote"], { env: { ...process.env, PORT: String(first.port) }, encoding: "utf8" });
        assert.equal(taken.status, 2);
        assert.match(taken.stderr, /cannot listen on 127.0.0.1/);
        const launcher = spawnSync("true");
        const orphan = await agonBot("belote", [], { LAUNCHER_PID: String(launcher.pid) });
        assert.equal((await orphan.ended).code, 0);
    });

    test("it is launched by the file that is installed", { timeout: 600000 }, () => { // B13.9
        const args = ["match", "belote", "--bots-dir", `${root}share/bots`, "--seat", "agon", "--seat", "house:random"];
        const env = { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}` };
        const { status, stdout, stderr } = spawnSync(program, [...args, "--games", "2", "--target", "30", "--seed", "1", "--json"], { env, encoding: "utf8" });
        assert.equal(status, 0, stderr);
        assert.equal(JSON.parse(stdout).standings.find((row) => row.entrant === "agon").trouble.sessions_created, 4);
    });

    test("both loopbacks are served", async () => {
        const { port } = await agonBot("belote");
        for (const host of ["127.0.0.1", "[::1]"]) assert.equal((await fetch(`http://${host}:${port}/health`)).status, 200);
    });

    test("bad options are told apart", () => {
        for (const args of [["chess"], ["belote", "--bot", "nobody"], [], ["belote", "--max-sessions", "0"], ["belote", "--listen", "nowhere"]])
            assert.equal(spawnSync(program, ["bot", ...args, "--port", "0"], { timeout: 600000 }).status, 2, args.join(" "));
    });
});

describe("the generic dialect", () => {
    test("sessions of another game", async () => {
        const { url } = await agonBot("coup", ["--bot", "rules"]);
        const made = await post(`${url}/api/sessions`, JSON.stringify({ game: "coup", seat: 1, seats: ["a", "b"], matchId: "m", seed: 1 }));
        assert.equal(made.status, 201);
        const s = `${url}/api/sessions/${(await made.json()).sessionId}`;
        const legal = [{ type: "income" }, { type: "tax" }, { type: "steal", target: "a" }];
        for (const body of [{ legal }, { phase: "action", view: { cards: 5 }, legal }, { phase: "sleep", view: {}, legal }]) {
            const answer = await post(`${s}/choose-action`, JSON.stringify(body));
            assert.equal(answer.status, 200);
            const action = await answer.json();
            assert.ok(legal.some((l) => JSON.stringify(l) === JSON.stringify(action)), JSON.stringify(action));
        }
        const { game, bot, sees_table, blind } = await (await fetch(`${url}/health`)).json(); // B11.11
        assert.deepEqual({ game, bot, sees_table, blind }, { game: "coup", bot: "rules", sees_table: true, blind: 3 });
        for (const [body, status] of [["{}", 400], ['{"legal":[]}', 422], ['{"legal":[{"type":"fly"}]}', 422], ['{"legal":[1]}', 400], ["x", 400], ['{"legal":[{"type":"income"}],"view":3}', 400]])
            assert.equal((await post(`${s}/choose-action`, body)).status, status, body);
        assert.equal((await post(`${s}/notify/events`, '{"events":[]}')).status, 200);
        assert.equal((await post(`${s}/notify/events`, '{"events":1}')).status, 400);
        for (const fields of [{ game: "chess" }, { seats: ["a", "a"] }, { seats: ["a"] }, { seat: 2 }, { matchId: undefined }])
            assert.equal((await post(`${url}/api/sessions`, JSON.stringify({ game: "coup", seat: 0, seats: ["a", "b"], matchId: "m", ...fields }))).status, 400, JSON.stringify(fields));
        assert.equal((await fetch(s, { method: "DELETE" })).status, 204);
    });
});

describe("inside agon serve", () => {
    test("belote at the root, every game below /bots", async () => {
        const { url } = await start(program, ["serve", "--port", "0", "--tetris-port", "0", "--data", scratch("agon-serve-")]);
        const s = await create(url);
        assert.equal((await post(`${s}/choose-card`, card)).status, 200);
        assert.equal((await fetch(s, { method: "DELETE" })).status, 204);
        assert.equal((await post(`${url}/api/sessions`, "x")).status, 400);
        const report = await play(["coup", "2", "2", `${url}/bots/coup`, "rules", `${url}/bots/coup/api/`]);
        assert.equal(report.faults, 0, report.last_fault);
        const health = await (await fetch(`${url}/bots/coup/health`)).json();
        assert.deepEqual([health.sessions, health.game, health.sees_table, health.blind], [0, "coup", true, 0]);
        const { bots } = await (await fetch(`${url}/bots`)).json();
        assert.deepEqual(bots.map((b) => [b.path, b.game, b.sees_table]).sort(),
                         [["", "belote", true], ...games.map((g) => [`/bots/${g.name}`, g.name, true])].sort());
        assert.equal((await fetch(`${url}/bots/chess/health`)).status, 404);
        assert.equal((await (await fetch(`${url}/api/health`)).json()).status, "ok"); // the site's own
    });
});
