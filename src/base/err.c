#include "base/err.h"

static const struct row {
    int code;
    const char *name, *sentence;
} rows[] = {{OK, "ok", "done"},
#define ERR_AS_ROW(name, code, wire, sentence) {name, wire, sentence},
            ERR_LIST(ERR_AS_ROW)
#undef ERR_AS_ROW
};

static const struct row *find_row(int err)
{
    static const struct row stranger = {1, "unknown_error", "an unknown error"};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == err)
            return &rows[i];
    return &stranger;
}

const char *err_name(int err)
{
    return find_row(err)->name;
}

const char *err_sentence(int err)
{
    return find_row(err)->sentence;
}
