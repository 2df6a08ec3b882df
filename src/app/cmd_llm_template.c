// agon llm template NAME DIR: writes out a prompt template.
#include "app/app.h"
#include "app/cmd_llm.h"
#include "app/help.h"
#include "llm/models.h"

struct options {
    const char *which, *folder;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    if (key == ARGP_KEY_ARG && !o->which)
        o->which = arg;
    else if (key == ARGP_KEY_ARG && !o->folder)
        o->folder = arg;
    else if (key == ARGP_KEY_END && !o->folder)
        argp_error(state, "which template, and where to? As 'agon llm template standard mine'");
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

int cmd_llm_template(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = parse_option,
        .args_doc = "NAME DIR",
        .doc = "Write a prompt template into a new folder, to be changed and used with template=DIR.",
    };
    struct options o = {0};
    char why[ENDPOINT_WHY];
    help_parse(&argp, argc, argv, 0, &o);
    if (!template_write_out(o.which, o.folder, why))
        app_refuse(argv[0], "%s", why);
    return APP_DONE;
}
