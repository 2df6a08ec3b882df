#include "house/ask.h"

#include "house/scratch.h"

union mind {
    uint64_t align;
    uint8_t byte[BOT_MAX_MIND];
};

struct deadline {
    int64_t due_us;
    int64_t (*now_us)(void);
};

static bool is_late(void *clock)
{
    const struct deadline *d = clock;
    return d->now_us() >= d->due_us;
}

struct game_action house_choose(const struct bot *bot, struct bot_ask *ask)
{
    struct deadline d;
    ask->bot = bot;
    ask->scratch = scratch_for(bot);
    if (bot->think_us && !ask->out_of_time) {
        d = (struct deadline){bot->now_us() + bot->think_us, bot->now_us};
        ask->out_of_time = is_late;
        ask->clock = &d;
    }
    return bot->choose(ask);
}

void house_mind_begin(const struct bot *bot, void *mind, const struct bot_ask *ask)
{
    union game_rules rules = {0};
    ask->game->defaults(&rules);
    mind_begin(bot, mind, ask->game, &rules, ask->seat, ask->seats);
}

void house_mind_late(const struct bot *bot, void *mind, const struct bot_ask *ask)
{
    house_mind_begin(bot, mind, ask);
    bot->observe(mind, &(struct bot_news){ask->game, ask->seat, ask->seats, NULL, 0, 0, ask->view});
}

const void *house_mind(const struct match *m, const struct bot *bot, int seat, void *room)
{
    if (!bot->mind_size)
        return NULL;
    const void *mind = minds_find(m, bot, seat);
    if (mind)
        return mind;
    minds_recall(m, bot, seat, room);
    return room;
}

// Sections of the seat's stream: how many numbers one decision draws changes nothing for the next.
struct rng house_dice(const struct match *m, int seat, uint32_t decision)
{
    struct rng stream = match_bot_stream(m, seat);
    return rng_section(&stream, decision);
}

struct game_action house_ask(const struct match *m, const struct bot *bot, int seat, uint32_t decision, float aggro)
{
    return house_ask_with(m, bot, seat, house_dice(m, seat, decision), aggro);
}

// A frame of its own, so that bots without a memory do not pay for the room of one.
static __attribute__((noinline)) struct game_action ask_minded(const struct match *m, const struct bot *bot, int seat,
                                                               struct rng dice, float aggro)
{
    union mind room;
    return house_ask_minded(m, bot, seat, dice, aggro, house_mind(m, bot, seat, &room));
}

struct game_action house_ask_with(const struct match *m, const struct bot *bot, int seat, struct rng dice, float aggro)
{
    return bot->mind_size ? ask_minded(m, bot, seat, dice, aggro) : house_ask_minded(m, bot, seat, dice, aggro, NULL);
}

struct game_action house_ask_minded(const struct match *m, const struct bot *bot, int seat, struct rng dice,
                                    float aggro, const void *mind)
{
    const struct game *g = m->game;
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    if (!bot->blind)
        g->view(&m->state, seat, &view);
    struct bot_ask ask = {.game = g,
                          .view = &view,
                          .seat = seat,
                          .seats = m->seats,
                          .choices = choices,
                          .count = g->choices(&m->state, seat, choices),
                          .fallback = g->fallback(&m->state, seat),
                          .aggro = aggro,
                          .dice = &dice,
                          .mind = mind};
    return house_choose(bot, &ask);
}
