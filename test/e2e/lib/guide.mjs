// The game of docs/adding-a-game.md, built from the page's own code blocks in a folder of its own: the files of the page are
// compiled as the build compiles those of a real game, and linked with the libraries of the build folder.
import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { scratch } from "./scratch.mjs";

const LIKE = "kuhn_poker"; // the real game whose compiler flags are used

// [{path, text, isWhole}]: "`PATH`:" introduces a whole file, any other sentence with a path lines to be added to that file.
export function readBlocks(page) {
    const blocks = [];
    let before = "";
    const lines = page.split("\n");
    for (let i = 0; i < lines.length; i++) {
        if (/^```\w+$/.test(lines[i])) {
            const end = lines.indexOf("```", i);
            const path = /`([\w/.]+)`/.exec(before)?.[1];
            if (end < 0 || !path) throw new Error(`line ${i + 1}: a code block is introduced by the path of its file in backquotes`);
            blocks.push({ path, text: lines.slice(i + 1, end).join("\n") + "\n", isWhole: before === `\`${path}\`:` });
            i = end;
        } else if (lines[i]) before = lines[i];
    }
    return blocks;
}

// Adds each line below the last line of its form: "    &coup_kit," has the form of "    &high_die_kit,".
export function addRows(text, rows, game) {
    const lines = text.split("\n");
    for (const row of rows.split("\n").filter(Boolean)) {
        const form = new RegExp(`^${row.replace(/[*&;,]/g, "\\$&").replace(game, "\\w+")}$`);
        const last = lines.findLastIndex((line) => form.test(line));
        if (last < 0) throw new Error(`no line has the form of: ${row}`);
        lines.splice(last + 1, 0, row);
    }
    return lines.join("\n");
}

const execute = promisify(execFile);

export class GuideGame {
    // `root`: the repository; `build`: a build folder, with its libraries up to date.
    constructor(page, root, build) {
        Object.assign(this, { root, build, tree: scratch("agon-guide-"), blocks: readBlocks(page) });
        this.name = this.blocks.map((b) => /^src\/games\/(\w+)\/kit\.c$/.exec(b.path)?.[1]).find(Boolean);
        const commands = JSON.parse(readFileSync(join(build, "compile_commands.json")));
        this.commands = new Map(commands.map(({ file, command }) => [file.slice(root.length), command]));
        for (const block of this.blocks) this.write(block);
    }
    write({ path, text, isWhole }) {
        const file = join(this.tree, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, isWhole ? text : addRows(readFileSync(join(this.root, path), "utf8"), text, this.name));
        const room = /^src\/(games\/.*)\/\w+\.h$/.exec(path)?.[1];
        if (!room) return;
        const door = join(this.tree, "rooms", room.replaceAll("/", "."), room); // as cmake/room.cmake makes them
        mkdirSync(door, { recursive: true });
        symlinkSync(file, join(door, basename(path)));
    }
    async run(command, args = [], options = {}) {
        return await execute(command, args, { cwd: this.tree, encoding: "utf8", timeout: 600000, ...options });
    }
    // A command of the build, for another file: the doors of the real game become those of this one.
    shell(command) {
        return this.run("sh", ["-c", command], { cwd: this.build });
    }
    // Compiles `file` with the flags of `like`, a file of the project; where its object is.
    async compile(file, like, include = "") {
        const command = this.commands.get(like);
        if (!command) throw new Error(`${like} is not in compile_commands.json`);
        const doors = join(this.build, `rooms/games.${LIKE}`), object = join(this.tree, file.replaceAll("/", "_") + ".o");
        const source = existsSync(join(this.tree, file)) ? join(this.tree, file) : join(this.root, file);
        const flags = command.replace(/ -o \S+ -c \S+$/, "").replaceAll(`-I${doors}`, `-I${this.tree}/rooms/games.${this.name}`);
        await this.shell(`${flags.replace(/ -I/, `${include} -I`)} -o ${object} -c ${source}`);
        return object;
    }
    // Links the target of the build as build/ninja would, with `objects` besides; `main` replaces the target's own object.
    async link(target, objects, main) {
        const { stdout } = await this.run("ninja", ["-C", this.build, "-t", "commands", "-s", target]);
        const program = join(this.tree, target);
        let command = stdout.trim().split("\n").at(-1);
        if (main) command = command.replace(new RegExp(`CMakeFiles/${target}[.]dir/\\S+[.]c[.]o`), main);
        const linked = command.replace(` -o ${target} `, ` ${objects.join(" ")} -o ${program} `);
        if (linked === command) throw new Error(`not understood: ${command}`);
        await this.shell(linked);
        return program;
    }

    get rulesFile() {
        return `src/games/${this.name}/rules/${this.name}.c`;
    }
    // The rules are compiled seeing what rules may see, and are pure.
    async buildRules() {
        const object = await this.compile(this.rulesFile, `src/games/${LIKE}/rules/${LIKE}.c`);
        const library = join(this.tree, `libgames.${this.name}.rules.a`);
        await this.run("ar", ["qcs", library, object]);
        await this.run(join(this.root, "tools/check-pure"), [library, join(this.build, "libgame.a"), join(this.build, "libbase.a")]);
        return object;
    }
    // All of the game, and the table with its row; once, for all who ask meanwhile.
    buildObjects() {
        const folder = `src/games/${this.name}`;
        return this.objects ??= Promise.all([
            this.buildRules(),
            this.compile(`${folder}/codec.c`, `src/games/${LIKE}/codec.c`),
            this.compile(`${folder}/kit.c`, `src/games/${LIKE}/kit.c`),
            this.compile("src/games/games.c", "src/games/games.c"),
        ]);
    }
    async buildAgon() {
        return await this.link("agon", await this.buildObjects());
    }
    // A test of the project that goes through all games, for this one alone.
    async buildTest(file) {
        const found = join(this.tree, "found");
        mkdirSync(found, { recursive: true });
        writeFileSync(join(found, "games_found.h"), `#pragma once\n#include "games/${this.name}/rules/${this.name}.h"\n#include <stddef.h>\n` +
            `static const struct game *const games_found[] = {&${this.name}_game, NULL};\n`);
        const include = ` -I${found} -I${this.tree}/rooms/games.${this.name}.rules`;
        const [main, objects] = await Promise.all([this.compile(file, file, include), this.buildObjects()]);
        return await this.link(file.replace(/^test\/|\.c$/g, "").replaceAll("/", "."), objects, main);
    }
    // The test on the page, linked like that of the real game.
    async buildUnit() {
        const like = `test/unit/games/${LIKE}.c`;
        const main = this.compile(`test/unit/games/${this.name}.c`, like, ` -I${this.tree}/rooms/games.${this.name}.rules`);
        return await this.link(`unit.games.${LIKE}`, await this.buildObjects(), await main);
    }
    async checkStyle() {
        copyFileSync(join(this.root, ".clang-format"), join(this.tree, ".clang-format"));
        const sources = this.blocks.filter((b) => b.isWhole && /\.[ch]$/.test(b.path)).map((b) => b.path);
        await this.run("clang-format", ["--dry-run", "-Werror", ...sources]);
        await this.run("sh", ["-c", `! grep -nE '# *include *"[^"]*[.][.]/' "$@"`, "sh", ...sources]); // no tunnels
    }
    async checkRules() {
        return await this.run(join(this.root, "tools/check-rules"), [this.tree]);
    }
}
