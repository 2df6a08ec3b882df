// Lying doubles for agon verify bot: our own bot behind a go-between that tells one lie. A lie has
//   ask(r)        before the bot is asked: [status, body] in its place, or nothing
//   tell(r, a)    what the bot answered, [status, body], changed; or nothing to leave it
// r is {method, path, call, body, text, session, world, headers}; `session` is what the go-between knows of it: seed, told
// (notifications), cards (decisions), id. `world` is one per double; drop(text) deletes the session that a create answered,
// which nobody else will know of. Both may return a promise.
import http from "node:http";
import { beSlow } from "./wait.mjs";

const json = (value) => JSON.stringify(value);
const once = (r, name = "once") => !r.world[name] && (r.world[name] = true);
const inMatch = (r) => r.session?.told > 0;
const card = { rank: "Joker", suit: "Hearts" };
const other = (r, answer) => r.body.validPlays.find((c) => c.rank !== answer.rank || c.suit !== answer.suit);
const double = (lie, says, how) => ({ lie, says, ...how });

export const doubles = {
    create: double("a session is created with 200", /200, not 201/, { tell: (r, [status, text]) => r.call === "create" && once(r) && [200, text] }),
    "create.id": double("sessionId is a number", /no sessionId/, { tell: (r, [status, text]) => r.call === "create" && once(r) && (r.drop(text), [status, json({ sessionId: 7 })]) }),
    "create.same": double("two sessions have the same id", /same id twice/, { tell: (r, [status, text]) => (r.call === "create" && (r.world.made = (r.world.made ?? 0) + 1) === 2 ? (r.drop(text), [status, r.world.first]) : void (r.call === "create" && (r.world.first ??= text))) }),
    delete: double("DELETE of an unknown session is 404", /404, not 204/, { tell: (r) => r.call === "delete" && r.path.endsWith("no-such-session") && [404, ""] }),
    "delete.twice": double("the second DELETE of a session is 404", /404, not 204/, { tell: (r) => r.call === "delete" && r.session?.deleted > 1 && [404, ""] }),
    "lost-session": double("a decision on a lost session is answered", /200, not 404/, { tell: (r, [status]) => r.call === "choose-card" && status === 404 && [200, json(r.body.validPlays[0])] }),
    "lost-session.notice": double("a notification on a lost session is acknowledged", /200, not 404/, { tell: (r, [status]) => r.call.startsWith("notify") && status === 404 && r.path.includes("no-such-session") && [200, ""] }),
    malformed: double("malformed JSON is 500", /500, not 400/, { tell: (r, [status]) => r.body === undefined && r.text !== "" && status === 400 && [500, ""] }),
    "malformed.empty": double("an empty body is answered", /200, not 400/, { tell: (r) => r.call === "choose-card" && r.method === "POST" && r.text === "" && [200, json(card)] }),
    "malformed.next": double("a session is lost after malformed JSON", /404, not 200/, { ask: (r) => { if (r.session && r.call === "choose-card" && r.body === undefined) r.session.spoilt = true; else if (r.session?.spoilt && r.call === "choose-card" && r.body.validPlays) return [404, ""]; } }),
    "bad-create": double("an unknown position is 422", /422, not 400/, { tell: (r) => r.call === "create" && r.body?.position === "Middle" && [422, ""] }),
    "bad-create.match": double("a create without matchId is taken", /201, not 400/, { tell: (r) => r.call === "create" && r.body && !r.body.matchId && [201, json({ sessionId: "x" })] }),
    nulls: double("omitted fields are 400", /400, not 200/, { tell: (r) => r.call === "choose-card" && !inMatch(r) && r.body?.validPlays?.length && !r.text.includes("null") && [400, ""] }),
    "extra-fields": double("a field nobody knows is 400", /400, not 200/, { tell: (r) => r.body?.mood && [400, ""] }),
    "extra-fields.type": double("a request without Content-Type is 415", /415, not 200/, { tell: (r) => r.method === "POST" && !r.headers["content-type"] && [415, ""] }),
    paths: double("an unknown path is 200", /200, not 404/, { tell: (r) => r.path === "/api/no-such-path" && [200, ""] }),
    "paths.method": double("a wrong method is 400", /400, not 405/, { tell: (r) => r.method === "GET" && r.path !== "/health" && [400, ""] }),
    "empty-list": double("an empty list is answered", /200, not 422/, { tell: (r) => r.call === "choose-card" && r.body?.validPlays?.length === 0 && [200, "{}"] }),
    repeat: double("the third identical decision has another answer", /first .*, then/, { tell: (r, [status, text]) => r.call === "choose-card" && !inMatch(r) && r.session?.cards === 3 && r.session.cardText === r.text && [200, json(other(r, JSON.parse(text)))] }),
    twins: double("chance does not come from the seed", /choose-card: /, { tell: (r, [status, text]) => r.call === "choose-card" && r.session?.seed === 42 && (r.world.twins = (r.world.twins ?? 0) + 1) === 2 && [200, json(other(r, JSON.parse(text)))] }),
    silence: double("a session that was told nothing gets 409", /409, not 200/, { tell: (r) => r.call === "choose-negotiation-action" && !inMatch(r) && r.session && r.session.seed === undefined && [409, ""] }),
    idle: double("a connection that was idle gets 500", /500, not 200/, { whole: true, ask: (r) => { const rest = Date.now() - (r.world.last ?? Date.now()); r.world.last = Date.now(); if (rest > 5500) return [500, ""]; } }),
    chunked: double("a chunked request is 411", /411, not 200/, { tell: (r) => r.headers["transfer-encoding"] && [411, ""] }),
    large: double("a body of a mebibyte is 500", /500, not 200/, { tell: (r) => r.text.length > 1e6 && [500, ""] }),
    "cut.legal": double("a cut of 27", /sent .*received \{"position":27/, { tell: (r) => r.call === "choose-cut" && inMatch(r) && once(r) && [200, json({ position: 27, fromTop: true })] }),
    "cut.legal.half": double("a cut of 16.5", /received \{"position":16.5/, { tell: (r) => r.call === "choose-cut" && inMatch(r) && once(r) && [200, json({ position: 16.5, fromTop: true })] }),
    "cut.legal.top": double("fromTop is a string", /received \{"position":16,"fromTop":"yes"/, { tell: (r) => r.call === "choose-cut" && inMatch(r) && once(r) && [200, json({ position: 16, fromTop: "yes" })] }),
    "bid.legal": double("an action that is not in the list", /received \{"type":"Fly"/, { tell: (r) => r.call === "choose-negotiation-action" && inMatch(r) && once(r) && [200, json({ type: "Fly" })] }),
    "card.legal": double("a card that is not in the list", /received \{"rank":"Joker"/, { tell: (r) => r.call === "choose-card" && inMatch(r) && once(r) && [200, json(card)] }),
    "card.legal.json": double("an answer that is no JSON", /received \{\{\{/, { tell: (r) => r.call === "choose-card" && inMatch(r) && once(r) && [200, "{{{"] }),
    "card.legal.long": double("an answer of 100 KiB", /choose-card|illegal|large|64/i, { tell: (r, [status, text]) => r.call === "choose-card" && inMatch(r) && once(r) && [200, text + " ".repeat(100 << 10)] }),
    "answer.time": double("a decision takes 7 s where 4 s are allowed", /./, { options: ["--timeout", "4000"], tell: async (r) => { if (r.call === "choose-card" && inMatch(r) && once(r)) await beSlow(7000); } }),
    "answer.comes": double("a decision gets 400", /400/, { tell: (r) => r.call === "choose-card" && inMatch(r) && once(r) && [400, "no"] }),
    "crowd.legal": double("with more than ten sessions cards are illegal", /received \{"rank":"Joker"/, { tell: (r) => r.call === "choose-card" && r.world.open > 10 && [200, json(card)] }),
    "untold.legal": double("a session that was told nothing plays an illegal card in the second deal", /received \{"rank":"Joker"/, { tell: (r) => r.call === "choose-card" && r.session && !inMatch(r) && r.session.cards > 12 && [200, json(card)] }),
    "match.repeats": double("cards follow from a count of all requests", /differs at entry/, { twice: true, tell: (r) => { if (r.call !== "choose-card" || !inMatch(r)) return; const n = (r.world.count = (r.world.count ?? 0) + 1); return [200, json(r.body.validPlays[(n >> 3) % r.body.validPlays.length])]; } }),
    "session.ends": double("sessions are not deleted", /health had/, { ask: (r) => r.call === "delete" && inMatch(r) && [204, ""] }),
    "session.ends.refused": double("DELETE is 500", /created, .* deleted|health had/, { ask: (r) => r.call === "delete" && inMatch(r) && once(r) && [500, ""], also: ["notice.acknowledged"] }),
    "notice.acknowledged": double("a notification gets 400", /400/, { tell: (r) => r.call === "notify/trick-completed" && once(r) && [400, ""] }),
    "answer.pace": double("every card takes longer than the one before", /first half/, { tell: async (r) => { if (r.call === "choose-card" && inMatch(r)) await beSlow(Math.min(120, (r.world.count = (r.world.count ?? 0) + 1) / 2)); } }),
};

const callOf = (method, path) => {
    const parts = path.split("?")[0].split("/").slice(2); // behind /api
    if (method === "DELETE") return "delete";
    return parts.length === 1 ? (parts[0] === "sessions" && method === "POST" ? "create" : "") : parts.slice(2).join("/");
};

// An HTTP server before `url` that lies so. Close it when done.
export async function goBetween(url, lie) {
    const target = new URL(url), agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
    const world = { open: 0 }, sessions = new Map();
    const forward = (r) => new Promise((resolve, reject) => {
        const { host, connection, "transfer-encoding": chunked, ...headers } = r.headers;
        if (r.method === "POST") headers["content-length"] = Buffer.byteLength(r.text);
        const request = http.request({ host: target.hostname, port: target.port, path: r.path, method: r.method, headers, agent }, (response) => {
            const chunks = [];
            response.on("data", (c) => chunks.push(c)).on("end", () => resolve([response.statusCode, Buffer.concat(chunks).toString()]));
        });
        request.on("error", reject).end(r.text || undefined);
    });
    const drop = (made) => forward({ method: "DELETE", path: `/api/sessions/${JSON.parse(made).sessionId}`, headers: {}, text: "" });
    async function answer(r) {
        const instead = await lie.ask?.(r);
        if (instead) return instead;
        const honest = await forward(r), id = r.call === "create" && honest[0] === 201 && JSON.parse(honest[1]).sessionId;
        const said = (await lie.tell?.(r, honest)) || honest;
        if (id) sessions.set(id, { id, seed: r.body.seed, told: 0, cards: 0, deleted: 0 }), world.open++;
        return said;
    }
    const server = http.createServer((request, response) => {
        const chunks = [];
        request.on("data", (c) => chunks.push(c)).on("end", async () => {
            const text = Buffer.concat(chunks).toString(), r = { method: request.method, path: request.url, headers: request.headers, text, world, drop };
            try { r.body = JSON.parse(text); } catch { /* undefined */ }
            r.call = callOf(r.method, r.path);
            r.session = sessions.get(r.path.split("/")[3]);
            if (r.session && r.call.startsWith("notify")) r.session.told++;
            if (r.session && r.call === "choose-card" && ++r.session.cards === 1) r.session.cardText = text;
            if (r.session && r.call === "delete" && ++r.session.deleted === 1) world.open--;
            const [status, body] = await answer(r).catch(() => [502, ""]);
            response.writeHead(status, body ? { "content-type": "application/json" } : {});
            response.end(body || undefined);
        });
    });
    await new Promise((resolve) => server.unref().listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close(), agent.destroy()) };
}
