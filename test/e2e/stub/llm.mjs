// A model server with the oddities of real ones: both dialects on one port, behaviour by the name of the model. Asked by
// agon it plays the first legal action of the prompt; asked by anybody else it says "tax". Alone: node llm.mjs [PORT].
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createHash } from "node:crypto";
import { beSlow } from "../lib/wait.mjs";

const usage = { prompt_tokens: 812, completion_tokens: 31, total_tokens: 843 };
const tokens = (text) => Math.ceil(text.length / 4);

// --- what is asked

const textOf = (content) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? part.content ?? "").join(""));
const lastOf = (body) => textOf(body.messages.at(-1).content);
const promptOf = (body) => [textOf(body.system), ...body.messages.map((m) => textOf(m.content))].join("\n");

// Legal lines of the newest list, as they can be written back.
function legal(body) {
    const users = body.messages.filter((m) => m.role !== "assistant").map((m) => textOf(m.content));
    const text = users.reverse().find((t) => t.includes("# Legal actions")) ?? "";
    const list = text.split("# Legal actions\n")[1]?.split("\n\n")[0] ?? "";
    return list.split("\n").filter((l) => l.startsWith("- ")).map((line) => {
        const plain = line.slice(2).replace(/ \(.*\)$/, "");
        const [words, ...ranges] = plain.split(/, (?=(?:[A-Z]+ )?\d+ to \d+$)/);
        const low = ranges[0]?.match(/(\d+) to (\d+)$/)?.[1];
        return low ? words.replace(/[A-Z]{2,}/, low) : words;
    });
}

const pick = (body, which = 0) => legal(body).at(which) ?? "tax";
const object = (action) => JSON.stringify({ action });

// --- answers in the dialect of chat completions

const message = (content, more = {}) => ({ role: "assistant", content, refusal: null, ...more });
const whole = (m, finish = "stop", used = usage, model = "stub") => ({
    id: "chatcmpl-stub1", object: "chat.completion", created: 1760000000, model,
    choices: [{ index: 0, message: m, logprobs: null, finish_reason: finish }],
    ...(used === null ? {} : { usage: used }), system_fingerprint: null,
});
const chunk = (delta, finish = null, more = {}) => ({
    id: "chatcmpl-stub1", object: "chat.completion.chunk", created: 1760000000, model: "stub",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...more,
});
const call = (args, id = "call_1") => ({ id, type: "function", function: { name: "act", arguments: args } });

const chars = (text, n) => text.match(new RegExp(`[\\s\\S]{1,${Math.max(1, Math.ceil(text.length / n))}}`, "g")) ?? [];

// A whole answer as the chunks of a stream.
function chunksOf(answer) {
    const { message: m, finish_reason: finish } = answer.choices[0];
    const list = [chunk({ role: "assistant", content: "" })];
    for (const field of ["reasoning_content", "reasoning", "refusal"])
        if (m[field]) for (const part of chars(m[field], 2)) list.push(chunk({ [field]: part }));
    for (const part of chars(textOf(m.content), 3)) list.push(chunk({ content: part }));
    (m.tool_calls ?? []).forEach((c, index) => {
        const args = typeof c.function.arguments === "string" ? c.function.arguments : JSON.stringify(c.function.arguments);
        list.push(chunk({ tool_calls: [{ index, id: c.id, type: "function", function: { name: c.function.name, arguments: "" } }] }));
        for (const part of chars(args, 3)) list.push(chunk({ tool_calls: [{ index, function: { arguments: part } }] }));
    });
    list.push(chunk({}, finish));
    if (answer.usage !== undefined) list.push({ ...chunk({}), choices: [], usage: answer.usage });
    return list;
}

const event = (value, end = "\n") => `data: ${typeof value === "string" ? value : JSON.stringify(value)}${end}${end}`;

// --- answers in the dialect of messages

const block = (text) => ({ type: "text", text });
const claude = (content, stop = "end_turn", used = { input_tokens: 812, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 31 }) => ({
    id: "msg_stub1", type: "message", role: "assistant", model: "stub", content, stop_reason: stop, stop_sequence: null, usage: used,
});

function eventsOf(answer) {
    const list = [["message_start", { type: "message_start", message: { ...answer, content: [], stop_reason: null } }], ["ping", { type: "ping" }]];
    answer.content.forEach((b, index) => {
        const empty = { text: { ...b, text: "" }, thinking: { ...b, thinking: "", signature: "" }, tool_use: { ...b, input: {} } }[b.type] ?? b;
        list.push(["content_block_start", { type: "content_block_start", index, content_block: empty }]);
        const delta = (d) => list.push(["content_block_delta", { type: "content_block_delta", index, delta: d }]);
        if (b.type === "text") for (const part of chars(b.text, 3)) delta({ type: "text_delta", text: part });
        if (b.type === "thinking") {
            for (const part of chars(b.thinking, 2)) delta({ type: "thinking_delta", thinking: part });
            delta({ type: "signature_delta", signature: b.signature });
        }
        if (b.type === "tool_use") for (const part of chars(JSON.stringify(b.input), 2)) delta({ type: "input_json_delta", partial_json: part });
        list.push(["content_block_stop", { type: "content_block_stop", index }]);
    });
    list.push(["message_delta", { type: "message_delta", delta: { stop_reason: answer.stop_reason, stop_sequence: null }, usage: { output_tokens: answer.usage.output_tokens } }]);
    list.push(["message_stop", { type: "message_stop" }]);
    return list;
}

const failure = (status, error, headers = {}) => ({ status, body: { error }, headers });
const claudeFailure = (status, type, text, headers = {}) => ({ status, headers, body: { type: "error", error: { type, message: text }, request_id: "req_1" } });

// --- the rows: what a model does with a request. `n` counts the requests of this model from 0.

const inside = 'If I say {"action":"income"} I get one coin.';
const target = (body) => {
    const action = pick(body);
    return action === "tax" ? { action: "steal", target: "seat_2" } : { action };
};

const openai = {
    ok: (b) => whole(message("I hold the Duke.\n\n```json\n" + object(pick(b)) + "\n```")),
    usage: (b) => whole(message(object(pick(b))), "stop", { ...usage, prompt_tokens_details: { cached_tokens: 640, audio_tokens: 0 },
        completion_tokens: 431, completion_tokens_details: { reasoning_tokens: 400, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 } }),
    nousage: (b) => whole(message(object(pick(b))), "stop", null),
    parts: (b) => whole(message([block('{"action":'), block(JSON.stringify(pick(b)) + "}")])),
    reasoning_content: (b) => whole(message(object(pick(b)), { reasoning_content: inside })),
    reasoning: (b) => whole(message(object(pick(b)), { reasoning: inside })),
    think: (b) => whole(message(`<think>{"action":"income"} is safe, tax is better.</think>\n${object(pick(b))}`)),
    think_open: () => whole(message('<think>{"action":"income"} is safe... But what if'), "length"),
    length_null: () => whole(message(null, { reasoning: inside }), "length", { prompt_tokens: 812, completion_tokens: 4096, total_tokens: 4908 }),
    tool: (b) => whole(message(null, { tool_calls: [call(JSON.stringify(target(b)))] }), "tool_calls"),
    tool_obj: (b) => whole(message(null, { tool_calls: [call({ action: pick(b) })] }), "stop"),
    tool_two: (b) => whole(message(null, { tool_calls: [call(object(pick(b))), call(object("bluff"), "call_2")] }), "tool_calls"),
    refusal: () => whole(message(null, { refusal: "I can't help with gambling." })),
    filter: () => whole(message(""), "content_filter"),
    err200: (b, n) => (n % 2 ? openai.ok(b) : { error: { message: "Provider returned error", code: 502, metadata: { provider_name: "x" } } }),
    err_string: (b) => (b.response_format ? { status: 400, body: { error: "'response_format.type' must be 'json_schema' or 'text'" } } : openai.ok(b)),
    r429: (b, n) => (n === 0 ? failure(429, { message: "Rate limit reached", type: "requests", param: null, code: "rate_limit_exceeded" }, { "retry-after": "2" }) : openai.ok(b)),
    r429ms: (b, n) => (n === 0 ? failure(429, { message: "Rate limit reached", type: "requests", param: null, code: "rate_limit_exceeded" }, { "retry-after-ms": "150", "retry-after": "30" }) : openai.ok(b)),
    quota: () => failure(429, { message: "You exceeded your current quota", type: "insufficient_quota", param: null, code: "insufficient_quota" }),
    ctx: (b, n) => (n === 0 ? failure(400, { message: "This model's maximum context length is 8192 tokens.", type: "invalid_request_error", param: "messages", code: "context_length_exceeded" }) : openai.ok(b)),
    ctx_llama: () => failure(400, { code: 400, message: "the request exceeds the available context size, try increasing it", type: "exceed_context_size_error", n_prompt_tokens: 14429, n_ctx: 8192 }),
    maxtok: (b) => ("max_tokens" in b ? failure(400, { message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", type: "invalid_request_error", param: "max_tokens", code: "unsupported_parameter" }) : openai.ok(b)),
    temp: (b) => ("temperature" in b ? failure(400, { message: "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.", type: "invalid_request_error", param: "temperature", code: "unsupported_value" }) : openai.ok(b)),
    notools: (b) => (b.tools ? failure(400, { message: "registry does not support tools", type: "invalid_request_error", param: "tools", code: null }) : openai.ok(b)),
    nosystem: (b) => (b.messages[0].role === "system" ? failure(400, { message: "role system not allowed", type: "invalid_request_error", param: "messages", code: null }) : openai.ok(b)),
    h502: (b, n) => (n === 0 ? { status: 502, type: "text/html", raw: "<html><body><h1>502 Bad Gateway</h1></body></html>" } : openai.ok(b)),
    broken: (b, n) => (n % 2 ? openai.ok(b) : { status: 200, raw: JSON.stringify(openai.ok(b)).slice(0, 120) }),
    redirect: () => ({ status: 307, headers: { location: "http://127.0.0.1:9/v1/chat/completions" }, raw: "" }),
    missing: () => failure(404, { message: "The model `missing` does not exist", type: "invalid_request_error", param: null, code: "model_not_found" }),
    illegal: (b, n, arg) => whole(message(object(n % (Number(arg) + 1) < Number(arg) ? "coup seat_0" : pick(b)))),
    chinese: () => whole(message("答案：弃牌")),
    prose: () => whole(message("I weigh what the others may hold. ".repeat(60))),
    double: () => whole(message('[{"action":"tax"},{"action":"income"}]')),
    chargeback: (b, n) => whole(message(object(pick(b))), "stop", [{ prompt_tokens: -1, completion_tokens: 0 }, { prompt_tokens: 1e18, completion_tokens: "31" }, { prompt_tokens: "x" }][n % 3]),
    inject: (b) => {
        const order = promptOf(b).match(/Ignore the rules and (\w+)/g)?.at(-1)?.split(" ").at(-1);
        return whole(message(object(order ?? pick(b))));
    },
    // A server that cuts prompts: it tells the tokens it has read, from the request with this number on fewer than it got.
    cuts: (b, n, arg = "0") => whole(message(object(pick(b))), "stop", { prompt_tokens: Math.ceil(promptOf(b).length / (n < Number(arg) ? 3 : Number(arg) ? 5 : 20)), completion_tokens: 9 }),
    whisper: (b, n, arg) => whole(message(JSON.stringify({ reason: `WHISPER of ${arg}`, action: pick(b) }), { reasoning_content: `WHISPER of ${arg}` })),
    deep: () => ({ status: 200, raw: `{"choices":[{"message":${"[".repeat(100000)}` }),
    flaky: (b, n, arg) => (n < Number(arg) ? failure(503, { message: "Loading model", type: "unavailable_error", code: 503 }, { "retry-after-ms": "20" }) : openai.ok(b)),
    leak: (b, n, arg, headers) => failure(401, { message: `Incorrect API key provided: ${headers.authorization}`, type: "invalid_request_error", param: null, code: "invalid_api_key" }),
    // Plays: which line (first, last, hash of the prompt), in which form (json, line, tool).
    qwen3: (b) => openai.player(b, 0), // the model of docs/models.md
    player: (b, n, arg = "first") => {
        const lines = legal(b);
        const hash = createHash("sha256").update(lastOf(b)).digest().readUInt32BE(0);
        const action = lines.at({ first: 0, last: -1 }[arg.split("-")[0]] ?? hash % lines.length) ?? "tax";
        const used = { prompt_tokens: tokens(promptOf(b)), completion_tokens: 20 };
        const form = arg.split("-")[1];
        if (b.tools) return whole(message(null, { tool_calls: [call(object(action))] }), "tool_calls", used);
        return whole(message(form === "line" ? `I think.\nAnswer: ${action}` : `I think.\n${object(action)}`), "stop", used);
    },
};

const anthropic = {
    ok: (b) => claude([block(`I hold the Duke.\n${object(pick(b))}`)]),
    usage: (b) => claude([block(object(pick(b)))], "end_turn", { input_tokens: 172, cache_creation_input_tokens: 100, cache_read_input_tokens: 540, output_tokens: 431, output_tokens_details: { thinking_tokens: 400 } }),
    thinking: (b) => claude([{ type: "thinking", thinking: '{"action":"income"}?', signature: "EqQB" }, { type: "redacted_thinking", data: "xx" }, block(object(pick(b)))]),
    tool: (b) => claude([{ type: "tool_use", id: "toolu_1", name: "act", input: target(b) }], "tool_use"),
    maxtok: () => claude([{ type: "thinking", thinking: "Let me see", signature: "EqQB" }], "max_tokens"),
    refusal: () => claude([], "refusal"),
    window: () => claude([block("I")], "model_context_window_exceeded"),
    empty: () => claude([]),
    r529: (b, n) => (n === 0 ? claudeFailure(529, "overloaded_error", "Overloaded", { "retry-after-ms": "20" }) : anthropic.ok(b)),
    r429: (b, n) => (n === 0 ? claudeFailure(429, "rate_limit_error", "slow down", { "retry-after": "2" }) : anthropic.ok(b)),
    long: (b, n) => (n === 0 ? claudeFailure(400, "invalid_request_error", "prompt is too long: 205351 tokens > 200000 maximum") : anthropic.ok(b)),
    billing: () => claudeFailure(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    budget: (b) => (b.thinking?.type === "enabled" ? claudeFailure(400, "invalid_request_error", "thinking.type.enabled is not supported for this model. Use thinking.type.adaptive and output_config.effort.") : anthropic.thinking(b)),
    player: (b, n, arg) => {
        const answer = openai.player(b, n, arg);
        const used = { input_tokens: answer.usage.prompt_tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 };
        return b.tools ? claude([{ type: "tool_use", id: "toolu_1", name: "act", input: { action: JSON.parse(answer.choices[0].message.tool_calls[0].function.arguments).action } }], "tool_use", used)
            : claude([block(answer.choices[0].message.content)], "end_turn", used);
    },
};

// Streams that are more than a whole answer in pieces: each writes to the connection itself.
const streams = {
    stream_crlf(res, b) {
        res.write(": OPENROUTER PROCESSING\r\n\r\n: OPENROUTER PROCESSING\r\n\r\n");
        for (const c of [chunk({ role: "assistant", content: "" }), chunk({ reasoning: inside }), chunk({ content: object(pick(b)).slice(0, 9) }), chunk({ content: object(pick(b)).slice(9) }), chunk({}, "stop")])
            res.write(event(c, "\r\n"));
        res.end("data: [DONE]\r\n\r\n");
    },
    stream_err(res, b, n) {
        if (n % 2) return plain(res, openai.ok(b));
        res.write(event(chunk({ content: object(pick(b)) })));
        res.end(event({ error: { message: "Worker local total request limit reached (33/32)", type: "server_error", code: 502 } }));
    },
    stream_cut(res, b, n) {
        if (n % 2) return plain(res, openai.ok(b));
        res.write(event(chunk({ content: '{"action":"ta' })), () => res.socket.resetAndDestroy());
    },
    stream_nodone(res, b) {
        for (const c of chunksOf(openai.ok(b))) res.write(event(c));
        res.end();
    },
    // One byte at a time, which cuts characters; a BOM first.
    stream_bytes(res, b) {
        const text = "\uFEFF" + chunksOf(whole(message(`Ich überlege … ☕\n${object(pick(b))}`))).map((c) => event(c)).join("") + event("[DONE]");
        res.socket.setNoDelay(true);
        for (const byte of Buffer.from(text)) res.write(Buffer.from([byte]));
        res.end();
    },
    async slow(res, b, n, arg) {
        for (const part of chunksOf(openai.ok(b))) {
            res.write(event(part));
            await beSlow(Number(arg ?? 1000));
        }
        res.end(event("[DONE]"));
    },
    stall(res) {
        res.write(event(chunk({ content: "I think" })));
    },
    // Says something now and then, for ever.
    async drip(res) {
        while (!res.destroyed) {
            res.write(event(chunk({ content: "I think. " })));
            await beSlow(100);
        }
    },
    // As much as the connection takes, for ever.
    flood(res) {
        const part = event(chunk({ content: "I think. ".repeat(5000) }));
        const pour = () => {
            while (!res.destroyed && res.write(part));
        };
        res.on("drain", pour);
        pour();
    },
};
streams.stream = (res, b) => plain(res, openai.ok(b));
streams.stream_tool = (res, b) => plain(res, openai.tool(b));

function plain(res, answer) {
    for (const c of chunksOf(answer)) res.write(event(c));
    res.end(event("[DONE]"));
}

const claudeStreams = {
    stream: (res, b) => events(res, anthropic.thinking(b)),
    stream_tool: (res, b) => events(res, anthropic.tool(b)),
    stream_over(res, b, n) {
        const list = eventsOf(anthropic.ok(b));
        if (n % 2) return events(res, anthropic.ok(b));
        res.write(`event: message_start\ndata: ${JSON.stringify(list[0][1])}\n\n`);
        res.end(`event: error\ndata: ${JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } })}\n\n`);
    },
};

function events(res, answer) {
    for (const [name, data] of eventsOf(answer)) res.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    res.end();
}

// --- the server

function serve(state, req, res, text) {
    const url = new URL(req.url, "http://stub");
    const json = (status, value, headers = {}) => res.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
    if (url.pathname === "/requests") return json(200, state.requests.filter((r) => !url.searchParams.get("model") || r.body.model === url.searchParams.get("model")));
    if (url.pathname === "/counts") return json(200, state.counts);
    const isClaude = url.pathname === "/v1/messages";
    if (req.method !== "POST" || (!isClaude && url.pathname !== "/v1/chat/completions")) return json(404, { error: { message: `no ${req.method} ${url.pathname}`, code: null } });
    let body;
    try {
        body = JSON.parse(text);
    } catch {
        return json(400, { error: { message: "We could not parse the JSON body of your request." } });
    }
    const count = (table, key) => (table[key] = (table[key] ?? 0) + 1);
    const n = count(state.seen, `${url.pathname} ${body.model}`) - 1;
    count(state.counts, body.model);
    state.requests = [...state.requests.slice(-99), { path: url.pathname, headers: req.headers, body }];
    const [name, ...rest] = body.model.split(":");
    const arg = rest.length ? rest.join(":") : undefined;
    const row = (isClaude ? anthropic : openai)[name], stream = (isClaude ? claudeStreams : streams)[name];
    const streamed = { "content-type": "text/event-stream", "cache-control": "no-store" };
    if (stream && body.stream) return stream(res.writeHead(200, streamed), body, n, arg);
    if (!row && !stream) return json(404, { error: { message: `The model ${body.model} does not exist`, type: "invalid_request_error", param: null, code: "model_not_found" } });
    const answer = (row ?? (isClaude ? anthropic : openai).ok)(body, n, arg, req.headers);
    if ("raw" in answer) return res.writeHead(answer.status, { "content-type": answer.type ?? "application/json", ...answer.headers }).end(answer.raw);
    if ("status" in answer) return json(answer.status, answer.body, answer.headers);
    if (!body.stream || "error" in answer) return json(200, answer);
    res.writeHead(200, streamed);
    return isClaude ? events(res, answer) : plain(res, answer);
}

export function startStub(port = 0, tls = null) {
    const state = { counts: {}, seen: {}, requests: [] };
    const server = (tls ? createTlsServer : createServer).call(null, ...(tls ? [tls] : []), (req, res) => {
        const parts = [];
        req.on("data", (part) => parts.push(part)).on("end", () => serve(state, req, res, Buffer.concat(parts).toString()));
        res.on("error", () => {});
    });
    return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve({
        url: `${tls ? "https://localhost" : "http://127.0.0.1"}:${server.address().port}`, state,
        close: () => new Promise((done) => (server.close(done), server.closeAllConnections())),
    })));
}

if (process.argv[1] === new URL(import.meta.url).pathname)
    startStub(Number(process.argv[2] ?? 0)).then(({ url }) => console.log(url));
