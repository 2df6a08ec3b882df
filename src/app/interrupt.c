#include "app/interrupt.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static atomic_bool *flag; // of the running command; global, because a signal handler has no argument
static const char *first_message = "";

static void on_signal(int signal)
{
    (void)signal;
    atomic_store(flag, true);
    ssize_t written = write(STDERR_FILENO, first_message, strlen(first_message));
    (void)written; // there is no other way to report an error
}

void interrupt_set_message(const char *text)
{
    first_message = text;
}

void interrupt_catch(atomic_bool *stop)
{
    // Once: a second Ctrl-C ends a command that does not stop.
    struct sigaction once = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    flag = stop;
    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &once, NULL);
}
