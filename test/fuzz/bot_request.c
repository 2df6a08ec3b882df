// Requests as a bot server reads them. The first byte says what is asked, the second who decides. Whatever comes: the
// text is judged, a view is made of it or not, and every house player answers with one of the choices.
#include "front/botapi/internal.h"
#include "games/belote/bots/bots.h"
#include "games/belote/codec.h"
#include "games/coup/bots/bots.h"
#include "games/coup/codec.h"
#include "games/liars_dice/bots/bots.h"
#include "games/liars_dice/codec.h"
#include "games/tetris/bots/bots.h"
#include "games/tetris/codec.h"
#include "games/texas_holdem/bots/bots.h"
#include "games/texas_holdem/codec.h"

#include <stdlib.h>

static const struct {
    const struct codec *codec;
    const struct bot *bot;
} games[] = {
    {&belote_codec, &belote_rules_bot},
    {&belote_codec, &belote_calc_bot},
    {&coup_codec, &coup_rules_bot},
    {&liars_dice_codec, &liars_dice_rules_bot},
    {&texas_holdem_codec, &texas_holdem_rules_bot},
    {&tetris_codec, &tetris_rules_bot},
    {&texas_holdem_codec, &texas_holdem_solved_bot},
    {&texas_holdem_codec, &texas_holdem_novice_bot},
    {&tetris_codec, &tetris_glance_bot},
    {&belote_codec, &belote_reader_bot},
    {&coup_codec, &coup_search_bot},
    {&coup_codec, &coup_honest_bot},
    {&liars_dice_codec, &liars_dice_solved_bot},
    {&tetris_codec, &tetris_beam_bot},
};

static bool is_late(void *clock)
{
    (void)clock;
    return true;
}

static void ask(const struct botapi *b, struct span body, int which, struct session *s)
{
    static struct decision d;
    struct field_error error = {0};
    char answer[SESSION_ANSWER];
    struct text t = text_on(answer, sizeof answer);
    struct botapi api = *b;
    d.has_view = false;
    d.session = s;
    if (b->dialect->decide(&api, which, body, s, &d, &error) != WIRE_FINE)
        return;
    d.ask.view = &d.view;
    d.ask.choices = d.choices;
    d.ask.count = d.count;
    d.ask.dice = &d.dice;
    d.ask.out_of_time = is_late; // one world is as good as many
    decision_make(b->options.bot, &d);
    if (!game_has_choice(d.choices, d.count, d.answer))
        abort();
    b->dialect->write_answer(b, s, d.answer, &t);
    if (t.full)
        abort();
    if (d.has_view && b->options.codec->game == &belote_game) { // what is known can be imagined
        struct belote_state state;
        belote_imagine(&state, (const struct belote_view *)&d.view, &d.dice);
    }
    if (b->dialect->decided)
        b->dialect->decided(s, &d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct botapi b;
    static _Alignas(8) uint8_t room[sizeof(struct session) + BOT_MAX_MIND];
    struct session *s = (void *)room;
    if (size < 2)
        return 0;
    int game = data[1] % (int)(sizeof games / sizeof *games);
    struct span body = {(const char *)data + 2, size - 2};
    struct field_error error = {0};
    b.options.codec = games[game].codec;
    b.options.bot = games[game].bot;
    b.options.aggro = 0.5f;
    bool is_belote = games[game].codec == &belote_codec;
    b.dialect = is_belote ? &bot_dialect_belote : &bot_dialect_generic;
    if (!s->seats) {
        s->seats = 4;
        for (int i = 0; i < s->seats; i++)
            memcpy(s->name[i], codec_seat_names[i], strlen(codec_seat_names[i]) + 1);
    }
    if (b.options.codec == &tetris_codec)
        s->seats = 1;
    else
        s->seats = 4;
    s->seat = (uint8_t)(data[0] / 16 % s->seats);
    s->has_mind = false; // a mind of another game may be there
    if (data[0] % 4 == 3) {
        struct session fresh = {0};
        b.dialect->create(&b, body, &fresh, &error);
        return 0;
    }
    ask(&b, body, is_belote ? data[0] % 3 : 0, s);
    return 0;
}
