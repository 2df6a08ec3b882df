// Arbitrary bytes as a replay: they are refused or played, and nothing that a game promises breaks.
//
// The first byte says how the rest is meant: as a whole file, or as entries (with or without rules before them) behind
// a sound head, so that the fuzzer gets past the head without guessing it. Wrong hashes do not stop it. The seeds in
// corpus/replay/ are what `agon simulate` and `agon replay cut` write.
#include "match/replay.h"
#include "games_found.h"

#include <assert.h>
#include <string.h>

enum { MAX_STEPS = 2048, FILE_ROOM = 1 << 16 };

enum { GAMES = sizeof games_found / sizeof *games_found - 1 };

static struct replay_run run, other;
static char file_bytes[FILE_ROOM], cut_bytes[FILE_ROOM + 64], log_bytes[1 << 20];

static const struct game *find_game(const char *name)
{
    for (int i = 0; i < GAMES; i++)
        if (strcmp(games_found[i]->name, name) == 0)
            return games_found[i];
    return NULL;
}

static void scan(const struct game *g, const union game_state *s, int seats)
{
    const char *broken = g->check(s);
    if (broken)
        __builtin_trap();
    union game_view view;
    struct game_turn turn = g->turn(s);
    assert(turn.kind == TURN_OVER || (turn.seats && turn.seats < SEAT(seats)));
    for (int viewer = 0; viewer <= GAME_SPECTATOR; viewer++)
        if (viewer < seats || viewer == GAME_SPECTATOR)
            g->view(s, viewer, &view);
    for (int seat = 0; seat < seats && turn.kind != TURN_OVER; seat++) {
        struct game_choice list[GAME_MAX_CHOICES];
        int count = g->choices(s, seat, list);
        assert((count > 0) == ((turn.seats & SEAT(seat)) != 0) && count <= GAME_MAX_CHOICES);
    }
}

// What was done so far can be cut off and continued: the same state, and a log that verifies.
static void go_on_from_here(void)
{
    struct text cut = text_on(cut_bytes, sizeof cut_bytes), log = text_on(log_bytes, sizeof log_bytes);
    struct match m;
    replay_write_prefix(&cut, &run, &run.reader.head);
    if (cut.full || replay_begin(&other, text_span(&cut), run.game, run.reader.head.key, NULL) != OK)
        __builtin_trap();
    int done;
    while ((done = replay_step(&other, 64, NULL)) == 1 || done == ERR_MISMATCH)
        ;
    assert(done == 0 && other.steps == run.steps);
    assert(memcmp(&other.state, &run.state, run.game->state_size) == 0);
    assert(match_resume(&m, &other, &log, NULL) == OK);
    for (int i = 0; i < 20 && !match_is_over(&m); i++)
        match_play_fallback(&m, __builtin_ctz(run.game->turn(&m.state).seats), NULL);
    assert(match_finish(&m, run.reader.head.key, true) == OK);
    assert(replay_begin(&other, text_span(&log), run.game, NULL, NULL) == OK);
}

static void play(struct span file)
{
    static struct game_events out;
    struct replay_reader r;
    const struct game *g;
    if (replay_open(&r, file) != OK || !(g = find_game(r.head.game)))
        return;
    out.count = 0;
    if (replay_begin(&run, file, g, r.head.has_key ? NULL : r.head.commitment, &out) != OK)
        return;
    memcpy(run.reader.head.key, r.head.has_key ? r.head.key : r.head.commitment, RNG_KEY_BYTES);
    bool refused = false;
    for (int i = 0; i < MAX_STEPS; i++) {
        union game_state before = run.state;
        out.count = 0;
        int done = replay_step(&run, 1 + (uint32_t)i % 7, &out);
        if (done == 0)
            break;
        if (done < 0)
            assert(memcmp(&before, &run.state, g->state_size) == 0); // refused: every byte as it was
        if (done == ERR_FORMAT)
            return;
        refused |= done < 0 && done != ERR_MISMATCH;
        scan(g, &run.state, r.head.seats);
    }
    if (!refused && !run.ended)
        go_on_from_here();
}

// A sound head in front of the bytes: the game and the seats by the first two, rules by the next when `own_rules`.
static struct span behind_head(const uint8_t *data, size_t size, bool own_rules)
{
    const struct game *g = games_found[data[0] % GAMES];
    union game_rules rules = {0};
    struct replay_head head = {.rules_version = g->version, .has_key = true};
    head.seats = g->min_seats + data[1] % (g->max_seats - g->min_seats + 1);
    memcpy(head.key, data, size < sizeof head.key ? size : sizeof head.key);
    memcpy(head.game, g->name, strlen(g->name));
    data += 2, size -= 2;
    g->defaults(&rules);
    size_t take = own_rules ? size < g->rules_size ? size : g->rules_size : 0;
    memcpy(&rules, data, take);
    head.rules = (struct span){(const char *)rules.byte, g->rules_size};
    struct text file = text_on(file_bytes, sizeof file_bytes);
    replay_write_head(&file, &head);
    text_put(&file, (struct span){(const char *)data + take, size - take});
    return file.full ? (struct span){0} : text_span(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    if (data[0] == 'A') // of "AGON"
        play((struct span){(const char *)data, size});
    else
        play(behind_head(data + 1, size - 1, data[0] & 1));
    return 0;
}
