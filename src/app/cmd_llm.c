// agon llm COMMAND: tests a model, compares models, writes out prompts.
#include "app/cmd_llm.h"

#include "app/app.h"

int cmd_llm(int argc, char **argv)
{
    static const struct app_command commands[] = {
        {"test", "Ask a model for one decision and print what it costs", cmd_llm_test},
        {"bench", "Compare models in several games", cmd_llm_bench},
        {"template", "Write out a prompt template", cmd_llm_template},
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
