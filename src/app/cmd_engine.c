// agon engine GAME: the engine on standard input and output.
#include "app/engine.h"
#include "app/help.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_AT = 1 << 16 }; // bytes of answers that are written before further lines are read

struct options {
    const struct game_kit *row;
    const char *replay_path;
};

static void write_answers(struct engine *e)
{
    for (size_t done = 0; done < e->out.size;) {
        ssize_t n = write(STDOUT_FILENO, e->out.at + done, e->out.size - done);
        if (n < 0 && errno != EINTR)
            app_die("cannot write an answer: %s", strerror(errno));
        done += n > 0 ? (size_t)n : 0;
    }
    e->out.size = 0;
}

static void answer_line(struct engine *e, struct span line)
{
    if (line.size && line.at[line.size - 1] == '\r')
        line.size--;
    if (line.size == 0)
        return;
    engine_answer(e, line);
    if (e->out.size >= FLUSH_AT)
        write_answers(e);
}

struct input {
    char *at;
    size_t size; // bytes read and not answered yet
    bool skip;   // inside a line that was too long
};

// Answers every complete line; moves the rest to the front.
static void answer_lines(struct engine *e, struct input *in)
{
    size_t begin = 0;
    char *end;
    while (!e->quit && (end = memchr(in->at + begin, '\n', in->size - begin))) {
        size_t size = (size_t)(end - in->at) - begin;
        if (size > ENGINE_MAX_LINE && !in->skip)
            engine_answer_too_long(e);
        else if (!in->skip)
            answer_line(e, (struct span){in->at + begin, size});
        in->skip = false;
        begin += size + 1;
    }
    in->size -= begin;
    memmove(in->at, in->at + begin, in->size);
    if (in->size > ENGINE_MAX_LINE) {
        if (!in->skip)
            engine_answer_too_long(e);
        in->skip = true;
        in->size = 0;
    }
}

static void serve_lines(struct engine *e)
{
    size_t room = ENGINE_MAX_LINE + FLUSH_AT;
    struct input in = {.at = malloc(room)};
    if (!in.at)
        app_die("no memory");
    while (!e->quit) {
        ssize_t n = read(STDIN_FILENO, in.at + in.size, room - in.size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            app_die("cannot read: %s", strerror(errno));
        if (n == 0)
            break;
        in.size += (size_t)n;
        answer_lines(e, &in);
        write_answers(e);
    }
    if (!e->quit && !in.skip)
        answer_line(e, (struct span){in.at, in.size}); // the last line may lack its newline
    write_answers(e);
    free(in.at);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case 'r':
        o->replay_path = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (o->row)
            argp_error(state, "unexpected argument '%s'; one game at a time", arg);
        o->row = app_get_game(state, arg);
        return 0;
    case ARGP_KEY_END:
        if (!o->row)
            argp_error(state, "which game? 'agon games' lists the games");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cmd_engine(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"replay", 'r', "FILE", 0, "Write the replay of a finished game to FILE instead of the answer", 0},
        {0},
    };
    static const struct argp argp = {
        .options = list,
        .parser = parse_option,
        .args_doc = "GAME",
        .doc = "Run a game behind JSON lines: one request per line on standard input, one answer per line on standard "
               "output, in the same order.\v"
               "A first session:\n\n"
               "  {\"op\":\"about\"}\n"
               "  {\"op\":\"start\",\"seed\":7}\n"
               "  {\"op\":\"choices\"}\n"
               "  {\"op\":\"bot\",\"play\":true}\n"
               "  {\"op\":\"view\",\"viewer\":0,\"text\":true}\n"
               "  {\"op\":\"quit\"}\n\n"
               "docs/engine.md describes every request.",
    };
    struct options options = {0};
    help_parse(&argp, argc, argv, 0, &options);
    signal(SIGPIPE, SIG_IGN); // a closed output is an error to report, not a reason to be killed

    if (isatty(STDIN_FILENO))
        fputs("agon engine: waiting for requests, one a line, as {\"op\":\"start\",\"seed\":7}; Ctrl-D ends it\n",
              stderr);
    static struct engine engine;
    engine_open(&engine, options.row, options.replay_path);
    serve_lines(&engine);
    engine_close(&engine);
    return APP_DONE;
}
