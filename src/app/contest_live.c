#include "app/contest_live.h"

#include "app/contest_report.h"
#include "net/loop.h"

#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

// USUAL_ROWS: of a terminal of unknown size. OTHER_LINES: heading, line of progress, and one for the cursor.
enum { DRAW_MS = 200, SCREEN_ROOM = 16384, USUAL_ROWS = 24, OTHER_LINES = 3 };

static uint64_t goal_of(const struct contest *c)
{
    return c->stop < c->plan.games || c->plan.format == CONTEST_SWISS ? c->stop : c->plan.games;
}

double contest_live_left(const struct contest_live *l, double run_s)
{
    const struct contest *c = l->contest;
    uint64_t goal = goal_of(c); // games found in a journal took no time of this run
    double played = l->played + l->weight * (double)(c->handed_in - l->found);
    double left = l->left + l->weight * (double)(goal > c->handed_in ? goal - c->handed_in : 0);
    return played > 0 ? run_s * left / played : -1;
}

// "1:02:03", at the pace so far. A sequential test may stop before.
static void put_eta(struct text *t, const struct contest_live *l)
{
    double left_s = contest_live_left(l, loop_now_seconds() - l->run_began_s);
    if (left_s <= 0)
        return;
    uint64_t left = (uint64_t)ceil(left_s);
    char line[64];
    snprintf(line, sizeof line, ", ETA %s%ju:%02ju:%02ju", l->contest->plan.has_sprt ? "at most " : "",
             (uintmax_t)(left / 3600), (uintmax_t)(left / 60 % 60), (uintmax_t)(left % 60));
    text_puts(t, line);
}

// The difference of two entrants, or the leader of several.
static void put_state(struct text *t, struct contest *c)
{
    char line[CONTEST_NAME + 160], cell[CONTEST_CELL];
    if (c->plan.entrants == 2 && c->row[0].games) {
        struct contest_verdict v = contest_judge_two(c);
        snprintf(line, sizeof line, ", %s %s %s, LOS %.1f %%", c->plan.entrant[0].name,
                 contest_describe_bound(cell, v.mean, v.interval, c->plan.stake ? "%+.2f" : "%.3f"),
                 contest_unit(&c->plan), 100 * v.los);
        text_puts(t, line);
    }
    if (c->plan.entrants == 2 && c->plan.has_sprt) {
        snprintf(line, sizeof line, ", LLR %.2f of %.2f .. %.2f", c->llr, c->plan.sprt.lower, c->plan.sprt.upper);
        text_puts(t, line);
    }
    if (c->plan.entrants > 2 && c->judged) {
        int order[CONTEST_ENTRANTS];
        contest_sort(c, order);
        text_puts(t, ", first ");
        text_puts(t, c->plan.entrant[order[0]].name);
    }
}

static void put_line(struct text *t, const struct contest_live *l, double seconds)
{
    struct contest *c = l->contest;
    char line[96];
    text_puts(t, l->title ? l->title : "");
    snprintf(line, sizeof line, "%ju of %ju games, %.3g per second", (uintmax_t)c->handed_in, (uintmax_t)goal_of(c),
             seconds > 0 ? (double)(c->handed_in - l->found) / seconds : 0);
    text_puts(t, line);
    put_eta(t, l);
    put_state(t, c);
}

static int count_rows(void)
{
    struct winsize size;
    int rows = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row ? size.ws_row : USUAL_ROWS;
    return rows > OTHER_LINES ? rows - OTHER_LINES : 1;
}

static void put_row(struct text *t, const struct contest *c, int place, int e)
{
    const struct contest_row *r = &c->row[e];
    char line[CONTEST_NAME + 128];
    snprintf(line, sizeof line, "%2d  %-20s %7ju %7ju %6ju %7ju  %6.2f %%", place, c->plan.entrant[e].name,
             (uintmax_t)r->games, (uintmax_t)r->wins, (uintmax_t)r->draws, (uintmax_t)r->losses,
             100 * contest_share(r));
    text_puts(t, line);
    if (c->plan.stake) {
        snprintf(line, sizeof line, "  %+10.2f", contest_lead(c, e).mean);
        text_puts(t, line);
    }
    text_puts(t, "\x1b[K\n");
}

// Writes the table from the cursor on and moves the cursor back, so that the next output replaces it.
// Long lines are cut by the terminal, so that as many rows are used as lines are written.
static void put_table(struct text *t, const struct contest_live *l, double seconds)
{
    struct contest *c = l->contest;
    int order[CONTEST_ENTRANTS], shown = count_rows(), lines = 2;
    char line[160];
    contest_sort(c, order);
    text_puts(t, "\r\x1b[?7l");
    snprintf(line, sizeof line, "    %-20s %7s %7s %6s %7s  %8s", "player", "games", "won", "drawn", "lost", "score");
    text_puts(t, line);
    if (c->plan.stake) {
        text_puts(t, "  ");
        text_puts(t, contest_unit(&c->plan));
    }
    text_puts(t, "\x1b[K\n");
    for (int i = 0; i < c->plan.entrants && i < shown; i++, lines++)
        put_row(t, c, i + 1, order[i]);
    put_line(t, l, seconds);
    snprintf(line, sizeof line, "\x1b[J\r\x1b[?7h\x1b[%dA", lines - 1);
    text_puts(t, line);
}

// Builds the text under the lock and writes it without: a slow terminal must not delay the players.
static void print_progress(const struct contest_live *l)
{
    char bytes[SCREEN_ROOM];
    struct text t = text_on(bytes, sizeof bytes);
    double seconds = loop_now_seconds() - l->began_s;
    contest_lock(l->contest);
    if (l->table) {
        put_table(&t, l, seconds);
    } else {
        put_line(&t, l, seconds);
        text_put_char(&t, '\n');
    }
    contest_unlock(l->contest);
    fwrite(t.at, 1, t.size, stderr);
}

static void *run_thread(void *arg)
{
    struct contest_live *l = arg;
    const struct timespec pause = {.tv_nsec = DRAW_MS * 1000000};
    double due_s = l->began_s + (l->table ? 0 : l->every_s);
    while (!atomic_load(&l->over)) {
        if (loop_now_seconds() >= due_s) {
            print_progress(l);
            due_s = loop_now_seconds() + (l->table ? 0 : l->every_s);
        }
        nanosleep(&pause, NULL);
    }
    if (l->table)
        fputs("\r\x1b[J", stderr);
    return NULL;
}

void contest_live_start(struct contest_live *l)
{
    l->began_s = loop_now_seconds();
    l->found = l->contest->handed_in;
    l->table = isatty(STDERR_FILENO);
    atomic_store(&l->over, false);
    l->runs = l->every_s > 0 && pthread_create(&l->thread, NULL, run_thread, l) == 0;
}

double contest_live_stop(struct contest_live *l)
{
    atomic_store(&l->over, true);
    if (l->runs)
        pthread_join(l->thread, NULL);
    return loop_now_seconds() - l->began_s;
}
