// agon verify gamerl names the assertion on a server that breaks it.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { program } from "./agon.mjs";
import { double, doubleSocket, spoils } from "./lib/rl_double.mjs";
import { host, place, verify, withHost } from "./lib/verify.mjs";

const needsSocket = ["C76", "C77", "C78", "C79", "C82", "C84", "C85"];

withHost();

describe("doubles", { concurrency: 2 }, () => {
    for (const name of Object.keys(spoils).filter((n) => n !== "none"))
        test(`${name} is named on a server that breaks it`, { timeout: 60000 }, async () => {
            let proxy;
            const shared = needsSocket.includes(name);
            if (shared) proxy = await doubleSocket(name, host.unix, join(place, name));
            const server = [program, "mcp", "--game", "coup"];
            const { status, err, report } = await verify(["--gates", name, "--level", "3", ...(shared ? ["--socket", join(place, name)] : [])],
                shared ? server : [process.execPath, double, name, ...server]);
            proxy?.close();
            const row = report.assertions.find((a) => a.id === name);
            assert.equal(row.verdict, "fail", `${err}`);
            assert.ok(row.why.length > 0);
            assert.equal(status, 1);
            assert.equal(report.passed, false);
            if (row.level) assert.equal(report.level_reached, row.level - 1);
        });
});
