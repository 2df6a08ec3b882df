// The sanitizers' options in every program of a build in which undefined behaviour traps. What traps says nothing: ASan
// prints the stack of the illegal instruction. ASAN_OPTIONS of the environment is read after this.
#include <sanitizer/asan_interface.h>

const char *__asan_default_options(void)
{
    return "handle_sigill=1";
}
