// Ctrl-C and SIGTERM as a flag.
#pragma once

#include <stdatomic.h>

// Sets `stop` at the first signal; a second one ends the program at once.
void interrupt_catch(atomic_bool *stop);
void interrupt_set_message(const char *text); // written to standard error at the first signal; it must stay valid
