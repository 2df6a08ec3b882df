// A belote bot behind HTTP. Copy it, change the three decisions, and it plays.
//
//     node bot.mjs                                         # listens on PORT, or 5072
//     agon match belote --seat http://localhost:5072 --seat house:rules --games 10
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

const positions = ["Bottom", "Left", "Top", "Right"];
const points = { Ace: 11, Ten: 10, King: 4, Queen: 3, Jack: 2 };
const worth = (card) => points[card.rank] ?? 0;

const decisions = {
    "choose-cut": () => ({ position: 16, fromTop: true }),
    "choose-negotiation-action": ({ validActions }) => validActions.find((a) => a.type === "Accept") ?? validActions[0],
    "choose-card": ({ validPlays }) => validPlays.reduce((best, card) => (worth(card) < worth(best) ? card : best)),
};

// deal-started, card-played, trick-completed, deal-ended, match-ended: nothing has to be done.
function notify(session, event, what) {}

const sessions = new Map();

function route(method, path, body) {
    const [, root, id, ...rest] = path.split("?")[0].replace(/\/$/, "").slice(1).split("/");
    if (path === "/health") return [200, { status: "ok", sessions: sessions.size }];
    if (root !== "sessions") return [404, { error: "unknown_path", message: "POST /api/sessions" }];
    if (method === "DELETE") return sessions.delete(id), [204];
    if (method !== "POST") return [405, { error: "method_not_allowed", message: "POST" }];
    const request = JSON.parse(body);
    if (!id) {
        if (!positions.includes(request.position) || !request.matchId) return [400, { error: "bad_field", message: "position, matchId" }];
        const sessionId = randomUUID();
        sessions.set(sessionId, { ...request });
        return [201, { sessionId }];
    }
    const session = sessions.get(id), call = rest.join("/");
    if (!session) return [404, { error: "unknown_session", message: "create a session first" }];
    if (rest[0] === "notify") return notify(session, rest[1], request), [200];
    if (!decisions[call]) return [404, { error: "unknown_path", message: Object.keys(decisions).join(", ") }];
    if (session.asked !== call + body) { // a repeated question gets the same answer
        session.answer = decisions[call](request, session);
        session.asked = call + body;
    }
    return [200, session.answer];
}

const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
        let status, answer;
        try {
            [status, answer] = route(request.method, request.url, Buffer.concat(chunks).toString());
        } catch (error) {
            [status, answer] = [400, { error: "bad_request", message: String(error) }];
        }
        response.writeHead(status, answer ? { "Content-Type": "application/json" } : {});
        response.end(answer ? JSON.stringify(answer) : undefined);
    });
});

const launcher = Number(process.env.LAUNCHER_PID);
if (launcher) // whoever started us is gone: so are we
    setInterval(() => {
        try {
            process.kill(launcher, 0);
        } catch {
            process.exit(0);
        }
    }, 2000).unref();

server.listen(Number(process.env.PORT ?? 5072), "127.0.0.1", () =>
    console.log(`listening http://127.0.0.1:${server.address().port}`));
