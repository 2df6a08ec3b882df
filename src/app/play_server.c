#include "app/play_server.h"

#include "app/arena_games.h"
#include "app/play_internal.h"
#include "base/utf8.h"
#include "kit/arena_dialect.h"

#include <stdio.h>
#include <stdlib.h>

void play_end(struct play_session *p, enum play_stage stage, const char *why)
{
    p->stage = stage;
    snprintf(p->why, sizeof p->why, "%s", why);
    loop_stop(&p->conn.loop);
}

// A server and other players choose these words: control characters must not reach the terminal.
void play_read_shown(struct span json, char *out, size_t room)
{
    char plain[PLAY_WHY];
    json_copy_text(json, plain, sizeof plain);
    utf8_copy_shown(out, room, span_of(plain), false);
}

static void check_game(const struct play_server_options *o)
{
    char known[256];
    arena_games_name(known, sizeof known);
    if (!o->game)
        app_refuse(o->command, "which game? Choose one of %s", known);
    const char *name = o->game->game->name, *why = dialect_refusal(o->game);
    if (why)
        app_refuse(o->command, "%s cannot be played on a server: %s; choose one of %s", name, why, known);
    if (!dialect_has_view(o->game))
        app_refuse(o->command,
                   "%s cannot be played on a server at the terminal, which cannot read its messages back; play it here "
                   "(agon play %s) or on the page of the server",
                   name, name);
}

static void end_session(struct play_session *p)
{
    const struct play_server_options *o = p->conn.o;
    if (p->stage == PLAY_LEFT)
        play_table_give_up(p);
    play_screen_close(p);
    if (p->stage == PLAY_LEFT && p->match[0])
        printf("Your match goes on. Come back with: agon play %s --resume --server %s\n", o->game->game->name,
               p->conn.base);
    if (p->stage == PLAY_FAILED)
        fprintf(stderr, "%s: %s\n", o->command, p->why);
}

int play_server(const struct play_server_options *o)
{
    static struct play_session p;
    static struct play_server_options known; // an invitation names the game: it is filled in
    known = *o;
    p.conn.o = &known;
    for (int s = 0; s < GAME_MAX_SEATS; s++)
        p.names[s] = p.name[s];
    play_connection_open(&p);
    play_table_find_game(&p);
    check_game(&known);
    play_table_find_player(&p);
    play_table_create(&p);
    play_screen_open(&p);
    play_screen_run(&p);
    end_session(&p);
    play_connection_close(&p);
    free(p.rules.at);
    return p.stage == PLAY_FAILED ? APP_FAILED : APP_DONE;
}
