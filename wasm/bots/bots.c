// The house bots of one game as a WebAssembly module: a question in, an action out.
#include "kit/kit.h"
#include "wasm/question.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

extern const struct game_kit KIT; // the game of this module, by the build

static struct question question;
static char name[64]; // of a bot: given, or one of the list

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

// What the bot named in bots_name() ("rules", "house:3") does: an action as one word, 0 when there is no such bot.
uint64_t EXPORT(bots_choose)(size_t size)
{
    name[size < sizeof name ? size : 0] = 0;
    const struct bot *bot = kit_find_bot(own_kit(), name);
    if (!bot)
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
    static _Alignas(8) uint8_t mind[BOT_MAX_MIND];
    ask.bot = bot;
    if (bot->mind_size) { // a question tells the view alone (N1.7)
        static union game_rules rules;
        KIT.game->defaults(&rules);
        memset(mind, 0, bot->mind_size);
        bot->begin(mind, KIT.game, &rules, ask.seat, ask.seats);
        bot->observe(mind, &(struct bot_news){KIT.game, ask.seat, ask.seats, NULL, 0, 0, ask.view});
        ask.mind = mind;
    }
    return game_action_word(bot->choose(&ask));
}
