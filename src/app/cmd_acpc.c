// agon acpc PROGRAM: a bot of the Annual Computer Poker Competition at a seat (N16). To the seat it is a program
// (cmd:agon acpc ./bot) that reads and writes lines of JSON; to the bot it is the competition's dealer, over TCP.
#include "app/acpc.h"
#include "app/app.h"
#include "app/help.h"
#include "base/json_read.h"
#include "codec/codec.h"
#include "heap/heap.h"
#include "net/loop.h"
#include "seats/spawn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// GENTLE_MS: time for the bot to end by itself after its connection was closed.
enum { PORT = 0xba0, READ_BYTES = 65536, LINE_BYTES = 1 << 20, GENTLE_MS = 800 };

// Lines of a stream, which arrive in pieces.
struct lines {
    int fd; // -1: not connected
    struct text bytes;
    size_t used; // of them
};

// The possible answers of the seat.
struct choice {
    bool fold, check, call, all_in, raise;
    int32_t to_call;     // what a call adds
    int32_t least, most; // of a raise, in this betting round
};

struct dealer {
    char **words; // of the program
    int word_count;
    struct lines referee, bot;
    int listener, stop;     // stop: readable when the bridge has to end
    uint16_t port;          // 0: a free one
    struct spawned program; // pid 0: waits for a connection
    bool said_version;

    // The match.
    int seat, seats;
    char name[HOLDEM_SEATS][64];
    uint64_t start_id; // of a "start" that waits for the bot; 0: none
    uint64_t hands;    // begun so far, in all matches

    // The hand.
    struct acpc_hand hand;
    bool open, sees_cards;
    uint32_t sent;  // marks that were sent to the bot
    uint64_t asked; // id of the question; 0: none
    struct choice choice;
    struct text state; // the newest line sent to the bot
    bool answered;     // the bot has answered it, perhaps
    char early[16];    // answer that came before the referee's question
};

// --- lines

static bool read_more(struct lines *l)
{
    static char bytes[READ_BYTES];
    ssize_t n = read(l->fd, bytes, sizeof bytes);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (n <= 0)
        return false;
    l->bytes.size -= l->used;
    if (l->used && l->bytes.size)
        memmove(l->bytes.at, l->bytes.at + l->used, l->bytes.size);
    l->used = 0;
    text_put(&l->bytes, (struct span){bytes, (size_t)n});
    return true;
}

static bool next_line(struct lines *l, struct span *line)
{
    struct span rest = {l->bytes.at + l->used, l->bytes.size - l->used};
    const char *end = rest.size ? memchr(rest.at, '\n', rest.size) : NULL;
    if (!end && rest.size > LINE_BYTES)
        app_die("a line is longer than 1 MiB");
    if (!end)
        return false;
    *line = (struct span){rest.at, (size_t)(end - rest.at)};
    l->used += line->size + 1;
    if (line->size && line->at[line->size - 1] == '\r')
        line->size--;
    return true;
}

static void send_action(uint64_t id, const char *action)
{
    printf("{\"id\":%ju%s%s}\n", (uintmax_t)id, *action ? ",\"action\":" : "", action);
    fflush(stdout);
}

// --- to the bot

static void send_line(const struct dealer *d, const struct text *line)
{
    char end[] = "\r\n";
    if (send(d->bot.fd, line->at, line->size, MSG_NOSIGNAL | MSG_MORE) != (ssize_t)line->size ||
        send(d->bot.fd, end, 2, MSG_NOSIGNAL) != 2)
        app_die("the bot has closed its connection");
}

// N16.5: one line for every step since the last. They wait until the bot's own cards are known: with the first
// question, or with the end of a hand without a question.
static void send_states(struct dealer *d)
{
    if (!d->open || !d->sees_cards || d->bot.fd < 0)
        return;
    for (; d->sent < d->hand.marks; d->sent++) {
        d->state.size = 0;
        acpc_put_state(&d->hand, &d->state, d->seat, d->sent);
        d->answered = false;
        d->early[0] = 0;
        send_line(d, &d->state);
    }
}

// --- from the referee: events

static int seat_of(const struct dealer *d, struct json_reader *r)
{
    struct json_string name = json_read_string(r);
    for (int i = 0; i < d->seats; i++)
        if (json_string_is(name, d->name[i]))
            return i;
    return -1;
}

static void read_cards(struct dealer *d, int seat, struct json_reader *r)
{
    uint8_t cards[2];
    if (json_peek(r) != JSON_ARRAY) {
        json_skip(r);
    } else if (codec_read_cards(r, cards, 2) == 2 && seat >= 0) {
        acpc_set_cards(&d->hand, seat, cards);
        d->sees_cards |= seat == d->seat;
    }
}

static void begin_hand(struct dealer *d, struct json_reader *r)
{
    struct json_string key;
    unsigned dealt = 0;
    int button = 0;
    while (json_next_key(r, &key))
        if (json_string_is(key, "dealer")) {
            button = seat_of(d, r);
        } else if (json_string_is(key, "chips")) {
            struct json_string who;
            for (json_enter_object(r); json_next_key(r, &who);) {
                bool has_chips = json_read_int(r, 0, HOLDEM_MAX_CHIPS) > 0;
                for (int i = 0; i < d->seats; i++)
                    dealt |= (unsigned)(has_chips && json_string_is(who, d->name[i])) << i;
            }
        } else {
            json_skip(r);
        }
    if (button < 0 || !(dealt >> button & 1))
        app_die("a hand without its button");
    acpc_begin(&d->hand, d->hands++, (seat_set)dealt, button);
    d->open = true;
    d->sees_cards = false;
    d->sent = 0;
}

static void follow_action(struct dealer *d, struct json_reader *r)
{
    struct json_string key, action = {0};
    int seat = -1;
    int32_t total = 0;
    while (json_next_key(r, &key))
        if (json_string_is(key, "seat"))
            seat = seat_of(d, r);
        else if (json_string_is(key, "action"))
            action = json_read_string(r);
        else if (json_string_is(key, "total_bet"))
            total = (int32_t)json_read_int(r, 0, HOLDEM_MAX_CHIPS);
        else
            json_skip(r);
    if (seat < 0)
        return;
    if (json_string_is(action, "small_blind") || json_string_is(action, "big_blind"))
        acpc_post(&d->hand, seat, total);
    else if (json_string_is(action, "fold"))
        acpc_fold(&d->hand);
    else
        acpc_bet(&d->hand, seat, total);
}

static void follow_board(struct dealer *d, struct json_reader *r)
{
    struct json_string key;
    uint8_t cards[5];
    while (json_next_key(r, &key))
        if (json_string_is(key, "cards")) {
            int count = codec_read_cards(r, cards, 5);
            if (count > 0)
                acpc_deal(&d->hand, cards, count);
        } else {
            json_skip(r);
        }
}

static void follow_result(struct dealer *d, struct json_reader *r)
{
    struct json_string key, field;
    while (json_next_key(r, &key)) {
        if (!json_string_is(key, "hands") || json_peek(r) != JSON_OBJECT) {
            json_skip(r);
            continue;
        }
        for (json_enter_object(r); json_next_key(r, &key);) {
            int seat = -1;
            for (int i = 0; i < d->seats; i++)
                seat = json_string_is(key, d->name[i]) ? i : seat;
            for (json_enter_object(r); json_next_key(r, &field);)
                if (json_string_is(field, "cards"))
                    read_cards(d, seat, r);
                else
                    json_skip(r);
        }
    }
    acpc_end(&d->hand);
    send_states(d);
    d->open = false;
}

static void follow_drop(struct dealer *d, struct json_reader *r)
{
    struct json_string key;
    while (json_next_key(r, &key))
        json_skip(r);
    acpc_fold(&d->hand);
}

static const struct {
    const char *type;
    bool in_hand;                                            // ignored outside a hand
    void (*follow)(struct dealer *d, struct json_reader *r); // reads to the closing brace
} followers[] = {
    {"new_hand", false, begin_hand},
    {"player_action", true, follow_action},
    {"community_cards", true, follow_board},
    {"hand_result", true, follow_result},
    {"player_disconnected", true, follow_drop},
};

static void read_message(struct dealer *d, struct json_reader *r)
{
    struct json_reader ahead = *r;
    struct json_string key, type = {0};
    for (json_enter_object(&ahead); json_next_key(&ahead, &key);)
        if (json_string_is(key, "type"))
            type = json_read_string(&ahead);
        else
            json_skip(&ahead);
    for (size_t i = 0; i < sizeof followers / sizeof *followers; i++)
        if (json_string_is(type, followers[i].type) && (d->open || !followers[i].in_hand)) {
            json_enter_object(r);
            followers[i].follow(d, r);
            return;
        }
    json_skip(r);
}

// --- the bot's answer

static void answer_amount(const struct dealer *d, const char *type, int32_t amount)
{
    char action[64];
    snprintf(action, sizeof action, "{\"type\":\"%s\",\"amount\":%d}", type, amount);
    send_action(d->asked, action);
}

static void answer_call(const struct dealer *d)
{
    const struct choice *c = &d->choice;
    if (c->call)
        answer_amount(d, "call", c->to_call);
    else
        send_action(d->asked, c->check ? "{\"type\":\"check\"}" : "{\"type\":\"allin\"}");
}

// N16.7: an illegal size is moved to the nearest legal one, as the competition's dealer does.
static void answer_raise(const struct dealer *d, int32_t total)
{
    const struct choice *c = &d->choice;
    int32_t amount = total - d->hand.before[d->seat];
    if (c->raise && (amount <= c->most || !c->all_in))
        answer_amount(d, "raise", amount < c->least ? c->least : amount > c->most ? c->most : amount);
    else if (c->all_in)
        send_action(d->asked, "{\"type\":\"allin\"}");
    else
        answer_call(d);
}

static void use_answer(struct dealer *d, struct span word)
{
    int32_t total;
    switch (acpc_read_word(word, &total)) {
    case ACPC_FOLD:
        send_action(d->asked, d->choice.fold ? "{\"type\":\"fold\"}" : "{\"type\":\"check\"}");
        break;
    case ACPC_CALL:
        answer_call(d);
        break;
    case ACPC_RAISE:
        answer_raise(d, total);
        break;
    default: // the referee judges invalid actions
        fprintf(stderr, "agon acpc: the bot answered '%.*s'; expected f, c or rTOTAL\n", (int)word.size, word.at);
        send_action(d->asked, "{\"type\":\"unknown\"}");
    }
    d->asked = 0;
    d->answered = true;
    d->early[0] = 0;
}

// --- from the referee: the rest

static void greet_if_ready(struct dealer *d)
{
    if (d->start_id && d->said_version)
        send_action(d->start_id, "");
    if (d->said_version)
        d->start_id = 0;
}

// N16.2: the competition's games have the same stacks and blinds in every hand, and no ante.
static void check_rules(struct span rules)
{
    struct span format = json_member(rules, "format"), ante = json_member(rules, "ante");
    if (!span_is(format, "\"cash\""))
        app_die("bots of the ACPC play cash matches only: use --rules '{\"format\":\"cash\"}', or --unit deal");
    if (!span_is(ante, "0"))
        app_die("bots of the ACPC play without an ante; leave it out of the rules");
}

static void start_match(struct dealer *d, struct span line, uint64_t id)
{
    struct json_reader r = json_reader_of(json_member(line, "seats"), 4);
    struct json_reader seat = json_reader_of(json_member(line, "seat"), 1);
    if (!span_is(json_member(line, "game"), "\"texas_holdem\""))
        app_die("agon acpc plays texas_holdem only");
    check_rules(json_member(line, "rules"));
    d->seat = (int)json_read_int(&seat, 0, HOLDEM_SEATS - 1);
    d->seats = 0;
    for (json_enter_array(&r); json_next_item(&r) && d->seats < HOLDEM_SEATS; d->seats++)
        json_string_copy(json_read_string(&r), d->name[d->seats], sizeof d->name[0]);
    if (d->seat >= d->seats)
        app_die("the referee's \"start\" names no seats");
    d->open = false;
    d->asked = 0;
    d->start_id = id;
    greet_if_ready(d);
}

static void read_choice(struct choice *c, struct json_reader *r)
{
    struct json_string key, type = {0};
    int32_t least = 0, most = 0;
    for (json_enter_object(r); json_next_key(r, &key);)
        if (json_string_is(key, "type")) {
            type = json_read_string(r);
        } else if (json_string_is(key, "range")) {
            struct json_string what;
            for (json_enter_object(r); json_next_key(r, &what);) {
                json_enter_array(r);
                least = json_next_item(r) ? (int32_t)json_read_int(r, 0, HOLDEM_MAX_CHIPS) : 0;
                most = json_next_item(r) ? (int32_t)json_read_int(r, 0, HOLDEM_MAX_CHIPS) : 0;
                while (json_next_item(r))
                    json_skip(r);
            }
        } else if (json_string_is(key, "amount") && json_peek(r) == JSON_INT) {
            least = most = (int32_t)json_read_int(r, 0, HOLDEM_MAX_CHIPS);
        } else {
            json_skip(r);
        }
    c->fold |= json_string_is(type, "fold");
    c->check |= json_string_is(type, "check");
    c->all_in |= json_string_is(type, "allin");
    if (json_string_is(type, "call")) {
        c->call = true;
        c->to_call = least;
    }
    if (json_string_is(type, "raise")) {
        c->raise = true;
        c->least = least;
        c->most = most;
    }
}

// The line may already have been sent with the events and answered: the bot knows when it is its turn.
static void ask_bot(struct dealer *d, struct span line, uint64_t id)
{
    struct json_reader legal = json_reader_of(json_member(line, "legal"), 8);
    struct json_reader hole = json_reader_of(json_member(json_member(line, "view"), "hole_cards"), 4);
    d->choice = (struct choice){0};
    for (json_enter_array(&legal); json_next_item(&legal);)
        read_choice(&d->choice, &legal);
    if (!d->open)
        app_die("a question outside a hand; the referee sends no events");
    read_cards(d, d->seat, &hole);
    if (d->sent == d->hand.marks && d->answered && !d->early[0]) // the same question again
        d->sent--;
    send_states(d);
    d->asked = id;
    if (d->early[0])
        use_answer(d, span_of(d->early));
}

static void on_referee(struct dealer *d, struct span line)
{
    struct json_reader r = json_reader_of(line, 32), number;
    struct span op = json_member(line, "op"), id = json_member(line, "id");
    json_skip(&r);
    if (json_finish(&r) != OK)
        app_die(
            "a line from the referee is not JSON; start this command as a player of a match: cmd:'agon acpc ./bot'");
    number = json_reader_of(id, 1);
    uint64_t wanted = id.at ? json_read_uint(&number, UINT64_MAX) : 0;
    if (span_is(op, "\"start\"")) {
        start_match(d, line, wanted);
    } else if (span_is(op, "\"events\"")) {
        struct json_reader events = json_reader_of(json_member(line, "events"), 16);
        for (json_enter_array(&events); json_next_item(&events);)
            read_message(d, &events);
        send_states(d);
    } else if (span_is(op, "\"choose\"")) {
        ask_bot(d, line, wanted);
    } else if (wanted) { // "end", and later additions
        send_action(wanted, "");
    }
}

// --- from the bot

static void on_bot(struct dealer *d, struct span line)
{
    if (!d->said_version) {
        if (line.size < 10 || memcmp(line.at, "VERSION:2.", 10) != 0)
            app_die("the bot must begin with VERSION:2.0.0");
        d->said_version = true;
        greet_if_ready(d);
        return;
    }
    // A line that does not begin with the newest line is a comment, or late.
    size_t size = d->state.size;
    if (!size || d->answered || line.size <= size + 1 || line.at[size] != ':' ||
        memcmp(line.at, d->state.at, size) != 0)
        return;
    struct span word = {line.at + size + 1, line.size - size - 1};
    if (d->asked)
        use_answer(d, word);
    else
        snprintf(d->early, sizeof d->early, "%.*s", (int)word.size, word.at);
}

// --- the connection and the program

static void open_listener(struct dealer *d)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(d->port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof at;
    int yes = 1;
    d->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (d->listener < 0 || setsockopt(d->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(d->listener, (struct sockaddr *)&at, sizeof at) != 0 || listen(d->listener, 1) != 0 ||
        getsockname(d->listener, (struct sockaddr *)&at, &size) != 0)
        app_die("cannot listen on port %u: %s", d->port, strerror(errno));
    d->port = ntohs(at.sin_port);
}

// As the competition starts bots: PROGRAM ARG... HOST PORT.
static void start_program(struct dealer *d)
{
    size_t count = (size_t)d->word_count;
    char port[8], host[] = "127.0.0.1";
    char **all = calloc(count + 3, sizeof *all);
    if (!all)
        abort();
    snprintf(port, sizeof port, "%u", d->port);
    memcpy(all, d->words, count * sizeof *all);
    all[count] = host;
    all[count + 1] = port;
    int why = spawn_program(&d->program, all, NULL, NULL, SPAWN_IN_OUR_GROUP);
    free(all);
    if (why)
        app_refuse("agon acpc", "cannot start %s: %s", d->words[0], strerror(why));
}

static void accept_bot(struct dealer *d)
{
    int yes = 1;
    d->bot.fd = accept4(d->listener, NULL, NULL, SOCK_CLOEXEC);
    if (d->bot.fd < 0)
        return;
    setsockopt(d->bot.fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    close(d->listener); // one bot, one connection
    d->listener = -1;
}

// The program's output is for people: it goes to standard error. Returns false at the end of the pipe.
static bool pass_on(int fd)
{
    char bytes[4096];
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n > 0)
        fwrite(bytes, 1, (size_t)n, stderr);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

// Ends the match for a bot. Reads until the bot closes: closing with unread input would discard its last lines.
static void hang_up(struct dealer *d)
{
    struct pollfd p = {.fd = d->bot.fd, .events = POLLIN};
    shutdown(d->bot.fd, SHUT_WR);
    for (int64_t until = loop_now_us() + GENTLE_MS * 1000ll, left;
         (left = (until - loop_now_us()) / 1000) > 0 && poll(&p, 1, (int)left) > 0 && read_more(&d->bot);)
        d->bot.used = d->bot.bytes.size;
    close(d->bot.fd);
}

static void end_program(struct dealer *d)
{
    int status;
    if (d->bot.fd >= 0)
        hang_up(d);
    if (!d->program.pid)
        return;
    spawn_end(&d->program, GENTLE_MS, &status);
}

// The referee ends its programs by a signal. The bot still reads its last lines, which say how the match ended.
static void heed_signals(struct dealer *d)
{
    sigset_t heeded;
    sigemptyset(&heeded);
    sigaddset(&heeded, SIGTERM);
    sigaddset(&heeded, SIGINT);
    if (sigprocmask(SIG_BLOCK, &heeded, NULL) != 0 || (d->stop = signalfd(-1, &heeded, SFD_CLOEXEC)) < 0)
        app_die("cannot watch for signals: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN);
}

// Waits for input once. Returns false if the referee has disconnected.
static bool wait_for_input(struct dealer *d)
{
    enum { REFEREE, BOT, LISTENER, OUT, ERR, STOP, FDS };
    struct pollfd p[FDS] = {
        [REFEREE] = {.fd = d->referee.fd, .events = POLLIN}, [BOT] = {.fd = d->bot.fd, .events = POLLIN},
        [LISTENER] = {.fd = d->listener, .events = POLLIN},  [OUT] = {.fd = d->program.out, .events = POLLIN},
        [ERR] = {.fd = d->program.err, .events = POLLIN},    [STOP] = {.fd = d->stop, .events = POLLIN}};
    struct span line;
    if (poll(p, FDS, -1) < 0)
        return errno == EINTR;
    if (p[OUT].revents && !pass_on(d->program.out))
        d->program.out = -1;
    if (p[ERR].revents && !pass_on(d->program.err))
        d->program.err = -1;
    if (d->program.pid && d->program.out < 0 && d->program.err < 0 && d->bot.fd < 0)
        app_die("the bot ended before it connected; it is started with HOST and PORT as its last arguments");
    if (p[LISTENER].revents)
        accept_bot(d);
    if (p[BOT].revents && !read_more(&d->bot))
        app_die("the bot has closed its connection");
    while (next_line(&d->bot, &line))
        on_bot(d, line);
    if (p[REFEREE].revents && !read_more(&d->referee))
        return false;
    while (next_line(&d->referee, &line))
        on_referee(d, line);
    return !p[STOP].revents;
}

// --- the command

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct dealer *d = state->input;
    switch (key) {
    case PORT:
        d->port = (uint16_t)app_read_uint(state, "--port", arg, 1, UINT16_MAX);
        return 0;
    case ARGP_KEY_ARGS:
        d->words = state->argv + state->next;
        d->word_count = state->argc - state->next;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cmd_acpc(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"port", PORT, "N", 0, "Port for the bot to connect to, on 127.0.0.1 (a free one)", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "[PROGRAM [ARG...]]",
        .doc = "Let a bot of the Annual Computer Poker Competition play at a seat: "
               "agon match texas_holdem --seat 'cmd:agon acpc ./bot' --seat house:rules --unit deal.\v"
               "The program is started with HOST and PORT appended to its arguments, as the competition's dealer does; "
               "without a program, a bot started elsewhere can connect. Only cash matches without an ante can be "
               "played. Output of the bot goes to standard error.",
    };
    static struct dealer d = {.referee = {.fd = STDIN_FILENO, .bytes.grow = heap_text_grow},
                              .bot = {.fd = -1, .bytes.grow = heap_text_grow},
                              .listener = -1,
                              .program = {.out = -1, .err = -1},
                              .state.grow = heap_text_grow};
    help_parse(&argp, argc, argv, ARGP_IN_ORDER, &d);
    heed_signals(&d);
    open_listener(&d);
    if (d.words)
        start_program(&d);
    else
        fprintf(stderr, "agon acpc: waiting for a bot on 127.0.0.1 port %u\n", d.port);
    while (wait_for_input(&d))
        continue;
    end_program(&d);
    acpc_release(&d.hand);
    free(d.referee.bytes.at);
    free(d.bot.bytes.at);
    free(d.state.at);
    return APP_DONE;
}
