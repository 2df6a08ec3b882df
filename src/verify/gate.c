#include "verify/gate.h"

#include <string.h>

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

bool gate_is_asked(const char *only, const char *id)
{
    size_t size = strlen(id);
    for (const char *at = only; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, id, size) == 0 && (at[size] == ',' || at[size] == 0))
            return true;
    return only == NULL;
}
