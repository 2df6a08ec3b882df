#include "store/pg/audit.h"

#include "store/pg/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 200 }; // rows in memory at once, because a match's row has its whole log

struct audit {
    PGconn *conn;
    char why[STORE_WHY];
};

static bool set_error(struct audit *p, const char *what)
{
    snprintf(p->why, sizeof p->why, "PostgreSQL: %.*s", (int)strcspn(what, "\n"), what);
    return false;
}

static bool exec_sql(struct audit *p, const char *sql)
{
    PGresult *r = PQexec(p->conn, sql);
    bool done = PQresultStatus(r) == PGRES_COMMAND_OK || PQresultStatus(r) == PGRES_TUPLES_OK;
    if (!done)
        set_error(p, PQresultErrorMessage(r));
    PQclear(r);
    return done;
}

static bool is_ours(struct audit *p)
{
    PGresult *r = PQexec(p->conn, "SELECT to_regclass('lives') IS NOT NULL, to_regclass('arena') IS NOT NULL");
    bool answered = PQresultStatus(r) == PGRES_TUPLES_OK;
    bool sound = answered && PQgetvalue(r, 0, 0)[0] == 't', old = answered && PQgetvalue(r, 0, 1)[0] == 't';
    if (!answered)
        set_error(p, PQresultErrorMessage(r));
    else if (!sound)
        snprintf(p->why, sizeof p->why, "%s",
                 old ? "the arena was made by an older version of agon; start a server of this version on it once"
                     : "this database holds no arena");
    PQclear(r);
    return sound;
}

struct audit *audit_open(const char *url, char *why, size_t room)
{
    struct audit *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->conn = link_connect(url, 0, why, room);
    if (p->conn && exec_sql(p, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") && is_ours(p))
        return p;
    if (p->conn)
        snprintf(why, room, "%s", p->why);
    audit_close(p);
    return NULL;
}

void audit_close(struct audit *p)
{
    if (p)
        PQfinish(p->conn);
    free(p);
}

const char *audit_error(const struct audit *p)
{
    return p->why;
}

// --- contradictions between the tables

// A rule of S90, and a query that returns sentences. A match is named by its id if it has one.
static const struct {
    const char *rule, *sql;
} claims[] = {
    {"results", "SELECT format('match %s has %s results', id, count(*)) FROM matches GROUP BY id HAVING count(*) > 1"},
    {"results", "SELECT format('match %s is over and runs', m.id) FROM matches m JOIN running r ON r.id = m.id"},
    {"results",
     "SELECT format('result number %s was given to %s matches, as %s', finish_no, count(*), min(id::text)) FROM "
     "matches WHERE finish_no > 0 GROUP BY finish_no HAVING count(*) > 1"}, // 0: cancelled, or copied (copy.c)
    {"results",
     "SELECT format('result number %s was given, and %s comes next', m, n) FROM (SELECT (SELECT max(finish_no) FROM "
     "matches) AS m, last_value + is_called::int AS n FROM finish_nos) x WHERE m >= n"},
    {"results",
     "SELECT format('match %s is over and has no log', m.id) FROM matches m WHERE NOT EXISTS (SELECT FROM logs l WHERE "
     "l.match = m.match AND l.finished = m.finished)"},
    {"results",
     "SELECT format('row %s has a log and no result', l.match) FROM logs l WHERE NOT EXISTS (SELECT FROM matches m "
     "WHERE m.match = l.match AND m.finished = l.finished)"},
    {"results",
     "SELECT format('agent %s sits in match row %s, which has no result', a.id, s.match) FROM seats s JOIN agents a "
     "ON a.row = s.agent WHERE NOT EXISTS (SELECT FROM matches m WHERE m.match = s.match AND m.finished = "
     "s.finished)"},
    {"results",
     "SELECT format('%s: %s matches are counted as ended, and %s are stored', g.name, coalesce(t.n, 0), coalesce(m.n, "
     "0)) FROM games g LEFT JOIN (SELECT game, sum(ended) n FROM tallies WHERE hour = -1 GROUP BY 1) t ON t.game = "
     "g.row LEFT JOIN (SELECT game, count(*) n FROM matches GROUP BY 1) m ON m.game = g.row WHERE coalesce(t.n, 0) "
     "<> coalesce(m.n, 0)"},
    {"results",
     "SELECT format('agent %s: the list of its matches%s has %s rows, numbers up to %s and a size of %s', a.id, CASE "
     "WHEN game > 0 THEN ' of ' || (SELECT name FROM games g WHERE g.row = game) ELSE '' END, coalesce(x.n, 0), "
     "coalesce(x.top, 0), coalesce(l.size, 0)) FROM (SELECT agent, 0 AS game, count(*) n, count(DISTINCT place) d, "
     "max(place) top FROM "
     "seats WHERE place IS NOT NULL GROUP BY 1 UNION ALL SELECT agent, game, count(*), count(DISTINCT number), "
     "max(number) FROM seats WHERE number IS NOT NULL GROUP BY 1, 2) x FULL JOIN lists l USING (agent, game) JOIN "
     "agents a ON a.row = agent WHERE x.n <> x.top OR x.d <> x.n OR l.size IS DISTINCT FROM x.n"},
    {"results",
     "SELECT format('match %s is %slisted, and the table of seats says otherwise', m.id, CASE WHEN m.listed THEN '' "
     "ELSE 'not ' END) FROM matches m WHERE EXISTS (SELECT FROM seats s WHERE s.match = m.match AND s.finished = "
     "m.finished AND ((s.number IS NOT NULL) <> m.listed OR (s.place IS NOT NULL) <> m.listed))"},
    {"results",
     "SELECT format('%s: on day %s by %s %s ended and %s are listed, and %s and %s are stored', coalesce(g.name, "
     "game::text), day, what, coalesce(t.e, 0), coalesce(t.l, 0), coalesce(m.e, 0), coalesce(m.l, 0)) FROM (SELECT "
     "'days' AS what, day, -1 AS hour, game, sum(ended) e, sum(listed) l FROM tallies WHERE hour = -1 GROUP BY 2, 4 "
     "UNION ALL SELECT 'hours', day, hour, game, sum(ended), sum(listed) FROM tallies WHERE hour >= 0 GROUP BY 2, 3, "
     "4) t FULL JOIN (SELECT w.what, (finished / 86400000)::int AS day, CASE w.what WHEN 'days' THEN -1 ELSE finished "
     "/ 3600000 % 24 END AS hour, game, count(*) e, count(*) FILTER (WHERE listed) l FROM matches, (VALUES('days'), "
     "('hours')) w(what) GROUP BY 1, 2, 3, 4) m USING (what, day, hour, game) LEFT JOIN games g ON g.row = game WHERE "
     "coalesce(t.e, 0) <> coalesce(m.e, 0) OR coalesce(t.l, 0) <> coalesce(m.l, 0)"},
    {"results",
     "SELECT format('%s: agent %s has %s wins, %s losses and %s draws in %s games against %s, who has %s, %s and %s in "
     "%s', g.name, a.id, v.wins, v.losses, v.draws, v.games, o.id, coalesce(w.wins, 0), coalesce(w.losses, 0), "
     "coalesce(w.draws, 0), coalesce(w.games, 0)) FROM versus v JOIN games g ON g.row = v.game JOIN agents a ON a.row "
     "= v.agent JOIN agents o ON o.row = v.opponent LEFT JOIN versus w ON w.agent = v.opponent AND w.game = v.game AND "
     "w.opponent = v.agent WHERE v.games <> v.wins + v.losses + v.draws OR w.games IS DISTINCT FROM v.games OR w.wins "
     "IS DISTINCT FROM v.losses OR w.draws IS DISTINCT FROM v.draws"},
    // Partners do not count as opponents (F5.13), and a match of two has none.
    {"results",
     "SELECT format('%s: %s games of agent %s against %s are counted, and %s are stored', g.name, coalesce(v.games, "
     "0), a.id, o.id, coalesce(x.n, 0)) FROM versus v FULL JOIN (SELECT s.agent, s.game, t.agent AS opponent, count(*) "
     "n, count(*) FILTER (WHERE NOT EXISTS (SELECT FROM seats u WHERE u.match = s.match AND u.finished = s.finished "
     "AND u.seat > 1)) least FROM seats s JOIN seats t ON t.match = s.match AND t.finished = s.finished AND t.seat <> "
     "s.seat WHERE s.number IS NOT NULL GROUP BY 1, 2, 3) x USING (agent, game, opponent) JOIN games g ON g.row = game "
     "JOIN agents a ON a.row = agent JOIN agents o ON o.row = opponent WHERE coalesce(v.games, 0) NOT BETWEEN "
     "coalesce(x.least, 0) AND coalesce(x.n, 0)"},
    {"pieces",
     "SELECT format('match %s: pieces %s to %s of its log are %s', coalesce(r.id, m.id), x.low, x.high, x.n) FROM "
     "(SELECT match, min(number) low, max(number) high, count(*) n FROM pieces GROUP BY 1) x LEFT JOIN running r ON "
     "r.match = x.match LEFT JOIN matches m ON m.match = x.match WHERE (r.id IS NOT NULL OR m.id IS NOT NULL) AND "
     "(x.low > coalesce(r.folded_to, 0) OR x.high - x.low + 1 <> x.n)"},
    {"pieces",
     "SELECT format('row %s has %s actions in the log, and no such match began', match, max(number)) FROM pieces p "
     "WHERE NOT EXISTS (SELECT FROM running r WHERE r.match = p.match) AND NOT EXISTS (SELECT FROM matches m WHERE "
     "m.match = p.match) GROUP BY match HAVING max(number) > 0"},
    {"fence",
     "SELECT format('match %s: piece %s was written by batch %s of epoch %s (node %s), which was taken over or left "
     "after "
     "batch %s', coalesce(r.id, m.id), p.number, p.batch, p.epoch, l.name, l.batch) FROM pieces p JOIN lives l ON "
     "l.epoch = p.epoch AND p.batch > l.batch LEFT JOIN running r ON r.match = p.match LEFT JOIN matches m ON m.match "
     "= p.match WHERE NOT EXISTS (SELECT FROM nodes n WHERE n.epoch = p.epoch)"},
    {"fence",
     "SELECT format('match %s: piece %s was written by batch %s of epoch %s (node %s), which has counted %s batches', "
     "coalesce(r.id, m.id), p.number, p.batch, p.epoch, n.name, n.batch) FROM pieces p JOIN nodes n ON n.epoch = "
     "p.epoch AND p.batch > n.batch LEFT JOIN running r ON r.match = p.match LEFT JOIN matches m ON m.match = "
     "p.match"},
    {"fence",
     "SELECT format('match %s: piece %s was written by epoch %s, and no node ever had it', coalesce(r.id, m.id), "
     "p.number, "
     "p.epoch) FROM pieces p LEFT JOIN running r ON r.match = p.match LEFT JOIN matches m ON m.match = p.match WHERE "
     "p.epoch IS NOT NULL AND NOT EXISTS (SELECT FROM nodes n WHERE n.epoch = p.epoch) AND NOT EXISTS (SELECT FROM "
     "lives l WHERE l.epoch = p.epoch)"},
    {"fence",
     "SELECT format('match %s: batch %s of epoch %s wrote piece %s, and its batch %s had written piece %s', "
     "coalesce(r.id, m.id), x.batch, x.epoch, x.number, x.before, x.at) FROM (SELECT match, number, epoch, batch, "
     "lag(batch) OVER w AS before, lag(number) OVER w AS at FROM pieces WHERE epoch IS NOT NULL WINDOW w AS "
     "(PARTITION BY match, epoch ORDER BY number)) x LEFT JOIN running r ON r.match = x.match LEFT JOIN matches m ON "
     "m.match = x.match WHERE x.batch < x.before"},
    {"places",
     "SELECT format('agent %s takes %s places, and plays %s matches', a.id, coalesce(s.active, 0), coalesce(x.n, 0)) "
     "FROM "
     "agents a LEFT JOIN agent_state s ON s.agent = a.row LEFT JOIN (SELECT agent, count(*) n FROM running_seats "
     "WHERE counts GROUP BY 1) x ON x.agent = a.row WHERE coalesce(s.active, 0) <> coalesce(x.n, 0)"},
    {"places", "SELECT format('agent %s has seat %s of row %s, which does not run', a.id, s.seat, s.match) FROM "
               "running_seats s JOIN "
               "agents a ON a.row = s.agent WHERE NOT EXISTS (SELECT FROM running r WHERE r.match = s.match)"},
    {"ratings",
     "SELECT format('agent %s: its rating in %s has version %s, and %s of its results count', a.id, g.name, r.version, "
     "coalesce(x.n, 0)) FROM ratings r JOIN agents a ON a.row = r.agent JOIN games g ON g.row = r.game LEFT JOIN "
     "(SELECT agent, game, count(*) n FROM seats WHERE number IS NOT NULL GROUP BY 1, 2) x ON x.agent = r.agent AND "
     "x.game = r.game WHERE r.version <> coalesce(x.n, 0)"},
    // A number that no match has comes from recomputed ratings; 0 from a copy (copy.c).
    {"ratings",
     "SELECT format('agent %s: its rating in %s is of result number %s, and its last result is number %s', a.id, "
     "g.name, r.finish_no, x.n) FROM ratings r JOIN agents a ON a.row = r.agent JOIN games g ON g.row = r.game JOIN "
     "(SELECT s.agent, s.game, max(m.finish_no) n FROM seats s JOIN matches m ON m.match = s.match AND m.finished = "
     "s.finished WHERE s.number IS NOT NULL GROUP BY 1, 2) x ON x.agent = r.agent AND x.game = r.game WHERE "
     "r.finish_no <> x.n AND NOT (r.finish_no = 0 AND r.xid = '3') AND (r.finish_no < x.n OR r.finish_no >= (SELECT "
     "last_value + is_called::int FROM finish_nos) OR EXISTS (SELECT FROM matches m WHERE m.finish_no = "
     "r.finish_no))"},
    {"places",
     "SELECT format('agent %s is counted as having begun row %s, and no such match began', coalesce(a.id::text, 'row ' "
     "|| s.agent), s.match) FROM starts s LEFT JOIN agents a ON a.row = s.agent WHERE NOT EXISTS (SELECT FROM matches "
     "m "
     "WHERE m.match = s.match) AND NOT EXISTS (SELECT FROM running r WHERE r.match = s.match)"},
    {"agents",
     "SELECT format('%s agents of kind %s are counted in rows %s to %s, and %s are stored', coalesce(b.size, 0), kind, "
     "block * 1000, block * 1000 + 999, coalesce(x.n, 0)) FROM agent_blocks b FULL JOIN (SELECT kind, row / 1000 AS "
     "block, count(*) n FROM agents GROUP BY 1, 2) x USING (kind, block) WHERE coalesce(b.size, 0) <> coalesce(x.n, "
     "0)"},
};

bool audit_check_tables(struct audit *p, audit_report *tell, void *owner)
{
    for (int i = 0; i < COUNT_OF(claims); i++) {
        PGresult *r = PQexec(p->conn, claims[i].sql);
        bool answered = PQresultStatus(r) == PGRES_TUPLES_OK;
        if (!answered)
            set_error(p, PQresultErrorMessage(r));
        for (int k = 0; answered && k < PQntuples(r); k++)
            tell(owner, claims[i].rule, PQgetvalue(r, k, 0));
        PQclear(r);
        if (!answered)
            return false;
    }
    return true;
}

// --- reading rows through a cursor

typedef bool take_row(struct audit *p, struct answer *a, void *each, void *owner);

static bool walk_rows(struct audit *p, const char *select, take_row *take, void *each, void *owner)
{
    char text[4096], fetch[64];
    snprintf(text, sizeof text, "DECLARE walk BINARY NO SCROLL CURSOR FOR %s", select);
    snprintf(fetch, sizeof fetch, "FETCH %d FROM walk", AT_ONCE);
    bool sound = exec_sql(p, text);
    for (int rows = 1; sound && rows > 0;) {
        PGresult *r = PQexec(p->conn, fetch);
        sound = PQresultStatus(r) == PGRES_TUPLES_OK;
        if (!sound)
            set_error(p, PQresultErrorMessage(r));
        rows = sound ? PQntuples(r) : 0;
        struct answer a = {r, rows, -1, 0};
        while (sound && answer_next(&a))
            sound = take(p, &a, each, owner);
        answer_end(&a);
    }
    return sound && exec_sql(p, "CLOSE walk");
}

// --- matches

#define SESSION "uuid_send(coalesce(s.session, '00000000-0000-0000-0000-000000000000'))"
#define STARTS                                                                                                         \
    "LEFT JOIN (SELECT t.match, string_agg(uuid_send(a.id) || int8send(t.at_ms), ''::bytea) AS begun FROM starts t "   \
    "JOIN agents a ON a.row = t.agent GROUP BY 1) b ON b.match = x.match "
static const char finished_matches[] =
    "SELECT x.match, greatest(x.finish_no, 1), g.name, x.unreported::bigint, x.record, coalesce((SELECT "
    "sum((1 << s.seat)::bigint) FROM "
    "seats s WHERE s.match = x.match AND s.finished = x.finished AND s.delivered), 0)::bigint, "
    "coalesce(l.bytes, ''::bytea), "
    "(SELECT string_agg(uuid_send(a.id), ''::bytea ORDER BY s.seat) FROM seats s JOIN agents a "
    "ON a.row = s.agent WHERE s.match "
    "= x.match AND s.finished = x.finished), (SELECT string_agg(substr(q.body, 1, 8), ''::bytea "
    "ORDER BY q.number) FROM pieces "
    "q WHERE q.match = x.match), coalesce((SELECT min(q.number) FROM pieces q WHERE q.match = "
    "x.match), -1)::bigint, x.id, x.replay, x.finished, (SELECT string_agg(int2send(s.result) "
    "|| " SESSION " || float8send(coalesce(s.rating, 'NaN')) || float8send(coalesce(s.deviation, 'NaN')), ''::bytea "
    "ORDER BY s.seat) FROM seats s WHERE s.match = x.match AND s.finished = x.finished), coalesce(b.begun, ''::bytea) "
    "FROM matches x LEFT JOIN logs l ON l.match = x.match AND l.finished = x.finished JOIN games g ON g.row "
    "= x.game " STARTS "ORDER BY x.finish_no";
static const char running_matches[] =
    "SELECT x.match, 0::bigint, g.name, x.unreported::bigint, x.record, 0::bigint, coalesce(x.folded, ''::bytea) || "
    "coalesce((SELECT string_agg(q.body, ''::bytea ORDER BY q.number) FROM pieces q WHERE q.match = x.match AND "
    "q.number >= "
    "x.folded_to), ''::bytea), (SELECT string_agg(uuid_send(a.id), ''::bytea ORDER BY s.seat) FROM running_seats s "
    "JOIN agents a "
    "ON a.row = s.agent WHERE s.match = x.match), NULL::bytea, -1::bigint, x.id, NULL::uuid, 0::bigint, (SELECT "
    "string_agg(int2send(0::smallint) || " SESSION
    " || float8send('NaN') || float8send('NaN'), ''::bytea ORDER BY s.seat) FROM running_seats s WHERE s.match = "
    "x.match), coalesce(b.begun, ''::bytea) FROM running x JOIN games g ON g.row = x.game " STARTS "ORDER BY x.match";

static bool take_match(struct audit *p, struct answer *a, void *each, void *owner)
{
    struct audit_match m = {.row = answer_int(a)};
    audit_each_match *call = *(audit_each_match **)each;
    char game[sizeof m.match.game];
    m.finish_no = answer_int(a);
    answer_text(a, game, sizeof game);
    int64_t unreported = answer_int(a);
    if (!unpack_match(answer_bytes(a), &m.match)) {
        snprintf(p->why, sizeof p->why, "the record of match row %lld is damaged", (long long)m.row);
        return false;
    }
    int64_t delivered = answer_int(a);
    memcpy(m.match.game, game, sizeof game);
    m.match.unreported = (uint16_t)unreported;
    for (int i = 0; i < m.match.seats; i++)
        m.match.seat[i].delivered |= delivered >> i & 1;
    m.log = answer_bytes(a);
    struct span agents = answer_bytes(a);
    m.seats = (int32_t)(agents.size / sizeof(struct uuid));
    memcpy(m.agent, agents.at, m.seats <= STORE_SEATS ? agents.size : sizeof m.agent);
    m.sums = answer_bytes(a);
    m.first_piece = answer_int(a);
    m.id = answer_uuid(a);
    m.replay = answer_uuid(a);
    m.finished_ms = answer_int(a);
    m.ends = answer_bytes(a);
    m.starts = answer_bytes(a);
    call(owner, &m);
    return true;
}

bool audit_list_matches(struct audit *p, audit_each_match *each, void *owner)
{
    return walk_rows(p, finished_matches, take_match, &each, owner) &&
           walk_rows(p, running_matches, take_match, &each, owner);
}

// Passes pieces on to the caller and counts them.
struct counted {
    store_each *each;
    void *owner;
    uint32_t count;
};

static bool count_piece(void *owner, int64_t at_ms, struct span log, struct span note)
{
    struct counted *c = owner;
    c->count++;
    return c->each(c->owner, at_ms, log, note);
}

// The end of a log is never stored as a piece (store_finish_match).
static bool has_same_sums(const struct audit_match *m, const struct bytes *sums)
{
    size_t skipped = m->first_piece > 0 ? (size_t)m->first_piece * sizeof(uint64_t) : 0;
    if (m->first_piece < 0)
        return true;
    return sums->size == skipped + m->sums.size + sizeof(uint64_t) &&
           memcmp(sums->at + skipped, m->sums.at, m->sums.size) == 0;
}

int audit_read_log(const struct audit_match *m, store_each *each, void *owner, uint32_t *sound, bool *same)
{
    struct counted c = {each, owner, 0};
    struct bytes sums = {0};
    int err = pg_tell_log(m->row, m->log, count_piece, &c, &sums);
    *sound = c.count;
    *same = err != OK || has_same_sums(m, &sums);
    free(sums.at);
    return err;
}

// --- ratings, commitments

static bool take_rating(struct audit *p, struct answer *a, void *each, void *owner)
{
    struct store_rating r = {0};
    audit_each_rating *call = *(audit_each_rating **)each;
    struct uuid agent = answer_uuid(a);
    char game[sizeof r.game];
    answer_text(a, game, sizeof game);
    int64_t version = answer_int(a);
    struct span body = answer_bytes(a);
    if (!unpack_rating(body, &r)) {
        snprintf(p->why, sizeof p->why, "a rating of %s is damaged", game);
        return false;
    }
    r.agent = agent;
    memcpy(r.game, game, sizeof game);
    r.version = (uint64_t)version;
    call(owner, &r, body);
    return true;
}

bool audit_list_ratings(struct audit *p, audit_each_rating *each, void *owner)
{
    static const char select[] =
        "SELECT a.id, g.name, r.version, r.body FROM ratings r JOIN agents a ON a.row = r.agent JOIN "
        "games g ON g.row = r.game ORDER BY r.agent, r.game";
    return walk_rows(p, select, take_rating, &each, owner);
}

bool audit_is_same_rating(struct span body, const struct store_rating *r)
{
    struct bytes packed = {0};
    pack_row(&packed, store_rating_columns, STORE_RATING_COLUMNS, r);
    bool same = packed.size == body.size && memcmp(packed.at, body.at, body.size) == 0;
    free(packed.at);
    return same;
}

static bool take_habits(struct audit *p, struct answer *a, void *each, void *owner)
{
    struct store_counters c = {0};
    audit_each_habits *call = *(audit_each_habits **)each;
    struct uuid agent = answer_uuid(a);
    (void)p;
    answer_text(a, c.game, sizeof c.game);
    pg_read_counters(a, &c);
    call(owner, agent, &c);
    return true;
}

bool audit_list_habits(struct audit *p, audit_each_habits *each, void *owner)
{
    return walk_rows(
        p,
        "SELECT a.id, g.name, c.matches, c.since_ms, c.n, c.of, c.squares FROM counters c JOIN agents a ON "
        "a.row = c.agent JOIN games g ON g.row = c.game",
        take_habits, &each, owner);
}

static bool take_entry(struct audit *p, struct answer *a, void *each, void *owner)
{
    struct store_entry e = {.place = (uint64_t)answer_int(a)};
    audit_each_entry *call = *(audit_each_entry **)each;
    e.kind = (uint8_t)answer_int(a);
    e.number = (uint64_t)answer_int(a);
    e.at_ms = answer_int(a);
    struct span body = answer_bytes(a), link = answer_bytes(a);
    if (body.size > sizeof e.body || link.size != sizeof e.link) {
        snprintf(p->why, sizeof p->why, "entry %llu of the list of commitments is damaged",
                 (unsigned long long)e.place);
        return false;
    }
    e.size = (uint16_t)body.size;
    memcpy(e.body, body.at, body.size);
    memcpy(e.link, link.at, link.size);
    call(owner, &e);
    return true;
}

bool audit_list_entries(struct audit *p, audit_each_entry *each, void *owner)
{
    return walk_rows(p, "SELECT place, kind, number, at_ms, body, link FROM commitments ORDER BY place", take_entry,
                     &each, owner);
}
