#include "codec/player.h"

static const struct codec_player none;

static const struct codec_player *player_of(const struct codec *c)
{
    return c->player ? c->player : &none;
}

void player_write_rules(const struct codec *c, struct text *t, const void *rules, int seats)
{
    const struct codec_player *p = player_of(c);
    (p->rules ? p->rules : c->describe_rules)(t, rules, seats);
}

void player_write_situation(const struct codec *c, struct text *t, const struct codec_table *table, const void *view)
{
    const struct codec_player *p = player_of(c);
    (p->situation ? p->situation : c->describe_view)(t, table, view);
}

enum player_weight player_write_clause(const struct codec *c, struct text *t, const struct codec_table *table,
                                       const struct game_event *e, int count)
{
    size_t before = t->size;
    if (player_of(c)->clause)
        return player_of(c)->clause(t, table, e, count);
    c->describe_event(t, table, e, count);
    return t->size > before ? PLAYER_MINOR : PLAYER_SILENT;
}

const char *player_name(const struct codec_table *table, int seat)
{
    const char *name = codec_seat_name(table, seat);
    return seat == table->viewer ? "you" : name ? name : "nobody";
}

const char *player_verb(const struct codec_table *table, int seat, const char *you, const char *other)
{
    return seat == table->viewer ? you : other;
}
