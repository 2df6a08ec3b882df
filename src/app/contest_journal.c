#include "app/contest_journal.h"

#include "app/app.h"

#include <errno.h>
#include <unistd.h>

void contest_journal_open(struct contest_journal *k, struct contest *c, const char *path, struct llm_players *models,
                          const char *command)
{
    struct journal_notes notes = {llm_players_read_note, models};
    k->is_new = access(path, F_OK) != 0;
    int err = journal_open(&k->journal, c, path, &notes, &k->found);
    if (err == ERR_MISMATCH)
        app_refuse(command,
                   "%s belongs to another contest; choose another file, or use the same game, players and seed", path);
    if (err == ERR_FORMAT)
        app_refuse(command, "%s is not a journal of a contest; choose another file", path);
    if (err != OK)
        app_refuse(command, "cannot open %s: %s", path, strerror(errno));
    k->is_open = true;
    llm_players_set_journal(models, &k->journal, k->is_new); // only now: notes that were read are not written again
    if (k->found)
        fprintf(stderr, "continuing after %ju games found in %s\n", (uintmax_t)k->found, path);
}

void contest_journal_add(struct contest_journal *k, uint64_t index, const struct contest_result *r)
{
    if (k->is_open)
        journal_add(&k->journal, index, r);
}

bool contest_journal_close(struct contest_journal *k)
{
    bool done = !k->is_open || journal_close(&k->journal);
    k->is_open = false;
    return done;
}
