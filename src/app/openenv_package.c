#include "app/openenv_package.h"

#include "app/app.h"
#include "base/json_read.h"
#include "front/openenv/openenv.h"
#include "net/heap_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define OPENENV_LEAST "0.4.0" // the oldest release of the Python package that the client needs

struct package {
    const struct game_kit *kit;
    const struct env_facts *facts;
    char class[64]; // "LiarsDice"
    char range[64]; // of rewards: "[-1, 2]"
    struct text schemas, text;
};

// --- names and numbers

static void name_class(struct package *p)
{
    size_t n = 0;
    bool up = true;
    for (const char *c = p->kit->game->name; *c && n + 1 < sizeof p->class; c++) {
        if (*c != '_')
            p->class[n++] = (char)(up && *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
        up = *c == '_';
    }
    p->class[n] = 0;
}

// What the components of a step can come to together; where time moves the game, a step may have many ticks (V5).
static void find_range(struct package *p)
{
    enum { MOST_TICKS = 2000 };
    double low = 0, high = 0;
    for (int i = 0; p->kit->game->rewarded[i]; i++) {
        const struct env_component *c = &p->facts->rewards[i];
        bool small = p->kit->game->tick_ms && c->high < 0.01 && c->high > 0;
        low += c->low;
        high += small ? c->high * MOST_TICKS : c->high;
    }
    if (low >= high)
        high = low + 1;
    snprintf(p->range, sizeof p->range, "[%g, %g]", low, high);
}

// The templates below: @N the name of the game, @C its class, @T its title, @S its summary, @V the version, @R the
// range of rewards, @O the oldest release of openenv.
static void put_template(struct package *p, const char *at)
{
    for (; *at; at++) {
        if (*at != '@') {
            text_put_char(&p->text, *at);
            continue;
        }
        at++;
        text_puts(&p->text, *at == 'N'   ? p->kit->game->name
                            : *at == 'C' ? p->class
                            : *at == 'T' ? p->kit->codec->title
                            : *at == 'S' ? p->kit->codec->summary
                            : *at == 'V' ? AGON_VERSION
                            : *at == 'R' ? p->range
                            : *at == 'O' ? OPENENV_LEAST
                                         : "@");
    }
}

// --- models.py, from the schemas

// A schema as a Python type: what pydantic checks before anything is sent.
static void put_type(struct text *t, struct span schema)
{
    static const struct {
        const char *json, *python;
    } types[] = {{"\"string\"", "str"},   {"\"integer\"", "int"},           {"\"number\"", "float"},
                 {"\"boolean\"", "bool"}, {"\"object\"", "Dict[str, Any]"}, {"\"null\"", "None"}};
    struct span any = json_member(schema, "anyOf"), type = json_member(schema, "type");
    struct span list = json_member(schema, "enum"), items = json_member(schema, "items");
    if (any.size) {
        struct json_reader r = json_reader_of(any, 64);
        bool first = true;
        text_puts(t, "Union[");
        for (json_enter_array(&r); json_next_item(&r); first = false) {
            text_puts(t, first ? "" : ", ");
            put_type(t, json_read_raw(&r));
        }
        text_puts(t, "]");
        return;
    }
    if (list.size) {
        text_puts(t, "Literal");
        text_put(t, list);
        return;
    }
    if (span_is(type, "\"array\"")) {
        text_puts(t, "List[");
        if (items.size)
            put_type(t, items);
        else
            text_puts(t, "Any");
        text_puts(t, "]");
        return;
    }
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (span_is(type, types[i].json)) {
            text_puts(t, types[i].python);
            return;
        }
    text_puts(t, "Any");
}

// Fields that the base classes of openenv have are theirs.
static void put_fields(struct package *p, const char *which, const char *const *inherited)
{
    struct span schema = json_member(text_span(&p->schemas), which);
    struct span required = json_member(schema, "required");
    struct json_reader r = json_reader_of(json_member(schema, "properties"), 64);
    struct json_string key;
    for (json_enter_object(&r); json_next_key(&r, &key);) {
        struct span value = json_read_raw(&r);
        char quoted[64];
        if (json_string_among(key, inherited) >= 0)
            continue;
        snprintf(quoted, sizeof quoted, "\"%.*s\"", (int)key.raw.size, key.raw.at);
        bool needed = required.size && memmem(required.at, required.size, quoted, strlen(quoted));
        text_puts(&p->text, "    ");
        text_put(&p->text, key.raw);
        text_puts(&p->text, needed ? ": " : ": Optional[");
        put_type(&p->text, value);
        text_puts(&p->text, needed ? "\n" : "] = None\n");
    }
}

static void write_models(struct package *p)
{
    static const char *const of_action[] = {"metadata", NULL};
    static const char *const of_observation[] = {"metadata", "done", "reward", NULL};
    static const char *const of_state[] = {"episode_id", "step_count", NULL};
    put_template(p,
                 "\"\"\"Action, observation and state of @T. Generated by `agon openenv --package`.\"\"\"\n\n"
                 "from typing import Any, Dict, List, Literal, Optional, Union\n\n"
                 "from openenv.core.env_server.types import Action, Observation, State\n\n\n"
                 "class @CAction(Action):\n"
                 "    \"\"\"One of `type` with its parameters, `index`, or `text` in the words of a model.\"\"\"\n\n");
    put_fields(p, "action", of_action);
    put_template(p, "\n\nclass @CObservation(Observation):\n"
                    "    \"\"\"What the seat sees, and what it may do (`legal`).\"\"\"\n\n");
    put_fields(p, "observation", of_observation);
    put_template(p, "\n\nclass @CState(State):\n    \"\"\"Where the session is.\"\"\"\n\n");
    put_fields(p, "state", of_state);
}

// --- files

static const char client[] =
    "\"\"\"Client of an agon server that plays @T.\"\"\"\n\n"
    "from typing import Any, Dict\n\n"
    "from openenv.core.client_types import StepResult\n"
    "from openenv.core.env_client import EnvClient\n\n"
    "from .models import @CAction, @CObservation, @CState\n\n\n"
    "class @CEnv(EnvClient[@CAction, @CObservation, @CState]):\n"
    "    \"\"\"`@CEnv(base_url=\"http://127.0.0.1:8000\")`; other seats are house bots.\"\"\"\n\n"
    "    def _step_payload(self, action: @CAction) -> Dict[str, Any]:\n"
    "        return action.model_dump(exclude_none=True)\n\n"
    "    def _parse_result(self, payload: Dict[str, Any]) -> StepResult[@CObservation]:\n"
    "        seen = dict(payload.get(\"observation\", {}))\n"
    "        seen.update(done=payload.get(\"done\", False), reward=payload.get(\"reward\"))\n"
    "        observation = @CObservation(**seen)\n"
    "        return StepResult(observation=observation, reward=observation.reward, done=observation.done)\n\n"
    "    def _parse_state(self, payload: Dict[str, Any]) -> @CState:\n"
    "        return @CState(**payload)\n";

static const char init[] = "\"\"\"@T as an OpenEnv environment, served by agon.\"\"\"\n\n"
                           "from .client import @CEnv\n"
                           "from .models import @CAction, @CObservation, @CState\n\n"
                           "__all__ = [\"@CEnv\", \"@CAction\", \"@CObservation\", \"@CState\"]\n";

static const char app[] =
    "\"\"\"Starts the agon program, which serves the environment.\"\"\"\n\n"
    "import os\n\n\n"
    "def main(host: str = \"0.0.0.0\", port: int = 8000) -> None:\n"
    "    os.execvp(\"agon\", [\"agon\", \"openenv\", \"--game\", \"@N\", \"--host\", host, \"--port\", "
    "str(port)])\n\n\n"
    "if __name__ == \"__main__\":\n"
    "    main(port=int(os.environ.get(\"PORT\", \"8000\")))\n";

static const char project[] = "[build-system]\n"
                              "requires = [\"setuptools>=61\"]\n"
                              "build-backend = \"setuptools.build_meta\"\n\n"
                              "[project]\n"
                              "name = \"agon-@N\"\n"
                              "version = \"@V\"\n"
                              "description = \"@T as an OpenEnv environment, served by agon\"\n"
                              "requires-python = \">=3.10\"\n"
                              "dependencies = [\"openenv>=@O\"]\n\n"
                              "[project.scripts]\n"
                              "server = \"agon_@N.server.app:main\"\n\n"
                              "[tool.setuptools]\n"
                              "packages = [\"agon_@N\", \"agon_@N.server\"]\n"
                              "package-dir = {\"agon_@N\" = \".\", \"agon_@N.server\" = \"server\"}\n";

static const char lock[] = "version = 1\nrequires-python = \">=3.10\"\n";

static const char manifest[] = "spec_version: 1\n"
                               "name: agon_@N\n"
                               "version: @V\n"
                               "type: space\n"
                               "runtime: fastapi\n"
                               "app: server.app:app\n"
                               "port: 8000\n"
                               "validation:\n"
                               "  reward: {range: @R, oracle_tolerance: 0.1, floor_margin: 0.1}\n"
                               "  resources: {cpu: 1, memory_mb: 256, disk_mb: 200, episode_timeout_s: 600}\n"
                               "  capabilities:\n"
                               "    verifier: {kind: reward_channel}\n"
                               "    task_api: true\n"
                               "    declared_tools: [play, look, rules]\n"
                               "    declared_task_count: {train: 10000, test: 1000}\n"
                               "  types: {tags: [game, multi-agent, imperfect-information]}\n"
                               "  network: {mode: no-network}\n";

static const char readme[] =
    "# agon_@N\n\n@S\n\n"
    "```python\n"
    "from agon_@N import @CAction, @CEnv\n\n"
    "with @CEnv(base_url=\"http://127.0.0.1:8000\").sync() as env:\n"
    "    result = env.reset(seed=7)\n"
    "    while not result.done:\n"
    "        result = env.step(@CAction(index=result.observation.legal[0][\"index\"]))\n"
    "```\n\n"
    "Serve it with `agon openenv --game @N`. Generated by `agon openenv --package`; do not edit.\n"
    "There is no oracle: no script reaches the largest reward in a game of chance against opponents.\n";

static const char dockerfile[] =
    "# Build with a context that has the agon program: docker build -f server/Dockerfile .\n"
    "FROM debian:12-slim\n"
    "COPY agon /usr/local/bin/agon\n"
    "USER nobody\n"
    "EXPOSE 8000\n"
    "CMD [\"agon\", \"openenv\", \"--game\", \"@N\", \"--host\", \"0.0.0.0\"]\n";

static bool write_file(const char *folder, const char *name, struct span bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    bool written = f && fwrite(bytes.at, 1, bytes.size, f) == bytes.size;
    if (f && fclose(f) != 0)
        written = false;
    if (!written)
        fprintf(stderr, "agon openenv: cannot write %s: %s\n", path, strerror(errno));
    return written;
}

static bool make_folder(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", folder, name[0] ? "/" : "", name);
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    fprintf(stderr, "agon openenv: cannot make %s: %s\n", path, strerror(errno));
    return false;
}

static bool write_all(struct package *p, const char *folder)
{
    static const struct {
        const char *name, *text; // NULL: models.py
    } files[] = {{"__init__.py", init},       {"models.py", NULL},
                 {"client.py", client},       {"openenv.yaml", manifest},
                 {"pyproject.toml", project}, {"uv.lock", lock},
                 {"README.md", readme},       {"server/__init__.py", ""},
                 {"server/app.py", app},      {"server/Dockerfile", dockerfile}};
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        p->text.size = 0;
        if (files[i].text)
            put_template(p, files[i].text);
        else
            write_models(p);
        if (!write_file(folder, files[i].name, text_span(&p->text)))
            return false;
    }
    return true;
}

int openenv_package_write(const struct game_kit *k, const char *folder)
{
    struct package p = {
        .kit = k, .facts = kit_environment(k), .schemas = {.grow = heap_text_grow}, .text = {.grow = heap_text_grow}};
    name_class(&p);
    find_range(&p);
    openenv_write_schemas(&p.schemas, k);
    bool done = make_folder(folder, "") && make_folder(folder, "server") && write_all(&p, folder);
    free(p.schemas.at);
    free(p.text.at);
    return done ? APP_DONE : APP_FAILED;
}
