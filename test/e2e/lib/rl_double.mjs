// Game-RL servers that break one promise: a go-between before ours that spoils what it says. As a program:
// rl_double.mjs NAME COMMAND [ARG...].
import { spawn } from "node:child_process";
import { chmodSync, closeSync, existsSync, lstatSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import net from "node:net";
import { fileURLToPath } from "node:url";

export const doubleFile = fileURLToPath(import.meta.url);

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

// More lies: what a call does in secret, what is written into a file or a picture behind the server's back.
const count = (state) => (state.count = (state.count ?? 0) + 1);
const both = (...outs) => (answer, request, state) => outs.reduce((said, out) => out(said, request, state), answer);
const refused = (when, does) => (answer, request, state) => (answer.error && when(answer.error, request) && does(state, request.params.arguments), answer);
const advance = (state, id) => state.slip("sim_step", { agent_id: id, action: { type: "wait" } });
const file = (change) => (answer, request) => {
    if (tool(request) !== "save_trajectory" || !answer.result) return answer;
    const path = request.params.arguments.path, bytes = readFileSync(path);
    const changed = change(bytes, request.params.arguments);
    if (changed) writeFileSync(path, changed);
    return answer;
};
const json = (change) => file((bytes, args) => {
    if (args.format !== "json") return null;
    const value = JSON.parse(bytes);
    change(value);
    return JSON.stringify(value);
});
const shm = (name) => (name.indexOf("/", 1) > 0 ? name : "/dev/shm" + name);
const streams = (does) => (answer, request, state) => {
    if (tool(request) === "configure_streams" && answer.result) does((state.streams = answer.result.structuredContent.streams), state);
    return answer;
};
// Another byte in the newest picture of each stream.
const scribble = both(streams(() => {}), content(["sim_step", "reset"], (s, a, state) => {
    for (const stream of state.streams ?? []) {
        const { shm_name: name, offsets } = stream.transport, frame = s.frame_ids?.[stream.stream_id];
        if (frame === undefined) continue;
        const fd = openSync(shm(name), "r+");
        writeSync(fd, Buffer.from([count(state) & 255]), 0, 1, offsets[frame % offsets.length]);
        closeSync(fd);
    }
}));
const scenario = (request) => request?.params?.arguments?.config?.scenario;
const argument = (request, name) => request?.params?.arguments?.[name];
const isFile = (path) => !path.startsWith("../") && existsSync(path) && lstatSync(path).isFile();
const swap = (list, i, k) => ([list[i], list[k]] = [list[k], list[i]]);

// A double: what its lie is, what the tool must say of it, and how it lies. `out` takes an answer or notification of the
// server with the request it belongs to, null swallows it; `in` takes a request. It is named after the assertion it
// offends; a second one of the same assertion has a word behind it. `quick`: it is run by make test, the others by make gate.
const double = (lie, says, how, more = {}) => ({ lie, says, ...how, ...more });
const quick = { quick: true }, shared = { shared: true };

export const doubles = {
    C1: double("2025-11-25 is answered by 2025-06-18", /answered by 2025-06-18/, { out: initialized((r, p) => p.protocolVersion === "2025-11-25" && (r.protocolVersion = "2025-06-18")) }),
    C2: double("old revisions are answered by 2025-11-25", /answered by 2025-11-25/, { out: initialized((r) => (r.protocolVersion = "2025-11-25")) }),
    C3: double("an unknown revision is refused", /2099-01-01 was refused/, { out: (answer, request) => (request?.params?.protocolVersion === "2099-01-01" ? { jsonrpc: "2.0", id: answer.id, error: { code: -32602, message: "no" } } : answer) }),
    C4: double("tools.listChanged is true", /tools.listChanged/, { out: initialized((r) => (r.capabilities.tools.listChanged = true)) }),
    "C4.subscribe": double("resources.subscribe is 1", /resources.subscribe/, { out: initialized((r) => (r.capabilities.resources.subscribe = 1)) }),
    "C4.resources": double("resources.listChanged is missing", /resources.listChanged/, { out: initialized((r) => delete r.capabilities.resources.listChanged) }),
    "C4.logging": double("logging is true", /logging is no object/, { out: initialized((r) => (r.capabilities.logging = true)) }),
    C5: double("gameRlVersion is missing", /gameRlVersion is ''/, { out: initialized((r) => delete r.serverInfo.gameRlVersion) }, quick),
    "C5.version": double("gameRlVersion is 1.0", /gameRlVersion is '1.0'/, { out: initialized((r) => (r.serverInfo.gameRlVersion = "1.0")) }),
    "C5.name": double("serverInfo has no name", /lacks name or version/, { out: initialized((r) => delete r.serverInfo.name) }),
    C6: double("an unknown notification is answered", /notification was answered/, { in: (m, state) => (m.method === "notifications/no_such_thing" && state.emit({ jsonrpc: "2.0", id: null, error: { code: -32601, message: "?" } }), m) }),
    "C6.initialized": double("notifications/initialized is answered", /notification was answered/, { in: (m, state) => (m.method === "notifications/initialized" && state.emit({ jsonrpc: "2.0", id: null, result: {} }), m) }),
    C7: double("ping is answered by a pong", /ping is not/, { out: (answer, request) => (request?.method === "ping" ? { ...answer, result: { pong: true } } : answer) }),
    C8: double("tools/list is answered before initialize", /before initialize/, { out: accept((e) => e.data?.name === "NotInitialized", { tools: [] }) }),
    C9: double("integer ids come back as strings", /did not come back/, { out: (answer) => ("id" in answer ? { ...answer, id: String(answer.id) } : answer), only: (request) => request?.method === "ping" }, quick),
    C10: double("malformed JSON is answered with id 0", /id is not null/, { out: (answer) => (answer.error?.code === -32700 ? { ...answer, id: 0 } : answer) }),
    "C10.code": double("malformed JSON is -32600", /-32600, not -32700/, { out: code((e) => e.code === -32700, -32600) }),
    C11: double("what is no request is -32700", /-32700, not -32600/, { out: code((e) => e.code === -32600, -32700) }),
    C12: double("an unknown method is -32602", /unknown method/, { out: code((e) => e.data?.name === "MethodNotFound", -32602) }),
    "C12.tool": double("an unknown tool is -32602", /no_such_tool/, { out: code((e) => e.data?.name === "UnknownTool", -32602) }),
    C13: double("arguments of wrong shape are -32000", /-32000, not -32602/, { out: code((e) => e.code === -32602, -32000) }),
    "C13.name": double("a call without name is -32601", /without name/, { out: code((e, r) => r?.method === "tools/call" && !r.params?.name, -32601) }),
    "C13.seed": double("a seed that is a string is taken", /reset .*seven/, { in: (m) => (argument(m, "seed") === "seven" && (m.params.arguments.seed = 7), m) }),
    C14: double("a line of words comes first", /is no message/, { start: (state) => state.raw("server is starting") }),
    C15: double("it ends with status 3 at the end of its input", /status 3/, { ended: () => process.exit(3) }),
    "C15.stays": double("it goes on after the end of its input", /still runs/, { ended: () => setInterval(() => {}, 1000), stays: true }),
    C16: double("it ends with status 3 on SIGTERM", /status 3/, { terminated: () => process.exit(3) }),
    C17: double("it dies of a line above 8 MiB", /the server has gone/, { out: (answer) => (answer.error?.data?.name === "TooLarge" ? process.exit(1) : answer) }),
    "C17.deep": double("deep nesting is -32600", /deep nesting: -32600/, { out: code((e) => e.data?.name === "TooDeep", -32600) }),
    "C17.utf8": double("invalid UTF-8 is -32600", /UTF-8: -32600/, { out: code((e) => e.data?.name === "BadUtf8", -32600) }),
    C18: double("logging/setLevel tells the level", /result is not/, { out: (answer, request) => (request?.method === "logging/setLevel" && answer.result ? { ...answer, result: { level: "warning" } } : answer) }),
    "C18.bad": double("an unknown level is taken", /a bad level: 0/, { out: accept((e, r) => r?.method === "logging/setLevel", {}) }),
    C19: double("game://manifest is listed as text/plain", /not listed as JSON/, { out: listed("resources/list", (r) => r.resources.forEach((e) => (e.mimeType = "text/plain"))) }),
    "C19.two": double("game://manifest is read as two contents", /one content/, { out: (answer, request) => (uri(request) === "game://manifest" && answer.result.contents.push(answer.result.contents[0]), answer) }),
    C20: double("capabilities.multi_agent is missing", /not valid as manifest/, { out: resource("game://manifest", (m) => delete m.capabilities.multi_agent) }, quick),
    C21: double("sim_step is not listed", /sim_step is not listed/, { out: listed("tools/list", (r) => (r.tools = r.tools.filter((t) => t.name !== "sim_step"))) }),
    C22: double("a schema refers to another document", /inputSchema/, { out: listed("tools/list", (r) => (r.tools[0].inputSchema.properties.agent_id = { $ref: "https://example.org/agent.json" })) }),
    "C22.root": double("the root of a schema has no type", /not object/, { out: listed("tools/list", (r) => delete r.tools[1].inputSchema.type) }),
    C23: double("available_slots is one too many", /available_slots does not fit/, { out: resource("game://agents", (a) => a.limits.available_slots++) }),
    "C23.most": double("max_agents of game://agents is 99", /99 in game:\/\/agents/, { out: resource("game://agents", (a) => (a.limits.max_agents = 99)) }),
    C24: double("max_agents is 3", /below 4/, { out: resource("game://manifest", (m) => (m.capabilities.max_agents = 3)) }),
    "C24.profile": double("there is no stream profile", /no stream profile/, { out: resource("game://manifest", (m) => (m.stream_profiles = {})) }),
    C25: double("headless is false", /headless is not true/, { out: resource("game://manifest", (m) => (m.capabilities.headless = false)) }),
    "C25.random": double("domain_randomization is false", /domain_randomization is not/, { out: resource("game://manifest", (m) => (m.capabilities.domain_randomization = false)) }),
    C26: double("a step has a component nobody declared", /3 reward components/, { out: content(["sim_step"], (s) => (s.reward_components.luck = 0)) }),
    "C26.range": double("a component leaves its range", /outside its range/, { out: content(["sim_step"], (s) => (s.reward_components.match = 5)) }, quick),
    C27: double("an unknown scenario is reset", /no_such_scenario/, { out: accept((e, r) => scenario(r) === "no_such_scenario", structured(fake)) }),
    "C27.one": double("a declared scenario is refused", /refused/, { in: (m) => (scenario(m) === "rich" && (m.params.arguments.config.scenario = "poor"), m) }),
    C28: double("game://world lacks real_time_seconds", /lacks real_time_seconds/, { out: resource("game://world", (w) => delete w.real_time_seconds) }),
    "C28.agent": double("an agent lacks last_step", /lacks last_step/, { out: resource("game://agents", (a) => a.agents.forEach((e) => delete e.last_step)) }),
    C29: double("an unknown uri can be subscribed to", /subscribed to/, { out: accept((e, r) => r?.method === "resources/subscribe", {}) }),
    "C29.read": double("an unknown uri can be read", /was read/, { out: accept((e, r) => r?.method === "resources/read", { contents: [] }) }),
    C30: double("the example of pass has no type", /no valid example of pass/, { out: listed("prompts/get", (r) => (r.messages[0].content.text = r.messages[0].content.text.replaceAll('"type":"pass"', '"kind":"pass"'))) }),
    C31: double("game://actions is in another order", /stands at place/, { out: resource("game://actions", (a) => a.actions.reverse()) }),
    "C31.n": double("game://actions lacks its last entry", /36 entries/, { out: resource("game://actions", (a) => a.actions.pop()) }),
    C32: double("the avatar has no position", /not valid as registered_embodied/, { out: content(["register_agent"], (a) => a.scope === "embodied" && delete a.avatar.position) }),
    C33: double("a systemic registration has no capabilities", /not valid as registered_systemic/, { out: content(["register_agent"], (a) => a.scope === "systemic" && delete a.capabilities) }),
    C34: double("a bad agent_id is -32000", /-32000, not -32602/, { out: code((e, r) => tool(r) === "register_agent", -32000) }),
    "C34.type": double("an unknown agent_type is taken", /Wizard/, { out: accept((e, r) => argument(r, "agent_type") === "Wizard", structured(fake)) }),
    C35: double("embodied scope without avatar_id is taken", /bodiless/, { out: accept((e, r) => argument(r, "scope") === "embodied", structured(fake)) }),
    C36: double("an unregistered agent is -32001", /-32001, not -32000/, { out: code((e) => e.code === -32000, -32001) }),
    C37: double("a step before the first reset is taken", /before the first reset/, { out: accept((e) => e.data?.name === "NotActive", structured(fake)) }),
    C38: double("reset gives a reward", /reward after a reset is 1/, { out: content(["reset"], (s) => (s.reward = 1)) }),
    "C38.done": double("reset is done", /done is not false/, { out: content(["reset"], (s) => (s.done = true)) }),
    C39: double("the text is another step", /text is not the structured/, { out: (answer, request) => (tool(request) === "sim_step" && answer.result && (answer.result.content[0].text = '{"tick":0}'), answer) }),
    "C39.shape": double("done is a number", /not valid as step/, { out: content(["sim_step"], (s) => (s.done = Number(s.done))) }, quick),
    C40: double("step_id grows by more than 1", /step_id went/, { out: content(["sim_step"], (s) => (s.step_id += s.tick)) }, quick),
    "C40.tick": double("tick grows by 1 whatever was asked", /tick went/, { out: content(["sim_step"], (s, a, state) => (s.tick = count(state))) }),
    C41: double("ticks of 0 are -32001", /-32001, not -32602/, { out: code((e) => e.data?.path === "/ticks", -32001) }),
    "C41.half": double("ticks of 1.5 are taken", /1.5.*: 0, not/, { in: (m) => (argument(m, "ticks") === 1.5 && (m.params.arguments.ticks = 1), m) }),
    C42: double("an index out of range is -32000", /-32000, not -32001/, { out: code(reason("out_of_range"), -32000) }),
    "C42.moves": double("an index out of range is refused and lets a tick pass", /changed the state/, { out: refused(reason("out_of_range"), (state, a) => advance(state, a.agent_id)) }, quick),
    C43: double("an array is taken by a discrete space", /0, not -32602/, { out: accept((e, r) => Array.isArray(argument(r, "action")), structured(fake)) }),
    C44: double("a denied action is -32602", /-32602, not -32001/, { out: code(reason("denied"), -32602) }),
    "C44.moves": double("a denied action is refused and lets a tick pass", /changed the state/, { out: refused(reason("denied"), (state, a) => advance(state, a.agent_id)) }),
    C45: double("an undeclared action is -32602", /-32602, not -32001/, { out: code(reason("not_in_space"), -32602) }),
    C46: double("action_mask is not enforced", /0, not -32001/, { in: (m) => (tool(m) === "register_agent" && argument(m, "config")?.action_mask?.[0] === "wait" && delete m.params.arguments.config.action_mask, m) }),
    "C46.unknown": double("an unknown name in action_mask is taken", /fool/, { in: (m) => (argument(m, "agent_id") === "fool" && delete m.params.arguments.config.action_mask, m) }),
    C47: double("an action of the other scope is -32602", /-32602, not -32001/, { out: code(reason("scope"), -32602) }),
    C48: double("reward is more than its components", /weighted components/, { out: content(["sim_step"], (s) => (s.reward += 0.5)) }, quick),
    "C48.weights": double("reward_shaping has no effect", /weighted components/, { in: (m) => (argument(m, "agent_id") === "shaped" && tool(m) === "register_agent" && delete m.params.arguments.config.reward_shaping, m) }),
    C49: double("an observation has a key nobody declared", /more keys/, { out: content(steps, (s) => (s.observation.luck = 1)) }),
    "C49.order": double("the keys of an observation are in another order", /where .* is declared/, { out: content(steps, (s) => (s.observation = Object.fromEntries(Object.entries(s.observation).reverse()))) }),
    C50: double("a step after done is -32000", /-32000, not -32002/, { out: code((e) => e.data?.name === "EpisodeTerminated", -32000) }),
    "C50.early": double("done comes while the episode goes on", /: 0, not -32002/, { out: content(["sim_step"], (s, a, state) => count(state) === 3 && Object.assign(s, { done: true, termination_reason: "failure" })) }, quick),
    "C50.reason": double("the end has no termination_reason", /no termination_reason/, { out: content(["sim_step"], (s) => delete s.termination_reason) }),
    C51: double("the tick limit is done, not truncated", /did not truncate/, { out: content(["sim_step"], (s) => s.truncated && ((s.truncated = false), (s.done = true))) }),
    "C51.reason": double("the tick limit is a failure", /not timeout/, { out: content(["sim_step"], (s) => s.truncated && (s.termination_reason = "failure")) }),
    C52: double("an available action is refused", /available_actions was refused/, { out: content(steps, (s) => s.available_actions?.length && (s.available_actions.at(-1).type = "fly")) }),
    C53: double("legal_mask hides a legal action", /the mask has 0/, { out: content(steps, (s) => s.observation.legal_mask && (s.observation.legal_mask = s.observation.legal_mask.replace(/1(?=0*$)/, "0"))) }),
    "C53.wide": double("legal_mask shows an illegal action", /the mask has 1/, { out: content(steps, (s) => s.observation.legal_mask && (s.observation.legal_mask = s.observation.legal_mask.replace(/0$/, "1"))) }),
    C54: double("matches never end", /does not end|refused/, { out: content(["sim_step"], (s) => (s.done = s.truncated = false)) }),
    C55: double("observe gives a reward", /observe has a reward/, { out: content(["observe"], (s) => (s.reward = 1)) }),
    "C55.moves": double("observe lets a tick pass", /observe changed/, { out: (answer, request, state) => (tool(request) === "observe" && advance(state, argument(request, "agent_id")), answer) }),
    "C55.other": double("observe shows another observation", /another observation/, { out: content(["observe"], (s) => s.observation.turn++) }),
    C56: double("rewards grow from run to run", /reward differs/, { out: content(["sim_step"], (s, a, state) => (s.reward += 1e-3 * count(state))) }),
    "C56.seen": double("observations differ from run to run", /observation differs/, { out: content(["sim_step"], (s, a, state) => (s.observation.turn = count(state))) }),
    "C56.events": double("events differ from run to run", /events differs/, { out: content(["sim_step"], (s, a, state) => s.events.push({ type: "noise", tick: count(state) })) }),
    C57: double("state_hash differs from run to run", /state_hash differs/, { out: content(steps, (s, a, state) => (s.state_hash = last(s.state_hash, count(state)))) }),
    C58: double("state_hash has the process id in it", /state_hash differs/, { out: content(steps, (s) => (s.state_hash = s.state_hash.slice(0, -8) + process.pid.toString(16).padStart(8, "0"))) }),
    C59: double("every seed is 1", /same course/, { in: (m) => (tool(m) === "reset" && (m.params.arguments.seed = 1), m) }, quick),
    C60: double("hashes are in upper case", /is no hash/, { out: content(["get_state_hash"], (h) => (h.hash = h.hash.toUpperCase())) }),
    "C60.twice": double("two calls give two hashes", /two hashes/, { out: content(["get_state_hash"], (h, a, state) => (h.hash = last(h.hash, count(state)))) }),
    "C60.moves": double("asking for the hash lets a tick pass", /two hashes|moved the tick/, { in: (m, state) => (tool(m) === "get_state_hash" && advance(state, "format"), m) }),
    C61: double("get_state_hash is another than the step's", /not the last step's/, { out: content(["get_state_hash"], (h) => (h.hash = last(h.hash, parseInt(h.hash.at(-1), 16) + 1))) }, quick),
    C62: double("include_rng has no effect", /include_rng/, { in: (m) => (tool(m) === "get_state_hash" && delete m.params.arguments.include_rng, m) }),
    C63: double("the entities digest depends on the seed", /other entities/, { out: content(["get_state_hash"], (h) => h.components.rng && (h.components.entities = h.components.rng)) }),
    "C63.rng": double("the rng digest is constant", /one rng digest/, { out: content(["get_state_hash"], (h) => h.components.rng && (h.components.rng = h.components.entities)) }),
    C64: double("the hash of an agent depends on what is hidden", /agent's hash depends/, { out: content(["get_state_hash"], (h, a, state) => a.agent_id && (h.hash = last(h.hash, count(state)))) }),
    "C64.seen": double("an observation depends on what is hidden", /observation depends/, { out: content(["reset"], (s, a, state) => (s.observation.text += count(state))) }, quick),
    C65: double("an overseer's event changes the player's course", /differs/, { out: content(["sim_step", "batch_step"], (s) => s.results && (s.results[0].observation.turn += 1)) }),
    C66: double("ticks has no effect", /5 ticks at once/, { in: (m) => (tool(m) === "sim_step" && delete m.params.arguments.ticks, m) }),
    C67: double("bad bounds are taken", /0, not -32602/, { out: accept((e, r) => argument(r, "config")?.domain_randomization, structured(fake)) }),
    "C67.twice": double("one seed draws two values", /two draws/, { out: content(["reset"], (s, a, state) => (s.domain_randomization.gameplay = { coins: count(state) })) }),
    "C67.bounds": double("a value is drawn out of its bounds", /drawn as 99/, { out: content(["reset"], (s) => (s.domain_randomization.gameplay = { coins: 99 })) }),
    C68: double("an agent too many is -32602", /-32602, not -32004/, { out: code((e) => e.code === -32004, -32602) }),
    C69: double("registering again is refused", /was refused: -32004/, { out: (answer, request, state) => (tool(request) === "register_agent" && argument(request, "agent_id") === "agent-0" && count(state) > 2 ? { jsonrpc: "2.0", id: answer.id, error: { code: -32004, message: "full" } } : answer) }),
    "C69.space": double("registering again gives another action space", /another action space/, { out: content(["register_agent"], (a, q, state) => (a.action_space.n += count(state))) }),
    "C69.type": double("an id is taken for another type", /agent-0.*: 0, not/, { out: accept((e, r) => argument(r, "agent_type") === "GameMaster", structured(fake)) }),
    C70: double("deregistration frees no slot", /available_slots went/, { out: resource("game://agents", (a, state) => (a.limits.available_slots = state.slots ??= a.limits.available_slots)) }),
    "C70.ghost": double("a deregistered agent may step", /leaver.*: 0, not/, { out: accept((e, r) => argument(r, "agent_id") === "leaver", structured(fake)) }),
    C71: double("results of one advance have two step_ids", /has step_id/, { out: content(["batch_step"], (b) => b.results[1].step_id++) }),
    "C71.order": double("results are not in request order", /request order/, { out: content(["batch_step"], (b) => b.results.reverse()) }),
    C72: double("the error names no agent", /does not name the agent/, { out: (answer) => (delete answer.error?.data?.agent_id, answer) }),
    "C72.moves": double("a refused batch lets a tick pass", /changed the state/, { out: (answer, request, state) => (tool(request) === "batch_step" && answer.error && advance(state, "first"), answer) }, quick),
    C73: double("results are not in the given order", /given order/, { out: content(["batch_step"], (b) => b.results.reverse()) }),
    "C73.one": double("a sequential batch is one advance", /has step_id/, { out: content(["batch_step"], (b) => (b.results[1].step_id = b.results[0].step_id)) }),
    C74: double("a bad item has no error", /no error of its own/, { out: content(["batch_step"], (b) => b.results.forEach((r) => delete r.error)) }),
    C75: double("one agent twice in a barrier is taken", /"first".*"first".*: 0, not -32602/, { out: accept((e, r) => argument(r, "sync_mode") === "barrier", structured({ ...fake, results: [] })) }),
    "C75.mode": double("an unknown sync_mode is taken", /whenever/, { in: (m) => (argument(m, "sync_mode") === "whenever" && delete m.params.arguments.sync_mode, m) }),
    "C75.order": double("an order that is no permutation is taken", /"first".*"second".*: 0, not -32602/, { in: (m) => (argument(m, "order") && delete m.params.arguments.order, m) }),
    C76: double("a step does not wait for the other connection", /before the other connection/, { in: (m, state) => (tool(m) === "sim_step" && state.emit({ jsonrpc: "2.0", id: m.id, result: structured(fake) }), m) }, shared),
    C77: double("the deadline is -32000", /-32000, not -32003/, { out: code((e) => e.code === -32003, -32000) }, shared),
    C78: double("time goes on beside a training agent", /time went on/, { out: resource("game://world", (w, state) => (w.tick += count(state))) }, shared),
    C79: double("ticks are twice as fast as the clock", /ms of ticks/, { out: content(["sim_step"], (s) => (s.tick *= 2)) }, shared),
    C80: double("a message is lost", /did not get the message/, { out: content(["sim_step"], (s) => (s.events = s.events.filter((e) => e.type !== "message"))) }),
    "C80.twice": double("a message comes twice", /receiver/, { out: content(["sim_step"], (s) => (s.events = s.events.flatMap((e) => (e.type === "message" ? [e, e] : [e])))) }),
    "C80.sender": double("the sender gets its own message", /the sender got/, { out: content(["sim_step"], (s) => s.agent_id === "sender" && s.events.push({ type: "message", tick: s.tick, severity: 1, details: {} })) }),
    C81: double("a seat sees the cards of another", /a seat sees/, { out: content(["sim_step"], (s) => s.observation.seats && Object.assign(s.observation.seats[1], { cards: [], dice: [], hole_cards: [], hand: [] })) }, quick),
    C82: double("an event for overseers is called visible to players", /reached a connection/, { out: (m) => (m.method === "notifications/event" && (m.params.visibility = ["EntityBehavior"]), m) }, shared),
    "C82.shape": double("an event has no event_type", /not valid as event/, { out: (m) => (m.method === "notifications/event" && delete m.params.event_type, m) }, shared),
    C83: double("no update comes", /was not told/, { out: (m) => (m.method === "notifications/resources/updated" ? null : m) }),
    "C83.late": double("updates go on after unsubscribing", /after unsubscribing/, { in: (m) => (m.method === "resources/unsubscribe" ? { ...m, method: "ping" } : m) }),
    C84: double("another connection's agent can be deregistered", /deregister_agent/, { out: accept((e, r) => e.data?.reason === "foreign" && tool(r) === "deregister_agent", structured({ agent_id: "alice", deregistered: true })) }, shared),
    "C84.step": double("another connection's agent can be moved", /sim_step/, { out: accept((e, r) => e.data?.reason === "foreign" && tool(r) === "sim_step", structured(fake)) }, shared),
    "C84.read": double("another connection's observation can be read", /can be read/, { out: accept((e, r) => r?.method === "resources/read", { contents: [] }) }, shared),
    C85: double("an agent whose connector left is still listed", /still at the table/, { out: resource("game://agents", (a, state) => (a.agents = state.shared.agents?.length > a.agents.length ? state.shared.agents : (state.shared.agents = a.agents))) }, shared),
    C86: double("total_reward is not what was credited", /were credited/, { out: resource("game://agents", (a) => a.agents.forEach((e) => (e.total_reward += 1))) }),
    "C86.reward": double("a reward earned meanwhile is lost", /were credited/, { out: content(["sim_step"], (s) => s.done && ((s.reward = 0), Object.keys(s.reward_components).forEach((k) => (s.reward_components[k] = 0)))) }),
    C87: double("final_state_hash of the file is another", /final_state_hash is not/, { out: json((f) => (f.footer.final_state_hash = last(f.footer.final_state_hash, 16 + parseInt(f.footer.final_state_hash.at(-1), 16) + 1))) }),
    "C87.steps": double("the file lacks its last step", /steps of/, { out: json((f) => f.episodes.at(-1).steps.pop()) }),
    "C87.member": double("a step of the file has no sync_mode", /lacks sync_mode/, { out: json((f) => f.episodes[0].steps.forEach((s) => delete s.sync_mode)) }),
    "C87.seed": double("the file has another seed", /another seed/, { out: json((f) => (f.episodes[0].reset.seed = 14)) }),
    C88: double("the default format is json", /default format is 'json'/, { in: (m) => (tool(m) === "save_trajectory" && (m.params.arguments.format ??= "json"), m) }),
    "C88.cut": double("the footer of a msgpack is cut off", /no footer|no MessagePack|no header/, { out: file((bytes, a) => (a.format ? null : bytes.subarray(0, -40))) }),
    C89: double("an hdf5 file is none", /not read it/, { out: file((bytes, a) => (a.format === "hdf5" ? "no HDF5" : null)) }),
    C90: double("include_observations has no effect", /has an observation/, { in: (m) => (tool(m) === "save_trajectory" && delete m.params.arguments.include_observations, m) }),
    "C90.agents": double("agent_ids has no effect", /an entry is of/, { in: (m) => (tool(m) === "save_trajectory" && argument(m, "agent_ids")?.[0] !== "nobody" && delete m.params.arguments.agent_ids, m) }),
    C91: double("load tells another final_state_hash", /another state/, { out: content(["load_trajectory"], (t) => (t.final_state_hash = last(t.final_state_hash, parseInt(t.final_state_hash.at(-1), 16) + 1))) }),
    "C91.verified": double("load verifies nothing", /not verified/, { out: content(["load_trajectory"], (t) => delete t.verified) }),
    C92: double("a forged file is called verified", /is not noticed/, { out: content(["load_trajectory"], (t) => Object.assign(t, { verified: true, mismatches: [] })) }, quick),
    "C92.step": double("a mismatch is reported at another step", /reported at step 9/, { out: content(["load_trajectory"], (t) => t.mismatches?.forEach((m) => (m.step = 9))) }),
    C93: double("realtime playback ends in another state", /realtime playback/, { out: content(["load_trajectory"], (t, a) => a.playback_mode === "realtime" && (t.final_state_hash = last(t.final_state_hash, parseInt(t.final_state_hash.at(-1), 16) + 1))) }),
    "C93.step": double("playback by steps skips the last one", /playback by steps/, { out: content(["load_trajectory"], (t, a) => a.playback_mode === "step" && t.remaining === 1 && (t.remaining = 0)) }),
    C94: double("a path outside is taken", /\.\.\/.*: 0, not -32602/, { out: accept((e, r) => argument(r, "path")?.startsWith("../"), structured({})) }),
    "C94.writes": double("a refused save writes outside", /wrote outside/, { out: (answer, request) => (tool(request) === "save_trajectory" && answer.error && argument(request, "path").startsWith("../") && writeFileSync(argument(request, "path"), ""), answer) }),
    "C94.damaged": double("a damaged file is -32603", /mutant/, { out: code((e, r) => tool(r) === "load_trajectory" && isFile(argument(r, "path")), -32603) }),
    C95: double("a descriptor has an offset too few", /offsets/, { out: content(["configure_streams"], (c) => c.streams.forEach((s) => s.transport.offsets.pop())) }),
    "C95.size": double("a slot ends behind the object", /ends behind/, { out: content(["configure_streams"], (c) => c.streams.forEach((s) => (s.transport.offsets[0] += s.transport.size))) }),
    C96: double("frame ids stand still", /frame \d+ (follows|is not in its slot)/, { out: content(["sim_step"], (s) => Object.keys(s.frame_ids ?? {}).forEach((k) => (s.frame_ids[k] = 3))) }),
    C97: double("pictures differ from run to run", /other pixels/, { out: scribble }),
    C98: double("too many streams are -32602", /-32602, not -32004/, { out: code((e) => e.code === -32004, -32602) }),
    C99: double("a picture can be read by everybody", /the mode of/, { out: streams((list) => list.forEach((s) => chmodSync(shm(s.transport.shm_name), 0o644))) }),
    "C99.stays": double("a picture stays after deregistration", /after deregistration/, { out: both(streams(() => {}), (answer, request, state) => (tool(request) === "deregister_agent" && answer.result && state.streams?.forEach((s) => state.leave(shm(s.transport.shm_name))), answer)) }),
    C100: double("a picture depends on what is hidden", /depend on what is hidden/, { out: scribble }),
    C101: double("serverInfo and manifest have two versions of Game-RL", /'9.9.9' and '1.0.0'/, { out: initialized((r) => (r.serverInfo.gameRlVersion = "9.9.9")) }, quick),
    "C101.level": double("experimental.gameRl claims level 9", /the level of experimental/, { out: initialized((r) => (r.capabilities.experimental.gameRl.level = 9)) }),
    "C101.own": double("serverInfo and manifest have two versions", /version of serverInfo/, { out: initialized((r) => (r.serverInfo.version = "9.9.9")) }),
    C102: double("the manifest's action space has another n", /default_action_space/, { out: resource("game://manifest", (m) => m.default_action_space.n++) }, quick),
    "C102.seen": double("the manifest's observation space lacks a key", /default_observation_space/, { out: resource("game://manifest", (m) => delete m.default_observation_space.spaces.turn) }),
    C103: double("another avatar than asked is given", /avatar asked/, { out: content(["register_agent"], (a) => (a.avatar.id = "seat_1")) }, quick),
    "C103.id": double("another agent is registered", /agent_id asked/, { out: content(["register_agent"], (a) => (a.agent_id = "somebody")) }),
    "C103.false": double("registered is false", /not valid as registered|registered is not true/, { out: content(["register_agent"], (a) => (a.registered = false)) }),
    C104: double("a step is answered for another agent", /a step of first/, { out: content(["sim_step"], (s) => (s.agent_id = "second")) }),
    "C104.reset": double("a reset is answered for another agent", /reset for second/, { out: content(["reset"], (s) => (s.agent_id = "first")) }),
    C105: double("a running episode has a termination_reason", /running episode/, { out: content(["sim_step"], (s) => (s.termination_reason ??= "success")) }, quick),
    "C105.both": double("the end is both done and truncated", /both true/, { out: content(["sim_step"], (s) => (s.truncated = s.done)) }),
    "C105.reason": double("done for the reason timeout", /done for the reason timeout/, { out: content(["sim_step"], (s) => s.done && (s.termination_reason = "timeout")) }),
    C106: double("step_id begins anew with a reset", /by a reset/, { out: content(["reset"], (s) => (s.step_id = 0)) }, quick),
    "C106.tick": double("an episode begins at tick 5", /begins at tick 5/, { out: content(["reset"], (s) => (s.tick = 5)) }),
    C107: double("a reset to an unknown scenario is refused and resets", /refused reset .*no_such_scenario.* changed the world/, { out: refused((e, r) => scenario(r) === "no_such_scenario", (state, a) => state.slip("reset", { agent_id: a.agent_id })) }, quick),
    "C107.step": double("a step of an unknown agent is refused and lets a tick pass", /refused sim_step .*nobody.* changed the world/, { out: refused((e, r) => tool(r) === "sim_step" && argument(r, "agent_id") === "nobody", (state) => advance(state, "still")) }, quick),
    "C107.agents": double("a refused registration registers", /refused register_agent .* changed the agents/, { out: refused((e, r) => argument(r, "agent_type") === "Wizard", (state) => state.slip("register_agent", { agent_id: "new", agent_type: "GameMaster" })) }),
    "C107.load": double("a refused load_trajectory resets", /refused load_trajectory .* changed the world/, { out: refused((e, r) => tool(r) === "load_trajectory", (state) => state.slip("reset", { agent_id: "still" })) }),
    C108: double("the hash is always the same", /another observation, the same hash/, { out: content([...steps, "get_state_hash"], (s) => (s.hash ? (s.hash = "sha256:" + "ab".repeat(32)) : (s.state_hash = "sha256:" + "ab".repeat(32)))) }, quick),
    "C108.part": double("a component is a placeholder", /component rng is no hash/, { out: content(["get_state_hash"], (h) => (h.components.rng = "sha256:todo")) }),
    C109: double("an agent in an episode is called registered", /status in an episode/, { out: resource("game://agents", (a) => a.agents.forEach((e) => (e.status = "registered"))) }),
    "C109.last": double("last_step stands still", /last_step is/, { out: resource("game://agents", (a) => a.agents.forEach((e) => (e.last_step = 0))) }),
    "C109.total": double("total_reward is not the sum", /total_reward is/, { out: resource("game://agents", (a) => a.agents.forEach((e) => (e.total_reward += 1))) }),
    "C109.type": double("an agent is listed with another type", /agent_type registered/, { out: resource("game://agents", (a) => a.agents.forEach((e) => (e.agent_type = "GameMaster"))) }),
    C110: double("game://world has the hash of another state", /state_hash of game:\/\/world/, { out: resource("game://world", (w) => (w.state_hash = last(w.state_hash, parseInt(w.state_hash.at(-1), 16) + 1))) }, quick),
    "C110.tick": double("game://world is a tick late", /game:\/\/world is at tick/, { out: resource("game://world", (w) => w.tick--) }),
    "C110.episode": double("the episode stands still", /by a reset/, { out: resource("game://world", (w) => (w.episode = 1)) }),
    C111: double("available_actions has what is not declared", /'fly', which action_space/, { out: content(steps, (s) => s.available_actions?.push({ type: "fly", params: {} })) }, quick),
    "C111.params": double("a parameter of available_actions leaves its schema", /target of steal/, { out: content(steps, (s) => s.available_actions?.forEach((a) => a.type === "steal" && (a.params.target = "seat_9"))) }),
    C112: double("an available action has an index that the mask forbids", /legal_mask does not|index/, { out: content(steps, (s) => s.available_actions?.forEach((a) => (a.index = 0))) }),
    "C112.length": double("legal_mask is one too long", /legal_mask has 38/, { out: content(steps, (s) => (s.observation.legal_mask += "0")) }),
    C113: double("coins are a string", /coins of the observation/, { out: content(steps, (s) => (s.observation.coins = String(s.observation.coins))) }, quick),
    "C113.bounds": double("coins are above their bound", /coins of the observation/, { out: content(steps, (s) => (s.observation.coins += 20)) }),
    "C113.value": double("a card is of no role", /cards of the observation/, { out: content(steps, (s) => (s.observation.cards = ["Joker"])) }),
    C114: double("reset tells another seed", /answered by seed/, { out: content(["reset"], (s) => (s.seed = 1)) }),
    "C114.scenario": double("reset tells another scenario", /scenario asked/, { out: content(["reset"], (s) => (s.scenario = "players_4")) }),
    "C114.episode": double("reset tells the same episode again", /the episode after/, { out: content(["reset"], (s) => (s.episode = 1)) }),
    C115: double("a reset without seed is drawn anew", /differs between two processes/, { in: (m) => (tool(m) === "reset" && (m.params.arguments.seed ??= process.pid), m) }),
    "C115.same": double("a reset without seed repeats the episode", /repeats the episode/, { in: (m) => (tool(m) === "reset" && (m.params.arguments.seed ??= 77), m) }),
    C116: double("a reward of the file is not the one told", /reward of step/, { out: json((f) => (f.episodes[0].steps[2].entries[0].reward = 9)) }, quick),
    "C116.action": double("an action of the file is not the one played", /type of an action/, { out: json((f) => (f.episodes[0].steps[1].entries[0].action = { type: "wait", params: {} })) }),
    "C116.hash": double("a hash of the file is not the one told", /another state_hash/, { out: json((f) => (f.episodes[0].steps[1].state_hash = "sha256:" + "ab".repeat(32))) }),
    C117: double("load_trajectory leaves the table where it was", /get_state_hash is not the final/, { out: (answer, request, state) => (tool(request) === "load_trajectory" && answer.result && state.slip("reset", { agent_id: "teller", seed: 2 }), answer) }, quick),
    "C117.steps": double("load_trajectory counts other steps", /steps were loaded/, { out: content(["load_trajectory"], (t) => t.steps++) }),
    C118: double("errors have no data.name", /data.name is ''/, { out: (answer) => (delete answer.error?.data?.name, answer) }),
    "C118.uri": double("an unknown uri is -32602", /game:\/\/nowhere.*-32602, not -32002/, { out: code((e) => e.data?.name === "ResourceNotFound", -32602) }),
    C119: double("the agent is checked before the arguments", /-32000, not -32602/, { out: code((e, r) => argument(r, "ticks") === 0, -32000) }),
    C120: double("a request with id null is taken", /"id":null.*: 0, not -32600/, { out: (answer) => (answer.error?.code === -32600 && answer.id === null ? { jsonrpc: "2.0", id: null, result: {} } : answer) }),
    "C120.again": double("a second initialize is answered", /initialize .*: 0, not -32600/, { out: accept((e, r) => r?.method === "initialize", {}) }),
    "C120.cursor": double("a cursor is taken", /cursor/, { out: accept((e, r) => r?.method === "tools/list", { tools: [] }) }),
    C121: double("a taken seat is given twice", /refused.*: 0, not -32602/, { out: accept((e) => e.data?.reason === "taken", structured(fake)) }),
    "C121.scope": double("a player may be systemic", /systemic.*: 0, not -32602/, { out: accept((e, r) => argument(r, "scope") === "systemic", structured(fake)) }),
    C122: double("a missing parameter is -32001", /-32001, not -32602/, { out: code((e, r) => tool(r) === "sim_step" && e.code === -32602, -32001) }),
    C123: double("reset is called read-only", /reset: readOnlyHint/, { out: listed("tools/list", (r) => (r.tools.find((t) => t.name === "reset").annotations.readOnlyHint = true)) }),
    "C123.order": double("tools are in another order", /tool 0 is/, { out: listed("tools/list", (r) => swap(r.tools, 0, 1)) }),
    C124: double("an old session gets structuredContent", /structuredContent on a session/, { out: (answer, request) => (tool(request) && answer.result && (answer.result.structuredContent ??= {}), answer) }),
    "C124.hints": double("an old session gets annotations", /annotations on a session/, { out: listed("tools/list", (r) => r.tools.forEach((t) => (t.annotations ??= {}))) }),
    C125: double("the observation resource is stale", /not what observe shows/, { out: resource("game://agents/resource/observation", (s) => s.observation.turn--) }),
    C126: double("guide is another text", /guide of register_agent/, { out: content(["register_agent"], (a) => a.guide && (a.guide = "play well")) }),
    "C126.always": double("guide comes unasked", /guide false has a guide/, { in: (m) => (tool(m) === "register_agent" && argument(m, "config").guide === false && delete m.params.arguments.config.guide, m) }),
    C127: double("the hash of an agent is that of the state", /other components than observation/, { in: (m) => (tool(m) === "get_state_hash" && argument(m, "agent_id") !== "nobody" && delete m.params.arguments.agent_id, m) }),
    C128: double("a guest may choose the seed", /seed.*: 0, not -32001/, { out: accept((e) => e.data?.reason === "owner", structured(fake)) }, { shared: true, quick: true }),
    "C128.moves": double("a guest's seed is refused and begins an episode", /began an episode/, { out: refused(reason("owner"), (state, a) => state.slip("reset", { agent_id: a.agent_id })) }, shared),
    C129: double("a guest's overseer has admin", /not the owner's has 1 capabilities/, { out: content(["register_agent"], (a) => a.capabilities?.length === 0 && (a.capabilities = ["admin"])) }, { shared: true, quick: true }),
    C130: double("a seeded episode is not marked", /reset with a seed is not marked/, { out: content(["reset", "sim_step"], (s) => delete s.seeded) }, shared),
    "C130.world": double("game://world does not mark a seeded episode", /game:\/\/world is not marked/, { out: resource("game://world", (w) => (w.seeded = false)) }, shared),
    "C130.warning": double("a seeded episode has no warning", /no warning/, { out: content(["reset"], (s) => delete s.warning) }, shared),
    C131: double("another key is revealed than was committed to", /do not make the seed_commitment/, { out: content(["sim_step"], (s) => s.revealed && (s.revealed.key = "00".repeat(32))) }, { shared: true, quick: true }),
    "C131.other": double("the commitment is exchanged at the end", /not that of the end/, { out: content(["sim_step"], (s) => s.revealed && (s.revealed.seed_commitment = "sha256:" + "ab".repeat(32))) }, shared),
    "C131.early": double("game://world shows the seed while the episode runs", /game:\/\/world has seed/, { out: resource("game://world", (w) => (w.seed = 7)) }, shared),
    "C131.never": double("nothing is revealed at the end", /reveals nothing/, { out: content(["sim_step"], (s) => delete s.revealed) }, shared),
    C132: double("all tables draw the same key", /drew the same key/, { out: content(["sim_step"], (s) => s.revealed && (s.revealed.key = "5a".repeat(32))) }, shared),
    C133: double("hashes of a shared table have no salt", /same state_hash at two/, { out: content(["reset"], (s, a) => a.seed !== undefined && (s.state_hash = "sha256:" + "ab".repeat(32))) }, shared),
    C134: double("PascalCase names are not known", /sim_step was refused/, { in: (m) => (argument(m, "AgentId") && delete m.params.arguments.AgentId, m) }),
    "C134.extra": double("an unknown member is refused", /sim_step was refused/, { in: (m) => (argument(m, "nobody_knows_this") && (m.params.arguments = {}), m) }),
    C135: double("the answer to a ping comes before that to the step before it", /answer 1 is of request/, { out: (answer, request, state) => {
        if (tool(request) === "sim_step") return (state.held = answer), null;
        if (request?.method === "ping" && state.held) { const late = state.held; state.held = null; state.emit(answer); return late; }
        return answer;
    } }),
    C136: double("wait plays the first legal action", /wait decided something/, { in: (m) => (tool(m) === "sim_step" && (m.params.arguments.action = { type: "income" }), m) }),
    "C136.index": double("index 0 is not wait", /index 0 of game/, { out: resource("game://actions", (a) => (a.actions[0].type = "income")) }),
    "C136.offer": double("wait is offered to a seat that must decide", /available_actions has wait/, { out: content(["reset"], (s) => s.available_actions.push({ type: "wait", params: {}, index: 0 })) }),
    C137: double("another agent is still registered after a reset", /beside is registered/, { out: resource("game://agents", (a) => (a.agents[1].status = "registered")) }),
    "C137.told": double("reset tells only the caller's observation", /observation of the other agent/, { out: content(["reset"], (s) => delete s.observations) }),
    C138: double("unequal ticks in a batch are taken", /batch_step .*: 0, not -32602/, { out: accept((e, r) => tool(r) === "batch_step", structured(fake)) }),
    "C138.sender": double("an unknown sender is -32602", /send_message .*-32602, not -32000/, { out: code((e, r) => tool(r) === "send_message", -32602) }),
    "C138.streams": double("profile beside custom is taken", /configure_streams .*: 0, not/, { in: (m) => (tool(m) === "configure_streams" && delete m.params.arguments.custom, m) }),
    "C138.scope": double("agent scope without an agent is a global reset", /scope.*: 0, not -32602/, { in: (m) => (argument(m, "scope") === "agent" && delete m.params.arguments.scope, m) }),
    C139: double("the vector lacks its last number", /the vector has 97/, { out: content(["reset"], (s) => s.observation.vector?.pop()) }),
    "C139.n": double("action_space.n is one too many", /action_space.n is 38/, { out: content(["register_agent"], (a) => a.action_space.n++) }),
    "C139.compact": double("the profile compact has a text", /compact has a text/, { in: (m) => (argument(m, "config")?.observation_profile === "compact" && delete m.params.arguments.config.observation_profile, m) }),
    C140: double("an episode begins without episode_started", /the first event is/, { out: content(["reset"], (s) => s.events.shift()) }),
    "C140.severity": double("an event has severity 9", /not valid as step|severity of/, { out: content(["sim_step"], (s) => s.events.forEach((e) => (e.severity = 9))) }),
    "C140.future": double("an event is of a tick to come", /in the future/, { out: content(["sim_step"], (s) => s.events.forEach((e) => (e.tick += 1000))) }),
    C141: double("a declared type is refused", /CombatDirector is in agent_types/, { out: (answer, request) => (argument(request, "agent_type") === "CombatDirector" ? { jsonrpc: "2.0", id: answer.id, error: { code: -32602, message: "no" } } : answer) }),
    "C141.more": double("a type that is not declared is taken", /WorldSimulation is not in/, { out: accept((e, r) => argument(r, "agent_type") === "WorldSimulation", structured(fake)) }),
    C142: double("an overseer gets a reward", /reward of a GameMaster is 1/, { out: content(["sim_step"], (s) => s.agent_id === "master" && (s.reward = 1)) }),
    "C142.parts": double("an overseer has components", /has reward_components/, { out: content(["sim_step"], (s) => s.agent_id === "master" && (s.reward_components = { match: 0 })) }),
    C143: double("a seat may act while paused", /an action while paused: 0/, { out: accept(reason("paused"), structured(fake)) }),
    "C143.world": double("game://world does not tell a pause", /is not paused/, { out: resource("game://world", (w) => (w.paused = false)) }),
    "C143.time": double("time passes while paused", /time passes/, { out: resource("game://world", (w, state) => (w.tick += count(state))) }),
    C144: double("an empty list removes nothing", /leaves streams|without a stream|refused/, { in: (m) => (argument(m, "custom")?.streams?.length === 0 && ((m.params.arguments.profile = "policy_fast"), delete m.params.arguments.custom), m) }),
};
export const spoils = { none: {}, ...doubles };

const parse = (line) => { try { return JSON.parse(line); } catch { return null; } };

// One connection: lines of a client through `spoil` to a server, and back.
function relay(spoil, client, server, shared) {
    const asked = new Map(), slipped = new Set();
    const state = {
        shared,
        raw: (line) => client.write(line + "\n"),
        emit: (m) => client.write(JSON.stringify(m) + "\n"),
        slip(name, args) { // a call that the client does not know of
            const id = `slipped-${slipped.size}`;
            slipped.add(id);
            server.write(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } }) + "\n");
        },
        leave(path) { // what was there stays there until the double ends
            writeFileSync(path, "");
            process.on("exit", () => rmSync(path, { force: true }));
        },
    };
    spoil.start?.(state);
    const toServer = (line) => {
        const message = parse(line);
        if (message?.id !== undefined) asked.set(message.id, structuredClone(message));
        server.write((message && spoil.in ? JSON.stringify(spoil.in(message, state)) : line) + "\n");
    };
    const toClient = (line) => {
        const message = JSON.parse(line), request = asked.get(message.id);
        if (slipped.has(message.id)) return;
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
    process.stdin.on("end", () => (spoil.ended?.(), spoil.stays || child.stdin.end()));
    process.on("SIGTERM", () => (spoil.terminated?.(), child.kill("SIGTERM")));
    child.on("close", (status, signal) => process.exit(signal ? 1 : status));
}

if (process.argv[1] === doubleFile) main(process.argv.slice(2));
