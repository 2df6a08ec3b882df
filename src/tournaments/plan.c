// Turns a request into the plan of a contest.
#include "tournaments/internal.h"

#include "kit/kit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

const struct tournaments_game *tournaments_find_game(const struct tournaments *t, const char *name)
{
    for (const struct tournaments_game *g = t->o.games; g->codec; g++)
        if (strcmp(g->codec->game->name, name) == 0)
            return g;
    return NULL;
}

// --- entrants

static int refuse_bot(const struct tournaments_game *g, const char *name, char error[TOURNAMENTS_ERROR_ROOM])
{
    struct text t = text_on(error, TOURNAMENTS_ERROR_ROOM - 1);
    text_puts(&t, "no house bot '");
    text_puts(&t, name);
    text_puts(&t, "' plays ");
    text_puts(&t, g->codec->game->name);
    text_puts(&t, "; choose one of:");
    for (const struct bot *const *b = kit_bots(g->kit); *b; b++) {
        text_puts(&t, b == kit_bots(g->kit) ? " " : ", ");
        text_puts(&t, (*b)->name);
    }
    text_puts(&t, ", and 1 to 5 by strength");
    error[t.size] = 0;
    return 400;
}

static int read_url(const char *url, struct contest_entrant *e, char error[TOURNAMENTS_ERROR_ROOM])
{
    const char *wrong = seat_check_address(url);
    if (wrong || strlen(url) >= CONTEST_ADDRESS) {
        snprintf(error, TOURNAMENTS_ERROR_ROOM, "'%.200s': %s", url, wrong ? wrong : "the address is too long");
        return 400;
    }
    memcpy(e->address, url, strlen(url) + 1);
    e->notices = SEAT_USUAL_NOTICES;
    return 200;
}

bool tournament_is_deleted(const struct store_agent *a)
{
    return a->disabled && !a->has_key && a->kind != STORE_REMOTE;
}

static void read_agent(const struct tournaments *t, bool labelled, struct tournament_entrant *who)
{
    struct store_agent a;
    bool found = store_find_agent(lobby_store(t->o.lobby), who->agent, &a);
    // The creator is told; an entrant that is deleted later loses its games.
    who->gone = !found || tournament_is_deleted(&a);
    if (found && !labelled)
        snprintf(who->shown, sizeof who->shown, "%s", a.name);
}

static int read_entrant(const struct tournaments *t, const struct tournaments_game *g, const char *given,
                        struct contest_entrant *e, struct tournament_entrant *who, char error[TOURNAMENTS_ERROR_ROOM])
{
    const char *name = contest_name_entrant(e, given);
    bool labelled = name != given, house = strncmp(name, "house:", 6) == 0;
    snprintf(who->shown, sizeof who->shown, "%s", house && !labelled ? name : e->name);
    if (house) {
        e->bot = kit_find_bot(g->kit, name + 6);
        return e->bot ? 200 : refuse_bot(g, name + 6, error);
    }
    if (strncmp(name, "http://", 7) == 0 || strncmp(name, "https://", 8) == 0)
        return read_url(name, e, error);
    if (uuid_parse(&who->agent, span_of(name))) {
        read_agent(t, labelled, who);
        return 200;
    }
    snprintf(error, TOURNAMENTS_ERROR_ROOM,
             "'%.200s' is not an entrant; use house:NAME, http://HOST:PORT or an agent's id", given);
    return 400;
}

static bool has_agent(const struct tournament_entrant *who, int count)
{
    for (int i = 0; i < count; i++)
        if (!uuid_is_none(who[i].agent))
            return true;
    return false;
}

bool tournament_has_agents(const struct tournament *x)
{
    return has_agent(x->entrant, x->entrants);
}

// Games with registered agents are matches of the lobby, so the arena's rules apply.
static int seat_agents(struct contest_plan *p, const struct tournament_entrant *who, char error[TOURNAMENTS_ERROR_ROOM])
{
    if (!has_agent(who, p->entrants))
        return 200;
    p->points = NULL;
    p->first_rule = NULL;
    p->stake = contest_find_stake(p->facts, &p->rules, true);
    if (p->seats != 2)
        return tournament_refuse(error, 400, "an agent cannot be its own partner; in this game, name bots by URL");
    for (int i = 0; i < p->entrants; i++) {
        if (p->entrant[i].address[0])
            return tournament_refuse(error, 400,
                                     "agents cannot meet bots that are named by URL; make the bot an agent (POST "
                                     "/api/admin/agents with bot_url) and give its id");
        for (int k = 0; k < i; k++)
            if (!uuid_is_none(who[i].agent) && uuid_equals(who[i].agent, who[k].agent))
                return tournament_refuse(error, 400, "an agent can be named only once");
    }
    return 200;
}

bool tournament_check_bots(const struct tournament *x, const atomic_bool *stop, char why[CONTEST_ERROR_ROOM])
{
    enum { REACH_MS = 5000 }; // the client that creates or starts the tournament waits for it
    char error[TOURNAMENTS_ERROR_ROOM];
    struct contest_plan *plan = calloc(1, sizeof *plan);
    struct tournament_entrant *who = calloc(CONTEST_ENTRANTS, sizeof *who);
    struct seat_options options = x->owner->o.seats;
    struct loop loop;
    options.create_ms = options.create_ms < REACH_MS ? options.create_ms : REACH_MS;
    snprintf(why, CONTEST_ERROR_ROOM, "out of memory while checking the bots");
    bool all = plan && who && tournament_make_plan(x->owner, x->request, plan, who, error) == 200;
    if (all) {
        loop_init(&loop);
        all = contest_check_health(plan, &options, &loop, stop, why);
        loop_release(&loop);
    }
    free(plan);
    free(who);
    return all;
}

void tournament_name_agent(struct tournament *x, int i, uint64_t public_no)
{
    char *shown = x->entrant[i].shown;
    for (int k = 0; k < x->entrants; k++)
        if (k != i && strcmp(x->entrant[k].shown, shown) == 0) {
            size_t size = strlen(shown);
            snprintf(shown + size, sizeof x->entrant[i].shown - size, " #%ju", (uintmax_t)public_no);
            return;
        }
}

const char *tournament_why_barred(const struct store_agent *a, const char *game)
{
    bool plays = a->kind != STORE_REMOTE || strstr(a->games, game); // no game's name is part of another's
    return !a->claimed              ? "is not claimed"
           : a->disabled            ? "is disabled"
           : a->kind == STORE_HOUSE ? "is a house bot; name it house:NAME"
           : !plays                 ? "does not play this game"
                                    : NULL;
}

int tournament_check_agents(const struct tournaments *t, struct tournament *x, char error[TOURNAMENTS_ERROR_ROOM])
{
    struct store_agent a;
    for (int i = 0; i < x->entrants; i++) {
        if (uuid_is_none(x->entrant[i].agent))
            continue;
        if (!store_find_agent(lobby_store(t->o.lobby), x->entrant[i].agent, &a)) {
            snprintf(error, TOURNAMENTS_ERROR_ROOM, "unknown agent %s", x->entrant[i].shown);
            return 400;
        }
        const char *wrong = tournament_why_barred(&a, x->game_name);
        if (wrong) {
            snprintf(error, TOURNAMENTS_ERROR_ROOM, "agent %s %s", x->entrant[i].shown, wrong);
            return 400;
        }
        tournament_name_agent(x, i, a.public_no);
    }
    return 200;
}

// --- number of games

static int count_games(const struct tournaments *t, const struct tournaments_request *q, struct contest_plan *p,
                       char error[TOURNAMENTS_ERROR_ROOM])
{
    bool swiss = p->format == CONTEST_SWISS;
    uint64_t pairs = (uint64_t)(p->format == CONTEST_GAUNTLET ? p->entrants - 1 : p->entrants * (p->entrants - 1) / 2);
    uint64_t whole = (uint64_t)contest_rotations(p), per_pair = (q->per_pair + whole - 1) / whole * whole;
    uint64_t games = q->per_pair ? per_pair * pairs : q->games;
    if (q->per_pair && (swiss || q->games))
        return tournament_refuse(
            error, 400,
            swiss ? "in a Swiss tournament not all entrants meet; give rounds instead of games_per_pair"
                  : "give games (in all) or games_per_pair, not both");
    if (q->rounds && !swiss)
        return tournament_refuse(error, 400, "only a Swiss tournament has rounds; give games or games_per_pair");
    if (!games == !q->rounds)
        return tournament_refuse(error, 400,
                                 swiss ? "give either games or rounds" : "give games (in all) or games_per_pair");
    uint64_t of_round = (uint64_t)(p->entrants / 2) * (uint64_t)contest_pairing_games(p), most = t->o.max_games;
    assert(of_round); // there are at least two entrants
    if (games > most || q->rounds > most || q->rounds * of_round > most) {
        snprintf(error, TOURNAMENTS_ERROR_ROOM,
                 "this server allows at most %ju games in a tournament, and %d entrants would play more; "
                 "lower games_per_pair, games, rounds or entry_max",
                 (uintmax_t)most, p->entrants);
        return 400;
    }
    p->games = !swiss ? games : q->rounds ? q->rounds : (games + of_round - 1) / of_round;
    return 200;
}

int tournament_make_plan(const struct tournaments *t, const struct tournaments_request *q, struct contest_plan *plan,
                         struct tournament_entrant *who, char error[TOURNAMENTS_ERROR_ROOM])
{
    const struct tournaments_game *g = tournaments_find_game(t, q->game);
    if (!g)
        return tournament_refuse(error, 400, "unknown game");
    if (q->entrants < 2)
        return tournament_refuse(error, 400, "a tournament needs at least two entrants");
    contest_defaults(plan);
    plan->codec = g->codec;
    plan->format = q->format;
    plan->seed = q->seed;
    plan->mirrored = q->mirrored;
    plan->facts = g->facts;
    plan->points = g->facts->points;
    plan->first_rule = g->facts->first_rule;
    struct json_reader none = json_reader_of(SPAN("{}"), 2); // default rules, as on the command line
    char bad[64];
    plan->seats = 0;
    codec_read_rules(plan->codec, &none, &plan->rules, &plan->seats, bad);
    for (int i = 0, status; i < q->entrants; i++)
        if ((status = read_entrant(t, g, q->entrant[i], &plan->entrant[plan->entrants++], &who[i], error)) != 200)
            return status;
    contest_fill_seats(plan);
    contest_even_deals(plan, g->facts->mirror_rule);
    int status = seat_agents(plan, who, error);
    if (status == 200)
        status = count_games(t, q, plan, error);
    if (status != 200)
        return status;
    const char *wrong = contest_check(plan);
    return wrong ? tournament_refuse(error, 400, wrong) : 200;
}
