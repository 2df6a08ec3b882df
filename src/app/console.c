#include "app/console.h"

#include "app/move_input.h"
#include "app/reserved_memory.h"
#include "app/terminal_text.h"
#include "net/loop.h"
#include "tui/page.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// LOG_KEPT: lines. RANGE_BY_ONE: a range of fewer amounts moves by one, a larger one in at most STEPS.
enum { TEXT_ROOM = 1 << 18, LOG_KEPT = 64, LIST_KEPT = 6, RANGE_BY_ONE = 100, STEPS = 20 };

static volatile sig_atomic_t interrupted; // where lines are read

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static void clear_text(struct text *t)
{
    t->size = 0;
    t->full = false;
}

void console_open(struct console *d, const struct console_owner *owner, const char *title)
{
    *d = (struct console){.owner = owner, .live = screen_is_there()};
    snprintf(d->title, sizeof d->title, "%s", title);
    struct text *const texts[] = {&d->log, &d->picture, &d->list, &d->reading, &d->bytes};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = memory_reserve_text(TEXT_ROOM);
    struct sigaction stop = {.sa_handler = on_interrupt}; // without SA_RESTART: reading a line ends at once
    if (d->live)
        screen_open(&d->screen);
    else
        sigaction(SIGINT, &stop, NULL);
}

void console_close(struct console *d)
{
    struct text *const texts[] = {&d->log, &d->picture, &d->list, &d->reading, &d->bytes};
    if (d->live) {
        screen_close(&d->screen);
        terminal_text_keep_last(&d->log, LOG_KEPT / 8);
        terminal_text_print(&d->picture, d->table.seat, d->table.seats);
        putchar('\n');
        terminal_text_print(&d->log, d->table.seat, d->table.seats);
        if (d->notice[0])
            printf("\n%s\n", d->notice);
        fflush(stdout);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        memory_release(texts[i]->at, TEXT_ROOM);
}

void console_set(struct console *d, const struct console_scene *s)
{
    d->row = s->row;
    d->table = s->table;
    memcpy(&d->view, s->view, s->row->game->view_size);
    d->count = s->count;
    d->is_asked = d->fresh = s->count > 0;
    d->moves += s->count > 0;
    if (s->count)
        d->reserved = 1 + (s->count < LIST_KEPT ? s->count : LIST_KEPT); // and the line that is typed
    if (s->count)
        memcpy(d->choices, s->choices, (size_t)s->count * sizeof *s->choices);
    d->chosen = 0;
    d->amount = s->count ? s->choices[0].first.amount : 0;
    if (d->mode != CONSOLE_QUITS) // that question stays until it is answered
        d->notice[0] = 0;
    clear_text(&d->picture);
    d->table.voice = CODEC_PERSON;
    s->row->codec->draw(&d->picture, &d->table, &d->view);
    d->table.voice = CODEC_OFFER; // the voice of all texts about choices
    d->table.view = &d->view;
    if (d->picture.size && d->picture.at[d->picture.size - 1] != '\n')
        text_put_char(&d->picture, '\n');
}

void console_set_notice(struct console *d, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    vsnprintf(d->notice, sizeof d->notice, format, rest);
    va_end(rest);
    if (!d->live && d->notice[0])
        printf("%s\n", d->notice);
}

// --- the list of moves

static bool is_range(const struct game_choice *c)
{
    return c->max_amount > c->first.amount;
}

static void put_choice(struct console *d, struct text *out, int i)
{
    const struct game_choice *c = &d->choices[i];
    codec_write(out, " %2d  ", i + 1);
    if (!d->live || i != d->chosen || !is_range(c)) {
        move_input_put_choice(d->row->codec, out, &d->table, *c);
        return;
    }
    struct game_action a = c->first;
    a.amount = d->amount;
    codec_describe_action(d->row->codec, out, &d->table, a);
    text_puts(out, "  <- ->");
}

static void write_list(struct console *d)
{
    clear_text(&d->list);
    for (int i = 0; d->is_asked && i < d->count; i++) {
        put_choice(d, &d->list, i);
        text_put_char(&d->list, '\n');
    }
}

// Prints all moves, or some of them, if there is no page.
static void print_choices(struct console *d, const struct move_input *some)
{
    for (int i = 0; i < (some ? some->found : d->count); i++) {
        clear_text(&d->list);
        text_put_char(&d->list, ' ');
        put_choice(d, &d->list, some ? some->choice[i] : i);
        terminal_text_print(&d->list, d->table.seat, d->table.seats);
    }
}

// --- drawing

static const char help[] = "Type a move in words, shortened if you like, or its number:\n"
                           "  raise 400, 3 fours, Ah, tax, challenge, check\n"
                           "\n"
                           "  hint    what the strongest house bot would do\n"
                           "  rules   the rules of this game\n"
                           "  show    draw the table again\n"
                           "  quit    leave; so does Ctrl-C\n";

static const char help_keys[] = "\n"
                                "Or choose with the arrow keys:\n"
                                "  up, down, Tab   another move\n"
                                "  left, right     another amount; Home and End the least and the most\n"
                                "  Enter           play what is typed, or else what is marked\n"
                                "  Escape          forget what is typed\n"
                                "  ? or F1         this page\n";

static const char *keys_of(const struct console *d)
{
    if (d->mode == CONSOLE_READS)
        return "up and down scroll   any other key goes back";
    if (d->mode == CONSOLE_QUITS)
        return "y quits   n goes on   Ctrl-C quits";
    if (!d->is_asked)
        return "Ctrl-C quits";
    return "Enter plays   arrows choose   ? help   hint   rules   Ctrl-C quits";
}

static void draw_page(struct console *d, bool hide_table)
{
    char prompt[CONSOLE_LINE + 32], title[CONSOLE_TITLE + 32];
    snprintf(title, sizeof title, d->moves ? "%s   move %d" : "%s", d->title, d->moves);
    snprintf(prompt, sizeof prompt, "your move> %s", d->input);
    write_list(d);
    struct page p = {.title = span_of(title),
                     .picture = text_span(&d->picture),
                     .log = text_span(&d->log),
                     .list = text_span(&d->list),
                     .chosen = d->input[0] || !d->is_asked ? -1 : d->chosen,
                     .reserved = d->is_asked ? 0 : d->reserved,
                     .notice = span_of(d->notice),
                     .keys = span_of(keys_of(d)),
                     .seat = d->table.seat,
                     .seats = d->table.seats,
                     .scroll = d->scroll};
    if (d->is_asked && d->mode == CONSOLE_PLAYS)
        p.prompt = span_of(prompt);
    if (d->mode == CONSOLE_READS)
        p.text = text_span(&d->reading);
    if (hide_table) {
        p.picture = p.log = p.list = p.prompt = (struct span){0};
        p.keys = SPAN("Enter goes on   Ctrl-C quits");
    }
    screen_measure(&d->screen);
    clear_text(&d->bytes);
    page_put(&d->bytes, &p, d->screen.columns, d->screen.rows, d->screen.colours);
    d->scroll = p.scroll;
    screen_put(text_span(&d->bytes));
}

static void print_news(struct console *d)
{
    struct text news = d->log;
    news.at += d->printed;
    news.size -= d->printed;
    terminal_text_print(&news, d->table.seat, d->table.seats);
    clear_text(&d->log);
    d->printed = 0;
}

void console_draw(struct console *d)
{
    if (d->live) {
        terminal_text_keep_last(&d->log, LOG_KEPT);
        draw_page(d, false);
        return;
    }
    print_news(d);
    if (d->fresh) {
        terminal_text_print(&d->picture, d->table.seat, d->table.seats);
        putchar('\n');
        print_choices(d, NULL);
        fputs("your move> ", stdout);
        d->fresh = false;
    }
    fflush(stdout);
}

// --- commands and moves in words

static void open_reader(struct console *d)
{
    if (!d->live) {
        terminal_text_print(&d->reading, NULL, 0);
        return;
    }
    d->mode = CONSOLE_READS;
    d->scroll = 0;
}

static void show_help(struct console *d)
{
    clear_text(&d->reading);
    text_puts(&d->reading, help);
    text_puts(&d->reading, d->live ? help_keys : "");
    open_reader(d);
}

static void show_rules(struct console *d)
{
    clear_text(&d->reading);
    d->owner->put_rules(d->owner->owner, &d->reading);
    open_reader(d);
}

static void show_hint(struct console *d)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes - 1);
    if (!d->owner->put_hint) {
        console_set_notice(d, "there are no hints here");
        return;
    }
    d->owner->put_hint(d->owner->owner, &t);
    bytes[t.size] = 0;
    if (t.size)
        console_set_notice(d, "hint: %s", bytes);
}

static enum console_event ask_to_quit(struct console *d)
{
    d->mode = CONSOLE_QUITS;
    console_set_notice(d, "Quit? %s [y/N]", d->owner->quit);
    return CONSOLE_NOTHING;
}

static void show_table(struct console *d)
{
    d->fresh = !d->live;
}

// Returns false if the line is not a command.
static bool run_command(struct console *d, const char *line, enum console_event *event)
{
    static const struct {
        const char *word;
        void (*show)(struct console *d); // NULL: leaves
    } commands[] = {{"?", show_help},     {"help", show_help}, {"hint", show_hint}, {"rules", show_rules},
                    {"show", show_table}, {"quit", NULL},      {"exit", NULL}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(line, commands[i].word) != 0)
            continue;
        if (commands[i].show)
            commands[i].show(d);
        else
            *event = CONSOLE_QUIT;
        return true;
    }
    return false;
}

static void explain_refusal(struct console *d, const char *what, const struct move_input *some)
{
    struct text t = text_on(d->notice, sizeof d->notice - 1);
    text_puts(&t, what);
    if (!d->live) {
        puts(what);
        print_choices(d, some);
        return;
    }
    for (int i = 0; some && i < some->found && i < 4; i++) { // the rest is in the list
        text_puts(&t, "\n");
        put_choice(d, &t, some->choice[i]);
    }
    d->notice[t.size] = 0;
}

static bool read_move(struct console *d, const char *line, struct game_action *out)
{
    struct move_input match;
    switch (move_input_find(d->row->codec, &d->table, d->choices, d->count, line, &match)) {
    case MOVE_INPUT_ONE:
        *out = match.action;
        return true;
    case MOVE_INPUT_AMOUNT:
        explain_refusal(d, "how much? add the amount:", &match);
        return false;
    case MOVE_INPUT_SEVERAL:
        explain_refusal(d, "that could be any of these:", &match);
        return false;
    case MOVE_INPUT_NONE:
        break;
    }
    explain_refusal(d,
                    d->live ? "that is not a move here; choose one from the list (? for help)"
                            : "that is not a move here; legal moves (? for help):",
                    NULL);
    return false;
}

static enum console_event handle_words(struct console *d, const char *line, struct game_action *out)
{
    enum console_event event = CONSOLE_NOTHING;
    d->notice[0] = 0;
    if (run_command(d, line, &event))
        return event;
    if (!read_move(d, line, out))
        return CONSOLE_NOTHING;
    d->is_asked = d->fresh = false;
    return CONSOLE_MOVE;
}

enum console_event console_take_line(struct console *d, const char *line, struct game_action *out)
{
    if (!line)
        return CONSOLE_QUIT;
    line += strspn(line, " \t");
    if (d->mode == CONSOLE_QUITS) {
        d->mode = CONSOLE_PLAYS;
        return line[0] == 'y' || line[0] == 'Y' ? CONSOLE_QUIT : CONSOLE_NOTHING;
    }
    return *line && d->is_asked ? handle_words(d, line, out) : CONSOLE_NOTHING;
}

// --- keys

static void move_mark(struct console *d, int by)
{
    if (!d->is_asked)
        return;
    d->chosen = (d->chosen + by + d->count) % d->count;
    d->amount = d->choices[d->chosen].first.amount;
}

// One for small ranges; else 1, 2 or 5 times a power of ten.
static int32_t amount_step(const struct game_choice *c)
{
    static const int32_t factors[] = {1, 2, 5};
    int32_t range = c->max_amount - c->first.amount;
    for (int32_t power = 1; range > RANGE_BY_ONE; power *= 10)
        for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
            if (power * factors[i] >= range / STEPS)
                return power * factors[i];
    return 1;
}

static void change_amount(struct console *d, int key)
{
    const struct game_choice *c = &d->choices[d->chosen];
    if (!d->is_asked)
        return;
    if (!is_range(c)) {
        move_mark(d, key == INPUT_LEFT ? -1 : key == INPUT_RIGHT ? 1 : 0);
        return;
    }
    int64_t amount = key == INPUT_HOME  ? c->first.amount
                     : key == INPUT_END ? c->max_amount
                                        : d->amount + (int64_t)amount_step(c) * (key == INPUT_LEFT ? -1 : 1);
    amount = amount < c->first.amount ? c->first.amount : amount > c->max_amount ? c->max_amount : amount;
    d->amount = (int32_t)amount;
}

static enum console_event handle_enter(struct console *d, struct game_action *out)
{
    char line[CONSOLE_LINE];
    if (!d->is_asked)
        return CONSOLE_NOTHING;
    snprintf(line, sizeof line, "%s", d->input);
    d->input[0] = 0;
    if (line[strspn(line, " ")])
        return handle_words(d, line + strspn(line, " "), out);
    *out = d->choices[d->chosen].first;
    out->amount = d->amount;
    d->is_asked = d->fresh = false;
    d->notice[0] = 0;
    return CONSOLE_MOVE;
}

static void edit_input(struct console *d, int key)
{
    size_t size = strlen(d->input);
    if (key == INPUT_BACKSPACE && size)
        d->input[size - 1] = 0;
    else if (key == INPUT_ESCAPE || key == SCREEN_CONTROL('u'))
        d->input[0] = d->notice[0] = 0;
    else if (key >= ' ' && key < INPUT_BACKSPACE && size + 1 < CONSOLE_LINE)
        d->input[size] = (char)key, d->input[size + 1] = 0;
}

static enum console_event scroll_reader(struct console *d, int key)
{
    if (key == INPUT_UP || key == INPUT_DOWN)
        d->scroll += key == INPUT_UP ? -1 : 1;
    else
        d->mode = CONSOLE_PLAYS;
    return CONSOLE_NOTHING;
}

enum console_event console_take_key(struct console *d, int key, struct game_action *out)
{
    if (key == SCREEN_NOTHING) // the window was resized, or a signal was handled already
        return CONSOLE_NOTHING;
    if (key == SCREEN_GONE)
        return CONSOLE_QUIT;
    if (key == SCREEN_INTERRUPT)
        return d->mode == CONSOLE_QUITS ? CONSOLE_QUIT : ask_to_quit(d);
    if (d->mode == CONSOLE_QUITS) {
        d->mode = CONSOLE_PLAYS;
        d->notice[0] = 0;
        return key == 'y' ? CONSOLE_QUIT : CONSOLE_NOTHING;
    }
    if (d->mode == CONSOLE_READS)
        return scroll_reader(d, key);
    if (key == INPUT_ENTER)
        return handle_enter(d, out);
    if (key == INPUT_UP || key == INPUT_DOWN || key == INPUT_TAB)
        move_mark(d, key == INPUT_UP ? -1 : 1);
    else if (key == INPUT_LEFT || key == INPUT_RIGHT || key == INPUT_HOME || key == INPUT_END)
        change_amount(d, key);
    else if (key == INPUT_F1 || (key == '?' && !d->input[0]))
        show_help(d);
    else
        edit_input(d, key);
    return CONSOLE_NOTHING;
}

// --- waiting

// Reads a line into `line`; NULL at the end of the input. Ctrl-C asks whether to quit, a second one quits.
static const char *read_line(struct console *d, char line[CONSOLE_LINE])
{
    for (;;) {
        errno = 0;
        if (fgets(line, CONSOLE_LINE, stdin)) {
            line[strcspn(line, "\r\n")] = 0;
            return line;
        }
        bool was = interrupted;
        interrupted = 0;
        clearerr(stdin);
        putchar('\n');
        if (!was || d->mode == CONSOLE_QUITS)
            return NULL;
        ask_to_quit(d);
        fflush(stdout);
    }
}

static enum console_event ask_by_lines(struct console *d, struct game_action *out)
{
    char line[CONSOLE_LINE];
    for (;;) {
        console_draw(d);
        enum console_event event = console_take_line(d, read_line(d, line), out);
        if (event != CONSOLE_NOTHING)
            return event;
        if (!d->fresh)
            fputs("your move> ", stdout);
        fflush(stdout);
    }
}

enum console_event console_ask(struct console *d, struct game_action *out)
{
    if (!d->live)
        return ask_by_lines(d, out);
    for (;;) {
        console_draw(d);
        enum console_event event = console_take_key(d, screen_wait_key(&d->screen, -1), out);
        if (event != CONSOLE_NOTHING)
            return event;
    }
}

bool console_pause(struct console *d, double ms)
{
    struct game_action unused;
    int64_t until = loop_now_ms() + (int64_t)ms;
    console_draw(d);
    while (d->live) {
        int64_t left = d->mode == CONSOLE_PLAYS ? until - loop_now_ms() : -1; // a question has all the time
        if (d->mode == CONSOLE_PLAYS && left <= 0)
            break;
        int key = screen_wait_key(&d->screen, (int)left);
        if (d->mode == CONSOLE_PLAYS && (key == INPUT_ENTER || key == ' '))
            break;
        if (console_take_key(d, key, &unused) == CONSOLE_QUIT)
            return false;
        console_draw(d);
    }
    return true;
}

bool console_wait_enter(struct console *d, bool hide_table, const char *words)
{
    struct game_action unused;
    d->is_asked = d->fresh = false;
    if (!d->live) {
        char line[CONSOLE_LINE];
        print_news(d);
        printf("%s\n", words);
        return !hide_table || console_take_line(d, read_line(d, line), &unused) != CONSOLE_QUIT;
    }
    for (;;) {
        if (d->mode == CONSOLE_PLAYS)
            snprintf(d->notice, sizeof d->notice, "%s", words);
        draw_page(d, hide_table);
        int key = screen_wait_key(&d->screen, -1);
        if (d->mode == CONSOLE_PLAYS && (key == INPUT_ENTER || (!hide_table && key == 'q')))
            return true;
        if (key == SCREEN_INTERRUPT && !hide_table) // the game is over, so nothing needs confirmation
            return false;
        if (console_take_key(d, key, &unused) == CONSOLE_QUIT)
            return false;
    }
}

void console_show_end(struct console *d, const char *result)
{
    if (d->live) {
        console_wait_enter(d, false, result);
        snprintf(d->notice, sizeof d->notice, "%s", result);
        return;
    }
    print_news(d);
    terminal_text_print(&d->picture, d->table.seat, d->table.seats);
    printf("\n%s\n", result);
}

volatile sig_atomic_t *console_interrupt(struct console *d)
{
    return d->live ? screen_interrupted() : &interrupted;
}

bool console_confirms_quit(struct console *d)
{
    char line[CONSOLE_LINE];
    struct game_action unused;
    ask_to_quit(d);
    while (d->live && d->mode == CONSOLE_QUITS) {
        console_draw(d);
        if (console_take_key(d, screen_wait_key(&d->screen, -1), &unused) == CONSOLE_QUIT)
            return true;
    }
    if (d->live)
        console_draw(d);
    return !d->live && console_take_line(d, read_line(d, line), &unused) == CONSOLE_QUIT;
}
