// Vision streams: what an agent's camera sees, as pictures in shared memory (G20, G29).
#include "env/vision.h"
#include "base/base64.h"
#include "base/hash.h"
#include "crypto/crypto.h"
#include "env/advance.h"
#include "env/arguments.h"
#include "env/host.h"
#include "env/job.h"
#include "env/record.h"
#include "env/schema.h"
#include "env/step_result.h"
#include "env/tools.h"
#include "kit/picture.h"
#include "vision/ring.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_STREAMS = 8, NAME_ROOM = 49, STREAM_ID_ROOM = 64 };
enum camera { SEAT_CAMERA, TABLE_CAMERA, ALL_CAMERA, BOARD_CAMERA };

static const char *const type_names[] = {"rgb", "depth", "segmentation", "flow", NULL};
static const char *const camera_names[] = {"seat", "table", "all", "board", NULL};

// By type: name and number of the pixel format; its form as an array (G19.5).
static const struct {
    const char *name;
    uint32_t number;
    const char *dtype;
    int channels;
} formats[RENDER_TYPES] = {
    {"rgb8", 2, "uint8", 3}, {"r32f", 3, "float32", 1}, {"rgba8", 0, "uint8", 4}, {"rg32f", 4, "float32", 2}};

struct stream_spec {
    char name[NAME_ROOM];
    uint8_t type, camera;
    uint32_t width, height;
};

struct stream {
    struct vision_ring ring;
    char id[STREAM_ID_ROOM];
    struct stream_spec spec;
    struct render_past past;
    uint64_t seen; // hash of what the last frame shows
};

struct env_streams {
    int count;
    struct stream at[MAX_STREAMS];
};

// --- profiles and what a game offers (G20.2, G29.2)

static const struct profile {
    const char *name;
    bool flows; // only if something moves by itself
    int count;
    struct stream_spec stream[3];
} profiles[] = {
    {"policy_fast", false, 1, {{"rgb", RENDER_RGB, 0, 224, 224}}},
    {"policy_quality", false, 2, {{"rgb", RENDER_RGB, 0, 512, 512}, {"depth", RENDER_DEPTH, 0, 512, 512}}},
    {"perception",
     false,
     3,
     {{"rgb", RENDER_RGB, 0, 224, 224},
      {"segmentation", RENDER_SEGMENTATION, 0, 224, 224},
      {"depth", RENDER_DEPTH, 0, 224, 224}}},
    {"motion", true, 2, {{"rgb", RENDER_RGB, 0, 224, 224}, {"flow", RENDER_FLOW, 0, 224, 224}}},
};
enum { PROFILES = sizeof profiles / sizeof *profiles };

static bool has_flow(const struct env_game *row)
{
    return row->picture && row->picture->flows;
}

static bool is_offered(const struct profile *p, const struct env_game *row)
{
    return !p->flows || has_flow(row);
}

// A game with one seat has a board, but no table.
static bool has_board(const struct game *g)
{
    return g->max_seats == 1;
}

static bool may_use(const struct env_agent *a, enum camera camera)
{
    if (has_board(a->table->row->game))
        return camera == BOARD_CAMERA;
    switch (camera) {
    case SEAT_CAMERA:
        return a->scope == ENV_EMBODIED;
    case TABLE_CAMERA:
        return true;
    case ALL_CAMERA:
        return a->capabilities & ENV_DEBUG;
    default:
        return false;
    }
}

static enum camera usual_camera(const struct env_agent *a)
{
    if (has_board(a->table->row->game))
        return BOARD_CAMERA;
    return a->scope == ENV_EMBODIED ? SEAT_CAMERA : TABLE_CAMERA;
}

void env_put_profiles(struct text *t, const struct env_game *row)
{
    json_begin_object_at(t, "stream_profiles");
    for (int i = 0; i < PROFILES; i++) {
        const struct profile *p = &profiles[i];
        if (!is_offered(p, row))
            continue;
        json_begin_object_at(t, p->name);
        json_begin_array_at(t, "streams");
        for (int k = 0; k < p->count; k++) {
            json_begin_object(t);
            json_put_text(t, "name", p->stream[k].name);
            json_put_text(t, "type", type_names[p->stream[k].type]);
            json_put_uint(t, "width", p->stream[k].width);
            json_put_uint(t, "height", p->stream[k].height);
            json_end_object(t);
        }
        json_end_array(t);
        json_end_object(t);
    }
    json_end_object(t);
}

void env_put_cameras(struct text *t, const struct env_game *row)
{
    json_begin_array_at(t, "cameras");
    for (int i = 0; camera_names[i]; i++)
        if ((i == BOARD_CAMERA) == has_board(row->game))
            json_write_text(t, camera_names[i]);
    json_end_array(t);
    json_begin_array_at(t, "stream_types");
    for (int i = 0; type_names[i]; i++)
        if (i != RENDER_FLOW || has_flow(row))
            json_write_text(t, type_names[i]);
    json_end_array(t);
}

// --- pictures

// What a camera sees: only views.
struct sight {
    struct render_eyes eyes;
    union game_view view, hand[GAME_MAX_SEATS];
    char text[KIT_PICTURE_TEXT]; // of a game without pictures
};

static void open_hand(struct sight *s, const struct env_table *t, int seat)
{
    t->row->game->view(&t->match.state, seat, &s->hand[seat]);
    s->eyes.hand[seat] = &s->hand[seat];
}

// A camera that the agent has lost (another game, no debug any more) shows what everybody may see. The voice of a seat
// does not see its cards (G23.6).
static void fill_views(struct sight *s, const struct env_agent *a, enum camera camera)
{
    const struct env_table *t = a->table;
    const struct game *g = t->row->game;
    bool plays = a->type == ENV_ENTITY && a->seat >= 0;
    camera = may_use(a, camera) ? camera : usual_camera(a);
    s->eyes = (struct render_eyes){.picture = t->row->picture, .seats = t->match.seats};
    if (!t->episode || (a->seat >= 0 && a->seat >= t->match.seats))
        return;
    struct game_turn turn = g->turn(&t->match.state);
    s->eyes.to_act = turn.kind == TURN_OVER || turn.kind == TURN_FREE ? 0 : turn.seats;
    s->eyes.view = &s->view;
    s->eyes.bottom = camera == SEAT_CAMERA ? a->seat : 0;
    int viewer = plays && camera != TABLE_CAMERA ? a->seat : GAME_SPECTATOR;
    g->view(&t->match.state, viewer, &s->view);
    if (camera == SEAT_CAMERA && plays)
        open_hand(s, t, a->seat);
    for (int seat = 0; camera == ALL_CAMERA && seat < t->match.seats; seat++)
        open_hand(s, t, seat);
    struct codec_table names = env_codec_table(t, viewer);
    kit_draw_text(t->row->codec, &names, &s->eyes, s->text);
}

// G29.6: from 0.4 at midnight to 1 at noon and back, times the light of the episode.
static uint32_t light_of(const struct env_table *t)
{
    uint32_t minute = 60u * t->hour + t->minute;
    uint32_t day = 26214 + 39322 * (minute < 720 ? minute : 1440 - minute) / 720;
    double drawn = t->visual[0] > 0 ? t->visual[0] : 1; // 0: no light was drawn
    return (uint32_t)(day * drawn);
}

// Jitter is the same for all streams of a tick; each has its own grain.
static void set_visual(struct render_frame *f, const struct env_table *t, int number)
{
    struct rng root = rng_from_key(t->key), pictures = rng_split(&root, MATCH_PICTURES);
    f->light = light_of(t);
    if (t->visual[1] > 0) {
        struct rng stream = rng_split(&pictures, (uint64_t)number + 1), dice = rng_section(&stream, (uint32_t)t->tick);
        f->noise = (int)(32 * t->visual[1]);
        f->grain = rng_u64(&dice);
    }
    if (t->visual[2] > 0) {
        struct rng dice = rng_section(&pictures, (uint32_t)t->tick);
        int32_t most = (int32_t)(0.08 * 65536 * t->visual[2]);
        f->shift_x = (int32_t)rng_below(&dice, (uint32_t)(2 * most + 1)) - most;
        f->shift_y = (int32_t)rng_below(&dice, (uint32_t)(2 * most + 1)) - most;
    }
}

static uint64_t hash_picture(const struct render_list *l, const struct render_frame *f)
{
    uint64_t all[] = {hash_bytes(l->at, (size_t)l->count * sizeof l->at[0]), f->light, f->grain, (uint32_t)f->shift_x,
                      (uint32_t)f->shift_y};
    return hash_bytes(all, sizeof all);
}

// A drawing serves all streams of a camera.
struct drawing {
    struct render_list list;
    struct sight sight;
    int camera; // of the list; -1: none yet
};

void env_paint_seat(struct env_agent *a, int width, int height, uint8_t *rgb)
{
    struct drawing *d = malloc(sizeof *d);
    struct render_frame f = {.type = RENDER_RGB, .width = width, .height = height, .light = 65536};
    if (!d)
        abort();
    fill_views(&d->sight, a, usual_camera(a));
    render_draw(&d->list, &d->sight.eyes);
    render_paint(&d->list, &f, rgb);
    free(d);
}

static struct render_frame prepare_frame(struct drawing *d, struct env_agent *a, int i)
{
    struct stream *s = &a->streams->at[i];
    struct render_frame f = {.type = (enum render_type)s->spec.type,
                             .width = (int)s->spec.width,
                             .height = (int)s->spec.height,
                             .past = s->spec.type == RENDER_FLOW ? &s->past : NULL};
    if (s->spec.camera != d->camera) {
        fill_views(&d->sight, a, (enum camera)s->spec.camera);
        render_draw(&d->list, &d->sight.eyes);
        d->camera = s->spec.camera;
    }
    set_visual(&f, a->table, i);
    return f;
}

struct painting {
    const struct render_list *list;
    const struct render_frame *frame;
    struct env_agent *agent;
    struct stream *stream;
    struct text *text; // of env_put_pictures; NULL: into the ring of the stream
};

static uint64_t pixels_of(const struct stream *s)
{
    return (uint64_t)s->spec.width * s->spec.height;
}

static void paint_frame(void *arg)
{
    struct painting *p = arg;
    render_paint(p->list, p->frame, vision_ring_begin(&p->stream->ring));
    vision_ring_end(&p->stream->ring, p->agent->table->tick, p->agent->table->group->step_id);
}

// A large picture takes a worker thread 10 ms or more; the loop continues meanwhile.
static void run_painting(struct painting *p, work_run *run)
{
    struct env *env = p->agent->table->group->env;
    uint64_t pixels = pixels_of(p->stream);
    if (pixels > ENV_AWAY_PIXELS) {
        env_offload(env, run, p);
        return;
    }
    run(p);
    env_spend(env, 1 + (uint32_t)(pixels / ENV_COST_PIXELS));
}

// Draws the streams of an agent; with `changed`, only those that differ from their last frame.
static void draw_streams(struct env_agent *a, bool changed)
{
    struct drawing d;
    d.camera = -1;
    for (int i = 0; i < a->streams->count; i++) {
        struct stream *s = &a->streams->at[i];
        struct render_frame f = prepare_frame(&d, a, i);
        uint64_t seen = hash_picture(&d.list, &f);
        if (changed && s->ring.next && seen == s->seen)
            continue;
        s->seen = seen;
        run_painting(&(struct painting){.list = &d.list, .frame = &f, .agent = a, .stream = s}, paint_frame);
    }
}

void env_vision_tick(struct env_table *t)
{
    for (struct env_agent *a = t->agents; a; a = a->next_at_table)
        if (a->streams)
            draw_streams(a, true);
}

void env_put_frames(struct text *t, struct env_agent *a, enum env_step_purpose purpose)
{
    if (!a->streams)
        return;
    if (purpose != ENV_OBSERVE_ONLY)
        draw_streams(a, purpose == ENV_OBSERVE_STEP && env_clock_of(a->table) == ENV_LIVE);
    json_begin_object_at(t, "frame_ids");
    for (int i = 0; i < a->streams->count; i++)
        if (a->streams->at[i].ring.next)
            json_put_uint(t, a->streams->at[i].id, a->streams->at[i].ring.next - 1);
    json_end_object(t);
}

// --- pictures of a recording: pixels follow from the state, so only the streams are recorded, and saving draws again

void env_put_streams(struct text *t, const struct env_agent *a)
{
    json_begin_array_at(t, "streams");
    for (int i = 0; a->streams && i < a->streams->count; i++) {
        const struct stream_spec *spec = &a->streams->at[i].spec;
        json_begin_object(t);
        json_put_text(t, "name", spec->name);
        json_put_text(t, "type", type_names[spec->type]);
        json_put_uint(t, "width", spec->width);
        json_put_uint(t, "height", spec->height);
        json_put_text(t, "camera", camera_names[spec->camera]);
        json_end_object(t);
    }
    json_end_array(t);
}

static void name_stream(struct stream *s, const struct stream_spec *spec, int number)
{
    s->spec = *spec;
    snprintf(s->id, sizeof s->id, "%.48s_%d", spec->name, number);
}

static bool read_recorded(struct span json, struct stream_spec *spec)
{
    struct span name, type, width, height, camera;
    if (!json_find_member(json, "name", &name) || !json_find_member(json, "type", &type) ||
        !json_find_member(json, "width", &width) || !json_find_member(json, "height", &height) ||
        !json_find_member(json, "camera", &camera) ||
        json_string_copy(env_json_string(name), spec->name, sizeof spec->name) <= 0)
        return false;
    int of_type = json_string_among(env_json_string(type), type_names);
    int by_camera = json_string_among(env_json_string(camera), camera_names);
    int64_t sides[2] = {env_json_int(width), env_json_int(height)};
    for (int i = 0; i < 2; i++)
        if (sides[i] < 1 || sides[i] > RENDER_MAX_SIZE)
            return false;
    spec->type = (uint8_t)of_type;
    spec->camera = (uint8_t)by_camera;
    spec->width = (uint32_t)sides[0];
    spec->height = (uint32_t)sides[1];
    return of_type >= 0 && by_camera >= 0;
}

bool env_vision_imagine(struct env_agent *a, struct span streams)
{
    struct env_streams *fresh = calloc(1, sizeof *fresh);
    struct json_reader in = json_reader_of(streams, 8);
    bool good = true;
    if (!fresh)
        abort();
    for (json_enter_array(&in); good && json_next_item(&in);) {
        struct stream_spec spec = {0};
        good = fresh->count < MAX_STREAMS && read_recorded(json_read_raw(&in), &spec);
        if (good)
            name_stream(&fresh->at[fresh->count], &spec, fresh->count);
        fresh->count += good;
    }
    good = good && json_finish(&in) == OK;
    env_vision_release(a);
    if (good && fresh->count)
        a->streams = fresh;
    else
        free(fresh);
    return good;
}

static void put_picture(void *arg)
{
    struct painting *p = arg;
    const struct render_frame *f = p->frame;
    struct text *t = p->text;
    size_t bytes = (size_t)render_pixel_size(f->type) * pixels_of(p->stream);
    void *pixels = malloc(bytes);
    if (!pixels)
        abort();
    render_paint(p->list, f, pixels);
    json_begin_object_at(t, p->stream->id);
    json_put_text(t, "dtype", formats[f->type].dtype);
    json_begin_array_at(t, "shape");
    json_write_int(t, f->height);
    json_write_int(t, f->width);
    json_write_int(t, formats[f->type].channels);
    json_end_array(t);
    json_key(t, "data");
    text_put_char(t, '"');
    base64_write(t, pixels, bytes);
    text_put_char(t, '"');
    json_end_object(t);
    free(pixels);
}

uint64_t env_put_pictures(struct text *t, struct env_agent *a)
{
    struct drawing d;
    uint64_t sum = 0;
    d.camera = -1;
    json_begin_object_at(t, "frames");
    for (int i = 0; i < a->streams->count; i++) {
        struct stream *s = &a->streams->at[i];
        struct render_frame f = prepare_frame(&d, a, i);
        run_painting(&(struct painting){.list = &d.list, .frame = &f, .agent = a, .stream = s, .text = t}, put_picture);
        sum += (uint64_t)render_pixel_size(f.type) * pixels_of(s);
    }
    json_end_object(t);
    return sum;
}

// --- life

void env_vision_release(struct env_agent *a)
{
    struct env *env = a->table->group->env;
    for (int i = 0; a->streams && i < a->streams->count; i++) {
        env->vision_bytes -= a->streams->at[i].ring.size;
        vision_ring_close(&a->streams->at[i].ring);
    }
    free(a->streams);
    a->streams = NULL;
}

void env_vision_sweep(const struct env *env)
{
    vision_sweep(env->o.vision_dir);
}

// --- configure_streams

static bool bad_stream(struct env *env, int i, const char *member, const char *expected, struct env_result *r)
{
    char path[64];
    snprintf(path, sizeof path, "/custom/streams/%d/%s", i, member);
    *r = env_bad(env, path, expected, NULL);
    return false;
}

static bool read_stream(struct env_agent *a, struct span json, int i, struct stream_spec *spec, struct env_result *r)
{
    struct env *env = a->table->group->env;
    struct span value;
    json_find_member(json, "name", &value);
    json_string_copy(env_json_string(value), spec->name, sizeof spec->name);
    json_find_member(json, "type", &value);
    spec->type = (uint8_t)json_string_among(env_json_string(value), type_names);
    json_find_member(json, "width", &value);
    spec->width = (uint32_t)env_json_int(value);
    json_find_member(json, "height", &value);
    spec->height = (uint32_t)env_json_int(value);
    if (spec->type == RENDER_FLOW && !has_flow(a->table->row))
        return bad_stream(env, i, "type", "one of agon.stream_types of game://manifest", r);
    spec->camera = (uint8_t)usual_camera(a);
    if (!json_find_member(json, "camera", &value))
        return true;
    int camera = json_string_among(env_json_string(value), camera_names);
    if (camera < 0 || !may_use(a, (enum camera)camera))
        return bad_stream(env, i, "camera", "a camera of agon.cameras that this agent may use", r);
    spec->camera = (uint8_t)camera;
    return true;
}

static int read_custom(struct env_agent *a, struct span custom, struct stream_spec *specs, struct env_result *r)
{
    struct span list;
    int count = 0;
    bool many = false;
    json_find_member(custom, "streams", &list);
    struct json_reader in = json_reader_of(list, 64);
    for (json_enter_array(&in); json_next_item(&in); count++) {
        struct stream_spec extra;
        struct span stream = json_read_raw(&in);
        many |= count >= MAX_STREAMS;
        if (!read_stream(a, stream, count, many ? &extra : &specs[count], r))
            return -1;
    }
    if (!many)
        return count;
    struct env *env = a->table->group->env;
    *r = env_refuse_because(env, -32004, "ResourceExhausted", "An agent has at most %d streams.", MAX_STREAMS);
    env_refusal_int(env, r, "limit", MAX_STREAMS);
    return -1;
}

static const struct profile *find_profile(const struct env_agent *a, struct span name)
{
    if (!name.size)
        return &profiles[0];
    for (int i = 0; i < PROFILES; i++)
        if (json_string_is(env_json_string(name), profiles[i].name) && is_offered(&profiles[i], a->table->row))
            return &profiles[i];
    return NULL;
}

// G20.8: before anything is allocated. Replaced streams do not count.
static bool check_memory(const struct env_agent *a, const struct stream_spec *specs, int count, struct env_result *r)
{
    struct env *env = a->table->group->env;
    uint64_t limit = (uint64_t)env->o.vision_memory_mib << 20, sum = env->vision_bytes;
    for (int i = 0; a->streams && i < a->streams->count; i++)
        sum -= a->streams->at[i].ring.size;
    for (int i = 0; i < count; i++)
        sum += vision_ring_size(specs[i].width, specs[i].height,
                                (uint32_t)render_pixel_size((enum render_type)specs[i].type));
    if (sum <= limit)
        return true;
    *r = env_refuse_because(env, -32004, "ResourceExhausted",
                            "The streams would need %llu bytes; all of them together may have %llu (--vision-memory).",
                            (unsigned long long)sum, (unsigned long long)limit);
    env_refusal_int(env, r, "limit", (int64_t)limit);
    return false;
}

static int open_stream(struct env *env, struct stream *s, const struct stream_spec *spec, int number)
{
    name_stream(s, spec, number);
    while (!env->vision_session)
        crypto_random(&env->vision_session, sizeof env->vision_session);
    return vision_ring_open(&s->ring, &(struct vision_spec){
                                          .dir = env->o.vision_dir,
                                          .stream_id = s->id,
                                          .session = env->vision_session,
                                          .number = env->vision_number++,
                                          .width = spec->width,
                                          .height = spec->height,
                                          .bytes_per_pixel = (uint32_t)render_pixel_size((enum render_type)spec->type),
                                          .pixel_format = formats[spec->type].number,
                                          .crc = env->o.vision_crc,
                                      });
}

static bool refuse_open(struct env *env, int err, struct env_result *r)
{
    bool full = err == ENOSPC || err == ENOMEM || err == EDQUOT || err == EFBIG || err == EMFILE || err == ENFILE;
    *r = env_refuse_because(env, full ? -32004 : -32603, full ? "ResourceExhausted" : "Internal",
                            "The shared memory of a stream cannot be made: %s.", strerror(err));
    return false;
}

// Opens all streams or none. If none, the agent keeps the streams that it had.
static bool replace_streams(struct env_agent *a, const struct stream_spec *specs, int count, struct env_result *r)
{
    struct env *env = a->table->group->env;
    struct env_streams *fresh = calloc(1, sizeof *fresh);
    int err = fresh ? 0 : ENOMEM;
    for (int i = 0; i < count && !err; i++)
        if (!(err = open_stream(env, &fresh->at[i], &specs[i], i)))
            fresh->count++;
    for (int i = 0; err && fresh && i < fresh->count; i++)
        vision_ring_close(&fresh->at[i].ring);
    if (err || !count) {
        free(fresh);
        fresh = NULL;
    }
    if (err)
        return refuse_open(env, err, r);
    env_vision_release(a);
    a->streams = fresh;
    for (int i = 0; i < count; i++)
        env->vision_bytes += fresh->at[i].ring.size;
    return true;
}

static void write_descriptor(struct text *t, const struct stream *s)
{
    json_begin_object(t);
    json_put_text(t, "stream_id", s->id);
    json_put_uint(t, "width", s->spec.width);
    json_put_uint(t, "height", s->spec.height);
    json_put_text(t, "pixel_format", formats[s->spec.type].name);
    json_put_int(t, "ring_count", VISION_RING_COUNT);
    json_begin_object_at(t, "transport");
    json_put_text(t, "type", "shm");
    json_put_text(t, "shm_name", s->ring.name);
    json_begin_array_at(t, "offsets");
    for (int i = 0; i < VISION_RING_COUNT; i++)
        json_write_uint(t, vision_ring_offset(&s->ring, i));
    json_end_array(t);
    json_put_uint(t, "size", s->ring.size);
    json_put_uint(t, "row_stride", s->ring.frame_bytes / s->spec.height);
    json_put_int(t, "slot_header", 64);
    json_end_object(t);
    json_put_raw(t, "sync", SPAN("{\"type\":\"polling\",\"handle\":128,\"futex_offset\":192}"));
    json_put_text(t, "type", type_names[s->spec.type]);
    json_put_text(t, "camera", camera_names[s->spec.camera]);
    json_end_object(t);
}

static bool reply_streams(const struct env_agent *a, const struct profile *p, struct env_result *r)
{
    struct env *env = a->table->group->env;
    struct text *t = &env->out;
    t->size = 0;
    json_begin_object(t);
    json_put_text(t, "agent_id", a->id);
    if (p)
        json_put_text(t, "profile", p->name);
    json_begin_array_at(t, "streams");
    for (int i = 0; a->streams && i < a->streams->count; i++)
        write_descriptor(t, &a->streams->at[i]);
    json_end_array(t);
    json_end_object(t);
    return env_answer(env, r);
}

bool env_configure_streams(struct env_conn *c, struct env_pending *call, const struct env_arguments *arguments,
                           struct env_result *r)
{
    struct stream_spec specs[MAX_STREAMS];
    struct span name = SPAN(""), custom;
    const struct profile *p = NULL;
    int count;
    (void)call;
    bool has_custom = env_argument(arguments, "custom", &custom);
    if (env_argument(arguments, "profile", &name) && has_custom) {
        *r = env_bad(c->env, "/custom", "either profile or custom", NULL);
        return true;
    }
    struct env_agent *a = env_agent_argument(c, arguments, r);
    if (!a)
        return true;
    if (has_custom) {
        count = read_custom(a, custom, specs, r);
    } else if ((p = find_profile(a, name))) {
        count = p->count;
        memcpy(specs, p->stream, sizeof p->stream);
        for (int i = 0; i < count; i++)
            specs[i].camera = (uint8_t)usual_camera(a);
    } else {
        *r = env_bad(c->env, "/profile", "a name of stream_profiles of game://manifest", "unknown");
        return true;
    }
    if (count < 0 || !check_memory(a, specs, count, r) || !replace_streams(a, specs, count, r))
        return true;
    env_record_streams(a);
    return reply_streams(a, p, r);
}
