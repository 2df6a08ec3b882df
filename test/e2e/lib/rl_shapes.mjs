// Every Game-RL message of the tests against the schemas: ours of protocol/game-rl, and the public ones where they are
// at hand (G33.3).
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { root } from "../agon.mjs";

const ajv = new Ajv({ strict: false, allErrors: true });
ajv.addFormat("uri", true);
const own = join(root, "protocol/game-rl/schema");
for (const file of readdirSync(own)) ajv.addSchema(JSON.parse(readFileSync(join(own, file))), file.replace(".schema.json", ""));

const elsewhere = join(root, "../shared/schema/game-rl");
const base = "https://github.com/arkavo-org/specifications/schemas/game-rl/draft-00/";
export const hasPublic = existsSync(elsewhere);
if (hasPublic) for (const file of readdirSync(elsewhere)) if (file.endsWith(".schema.json")) ajv.addSchema(JSON.parse(readFileSync(join(elsewhere, file))));

export let checked = 0;
function check(value, ours, ...publics) {
    for (const name of [...ours, ...(hasPublic ? publics.map((p) => base + p) : [])]) {
        const valid = ajv.getSchema(name);
        if (!valid) throw new Error(`no schema ${name}`);
        if (!valid(value)) throw new Error(`${JSON.stringify(value).slice(0, 600)}\nis no ${name}: ${ajv.errorsText(valid.errors)}`);
        checked++;
    }
}

const step = (value) => check(value, ["step", "messages#/$defs/step"], "sim-step.schema.json#/definitions/response");
const answers = {
    register_agent: (a) => check(a, ["registered", `messages#/$defs/registered_${a.scope}`], `register-agent.schema.json#/definitions/response_${a.scope}`),
    sim_step: step,
    observe: step,
    reset: (a) => (step(a), Object.values(a.observations ?? {}).forEach(step)),
    batch_step: (a) => a.results.filter((r) => !r.error).forEach(step),
    configure_streams: (a) => a.streams.forEach((s) => check(s, ["messages#/$defs/stream_descriptor"], "vision-stream.schema.json#/definitions/stream_descriptor")),
};
const details = ["entity_died", "entity_spawned", "agent_connected", "agent_disconnected"];

export const checkAnswer = (tool, structured) => structured && answers[tool]?.(structured);
export const checkManifest = (value) => check(value, ["manifest", "messages#/$defs/manifest"], "manifest.schema.json");
export function checkEvent(note) {
    check(note, ["messages#/$defs/event"], "events.schema.json#/definitions/notification");
    const type = note.params.event_type;
    if (details.includes(type)) check(note.params.details, [`messages#/$defs/${type}`], `events.schema.json#/definitions/${type}_details`);
}
