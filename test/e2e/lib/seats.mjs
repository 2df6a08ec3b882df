// Players that are no WebSocket: a seat over MCP and one behind HTTP. Each hands everything that reaches it to `keep`.
import { createServer } from "node:http";
import { sdkHttp } from "./mcp.mjs";

const pieces = (type, text) => (/event-stream/.test(type) ? text.split("\n").filter((l) => /^data: ./.test(l)).map((l) => l.slice(6)) : [text]);

// An agent of Game-RL in the arena's queue. What leaves on /mcp is heard below the client, answers and notices alike.
export class McpSeat {
    static async connect(url, keep) {
        const seat = Object.assign(new McpSeat(), { keep });
        Object.assign(seat, await sdkHttp(`${url}/mcp`, { fetch: (where, options) => seat.fetch(where, options) }));
        return seat;
    }
    async fetch(where, options) {
        const answer = await fetch(where, options), type = answer.headers.get("content-type") ?? "";
        const asked = typeof options?.body === "string" ? JSON.parse(options.body) : {};
        const what = `/mcp ${asked.params?.name ?? asked.params?.uri ?? asked.method ?? "notice"}`;
        const copy = answer.clone();
        const heard = (async () => {
            const bytes = new TextDecoder();
            for (let text = ""; ; ) { // a stream of events lasts as long as the session: piece by piece
                const { value, done } = await (copy.reader ??= copy.body?.getReader() ?? { read: async () => ({ done: true }) }).read();
                text += bytes.decode(value, { stream: !done });
                const end = done ? text.length : /event-stream/.test(type) ? text.lastIndexOf("\n") + 1 : 0;
                for (const piece of pieces(type, text.slice(0, end)).filter(Boolean)) this.keep(what, JSON.parse(piece));
                text = text.slice(end);
                if (done) return;
            }
        })().catch(() => {}); // the session ends
        if (!/event-stream/.test(type)) await heard;
        return answer;
    }
    call(name, args = {}) {
        return this.client.callTool({ name, arguments: { agent_id: "me", ...args } }).then((r) => r.structuredContent);
    }
    sit(game, key) {
        return this.call("register_agent", { agent_type: "EntityBehavior", config: { queue: { game }, api_key: key } });
    }
    async close() {
        await this.transport.terminateSession();
        await this.client.close();
    }
}

const seats = ["Bottom", "Left", "Top", "Right"];

// A remote belote bot whose decisions wait for `answer`; onAsk hears of each.
export class BotSeat {
    static async listen(keep) {
        const bot = Object.assign(new BotSeat(), { keep, told: {} });
        bot.deleted = new Promise((resolve) => (bot.end = resolve));
        bot.server = createServer((request, response) => {
            const chunks = [];
            request.on("data", (chunk) => chunks.push(chunk));
            request.on("end", () => bot.hear(request.url, Buffer.concat(chunks).toString(), response, request.method));
        });
        await new Promise((resolve) => bot.server.unref().listen(0, "127.0.0.1", resolve));
        bot.url = `http://127.0.0.1:${bot.server.address().port}`;
        return bot;
    }
    hear(where, text, response, method) {
        const call = where.split("/").at(-1), body = text ? JSON.parse(text) : {};
        const reply = (status, answer) => (response.writeHead(status, { "content-type": "application/json" }), response.end(JSON.stringify(answer)));
        if (call === "sessions") this.seat = seats.indexOf(body.position);
        if (text) this.keep(`bot ${call}`, body);
        if (/notify/.test(where)) this.told[call] = this.count(call) + 1;
        if (method === "DELETE") this.end();
        if (/^choose-/.test(call)) (this.asked = { call, body, reply }), this.onAsk?.();
        else reply(call === "sessions" ? 201 : 200, call === "sessions" ? { sessionId: "one" } : {});
    }
    count(notice) {
        return this.told[notice] ?? 0;
    }
    answer() {
        const { call, body, reply } = this.asked;
        this.asked = null;
        reply(200, call === "choose-cut" ? { position: 16, fromTop: true } : (body.validActions ?? body.validPlays)[0]);
    }
    close() {
        this.server.closeAllConnections();
        this.server.close();
    }
}
