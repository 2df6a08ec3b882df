#include "app/llm_cost_estimate.h"

#include "bots/self_play.h"
#include "heap/heap.h"
#include "house/ask.h"
#include "llm/prompt.h"

#include <stdlib.h>
#include <string.h>

enum {
    GAMES = 5,
    SENSIBLE = 3, // the level that plays: a random player makes matches longer or shorter than models do
    MOST_STEPS = 20000,
    MOST_EVENTS = 4096,
};

static const double bytes_per_token = 4; // of English text and JSON, as a rule; models differ

struct sample {
    const struct game_setup *setup;
    struct llm_template template;
    struct llm_settings settings;
    struct game_event past[MOST_EVENTS]; // as the first seat saw it
    uint32_t count;
    double decisions, bytes; // of the first seat: the others meet the same
};

static void add_prompt(struct sample *p, const struct match *m)
{
    union game_view view;
    struct game_choice choices[GAME_MAX_CHOICES];
    struct text t = {.grow = heap_text_grow};
    struct llm_scene scene = {
        .codec = p->setup->row->codec,
        .template = &p->template,
        .settings = &p->settings,
        .rules = &p->setup->rules,
        .table = {.seat = codec_seat_names, .seats = m->seats, .past = p->past, .past_count = p->count},
        .view = &view,
        .choices = choices,
        .count = m->game->choices(&m->state, 0, choices),
    };
    m->game->view(&m->state, 0, &view);
    prompt_write_system(&t, &scene);
    prompt_write_user(&t, &scene, 0, SIZE_MAX);
    p->bytes += (double)t.size;
    p->decisions++;
    free(t.at);
}

static void play_game(struct sample *p, uint64_t seed)
{
    static struct game_setup setup;
    static struct match m;
    static struct game_events happened;
    struct text log = {.grow = heap_text_grow};
    const struct bot *bot = kit_level(p->setup->row, SENSIBLE); // stronger ones think longer and take as many turns
    setup = *p->setup;
    setup.match.rules = &setup.rules;
    game_setup_set_seed(&setup, seed);
    happened.count = 0;
    p->count = 0;
    if (match_start(&m, &setup.match, &log, &happened) != OK) {
        free(log.at);
        return;
    }
    while (!match_is_over(&m) && m.steps < MOST_STEPS) {
        if (p->count + happened.count <= MOST_EVENTS)
            p->count += match_events_for(&happened, 0, p->past + p->count, MOST_EVENTS - p->count);
        happened.count = 0;
        int seat = self_play_next_seat(&m);
        if (seat < 0) {
            match_tick(&m, &happened);
            continue;
        }
        if (seat == 0)
            add_prompt(p, &m);
        struct game_action a = house_ask(&m, bot, seat, (uint32_t)m.steps, 0.5f);
        if (match_answer(&m, seat, m.game->turn(&m.state).number, a, &happened) != OK)
            break;
    }
    free(log.at);
}

struct llm_cost_estimate llm_cost_estimate_game(const struct game_setup *s)
{
    static struct sample p;
    char why[ENDPOINT_WHY];
    memset(&p, 0, sizeof p);
    p.setup = s;
    settings_init(&p.settings);
    if (!template_open(&p.template, "standard", why))
        abort(); // it is built in
    for (uint64_t seed = 1; seed <= GAMES; seed++)
        play_game(&p, seed);
    template_close(&p.template);
    return (struct llm_cost_estimate){p.decisions / GAMES,
                                      p.decisions > 0 ? p.bytes / p.decisions / bytes_per_token : 0};
}
