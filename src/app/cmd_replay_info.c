// agon replay info FILE: what a replay file contains.
#include "app/cmd_replay.h"
#include "app/help.h"
#include "app/output_file.h"
#include "app/replay_input.h"
#include "app/reserved_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct call {
    struct replay_input in;
    bool json;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct call *call = state->input;
    if (key != 'j')
        return replay_input_parse(&call->in, key, arg, state);
    call->json = true;
    return 0;
}

static const char *key_source(const struct loaded_replay *t)
{
    return t->head.has_key ? "revealed" : t->has_key ? "made from the seed" : "not revealed";
}

static void write_info(const struct loaded_replay *t, struct text *out)
{
    const struct replay_head *h = &t->head;
    json_begin_object(out);
    json_put_text(out, "file", t->path);
    json_put_text(out, "game", h->game);
    json_put_uint(out, "rules_version", h->rules_version);
    json_put_bool(out, "complete", t->complete);
    json_put_bool(out, "torn", t->torn);
    json_put_uint(out, "steps", t->steps);
    json_put_uint(out, "actions", t->actions);
    json_put_uint(out, "silent", t->silent);
    json_put_uint(out, "ticks", t->ticks);
    json_put_uint(out, "stacks", t->stacks);
    json_put_uint(out, "hashes", t->hashes);
    json_put_uint(out, "bytes", t->file.size);
    if (h->has_seed)
        json_put_uint(out, "seed", h->seed);
    json_put_hex_bytes(out, "commitment", h->commitment, sizeof h->commitment);
    json_put_text(out, "key", key_source(t));
    json_begin_array_at(out, "seats");
    for (int seat = 0; seat < h->seats; seat++)
        json_write_text(out, loaded_replay_seat_name(t, seat));
    json_end_array(out);
    if (t->complete)
        app_write_payoffs(out, t->payoffs, h->seats);
    if (t->row) {
        union game_rules rules;
        memcpy(&rules, h->rules.at, h->rules.size);
        app_write_rules(out, t->row->codec, &rules);
    }
    json_end_object(out);
    text_put_char(out, '\n');
}

static void print_info(const struct loaded_replay *t)
{
    const struct replay_head *h = &t->head;
    printf("game        %s, rules version %u\n", h->game, h->rules_version);
    printf("state       %s%s\n",
           t->why[0]     ? "damaged"
           : t->complete ? "complete"
                         : "open: it can be continued",
           t->torn ? "; an incomplete entry at its end is ignored" : "");
    printf("steps       %" PRIu64 ": %" PRIu64 " actions (%" PRIu64 " in silence), %" PRIu64 " ticks, %" PRIu64
           " stacks\n",
           t->steps, t->actions, t->silent, t->ticks, t->stacks);
    printf("hashes      %" PRIu64, t->hashes);
    if (t->hashes)
        printf(", the last %016" PRIx64, t->last_hash);
    putchar('\n');
    printf("size        %zu bytes\n", t->file.size);
    if (h->has_seed)
        printf("seed        %" PRIu64 "\n", h->seed);
    printf("key         %s\n", key_source(t));
    fputs("commitment  ", stdout);
    for (size_t i = 0; i < sizeof h->commitment; i++)
        printf("%02x", h->commitment[i]);
    fputs("\nseats       ", stdout);
    for (int seat = 0; seat < h->seats; seat++) {
        printf("%s%s", seat ? ", " : "", loaded_replay_seat_name(t, seat));
        if (t->complete)
            printf(" (%d)", t->payoffs[seat]);
    }
    putchar('\n');
}

int cmd_replay_info(int argc, char **argv)
{
    static const struct argp_option options[] = {{"json", 'j', 0, 0, "Print a JSON object", 0}, REPLAY_KEY_OPTION, {0}};
    static const struct argp argp = {options, parse_option, "FILE", "Print what a replay file contains.", 0, 0, 0};
    struct call call = {0};
    struct loaded_replay t;
    help_parse(&argp, argc, argv, 0, &call);
    int status = replay_file_open(&t, call.in.path, call.in.has_key ? call.in.key : NULL);
    bool known = t.head.seats > 0; // a file that is damaged further on still has a head
    if (known && call.json) {
        struct text out = memory_reserve_text(1 << 20);
        write_info(&t, &out);
        output_file_write(NULL, text_span(&out));
        memory_release(out.at, out.room);
    } else if (known) {
        print_info(&t);
    }
    if (status != APP_DONE)
        fprintf(stderr, "agon: %s: %s\n", t.path, t.why);
    replay_file_close(&t);
    return status;
}
