// agon verify gamerl, started as a user would.
import { join } from "node:path";
import { after, before } from "node:test";
import { program } from "../agon.mjs";
import { spawn } from "./children.mjs";
import { folder, server } from "./mcp.mjs";
import { within } from "./wait.mjs";

export let place, host;

// A folder to work in, and a shared host whose deadlines are short; for all tests of a file.
export function withHost() {
    before(async () => {
        place = folder();
        host = await server(["mcp", "--headless-host", "--socket", join(place, "host"), "--step-deadline", "2000", "--bot-delay", "50"]);
    });
    after(() => host.child.kill("SIGTERM"));
}

export async function verify(options, command = []) {
    const args = ["verify", "gamerl", "--json", "--patience", "20", ...options, // its limits are meant for a machine that has time
        ...(command.length ? ["--", ...command] : [])];
    const child = spawn(program, args, { cwd: place });
    let out = "", err = "";
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (err += d));
    const status = await within(600000, new Promise((resolve) => child.on("close", resolve)), "verdict");
    return { status, err, report: out ? JSON.parse(out) : null };
}
