#include "app/llm_options.h"

#include "app/app.h"
#include "app/help.h"
#include "app/output_file.h"
#include "heap/heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    MODELS = 0x700,
    PRICES,
    SETTING,
    MAX_COST,
    MAX_TOKENS,
    MAX_MINUTES,
    STRICT,
    CHAT,
    CHAT_BY,
    CHAT_GOOD,
    REPORT,
    REPLAY_ANYWAY,
    ALLOW_PRIVATE,
};

// Commands with many other options mark those of models as rare.
#define RUN_OPTIONS(rare)                                                                                               \
    {                                                                                                                   \
        {"models", MODELS, "FILE", rare, "Names, addresses and settings of models (JSON)", HELP_MODELS},                \
            {"prices", PRICES, "FILE", rare, "Prices of tokens (JSON); without it costs are unknown", HELP_MODELS},     \
            {"llm",      SETTING, "KEY=VALUE", rare, "A setting for every model, as legal=off or temperature=0.2",      \
             HELP_MODELS},                                                                                              \
            {"max-cost", MAX_COST, "X[@MODEL]", rare, "Stop before more than X is spent, in total or by one model",     \
             HELP_MODELS},                                                                                              \
            {"max-tokens", MAX_TOKENS, "N[@MODEL]", HELP_RARE, "Stop before more than N tokens are used", HELP_MODELS}, \
            {"max-minutes", MAX_MINUTES, "M", HELP_RARE, "Send no more requests after M minutes", HELP_MODELS},         \
            {"allow-private", ALLOW_PRIVATE, NULL, HELP_RARE, "Allow models at link-local addresses", HELP_MODELS},     \
        {                                                                                                               \
            0                                                                                                           \
        }                                                                                                               \
    }

static const struct argp_option option_list[] = RUN_OPTIONS(0);
static const struct argp_option serve_list[] = RUN_OPTIONS(HELP_RARE);

// For a contest, which is judged and journaled.
static const struct argp_option contest_list[] = {
    {"chat", CHAT, "FILE", 0, "Write prompts and answers of models to FILE, one JSON object per decision", HELP_MODELS},
    {"report", REPORT, "FILE", HELP_RARE, "Write the report on models to FILE: .html, .json or .csv", HELP_MODELS},
    {"strict", STRICT, NULL, HELP_RARE, "Exit with status 3 when a limit stopped the run", HELP_MODELS},
    {"chat-by", CHAT_BY, "UNIT", HELP_RARE, "Lines of --chat: 'decision' or 'match' (decision)", HELP_MODELS},
    {"chat-good", CHAT_GOOD, NULL, HELP_RARE, "Write only matches that the model won to --chat", HELP_MODELS},
    {"replay-anyway", REPLAY_ANYWAY, NULL, HELP_RARE, "Use decisions of the journal even if prompts have changed",
     HELP_MODELS},
    {0},
};

static void add_setting(struct llm_flags *f, const char *arg, struct argp_state *state)
{
    size_t size = strlen(f->settings);
    if (size + strlen(arg) + 2 > sizeof f->settings)
        argp_failure(state, APP_USAGE, 0, "--llm: more settings than there is room for");
    snprintf(f->settings + size, sizeof f->settings - size, "%s%s", size ? "," : "", arg);
    f->run.settings = f->settings;
}

static void add_limit(struct llm_flags *f, enum llm_limit_kind kind, const char *option, const char *arg,
                      struct argp_state *state)
{
    if (f->run.limits == LLM_LIMITS)
        argp_failure(state, APP_USAGE, 0, "at most %d limits can be given", LLM_LIMITS);
    struct llm_limit *l = &f->run.limit[f->run.limits++];
    char number[64];
    size_t size = strcspn(arg, "@");
    snprintf(number, sizeof number, "%.*s", (int)(size < 63 ? size : 63), arg);
    l->kind = kind;
    l->value = app_read_real(state, option, number, 0, 1e15);
    snprintf(l->label, sizeof l->label, "%s", arg[size] ? arg + size + 1 : "");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct llm_flags *f = state->input;
    switch (key) {
    case MODELS:
        f->run.models_file = arg;
        return 0;
    case PRICES:
        f->run.prices_file = arg;
        return 0;
    case SETTING:
        add_setting(f, arg, state);
        return 0;
    case MAX_COST:
        add_limit(f, LIMIT_COST, "--max-cost", arg, state);
        return 0;
    case MAX_TOKENS:
        add_limit(f, LIMIT_TOKENS, "--max-tokens", arg, state);
        return 0;
    case MAX_MINUTES:
        add_limit(f, LIMIT_MINUTES, "--max-minutes", arg, state);
        return 0;
    case ALLOW_PRIVATE:
        f->run.allow_private = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct app_value contest_values[] = {
    APP_VALUE(STRICT, struct llm_flags, strict),
    APP_VALUE(CHAT, struct llm_flags, chat),
    APP_VALUE(CHAT_GOOD, struct llm_flags, chat_good),
    APP_VALUE(REPORT, struct llm_flags, report),
    APP_VALUE(REPLAY_ANYWAY, struct llm_flags, replay_anyway),
    {0},
};

static error_t parse_contest(int key, char *arg, struct argp_state *state)
{
    static const char *const units[] = {"decision", "match", NULL};
    struct llm_flags *f = state->input;
    if (app_take_value(state, contest_values, key, arg, f))
        return 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = f;
        return 0;
    case CHAT_BY:
        f->chat_unit = (enum llm_chat_unit)app_read_word(state, "--chat-by", arg, units);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp llm_run_argp = {.options = option_list, .parser = parse_option};
const struct argp llm_serve_argp = {.options = serve_list, .parser = parse_option};
static const struct argp_child run_child[] = {{&llm_run_argp, 0, NULL, 0}, {0}};
const struct argp llm_argp = {.options = contest_list, .parser = parse_contest, .children = run_child};

void llm_print_warning(void *owner, const char *text)
{
    (void)owner;
    fprintf(stderr, "%s\n", text);
}

// --- models in a contest

static void write_chat(void *owner, struct span line)
{
    struct llm_players *p = owner;
    if (fwrite(line.at, 1, line.size, p->chat) != line.size || fflush(p->chat) != 0)
        app_complain("cannot write %s: %s", p->flags->chat, strerror(errno));
}

static bool has_models(const struct contest_plan *plan)
{
    for (int i = 0; i < plan->entrants; i++)
        if (strncmp(plan->entrant[i].address, "llm:", 4) == 0)
            return true;
    return false;
}

static void check_report(const char *path, const char *command)
{
    const char *dot = strrchr(path, '.');
    if (!dot || (strcmp(dot, ".html") != 0 && strcmp(dot, ".json") != 0 && strcmp(dot, ".csv") != 0))
        app_refuse(command, "--report: '%s' does not end in .html, .json or .csv", path);
    output_file_check(path, command);
}

static void open_chat(struct llm_players *p, const char *command)
{
    if (!p->flags->chat)
        return;
    p->chat = fopen(p->flags->chat, "a");
    if (!p->chat)
        app_refuse(command, "cannot open %s: %s", p->flags->chat, strerror(errno));
    llm_models_chat(p->models, p->flags->chat_unit, p->flags->chat_good, write_chat, p);
}

void llm_players_open(struct llm_players *p, const struct llm_flags *f, const char *command, struct contest *c,
                      struct contest_run *run, struct loop *loop, bool verbose, int turn_ms)
{
    char why[ENDPOINT_WHY];
    *p = (struct llm_players){.contest = c, .replays = run->replay_folder, .flags = f};
    if (!has_models(&c->plan))
        return;
    struct llm_options o = f->run;
    o.ca_file = run->seats.ca_file;
    o.trust_anyone = run->seats.trust_anyone;
    o.turn_ms = turn_ms;
    if (!(p->models = llm_models_open(loop, &o, why)))
        app_refuse(command, "%s", why);
    llm_models_warn(p->models, llm_print_warning, NULL);
    for (int i = 0; i < c->plan.entrants; i++) {
        const struct contest_entrant *e = &c->plan.entrant[i];
        if (strncmp(e->address, "llm:", 4) == 0 && !llm_models_add(p->models, e->name, e->address, why))
            app_refuse(command, "'%s': %s", e->name, why);
    }
    if (llm_models_unpriced(p->models))
        app_refuse(command, "--max-cost needs a price for %s; add it to --prices FILE", llm_models_unpriced(p->models));
    if (f->report)
        check_report(f->report, command);
    if (verbose)
        llm_models_set_verbose(p->models);
    if (f->replay_anyway)
        llm_models_replay_anyway(p->models);
    open_chat(p, command);
    run->seats.models = p->models;
    run->stopper = llm_models_stopper(p->models);
}

void llm_players_close(struct llm_players *p)
{
    if (p->chat)
        fclose(p->chat);
    llm_models_close(p->models);
    *p = (struct llm_players){0};
}

void llm_players_read_note(void *owner, struct span line)
{
    struct llm_players *p = owner;
    if (p->models)
        llm_models_read_journal(p->models, line);
}

static void write_journal_line(void *owner, struct span line)
{
    struct llm_players *p = owner;
    journal_add_note(p->journal, line);
}

void llm_players_set_journal(struct llm_players *p, struct journal *j, bool is_new)
{
    if (!p->models)
        return;
    p->journal = j;
    llm_models_set_journal(p->models, write_journal_line, p);
    if (is_new) {
        struct text t = {.grow = heap_text_grow};
        llm_models_write_head(p->models, &t);
        journal_add_note(j, text_span(&t));
        free(t.at);
    }
}

// --- what became of a game

static void set_outcome(struct llm_outcome *o, const struct contest_result *r, int seats, bool teams)
{
    int32_t best = r->payoffs[0];
    int winners = 0;
    for (int s = 0; s < seats; s++)
        best = r->payoffs[s] > best ? r->payoffs[s] : best;
    for (int s = 0; s < seats; s++)
        winners += r->payoffs[s] == best;
    for (int s = 0; s < seats; s++) {
        bool first = r->payoffs[s] == best, alone = winners == 1 || (teams && winners < seats);
        o->payoff[s] = r->payoffs[s];
        o->outcome[s] = r->end == CONTEST_FORFEIT && r->at_fault == s ? "forfeit"
                        : !first                                      ? "loss"
                        : alone                                       ? "win"
                                                                      : "draw";
        o->place[s] = 1;
        for (int other = 0; other < seats; other++)
            o->place[s] += r->payoffs[other] > r->payoffs[s];
    }
}

void llm_players_end_game(struct llm_players *p, uint64_t index)
{
    struct llm_outcome o = {.match = index};
    struct contest_game g;
    if (!p->models)
        return;
    contest_make_game(p->contest, index, &g);
    o.seats = p->contest->plan.seats;
    o.seed = g.seed;
    set_outcome(&o, &p->contest->results[index], o.seats, p->contest->plan.codec->game->teams);
    llm_models_end_match(p->models, &o);
}

int llm_players_status(const struct llm_players *p, const char *command)
{
    if (p->models && llm_models_fatal(p->models)) {
        fprintf(stderr, "%s: %s\n", command, llm_models_fatal(p->models));
        return APP_USAGE;
    }
    return p->models && llm_models_limit(p->models) && p->flags->strict ? 3 : APP_DONE;
}
