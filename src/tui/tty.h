// The modes of a terminal: raw while a program draws, and as before when it stops, exits or crashes. One terminal at a
// time.
#pragma once

#include "base/span.h"

#include <stdbool.h>

void tty_open(int in, int out, struct span leave); // `leave` is written when the terminal is given back; copied
void tty_take(bool has_stop);                      // raw keys; has_stop: Ctrl-Z still stops the program
void tty_give_back(void);                          // until the next tty_take
void tty_close(void);                              // after tty_give_back
void tty_write(int fd, struct span bytes);         // all of them; the rest is lost if the terminal is gone
void tty_measure(int fd, int *columns, int *rows); // 80 x 24 when unknown
