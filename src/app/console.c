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

void console_open(struct console *con, const struct console_owner *owner, const char *title)
{
    *con = (struct console){.owner = owner, .live = screen_is_there()};
    snprintf(con->title, sizeof con->title, "%s", title);
    struct text *const texts[] = {&con->log, &con->picture, &con->list, &con->reading, &con->bytes};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = memory_reserve_text(TEXT_ROOM);
    struct sigaction stop = {.sa_handler = on_interrupt}; // without SA_RESTART: reading a line ends at once
    if (con->live)
        screen_open(&con->screen);
    else
        sigaction(SIGINT, &stop, NULL);
}

void console_close(struct console *con)
{
    struct text *const texts[] = {&con->log, &con->picture, &con->list, &con->reading, &con->bytes};
    if (con->live) {
        screen_close(&con->screen);
        terminal_text_keep_last(&con->log, LOG_KEPT / 8);
        terminal_text_print(&con->picture, con->table.seat, con->table.seats);
        putchar('\n');
        terminal_text_print(&con->log, con->table.seat, con->table.seats);
        if (con->notice[0])
            printf("\n%s\n", con->notice);
        fflush(stdout);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        memory_release(texts[i]->at, TEXT_ROOM);
}

void console_set(struct console *con, const struct console_scene *s)
{
    con->row = s->row;
    con->table = s->table;
    memcpy(&con->view, s->view, s->row->game->view_size);
    con->count = s->count;
    con->is_asked = con->fresh = s->count > 0;
    con->moves += s->count > 0;
    if (s->count)
        con->reserved = 1 + (s->count < LIST_KEPT ? s->count : LIST_KEPT); // and the line that is typed
    if (s->count)
        memcpy(con->choices, s->choices, (size_t)s->count * sizeof *s->choices);
    con->chosen = 0;
    con->amount = s->count ? s->choices[0].first.amount : 0;
    if (con->mode != CONSOLE_QUITS) // that question stays until it is answered
        con->notice[0] = 0;
    clear_text(&con->picture);
    con->table.voice = CODEC_PERSON;
    s->row->codec->draw(&con->picture, &con->table, &con->view);
    con->table.voice = CODEC_OFFER; // the voice of all texts about choices
    con->table.view = &con->view;
    if (con->picture.size && con->picture.at[con->picture.size - 1] != '\n')
        text_put_char(&con->picture, '\n');
}

void console_set_notice(struct console *con, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    vsnprintf(con->notice, sizeof con->notice, format, rest);
    va_end(rest);
    if (!con->live && con->notice[0])
        printf("%s\n", con->notice);
}

// --- the list of moves

static bool is_range(const struct game_choice *c)
{
    return c->max_amount > c->first.amount;
}

static void put_choice(struct console *con, struct text *out, int i)
{
    const struct game_choice *c = &con->choices[i];
    codec_write(out, " %2d  ", i + 1);
    if (!con->live || i != con->chosen || !is_range(c)) {
        move_input_put_choice(con->row->codec, out, &con->table, *c);
        return;
    }
    struct game_action a = c->first;
    a.amount = con->amount;
    codec_describe_action(con->row->codec, out, &con->table, a);
    text_puts(out, "  <- ->");
}

static void write_list(struct console *con)
{
    clear_text(&con->list);
    for (int i = 0; con->is_asked && i < con->count; i++) {
        put_choice(con, &con->list, i);
        text_put_char(&con->list, '\n');
    }
}

// Prints all moves, or some of them, if there is no page.
static void print_choices(struct console *con, const struct move_input *some)
{
    for (int i = 0; i < (some ? some->found : con->count); i++) {
        clear_text(&con->list);
        text_put_char(&con->list, ' ');
        put_choice(con, &con->list, some ? some->choice[i] : i);
        terminal_text_print(&con->list, con->table.seat, con->table.seats);
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

static const char *keys_of(const struct console *con)
{
    if (con->mode == CONSOLE_READS)
        return "up and down scroll   any other key goes back";
    if (con->mode == CONSOLE_QUITS)
        return "y quits   n goes on   Ctrl-C quits";
    if (!con->is_asked)
        return "Ctrl-C quits";
    return "Enter plays   arrows choose   ? help   hint   rules   Ctrl-C quits";
}

static void draw_page(struct console *con, bool hide_table)
{
    char prompt[CONSOLE_LINE + 32], title[CONSOLE_TITLE + 32];
    snprintf(title, sizeof title, con->moves ? "%s   move %d" : "%s", con->title, con->moves);
    snprintf(prompt, sizeof prompt, "your move> %s", con->input);
    write_list(con);
    struct page p = {.title = span_of(title),
                     .picture = text_span(&con->picture),
                     .log = text_span(&con->log),
                     .list = text_span(&con->list),
                     .chosen = con->input[0] || !con->is_asked ? -1 : con->chosen,
                     .reserved = con->is_asked ? 0 : con->reserved,
                     .notice = span_of(con->notice),
                     .keys = span_of(keys_of(con)),
                     .seat = con->table.seat,
                     .seats = con->table.seats,
                     .scroll = con->scroll};
    if (con->is_asked && con->mode == CONSOLE_PLAYS)
        p.prompt = span_of(prompt);
    if (con->mode == CONSOLE_READS)
        p.text = text_span(&con->reading);
    if (hide_table) {
        p.picture = p.log = p.list = p.prompt = (struct span){0};
        p.keys = SPAN("Enter goes on   Ctrl-C quits");
    }
    screen_measure(&con->screen);
    clear_text(&con->bytes);
    page_put(&con->bytes, &p, con->screen.columns, con->screen.rows, con->screen.colours);
    con->scroll = p.scroll;
    screen_put(text_span(&con->bytes));
}

static void print_news(struct console *con)
{
    struct text news = con->log;
    news.at += con->printed;
    news.size -= con->printed;
    terminal_text_print(&news, con->table.seat, con->table.seats);
    clear_text(&con->log);
    con->printed = 0;
}

void console_draw(struct console *con)
{
    if (con->live) {
        terminal_text_keep_last(&con->log, LOG_KEPT);
        draw_page(con, false);
        return;
    }
    print_news(con);
    if (con->fresh) {
        terminal_text_print(&con->picture, con->table.seat, con->table.seats);
        putchar('\n');
        print_choices(con, NULL);
        fputs("your move> ", stdout);
        con->fresh = false;
    }
    fflush(stdout);
}

// --- commands and moves in words

static void open_reader(struct console *con)
{
    if (!con->live) {
        terminal_text_print(&con->reading, NULL, 0);
        return;
    }
    con->mode = CONSOLE_READS;
    con->scroll = 0;
}

static void show_help(struct console *con)
{
    clear_text(&con->reading);
    text_puts(&con->reading, help);
    text_puts(&con->reading, con->live ? help_keys : "");
    open_reader(con);
}

static void show_rules(struct console *con)
{
    clear_text(&con->reading);
    con->owner->put_rules(con->owner->owner, &con->reading);
    open_reader(con);
}

static void show_hint(struct console *con)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes - 1);
    if (!con->owner->put_hint) {
        console_set_notice(con, "there are no hints here");
        return;
    }
    con->owner->put_hint(con->owner->owner, &t);
    bytes[t.size] = 0;
    if (t.size)
        console_set_notice(con, "hint: %s", bytes);
}

static enum console_event ask_to_quit(struct console *con)
{
    con->mode = CONSOLE_QUITS;
    console_set_notice(con, "Quit? %s [y/N]", con->owner->quit);
    return CONSOLE_NOTHING;
}

static void show_table(struct console *con)
{
    con->fresh = !con->live;
}

// Returns false if the line is not a command.
static bool run_command(struct console *con, const char *line, enum console_event *event)
{
    static const struct {
        const char *word;
        void (*show)(struct console *con); // NULL: leaves
    } commands[] = {{"?", show_help},     {"help", show_help}, {"hint", show_hint}, {"rules", show_rules},
                    {"show", show_table}, {"quit", NULL},      {"exit", NULL}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(line, commands[i].word) != 0)
            continue;
        if (commands[i].show)
            commands[i].show(con);
        else
            *event = CONSOLE_QUIT;
        return true;
    }
    return false;
}

static void explain_refusal(struct console *con, const char *what, const struct move_input *some)
{
    struct text t = text_on(con->notice, sizeof con->notice - 1);
    text_puts(&t, what);
    if (!con->live) {
        puts(what);
        print_choices(con, some);
        return;
    }
    for (int i = 0; some && i < some->found && i < 4; i++) { // the rest is in the list
        text_puts(&t, "\n");
        put_choice(con, &t, some->choice[i]);
    }
    con->notice[t.size] = 0;
}

static bool read_move(struct console *con, const char *line, struct game_action *out)
{
    struct move_input match;
    switch (move_input_find(con->row->codec, &con->table, con->choices, con->count, line, &match)) {
    case MOVE_INPUT_ONE:
        *out = match.action;
        return true;
    case MOVE_INPUT_AMOUNT:
        explain_refusal(con, "how much? add the amount:", &match);
        return false;
    case MOVE_INPUT_SEVERAL:
        explain_refusal(con, "that could be any of these:", &match);
        return false;
    case MOVE_INPUT_NONE:
        break;
    }
    explain_refusal(con,
                    con->live ? "that is not a move here; choose one from the list (? for help)"
                              : "that is not a move here; legal moves (? for help):",
                    NULL);
    return false;
}

static enum console_event handle_words(struct console *con, const char *line, struct game_action *out)
{
    enum console_event event = CONSOLE_NOTHING;
    con->notice[0] = 0;
    if (run_command(con, line, &event))
        return event;
    if (!read_move(con, line, out))
        return CONSOLE_NOTHING;
    con->is_asked = con->fresh = false;
    return CONSOLE_MOVE;
}

enum console_event console_take_line(struct console *con, const char *line, struct game_action *out)
{
    if (!line)
        return CONSOLE_QUIT;
    line += strspn(line, " \t");
    if (con->mode == CONSOLE_QUITS) {
        con->mode = CONSOLE_PLAYS;
        return line[0] == 'y' || line[0] == 'Y' ? CONSOLE_QUIT : CONSOLE_NOTHING;
    }
    return *line && con->is_asked ? handle_words(con, line, out) : CONSOLE_NOTHING;
}

// --- keys

static void move_mark(struct console *con, int by)
{
    if (!con->is_asked)
        return;
    con->chosen = (con->chosen + by + con->count) % con->count;
    con->amount = con->choices[con->chosen].first.amount;
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

static void change_amount(struct console *con, int key)
{
    const struct game_choice *c = &con->choices[con->chosen];
    if (!con->is_asked)
        return;
    if (!is_range(c)) {
        move_mark(con, key == INPUT_LEFT ? -1 : key == INPUT_RIGHT ? 1 : 0);
        return;
    }
    int64_t amount = key == INPUT_HOME  ? c->first.amount
                     : key == INPUT_END ? c->max_amount
                                        : con->amount + (int64_t)amount_step(c) * (key == INPUT_LEFT ? -1 : 1);
    amount = amount < c->first.amount ? c->first.amount : amount > c->max_amount ? c->max_amount : amount;
    con->amount = (int32_t)amount;
}

static enum console_event handle_enter(struct console *con, struct game_action *out)
{
    char line[CONSOLE_LINE];
    if (!con->is_asked)
        return CONSOLE_NOTHING;
    snprintf(line, sizeof line, "%s", con->input);
    con->input[0] = 0;
    if (line[strspn(line, " ")])
        return handle_words(con, line + strspn(line, " "), out);
    *out = con->choices[con->chosen].first;
    out->amount = con->amount;
    con->is_asked = con->fresh = false;
    con->notice[0] = 0;
    return CONSOLE_MOVE;
}

static void edit_input(struct console *con, int key)
{
    size_t size = strlen(con->input);
    if (key == INPUT_BACKSPACE && size)
        con->input[size - 1] = 0;
    else if (key == INPUT_ESCAPE || key == SCREEN_CONTROL('u'))
        con->input[0] = con->notice[0] = 0;
    else if (key >= ' ' && key < INPUT_BACKSPACE && size + 1 < CONSOLE_LINE)
        con->input[size] = (char)key, con->input[size + 1] = 0;
}

static enum console_event scroll_reader(struct console *con, int key)
{
    if (key == INPUT_UP || key == INPUT_DOWN)
        con->scroll += key == INPUT_UP ? -1 : 1;
    else
        con->mode = CONSOLE_PLAYS;
    return CONSOLE_NOTHING;
}

enum console_event console_take_key(struct console *con, int key, struct game_action *out)
{
    if (key == SCREEN_NOTHING) // the window was resized, or a signal was handled already
        return CONSOLE_NOTHING;
    if (key == SCREEN_GONE)
        return CONSOLE_QUIT;
    if (key == SCREEN_INTERRUPT)
        return con->mode == CONSOLE_QUITS ? CONSOLE_QUIT : ask_to_quit(con);
    if (con->mode == CONSOLE_QUITS) {
        con->mode = CONSOLE_PLAYS;
        con->notice[0] = 0;
        return key == 'y' ? CONSOLE_QUIT : CONSOLE_NOTHING;
    }
    if (con->mode == CONSOLE_READS)
        return scroll_reader(con, key);
    if (key == INPUT_ENTER)
        return handle_enter(con, out);
    if (key == INPUT_UP || key == INPUT_DOWN || key == INPUT_TAB)
        move_mark(con, key == INPUT_UP ? -1 : 1);
    else if (key == INPUT_LEFT || key == INPUT_RIGHT || key == INPUT_HOME || key == INPUT_END)
        change_amount(con, key);
    else if (key == INPUT_F1 || (key == '?' && !con->input[0]))
        show_help(con);
    else
        edit_input(con, key);
    return CONSOLE_NOTHING;
}

// --- waiting

// Reads a line into `line`; NULL at the end of the input. Ctrl-C asks whether to quit, a second one quits.
static const char *read_line(struct console *con, char line[CONSOLE_LINE])
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
        if (!was || con->mode == CONSOLE_QUITS)
            return NULL;
        ask_to_quit(con);
        fflush(stdout);
    }
}

static enum console_event ask_by_lines(struct console *con, struct game_action *out)
{
    char line[CONSOLE_LINE];
    for (;;) {
        console_draw(con);
        enum console_event event = console_take_line(con, read_line(con, line), out);
        if (event != CONSOLE_NOTHING)
            return event;
        if (!con->fresh)
            fputs("your move> ", stdout);
        fflush(stdout);
    }
}

enum console_event console_ask(struct console *con, struct game_action *out)
{
    if (!con->live)
        return ask_by_lines(con, out);
    for (;;) {
        console_draw(con);
        enum console_event event = console_take_key(con, screen_wait_key(&con->screen, -1), out);
        if (event != CONSOLE_NOTHING)
            return event;
    }
}

bool console_pause(struct console *con, double ms)
{
    struct game_action unused;
    int64_t until = loop_now_ms() + (int64_t)ms;
    console_draw(con);
    while (con->live) {
        int64_t left = con->mode == CONSOLE_PLAYS ? until - loop_now_ms() : -1; // a question has all the time
        if (con->mode == CONSOLE_PLAYS && left <= 0)
            break;
        int key = screen_wait_key(&con->screen, (int)left);
        if (con->mode == CONSOLE_PLAYS && (key == INPUT_ENTER || key == ' '))
            break;
        if (console_take_key(con, key, &unused) == CONSOLE_QUIT)
            return false;
        console_draw(con);
    }
    return true;
}

bool console_wait_enter(struct console *con, bool hide_table, const char *words)
{
    struct game_action unused;
    con->is_asked = con->fresh = false;
    if (!con->live) {
        char line[CONSOLE_LINE];
        print_news(con);
        printf("%s\n", words);
        return !hide_table || console_take_line(con, read_line(con, line), &unused) != CONSOLE_QUIT;
    }
    for (;;) {
        if (con->mode == CONSOLE_PLAYS)
            snprintf(con->notice, sizeof con->notice, "%s", words);
        draw_page(con, hide_table);
        int key = screen_wait_key(&con->screen, -1);
        if (con->mode == CONSOLE_PLAYS && (key == INPUT_ENTER || (!hide_table && key == 'q')))
            return true;
        if (key == SCREEN_INTERRUPT && !hide_table) // the game is over, so nothing needs confirmation
            return false;
        if (console_take_key(con, key, &unused) == CONSOLE_QUIT)
            return false;
    }
}

void console_show_end(struct console *con, const char *result)
{
    if (con->live) {
        console_wait_enter(con, false, result);
        snprintf(con->notice, sizeof con->notice, "%s", result);
        return;
    }
    print_news(con);
    terminal_text_print(&con->picture, con->table.seat, con->table.seats);
    printf("\n%s\n", result);
}

volatile sig_atomic_t *console_interrupt(struct console *con)
{
    return con->live ? screen_interrupted() : &interrupted;
}

bool console_confirms_quit(struct console *con)
{
    char line[CONSOLE_LINE];
    struct game_action unused;
    ask_to_quit(con);
    while (con->live && con->mode == CONSOLE_QUITS) {
        console_draw(con);
        if (console_take_key(con, screen_wait_key(&con->screen, -1), &unused) == CONSOLE_QUIT)
            return true;
    }
    if (con->live)
        console_draw(con);
    return !con->live && console_take_line(con, read_line(con, line), &unused) == CONSOLE_QUIT;
}
