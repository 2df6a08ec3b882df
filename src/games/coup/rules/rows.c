// Rows for learners: straight from the state, and what the turns have shown (part 5.2 of docs/spec/train.md).
#include "games/coup/rules/internal.h"

#include "game/pen.h"

#include <assert.h>
#include <stddef.h>

enum { SEATS = COUP_MAX_SEATS, ROLES = COUP_ROLES };
enum { CLAIMS_CAP = 5, PROOFS_CAP = 2, CAUGHT_CAP = 2, CHALLENGES_CAP = 4 };

// What vector 2 adds and the state does not keep, in the order and the bytes of the row: public, the same for every
// viewer.
struct coup_history {
    uint8_t claimed[SEATS][ROLES];         // 1: since the seat last got a new card
    uint8_t claims[SEATS][ROLES];          // in all, at most CLAIMS_CAP
    uint8_t proofs[SEATS][ROLES];          // shown when challenged, at most PROOFS_CAP
    uint8_t caught[SEATS];                 // at most CAUGHT_CAP
    uint8_t challenges[SEATS];             // made, at most CHALLENGES_CAP
    uint8_t right[SEATS];                  // of them
    uint8_t did[SEATS][COUP_TURN_ACTIONS]; // one is 1: the last action
    uint8_t target[SEATS][SEATS];          // of it
};

// G27.4, and from `kept` on part 5.2.
struct coup_row {
    uint8_t own[ROLES];
    struct {
        uint8_t coins, influence, up[ROLES];
    } seat[SEATS];
    uint8_t phase[COUP_PHASE_DONE], actor[SEATS], action[COUP_TURN_ACTIONS], target[SEATS], claim[ROLES];
    uint8_t blocker[SEATS], block[4], viewer[SEATS];
    uint8_t exchange[ROLES];
    struct coup_history kept;
    uint8_t passed[SEATS], challenger[SEATS], turns, deck;
};
static_assert(offsetof(struct coup_row, kept) == COUP_VECTOR, "vector 2 begins with vector 1 (V31)");
static_assert(sizeof(struct coup_row) == 298, "part 5.2");

// ---- Names ----------------------------------------------------------------------------------------------------------
#define AT(member)        ((int)offsetof(struct coup_row, member))
#define ONE(member, ...)  GAME_ONE(struct coup_row, member, __VA_ARGS__)
#define RUN(member, ...)  GAME_RUN(struct coup_row, member, __VA_ARGS__)
#define GRID(member, ...) GAME_GRID(struct coup_row, member, __VA_ARGS__)
#define OF(whole)         (1.0f / (whole))

static const char *const roles[] = {"duke", "assassin", "captain", "ambassador", "contessa"};
static const char *const blocks[] = {"duke", "contessa", "captain", "ambassador"};
static const char *const actions[] = {"income", "foreign_aid", "coup", "tax", "assassinate", "steal", "exchange"};
static const char *const phases[] = {"action",          "challenge_action", "block",
                                     "challenge_block", "lose_influence",   "exchange_return"};

static const struct game_span spans[] = {
    RUN(own, "own.#", roles, OF(2), 1),
    GAME_FIELD(struct coup_row, seat, coins, "seat.#.coins", OF(COUP_MAX_COINS), 1),
    GAME_FIELD(struct coup_row, seat, influence, "seat.#.influence", OF(2), 1),
    GAME_FIELD_RUN(struct coup_row, seat, up, "seat.#.up.#", roles, OF(2), 1),
    RUN(phase, "phase.#", phases, GAME_FLAG, 1),
    RUN(actor, "actor.#", NULL, GAME_FLAG, 1),
    RUN(action, "action.#", actions, GAME_FLAG, 1),
    RUN(target, "target.#", NULL, GAME_FLAG, 1),
    RUN(claim, "claim.#", roles, GAME_FLAG, 1),
    RUN(blocker, "blocker.#", NULL, GAME_FLAG, 1),
    RUN(block, "block.#", blocks, GAME_FLAG, 1),
    RUN(viewer, "own.seat.#", NULL, GAME_FLAG, 1),
    RUN(exchange, "exchange.#", roles, OF(2), 1),
    GRID(kept.claimed, "seat.#.claimed.#", NULL, roles, GAME_FLAG, 2),
    GRID(kept.claims, "seat.#.claims.#", NULL, roles, OF(CLAIMS_CAP), 2),
    GRID(kept.proofs, "seat.#.proofs.#", NULL, roles, OF(PROOFS_CAP), 2),
    RUN(kept.caught, "seat.#.caught", NULL, OF(CAUGHT_CAP), 2),
    RUN(kept.challenges, "seat.#.challenges", NULL, OF(CHALLENGES_CAP), 2),
    RUN(kept.right, "seat.#.right", NULL, OF(CHALLENGES_CAP), 2),
    GRID(kept.did, "seat.#.last.#", NULL, actions, GAME_FLAG, 2),
    GRID(kept.target, "seat.#.last.target.#", NULL, NULL, GAME_FLAG, 2),
    RUN(passed, "passed.#", NULL, GAME_FLAG, 2),
    RUN(challenger, "challenger.#", NULL, GAME_FLAG, 2),
    ONE(turns, "turns", GAME_SHARE, 2),
    ONE(deck, "deck", OF(COUP_CARDS), 2),
    {0},
};

// ---- History --------------------------------------------------------------------------------------------------------
// What a window that closes was: the turn in it may be over afterwards.
struct note {
    struct coup_seat seat[SEATS];
    uint8_t exchange[2], seats, in_play;
    struct coup_log log;
    uint8_t phase, asked, then, passed;
    uint8_t answer[SEATS];
};
static_assert(sizeof(struct note) <= sizeof(struct game_mark), "a note holds it");

enum { CARDS_SIZE = offsetof(struct note, log), TURN_SIZE = sizeof(struct note) - CARDS_SIZE };
static_assert(offsetof(struct coup_state, answer) - offsetof(struct coup_state, log) ==
                  offsetof(struct note, answer) - CARDS_SIZE,
              "both parts are copied whole");

static void before(const void *state, int seat, struct game_action a, struct game_mark *note)
{
    (void)seat, (void)a;
    const struct coup_state *s = state;
    memcpy(note->at, s, CARDS_SIZE);
    memcpy((uint8_t *)note->at + CARDS_SIZE, &s->log, TURN_SIZE);
}

static void add_capped(uint8_t *count, int cap)
{
    *count = (uint8_t)(*count + (*count < cap));
}

static void note_claim(struct coup_history *h, int seat, int role)
{
    if (!role)
        return;
    h->claimed[seat][role - 1] = 1;
    add_capped(&h->claims[seat][role - 1], CLAIMS_CAP);
}

static void note_action(struct coup_history *h, int seat, struct game_action a)
{
    const struct coup_act *act = &coup_acts[a.kind];
    memset(h->did[seat], 0, sizeof h->did[seat]);
    memset(h->target[seat], 0, sizeof h->target[seat]);
    h->did[seat][a.kind - 1] = 1;
    h->target[seat][a.arg[0]] = act->targeted;
    note_claim(h, seat, act->role);
}

static void note_challenge(const struct note *n, struct coup_history *h, int challenger)
{
    bool block = n->phase == COUP_PHASE_CHALLENGE_BLOCK;
    int claimant = block ? n->log.blocker : n->log.actor;
    int role = block ? n->log.block_role : coup_acts[n->log.action].role;
    add_capped(&h->challenges[challenger], CHALLENGES_CAP);
    if (coup_has_role(&n->seat[claimant], role)) {
        add_capped(&h->proofs[claimant][role - 1], PROOFS_CAP);
        memset(h->claimed[claimant], 0, sizeof h->claimed[claimant]);
    } else {
        add_capped(&h->caught[claimant], CAUGHT_CAP);
        add_capped(&h->right[challenger], CHALLENGES_CAP);
    }
}

static void note_answer(const struct note *n, struct coup_history *h, int seat, int answer)
{
    if (answer == COUP_ANSWER_CHALLENGE)
        note_challenge(n, h, seat);
    else if (answer != COUP_ANSWER_PASS)
        note_claim(h, seat, answer);
}

// F4.15: the first clockwise from the claimant who did not pass.
static void note_answers(const struct note *n, struct coup_history *h)
{
    int seat = n->phase == COUP_PHASE_CHALLENGE_BLOCK ? n->log.blocker : n->log.actor;
    for (int i = 1; i < n->seats; i++) {
        seat = seat + 1 < n->seats ? seat + 1 : 0;
        if (n->answer[seat] != COUP_ANSWER_NONE && n->answer[seat] != COUP_ANSWER_PASS) {
            note_answer(n, h, seat, n->answer[seat]);
            return;
        }
    }
}

// V83: nothing is known before the window closes.
static void note_unseen(const struct coup_state *s, struct note *n, struct coup_history *h, int seat, int answer)
{
    n->answer[seat] = (uint8_t)answer;
    if (s->windows == COUP_WINDOWS_FIRST)
        note_answer(n, h, seat, answer);
    else if (!(n->asked & ~(1u << seat)))
        note_answers(n, h);
}

// F6.C16: the window of a seat that left may close by that, unless more ends with it.
static void note_drop(const struct coup_state *s, const struct note *n, struct coup_history *h, int seat)
{
    unsigned left = n->in_play & ~(1u << seat);
    bool ended = !(left & (left - 1)) || seat == n->log.actor;
    if (s->windows == COUP_WINDOWS_DETERMINISTIC && !ended && !(n->asked & ~(1u << seat)))
        note_answers(n, h);
}

static void after(const void *state, void *history, int seat, struct game_action a, const struct game_mark *note)
{
    struct coup_history *h = history;
    if (a.kind <= COUP_TURN_ACTIONS) {
        note_action(h, seat, a);
        return;
    }
    if (a.kind == COUP_RETURN_CARDS)
        memset(h->claimed[seat], 0, sizeof h->claimed[seat]);
    struct note n;
    memcpy(&n, note->at, sizeof n);
    if (!coup_is_window(n.phase))
        return;
    if (seat == GAME_MASTER)
        note_drop(state, &n, h, a.arg[0]);
    else
        note_unseen(state, &n, h, seat, coup_answer_of(a));
}

// ---- Observations ---------------------------------------------------------------------------------------------------
// Lookup tables, because branches on open cards are unpredictable and took half of the time.
// A seat without its coins as struct coup_row has it, by the slots that lie open and the roles of both cards:
// influence, and how many of each role lie open. A seat that is not at the table has no cards.
#define ROLE(card)     ((card) ? UINT64_C(1) << 8 * ((card) + 1) : 0)
#define FACE_DOWN(up)  (((up)&1 ? 0 : 1) + ((up)&2 ? 0 : 1))
#define PAIR(up, a, b) (((up)&1 ? ROLE(a) : 0) + ((up)&2 ? ROLE(b) : 0) + ((a) ? FACE_DOWN(up) << 8 : 0))
#define PAIRS(up, a)                                                                                                   \
    {                                                                                                                  \
        PAIR(up, a, 0), PAIR(up, a, 1), PAIR(up, a, 2), PAIR(up, a, 3), PAIR(up, a, 4), PAIR(up, a, 5)                 \
    }
#define ALL_PAIRS(up)                                                                                                  \
    {                                                                                                                  \
        PAIRS(up, 0), PAIRS(up, 1), PAIRS(up, 2), PAIRS(up, 3), PAIRS(up, 4), PAIRS(up, 5)                             \
    }
static const uint64_t seat_bytes[4][ROLES + 1][ROLES + 1] = {ALL_PAIRS(0), ALL_PAIRS(1), ALL_PAIRS(2), ALL_PAIRS(3)};

// How many of each role are among the cards in these slots.
static uint64_t roles_of(const uint8_t card[2], unsigned slots)
{
    return seat_bytes[slots & 3][card[0]][card[1]] >> 16;
}

// Halves. Eight elements, of which those behind the fifth or seventh are written anew by what follows.
PEN_INLINE void write_eight(struct game_pen p, int at, uint64_t eight)
{
    uint8_t bytes[sizeof eight];
    memcpy(bytes, &eight, sizeof eight);
    pen_copy(p, at, bytes, sizeof bytes, 0.5f);
}

PEN_INLINE void write_seat(struct game_pen p, int at, const struct coup_seat *seat)
{
    static const float shares[COUP_MAX_COINS + 1] = {
#define SHARE(n) (float)(n) / COUP_MAX_COINS
        SHARE(0), SHARE(1), SHARE(2), SHARE(3),  SHARE(4),  SHARE(5), SHARE(6),
        SHARE(7), SHARE(8), SHARE(9), SHARE(10), SHARE(11), SHARE(12)};
#undef SHARE
    write_eight(p, at, seat_bytes[seat->up][seat->card[0]][seat->card[1]] | seat->coins);
    if (p.dtype == GAME_F32)
        p.f32[at] = shares[seat->coins];
}

// The flags of a turn, by its action: what is done and what is claimed.
#define PLACE(at)       ((uint64_t)1 << ((at)-AT(phase)))
#define ACT(kind)       [kind] = PLACE(AT(action) + (kind)-1)
#define CLAIM(kind, as) [kind] = PLACE(AT(action) + (kind)-1) | PLACE(AT(claim) + (as)-1)

static const uint64_t act_flags[COUP_TURN_ACTIONS + 1] = {
    ACT(COUP_INCOME),
    ACT(COUP_FOREIGN_AID),
    ACT(COUP_COUP),
    CLAIM(COUP_TAX, COUP_DUKE),
    CLAIM(COUP_ASSASSINATE, COUP_ASSASSIN),
    CLAIM(COUP_STEAL, COUP_CAPTAIN),
    CLAIM(COUP_EXCHANGE, COUP_AMBASSADOR),
};
static const uint64_t block_flags[ROLES + 1] = {
    [COUP_DUKE] = PLACE(AT(block)),
    [COUP_CONTESSA] = PLACE(AT(block) + 1),
    [COUP_CAPTAIN] = PLACE(AT(block) + 2),
    [COUP_AMBASSADOR] = PLACE(AT(block) + 3),
};

static uint64_t turn_flags(const struct coup_state *s, int viewer)
{
    const struct coup_log *log = &s->log;
    uint64_t blocked = s->phase == COUP_PHASE_CHALLENGE_BLOCK, targeted = coup_acts[log->action].targeted;
    uint64_t flags = (uint64_t)(s->phase != COUP_PHASE_DONE) << s->phase | PLACE(AT(actor)) << log->actor;
    flags |= act_flags[log->action] | targeted << (AT(target) - AT(phase)) << log->target;
    flags |= blocked << (AT(blocker) - AT(phase)) << log->blocker | (block_flags[log->block_role] & -blocked);
    return flags | (uint64_t)(viewer < s->seats) << (AT(viewer) - AT(phase)) << viewer;
}

PEN_INLINE void write_now(struct game_pen p, const struct coup_state *s, int viewer)
{
    static const struct coup_seat nobody;
    const struct coup_seat *me = viewer < s->seats ? &s->seat[viewer] : &nobody;
    write_eight(p, AT(own), roles_of(me->card, ~(unsigned)me->up));
    for (int i = 0; i < SEATS; i++)
        write_seat(p, AT(seat) + i * (AT(seat[1]) - AT(seat[0])), &s->seat[i]);
    pen_flags(p, AT(phase), turn_flags(s, viewer), AT(exchange) - AT(phase));
    uint64_t drawn = roles_of(s->exchange, viewer == s->log.actor ? 3 : 0);
    pen_copy(p, AT(exchange), (const uint8_t *)&drawn, ROLES, 0.5f);
}

static unsigned newest_challenger(const struct coup_log *log)
{
    if (log->block_challenge_result)
        return 1u << log->block_challenger;
    return log->challenge_result ? 1u << log->challenger : 0;
}

PEN_INLINE void write_then(struct game_pen p, const struct coup_state *s, const struct coup_history *h)
{
    if (p.dtype == GAME_U8) {
        pen_copy(p, AT(kept), (const uint8_t *)h, sizeof *h, 1);
    } else {
        pen_copy(p, AT(kept.claimed), &h->claimed[0][0], sizeof h->claimed, 1);
        pen_copy(p, AT(kept.claims), &h->claims[0][0], sizeof h->claims, 1.0f / CLAIMS_CAP);
        pen_copy(p, AT(kept.proofs), &h->proofs[0][0], sizeof h->proofs + sizeof h->caught, 1.0f / PROOFS_CAP);
        pen_copy(p, AT(kept.challenges), h->challenges, 2 * SEATS, 1.0f / CHALLENGES_CAP);
        pen_copy(p, AT(kept.did), &h->did[0][0], sizeof h->did + sizeof h->target, 1);
    }
    pen_flags(p, AT(passed), s->passed | newest_challenger(&s->log) << SEATS, 2 * SEATS);
    pen_part(p, AT(turns), (int)s->turns, COUP_TURN_CAP);
    pen_count(p, AT(deck), COUP_CARDS - 2 * s->seats - 2 * (s->exchange[0] != 0), COUP_CARDS);
}

PEN_INLINE void write_row(struct game_pen p, const void *state, const void *history, int viewer, int version)
{
    write_now(p, state, viewer);
    if (version > 1)
        write_then(p, state, history);
}

static void observe(const void *state, const void *history, int viewer, int version, enum game_dtype dtype, void *out)
{
    if (dtype == GAME_F32)
        write_row(pen_f32(out), state, history, viewer, version);
    else
        write_row(pen_u8(out), state, history, viewer, version);
}

// ---- Rewards --------------------------------------------------------------------------------------------------------
enum { MARK_PHASE = SEATS }; // before it the seats as they are

static void mark(const void *state, struct game_mark *m)
{
    const struct coup_state *s = state;
    memcpy(m->at, s->seat, sizeof s->seat);
    m->at[MARK_PHASE] = s->phase;
}

static void earned(const void *state, const struct game_mark *m, struct game_rewards *out)
{
    const struct coup_state *s = state;
    struct coup_seat was[SEATS];
    unsigned lost = 0;
    memcpy(was, m->at, sizeof was);
    for (int i = 0; i < SEATS; i++)
        out->at[i][0] = out->at[i][1] = 0;
    for (int i = 0; i < SEATS; i++)
        lost |= s->seat[i].up ^ was[i].up;
    for (int i = 0; lost && i < s->seats; i++)
        if (s->seat[i].up != was[i].up)
            coup_reward_loss(out, s->seats, i, coup_influence(&was[i]) - coup_influence(&s->seat[i]));
    if (s->phase == COUP_PHASE_DONE && m->at[MARK_PHASE] != COUP_PHASE_DONE)
        coup_reward_end(out, s->won);
}

// ---- Tokens ---------------------------------------------------------------------------------------------------------
enum {
    TOKEN_ACTION = 1,
    TOKEN_CHALLENGE,
    TOKEN_RESULT,
    TOKEN_BLOCK,
    TOKEN_PASS,
    TOKEN_LOST,
    TOKEN_EXCHANGED,
    TOKEN_OUT,
    TOKEN_COINS,
};

static const struct game_token_kind token_kinds[] = {
    {"action", GAME_ARG_SEAT_1},
    {"challenge", GAME_ARG_SEAT_1},
    {"result", 0},
    {"block", 0},
    {"pass", 0},
    {"lost", 0},
    {"exchanged", 0},
    {"out", 0},
    {"coins", GAME_ARG_SEAT_1},
    {0},
};

// By kind of event: the token, and which facts are its arguments.
enum fact { NOTHING, ROLE, ACTION, RESULT, CARD, SLOT, OTHER, TARGET };

static const struct {
    uint8_t token, first, second;
} token_of[COUP_EVENTS] = {
    [COUP_EVENT_ACTION] = {TOKEN_ACTION, ACTION, TARGET},
    [COUP_EVENT_CHALLENGE_PASS] = {TOKEN_PASS, NOTHING, NOTHING},
    [COUP_EVENT_BLOCK_PASS] = {TOKEN_PASS, NOTHING, NOTHING},
    [COUP_EVENT_BLOCK_CHALLENGE_PASS] = {TOKEN_PASS, NOTHING, NOTHING},
    [COUP_EVENT_CHALLENGE] = {TOKEN_CHALLENGE, ROLE, OTHER},
    [COUP_EVENT_CHALLENGE_RESULT] = {TOKEN_RESULT, RESULT, CARD},
    [COUP_EVENT_BLOCK] = {TOKEN_BLOCK, ROLE, ACTION},
    [COUP_EVENT_CHALLENGE_BLOCK] = {TOKEN_CHALLENGE, ROLE, OTHER},
    [COUP_EVENT_CHALLENGE_BLOCK_RESULT] = {TOKEN_RESULT, RESULT, CARD},
    [COUP_EVENT_INFLUENCE_LOST] = {TOKEN_LOST, CARD, SLOT},
    [COUP_EVENT_PLAYER_ELIMINATED] = {TOKEN_OUT, NOTHING, NOTHING},
    [COUP_EVENT_EXCHANGE_COMPLETE] = {TOKEN_EXCHANGED, NOTHING, NOTHING},
};

static int fact_of(const struct coup_fact *f, int which)
{
    const int facts[] = {[NOTHING] = 0,          [ROLE] = f->role,
                         [ACTION] = f->action,   [RESULT] = f->result,
                         [CARD] = f->card,       [SLOT] = f->slot,
                         [OTHER] = f->other + 1, [TARGET] = coup_acts[f->action].targeted ? f->target + 1 : 0};
    return facts[which];
}

// Income is a token when it is chosen, the other actions when they are carried out.
static void tokenise_coins(struct game_tokens *out, const struct game_event *e, const struct coup_fact *f)
{
    bool done = f->action == COUP_INCOME ? e->kind == COUP_EVENT_ACTION : e->kind == COUP_EVENT_ACTION_RESOLVED;
    if (!done)
        return;
    if (coup_acts[f->action].gain)
        game_add_token(out, TOKEN_COINS, e->seat + 1, coup_acts[f->action].gain, 0);
    else if (f->stolen)
        game_add_token(out, TOKEN_COINS, e->seat + 1, f->stolen, f->target + 1);
}

static void tell(const void *state, const void *history, const struct game_event *happened, int count,
                 struct game_tokens *out)
{
    (void)state, (void)history;
    for (const struct game_event *e = happened; e < happened + count; e++) {
        struct coup_fact f = coup_event_fact(e);
        if (token_of[e->kind].token)
            game_add_token(out, token_of[e->kind].token, e->seat + 1, fact_of(&f, token_of[e->kind].first),
                           fact_of(&f, token_of[e->kind].second));
        tokenise_coins(out, e, &f);
    }
}

const struct game_rows coup_rows = {
    .size = {COUP_VECTOR, sizeof(struct coup_row)},
    .history_size = (sizeof(struct coup_history) + 7) / 8 * 8, // histories lie side by side
    .history_since = 2,
    .spans = spans,
    .token_kinds = token_kinds,
    .before = before,
    .after = after,
    .tell = tell,
    .observe = observe,
    .action = coup_action,
    .mark = mark,
    .earned = earned,
};
