// The data of an action_request as an arena writes it, for tests of its readers.
#pragma once

#include "kit/action_request.h"
#include "kit/kit.h"
#include "match/match.h"

static inline bool request_no_event(const void *source, uint32_t seq, struct match_event *out)
{
    (void)source, (void)seq, (void)out;
    return false;
}

// `more`: members that are added as they are; may be empty.
static inline void request_write(struct text *t, const struct game_kit *k, const struct match *m, int seat,
                                 const char *more)
{
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    m->game->view(&m->state, seat, &view);
    struct arena_observation seen = {dialect_table(m->seats, seat), &view, request_no_event, NULL, 0};
    json_begin_object(t);
    json_put_text(t, "match_id", "m");
    json_put_text(t, "request_id", "r");
    json_put_int(t, "timeout_ms", 300000);
    json_key(t, "state");
    dialect_write_state(k, t, &seen);
    json_key(t, "legal_actions");
    dialect_write_choices(k, t, &seen, choices, m->game->choices(&m->state, seat, choices));
    json_key(t, "players");
    dialect_write_players(k, t, &seen);
    text_puts(t, more);
    json_end_object(t);
}
