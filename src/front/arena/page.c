// The web page: one HTML shell for all of its addresses, with a title that fits, and the assets it loads.
#include "front/arena/embedded.h"
#include "front/arena/rest_internal.h"
#include "games/games.h"

#include <strings.h>

// Names of agents, which anybody may choose, stand in titles and attributes.
static void put_escaped(struct text *t, struct span s)
{
    static const struct {
        char c;
        const char *as;
    } marks[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (size_t i = 0; i < s.size; i++) {
        const char *as = NULL;
        for (unsigned k = 0; k < sizeof marks / sizeof *marks; k++)
            if (s.at[i] == marks[k].c)
                as = marks[k].as;
        if (as)
            text_puts(t, as);
        else
            text_put_char(t, s.at[i]);
    }
}

// --- the visitor's settings

// A sentence in the languages of the page (page/src/texts).
enum language { ENGLISH, FRENCH, LANGUAGES };
typedef const char *phrase[LANGUAGES];

// The value of a cookie that the page itself sets: a word of letters, or empty. So the first paint has the right theme
// without a script.
static struct span read_cookie(const struct rest_call *c, const char *name)
{
    struct span all = http_header(c->r, "Cookie");
    size_t length = strlen(name);
    for (size_t at = 0; at < all.size;) {
        size_t end = at;
        while (end < all.size && all.at[end] != ';')
            end++;
        if (end - at > length && memcmp(all.at + at, name, length) == 0 && all.at[at + length] == '=') {
            struct span value = {all.at + at + length + 1, end - at - length - 1};
            for (size_t i = 0; i < value.size; i++)
                if (value.at[i] < 'a' || value.at[i] > 'z')
                    return (struct span){0};
            return value;
        }
        at = end + 1;
        while (at < all.size && all.at[at] == ' ')
            at++;
    }
    return (struct span){0};
}

// The language chosen on the page, else the browser's first choice, as the page itself decides.
static enum language read_language(const struct rest_call *c)
{
    struct span chosen = read_cookie(c, "lang"), asked = http_header(c->r, "Accept-Language");
    if (chosen.size)
        return span_is(chosen, "fr") ? FRENCH : ENGLISH;
    return asked.size >= 2 && strncasecmp(asked.at, "fr", 2) == 0 ? FRENCH : ENGLISH;
}

// --- titles and descriptions

#define PLAY_TITLE                                                                                                     \
    {                                                                                                                  \
        "Play against AI agents", "Jouer contre des agents IA"                                                         \
    }
#define PLAY_TEXT                                                                                                      \
    {                                                                                                                  \
        "Take a seat against house bots, agents or friends. No account.",                                              \
            "Prenez place contre les joueurs de la maison, des agents ou des amis. Sans compte."                       \
    }
#define BOARD_TITLE                                                                                                    \
    {                                                                                                                  \
        "Leaderboard", "Classement"                                                                                    \
    }
#define BOARD_TEXT                                                                                                     \
    {                                                                                                                  \
        "Ratings of all agents, with their uncertainty.", "Les cotes de tous les agents, avec leur incertitude."       \
    }

struct about {
    struct text title, description;
    char in_title[256], in_description[512];
    bool has_picture; // for a replay
    enum language in;
};

// Static pages, by the route's path.
static const struct {
    const char *path;
    phrase title, description;
} fixed[] = {
    {"/",
     {"agon: watch and play", "agon : regarder et jouer"},
     {"AI agents play games. Watch their tables live, or take a seat. No account.",
      "Des agents IA jouent. Regardez leurs tables en direct, ou prenez place. Sans compte."}},
    {"/watch/{live}",
     {"A live table", "Une table en direct"},
     {"Watch AI agents play, move by move.", "Regardez des agents IA jouer, pas à pas."}},
    {"/watch/{game}/{table}",
     {"A live table", "Une table en direct"},
     {"Watch an AI agent play, move by move.", "Regardez un agent IA jouer, pas à pas."}},
    {"/play", PLAY_TITLE, PLAY_TEXT},
    {"/play/{game}", PLAY_TITLE, PLAY_TEXT},
    {"/play/{game}/{session}", PLAY_TITLE, {"A table with a seat of yours.", "Une table où vous avez une place."}},
    {"/challenge/{token}",
     {"A challenge", "Un défi"},
     {"Somebody invites you to a match.", "Quelqu'un vous invite à une partie."}},
    {"/claim/{token}",
     {"Claim an agent", "Revendiquer un agent"},
     {"Confirm that an agent is yours.", "Confirmez qu'un agent est à vous."}},
    {"/leaderboard", BOARD_TITLE, BOARD_TEXT},
    {"/leaderboard/{game}", BOARD_TITLE, BOARD_TEXT},
    {"/tournaments",
     {"Tournaments", "Tournois"},
     {"Tournaments between agents: standings and games.", "Tournois entre agents : classements et parties."}},
    {"/tournament/{id}",
     {"A tournament", "Un tournoi"},
     {"Standings, crosstable and games of a tournament.", "Classement, grille et parties d'un tournoi."}},
    {"/connect",
     {"Connect an agent", "Connecter un agent"},
     {"How to connect an agent to this server: exact commands.",
      "Comment connecter un agent à ce serveur : les commandes exactes."}},
    {"/rules/{game}",
     {"Rules of the game", "Règles du jeu"},
     {"The rules as the referee applies them.", "Les règles telles que l'arbitre les applique."}},
    {"/{nowhere}",
     {"Nothing is here", "Il n'y a rien ici"},
     {"This address leads nowhere.", "Cette adresse ne mène nulle part."}},
    {"/operator", {"Operator", "Opérateur"}, {"The operator's page.", "La page de l'opérateur."}},
};

// Texts of the shell for visitors without scripts: {{words}} of page/index.html.
static const struct {
    const char *word;
    phrase as;
} words[] = {
    {"needs_scripts",
     {"This page needs JavaScript to show tables. What it shows is also there as JSON:",
      "Cette page a besoin de JavaScript pour montrer les tables. Ce qu'elle montre existe aussi en JSON :"}},
    {"connect_agent", {"Connect an agent", "Connecter un agent"}},
    {"with_header", {"with the header", "avec l'en-tête"}},
};

static const char *game_title(const char *game, enum language in)
{
    const struct game_kit *kit = games_find(game);
    return !kit ? game : in == FRENCH && kit->french ? kit->french : dialect_title(kit);
}

static void describe_agent(const struct rest_call *c, struct about *a)
{
    struct store_agent agent;
    struct uuid id;
    if (!uuid_parse(&id, c->id) || !store_find_agent(c->rest->store, id, &agent) || !agent.claimed)
        return;
    text_puts(&a->title, agent.name);
    text_puts(&a->description,
              (const phrase){"Ratings, matches and habits of ", "Cotes, parties et habitudes de "}[a->in]);
    text_puts(&a->description, agent.name);
    text_put_char(&a->description, '.');
}

static bool find_replay(const struct rest_call *c, struct store_match *m)
{
    struct uuid id;
    return uuid_parse(&id, c->id) && store_find_replay(c->rest->store, id, m) && rest_shows_replay(c->rest, m);
}

static void describe_replay(const struct rest_call *c, struct about *a)
{
    struct store_match m;
    if (!find_replay(c, &m))
        return;
    text_puts(&a->title, game_title(m.game, a->in));
    text_puts(&a->title, (const phrase){", a replay", ", rediffusion"}[a->in]);
    a->has_picture = true;
    text_puts(&a->description, (const phrase){"Step by step: ", "Pas à pas : "}[a->in]);
    for (int i = 0; i < m.seats; i++) {
        text_puts(&a->description, i ? ", " : "");
        text_puts(&a->description, m.seat[i].name);
    }
}

static void describe_page(const struct rest_call *c, struct about *a)
{
    *a = (struct about){.in = read_language(c)};
    a->title = text_on(a->in_title, sizeof a->in_title);
    a->description = text_on(a->in_description, sizeof a->in_description);
    if (strcmp(c->route->path, "/agents/{id}") == 0)
        describe_agent(c, a);
    else if (strcmp(c->route->path, "/replay/{id}") == 0)
        describe_replay(c, a);
    for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(fixed[i].path, c->route->path) == 0) {
            text_puts(&a->title, fixed[i].title[a->in]);
            text_puts(&a->description, fixed[i].description[a->in]);
        }
    if (!a->title.size)
        text_puts(&a->title, "agon");
}

// --- the shell

// What the page declares (F6.B1): every game that needs it, whether it has a board of its own or not.
static void put_gated(const struct rest_call *c, struct text *t)
{
    for (const struct lobby_game *g = lobby_options_of(c->rest->lobby)->games; g->codec; g++)
        if (g->gated) {
            text_puts(t, t->size ? "," : "");
            text_puts(t, g->codec->game->name);
        }
}

static void put_word(struct rest_call *c, struct about *a, struct span word)
{
    char url[512];
    struct text value = text_on(url, sizeof url);
    if (span_is(word, "base"))
        rest_write_base(c, &value, false);
    else if (span_is(word, "ws"))
        rest_write_base(c, &value, true);
    else if (span_is(word, "games"))
        put_gated(c, &value);
    else if (span_is(word, "version"))
        text_puts(&value, AGON_VERSION);
    else if (span_is(word, "build"))
        text_puts(&value, embedded_build);
    else if (span_is(word, "lang"))
        text_puts(&value, a->in == FRENCH ? "fr" : "en");
    else if (span_is(word, "theme")) // empty: the system's theme
        text_puts(&value, span_is(read_cookie(c, "theme"), "dark")    ? "dark"
                          : span_is(read_cookie(c, "theme"), "light") ? "light"
                                                                      : "");
    else if (span_is(word, "terms"))
        text_puts(&value, c->rest->options.terms_version);
    else if (span_is(word, "privacy"))
        text_puts(&value, c->rest->options.privacy_version);
    else if (span_is(word, "title"))
        value = a->title;
    else if (span_is(word, "description"))
        value = a->description;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (span_is(word, words[i].word))
            text_puts(&value, words[i].as[a->in]);
    put_escaped(&c->out, text_span(&value));
}

static void put_property(struct rest_call *c, const char *name, struct span value)
{
    text_puts(&c->out, "<meta property=\"og:");
    text_puts(&c->out, name);
    text_puts(&c->out, "\" content=\"");
    put_escaped(&c->out, value);
    text_puts(&c->out, "\">");
}

// How a link looks when shared elsewhere: title, text, and the last picture of a replay.
static void put_open_graph(struct rest_call *c, const struct about *a)
{
    char url[512];
    struct text value = text_on(url, sizeof url);
    put_property(c, "site_name", SPAN("agon"));
    put_property(c, "type", SPAN("website"));
    put_property(c, "title", text_span(&a->title));
    put_property(c, "description", text_span(&a->description));
    rest_write_base(c, &value, false);
    text_put(&value, http_path(c->r));
    put_property(c, "url", text_span(&value));
    if (a->has_picture) {
        text_puts(&value, "/preview.png");
        put_property(c, "image", text_span(&value));
    }
}

// Cuts the shell after its head: put_open_graph writes between the two parts.
static struct span split_head(struct span *shell)
{
    const char *end = memmem(shell->at, shell->size, "</head>", 7);
    size_t size = end ? (size_t)(end - shell->at) : 0;
    struct span head = {shell->at, size};
    *shell = (struct span){shell->at + size, shell->size - size};
    return head;
}

static void put_filled(struct rest_call *c, struct about *a, struct span rest)
{
    for (const char *open; (open = memmem(rest.at, rest.size, "{{", 2));) {
        // The shell is part of the program, so every {{ has its }}.
        const char *close = memmem(open, (size_t)(rest.at + rest.size - open), "}}", 2);
        text_put(&c->out, (struct span){rest.at, (size_t)(open - rest.at)});
        put_word(c, a, (struct span){open + 2, (size_t)(close - open - 2)});
        rest = (struct span){close + 2, (size_t)(rest.at + rest.size - close - 2)};
    }
    text_put(&c->out, rest);
}

// The table of a match that is over leads to its replay, which has the same id (F4.24).
static bool redirect_to_replay(struct rest_call *c)
{
    struct store_match m;
    char to[sizeof "/replay/" + UUID_TEXT] = "/replay/";
    if (strcmp(c->route->path, "/watch/{live}") != 0 || !find_replay(c, &m))
        return false;
    uuid_format(to + strlen(to), m.replay);
    http_add_header(c->r, "Location", to);
    c->status = 302;
    return true;
}

void rest_page(struct rest_call *c)
{
    if (redirect_to_replay(c))
        return;
    struct span body = embedded_shell, head = split_head(&body);
    struct about about;
    describe_page(c, &about);
    put_filled(c, &about, head);
    put_open_graph(c, &about);
    put_filled(c, &about, body);
    c->type = "text/html; charset=utf-8";
    http_add_header(c->r, "Vary", "Accept-Language, Cookie");
    http_add_header(c->r, "Referrer-Policy", "no-referrer"); // the address may have the token of a challenge or a claim
    http_add_header(
        c->r, "Content-Security-Policy",
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
}

// --- assets

// Whether Accept-Encoding allows this coding; a quality of zero forbids it.
static bool accepts_encoding(struct span header, const char *coding)
{
    size_t length = strlen(coding);
    for (size_t at = 0; at < header.size;) {
        size_t end = at;
        while (end < header.size && header.at[end] != ',')
            end++;
        while (at < end && header.at[at] == ' ')
            at++;
        if (end - at >= length && memcmp(header.at + at, coding, length) == 0 &&
            (end - at == length || header.at[at + length] == ';' || header.at[at + length] == ' '))
            return !memmem(header.at + at, end - at, "q=0", 3) || memmem(header.at + at, end - at, "q=0.", 4);
        at = end + 1;
    }
    return false;
}

static void send_asset(struct rest_call *c, const struct embedded_asset *a, const char *cache)
{
    struct span wanted = http_header(c->r, "Accept-Encoding");
    bool br = a->br.size && accepts_encoding(wanted, "br"),
         gzip = !br && a->gzip.size && accepts_encoding(wanted, "gzip");
    if (br || gzip)
        http_add_header(c->r, "Content-Encoding", br ? "br" : "gzip");
    http_add_header(c->r, "Vary", "Accept-Encoding");
    text_put(&c->out, br ? a->br : gzip ? a->gzip : a->raw);
    c->type = a->type;
    c->cache = cache;
}

static const struct embedded_asset *find_asset(const struct rest_call *c)
{
    const struct embedded_asset *a = embedded_assets;
    while (a->path && !span_is(http_path(c->r), a->path))
        a++;
    return a->path ? a : NULL;
}

void rest_asset(struct rest_call *c)
{
    const struct embedded_asset *a = find_asset(c);
    if (a)
        send_asset(c, a, "public, max-age=31536000, immutable");
    else
        rest_fail(c, 404, "unknown asset; the page was built anew: reload it");
}

// Its name never changes, so browsers must ask for it each time; also says what it may request (page/src/worker.ts).
void rest_service_worker(struct rest_call *c)
{
    const struct embedded_asset *a = find_asset(c);
    if (!a) {
        rest_fail(c, 404, "this program was built without its page");
        return;
    }
    send_asset(c, a, "no-cache");
    http_add_header(c->r, "Content-Security-Policy", "default-src 'none'; connect-src 'self'");
}
