#include "tui/tty.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

enum { DEADLY = sizeof deadly / sizeof *deadly };

// What a signal handler needs to give the terminal back.
static struct {
    bool taken;
    int in, out;
    struct termios modes;
    bool has_modes;
    char leave[128];
    size_t leave_size;
    struct sigaction before[DEADLY];
} tty;

void tty_write(int fd, struct span bytes)
{
    while (bytes.size) {
        ssize_t n = write(fd, bytes.at, bytes.size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        bytes.at += n;
        bytes.size -= (size_t)n;
    }
}

// Callable in a signal handler.
void tty_give_back(void)
{
    if (!tty.taken)
        return;
    tty.taken = false;
    tty_write(tty.out, (struct span){tty.leave, tty.leave_size});
    if (tty.has_modes)
        tcsetattr(tty.in, TCSADRAIN, &tty.modes);
}

static void on_crash(int number)
{
    tty_give_back();
    for (int i = 0; i < DEADLY; i++)
        if (deadly[i] == number)
            sigaction(number, &tty.before[i], NULL);
    raise(number);
}

void tty_open(int in, int out, struct span leave)
{
    static bool registered;
    struct sigaction crash = {.sa_handler = on_crash};
    tty.in = in;
    tty.out = out;
    tty.leave_size = leave.size < sizeof tty.leave ? leave.size : sizeof tty.leave;
    memcpy(tty.leave, leave.at, tty.leave_size);
    for (int i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &crash, &tty.before[i]);
    if (!registered)
        registered = atexit(tty_give_back) == 0;
}

void tty_take(bool has_stop)
{
    tty.has_modes = tcgetattr(tty.in, &tty.modes) == 0;
    struct termios raw = tty.modes;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO); // signals stay: Ctrl-C does what it does everywhere
    raw.c_iflag &= (tcflag_t) ~(ICRNL | IXON);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (!has_stop)
        raw.c_cc[VSUSP] = _POSIX_VDISABLE;
    if (tty.has_modes)
        tcsetattr(tty.in, TCSADRAIN, &raw);
    tty.taken = true;
}

void tty_close(void)
{
    for (int i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &tty.before[i], NULL);
}

void tty_measure(int fd, int *columns, int *rows)
{
    struct winsize size;
    bool known = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col;
    *rows = known ? size.ws_row : 24;
    *columns = known ? size.ws_col : 80;
}
