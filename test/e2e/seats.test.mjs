// HTTP bots and programs at our tables: the examples play whole matches, and every fault of a bot ends in a fallback move, a
// warning and a deleted session.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { describe, test } from "node:test";
import Ajv from "ajv/dist/2020.js";
import { root } from "./agon.mjs";
import { agonBot, bot, examples, play, rawBot } from "./lib/bots.mjs";
import { scratch } from "./lib/scratch.mjs";
import { drip } from "./lib/wait.mjs";

const ajv = new Ajv({ strict: false, allErrors: true });
for (const name of ["belote", "generic"])
    ajv.addSchema(JSON.parse(readFileSync(`${root}protocol/bot-api/schema/${name}.schema.json`)), name);
const check = (name, value) => {
    const valid = ajv.getSchema(name);
    assert.ok(valid, `${name} is no schema`);
    assert.ok(valid(value), `${JSON.stringify(value).slice(0, 300)} is no ${name}: ${ajv.errorsText(valid.errors)}`);
};

// B12.18, without negotiation-completed: 42 notifications a deal and seat, match-ended, create, delete.
function isComplete(report, seats) {
    assert.equal(report.faults, 0, report.last_fault);
    assert.equal(report.illegal, 0);
    assert.equal(report.warnings, 0, report.last_fault);
    assert.equal(report.created, seats * report.matches);
    assert.equal(report.deleted, seats * report.matches);
    assert.equal((report.notifications - seats * report.matches) % (42 * seats), 0);
    assert.equal(report.requests, report.notifications + report.decisions + 2 * seats * report.matches);
}

describe("examples", () => {
    for (const [name, start] of Object.entries(examples))
        test(`${name} plays whole matches`, async () => {
            const { url } = await start();
            isComplete(await play(["belote", "3", "3", url, url, url, url]), 4);
            isComplete(await play(["-t", "belote", "2", "2", url, "rules", url, "random"]), 2);
        });

    test("C plays whole matches", async () => {
        const folder = scratch("agon-bot-");
        const { start } = await import("./lib/bots.mjs");
        try {
            assert.equal(spawnSync("cc", ["-O1", "-pthread", "-o", `${folder}/bot`, `${root}examples/bots/c/bot.c`]).status, 0);
            const { url } = await start(`${folder}/bot`, [], { PORT: "0" });
            isComplete(await play(["belote", "3", "3", url, url, url, url]), 4);
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

    test("programs on pipes play every game", async () => {
        const player = `cmd:python3 ${root}examples/programs/player.py`;
        for (const [game, ...seats] of [["coup", player, "rules", player], ["liars_dice", player, player], ["belote", player, "rules", player, "rules"],
            ["texas_holdem", "rules", player, "random"], ["tetris", player]]) {
            const report = await play([game, "2", "2", ...seats]);
            assert.equal(report.faults, 0, `${game}: ${report.last_fault}`);
            assert.equal(report.created, report.deleted);
            assert.ok(report.decisions > 1);
        }
    });

    test("our own server plays every game", async () => {
        for (const [game, count] of [["coup", 4], ["liars_dice", 3], ["texas_holdem", 3], ["tetris", 1], ["belote", 4]]) {
            const { url } = await agonBot(game, ["--bot", "rules"]);
            const report = await play([game, "2", "2", ...Array(count).fill(url)]);
            assert.equal(report.faults, 0, `${game}: ${report.last_fault}`);
            assert.equal(report.warnings, 0);
            assert.equal((await (await fetch(`${url}/health`)).json()).sessions, 0); // nothing leaks
        }
    });

    test("our own bot over HTTP is as strong as at home", async () => { // it gets the same views
        const { url } = await agonBot("liars_dice", ["--bot", "rules"]);
        const report = await play(["liars_dice", "60", "20", url, "random"]);
        assert.ok(report.wins[0] > 45, JSON.stringify(report.wins));
    });
});

describe("what is sent", () => {
    test("every call in order, one at a time, by the schema", async () => { // B12.7-B12.17
        const sessions = new Map(), all = [];
        let open = 0, most = 0;
        const { url } = await bot(async (method, path, body, response, request) => {
            assert.equal(request.headers["user-agent"], "agon"); // B12.2
            assert.equal(request.headers.accept, "application/json");
            most = Math.max(most, ++open);
            await new Promise((resolve) => setImmediate(resolve));
            open--;
            const [, , root_, id, ...rest] = path.split("/"), call = rest.join(".");
            assert.equal(root_, "sessions");
            if (method === "DELETE") {
                assert.equal(body, "");
                assert.equal(request.headers["content-type"], undefined);
                sessions.get(id).calls.push("delete");
                return [204];
            }
            assert.equal(request.headers["content-type"], "application/json; charset=utf-8");
            assert.equal(Number(request.headers["content-length"]), Buffer.byteLength(body));
            const said = JSON.parse(body);
            check(`belote#/$defs/${call || "sessions"}`, said);
            all.push(`${id ? sessions.get(id).position : said.position} ${call || "sessions"}`);
            if (!id) {
                sessions.set(`s ${sessions.size}/ü`.replace(/[^\x00-\x7f]/g, encodeURIComponent), { position: said.position, calls: ["create"] });
                const made = `s ${sessions.size - 1}/ü`;
                sessions.set(encodeURIComponent(made), [...sessions.values()].pop());
                return [201, JSON.stringify({ sessionId: made })];
            }
            sessions.get(id).calls.push(call);
            if (call === "choose-cut") return [200, '{"position":7,"fromTop":false,"player":"me"}'];
            const list = said.validActions ?? said.validPlays;
            return list ? [200, JSON.stringify(list[0]).toLowerCase().replace("targetmode", "targetMode")] : [200]; // B12.20
        });
        const report = await play(["-t", "belote", "1", "1", url, url, url, url]);
        isComplete(report, 4);
        assert.equal(most, 1, "sequential: nothing overlaps");
        assert.deepEqual(all.slice(0, 4), ["Bottom", "Left", "Top", "Right"].map((s) => `${s} sessions`)); // B12.7
        assert.deepEqual(all.slice(4, 8), ["Bottom", "Left", "Top", "Right"].map((s) => `${s} notify.deal-started`)); // B12.17
        assert.equal(all[8].split(" ")[1], "choose-cut");
        assert.equal(all[8].split(" ")[0], "Right"); // B2.3: the dealer's right neighbour
        for (const { calls } of sessions.values()) {
            assert.equal(calls[0], "create");
            assert.equal(calls.at(-1), "delete");
            assert.equal(calls.at(-2), "notify.match-ended");
            assert.equal(calls.filter((c) => c === "delete").length, 1);
            for (let i = 0; i < calls.length; i++)
                if (calls[i] === "notify.trick-completed") assert.equal(calls[i - 1], "notify.card-played");
        }
    });

    test("result timing and nulls as giretra has them", async () => { // B12.3-B12.5
        for (const [flags, early] of [[[], false], [["-g"], true]]) {
            let deals = 0, lastTrick;
            const seen = new Set();
            const { url } = await bot(async (method, path, body) => {
                if (method === "DELETE") return [204];
                const said = JSON.parse(body), call = path.split("/").slice(4).join("/");
                seen.add(call);
                if (early) assert.ok(!body.includes("null"), call);
                if (path === "/api/sessions") return [201, '{"sessionId":"x"}'];
                if (call === "notify/trick-completed" && said.completedTrick.trickNumber === 8) lastTrick = said.matchState.completedDeals.length;
                if (call === "notify/deal-ended") {
                    deals++;
                    assert.equal(said.matchState.completedDeals.length, deals);
                    assert.equal(lastTrick, early ? deals : deals - 1);
                }
                if (call === "choose-cut") return [200, early ? '{"position":7}' : '{"position":7,"fromTop":true}'];
                const list = said.validActions ?? said.validPlays;
                return list ? [200, JSON.stringify(list[0])] : [200];
            });
            assert.equal((await play([...flags, "belote", "1", "1", url, "rules", "rules", "rules"])).faults, 0);
            assert.ok(deals > 0);
            assert.equal(seen.has("notify/negotiation-completed"), early);
        }
    });

    test("an event that a bot does not know is not sent again", async () => { // B12.19
        let asked = 0;
        const { url } = await bot(async (method, path, body) => {
            if (method === "DELETE") return [204];
            const said = JSON.parse(body);
            if (path === "/api/sessions") return [201, '{"sessionId":"x"}'];
            if (path.endsWith("negotiation-completed")) return asked++, [404];
            const list = said.validActions ?? said.validPlays;
            return path.endsWith("choose-cut") ? [200, '{"position":7,"fromTop":true}'] : list ? [200, JSON.stringify(list[0])] : [200];
        });
        const report = await play(["-g", "belote", "1", "1", url, "rules", "rules", "rules"]);
        assert.equal(report.faults + report.warnings, 0, report.last_fault);
        assert.equal(asked, 1);
    });
});

// Answers in every form that HTTP/1.1 has; each call takes the next one.
const forms = [
    (r, text) => (r.writeProcessing(), r.writeHead(200).end(text)), // a 1xx before the answer
    (r, text) => (r.writeHead(200).write(text.slice(0, 1)), r.end(text.slice(1))), // chunked
    (r, text) => r.writeHead(200, { "CONTENT-LENGTH": Buffer.byteLength(text) }).end(text),
    (r, text) => r.writeHead(200, { Connection: "close" }).end(text),
    (r, text) => (Object.assign(r, { useChunkedEncodingByDefault: false, shouldKeepAlive: false }), r.writeHead(200).end(text)), // until it closes
    (r, text) => (r.writeHead(200, { Trailer: "X-Done" }).write(text), r.addTrailers({ "X-Done": "1" }), r.end()),
];
test("answers of every form are read, acknowledgements with a body too", { timeout: 600000 }, async () => { // B12.22, B12.36
    let asked = 0;
    const { url } = await bot(async (method, path, body, response) => {
        if (method === "DELETE") return [204];
        const [status, text = "thank you ".repeat(10000)] = proper(path, body);
        if (status !== 200) return [status, text];
        return forms[asked++ % forms.length](response, text), null;
    });
    const report = await play(["belote", "2", "2", url, "rules", "rules", "rules"]);
    assert.equal(report.faults + report.warnings + report.retries, 0, JSON.stringify(report));
    assert.equal(report.created, report.deleted);
    assert.ok(asked > 100);
});

// A bot that behaves until it is asked for a card (or told something): then it does this (B12.29, B12.37).
const cut = '{"position":7,"fromTop":true}';
const proper = (path, body) => {
    if (path === "/api/sessions") return [201, '{"sessionId":"x"}'];
    if (path.endsWith("choose-cut")) return [200, cut];
    const said = JSON.parse(body), list = said.validActions ?? said.validPlays;
    return list ? [200, JSON.stringify(list[0])] : [200];
};
const hostile = {
    hangs: [() => null, "timeout", "timeouts"],
    rubbish: [() => [200, "<html>"], "illegal", "illegal"],
    empty: [() => [200], "illegal", "illegal"],
    "wrong types": [() => [200, '{"rank":7,"suit":[]}'], "illegal", "illegal"],
    "a card it has not": [(body) => [200, JSON.stringify(other(JSON.parse(body)))], "illegal", "illegal"],
    huge: [() => [200, `{"rank":"${"x".repeat(200000)}"}`], "too large", "illegal"],
    "huge headers": [() => [200, "{}", { X: "x".repeat(15000), Y: "y".repeat(15000) }], "too large", "illegal"],
    "a huge header": [() => [200, "{}", { X: "x".repeat(150000) }], "a line of the answer's header is too long"],
    "500s": [() => [500, "sorry"], "status 500"],
    "400": [() => [400, "no"], "status 400"],
    "404": [() => [404, "who"], "status 404"],
    redirects: [() => [302, "", { Location: "/elsewhere" }], "status 302"],
};
const other = ({ hand, validPlays }) => hand.find((c) => !validPlays.some((v) => v.rank === c.rank && v.suit === c.suit)) ?? { rank: "Ace", suit: "Moons" };

describe("bots that misbehave", () => {
    for (const [name, [answer, text, count]] of Object.entries(hostile))
        test(`one that answers so: ${name}`, { timeout: 600000 }, async () => {
            let asked = 0;
            const bad = await bot(async (method, path, body) => {
                if (method === "DELETE") return [204];
                return path.endsWith("choose-card") ? (asked++, answer(body)) : proper(path, body);
            });
            const good = await bot(async (method, path, body) => (method === "DELETE" ? [204] : proper(path, body)));
            const report = await play(["belote", "2", "2", bad.url, good.url, "rules", good.url], { DECIDE_MS: name === "hangs" ? "5000" : "60000" });
            assert.equal(report.matches, 2); // the match goes on
            assert.equal(report.created, report.deleted);
            assert.equal(report.faults, name === "404" ? 2 : 6, JSON.stringify(report)); // B12.30: lost at once; B12.32
            assert.ok(report.last_fault.includes(text), report.last_fault);
            if (count) assert.ok(report[count] >= 2, JSON.stringify(report));
            if (name === "500s") assert.ok(report.retries >= 4, "B12.29: two retries"); // within the budget
            if (name === "rubbish") assert.equal(asked, 6, "B12.32: three in a row are enough, and no question is repeated");
        });

    test("slow by a byte", { timeout: 600000 }, async () => {
        const bad = await bot(async (method, path, body, response) => {
            if (method === "DELETE") return [204];
            if (!path.endsWith("choose-card")) return proper(path, body);
            response.writeHead(200, { "Content-Length": 50 });
            drip(response, " ");
            return null;
        });
        const report = await play(["belote", "1", "1", bad.url, "rules", "rules", "rules"], { DECIDE_MS: "300" });
        assert.ok(report.timeouts >= 3 && report.matches === 1, JSON.stringify(report));
    });

    test("one that closes in the middle, or dies", { timeout: 600000 }, async () => {
        for (const die of [false, true]) {
            let asked = 0;
            const bad = await bot(async (method, path, body, response) => {
                if (method === "DELETE") return [204];
                if (!path.endsWith("choose-card")) return proper(path, body);
                asked++;
                response.writeHead(200, { "Content-Length": 50 });
                response.write("{", () => (response.socket.destroy(), die && bad.server.close(), die && bad.server.closeAllConnections()));
                return null;
            });
            const report = await play(["belote", "1", "1", bad.url, "rules", "rules", "rules"], { DECIDE_MS: "20000" });
            assert.ok(report.faults >= 3 && report.matches === 1, JSON.stringify(report));
            assert.ok(report.retries >= 2, JSON.stringify(report));
            assert.ok(die || asked >= 3);
        }
    });

    test("one that says no 503 times out of nothing is asked again", async () => { // B12.29
        let refused = 0;
        const shy = await bot(async (method, path, body) => {
            if (method === "DELETE") return [204];
            if (path !== "/api/sessions" && refused++ % 12 === 0) return [503, "", { "Retry-After": "0" }];
            return proper(path, body);
        });
        const report = await play(["belote", "1", "1", shy.url, "rules", "rules", "rules"]);
        assert.equal(report.faults + report.warnings, 0, report.last_fault);
        assert.ok(report.retries > 5);
    });

    test("a connection that was closed while idle is opened anew, without a retry", async () => { // B12.35
        const { url } = await rawBot((socket) => {
            let text = "", served = 0;
            socket.on("error", () => {});
            socket.on("data", (chunk) => {
                text += chunk;
                const end = text.indexOf("\r\n\r\n"), length = Number(/Content-Length: (\d+)/i.exec(text)?.[1] ?? 0);
                if (end < 0 || text.length < end + 4 + length) return;
                if (served++) return socket.destroy(); // the second request on a connection meets its end
                const [method, path] = text.split(" "), body = text.slice(end + 4);
                text = "";
                const [status, answer = ""] = method === "DELETE" ? [204] : proper(path, body);
                socket.write(`HTTP/1.1 ${status} X\r\nTransfer-Encoding: chunked\r\n\r\n${answer.length ? `${answer.length.toString(16)}\r\n${answer}\r\n` : ""}0\r\n\r\n`);
            });
        });
        const report = await play(["belote", "1", "1", url, "rules", "rules", "rules"]);
        assert.equal(report.faults, 0, report.last_fault);
        assert.equal(report.retries, 0);
    });

    test("nobody there, nothing created", async () => {
        const gone = await bot(async () => [200]);
        gone.server.close();
        const report = await play(["belote", "2", "2", gone.url, "rules", "rules", "rules"]);
        assert.equal(report.matches, 2);
        assert.equal(report.created + report.deleted, 0);
    });

    test("no session in the answer", async () => {
        for (const answer of ["{}", '{"sessionId":""}', '{"sessionId":5}', "no"]) {
            const { url } = await bot(async (method) => (method === "DELETE" ? [204] : [201, answer]));
            const report = await play(["belote", "1", "1", url, "rules", "rules", "rules"]);
            assert.equal(report.created, 0, answer);
            assert.equal(report.illegal, 1, answer);
        }
    });

    test("programs that misbehave", { timeout: 600000 }, async () => {
        for (const [code, what, limits] of [["import sys; sys.exit(3)", "ended"], ["import signal; signal.pause()", "no answer in time"],
            ["import sys,json\nfor l in sys.stdin:\n m=json.loads(l)\n if 'id' in m: print(json.dumps({'id':m['id'],'index':999}),flush=True)", "illegal"],
            ["import sys\nfor l in sys.stdin: print('hello',flush=True)", "illegal"],
            ["import sys,json\nfor l in sys.stdin:\n m=json.loads(l)\n if 'id' in m: print(json.dumps({'id':m['id'],'ok':True,'action':'income'}),flush=True)", 'a required field is missing; send an entry of legal, or its index'],
            ["import sys,json\nfor l in sys.stdin:\n m=json.loads(l)\n if 'id' in m: print(json.dumps({'id':m['id'],'ok':True,'action':'x'*(70000 if m['op']=='choose' else 1)}),flush=True)", "illegal answer: the line is longer than 65536 bytes"],
            ["import sys,json\nfor l in sys.stdin:\n m=json.loads(l)\n if 'id' in m: print(json.dumps({'index':0} if m['op']=='choose' else {'id':m['id'],'ok':True}),flush=True)", "no answer in time, only a line without id:"],
            ["import sys,json\nfor l in sys.stdin:\n m=json.loads(l)\n if 'id' in m: print(json.dumps({'id':-m['id'] if m['op']=='choose' else m['id'],'index':0}),flush=True)", "no answer in time, only a line without id:"],
            ["import sys,json\nl=sys.stdin.readline(); print(json.dumps({'id':1,'ok':True}),flush=True)\nsys.stderr.write('boom'); sys.exit(9)", "exit status 9; its last output: boom"],
            ["import os,signal\nos.setpgid(0,os.getpgid(os.getppid()))\nos.close(1)\nsignal.pause()", "it was killed, or closed its standard output"], // outside its group
            ["import os,signal,sys\nif os.fork()==0: signal.pause()\nsys.stdin.readline(); os.write(1,b'{\"id\":1}\\n'); os._exit(4)", "exit status 4", { DECIDE_MS: "5000" }]]) { // its child holds the pipe
            const folder = scratch("agon-program-");
            writeFileSync(`${folder}/p.py`, code);
            const report = await play(["coup", "1", "1", `cmd:python3 ${folder}/p.py`, "rules"], limits ?? (what === "no answer in time" ? { CREATE_MS: "1000" } : { DECIDE_MS: what.startsWith("no answer") ? "5000" : "20000", CREATE_MS: "20000" }));
            rmSync(folder, { recursive: true });
            assert.equal(report.matches, 1);
            assert.ok(report.faults > 0, code);
            assert.ok(report.last_fault.includes(what), `${code}: ${report.last_fault}`);
        }
        const absent = await play(["coup", "1", "1", "cmd:/no/such/program", "rules"]);
        assert.ok(absent.last_fault.includes("cannot be started"), absent.last_fault);
    });
});

describe("many at once", () => {
    test("a queue of its own for every origin: a bot that hangs delays only its own", { timeout: 600000 }, async () => { // B12.40
        const stuck = await bot(async (method, path, body) => (method === "DELETE" ? [204] : path.endsWith("choose-card") ? null : proper(path, body)));
        const { url } = await agonBot("belote", ["--bot", "random"]);
        const [slow, quick] = await Promise.all([
            play(["belote", "1", "1", stuck.url, url, "rules", url], { DECIDE_MS: "5000" }),
            play(["belote", "30", "30", url, url, url, url], { MAX_CONNS: "8" }),
        ]);
        assert.equal(slow.timeouts, 3);
        isComplete(quick, 4); // B12.39: more calls than connections wait in turn
    });
});

const openssl = spawnSync("openssl", ["version"]).status === 0;
describe("TLS", { skip: !openssl && "no openssl to make certificates with" }, () => {
    test("a certificate nobody vouches for is refused", async () => { // B12.1
        const folder = scratch("agon-tls-");
        spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", `${folder}/key`, "-out", `${folder}/cert`, "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
        const server = createTlsServer({ key: readFileSync(`${folder}/key`), cert: readFileSync(`${folder}/cert`) }, (request, response) => {
            const chunks = [];
            request.on("data", (chunk) => chunks.push(chunk));
            request.on("end", () => {
                const [status, text = ""] = request.method === "DELETE" ? [204] : proper(request.url, Buffer.concat(chunks).toString());
                response.writeHead(status);
                response.end(text);
            });
        });
        await new Promise((resolve) => server.unref().listen(0, "127.0.0.1", resolve));
        const url = `https://localhost:${server.address().port}`;
        const refused = await play(["belote", "1", "1", url, "rules", "rules", "rules"]);
        assert.equal(refused.created, 0);
        assert.match(refused.last_fault, /certificate|SSL/i);
        const trusted = await play(["belote", "1", "1", url, "rules", "rules", "rules"], { CA_FILE: `${folder}/cert` });
        server.closeAllConnections();
        server.close();
        rmSync(folder, { recursive: true });
        isComplete(trusted, 1);
    });
});
