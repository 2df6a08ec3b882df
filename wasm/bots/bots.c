// The house bots of one game as a WebAssembly module: a question in, an action out.
#include "wasm/bots/module.h"
#include "wasm/question.h"

#include <stdlib.h>

extern const struct game_kit KIT; // the game of this module, by the build

enum { MINDED = 4 }; // bots of a game that remember, at most

static struct question question;
static struct news news;
static char name[64]; // of a bot: given, or one of the list

// The minds of this match: any of the bots may sit at any of its seats.
static struct {
    bool begun; // it has seen the match from its beginning
    _Alignas(8) uint8_t byte[BOT_MAX_MIND];
} minds[MINDED][GAME_MAX_SEATS];

struct question *EXPORT(bots_question)(void)
{
    return &question;
}

size_t EXPORT(bots_question_size)(void)
{
    return sizeof question;
}

char *EXPORT(bots_name)(void)
{
    return name;
}

// Only what is used here: the linker drops the rest of the kit.
static const struct game_kit *own_kit(void)
{
    static struct game_kit kit;
    kit.bots = KIT.bots;
    kit.level[0] = KIT.level[0]; // one by one: a loop would keep all of KIT
    kit.level[1] = KIT.level[1];
    kit.level[2] = KIT.level[2];
    kit.level[3] = KIT.level[3];
    kit.level[4] = KIT.level[4];
    return &kit;
}

// The bot with this number, the strongest first: the size of its name, which is put into bots_name(); 0: no more.
size_t EXPORT(bots_list)(int number)
{
    const struct bot *const *list = kit_bots(own_kit());
    while (*list && number-- > 0)
        list++;
    size_t size = *list ? strlen((*list)->name) : 0;
    memcpy(name, *list ? (*list)->name : "", size);
    return size;
}

struct news *EXPORT(bots_news)(void)
{
    return &news;
}

// Which of those who remember this one is; -1: it does not.
static int number_of(const struct bot *bot)
{
    int number = 0;
    for (const struct bot *const *b = kit_bots(own_kit()); *b && number<MINDED; number += (*b++)->mind_size> 0)
        if (*b == bot)
            return bot->mind_size ? number : -1;
    return -1;
}

// Whether any bot of this game has a memory.
int EXPORT(bots_remember)(void)
{
    for (const struct bot *const *b = kit_bots(own_kit()); *b; b++)
        if ((*b)->mind_size)
            return 1;
    return 0;
}

static void begin(const struct bot *bot, uint8_t *mind, const union game_rules *rules, int seat, int seats)
{
    memset(mind, 0, bot->mind_size);
    if (bot->begin)
        bot->begin(mind, KIT.game, rules, seat, seats);
}

// Tells the minds at a seat what bots_news() holds.
void EXPORT(bots_observe)(void)
{
    if (news.seat < 0 || news.seat >= GAME_MAX_SEATS || news.count > GAME_MAX_EVENTS)
        return;
    struct bot_news told = {KIT.game, news.seat, news.seats, news.events, news.count, news.ticks, &news.view};
    for (const struct bot *const *b = kit_bots(own_kit()); *b; b++) {
        int number = number_of(*b);
        if (number < 0)
            continue;
        uint8_t *mind = minds[number][news.seat].byte;
        if (news.begins)
            begin(*b, mind, &news.rules, news.seat, news.seats);
        minds[number][news.seat].begun |= news.begins != 0;
        (*b)->observe(mind, &told);
    }
}

// The memory of the bot at this seat; a bot that did not see the beginning knows only the view (N1.7).
static const void *mind_of(const struct bot *bot, const struct bot_ask *ask)
{
    static _Alignas(8) uint8_t late[BOT_MAX_MIND];
    static union game_rules rules;
    int number = number_of(bot);
    if (number >= 0 && minds[number][ask->seat].begun)
        return minds[number][ask->seat].byte;
    if (!bot->mind_size)
        return NULL;
    KIT.game->defaults(&rules);
    begin(bot, late, &rules, ask->seat, ask->seats);
    bot->observe(late, &(struct bot_news){KIT.game, ask->seat, ask->seats, NULL, 0, 0, ask->view});
    return late;
}

// Work space for a decision; NULL: it wants none, or the browser has no more.
static void *scratch_for(const struct bot *bot)
{
    enum { ALIGNMENT = 64 };
    static char *at;
    static uint32_t room;
    if (bot->scratch_size > room) {
        at = malloc(bot->scratch_size + ALIGNMENT);
        room = at ? bot->scratch_size : 0;
    }
    return bot->scratch_size && at ? (void *)(((uintptr_t)at + ALIGNMENT - 1) & -(uintptr_t)ALIGNMENT) : NULL;
}

static const struct bot *named(size_t size)
{
    name[size < sizeof name ? size : 0] = 0;
    return kit_find_bot(own_kit(), name);
}

// Whether the bot named in bots_name() plays by a table that has not been taken (table.c).
int EXPORT(bots_needs_table)(size_t size)
{
    const struct bot *bot = named(size);
    return bot && bot->table && !*bot->table->size;
}

// What the bot named in bots_name() ("rules", "house:3") does: an action as one word, 0 when there is no such bot, or
// nothing that it plays by.
uint64_t EXPORT(bots_choose)(size_t size)
{
    const struct bot *bot = named(size);
    if (!bot || bots_needs_table(size) || question.seat < 0 || question.seat >= GAME_MAX_SEATS)
        return 0;
    struct bot_ask ask = {.game = KIT.game,
                          .view = &question.view,
                          .seat = question.seat,
                          .seats = question.seats,
                          .choices = question.choices,
                          .count = question.count,
                          .fallback = question.fallback,
                          .aggro = question.aggro,
                          .dice = &question.dice};
    ask.bot = bot;
    ask.mind = mind_of(bot, &ask);
    ask.scratch = scratch_for(bot);
    if (bot->scratch_size && !ask.scratch)
        return 0;
    return game_action_word(bot->choose(&ask));
}
