#include "tui/terminal.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static void on_end_signal(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    loop_stop(((struct terminal *)arg)->loop);
}

static void on_resize(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct terminal *t = arg;
    display_measure(&t->display);
    t->handler->on_redraw(t->owner);
}

// The shell gets its terminal, and the game is frozen until SIGCONT. SIGSTOP is what SIGTSTP would have done.
static void on_stop(evutil_socket_t fd, short what, void *arg)
{
    (void)fd, (void)what;
    struct terminal *t = arg;
    display_suspend(&t->display);
    raise(SIGSTOP);
    display_resume(&t->display);
    t->handler->on_redraw(t->owner);
}

static void on_key(void *owner, struct input_event e)
{
    struct terminal *t = owner;
    bool pressed = e.control && e.kind == INPUT_PRESS;
    if (pressed && e.code == 'c')
        loop_stop(t->loop);
    else if (pressed && e.code == 'z')
        on_stop(-1, 0, t);
    else if (pressed && e.code == 'l')
        on_resize(-1, 0, t); // as in other terminal programs: redraw
    else if (!e.control)
        t->handler->on_key(t->owner, e);
}

static void on_input(evutil_socket_t fd, short what, void *arg)
{
    (void)what;
    struct terminal *t = arg;
    char bytes[512];
    ssize_t size = read(fd, bytes, sizeof bytes);
    if (size > 0)
        input_feed(&t->input, (struct span){bytes, (size_t)size}, on_key, t);
    else if (size == 0 || (errno != EINTR && errno != EAGAIN))
        loop_stop(t->loop);
}

static struct event *add_event(struct terminal *t, evutil_socket_t fd, short what, event_callback_fn call)
{
    struct event *e = event_new(t->loop->base, fd, (short)(what | EV_PERSIST), call, t);
    event_add(e, NULL);
    return e;
}

const char *terminal_open(struct terminal *t, struct loop *l, bool top, const struct terminal_handler *handler,
                          void *owner)
{
    static const int ends[TERMINAL_STOPS] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    *t = (struct terminal){.loop = l, .handler = handler, .owner = owner};
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return "standard input and output must be a terminal";
    const char *why = display_open(&t->display, &(struct display_options){STDIN_FILENO, STDOUT_FILENO, NULL, top});
    if (why)
        return why;
    t->in = add_event(t, STDIN_FILENO, EV_READ, on_input);
    t->resized = add_event(t, SIGWINCH, EV_SIGNAL, on_resize);
    t->stopped = add_event(t, SIGTSTP, EV_SIGNAL, on_stop);
    for (int i = 0; i < TERMINAL_STOPS; i++)
        t->ended[i] = add_event(t, ends[i], EV_SIGNAL, on_end_signal);
    return NULL;
}

void terminal_close(struct terminal *t)
{
    display_close(&t->display);
    event_free(t->in);
    event_free(t->resized);
    event_free(t->stopped);
    for (int i = 0; i < TERMINAL_STOPS; i++)
        event_free(t->ended[i]);
}
