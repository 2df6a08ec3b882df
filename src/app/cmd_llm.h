// The commands of `agon llm`, each in a file of its own.
#pragma once

int cmd_llm_test(int argc, char **argv);
int cmd_llm_bench(int argc, char **argv);
int cmd_llm_template(int argc, char **argv);
