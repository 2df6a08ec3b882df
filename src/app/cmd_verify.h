// The commands of `agon verify`, each in a file of its own.
#pragma once

int cmd_verify_bot(int argc, char **argv);
int cmd_verify_gamerl(int argc, char **argv);
int cmd_verify_history(int argc, char **argv);
int cmd_verify_tetris(int argc, char **argv);
