// The commands of `agon replay`, each in a file of its own.
#pragma once

int cmd_replay_show(int argc, char **argv);
int cmd_replay_verify(int argc, char **argv);
int cmd_replay_info(int argc, char **argv);
int cmd_replay_export(int argc, char **argv);
int cmd_replay_html(int argc, char **argv);
int cmd_replay_analyse(int argc, char **argv);
int cmd_replay_import(int argc, char **argv);
int cmd_replay_cut(int argc, char **argv);
