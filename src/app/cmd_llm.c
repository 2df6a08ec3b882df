// agon llm COMMAND: tests a model, compares models, shows prompts.
#include "app/app.h"
#include "app/contest_keep.h"
#include "app/contest_live.h"
#include "app/contest_options.h"
#include "app/contest_report.h"
#include "app/help.h"
#include "app/llm_estimate.h"
#include "app/llm_report.h"
#include "bots/seated.h"
#include "crypto/crypto.h"
#include "heap/heap.h"
#include "llm/sitting.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { GAME = 0x780, GAMES, GAMES_EACH, REPLAYS, JOURNAL, YES, CA_FILE, INSECURE, JSON };

// --- agon llm test

struct test {
    struct llm_flags llm;
    const char *model, *game, *ca_file;
    bool trust_anyone;
    bool decided;
    struct llm_decision decision;
};

static error_t parse_test(int key, char *arg, struct argp_state *state)
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

static const struct game_kit *find_game(const char *name, const char *command)
{
    for (const struct game_kit *const *k = game_kits; *k; k++)
        if (strcmp((*k)->game->name, name) == 0)
            return *k;
    app_refuse(command, "unknown game '%s'; 'agon games' lists them", name);
}

static void set_up(struct setup *s, const char *game, const char *command)
{
    char why[512];
    const struct game_kit *row = find_game(game, command);
    if (setup_read_rules(s, row, "", (struct span){0}, 0, why, sizeof why) != OK)
        app_refuse(command, "%s", why);
    setup_seed(s, 7);
}

// Asks the model the first question of a match.
static void ask(struct test *t, struct llm_model *model, const struct setup *s, struct loop *loop,
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
    int seat = seated_next(&m);
    while (seat < 0) {
        match_tick(&m, &happened);
        seat = seated_next(&m);
    }
    struct llm_place place = {.seat = seat, .seats = m.seats, .rules = &s->rules};
    struct llm_sitting *sitting = llm_sitting_open(model, s->row->codec, &place, on_decision, t);
    llm_sitting_notify(sitting, seen, match_events_for(&happened, seat, seen, GAME_MAX_EVENTS));
    int count = m.game->choices(&m.state, seat, choices);
    m.game->view(&m.state, seat, &view);
    llm_sitting_ask(sitting, &view, choices, count, m.game->fallback(&m.state, seat));
    while (!t->decided && !atomic_load(llm_models_stopper(models)) && loop_turn(loop))
        continue;
    llm_sitting_close(sitting);
    free(log.at);
}

static void print_money(const char *what, double cost, const char *currency)
{
    if (isnan(cost))
        printf("%-14s unknown; give prices with --prices FILE\n", what);
    else
        printf("%-14s %.6f %s\n", what, cost, currency);
}

static void print_plan(const struct llm_counts *c, const struct setup *s, const char *currency)
{
    struct llm_estimate e = llm_estimate_game(s);
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
                        const struct setup *s)
{
    const struct llm_counts *c = llm_model_counts(model);
    const struct llm_name *n = llm_model_name(model);
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

static int cmd_test(int argc, char **argv)
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
        .parser = parse_test,
        .args_doc = "MODEL@URL[#KEY=VALUE,...]",
        .children = children,
        .doc = "Ask a model for one decision, and report whether it works, how the answer was understood, how long it "
               "took and what it costs. Keys come from OPENAI_API_KEY, ANTHROPIC_API_KEY or AGON_LLM_KEY_<HOST>. "
               "Status 0: it works; 1: with warnings; 2: it does not.",
    };
    static struct test t = {.game = "coup"};
    static struct setup setup;
    char why[NAME_WHY], address[NAME_URL + 8];
    struct loop loop;
    help_parse(&argp, argc, argv, 0, &t);
    set_up(&setup, t.game, argv[0]);
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
    ask(&t, model, &setup, &loop, models);
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

// --- agon llm bench

enum {
    BENCH_GAMES = 16,
    PROGRESS_SECONDS = 60,
    ANSWER_TOKENS = 300
}; // the last: assumed size of an answer if none was seen

struct bench {
    struct llm_flags llm;
    const char *games, *replays, *journal;
    uint64_t games_each, seed;
    bool yes, json, has_seed;
    char *who[CONTEST_ENTRANTS];
    int models;
};

// One game of the comparison, kept until the report is written.
struct stretch {
    struct contest contest;
    struct contest_run run;
    struct contest_plan plan;
    struct llm_players players;
    struct setup setup;
    struct contest_keep keep;
    struct llm_estimate takes;
    char replays[PATH_MAX], journal[PATH_MAX], title[96];
};

static const struct app_value bench_values[] = {
    APP_VALUE(GAMES, struct bench, games),
    APP_NUMBER(GAMES_EACH, "--games-each", struct bench, games_each, 1, 1000000),
    APP_VALUE(REPLAYS, struct bench, replays),
    APP_VALUE(JOURNAL, struct bench, journal),
    APP_VALUE(YES, struct bench, yes),
    APP_VALUE(JSON, struct bench, json),
    APP_NUMBER('e', "--seed", struct bench, seed, 0, UINT64_MAX),
    APP_VALUE('e', struct bench, has_seed),
    {0},
};

static error_t parse_bench(int key, char *arg, struct argp_state *state)
{
    struct bench *b = state->input;
    if (app_take_value(state, bench_values, key, arg, b))
        return 0;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &b->llm;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void add_name(void *owner, const char *name)
{
    struct bench *b = owner;
    if (b->models + 1 < CONTEST_ENTRANTS && asprintf(&b->who[b->models], "llm:%s", name) > 0)
        b->models++;
}

// One folder for each game, because matches of all games have the same numbers.
static void make_folder(const char *path, const char *command)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        app_refuse(command, "cannot create the folder %s: %s", path, strerror(errno));
}

static void plan_game(struct stretch *s, const struct bench *b, const char *game, const char *command)
{
    struct contest_options o;
    static struct launched none;
    contest_options_init(&o, CONTEST_ROUND_ROBIN);
    o.setup.row = find_game(game, command);
    o.games = b->games_each * (uint64_t)((b->models + 1) * b->models / 2);
    o.seed = b->seed;
    o.has_seed = true;
    if (b->replays) {
        snprintf(s->replays, sizeof s->replays, "%s/%s", b->replays, game);
        make_folder(b->replays, command);
        make_folder(s->replays, command);
        o.replays = s->replays;
    }
    if (b->journal)
        snprintf(s->journal, sizeof s->journal, "%s/%s.jsonl", b->journal, game);
    for (int i = 0; i < b->models; i++)
        o.seat[o.seats_given++] = b->who[i];
    char house[64];
    snprintf(house, sizeof house, "house:%s", kit_bots(o.setup.row)[0]->name);
    o.seat[o.seats_given++] = house;
    contest_options_apply(&o, command, &s->plan, &none);
    contest_open(&s->contest, &s->plan);
    contest_run_defaults(&s->run, &s->contest);
    contest_options_set_run(&o, command, &s->run);
    set_up(&s->setup, game, command);
    s->takes = llm_estimate_game(&s->setup);
}

// Seats of one model in all matches of a game: every pair plays equally often, and the anchor is one more player.
static double seats_of_model(const struct stretch *s, const struct bench *b)
{
    return (double)s->plan.games * 2 / (b->models + 1);
}

// Cost of all models by the price file; NAN: a price is missing. Also reports invalid models before any request.
static double estimate_cost(struct stretch *const *list, int count, const struct bench *b, struct loop *loop,
                            char currency[16], const char *command)
{
    char why[NAME_WHY];
    double sum = 0;
    struct llm_models *models = llm_models_open(loop, &b->llm.run, why);
    if (!models)
        app_refuse(command, "%s", why);
    for (int m = 0; m < b->models; m++) {
        const struct llm_model *one = llm_models_add(models, b->who[m], b->who[m], why);
        if (!one)
            app_refuse(command, "'%s': %s", b->who[m], why);
        for (int i = 0; i < count; i++) {
            double requests = seats_of_model(list[i], b) * list[i]->takes.decisions;
            sum += requests * llm_model_cost(one, list[i]->takes.prompt_tokens, ANSWER_TOKENS);
        }
    }
    snprintf(currency, 16, "%s", llm_models_currency(models));
    llm_models_close(models);
    return sum;
}

// L133: reports the expected cost before it begins.
static void confirm(struct stretch *const *list, int count, const struct bench *b, struct loop *loop,
                    const char *command)
{
    double requests = 0, tokens = 0;
    char currency[16];
    double cost = estimate_cost(list, count, b, loop, currency, command);
    for (int i = 0; i < count; i++) {
        double asked = seats_of_model(list[i], b) * b->models * list[i]->takes.decisions;
        requests += asked;
        tokens += asked * (list[i]->takes.prompt_tokens + ANSWER_TOKENS);
    }
    fprintf(stderr, "%d game%s, %d model%s: about %.0f requests and %.1f million tokens", count, count == 1 ? "" : "s",
            b->models, b->models == 1 ? "" : "s", requests, tokens / 1e6);
    if (isnan(cost))
        fputs("; cost unknown, give prices with --prices FILE\n", stderr);
    else
        fprintf(stderr, ", %.2f %s with answers of %d tokens\n", cost, currency, ANSWER_TOKENS);
    if (b->yes)
        return;
    if (!isatty(STDIN_FILENO))
        app_refuse(command, "there is no terminal to ask for confirmation; use --yes");
    fprintf(stderr, "Begin? [y/N] ");
    int c = getchar();
    if (c != 'y' && c != 'Y')
        exit(APP_FAILED);
}

static void judged(void *owner, const struct contest *c, uint64_t index)
{
    (void)c;
    struct stretch *s = owner;
    llm_players_judged(&s->players, index);
}

static void handed_in(void *owner, uint64_t index, const struct contest_result *r)
{
    struct stretch *s = owner;
    contest_keep_add(&s->keep, index, r);
}

static struct contest_run *volatile running; // what a signal stops; NULL: nothing
static atomic_bool interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    atomic_store(&interrupted, true);
    if (running)
        atomic_store(&running->stop, true);
}

static void catch_interrupts(void)
{
    // A second Ctrl-C ends the program at once.
    struct sigaction stop = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int play_stretch(struct stretch *s, struct contest_live *w, const struct bench *b, struct loop *loop,
                        const char *command)
{
    s->run.loop = loop;
    llm_players_open(&s->players, &b->llm, command, &s->contest, &s->run, loop, false, 0);
    if (b->journal)
        contest_keep_open(&s->keep, &s->contest, s->journal, &s->players, command);
    s->contest.on_result = handed_in;
    s->contest.on_judged = judged;
    s->contest.owner = s;
    w->contest = &s->contest;
    w->title = s->title;
    running = &s->run;
    atomic_store(&s->run.stop, atomic_load(&interrupted));
    contest_live_start(w);
    int err = contest_is_done(&s->contest) ? OK : contest_play_external(&s->run);
    contest_live_stop(w);
    running = NULL;
    w->past += w->weight * (double)(s->contest.handed_in - w->found);
    if (!contest_keep_close(&s->keep)) {
        app_complain("cannot write %s: %s", s->journal, strerror(errno));
        err = ERR_STORAGE;
    }
    int status = llm_players_status(&s->players, command);
    if (!b->json) {
        contest_print_table(&s->run, 0);
        llm_report_print(&s->players);
        puts("");
    }
    return status ? status : err != OK || atomic_load(&interrupted) ? APP_FAILED : APP_DONE;
}

static void release_stretch(struct stretch *s)
{
    contest_run_release(&s->run);
    llm_players_close(&s->players);
    contest_close(&s->contest);
    free(s);
}

static int split_games(const char *games, char names[BENCH_GAMES][32], const char *command)
{
    int count = 0;
    for (const char *at = games; at && *at && count < BENCH_GAMES; count++) {
        size_t size = strcspn(at, ",");
        snprintf(names[count], 32, "%.*s", (int)(size < 31 ? size : 31), at);
        find_game(names[count], command);
        at += size + (at[size] == ',');
    }
    return count;
}

// For each game what `agon match --json` prints.
static void print_bench_json(struct stretch *const *list, int count)
{
    const struct contest_repeat once = {.same = true};
    struct text t = {.grow = heap_text_grow};
    text_put_char(&t, '[');
    for (int i = 0; i < count; i++) {
        text_puts(&t, i ? ",\n" : "");
        contest_write_json(&list[i]->run, &t, &once);
        t.size -= 2; // "}\n"
        llm_report_put_json(&t, &list[i]->players);
        text_put_char(&t, '}');
    }
    text_puts(&t, "]\n");
    fwrite(t.at, 1, t.size, stdout);
    free(t.at);
}

// Requests that a match of this game needs, to estimate the remaining time.
static double weight_of(const struct stretch *s, const struct bench *b)
{
    return s->takes.decisions * 2 * b->models / (b->models + 1);
}

// One after another, until a limit, an error or Ctrl-C ends it. Returns how many were begun.
static int play_all(struct stretch *const *list, int count, struct bench *b, struct loop *loop, const char *command,
                    int *status)
{
    struct contest_live w = {.run_began_s = loop_now_seconds(), .every_s = PROGRESS_SECONDS};
    for (int i = 0; i < count; i++)
        w.ahead += weight_of(list[i], b) * (double)list[i]->plan.games;
    for (int i = 0; i < count; i++) {
        struct stretch *s = list[i];
        w.weight = weight_of(s, b);
        w.ahead -= w.weight * (double)s->plan.games;
        snprintf(s->title, sizeof s->title, "%.60s (%d of %d): ", s->plan.codec->game->name, i + 1, count);
        *status = play_stretch(s, &w, b, loop, command);
        if (*status != APP_DONE || (s->players.models && llm_models_limit(s->players.models)))
            return i + 1;
        if (s->players.models)
            llm_models_carry(s->players.models, &b->llm.run); // limits apply to all games together (L94)
    }
    return count;
}

// A resumed comparison has the cards of the one that was begun.
static void find_seed(struct bench *b, char names[BENCH_GAMES][32], int count)
{
    char path[PATH_MAX];
    for (int i = 0; b->journal && i < count && !b->has_seed; i++) {
        snprintf(path, sizeof path, "%s/%s.jsonl", b->journal, names[i]);
        b->has_seed = journal_find_seed(path, &b->seed);
    }
    if (b->has_seed)
        return;
    crypto_random(&b->seed, sizeof b->seed);
    b->seed >>= 11; // every JSON parser keeps 53 bits
}

static int run_bench(struct bench *b, const char *command)
{
    char names[BENCH_GAMES][32];
    struct stretch *list[BENCH_GAMES];
    const struct llm_players *players[BENCH_GAMES];
    int count = split_games(b->games, names, command), status = APP_DONE;
    struct loop loop;
    loop_init_coarse(&loop);
    if (b->journal)
        make_folder(b->journal, command);
    find_seed(b, names, count);
    for (int i = 0; i < count; i++) {
        if (!(list[i] = calloc(1, sizeof *list[i])))
            app_die("no memory for %s", names[i]);
        players[i] = &list[i]->players;
        plan_game(list[i], b, names[i], command);
    }
    confirm(list, count, b, &loop, command);
    catch_interrupts();
    int played = play_all(list, count, b, &loop, command, &status);
    if (played < count && !b->json)
        printf("%d of %d games were not begun\n\n", count - played, count);
    if (b->json)
        print_bench_json(list, played);
    if (b->llm.report && !llm_report_write(b->llm.report, players, played)) {
        app_complain("cannot write %s: %s", b->llm.report, strerror(errno));
        status = status ? status : APP_FAILED;
    }
    for (int i = 0; i < count; i++)
        release_stretch(list[i]);
    loop_release(&loop);
    return status;
}

static int cmd_bench_models(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"games", GAMES, "LIST", 0, "Games to play, as coup,texas_holdem (coup)", 0},
        {"replays", REPLAYS, "DIR", 0, "Write the replay of every game to DIR/GAME/NNNNNN.agon", 0},
        {"journal", JOURNAL, "DIR", 0,
         "Write every decision and result to DIR/GAME.jsonl; the same command continues after an interruption", 0},
        {"games-each", GAMES_EACH, "N", 0, "Games of every pair, rounded up to mirrored sets (20)", 0},
        {"seed", 'e', "S", 0, "Seed of the run; the same seed gives the same cards (random, or the journal's)", 0},
        {"yes", YES, NULL, 0, "Start without asking for confirmation", 0},
        {"json", JSON, NULL, 0, "Print a JSON array, one object per game as 'agon match' prints it", HELP_OUTPUT},
        {0},
    };
    static const struct argp_child children[] = {{&llm_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = list,
        .parser = parse_bench,
        .args_doc = "--models FILE",
        .children = children,
        .doc = "Play a round robin of all models in a file, with the best house bot as anchor, in each game: mirrored "
               "deals, one report. Before it starts, it prints an estimate of the cost and asks for confirmation.",
    };
    static struct bench b = {.games = "coup", .games_each = 20};
    char why[NAME_WHY];
    struct llm_file file;
    help_parse(&argp, argc, argv, 0, &b);
    if (!b.llm.run.models_file)
        app_refuse(argv[0], "which models? Name them in a file: --models FILE");
    if (!llm_file_open(&file, b.llm.run.models_file, why))
        app_refuse(argv[0], "%s", why);
    llm_file_names(&file, add_name, &b);
    llm_file_close(&file);
    if (!b.models)
        app_refuse(argv[0], "%s names no model", b.llm.run.models_file);
    int status = run_bench(&b, argv[0]);
    for (int i = 0; i < b.models; i++)
        free(b.who[i]);
    return status;
}

// --- agon llm template

struct writing {
    const char *which, *folder;
};

static error_t parse_template(int key, char *arg, struct argp_state *state)
{
    struct writing *w = state->input;
    if (key == ARGP_KEY_ARG && !w->which)
        w->which = arg;
    else if (key == ARGP_KEY_ARG && !w->folder)
        w->folder = arg;
    else if (key == ARGP_KEY_END && !w->folder)
        argp_error(state, "which template, and where to? As 'agon llm template standard mine'");
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static int cmd_template(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = parse_template,
        .args_doc = "NAME DIR",
        .doc = "Write a prompt template into a new folder, to be changed and used with template=DIR.",
    };
    struct writing w = {0};
    char why[NAME_WHY];
    help_parse(&argp, argc, argv, 0, &w);
    if (!template_write_out(w.which, w.folder, why))
        app_refuse(argv[0], "%s", why);
    return APP_DONE;
}

int cmd_llm(int argc, char **argv)
{
    static const struct app_command commands[] = {
        {"test", "Ask a model for one decision and print what it costs", cmd_test},
        {"bench", "Compare models in several games", cmd_bench_models},
        {"template", "Write out a prompt template", cmd_template},
        {0},
    };
    static const struct app_menu menu = {
        .name = "agon llm",
        .args = "COMMAND [ARG...]",
        .doc = "Language models behind chat APIs, as players: llm:MODEL@URL wherever a player is named.",
        .after = "First: agon llm test MODEL@URL\n",
        .commands = commands,
    };
    return app_run_menu(&menu, argc, argv);
}
