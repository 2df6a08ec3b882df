#include "app/history_check.h"

#include "app/app.h"
#include "app/arena_games.h"
#include "app/history_counters.h"
#include "base/hash.h"
#include "crypto/crypto.h"
#include "games/games.h"
#include "heap/heap.h"
#include "kit/arena_dialect.h"
#include "lobby/rating_table.h"
#include "lobby/replayed.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// USED: a match has this deal; the lower bits of a number are the kinds of its entries.
enum { USED = 0x80, FIRST_ROOM = 1024 };

// Numbers of deals, with a bit for each kind of entry that exists.
struct number {
    uint64_t number;
    uint8_t kinds;
};

struct chain {
    uint64_t first, next;
};

struct check {
    const struct history_records *before, *behind;
    struct history_report *report;
    struct rating_table *ratings;
    struct history_counters *counters;
    struct number *number;
    uint32_t numbers, number_room;
    struct chain *chain;
    uint32_t chains;
    uint64_t place;
    uint8_t link[STORE_HASH];
};

// --- faults

void history_report_add(struct history_report *r, const char *rule, const char *sentence)
{
    r->fault = heap_list_grow(r->fault, r->faults, &r->room, 64, sizeof *r->fault);
    char *text = strdup(sentence);
    if (!text)
        app_die("no memory");
    r->fault[r->faults++] = (struct history_fault){rule, text};
}

void history_report_release(struct history_report *r)
{
    for (uint32_t i = 0; i < r->faults; i++)
        free(r->fault[i].text);
    free(r->fault);
}

static __attribute__((format(printf, 3, 4))) void report_fault(struct check *c, const char *rule, const char *format,
                                                               ...)
{
    char text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    history_report_add(c->report, rule, text);
}

static void on_fault(void *owner, const char *rule, const char *sentence)
{
    history_report_add(((struct check *)owner)->report, rule, sentence);
}

struct id {
    char text[UUID_TEXT + 1];
};

static struct id id_of(struct uuid u)
{
    struct id id;
    uuid_format(id.text, u);
    return id;
}

// --- the list of commitments

static struct number *find_number(struct check *c, uint64_t number)
{
    uint32_t mask = c->number_room - 1, i = (uint32_t)hash_bytes(&number, sizeof number) & mask;
    while (c->number[i].kinds && c->number[i].number != number)
        i = (i + 1) & mask;
    return &c->number[i];
}

static void grow_numbers(struct check *c)
{
    struct number *old = c->number;
    uint32_t room = c->number_room;
    c->number_room = room ? 2 * room : FIRST_ROOM;
    c->number = calloc(c->number_room, sizeof *c->number);
    if (!c->number)
        app_die("no memory");
    for (uint32_t i = 0; i < room; i++)
        if (old[i].kinds)
            *find_number(c, old[i].number) = old[i];
    free(old);
}

static struct number *get_number(struct check *c, uint64_t number)
{
    if (2 * c->numbers >= c->number_room)
        grow_numbers(c);
    struct number *n = find_number(c, number);
    c->numbers += n->kinds == 0;
    n->number = number;
    return n;
}

static struct chain *find_chain(const struct check *c, uint64_t number)
{
    struct chain *found = NULL;
    for (uint32_t i = 0; i < c->chains; i++) {
        struct chain *x = &c->chain[i];
        if (x->first <= number && number - x->first < 1ull << STORE_CHAIN_BITS && (!found || x->first > found->first))
            found = x;
    }
    return found;
}

static void put_le64(uint8_t **at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        *(*at)++ = (uint8_t)(value >> 8 * i);
}

// As defined in docs/fairness.md.
static void make_link(struct check *c, const struct store_entry *e)
{
    static const char word[] = "agon.commitments.1";
    uint8_t bytes[sizeof word + STORE_HASH + 32 + STORE_ENTRY_BODY], *at = bytes;
    memcpy(at, word, sizeof word - 1);
    at += sizeof word - 1;
    memcpy(at, c->link, STORE_HASH);
    at += STORE_HASH;
    put_le64(&at, c->place);
    *at++ = e->kind;
    put_le64(&at, e->number);
    put_le64(&at, (uint64_t)e->at_ms);
    memcpy(at, e->body, e->size);
    crypto_sha256(c->link, bytes, (size_t)(at - bytes) + e->size);
}

static void follow_chain(struct check *c, const struct store_entry *e, uint8_t kinds)
{
    enum { UNUSED = 2 }; // enum deal_end
    struct chain *chain = find_chain(c, e->number);
    bool deals = e->kind == STORE_DEALT || (e->kind == STORE_CLOSED && e->size > 0 && e->body[0] == UNUSED);
    if (e->kind == STORE_EPOCH) {
        c->chain = realloc(c->chain, (c->chains + 1) * sizeof *c->chain);
        if (!c->chain)
            app_die("no memory");
        c->chain[c->chains++] = (struct chain){e->number, e->number};
    } else if (!chain) {
        report_fault(c, "commitments", "entry %ju of the list of commitments: number %ju belongs to no chain",
                     (uintmax_t)e->place, (uintmax_t)e->number);
    } else if (deals) {
        if (e->number != chain->next || !(kinds & 1 << STORE_PUBLISHED))
            report_fault(c, "commitments",
                         "deal %ju is dealt or told, and %ju comes next in its chain, published before",
                         (uintmax_t)e->number, (uintmax_t)chain->next);
        chain->next = e->number + 1;
    }
}

static void on_entry(void *owner, const struct store_entry *e)
{
    struct check *c = owner;
    c->report->entries++;
    make_link(c, e);
    if (e->place != c->place)
        report_fault(c, "commitments", "the list of commitments has entry %ju where %ju is expected",
                     (uintmax_t)e->place, (uintmax_t)c->place);
    if (memcmp(e->link, c->link, sizeof e->link) != 0)
        report_fault(c, "commitments", "entry %ju of the list of commitments is not linked to the one before it",
                     (uintmax_t)e->place);
    memcpy(c->link, e->link, sizeof e->link); // so that one fault is reported once
    c->place = e->place + 1;
    struct number *n = get_number(c, e->number);
    if (n->kinds >> e->kind & 1)
        report_fault(c, "commitments", "deal %ju has two entries of one kind (%d) in the list of commitments",
                     (uintmax_t)e->number, e->kind);
    follow_chain(c, e, n->kinds);
    n->kinds |= (uint8_t)(1 << e->kind);
}

static void check_deal(struct check *c, const struct audit_match *m)
{
    if (!m->match.deal)
        return;
    struct number *n = get_number(c, m->match.deal);
    struct id id = id_of(m->match.id);
    uintmax_t number = m->match.deal;
    if (n->kinds & USED)
        report_fault(c, "commitments", "match %s has deal %ju, which another match has too", id.text, number);
    if (!(n->kinds & 1 << STORE_DEALT))
        report_fault(c, "commitments", "match %s has deal %ju, which the list of commitments does not tell as dealt",
                     id.text, number);
    else if (m->finish_no && !(n->kinds & 1 << STORE_CLOSED))
        report_fault(c, "commitments", "match %s is over, and its deal %ju is still open", id.text, number);
    n->kinds |= USED;
}

// --- what an agent noted of a match

static struct span event_text(const struct replayed *past, const struct game_kit *k, const struct codec_table *table,
                              uint32_t seq, struct text *t)
{
    struct match_event e;
    t->size = 0;
    if (!replayed_event(past, seq, &e))
        return (struct span){0};
    dialect_write_event(k, t, table, &e);
    return text_span(t);
}

static void check_events(struct check *c, const struct replayed *past, int seat, const struct record_session *s)
{
    const struct game_kit *k = games_find(past->match.game);
    struct codec_table table = dialect_table(past->match.seats, seat);
    struct text t = {.grow = heap_text_grow};
    for (uint32_t i = 0; i < s->events; i++) {
        const struct record_event *e = &s->event[i];
        struct span stored = event_text(past, k, &table, e->seq, &t);
        if (!stored.size)
            report_fault(c, "lost", "match %s, seat %d: its agent was told event %u (%.*s), and the log has %u events",
                         id_of(past->match.id).text, seat, e->seq, (int)(e->text.size < 120 ? e->text.size : 120),
                         e->text.at, past->events);
        else if (stored.size != e->text.size || memcmp(stored.at, e->text.at, stored.size) != 0)
            report_fault(c, "lost", "match %s, seat %d: its agent was told event %u as %.*s, and the log says %.*s",
                         id_of(past->match.id).text, seat, e->seq, (int)(e->text.size < 160 ? e->text.size : 160),
                         e->text.at, (int)(stored.size < 160 ? stored.size : 160), stored.at);
    }
    free(t.at);
}

// The connection that the host used for the agent when the seat acted: it received events before the action, and the
// action itself afterwards. NULL: unknown.
static const struct record_conn *find_conn_at(const struct record_session *s, const struct replayed_action *a)
{
    for (uint32_t i = 0; a->tells && s->conns > 1 && i < s->conns; i++)
        if (s->conn[i].first <= a->seq && a->seq < s->conn[i].last)
            return &s->conn[i];
    return NULL;
}

// An action must have been sent by the agent's current connection, not by one that was replaced before. It is unknown
// which of several answers was used, so one of this connection is enough.
static void check_sender(struct check *c, const struct replayed *past, int seat, const struct record_session *s,
                         const struct replayed_action *a, uint32_t before)
{
    const struct record_conn *conn = find_conn_at(s, a);
    bool sent = !conn;
    for (uint32_t i = 0; i < s->answers && !sent; i++)
        sent = s->answer[i].seen >= before && s->answer[i].seen <= a->seq &&
               (s->answer[i].conn == conn->id || !s->answer[i].conn);
    if (!sent)
        report_fault(
            c, "connections",
            "match %s, seat %d: the action of event %u came from another connection than the one that was told of "
            "events %u to %u",
            id_of(past->match.id).text, seat, a->seq, conn->first, conn->last - 1);
}

// Each action of a seat must correspond to an answer that its agent sent after it had received the previous action. If
// an answer was not durable, the question is repeated; so there may be more answers than actions, but never fewer.
static void check_answers(struct check *c, const struct replayed *past, int seat, const struct record_session *s)
{
    uint32_t next = 0,
             before = 0; // the first unused answer; the first event known to the one for this action
    unsigned number = 0;
    for (uint32_t i = 0; i < past->actions; i++) {
        const struct replayed_action *a = &past->action[i];
        if (a->seat != seat)
            continue;
        number++;
        if (a->silent)
            continue; // played for it, because its time had run out
        while (next < s->answers && s->answer[next].seen < before)
            next++;
        if (next == s->answers || s->answer[next].seen > a->seq) {
            report_fault(
                c, "answers",
                "match %s, seat %d: action %u of the seat (event %u) is in the log, and its agent never sent it",
                id_of(past->match.id).text, seat, number, a->seq);
            return; // everything after it would be shifted
        }
        check_sender(c, past, seat, s, a, before);
        next++;
        before = a->tells ? a->seq + 1 : before;
    }
}

static void check_session(struct check *c, const struct audit_match *m, const struct replayed *past, int seat)
{
    struct record_session *s = history_records_find(c->before, m->match.seat[seat].session);
    const struct record_session *later = history_records_find(c->behind, m->match.seat[seat].session);
    struct id id = id_of(m->match.id);
    if (!s || !later)
        return;
    s->met = true;
    c->report->told += s->events;
    c->report->answers += s->answers;
    if (past) {
        check_events(c, past, seat, s);
        check_answers(c, past, seat, later);
    }
    if (s->over && (!m->finish_no || !uuid_equals(s->match, m->match.id)))
        report_fault(c, "results", "match %s, seat %d: its agent was told that match %s is over, and it %s", id.text,
                     seat, id_of(s->match).text, m->finish_no ? "is another one" : "still runs");
    if (m->finish_no && m->match.seat[seat].delivered && !later->over)
        report_fault(c, "results", "match %s, seat %d: its end is marked as delivered, and its agent was not told",
                     id.text, seat);
}

// --- matches

struct reading {
    const struct audit_match *match;
    uint32_t sound;
    bool same;
};

static int read_log(void *owner, store_each *each, void *to)
{
    struct reading *r = owner;
    return audit_read_log(r->match, each, to, &r->sound, &r->same);
}

static const struct lobby_game *find_game(const char *name)
{
    for (const struct lobby_game *g = arena_games(); g->codec; g++)
        if (strcmp(g->codec->game->name, name) == 0)
            return g;
    return NULL;
}

static void report_log_fault(struct check *c, const struct audit_match *m, const struct reading *r, uint32_t actions,
                             int err)
{
    struct id id = id_of(m->match.id);
    if (err == ERR_UNKNOWN)
        report_fault(c, "log", "match %s: the game %s is not known here", id.text, m->match.game);
    else if (err == ERR_FORMAT)
        report_fault(c, "log", "match %s: piece %u of its log is missing, doubled, out of order or damaged", id.text,
                     r->sound);
    else if (err == ERR_MISMATCH)
        report_fault(c, "log", "match %s: its log replays, %u actions, to another result than the stored one", id.text,
                     actions);
    else
        report_fault(
            c, "log",
            "match %s: action %u of its log was not legal there (%s): it was not that seat's turn, or an action is "
            "lost or doubled",
            id.text, actions + 1, err_name(err));
}

// Returns NULL if it does not replay, which was reported.
static struct replayed *replay_match(struct check *c, const struct audit_match *m, struct replayed *out)
{
    struct reading r = {.match = m, .same = true};
    const struct lobby_game *g = find_game(m->match.game);
    int err = g ? replayed_load_from(out, g, &m->match, &(struct replayed_source){read_log, &r}) : ERR_UNKNOWN;
    c->report->pieces += r.sound;
    if (err != OK) {
        report_log_fault(c, m, &r, g ? out->actions : 0, err);
        return NULL;
    }
    if (!r.same)
        report_fault(c, "pieces", "match %s: the pieces that were added while it ran are not those of its log",
                     id_of(m->match.id).text);
    c->report->actions += out->actions;
    c->report->events += out->events;
    return out;
}

static void check_ends(struct check *c, const struct audit_match *m)
{
    for (int i = 0; i < m->match.seats; i++) {
        const uint8_t *end = (const uint8_t *)m->ends.at + (size_t)i * AUDIT_END;
        const struct store_seat *seat = &m->match.seat[i];
        struct uuid session;
        memcpy(&session, end + 2, sizeof session);
        if (m->finish_no && (end[0] || end[1] != seat->result))
            report_fault(c, "results", "match %s, seat %d: its result is '%c', and the table of seats has %d",
                         id_of(m->match.id).text, i, seat->result, end[0] << 8 | end[1]);
        if (!uuid_equals(session, seat->session))
            report_fault(c, "results", "match %s, seat %d: its session is %s, and the table of seats has %s",
                         id_of(m->match.id).text, i, id_of(seat->session).text, id_of(session).text);
    }
}

static uint64_t read_be64(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value = value << 8 | at[i];
    return value;
}

static double read_real(const uint8_t *at)
{
    uint64_t bits = read_be64(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The points of a rating's history.
static void check_points(struct check *c, const struct audit_match *m, struct store_rating *const row[])
{
    for (int i = 0; i < m->match.seats && m->seats == m->match.seats; i++) {
        const uint8_t *at = (const uint8_t *)m->ends.at + (size_t)i * AUDIT_END + 2 + sizeof(struct uuid);
        double rating = read_real(at), deviation = read_real(at + 8);
        bool rated = m->match.rated && row[i];
        if (rated ? rating != row[i]->rating || deviation != row[i]->deviation : rating == rating)
            report_fault(
                c, "ratings",
                "match %s, seat %d: the history of its rating has %.17g (deviation %.17g), and its results make it "
                "%.17g (%.17g)",
                id_of(m->match.id).text, i, rating, deviation, rated ? row[i]->rating : NAN,
                rated ? row[i]->deviation : NAN);
    }
}

// Matches that count towards the caps of F3.4.
static bool has_start(const struct audit_match *m, int seat)
{
    for (size_t i = 0; i + AUDIT_START <= m->starts.size; i += AUDIT_START) {
        const uint8_t *at = (const uint8_t *)m->starts.at + i;
        if (memcmp(at, &m->match.seat[seat].agent, sizeof(struct uuid)) == 0 &&
            (int64_t)read_be64(at + sizeof(struct uuid)) == m->match.started_ms)
            return true;
    }
    return false;
}

static void check_starts(struct check *c, const struct audit_match *m)
{
    size_t counted = 0;
    for (int i = 0; i < m->match.seats; i++) {
        bool counts = !m->match.seat[i].one_shot, again = false;
        for (int k = 0; k < i; k++) // an agent with two seats counts once
            again |= !m->match.seat[k].one_shot && uuid_equals(m->match.seat[k].agent, m->match.seat[i].agent);
        counted += counts && !again;
        if (counts && !has_start(m, i))
            report_fault(c, "places", "match %s, seat %d: its beginning at %jd is not counted for its agent",
                         id_of(m->match.id).text, i, (intmax_t)m->match.started_ms);
    }
    if (m->starts.size / AUDIT_START > counted)
        report_fault(c, "places", "match %s: its beginning is counted for %zu agents, and should be for %zu",
                     id_of(m->match.id).text, m->starts.size / AUDIT_START, counted);
}

static void check_seats(struct check *c, const struct audit_match *m)
{
    if (m->seats != m->match.seats) {
        report_fault(c, "results", "match %s has %d seats, and the table of seats has %d", id_of(m->match.id).text,
                     m->match.seats, m->seats);
        return;
    }
    for (int i = 0; i < m->match.seats; i++)
        if (!uuid_equals(m->agent[i], m->match.seat[i].agent))
            report_fault(c, "results", "match %s, seat %d: it was played by agent %s, and the table of seats names %s",
                         id_of(m->match.id).text, i, id_of(m->match.seat[i].agent).text, id_of(m->agent[i]).text);
    check_ends(c, m);
}

// The columns by which the tables index a match.
static void check_columns(struct check *c, const struct audit_match *m)
{
    struct id id = id_of(m->match.id);
    if (!uuid_equals(m->id, m->match.id))
        report_fault(c, "results", "match %s is found as %s", id.text, id_of(m->id).text);
    if (m->finish_no && !uuid_equals(m->replay, m->match.replay))
        report_fault(c, "results", "match %s has replay %s, and is found as replay %s", id.text,
                     id_of(m->match.replay).text, id_of(m->replay).text);
    if (m->finish_no && m->finished_ms != m->match.finished_ms)
        report_fault(c, "results", "match %s ended at %jd, and is listed at %jd", id.text,
                     (intmax_t)m->match.finished_ms, (intmax_t)m->finished_ms);
}

static void on_match(void *owner, const struct audit_match *m)
{
    struct check *c = owner;
    struct replayed past = {0};
    struct store_rating *row[STORE_SEATS] = {0};
    c->report->matches++;
    c->report->running += m->finish_no == 0;
    check_columns(c, m);
    check_seats(c, m);
    check_starts(c, m);
    check_deal(c, m);
    const struct replayed *sound = replay_match(c, m, &past);
    for (int i = 0; i < m->match.seats; i++)
        check_session(c, m, sound, i);
    if (m->match.status == STORE_FINISHED)
        rating_table_count(c->ratings, &m->match, row);
    if (m->finish_no)
        check_points(c, m, row);
    if (m->match.status == STORE_FINISHED && sound)
        history_counters_count(c->counters, sound);
    else if (m->match.status == STORE_FINISHED)
        history_counters_skip(c->counters, &m->match);
    if (sound)
        replayed_release(&past);
}

// --- ratings

static void on_rating(void *owner, const struct store_rating *stored, struct span body)
{
    struct check *c = owner;
    struct store_rating *computed = rating_table_find(c->ratings, stored->agent, stored->game);
    c->report->ratings++;
    if (!computed) {
        report_fault(c, "ratings", "agent %s has a rating in %s, and no result there", id_of(stored->agent).text,
                     stored->game);
        return;
    }
    struct store_rating same = *computed;
    memcpy(same.latency, stored->latency, sizeof same.latency); // not in any log
    if (!audit_is_same_rating(body, &same))
        report_fault(
            c, "ratings",
            "agent %s: its rating in %s is %.17g (deviation %.17g, %u games), and its results make it %.17g (%.17g, "
            "%u)",
            id_of(stored->agent).text, stored->game, stored->rating, stored->deviation, stored->games, same.rating,
            same.deviation, same.games);
}

// --- how agents play

static void on_counters(void *owner, struct uuid agent, const struct store_counters *stored)
{
    history_counters_add_stored(((struct check *)owner)->counters, agent, stored);
}

static void on_different_counters(void *owner, struct uuid agent, const char *game, const char *sentence)
{
    report_fault(owner, "habits", "agent %s, %s: %s", id_of(agent).text, game, sentence);
}

// --- connections

// A host sends new events only to the newest connection of an agent. So what two connections received after their first
// messages never overlaps. Compared are the numbers of events, not clocks (S18).
static void check_pair(struct check *c, const struct record_session *s, const struct record_conn *x,
                       const struct record_conn *y)
{
    uint32_t from = x->first > y->first ? x->first : y->first, to = x->last < y->last ? x->last : y->last;
    if (from < to)
        report_fault(c, "connections",
                     "session %s (%.120s): two connections of its agent were both told events %u to %u",
                     id_of(s->id).text, s->file, from, to - 1);
}

static void check_connections(struct check *c)
{
    for (uint32_t i = 0; i < history_records_count(c->behind); i++) {
        const struct record_session *s = history_records_at(c->behind, i);
        c->report->reconnected += s->conns > 1;
        for (uint32_t k = 0; k < s->conns; k++)
            for (uint32_t m = 0; m < k; m++)
                check_pair(c, s, &s->conn[m], &s->conn[k]);
    }
}

// --- all of it

// Events are sent only when they are durable, so the store must have them.
static void check_unmet(struct check *c)
{
    for (uint32_t i = 0; i < history_records_count(c->before); i++) {
        const struct record_session *s = history_records_at(c->before, i);
        if (!s->met)
            report_fault(c, "lost", "session %s (%.120s): its agent was told of a match, and the store has none of it",
                         id_of(s->id).text, s->file);
    }
    c->report->sessions = history_records_count(c->before);
    c->report->files = history_records_files(c->before);
}

bool history_check(struct audit *p, const struct history_records *before, const struct history_records *behind,
                   const struct history_options *o, struct history_report *out)
{
    struct check c = {.before = before,
                      .behind = behind,
                      .report = out,
                      .ratings = rating_table_open(o->damped, NULL, NULL),
                      .counters = history_counters_open()};
    bool read = audit_check_tables(p, on_fault, &c) && audit_list_entries(p, on_entry, &c) &&
                audit_list_habits(p, on_counters, &c) && audit_list_matches(p, on_match, &c) &&
                audit_list_ratings(p, on_rating, &c);
    if (read) {
        if (out->ratings < rating_table_size(c.ratings))
            report_fault(&c, "ratings", "%ju ratings are stored, and the results make %u", (uintmax_t)out->ratings,
                         rating_table_size(c.ratings));
        history_counters_compare(c.counters, on_different_counters, &c);
        check_unmet(&c);
        check_connections(&c);
    }
    rating_table_close(c.ratings);
    history_counters_close(c.counters);
    free(c.number);
    free(c.chain);
    return read;
}
