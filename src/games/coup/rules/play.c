// The phase machine (F6.C4): an answer, what it makes happen, and the next question.
#include "games/coup/rules/internal.h"

// What follows when a window closes or a loss is done.
enum step { STEP_END_TURN, STEP_AFTER, STEP_EXECUTE, STEP_STAND };
static void go_to_step(struct coup_state *s, int step, struct game_events *out);

// The three windows. `passed`: what follows when all pass; `held` and `caught`: when a challenged claim was true, a
// lie.
static const struct {
    uint8_t pass_event, challenge_event, result_event;
    uint8_t passed, held, caught;
} windows[COUP_PHASES] = {
    [COUP_PHASE_CHALLENGE_ACTION] = {COUP_EVENT_CHALLENGE_PASS, COUP_EVENT_CHALLENGE, COUP_EVENT_CHALLENGE_RESULT,
                                     STEP_AFTER, STEP_AFTER, STEP_END_TURN},
    [COUP_PHASE_BLOCK] = {.pass_event = COUP_EVENT_BLOCK_PASS, .passed = STEP_EXECUTE},
    [COUP_PHASE_CHALLENGE_BLOCK] = {COUP_EVENT_BLOCK_CHALLENGE_PASS, COUP_EVENT_CHALLENGE_BLOCK,
                                    COUP_EVENT_CHALLENGE_BLOCK_RESULT, STEP_STAND, STEP_END_TURN, STEP_EXECUTE},
};

// Everything in Coup is public.
static void emit_fact(struct game_events *out, int kind, int seat, struct coup_fact fact)
{
    memcpy(game_emit(out, kind, seat, EVERYONE)->data, &fact, sizeof fact);
}

// A macro, so that no fact is assembled when there is no listener: TELL(out, KIND, seat, .card = ...).
#define TELL(out, kind, seat, ...)                                                                                     \
    do {                                                                                                               \
        if (out)                                                                                                       \
            emit_fact(out, kind, seat, (struct coup_fact){__VA_ARGS__});                                               \
    } while (0)

static inline bool is_in_play(const struct coup_state *s, int seat)
{
    return s->in_play >> seat & 1;
}

static void ask_seats(struct coup_state *s, int phase, unsigned seats)
{
    s->phase = (uint8_t)phase;
    s->asked = (uint8_t)seats;
    s->number++;
}

static void open_window(struct coup_state *s, int phase, unsigned seats)
{
    ask_seats(s, phase, seats);
    s->passed = 0;
}

static unsigned all_but(const struct coup_state *s, int seat)
{
    return s->in_play & ~(1u << seat);
}

static void clear_turn(struct coup_state *s, int actor)
{
    memset(&s->log, 0, sizeof s->log);
    s->log.actor = (uint8_t)actor;
}

// F6.C14: one winner, or at the cap everyone with most influence.
static void finish_match(struct coup_state *s, unsigned won, bool capped, struct game_events *out)
{
    ask_seats(s, COUP_PHASE_DONE, 0);
    s->won = (uint8_t)won;
    clear_turn(s, s->log.actor);
    bool alone = !(won & (won - 1));
    TELL(out, COUP_EVENT_GAME_OVER, alone ? __builtin_ctz(won) : COUP_NOBODY, .won = (uint8_t)won, .capped = capped);
}

static void finish_at_cap(struct coup_state *s, struct game_events *out)
{
    unsigned won = 0;
    int most = 0;
    for (int i = 0; i < s->seats; i++) {
        int influence = coup_influence(&s->seat[i]);
        if (influence > most)
            most = influence, won = 0;
        if (influence == most)
            won |= 1u << i;
    }
    finish_match(s, won, true, out);
}

// F6.C10
static void end_turn(struct coup_state *s, struct game_events *out)
{
    if (++s->turns == COUP_TURN_CAP) {
        finish_at_cap(s, out);
        return;
    }
    int next = game_next_seat(s->in_play, s->log.actor);
    clear_turn(s, next);
    ask_seats(s, COUP_PHASE_ACTION, 1u << next);
}

// A seat without face-down cards is out; true when that was the end.
static bool eliminate(struct coup_state *s, int seat, struct game_events *out)
{
    s->in_play &= (uint8_t) ~(1u << seat);
    TELL(out, COUP_EVENT_PLAYER_ELIMINATED, seat, 0);
    if (s->in_play & (s->in_play - 1))
        return false;
    finish_match(s, s->in_play, false, out);
    return true;
}

static void reveal(struct coup_state *s, int seat, int slot, int then, struct game_events *out)
{
    struct coup_seat *loser = &s->seat[seat];
    loser->up |= (uint8_t)(1u << slot);
    TELL(out, COUP_EVENT_INFLUENCE_LOST, seat, .card = loser->card[slot], .slot = (uint8_t)slot);
    if (loser->up == 3 && eliminate(s, seat, out))
        return;
    go_to_step(s, then, out);
}

// F6.C8: who has one face-down card is not asked which.
static void lose_influence(struct coup_state *s, int seat, int then, struct game_events *out)
{
    int up = s->seat[seat].up;
    if (up && !s->ask_single) {
        reveal(s, seat, up & 1, then, out);
        return;
    }
    s->then = (uint8_t)then;
    s->log.loser = (uint8_t)seat;
    ask_seats(s, COUP_PHASE_LOSE_INFLUENCE, 1u << seat);
}

// The loss that was asked is answered: what follows it.
static int take_then(struct coup_state *s)
{
    int then = s->then;
    s->then = 0;
    s->log.loser = 0;
    return then;
}

// A second loss of one seat in a turn (assassinated after a lost challenge) comes when the first card is up; where it
// was the only one the turn ends the same way.
uint8_t coup_then(const struct coup_state *s)
{
    const struct coup_log *log = &s->log;
    bool again = s->seat[log->loser].up && log->loser == log->target && coup_acts[log->action].targeted;
    if (s->phase != COUP_PHASE_LOSE_INFLUENCE || again)
        return STEP_END_TURN;
    if (log->block_challenge_result == COUP_SUCCESS && log->loser == log->blocker)
        return STEP_EXECUTE;
    bool held = log->challenge_result == COUP_FAIL && log->loser == log->challenger && !log->block_role;
    return held ? STEP_AFTER : STEP_END_TURN;
}

// F6.C5
static void after_challenge(struct coup_state *s, struct game_events *out)
{
    if (!coup_acts[s->log.action].blocked_by)
        go_to_step(s, STEP_EXECUTE, out);
    else if (is_in_play(s, s->log.target))
        open_window(s, COUP_PHASE_BLOCK, 1u << s->log.target);
    else
        end_turn(s, out);
}

static void emit_resolved(struct coup_state *s, int stolen, struct game_events *out)
{
    TELL(out, COUP_EVENT_ACTION_RESOLVED, s->log.actor, .action = s->log.action, .target = s->log.target,
         .stolen = (uint8_t)stolen, .coins = s->seat[s->log.actor].coins);
}

static void steal_coins(struct coup_state *s, struct game_events *out)
{
    struct coup_seat *from = &s->seat[s->log.target];
    uint8_t stolen = from->coins < 2 ? from->coins : 2;
    from->coins -= stolen;
    s->seat[s->log.actor].coins += stolen;
    emit_resolved(s, stolen, out);
    end_turn(s, out);
}

// F6.C6
static void execute_action(struct coup_state *s, struct game_events *out)
{
    const struct coup_act *act = &coup_acts[s->log.action];
    if (act->targeted && !is_in_play(s, s->log.target)) {
        end_turn(s, out);
        return;
    }
    switch (s->log.action) {
    case COUP_ASSASSINATE:
        emit_resolved(s, 0, out);
        lose_influence(s, s->log.target, STEP_END_TURN, out);
        return;
    case COUP_COUP:
        lose_influence(s, s->log.target, STEP_END_TURN, out);
        return;
    case COUP_STEAL:
        steal_coins(s, out);
        return;
    case COUP_EXCHANGE:
        s->exchange[0] = deck_take(s);
        s->exchange[1] = deck_take(s);
        TELL(out, COUP_EVENT_EXCHANGE_DRAW, s->log.actor, .action = COUP_EXCHANGE);
        ask_seats(s, COUP_PHASE_EXCHANGE_RETURN, 1u << s->log.actor);
        return;
    }
    s->seat[s->log.actor].coins += act->gain;
    if (s->log.action != COUP_INCOME)
        emit_resolved(s, 0, out);
    end_turn(s, out);
}

static void go_to_step(struct coup_state *s, int step, struct game_events *out)
{
    switch ((enum step)step) {
    case STEP_AFTER:
        after_challenge(s, out);
        return;
    case STEP_EXECUTE:
        execute_action(s, out);
        return;
    case STEP_STAND:
        TELL(out, COUP_EVENT_BLOCK_ACCEPTED, s->log.blocker, 0);
        end_turn(s, out);
        return;
    case STEP_END_TURN:
        end_turn(s, out);
        return;
    }
}

static void take_turn(struct coup_state *s, int seat, struct game_action a, struct game_events *out)
{
    const struct coup_act *act = &coup_acts[a.kind];
    s->seat[seat].coins -= act->cost;
    s->log.action = a.kind;
    s->log.target = a.arg[0];
    TELL(out, COUP_EVENT_ACTION, seat, .action = a.kind, .target = a.arg[0], .role = act->role);
    if (act->open == COUP_PHASE_DONE)
        execute_action(s, out);
    else
        open_window(s, act->open, all_but(s, seat));
}

// The lowest face-down slot that proves the claim, or -1 (F6.C7).
static int find_proof(const struct coup_seat *seat, int role)
{
    for (int slot = 0; slot < 2; slot++)
        if (seat->card[slot] == role && !(seat->up >> slot & 1))
            return slot;
    return -1;
}

static void redraw_card(struct coup_state *s, int seat, int slot)
{
    deck_put(s, s->seat[seat].card[slot]);
    deck_shuffle(s);
    s->seat[seat].card[slot] = deck_take(s);
}

static void log_challenge(struct coup_log *log, int phase, int challenger, int result)
{
    bool block = phase == COUP_PHASE_CHALLENGE_BLOCK;
    *(block ? &log->block_challenger : &log->challenger) = (uint8_t)challenger;
    *(block ? &log->block_challenge_result : &log->challenge_result) = (uint8_t)result;
}

static void resolve_challenge(struct coup_state *s, int challenger, struct game_events *out)
{
    int phase = s->phase, claimant = coup_claimant(s);
    uint8_t role = phase == COUP_PHASE_CHALLENGE_BLOCK ? s->log.block_role : coup_acts[s->log.action].role;
    int slot = find_proof(&s->seat[claimant], role);
    bool lie = slot < 0;
    uint8_t result = lie ? COUP_SUCCESS : COUP_FAIL;
    log_challenge(&s->log, phase, challenger, result);
    TELL(out, windows[phase].challenge_event, challenger, .other = (uint8_t)claimant, .role = role);
    TELL(out, windows[phase].result_event, claimant, .result = result, .other = (uint8_t)challenger,
         .card = lie ? COUP_NO_ROLE : role);
    if (lie) {
        lose_influence(s, claimant, windows[phase].caught, out);
        return;
    }
    redraw_card(s, claimant, slot);
    lose_influence(s, challenger, windows[phase].held, out);
}

static void declare_block(struct coup_state *s, int seat, uint8_t role, struct game_events *out)
{
    s->log.blocker = (uint8_t)seat;
    s->log.block_role = role;
    TELL(out, COUP_EVENT_BLOCK, seat, .role = role, .action = s->log.action);
    open_window(s, COUP_PHASE_CHALLENGE_BLOCK, all_but(s, seat));
}

static void log_pass(struct coup_state *s, int seat, struct game_events *out)
{
    s->passed |= (uint8_t)(1u << seat);
    TELL(out, windows[s->phase].pass_event, seat, 0);
}

// F4.15: the passes in asking order, then the first who did not pass. Who passed stays to be seen, also when the next
// window is open already.
static void resolve_window(struct coup_state *s, struct game_events *out)
{
    uint8_t answer[COUP_MAX_SEATS];
    memcpy(answer, s->answer, sizeof answer);
    memset(s->answer, 0, sizeof s->answer);
    s->passed = 0;
    int first = -1, claimant = coup_claimant(s);
    for (int i = 1; i < s->seats; i++) {
        int seat = claimant + i < s->seats ? claimant + i : claimant + i - s->seats;
        if (answer[seat] == COUP_ANSWER_PASS)
            log_pass(s, seat, out);
        else if (answer[seat] != COUP_ANSWER_NONE && first < 0)
            first = seat;
    }
    uint8_t passed = s->passed;
    if (first < 0)
        go_to_step(s, windows[s->phase].passed, out);
    else if (answer[first] == COUP_ANSWER_CHALLENGE)
        resolve_challenge(s, first, out);
    else
        declare_block(s, first, answer[first], out);
    s->passed = passed;
}

static void answer_unseen(struct coup_state *s, int seat, struct game_action a, struct game_events *out)
{
    s->asked &= (uint8_t) ~(1u << seat);
    s->answer[seat] = coup_answer_of(a);
    if (!s->asked)
        resolve_window(s, out);
}

static void answer_window(struct coup_state *s, int seat, struct game_action a, struct game_events *out)
{
    if (s->windows == COUP_WINDOWS_DETERMINISTIC) {
        answer_unseen(s, seat, a, out);
    } else if (a.kind == COUP_CHALLENGE) {
        resolve_challenge(s, seat, out);
    } else if (a.kind == COUP_BLOCK) {
        declare_block(s, seat, a.arg[0], out);
    } else {
        s->asked &= (uint8_t) ~(1u << seat);
        log_pass(s, seat, out);
        if (!s->asked)
            go_to_step(s, windows[s->phase].passed, out);
    }
}

int coup_combined(const struct coup_seat *seat, const uint8_t exchange[2], uint8_t out[4])
{
    int n = 0;
    for (int slot = 0; slot < 2; slot++)
        if (!(seat->up >> slot & 1))
            out[n++] = seat->card[slot];
    out[n++] = exchange[0];
    out[n++] = exchange[1];
    return n;
}

// F6.C9: what is kept fills the face-down slots in order.
static void return_cards(struct coup_state *s, int seat, struct game_action a, struct game_events *out)
{
    struct coup_seat *me = &s->seat[seat];
    uint8_t all[4];
    int count = coup_combined(me, s->exchange, all), slot = me->up & 1;
    for (int i = 0; i < count; i++)
        if (i == a.arg[0] || i == a.arg[1])
            deck_put(s, all[i]);
        else
            me->card[slot++] = all[i];
    memset(s->exchange, 0, sizeof s->exchange);
    deck_shuffle(s);
    TELL(out, COUP_EVENT_EXCHANGE_COMPLETE, seat, 0);
    end_turn(s, out);
}

// F6.C16: puts the drawn cards of an unfinished exchange back.
static void undo_exchange(struct coup_state *s)
{
    deck_put(s, s->exchange[0]);
    deck_put(s, s->exchange[1]);
    memset(s->exchange, 0, sizeof s->exchange);
    deck_shuffle(s);
}

static void leave_window(struct coup_state *s, struct game_events *out)
{
    if (s->asked)
        return;
    if (s->windows == COUP_WINDOWS_DETERMINISTIC)
        resolve_window(s, out);
    else
        go_to_step(s, windows[s->phase].passed, out);
}

// F6.C16. A target that leaves its block window is gone when the action is carried out: no effect.
static void drop_seat(struct coup_state *s, int seat, struct game_events *out)
{
    struct coup_seat *gone = &s->seat[seat];
    if (out)
        game_emit(out, COUP_EVENT_PLAYER_DISCONNECTED, seat, EVERYONE)->amount = coup_influence(gone);
    gone->up = 3;
    int then = take_then(s);
    s->dropped |= (uint8_t)(1u << seat);
    s->asked &= (uint8_t) ~(1u << seat);
    if (s->phase == COUP_PHASE_EXCHANGE_RETURN)
        undo_exchange(s);
    if (seat == s->log.actor)
        memset(s->answer, 0, sizeof s->answer);
    if (eliminate(s, seat, out))
        return;
    if (seat == s->log.actor)
        end_turn(s, out);
    else if (coup_is_window(s->phase))
        leave_window(s, out);
    else
        go_to_step(s, then, out);
}

static int oversee(struct coup_state *s, struct game_action a, struct game_events *out)
{
    if (a.kind != GAME_DROP)
        return ERR_ACTION;
    if (a.arg[0] >= s->seats || !(s->asked >> a.arg[0] & 1))
        return ERR_SEAT;
    drop_seat(s, a.arg[0], out);
    return OK;
}

int coup_apply(void *state, int seat, struct game_action a, struct game_events *out)
{
    struct coup_state *s = state;
    if (s->phase == COUP_PHASE_DONE)
        return ERR_OVER;
    if (seat == GAME_MASTER)
        return oversee(s, a, out);
    if (seat < 0 || seat >= s->seats || !(s->asked >> seat & 1))
        return ERR_SEAT;
    if (!coup_allows(s, seat, a))
        return ERR_ACTION;
    if (s->phase == COUP_PHASE_ACTION)
        take_turn(s, seat, a, out);
    else if (s->phase == COUP_PHASE_LOSE_INFLUENCE)
        reveal(s, seat, a.arg[0], take_then(s), out);
    else if (s->phase == COUP_PHASE_EXCHANGE_RETURN)
        return_cards(s, seat, a, out);
    else
        answer_window(s, seat, a, out);
    return OK;
}
