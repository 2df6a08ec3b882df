// Vision streams of Game-RL: configure_streams, frames with answers, cameras, secrecy, life of the rings (G20, G29).
#include "agon_vision.h"
#include "base/hash.h"
#include "client.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

// The reader of the stream at `index` of an answer of configure_streams.
static struct agon_vision *open_stream(const json_t *answer, size_t index, struct agon_vision_info *info)
{
    struct agon_vision *v;
    const json_t *d = json_array_get(json_object_get(answer, "streams"), index);
    const char *name = get_text(json_object_get(d, "transport"), "shm_name");
    assert_int_equal(agon_vision_open(name, &v, info), AGON_OK);
    assert_string_equal(info->stream_id, get_text(d, "stream_id"));
    return v;
}

struct look {
    struct agon_vision *v;
    struct agon_vision_info info;
    struct agon_frame frame;
    uint8_t *pixels;
};

static void look_open(struct look *l, const json_t *answer, size_t index)
{
    l->v = open_stream(answer, index, &l->info);
    l->pixels = malloc(l->info.frame_bytes);
}

static uint64_t look_hash(struct look *l)
{
    assert_int_equal(agon_vision_latest(l->v, &l->frame, l->pixels, l->info.frame_bytes), AGON_OK);
    return hash_bytes(l->pixels, l->info.frame_bytes);
}

static void look_close(struct look *l)
{
    agon_vision_close(l->v);
    free(l->pixels);
}

static json_int_t frame_of(const json_t *step, const char *stream)
{
    const json_t *id = json_object_get(json_object_get(step, "frame_ids"), stream);
    return id ? json_integer_value(id) : -1;
}

static int streams_left(void) // of this process
{
    char mine[32];
    int count = 0;
    DIR *all = opendir("/dev/shm");
    assert_non_null(all);
    snprintf(mine, sizeof mine, "grl.%d.", getpid());
    for (struct dirent *entry; (entry = readdir(all));)
        count += strncmp(entry->d_name, mine, strlen(mine)) == 0;
    closedir(all);
    return count;
}

// C95: every profile of every game, as its manifest says.
static void test_profiles(void **state)
{
    (void)state;
    for (const struct env_game *g = client_games; g->game; g++) {
        struct client c;
        struct text out = {0};
        char buffer[65536];
        const char *mime, *profile;
        const json_t *value;
        client_start(&c, g->game->name);
        client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
        out = text_on(buffer, sizeof buffer);
        assert_true(env_read(c.conn, SPAN("game://manifest"), &out, &mime));
        json_t *manifest = client_parse(text_span(&out));
        json_t *all = json_object_get(manifest, "stream_profiles");
        assert_int_equal(json_object_size(all), g->game == &tetris_game ? 4 : 3);
        json_object_foreach((json_t *)all, profile, value)
        {
            json_t *wanted = json_object_get(value, "streams");
            json_t *j = client_call(&c, "configure_streams", "{'agent_id':'me','profile':'%s'}", profile);
            assert_string_equal(get_text(j, "profile"), profile);
            assert_int_equal(json_array_size(json_object_get(j, "streams")), json_array_size(wanted));
            for (size_t i = 0; i < json_array_size(wanted); i++) {
                struct look l;
                json_t *d = json_array_get(json_object_get(j, "streams"), i), *w = json_array_get(wanted, i);
                json_t *transport = json_object_get(d, "transport");
                look_open(&l, j, i);
                assert_int_equal(get_int(d, "width"), get_int(w, "width"));
                assert_int_equal(l.info.width, get_int(w, "width"));
                assert_int_equal(get_int(d, "ring_count"), 4);
                assert_int_equal(json_array_size(json_object_get(transport, "offsets")), 4);
                assert_int_equal(get_int(transport, "row_stride"), l.info.row_stride);
                assert_int_equal(get_int(json_object_get(d, "sync"), "handle"), 128);
                look_close(&l);
            }
            json_decref(j);
        }
        json_decref(manifest);
        client_stop(&c);
    }
    assert_int_equal(streams_left(), 0);
}

// C96: frame N lies in slot N mod 4, where a reader with nothing but the descriptor looks for it.
static void test_frames(void **state)
{
    struct client c;
    struct look l;
    (void)state;
    client_start(&c, "tetris");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    json_t *j = client_call(&c, "configure_streams", "{'agent_id':'me'}"); // G20.1: the first profile
    assert_string_equal(get_text(j, "profile"), "policy_fast");
    look_open(&l, j, 0);
    const json_t *transport = json_object_get(json_array_get(json_object_get(j, "streams"), 0), "transport");
    int fd = shm_open(get_text(transport, "shm_name"), O_RDONLY, 0);
    size_t size = (size_t)get_int(transport, "size");
    const char *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    assert_int_equal(agon_vision_latest(l.v, &l.frame, l.pixels, l.info.frame_bytes), AGON_NO_FRAME);
    json_t *step = client_call(&c, "observe", "{'agent_id':'me'}");
    assert_int_equal(frame_of(step, "rgb_0"), -1); // nothing was drawn yet
    json_decref(step);
    uint64_t last = 0;
    for (int n = 0; n < 10; n++) {
        step = n ? client_call(&c, "sim_step", "{'agent_id':'me','action':{'type':'hard_drop'}}")
                 : client_call(&c, "reset", "{'seed':3}");
        assert_int_equal(frame_of(step, "rgb_0"), n);
        assert_true(!get_bool(step, "done") && get_number(step, "reward") >= 0);
        uint64_t hash = look_hash(&l);
        assert_int_equal(l.frame.id, n);
        assert_int_equal(l.frame.tick, get_int(step, "tick"));
        assert_int_equal(l.frame.step_id, get_int(step, "step_id"));
        assert_true(hash != last); // a piece more
        last = hash;
        json_int_t at = json_integer_value(json_array_get(json_object_get(transport, "offsets"), (size_t)n % 4));
        assert_memory_equal(map + at, l.pixels, l.info.frame_bytes);
        json_decref(step);
    }
    step = client_call(&c, "observe", "{'agent_id':'me'}"); // looking draws nothing
    assert_int_equal(frame_of(step, "rgb_0"), 9);
    json_decref(step);
    client_do(&c, "reset", "{'seed':4}"); // ids survive resets
    look_hash(&l);
    assert_int_equal(l.frame.id, 10);
    munmap((void *)map, size);
    close(fd);
    json_decref(j);
    client_do(&c, "configure_streams", "{'agent_id':'me','custom':{'streams':[]}}");
    assert_int_equal(agon_vision_latest(l.v, &l.frame, l.pixels, l.info.frame_bytes), AGON_CLOSED); // G20.9
    look_close(&l);
    assert_int_equal(streams_left(), 0);
    step = client_call(&c, "sim_step", "{'agent_id':'me','action':0}");
    assert_null(json_object_get(step, "frame_ids"));
    json_decref(step);
    client_stop(&c);
}

// G20.1, G20.2, G20.8, G29.2: what is refused leaves the old streams as they are.
static void test_refusals(void **state)
{
#define ONE(more) "{'agent_id':'me','custom':{'streams':[{'name':'a','type':'rgb','width':8,'height':8" more "}]}}"
#define S         "{'name':'a','type':'rgb','width':8,'height':8}"
#define BIG       "{'name':'a','type':'depth','width':4096,'height':4096}"
    static const struct {
        const char *arguments;
        int code;
    } cases[] = {
        {"{'agent_id':'me','profile':'motion'}", -32602}, // of tetris alone
        {"{'agent_id':'me','profile':'fast'}", -32602},
        {"{'agent_id':'me','profile':'policy_fast','custom':{'streams':[]}}", -32602},
        {"{'agent_id':'me','custom':{}}", -32602},
        {"{'agent_id':'me','custom':{'streams':[{'name':'a','type':'rgb','width':0,'height':8}]}}", -32602},
        {"{'agent_id':'me','custom':{'streams':[{'name':'a','type':'rgb','width':4097,'height':8}]}}", -32602},
        {"{'agent_id':'me','custom':{'streams':[{'name':'a b','type':'rgb','width':8,'height':8}]}}", -32602},
        {"{'agent_id':'me','custom':{'streams':[{'name':'a','type':'sound','width':8,'height':8}]}}", -32602},
        {"{'agent_id':'me','custom':{'streams':[{'name':'a','type':'flow','width':8,'height':8}]}}", -32602},
        {ONE(",'camera':'all'"), -32602},   // no debug
        {ONE(",'camera':'board'"), -32602}, // of tetris
        {ONE(",'camera':'moon'"), -32602},
        {"{'agent_id':'you'}", -32000},
        {"{'agent_id':'me','custom':{'streams':[" S "," S "," S "," S "," S "," S "," S "," S "," S "]}}", -32004},
        {"{'agent_id':'me','custom':{'streams':[" BIG "]}}", -32004}, // a little above 256 MiB
    };
    struct client c;
    struct look l;
    (void)state;
    client_start(&c, "coup");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    client_do(&c, "reset", "{'seed':1}");
    json_t *j = client_call(&c, "configure_streams", ONE(",'camera':'table'"));
    look_open(&l, j, 0);
    json_decref(j);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(client_call(&c, "configure_streams", "%s", cases[i].arguments));
        assert_int_equal(c.code, cases[i].code);
        assert_int_equal(streams_left(), 1);
    }
    client_do(&c, "sim_step", "{'agent_id':'me','action':1}");
    look_hash(&l); // still drawn
    look_close(&l);
    client_do(&c, "deregister_agent", "{'agent_id':'me'}");
    assert_int_equal(streams_left(), 0);
    client_stop(&c);
}

// A course of coup where seat_1 has another hand: what each camera shows of it.
static void see_hands(const char *hand, const char *visual, uint64_t own[4], uint64_t *all, uint64_t *voice)
{
    struct client c;
    struct look mine[4], master, talker;
    client_start(&c, "coup");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    client_do(&c, "register_agent",
              "{'agent_id':'da','agent_type':'DialogueAgent','scope':'embodied','config':{'avatar_id':'seat_1'}}");
    json_t *j = client_call(&c, "configure_streams",
                            "{'agent_id':'me','custom':{'streams':["
                            "{'name':'a','type':'rgb','width':100,'height':80},"
                            "{'name':'b','type':'segmentation','width':90,'height':90},"
                            "{'name':'c','type':'depth','width':64,'height':64},"
                            "{'name':'d','type':'rgb','width':64,'height':64,'camera':'table'}]}}");
    for (size_t i = 0; i < 4; i++)
        look_open(&mine[i], j, i);
    json_decref(j);
    j = client_call(
        &c, "configure_streams",
        "{'agent_id':'gm','custom':{'streams':[{'name':'a','type':'rgb','width':100,'height':100,'camera':'all'}]}}");
    look_open(&master, j, 0);
    json_decref(j);
    j = client_call(&c, "configure_streams",
                    "{'agent_id':'da','custom':{'streams':[{'name':'a','type':'rgb','width':100,'height':100}]}}");
    look_open(&talker, j, 0);
    json_decref(j);
    client_do(&c, "reset",
              "{'seed':5,'config':{'initial_state':{'bots':1,'hands':[['Duke','Contessa'],%s,['Captain','Captain'],"
              "['Assassin','Assassin']]},'domain_randomization':{'visual':{%s}}}}",
              hand, visual);
    client_do(&c, "sim_step", "{'agent_id':'me','action':{'type':'income'}}");
    client_do(&c, "sim_step", "{'agent_id':'gm','action':0}");
    client_do(&c, "sim_step", "{'agent_id':'da','action':0}");
    for (int i = 0; i < 4; i++) {
        own[i] = look_hash(&mine[i]);
        look_close(&mine[i]);
    }
    *all = look_hash(&master);
    *voice = look_hash(&talker);
    look_close(&master);
    look_close(&talker);
    client_stop(&c);
}

// C97, C100: the same hidden cards or others, the same picture; only who may see everything sees a difference.
static void test_secrecy(void **state)
{
    static const char *const visuals[] = {"", "'lighting_variation':0.8,'texture_noise':0.5,'camera_jitter':1"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint64_t own[3][4], all[3], voice[3];
        see_hands("['Duke','Captain']", visuals[i], own[0], &all[0], &voice[0]);
        see_hands("['Duke','Captain']", visuals[i], own[1], &all[1], &voice[1]);
        see_hands("['Ambassador','Contessa']", visuals[i], own[2], &all[2], &voice[2]);
        assert_memory_equal(own[0], own[1], sizeof own[0]);
        assert_memory_equal(own[0], own[2], sizeof own[0]);
        assert_true(all[0] == all[1] && all[0] != all[2]);
        assert_true(voice[0] == voice[1] && voice[0] == voice[2]); // G23.6
    }
}

static uint64_t see_visual(const char *visual, const char *command)
{
    struct client c;
    struct look l;
    client_start(&c, "belote");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    client_do(&c, "register_agent", "{'agent_id':'gm','agent_type':'GameMaster'}");
    json_t *j = client_call(&c, "configure_streams", "{'agent_id':'me'}");
    look_open(&l, j, 0);
    json_decref(j);
    client_do(&c, "reset", "{'seed':5,'config':{'domain_randomization':{'visual':{%s}}}}", visual);
    if (command)
        client_do(&c, "sim_step", "{'agent_id':'gm','action':%s}", command);
    client_do(&c, "sim_step", "{'agent_id':'me','action':0}");
    uint64_t hash = look_hash(&l);
    look_close(&l);
    client_stop(&c);
    return hash;
}

// G29.6: each of the draws, and the time of day, changes the picture, the same way every time.
static void test_visual(void **state)
{
    static const struct {
        const char *visual, *command;
    } cases[] = {
        {"", "{'type':'wait'}"},
        {"", "{'type':'set_time','hour':0,'minute':0}"},
        {"'lighting_variation':1", "{'type':'wait'}"},
        {"'texture_noise':1", "{'type':'wait'}"},
        {"'camera_jitter':1", "{'type':'wait'}"},
    };
    uint64_t hashes[5];
    (void)state;
    for (int i = 0; i < 5; i++) {
        hashes[i] = see_visual(cases[i].visual, cases[i].command);
        assert_true(hashes[i] == see_visual(cases[i].visual, cases[i].command));
        for (int k = 0; k < i; k++)
            assert_true(hashes[i] != hashes[k]);
    }
}

// G20.6: with the live clock a frame comes with every tick that changes the picture, and with no other.
static void test_live(void **state)
{
    struct client c;
    struct look l;
    (void)state;
    client_start(&c, "tetris");
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior','config':{'clock_mode':'live'}}");
    json_t *j = client_call(&c, "configure_streams", "{'agent_id':'me'}");
    look_open(&l, j, 0);
    json_decref(j);
    client_do(&c, "reset", "{'seed':5}");
    look_hash(&l);
    uint64_t first = l.frame.id, last = look_hash(&l), ticks = 0, frames = 0;
    for (int i = 0; i < 200; i++, ticks++) {
        uint64_t id = l.frame.id;
        c.now_us += 16000;
        env_advance(c.env, c.now_us);
        uint64_t hash = look_hash(&l);
        assert_true(l.frame.id == id ? hash == last : l.frame.id == id + 1 && hash != last);
        frames += l.frame.id - id;
        last = hash;
    }
    assert_true(l.frame.id == first + frames && frames > 0 && frames < ticks); // the piece falls, not every tick
    look_close(&l);
    client_stop(&c);
}

// Another game at the same table: the streams go on with its pictures (G22.3).
static void test_switch(void **state)
{
    struct client c;
    struct look rgb, flow;
    (void)state;
    client_start(&c, NULL);
    client_do(&c, "register_agent", "{'agent_id':'me','agent_type':'EntityBehavior'}");
    json_t *j = client_call(&c, "configure_streams", "{'agent_id':'me','profile':'motion'}");
    look_open(&rgb, j, 0);
    look_open(&flow, j, 1);
    json_decref(j);
    client_do(&c, "reset", "{'seed':5,'config':{'scenario':'tetris/marathon'}}");
    uint64_t tetris = look_hash(&rgb);
    client_do(&c, "reset", "{'seed':5,'config':{'scenario':'coup/players_4'}}");
    assert_true(look_hash(&rgb) != tetris);
    look_hash(&flow);
    for (size_t i = 0; i < flow.info.frame_bytes; i++)
        assert_int_equal(flow.pixels[i], 0);
    look_close(&rgb);
    look_close(&flow);
    client_stop(&c);
    assert_int_equal(streams_left(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profiles), cmocka_unit_test(test_frames), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_secrecy),  cmocka_unit_test(test_visual), cmocka_unit_test(test_live),
        cmocka_unit_test(test_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
