// Methods of Batch that concern one environment: copies for search, looking, keeping.
#include "batch.h"

static PyObject *none_or(struct batch *b, int status)
{
    return status < 0 ? raise_status(b->error, status) : Py_NewRef(Py_None);
}

static PyObject *number_or(struct batch *b, int status)
{
    return status < 0 ? raise_status(b->error, status) : PyLong_FromLong(status);
}

// The library names what is out of range; here numbers only have to fit.
static bool read_env(struct batch *b, PyObject *from, uint32_t *env)
{
    long long number;
    if (!batch_is_usable(b) || !number_get(b, from, "env", 0, (long long)b->at.envs * b->groups - 1, &number))
        return false;
    *env = (uint32_t)number;
    return true;
}

static bool read_viewer(struct batch *b, PyObject *from, uint32_t *viewer)
{
    long long number;
    if (!number_get(b, from, "seat", 0, b->at.seats, &number))
        return false;
    *viewer = (uint32_t)number;
    return true;
}

static bool read_seed(struct batch *b, PyObject *from, uint64_t *seed)
{
    PyObject *index = PyNumber_Index(from);
    if (!index)
        return false;
    *seed = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    if (*seed != UINT64_MAX || !PyErr_Occurred())
        return batch_is_usable(b); // as number_get
    PyErr_Clear();
    raise_text(b->error, AGON_RANGE, PyUnicode_FromFormat("seed must be 0 to 2**64 - 1, not %S", from));
    return false;
}

// ---- Copies ---------------------------------------------------------------------------------------------------------

static PyObject *environment_save(PyObject *self, PyObject *arg)
{
    struct batch *b = (struct batch *)self;
    uint32_t env;
    if (!read_env(b, arg, &env))
        return NULL;
    PyObject *out = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)b->at.snapshot_bytes);
    if (!out)
        return NULL;
    int size = agon_save(b->v, env, PyBytes_AsString(out), b->at.snapshot_bytes);
    if (size < 0) {
        Py_DECREF(out);
        return raise_status(b->error, size);
    }
    return out;
}

static PyObject *environment_load(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    PyObject *which;
    Py_buffer bytes;
    uint32_t env;
    if (!PyArg_ParseTuple(args, "Oy*:load", &which, &bytes))
        return NULL;
    PyObject *out = read_env(b, which, &env) ? none_or(b, agon_load(b->v, env, bytes.buf, (size_t)bytes.len)) : NULL;
    PyBuffer_Release(&bytes);
    return out;
}

// _copy(source, target): arrays of uint32 of one length.
static PyObject *environment_copy(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    PyObject *from, *to;
    Py_buffer source, target;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "OOn", &from, &to, &count) || !batch_is_usable(b))
        return NULL;
    if (!buffer_get(b, from, "source", 'I', count, false, &source))
        return NULL;
    if (!buffer_get(b, to, "target", 'I', count, false, &target)) {
        PyBuffer_Release(&source);
        return NULL;
    }
    PyObject *out = none_or(b, agon_copy(b->v, (uint32_t)count, source.buf, target.buf));
    PyBuffer_Release(&source);
    PyBuffer_Release(&target);
    return out;
}

static PyObject *environment_resample(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    PyObject *which, *who, *chance;
    uint32_t env, seat;
    uint64_t seed;
    if (!PyArg_ParseTuple(args, "OOO:resample", &which, &who, &chance) || !read_env(b, which, &env) ||
        !read_viewer(b, who, &seat) || !read_seed(b, chance, &seed))
        return NULL;
    return none_or(b, agon_resample(b->v, env, seat, seed));
}

// ---- Play -----------------------------------------------------------------------------------------------------------

// _apply(env, action, rewards): whether the match is over.
static PyObject *environment_apply(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    PyObject *which, *what, *into;
    Py_buffer rewards;
    uint32_t env;
    long long action;
    if (!PyArg_ParseTuple(args, "OOO", &which, &what, &into) || !read_env(b, which, &env) ||
        !number_get(b, what, "action", INT32_MIN, INT32_MAX, &action) ||
        !buffer_get(b, into, "rewards", 'f', b->at.seats, true, &rewards))
        return NULL;
    int status = agon_apply(b->v, env, (int32_t)action, rewards.buf);
    PyBuffer_Release(&rewards);
    return status < 0 ? raise_status(b->error, status) : PyBool_FromLong(status);
}

// _advise(env, bot or None, effort, seed)
static PyObject *environment_advise(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    PyObject *which, *hard, *chance;
    const char *bot;
    uint32_t env;
    long long effort;
    uint64_t seed;
    if (!PyArg_ParseTuple(args, "OzOO", &which, &bot, &hard, &chance) || !read_env(b, which, &env) ||
        !number_get(b, hard, "effort", 0, 1000000, &effort) || !read_seed(b, chance, &seed))
        return NULL;
    int status;
    b->busy = true;
    Py_BEGIN_ALLOW_THREADS // bots that search take their time
        status = agon_advise(b->v, env, bot, (uint32_t)effort, seed);
    Py_END_ALLOW_THREADS b->busy = false;
    return number_or(b, status);
}

static PyObject *environment_hash(PyObject *self, PyObject *arg)
{
    struct batch *b = (struct batch *)self;
    uint32_t env;
    if (!read_env(b, arg, &env))
        return NULL;
    int status = agon_asked(b->v, env); // a hash has no room for a status
    return status < 0 ? raise_status(b->error, status) : PyLong_FromUnsignedLongLong(agon_hash(b->v, env));
}

// asked_seat(env): the seat that is asked, or None.
static PyObject *environment_asked(PyObject *self, PyObject *arg)
{
    struct batch *b = (struct batch *)self;
    uint32_t env;
    if (!read_env(b, arg, &env))
        return NULL;
    int seat = agon_asked(b->v, env);
    return seat == AGON_NOBODY ? Py_NewRef(Py_None) : number_or(b, seat);
}

static PyObject *environment_payoffs(PyObject *self, PyObject *arg)
{
    struct batch *b = (struct batch *)self;
    int32_t paid[AGON_MAX_SEATS];
    uint32_t env;
    if (!read_env(b, arg, &env))
        return NULL;
    int status = agon_payoffs(b->v, env, paid);
    if (status < 0)
        return raise_status(b->error, status);
    PyObject *out = PyList_New(0);
    for (uint32_t s = 0; out && s < b->at.seats; s++) {
        PyObject *number = PyLong_FromLong(paid[s]);
        if (!number || PyList_Append(out, number) < 0)
            Py_CLEAR(out);
        Py_XDECREF(number);
    }
    return out;
}

static bool get_part(struct batch *b, PyObject *from, const char *name, char format, uint64_t count, Py_buffer *out)
{
    return from == Py_None || buffer_get(b, from, name, format, (Py_ssize_t)count, true, out);
}

// _write_row(env, seat, observation, mask, tokens): arrays or None.
static PyObject *environment_write_row(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    PyObject *which, *who, *into[3];
    Py_buffer part[3];
    uint32_t env, seat;
    memset(part, 0, sizeof part);
    if (!PyArg_ParseTuple(args, "OOOOO", &which, &who, &into[0], &into[1], &into[2]) || !read_env(b, which, &env) ||
        !read_viewer(b, who, &seat))
        return NULL;
    char format = b->dtype == AGON_U8 ? 'B' : 'f';
    PyObject *out = NULL;
    if (get_part(b, into[0], "observation", format, b->at.vector, &part[0]) &&
        get_part(b, into[1], "mask", 'b', b->at.actions, &part[1]) &&
        get_part(b, into[2], "tokens", 'h', b->at.tokens * 4u, &part[2]))
        out = none_or(b, agon_write_row(b->v, env, seat, part[0].buf, part[1].buf, part[2].buf));
    for (int i = 0; i < 3; i++)
        if (part[i].obj)
            PyBuffer_Release(&part[i]);
    return out;
}

// ---- To look at and to keep -----------------------------------------------------------------------------------------

static PyObject *environment_text(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    PyObject *which, *who;
    uint32_t env, viewer;
    if (!PyArg_ParseTuple(args, "OO", &which, &who) || !read_env(b, which, &env) || !read_viewer(b, who, &viewer))
        return NULL;
    int size = agon_text(b->v, env, viewer, NULL, 0);
    if (size < 0)
        return raise_status(b->error, size);
    char *text = PyMem_Malloc((size_t)size + 1);
    if (!text)
        return PyErr_NoMemory();
    size = agon_text(b->v, env, viewer, text, (size_t)size + 1);
    PyObject *out = size < 0 ? raise_status(b->error, size) : PyUnicode_DecodeUTF8(text, size, "strict");
    PyMem_Free(text);
    return out;
}

// _picture(env, viewer, width, height, array)
static PyObject *environment_picture(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    PyObject *which, *who, *into;
    Py_buffer rgb;
    uint32_t env, viewer;
    int width, height;
    if (!PyArg_ParseTuple(args, "OOiiO", &which, &who, &width, &height, &into) || !read_env(b, which, &env) ||
        !read_viewer(b, who, &viewer) ||
        !buffer_get(b, into, "picture", 'B', (Py_ssize_t)width * height * 3, true, &rgb))
        return NULL;
    PyObject *out = none_or(b, agon_picture(b->v, env, viewer, (uint32_t)width, (uint32_t)height, rgb.buf));
    PyBuffer_Release(&rgb);
    return out;
}

static PyObject *environment_record(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    PyObject *which;
    uint32_t env;
    int on = 1;
    if (!PyArg_ParseTuple(args, "O|p:record", &which, &on) || !read_env(b, which, &env))
        return NULL;
    return none_or(b, agon_record(b->v, env, on));
}

static PyObject *environment_replay(PyObject *self, PyObject *arg)
{
    struct batch *b = (struct batch *)self;
    uint32_t env;
    if (!read_env(b, arg, &env))
        return NULL;
    int64_t size = agon_replay(b->v, env, NULL, 0);
    if (size < 0)
        return raise_status(b->error, (int)size);
    PyObject *out = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (!out)
        return NULL;
    size = agon_replay(b->v, env, PyBytes_AsString(out), (size_t)size);
    if (size >= 0)
        return out;
    Py_DECREF(out);
    return raise_status(b->error, (int)size);
}

#define DOC(signature, text) signature "\n--\n\n" text

PyMethodDef batch_environment_methods[] = {
    {"_copy", environment_copy, METH_VARARGS, NULL},
    {"_apply", environment_apply, METH_VARARGS, NULL},
    {"_advise", environment_advise, METH_VARARGS, NULL},
    {"_write_row", environment_write_row, METH_VARARGS, NULL},
    {"_text", environment_text, METH_VARARGS, NULL},
    {"_picture", environment_picture, METH_VARARGS, NULL},
    {"save", environment_save, METH_O,
     DOC("save($self, env, /)",
         "A snapshot of one environment, for :meth:`load` of a Vec of the same game and rules.")},
    {"load", environment_load, METH_VARARGS,
     DOC("load($self, env, snapshot, /)",
         "Put a snapshot into one environment. Load only what you made: damage is recognised, forgery is not.")},
    {"resample", environment_resample, METH_VARARGS,
     DOC("resample($self, env, seat, seed, /)",
         "Draw again all that ``seat`` cannot know: the same view, another world.")},
    {"hash", environment_hash, METH_O,
     DOC("hash($self, env, /)", "Hash of the state: equal states have equal hashes.")},
    {"asked_seat", environment_asked, METH_O,
     DOC("asked_seat($self, env, /)", "The seat that is asked, or None at an end.")},
    {"payoffs", environment_payoffs, METH_O,
     DOC("payoffs($self, env, /)", "What the match has paid to each seat so far, as the game counts it.")},
    {"record", environment_record, METH_VARARGS,
     DOC("record($self, env, on=True, /)", "Keep a log of this environment from its next episode on.")},
    {"replay", environment_replay, METH_O,
     DOC("replay($self, env, /)", "The last finished episode that was recorded, as ``agon replay`` reads it.")},
    {NULL, NULL, 0, NULL},
};
