// agon llm test MODEL@URL: asks a model for one decision.
#include "app/app.h"
#include "app/cmd_llm.h"
#include "app/help.h"
#include "app/llm_cost_estimate.h"
#include "app/llm_options.h"
#include "bots/self_play.h"
#include "heap/heap.h"
#include "llm/session.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAME = 0x780, CA_FILE, INSECURE, SEED = 7 }; // SEED: of the match whose first question is asked

struct test {
    struct llm_flags llm;
    const char *model, *game, *ca_file;
    bool trust_anyone;
    bool decided;
    struct llm_decision decision;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct test *t = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &t->llm;
        return 0;
    case GAME:
        t->game = arg;
        return 0;
    case CA_FILE:
        t->ca_file = arg;
        return 0;
    case INSECURE:
        t->trust_anyone = true;
        return 0;
    case ARGP_KEY_ARG:
        if (t->model)
            argp_error(state, "unexpected argument '%s'; one model at a time", arg);
        t->model = arg;
        return 0;
    case ARGP_KEY_END:
        if (!t->model)
            argp_error(state, "which model? As 'agon llm test gpt-x@https://api.example.com/v1'");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void on_decision(void *owner, const struct llm_decision *d)
{
    struct test *t = owner;
    t->decided = true;
    t->decision = *d;
}

// Asks the model the first question of a match.
static void ask_model(struct test *t, struct llm_model *model, const struct game_setup *s, struct loop *loop,
                      struct llm_models *models)
{
    static struct match m;
    static struct game_events happened;
    static struct game_event seen[GAME_MAX_EVENTS];
    struct text log = {.grow = heap_text_grow};
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    if (match_start(&m, &s->match, &log, &happened) != OK)
        abort(); // the default rules are valid
    int seat = self_play_next_seat(&m);
    while (seat < 0) {
        match_tick(&m, &happened);
        seat = self_play_next_seat(&m);
    }
    struct llm_place place = {.seat = seat, .seats = m.seats, .rules = &s->rules};
    struct llm_session *sitting = llm_session_open(model, s->row->codec, &place, on_decision, t);
    llm_session_notify(sitting, seen, match_events_for(&happened, seat, seen, GAME_MAX_EVENTS));
    int count = m.game->choices(&m.state, seat, choices);
    m.game->view(&m.state, seat, &view);
    llm_session_ask(sitting, &view, choices, count, m.game->fallback(&m.state, seat));
    while (!t->decided && !atomic_load(llm_models_stopper(models)) && loop_turn(loop))
        continue;
    llm_session_close(sitting);
    free(log.at);
}

static void print_money(const char *what, double cost, const char *currency)
{
    if (isnan(cost))
        printf("%-14s unknown; give prices with --prices FILE\n", what);
    else
        printf("%-14s %.6f %s\n", what, cost, currency);
}

static void print_plan(const struct llm_counts *c, const struct game_setup *s, const char *currency)
{
    struct llm_cost_estimate e = llm_cost_estimate_game(s);
    double cost = c->unpriced || !c->decisions ? NAN : (double)c->cost / 1e9 / (double)c->decisions;
    double seconds = c->decisions ? (double)c->times.at[0] / 1000 : 0;
    print_money("a decision", cost, currency);
    printf("%-14s about %.0f decisions, %.0f tokens a prompt, %.1f minutes", "a match", e.decisions, e.prompt_tokens,
           e.decisions * seconds / 60);
    if (!isnan(cost))
        printf(", %.4f %s; 100 matches %.2f %s", cost * e.decisions, currency, 100 * cost * e.decisions, currency);
    puts("");
}

// Reports the result in any case; returns true if it works without a warning.
static bool report_test(const struct test *t, const struct llm_model *model, struct llm_models *models,
                        const struct game_setup *s)
{
    const struct llm_counts *c = llm_model_counts(model);
    const struct llm_endpoint *n = llm_model_endpoint(model);
    char action[256];
    struct text a = text_on(action, sizeof action - 1);
    struct codec_table table = {.seat = codec_seat_names, .seats = s->match.seats};
    codec_describe_action(s->row->codec, &a, &table, t->decision.action);
    action[a.size] = 0;
    bool answered = t->decision.how == HOW_ANSWER;
    printf("%-14s %s\n", "address", n->url);
    printf("%-14s %s, %s\n", "dialect", llm_api_names[n->settings.api],
           n->settings.stream ? "streamed" : "whole answers");
    printf("%-14s %s%s%s\n", "model", n->model, *llm_model_answered(model) ? ", the server calls it " : "",
           llm_model_answered(model));
    printf("%-14s %s\n", "answer form", llm_form_names[n->settings.form]);
    if (*llm_model_changes(model))
        printf("%-14s %s\n", "changes", llm_model_changes(model));
    printf("%-14s %s%s\n", "action", answered ? action : "none: ", answered ? "" : t->decision.text);
    printf("%-14s %jd in (%jd cached), %jd out (%jd reasoning)%s\n", "tokens", (intmax_t)c->input, (intmax_t)c->cached,
           (intmax_t)c->output, (intmax_t)c->reasoning, c->estimated ? ", estimated" : "");
    printf("%-14s %u ms", "time", c->times.count ? c->times.at[0] : 0);
    if (c->firsts.count)
        printf(", first byte after %u ms", c->firsts.at[0]);
    printf(", %ju answers, %ju failed requests\n", (uintmax_t)c->tries, (uintmax_t)c->transport);
    if (c->prompt_cut)
        printf("%-14s the server cut the prompt; raise context, or num_ctx of the server\n", "warning");
    if (c->tries) // without an answer there is nothing to extrapolate from
        print_plan(c, s, llm_models_currency(models));
    return answered && c->tries == 1 && !c->transport && !c->prompt_cut && !*llm_model_changes(model);
}

int cmd_llm_test(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"game", GAME, "GAME", 0, "Game to ask about (coup)", 0},
        {"ca-file", CA_FILE, "FILE", HELP_RARE, "Trust the certificates in FILE too", HELP_REMOTE},
        {"insecure", INSECURE, NULL, HELP_RARE, "Do not verify TLS certificates", HELP_REMOTE},
        {0},
    };
    static const struct argp_child children[] = {{&llm_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_option,
        .args_doc = "MODEL@URL[#KEY=VALUE,...]",
        .children = children,
        .doc = "Ask a model for one decision, and report whether it works, how the answer was understood, how long it "
               "took and what it costs. Keys come from OPENAI_API_KEY, ANTHROPIC_API_KEY or AGON_LLM_KEY_<HOST>. "
               "Status 0: it works; 1: with warnings; 2: it does not.",
    };
    static struct test t = {.game = "coup"};
    static struct game_setup setup;
    char why[ENDPOINT_WHY], address[ENDPOINT_URL + 8];
    struct loop loop;
    help_parse(&argp, argc, argv, 0, &t);
    game_setup_from_defaults(&setup, app_require_game(argv[0], t.game), SEED, argv[0]);
    snprintf(address, sizeof address, "%s%.1000s", strncmp(t.model, "llm:", 4) == 0 ? "" : "llm:", t.model);
    signal(SIGPIPE, SIG_IGN);
    loop_init_coarse(&loop);
    struct llm_options o = t.llm.run;
    o.ca_file = t.ca_file;
    o.trust_anyone = t.trust_anyone;
    struct llm_models *models = llm_models_open(&loop, &o, why);
    struct llm_model *model = models ? llm_models_add(models, t.model, address, why) : NULL;
    if (!model)
        app_refuse(argv[0], "%s", why);
    llm_models_warn(models, llm_print_warning, NULL);
    ask_model(&t, model, &setup, &loop, models);
    int status = APP_USAGE;
    if (t.decided)
        status = report_test(&t, model, models, &setup) ? APP_DONE
                 : t.decision.how == HOW_ANSWER         ? APP_FAILED
                                                        : APP_USAGE;
    else
        fprintf(stderr, "%s: %s\n", argv[0],
                llm_models_fatal(models) ? llm_models_fatal(models) : "a limit was reached before the answer");
    llm_models_close(models);
    loop_release(&loop);
    return status;
}
