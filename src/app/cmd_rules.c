// agon rules GAME: the rules of a game, as text or as the values of its options.
#include "app/game_setup.h"
#include "app/help.h"
#include "app/reserved_memory.h"
#include "app/terminal_text.h"
#include "base/json_write.h"

enum { PROSE_ROOM = 1 << 20 };

struct options {
    struct game_setup_options setup;
    bool json;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    (void)arg;
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = &o->setup;
    else if (key == 'j')
        o->json = true;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static void write_rules(struct text *t, const struct game_setup *s)
{
    json_begin_object(t);
    json_put_text(t, "game", s->row->game->name);
    json_put_int(t, "seats", s->match.seats);
    app_write_rules(t, s->row->codec, &s->rules);
    json_end_object(t);
}

int cmd_rules(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"json", 'j', NULL, 0, "Print the options and their values as a JSON object", 0},
        {0},
    };
    static const struct argp_child children[] = {{&game_setup_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = list,
                                     .parser = parse_option,
                                     .args_doc = "GAME",
                                     .children = children,
                                     .doc = "Print the rules of a game, complete enough to play by."};
    struct options o = {0};
    struct game_setup setup;
    help_parse(&argp, argc, argv, 0, &o);
    game_setup_from_options(&setup, &o.setup, argv[0]);
    struct text t = memory_reserve_text(PROSE_ROOM);
    if (o.json)
        write_rules(&t, &setup);
    else
        setup.row->codec->describe_rules(&t, &setup.rules, setup.match.seats);
    terminal_text_print_plain(&t);
    memory_release(t.at, PROSE_ROOM);
    return APP_DONE;
}
