#include "codec/short_prose.h"

static const struct codec_short_prose none;

static const struct codec_short_prose *prose_of(const struct codec *c)
{
    return c->short_prose ? c->short_prose : &none;
}

void short_prose_write_rules(const struct codec *c, struct text *t, const void *rules, int seats)
{
    const struct codec_short_prose *p = prose_of(c);
    (p->rules ? p->rules : c->describe_rules)(t, rules, seats);
}

void short_prose_write_situation(const struct codec *c, struct text *t, const struct codec_table *table,
                                 const void *view)
{
    const struct codec_short_prose *p = prose_of(c);
    (p->situation ? p->situation : c->describe_view)(t, table, view);
}

enum clause_weight short_prose_write_clause(const struct codec *c, struct text *t, const struct codec_table *table,
                                            const struct game_event *e, int count)
{
    size_t before = t->size;
    if (prose_of(c)->clause)
        return prose_of(c)->clause(t, table, e, count);
    c->describe_event(t, table, e, count);
    return t->size > before ? CLAUSE_MINOR : CLAUSE_SILENT;
}

const char *short_prose_name(const struct codec_table *table, int seat)
{
    const char *name = codec_seat_name(table, seat);
    return seat == table->viewer ? "you" : name ? name : "nobody";
}

const char *short_prose_verb(const struct codec_table *table, int seat, const char *you, const char *other)
{
    return seat == table->viewer ? you : other;
}
