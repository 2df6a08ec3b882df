#include "browser/browser.h"

#include "browser/table.h"

struct span browser_file(const char *name)
{
    for (const struct browser_row *row = browser_table; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return (struct span){row->at, *row->size};
    return (struct span){0};
}
