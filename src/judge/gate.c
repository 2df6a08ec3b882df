#include "judge/gate.h"

const char *gate_mark(enum gate_verdict v)
{
    static const char *const marks[] = {"-", "\u2705", "\u274c"};
    return marks[v];
}

const char *gate_word(enum gate_verdict v)
{
    static const char *const words[] = {"not run", "pass", "fail"};
    return words[v];
}

enum gate_verdict gate_worst(enum gate_verdict a, enum gate_verdict b)
{
    return a > b ? a : b;
}
