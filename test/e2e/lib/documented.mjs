// REST as its own OpenAPI document describes it: every answer is looked up there, its status and its body checked.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { publishedRest, root } from "./arena.mjs";

// Where the published schemas name an answer too.
const published = {
    "POST /api/agents/register 201": "register_response",
    "GET /api/agents/me/status 200": "agent_status_response",
    "POST /api/claim 200": "claim_response",
};

export class Documented {
    static async of(arena) {
        const d = new Documented();
        d.arena = arena;
        d.document = await (await fetch(`${arena.url}/api/openapi.json`)).json();
        d.ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
        d.ajv.addSchema(JSON.parse(readFileSync(join(root, "protocol/arena/schema/rest.json"))), "rest");
        d.seen = new Set(); // "GET /api/health 200"
        return d;
    }
    // "/api/agents/{id}/profile" for "/api/agents/123/profile": words before names.
    template(path) {
        const fits = Object.keys(this.document.paths).filter((t) => new RegExp(`^${t.replace(/\{\w+\}/g, "[^/]+")}$`).test(path));
        return fits.sort((a, b) => a.split("{").length - b.split("{").length)[0];
    }
    check(method, where, answer) {
        const template = this.template(where.split("?")[0]);
        const operation = this.document.paths[template]?.[method.toLowerCase()];
        const at = `${method} ${template} ${answer.status}`;
        if (answer.status === 405 && !operation) return answer;
        if (!operation) throw new Error(`not documented: ${method} ${where}`);
        const described = operation.responses[answer.status];
        if (!described) throw new Error(`not documented: ${at}: ${JSON.stringify(answer.body)}`);
        this.seen.add(at);
        const ref = described.content?.["application/json"].schema.$ref;
        if (!ref) return answer;
        this.must(this.ajv.getSchema(`rest#/$defs/${ref.split("/").at(-1)}`), answer.body, at);
        const foreign = answer.status >= 400 ? "error_response" : published[at];
        if (foreign && publishedRest(foreign)) this.must(publishedRest(foreign), answer.body, `published ${at}`);
        return answer;
    }
    must(valid, value, what) {
        if (!valid(value)) throw new Error(`${what}: ${JSON.stringify(valid.errors)}\n${JSON.stringify(value).slice(0, 2000)}`);
    }
    async call(method, where, { key, token, body, raw, headers = {} } = {}) {
        const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
        const answer = await fetch(this.arena.url + where, {
            method,
            body: sent,
            headers: {
                ...(sent === undefined ? {} : { "content-type": "application/json" }),
                ...(key ? { "x-api-key": key } : {}),
                ...(token ? { "x-agon-admin": token } : {}),
                ...headers,
            },
        });
        const bytes = Buffer.from(await answer.arrayBuffer());
        const json = answer.headers.get("content-type")?.startsWith("application/json");
        return this.check(method, where, { status: answer.status, headers: answer.headers, bytes, body: json ? JSON.parse(bytes) : bytes.toString() });
    }
}
