// The text that a language model plays from (G6.2).
#include "env/actions.h"
#include "env/host.h"

static void put_heading(struct text *t, const char *title)
{
    codec_write(t, "\n## %s\n", title);
}

static void put_actions(struct text *t, const struct env_facts *k)
{
    const struct env_action *row;
    text_puts(t, "Each is sent as the `action` of sim_step; an index of game://actions does as well.\n");
    for (int i = 0; (row = env_action_at(k, ENV_ENTITY, i)); i++) {
        codec_write(t, "- `%s`: ", row->name);
        text_puts(t, row->description);
        codec_write(t, " Example: {\"type\":\"%s\",\"params\":%s}\n", row->name, row->example);
    }
}

static void put_rewards(struct text *t, const struct env_game *g, const struct env_facts *k)
{
    for (int i = 0; g->game->rewarded[i]; i++)
        codec_write(t, "- `%s`: %s\n", g->game->rewarded[i], k->rewards[i].description);
}

// The default if the game has no such scenario.
static int find_scenario(const struct game *g, const char *scenario)
{
    int index = scenario ? span_among(span_of(scenario), g->scenarios) : 0;
    return index < 0 ? 0 : index;
}

int env_rules_of(const struct env_game *g, const char *scenario, const struct env_arena *arena, union game_rules *rules)
{
    const struct env_facts *k = env_facts_of(g);
    struct json_string key;
    g->game->defaults(rules);
    int seats = g->game->scenario(rules, find_scenario(g->game, scenario));
    if (arena) {
        arena->read_rules(arena->owner, g->game, rules);
        return seats;
    }
    struct json_reader in = json_reader_of(k->forced ? span_of(k->forced) : SPAN("{}"), 8);
    for (json_enter_object(&in); json_next_key(&in, &key);)
        if (!g->codec->read_rule(&in, key, rules))
            json_skip(&in);
    return seats;
}

void env_write_guide(struct text *out, const struct env_game *g, const struct env_guide *of)
{
    const struct env_facts *k = env_facts_of(g);
    union game_rules rules;
    int index = find_scenario(g->game, of->scenario);
    int seats = env_rules_of(g, of->scenario, of->arena, &rules);
    const char *id = of->agent_id ? of->agent_id : "me";
    codec_write(out, "# %s\n\n## Goal\n", g->codec->title);
    text_puts(out, k->goal);
    text_puts(out, "\n");
    put_heading(out, "Setting");
    text_puts(out, k->setting);
    if (of->arena)
        text_puts(out, " You play in the arena of this server, by its rules.\n");
    else
        codec_write(out, " Scenario: %s. %s\n", k->scenarios[index].name, k->scenarios[index].description);
    if (of->seat)
        codec_write(out, "You are %s.\n", of->seat);
    text_puts(out, "\n");
    g->codec->describe_rules(out, &rules, seats);
    put_heading(out, "Hidden");
    text_puts(out, k->hidden);
    text_puts(out, "\n");
    put_heading(out, "Your turn");
    text_puts(out, k->turn);
    text_puts(out, "\n");
    put_heading(out, "Actions");
    put_actions(out, k);
    put_heading(out, "Rewards");
    put_rewards(out, g, k);
    put_heading(out, "End");
    text_puts(out, k->end);
    text_puts(out, "\n");
    put_heading(out, "Tools");
    codec_write(out,
                "1. register_agent {\"agent_id\":\"%s\",\"agent_type\":\"EntityBehavior\"}\n"
                "2. reset {\"agent_id\":\"%s\",\"seed\":1}\n"
                "3. sim_step {\"agent_id\":\"%s\",\"action\":{...}} until done or truncated is true; then reset.\n",
                id, id, id);
    text_puts(out, "The answer to your action already shows your next decision. When it is not your turn send "
                   "{\"type\":\"wait\"}; with a live clock use many ticks: the answer comes when your turn does.\n");
    put_heading(out, "Errors");
    text_puts(out,
              "-32001 names in `reason` why the action was refused and lists available_actions; nothing has "
              "happened. -32002: reset first. -32602: `path` names the wrong argument and `expected` what it should "
              "be. -32003: others were not ready; try again.\n");
}
