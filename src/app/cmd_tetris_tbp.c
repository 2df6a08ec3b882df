// agon tetris-tbp: a house bot as a bot of the Tetris Bot Protocol, and such a bot as a program at a table.
#include "app/app.h"
#include "app/games.h"
#include "app/help.h"
#include "app/tbp_client.h"
#include "codec/codec.h"
#include "games/tetris/bots/finesse.h"
#include "games/tetris/codec.h"
#include "games/tetris/kit.h"
#include "house/ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 60000 }; // for a bot at a table: the table's own limit is shorter

struct options {
    const struct bot *bot;
    const char *seat;
    int ruleset;
};

static void write_line(const struct text *t)
{
    if (fwrite(t->at, 1, t->size, stdout) != t->size || fflush(stdout) != 0)
        app_die("cannot write the output: %s", strerror(errno));
}

// --- a house bot

struct bot_side {
    const struct options *o;
    struct tbp_game game;
    bool started;
    uint32_t asked;
};

static int remove_unplayable(const struct tbp_game *g, struct game_choice *list, int count)
{
    int kept = 0;
    bool hold = g->hold || g->count > 1; // an unknown piece cannot be placed
    for (int i = 0; i < count; i++)
        if (hold || (list[i].first.kind != TETRIS_HOLD && !(list[i].first.arg[2] & TETRIS_PLACE_HOLD)))
            list[kept++] = list[i];
    return kept;
}

// Where the bot places a piece, after playing its answer by the rules. Returns false if nowhere.
static bool find_move(struct bot_side *b, struct tbp_move *move)
{
    struct tetris_state s;
    struct tetris_view v;
    struct game_choice list[GAME_MAX_CHOICES];
    if (!tbp_game_state(&b->game, b->o->ruleset, TETRIS_LIST_BOTH, &s, &v))
        return false;
    struct rng stream = {.key = {1}}, dice = rng_section(&stream, b->asked++);
    struct bot_ask ask = {.game = &tetris_game,
                          .view = &v,
                          .seats = 1,
                          .choices = list,
                          .fallback = tetris_game.fallback(&s, 0),
                          .aggro = 0.5f,
                          .dice = &dice};
    ask.count = remove_unplayable(&b->game, list, tetris_game.choices(&s, 0, list));
    v.facts.can_hold = b->game.hold || b->game.count > 1;
    uint32_t before = s.facts.board_id;
    struct game_action a = house_choose(b->o->bot, &ask);
    if (a.kind != TETRIS_PLACE && a.kind != TETRIS_HARD_DROP)
        a = ask.fallback;
    if (tetris_game.apply(&s, 0, a, NULL) != OK || s.facts.board_id == before)
        return false;
    const struct tetris_lock *l = &s.facts.lock;
    *move = tbp_move_of(l->kind, l->rotation, l->x - tetris_left(l->kind, l->rotation),
                        l->y - tetris_top(l->kind, l->rotation));
    move->spin = l->spin;
    return true;
}

static void answer_message(struct bot_side *b, const struct tbp_message *m)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes);
    struct tbp_move move;
    switch (m->type) {
    case TBP_RULES:
        tbp_write_plain(&t, TBP_READY);
        break;
    case TBP_START:
        b->game = m->game;
        b->started = true;
        break;
    case TBP_STOP:
        b->started = false;
        break;
    case TBP_NEW_PIECE:
        if (b->started)
            tbp_game_add(&b->game, m->piece);
        break;
    case TBP_PLAY:
        if (b->started && !tbp_game_play(&b->game, m->move[0]))
            fprintf(stderr, "agon tetris-tbp: play: the piece is not at hand, or its cells are not free\n");
        break;
    case TBP_SUGGEST: {
        bool found = b->started && find_move(b, &move);
        tbp_write_suggestion(&t, &move, found);
        break;
    }
    default:
        break;
    }
    write_line(&t);
}

static int serve_bot(const struct options *o)
{
    static struct tbp_message m;
    struct bot_side b = {.o = o};
    char bytes[512], *line = NULL;
    size_t room = 0;
    struct text t = text_on(bytes, sizeof bytes);
    tbp_write_info(&t, o->bot->name, AGON_VERSION, "agon");
    write_line(&t);
    for (ssize_t n; (n = getline(&line, &room, stdin)) >= 0;) {
        while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
            n--;
        if (n == 0)
            continue;
        if (!tbp_read(&m, (struct span){line, (size_t)n})) {
            fprintf(stderr, "agon tetris-tbp: a line was ignored: %s\n", m.wrong);
            continue;
        }
        if (m.type == TBP_QUIT)
            break;
        answer_message(&b, &m);
    }
    free(line);
    return APP_DONE;
}

// --- a bot at a table: the programs' lines on one side (protocol/bot-api), the bot's on the other

struct seat_side {
    struct tbp_client bot;
    struct tbp_move goal; // being approached by inputs
    bool has_goal;
};

struct question {
    char op[16];
    uint64_t id;
    bool has_view;
    struct tetris_view v;
};

static bool read_question(struct question *q, struct span line)
{
    struct json_reader r = json_reader_of(line, 32);
    struct json_string key;
    *q = (struct question){.v.facts.can_hold = 1};
    for (json_enter_object(&r); json_next_key(&r, &key);)
        if (json_string_is(key, "op") && json_peek(&r) == JSON_STRING)
            json_string_copy(json_read_string(&r), q->op, sizeof q->op);
        else if (json_string_is(key, "id"))
            q->id = json_read_uint(&r, UINT64_MAX);
        else if (json_string_is(key, "view"))
            q->has_view = tetris_read_view(&r, NULL, 0, &q->v);
        else
            json_skip(&r);
    return json_finish(&r) == OK;
}

static void put_action(uint64_t id, struct game_action a)
{
    char bytes[512];
    struct text t = text_on(bytes, sizeof bytes);
    json_begin_object(&t);
    json_put_uint(&t, "id", id);
    json_key(&t, "action");
    codec_write_action(&tetris_codec, &t, &(struct codec_table){.seats = 1}, a, false);
    json_end_object(&t);
    text_put_char(&t, '\n');
    write_line(&t);
}

static void put_error(uint64_t id, const char *why)
{
    char bytes[1024];
    struct text t = text_on(bytes, sizeof bytes);
    fprintf(stderr, "agon tetris-tbp: %s\n", why);
    json_begin_object(&t);
    json_put_uint(&t, "id", id);
    json_put_text(&t, "error", why);
    json_end_object(&t);
    text_put_char(&t, '\n');
    write_line(&t);
}

// The next input towards the goal. Returns false if it can no longer be reached.
static bool step_towards(const struct tetris_view *v, struct tbp_move goal, struct game_action *a)
{
    struct tetris_piece to = tbp_piece(goal);
    struct board b;
    uint8_t path[64];
    board_read(&b, v);
    *a = (struct game_action){.kind = TETRIS_HOLD};
    if (v->piece.kind != goal.kind)
        return v->facts.can_hold;
    if (finesse_path(&b, &v->piece, (struct board_end){(int8_t)to.rotation, to.x, to.y}, path, sizeof path) < 1)
        return false;
    a->kind = path[0];
    return true;
}

// Whether such a piece is available, and can come to rest there.
static bool is_reachable(const struct tetris_view *v, struct tbp_move m)
{
    struct tetris_view there = *v;
    struct game_action a;
    struct board b;
    board_read(&b, v);
    if (m.kind != v->piece.kind) {
        int other = v->facts.hold ? v->facts.hold : v->next[0];
        if (!v->facts.can_hold || other != m.kind)
            return false;
        there.piece = board_spawn(&b, m.kind);
    }
    struct tbp_game g;
    tbp_game_of(&g, v);
    return tbp_game_play(&g, m) && step_towards(&there, m, &a) && a.kind != TETRIS_HOLD;
}

// The first playable suggestion: as one placement if that is listed, else input by input.
static bool pick_playable(struct seat_side *s, const struct question *q, const struct tbp_move *moves, int count,
                          struct game_action *a)
{
    struct tetris_state state;
    struct tetris_view v;
    struct tbp_game now;
    tbp_game_of(&now, &q->v);
    bool placed = tbp_game_state(&now, q->v.ruleset, TETRIS_LIST_PLACEMENTS, &state, &v);
    state.piece = q->v.piece;
    state.facts.can_hold = q->v.facts.can_hold;
    for (int i = 0; i < count; i++) {
        if (placed && tbp_find_place(&state, moves[i], a)) {
            tbp_client_played(&s->bot, moves[i]);
            return true;
        }
        if (is_reachable(&q->v, moves[i]) && step_towards(&q->v, moves[i], a)) {
            s->goal = moves[i];
            s->has_goal = true;
            tbp_client_played(&s->bot, moves[i]);
            return true;
        }
    }
    return false;
}

static void answer_question(struct seat_side *s, const struct question *q)
{
    struct tbp_move moves[TBP_MOVES];
    struct tbp_game now;
    struct game_action a;
    char why[160];
    if (!q->has_view) {
        put_error(q->id, "the question has no view of Tetris");
        return;
    }
    tbp_game_of(&now, &q->v);
    if (s->has_goal && tbp_same_field(&s->bot.game, &now) && step_towards(&q->v, s->goal, &a)) {
        put_action(q->id, a);
        return;
    }
    s->has_goal = false;
    int count = tbp_client_suggest(&s->bot, &now, moves, PATIENCE_MS);
    if (count < 0)
        app_die("%s", s->bot.why);
    if (pick_playable(s, q, moves, count, &a)) {
        put_action(q->id, a);
        return;
    }
    snprintf(why, sizeof why, "none of the bot's %d suggestions can be played here; it forfeits the piece", count);
    put_error(q->id, why);
}

static int serve_seat(const struct options *o)
{
    static struct seat_side s;
    char *line = NULL;
    size_t room = 0;
    if (!tbp_client_open(&s.bot, o->seat, SPAWN_IN_OUR_GROUP, PATIENCE_MS))
        app_die("%s", s.bot.why);
    for (ssize_t n; (n = getline(&line, &room, stdin)) >= 0;) {
        struct question q;
        char bytes[64];
        struct text t = text_on(bytes, sizeof bytes);
        if (!read_question(&q, (struct span){line, (size_t)n}))
            continue;
        if (strcmp(q.op, "choose") == 0) {
            answer_question(&s, &q);
            continue;
        }
        if (strcmp(q.op, "start") != 0 && strcmp(q.op, "end") != 0)
            continue;
        s.has_goal = false;
        tbp_client_stop(&s.bot);
        json_begin_object(&t);
        json_put_uint(&t, "id", q.id);
        json_end_object(&t);
        text_put_char(&t, '\n');
        write_line(&t);
    }
    free(line);
    tbp_client_close(&s.bot);
    return APP_DONE;
}

// --- options

enum { BOT = 0x100, SEAT_OF, RULESET };

static const struct argp_option argp_options[] = {
    {"bot", BOT, "NAME", 0, "House bot that plays (house:5)", 0},
    {"ruleset", RULESET, "NAME", 0,
     "standard or guideline: rotation and spawn rules of the frontend's game (guideline)", 0},
    {"seat", SEAT_OF, "PROGRAM", 0, "Run this bot of the protocol at a table of agon, as tbp:PROGRAM does", 0},
    {0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const char *const rulesets[] = {"standard", "guideline", NULL};
    struct options *o = state->input;
    switch (key) {
    case BOT:
        o->bot = app_get_bot(state, &tetris_kit, arg);
        return 0;
    case RULESET:
        o->ruleset = app_read_word(state, "--ruleset", arg, rulesets) ? TETRIS_GUIDELINE : TETRIS_STANDARD;
        return 0;
    case SEAT_OF:
        o->seat = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cmd_tetris_tbp(int argc, char **argv)
{
    static const struct argp argp = {
        .options = argp_options,
        .parser = parse_option,
        .doc = "Let a house bot play in any frontend of the Tetris Bot Protocol (JSON lines on standard input and "
               "output), or let a bot of that protocol play here.",
    };
    struct options o = {.bot = kit_level(&tetris_kit, 5), .ruleset = TETRIS_GUIDELINE};
    help_parse(&argp, argc, argv, 0, &o);
    return o.seat ? serve_seat(&o) : serve_bot(&o);
}
