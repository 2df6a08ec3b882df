// A Game-RL server that breaks one promise: a go-between before ours that spoils what it says, named after the assertion
// it offends. As a program: rl_double.mjs NAME COMMAND [ARG...].
import { spawn } from "node:child_process";
import net from "node:net";
import { fileURLToPath } from "node:url";

export const double = fileURLToPath(import.meta.url);

const tool = (request) => (request?.method === "tools/call" ? request.params?.name : undefined);
const uri = (request) => (request?.method === "resources/read" ? request.params?.uri : undefined);
const last = (hash, digit) => hash.slice(0, -1) + (digit & 15).toString(16);

// The structured content of a tool's answer, or the JSON of a resource, changed in place.
const content = (names, change) => (answer, request, state) => {
    if (!names.includes(tool(request)) || !answer.result?.structuredContent) return answer;
    change(answer.result.structuredContent, request.params.arguments, state);
    answer.result.content[0].text = JSON.stringify(answer.result.structuredContent);
    return answer;
};
const resource = (name, change) => (answer, request, state) => {
    if (uri(request) !== name || !answer.result) return answer;
    const value = JSON.parse(answer.result.contents[0].text);
    change(value, state);
    answer.result.contents[0].text = JSON.stringify(value);
    return answer;
};
const steps = ["sim_step", "reset", "observe"];
const code = (when, to) => (answer, request) => {
    if (answer.error && when(answer.error, request)) answer.error.code = to;
    return answer;
};
const initialized = (change) => (answer, request) => {
    if (request?.method === "initialize" && answer.result) change(answer.result, request.params);
    return answer;
};
// What was refused is accepted.
const accept = (when, result) => (answer, request) =>
    answer.error && when(answer.error, request) ? { jsonrpc: "2.0", id: answer.id, result } : answer;
const listed = (method, change) => (answer, request) => {
    if (request?.method === method && answer.result) change(answer.result);
    return answer;
};
const reason = (word) => (error) => error.data?.reason === word;
const fake = { agent_id: "x", step_id: 1, tick: 1, observation: {}, reward: 0, reward_components: {}, done: false, truncated: false, events: [] };
const structured = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value });

// out: an answer or notification of the server, with the request it belongs to; null swallows it. in: a request.
export const spoils = {
    none: {},
    C1: { out: initialized((r, p) => p.protocolVersion === "2025-11-25" && (r.protocolVersion = "2025-06-18")) },
    C2: { out: initialized((r) => (r.protocolVersion = "2025-11-25")) },
    C3: { out: (answer, request) => (request?.params?.protocolVersion === "2099-01-01" ? { jsonrpc: "2.0", id: answer.id, error: { code: -32602, message: "no" } } : answer) },
    C4: { out: initialized((r) => (r.capabilities.tools.listChanged = true)) },
    C5: { out: initialized((r) => delete r.serverInfo.gameRlVersion) },
    C6: { in: (m, state) => (m.method === "notifications/no_such_thing" && state.emit({ jsonrpc: "2.0", id: null, error: { code: -32601, message: "?" } }), m) },
    C7: { out: (answer, request) => (request?.method === "ping" ? { ...answer, result: { pong: true } } : answer) },
    C8: { out: accept((e) => e.data?.name === "NotInitialized", { tools: [] }) },
    C9: { out: (answer) => ("id" in answer ? { ...answer, id: String(answer.id) } : answer), only: (request) => request?.method === "ping" },
    C10: { out: (answer) => (answer.error?.code === -32700 ? { ...answer, id: 0 } : answer) },
    C11: { out: code((e) => e.code === -32600, -32700) },
    C12: { out: code((e) => e.code === -32601, -32602) },
    C13: { out: code((e) => e.code === -32602, -32000) },
    C14: { start: (state) => state.raw("server is starting") },
    C15: { ended: () => process.exit(3) },
    C16: { terminated: () => process.exit(3) },
    C17: { out: (answer) => (answer.error?.data?.name === "TooLarge" ? process.exit(1) : answer) },
    C18: { out: (answer, request) => (request?.method === "logging/setLevel" && answer.result ? { ...answer, result: { level: "warning" } } : answer) },
    C19: { out: listed("resources/list", (r) => r.resources.forEach((e) => (e.mimeType = "text/plain"))) },
    C20: { out: resource("game://manifest", (m) => delete m.capabilities.multi_agent) },
    C21: { out: listed("tools/list", (r) => (r.tools = r.tools.filter((t) => t.name !== "sim_step"))) },
    C22: { out: listed("tools/list", (r) => (r.tools[0].inputSchema.properties.agent_id = { $ref: "https://example.org/agent.json" })) },
    C23: { out: resource("game://agents", (a) => a.limits.available_slots++) },
    C24: { out: resource("game://manifest", (m) => (m.capabilities.max_agents = 3)) },
    C25: { out: resource("game://manifest", (m) => (m.capabilities.headless = false)) },
    C26: { out: content(["sim_step"], (s) => (s.reward_components.luck = 0)) },
    C27: { out: accept((e, r) => r?.params?.arguments?.config?.scenario === "no_such_scenario", structured(fake)) },
    C28: { out: resource("game://world", (w) => delete w.real_time_seconds) },
    C29: { out: accept((e, r) => r?.method === "resources/subscribe", {}) },
    C30: { out: listed("prompts/get", (r) => (r.messages[0].content.text = r.messages[0].content.text.replaceAll('"type":"pass"', '"kind":"pass"').replaceAll('"type":"hold"', '"kind":"hold"'))) },
    C31: { out: resource("game://actions", (a) => a.actions.reverse()) },
    C32: { out: content(["register_agent"], (a) => a.scope === "embodied" && delete a.avatar.position) },
    C33: { out: content(["register_agent"], (a) => a.scope === "systemic" && delete a.capabilities) },
    C34: { out: code((e, r) => tool(r) === "register_agent", -32000) },
    C35: { out: accept((e, r) => r?.params?.arguments?.scope === "embodied", structured(fake)) },
    C36: { out: code((e) => e.code === -32000, -32001) },
    C37: { out: accept((e) => e.data?.name === "NotActive", structured(fake)) },
    C38: { out: content(["reset"], (s) => (s.reward = 1)) },
    C39: { out: (answer, request) => (tool(request) === "sim_step" && answer.result && (answer.result.content[0].text = '{"tick":0}'), answer) },
    C40: { out: content(["sim_step"], (s) => (s.step_id += s.tick)) },
    C41: { out: code((e) => e.data?.path === "/ticks", -32001) },
    C42: { out: code(reason("out_of_range"), -32000) },
    C43: { out: accept((e, r) => Array.isArray(r?.params?.arguments?.action), structured(fake)) },
    C44: { out: code(reason("denied"), -32602) },
    C45: { out: code(reason("not_in_space"), -32602) },
    C46: { in: (m) => (tool(m) === "register_agent" && m.params.arguments.config?.action_mask?.[0] === "wait" && delete m.params.arguments.config.action_mask, m) },
    C47: { out: code(reason("scope"), -32602) },
    C48: { out: content(["sim_step"], (s) => (s.reward += 0.5)) },
    C49: { out: content(steps, (s) => (s.observation.luck = 1)) },
    C50: { out: code((e) => e.data?.name === "EpisodeTerminated", -32000) },
    C51: { out: content(["sim_step"], (s) => s.truncated && ((s.truncated = false), (s.done = true))) },
    C52: { out: content(steps, (s) => s.available_actions?.length && (s.available_actions.at(-1).type = "fly")) },
    C53: { out: content(steps, (s) => s.observation.legal_mask && (s.observation.legal_mask = s.observation.legal_mask.replace(/1(?=0*$)/, "0"))) },
    C54: { out: content(["sim_step"], (s) => (s.done = s.truncated = false)) },
    C55: { out: content(["observe"], (s) => (s.reward = 1)) },
    C56: { out: content(["sim_step"], (s, a, state) => (s.reward += 1e-3 * (state.count = (state.count ?? 0) + 1))) },
    C57: { out: content(steps, (s, a, state) => (s.state_hash = last(s.state_hash, (state.count = (state.count ?? 0) + 1)))) },
    C58: { out: content(steps, (s) => (s.state_hash = s.state_hash.slice(0, -8) + process.pid.toString(16).padStart(8, "0"))) },
    C59: { in: (m) => (tool(m) === "reset" && (m.params.arguments.seed = 1), m) },
    C60: { out: content(["get_state_hash"], (h) => (h.hash = h.hash.toUpperCase())) },
    C61: { out: content(["get_state_hash"], (h) => (h.hash = last(h.hash, parseInt(h.hash.at(-1), 16) + 1))) },
    C62: { in: (m) => (tool(m) === "get_state_hash" && delete m.params.arguments.include_rng, m) },
    C63: { out: content(["get_state_hash"], (h) => h.components.rng && (h.components.entities = h.components.rng)) },
    C64: { out: content(["get_state_hash"], (h, a, state) => a.agent_id && (h.hash = last(h.hash, (state.count = (state.count ?? 0) + 1)))) },
    C65: { out: content(["sim_step", "batch_step"], (s) => s.results && (s.results[0].observation.turn += 1)) },
    C66: { in: (m) => (tool(m) === "sim_step" && delete m.params.arguments.ticks, m) },
    C67: { out: accept((e, r) => r?.params?.arguments?.config?.domain_randomization, structured(fake)) },
    C68: { out: code((e) => e.code === -32004, -32602) },
    C69: { out: (answer, request, state) => (tool(request) === "register_agent" && request.params.arguments.agent_id === "agent-0" && (state.count = (state.count ?? 0) + 1) > 2 ? { jsonrpc: "2.0", id: answer.id, error: { code: -32004, message: "full" } } : answer) },
    C70: { out: resource("game://agents", (a, state) => (a.limits.available_slots = state.slots ??= a.limits.available_slots)) },
    C71: { out: content(["batch_step"], (b) => b.results[1].step_id++) },
    C72: { out: (answer) => (delete answer.error?.data?.agent_id, answer) },
    C73: { out: content(["batch_step"], (b) => b.results.reverse()) },
    C74: { out: content(["batch_step"], (b) => b.results.forEach((r) => delete r.error)) },
    C75: { out: accept((e, r) => r?.params?.arguments?.sync_mode === "barrier", structured({ ...fake, results: [] })) },
    C76: { in: (m, state) => (tool(m) === "sim_step" && state.emit({ jsonrpc: "2.0", id: m.id, result: structured(fake) }), m) },
    C77: { out: code((e) => e.code === -32003, -32000) },
    C78: { out: resource("game://world", (w, state) => (w.tick += state.count = (state.count ?? 0) + 1)) },
    C79: { out: content(["sim_step"], (s) => (s.tick *= 2)) },
    C80: { out: content(["sim_step"], (s) => (s.events = s.events.filter((e) => e.type !== "message"))) },
    C81: { out: content(["sim_step"], (s) => s.observation.seats && Object.assign(s.observation.seats[1], { cards: [], dice: [], hole_cards: [], hand: [] })) },
    C82: { out: (m) => (m.method === "notifications/event" && (m.params.visibility = ["EntityBehavior"]), m) },
    C83: { out: (m) => (m.method === "notifications/resources/updated" ? null : m) },
    C84: { out: accept((e, r) => e.data?.reason === "foreign" && tool(r) === "deregister_agent", structured({ agent_id: "alice", deregistered: true })) },
    C85: { out: resource("game://agents", (a, state) => (a.agents = state.shared.agents?.length > a.agents.length ? state.shared.agents : (state.shared.agents = a.agents))) },
    C86: { out: resource("game://agents", (a) => a.agents.forEach((e) => (e.total_reward += 1))) },
};

const parse = (line) => { try { return JSON.parse(line); } catch { return null; } };

// One connection: lines of a client through `spoil` to a server, and back.
function relay(spoil, client, server, shared) {
    const asked = new Map();
    const state = { shared, raw: (line) => client.write(line + "\n"), emit: (m) => client.write(JSON.stringify(m) + "\n") };
    spoil.start?.(state);
    const toServer = (line) => {
        const message = parse(line);
        if (message?.id !== undefined) asked.set(message.id, structuredClone(message));
        server.write((message && spoil.in ? JSON.stringify(spoil.in(message, state)) : line) + "\n");
    };
    const toClient = (line) => {
        const message = JSON.parse(line), request = asked.get(message.id);
        const out = spoil.out && (!spoil.only || spoil.only(request)) ? spoil.out(message, request, state) : message;
        if (out) client.write(JSON.stringify(out) + "\n");
    };
    return { toServer, toClient };
}

// Bytes that are no UTF-8 must stay so on their way through: both sides are read as Latin-1 but parsed as UTF-8.
function lines(stream, on) {
    let rest = Buffer.alloc(0);
    stream.on("data", (data) => {
        rest = rest.length ? Buffer.concat([rest, data]) : data;
        for (let at; (at = rest.indexOf(10)) >= 0; rest = rest.subarray(at + 1)) on(rest.subarray(0, at));
    });
}

// A shared host behind a socket of its own.
export function doubleSocket(name, upstream, path) {
    const shared = {};
    const server = net.createServer((client) => {
        const host = net.connect(upstream);
        const { toServer, toClient } = relay(spoils[name], client, host, shared);
        lines(client, (line) => toServer(line.toString()));
        lines(host, (line) => toClient(line.toString()));
        client.on("end", () => host.end()).on("error", () => host.destroy());
        host.on("end", () => client.end()).on("error", () => client.destroy());
    });
    return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

function main([name, ...command]) {
    const spoil = spoils[name];
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    const { toServer, toClient } = relay(spoil, process.stdout, child.stdin, {});
    child.stdin.on("error", () => {});
    lines(process.stdin, (line) => {
        if (line.length < 1 << 16 && Buffer.from(line.toString()).equals(line)) toServer(line.toString());
        else child.stdin.write(Buffer.concat([line, Buffer.from("\n")])); // as it came
    });
    lines(child.stdout, (line) => toClient(line.toString()));
    process.stdin.on("end", () => (spoil.ended?.(), child.stdin.end()));
    process.on("SIGTERM", () => (spoil.terminated?.(), child.kill("SIGTERM")));
    child.on("close", (status, signal) => process.exit(signal ? 1 : status));
}

if (process.argv[1] === double) main(process.argv.slice(2));
