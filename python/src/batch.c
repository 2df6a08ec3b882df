// Batch: an agon_vec with its buffers. Everything that a step touches was checked when it was bound (V22).
#include "batch.h"

#include <stddef.h>

// ---- Checks ---------------------------------------------------------------------------------------------------------

// A thread that was inside a call when the process forked is not in the child: nobody is.
static bool is_forked(struct batch *b)
{
    struct agon_layout at = agon_no_layout();
    return agon_get_layout(b->v, &at) == AGON_FORKED;
}

bool batch_is_usable(struct batch *b)
{
    if (b->v && b->busy && is_forked(b))
        b->busy = false;
    if (!b->v)
        PyErr_SetString(PyExc_RuntimeError, "this Vec is closed; make another with agon.vec()");
    else if (b->busy)
        PyErr_SetString(PyExc_RuntimeError, "another thread is using this Vec; a Vec is for one thread at a time");
    else
        return true;
    return false;
}

static bool refuse_type(PyObject *kind, const char *name, const char *wanted, PyObject *given)
{
    PyObject *type = PyType_GetName(Py_TYPE(given));
    if (type)
        PyErr_Format(kind, "%s must be %s, not %S", name, wanted, type);
    Py_XDECREF(type);
    return false;
}

bool number_get(struct batch *b, PyObject *from, const char *name, long long low, long long high, long long *out)
{
    int overflow = 0;
    if (!PyIndex_Check(from))
        return refuse_type(PyExc_TypeError, name, "an integer", from);
    PyObject *index = PyNumber_Index(from); // numpy's integers too
    if (!index)
        return false;
    *out = PyLong_AsLongLongAndOverflow(index, &overflow);
    Py_DECREF(index);
    if (!overflow && *out >= low && *out <= high)
        return batch_is_usable(b); // __index__ may have closed it, or let another thread use it
    if (!PyErr_Occurred())
        raise_text(b->error, AGON_RANGE,
                   PyUnicode_FromFormat("%s must be %lld to %lld, not %S", name, low, high, from));
    return false;
}

// What struct module calls the type of an element, without its prefix for this machine's byte order.
static char format_of(const Py_buffer *view)
{
    const char *f = view->format ? view->format : "B";
    if (*f == '@' || *f == '=' || *f == '<')
        f++;
    if (!f[0] || f[1])
        return 'x';
    switch (*f) {
    case 'l':
    case 'q':
        return view->itemsize == 8 ? 'q' : 'i';
    case 'L':
    case 'Q':
        return view->itemsize == 8 ? 'Q' : 'I';
    default:
        return *f;
    }
}

// How messages call the type of a buffer's elements; `own` is what its exporter calls it.
static const char *type_name(char format, const char *own)
{
    static const struct {
        char format;
        const char *name;
    } types[] = {{'f', "float32"}, {'B', "uint8"},   {'b', "int8"},   {'?', "bool"},  {'h', "int16"},
                 {'H', "uint16"},  {'i', "int32"},   {'I', "uint32"}, {'q', "int64"}, {'Q', "uint64"},
                 {'d', "float64"}, {'e', "float16"}, {'O', "object"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].format == format)
            return types[i].name;
    return own;
}

// Bytes are bytes: a mask may be bool, int8 or uint8.
static bool is_format(char is, char wanted)
{
    bool both = wanted == 'b' || wanted == '?';
    return is == wanted || (both && (is == 'b' || is == 'B' || is == '?'));
}

static bool get_view(PyObject *from, const char *name, Py_buffer *out)
{
    if (PyObject_GetBuffer(from, out, PyBUF_RECORDS_RO) == 0) // no array of pointers to its rows
        return true;
    PyErr_Clear();
    return refuse_type(PyExc_BufferError, name, "an array with the buffer protocol, such as one of numpy", from);
}

static bool check_view(const Py_buffer *view, const char *name, char format, Py_ssize_t count, bool writable)
{
    char is = format_of(view);
    if (!is_format(is, format))
        PyErr_Format(PyExc_BufferError, "%s must be an array of %s, not of %s", name, type_name(format, ""),
                     type_name(is, view->format));
    else if (view->len / view->itemsize != count)
        PyErr_Format(PyExc_BufferError, "%s must have %zd elements, not %zd", name, count, view->len / view->itemsize);
    else if (!PyBuffer_IsContiguous(view, 'C'))
        PyErr_Format(PyExc_BufferError, "%s must be in C order without gaps; numpy.ascontiguousarray() makes one",
                     name);
    else if (writable && view->readonly)
        PyErr_Format(PyExc_BufferError, "%s is read-only and would be written", name);
    else
        return true;
    return false;
}

bool buffer_get(struct batch *b, PyObject *from, const char *name, char format, Py_ssize_t count, bool writable,
                Py_buffer *out)
{
    if (!get_view(from, name, out))
        return false;
    if (check_view(out, name, format, count, writable) && batch_is_usable(b)) // __buffer__ may run code, as __index__
        return true;
    PyBuffer_Release(out);
    return false;
}

// ---- Buffers --------------------------------------------------------------------------------------------------------

// A buffer of struct agon_buffers: how its rows are shaped. n: environments, r: rows, s: seats.
struct shape {
    const char *name;
    size_t offset;    // in struct agon_buffers
    char format;      // 'o': that of observations
    char first;       // 'n' or 'r'
    uint32_t then[2]; // 0: no such dimension
};

static void list_shapes(const struct agon_layout *at, struct shape out[BATCH_BUFFERS])
{
#define AT(member) #member, offsetof(struct agon_buffers, member)
    const struct shape all[] = {
        {AT(actions), 'i', 'r', {0, 0}},
        {AT(observations), 'o', 'r', {at->vector, 0}},
        {AT(masks), 'b', 'r', {at->actions, 0}},
        {AT(mask_words), 'Q', 'r', {at->mask_words, 0}},
        {AT(tokens), 'h', 'r', {at->tokens, 4}},
        {AT(rewards), 'f', 'n', {at->seats, 0}},
        {AT(components), 'f', 'n', {at->seats, at->components}},
        {AT(unpaid), 'f', 'n', {at->seats, 0}},
        {AT(own_reward), 'f', 'n', {0, 0}},
        {AT(asked), 'B', 'n', {0, 0}},
        {AT(asked_set), 'H', 'n', {0, 0}},
        {AT(terminated), '?', 'n', {0, 0}},
        {AT(truncated), '?', 'n', {0, 0}},
        {AT(final_observations), 'o', 'r', {at->vector, 0}},
        {AT(returns), 'f', 'n', {at->seats, 0}},
        {AT(lengths), 'I', 'n', {0, 0}},
        {AT(errors), 'i', 'n', {0, 0}},
        {AT(hashes), 'Q', 'n', {0, 0}},
        {AT(ticks), 'I', 'n', {0, 0}},
    };
#undef AT
    _Static_assert(sizeof all / sizeof *all == BATCH_BUFFERS, "every buffer");
    memcpy(out, all, sizeof all);
}

static Py_ssize_t rows_of(const struct batch *b, const struct shape *s)
{
    return (Py_ssize_t)(s->first == 'r' ? b->at.rows : b->at.envs) * (Py_ssize_t)b->groups;
}

static char format_for(const struct batch *b, const struct shape *s)
{
    return s->format != 'o' ? s->format : b->dtype == AGON_U8 ? 'B' : 'f';
}

static bool has_shape(const struct batch *b, const struct shape *s, const Py_buffer *view)
{
    Py_ssize_t wanted[3] = {rows_of(b, s), s->then[0], s->then[1]};
    int dims = s->then[1] ? 3 : s->then[0] ? 2 : 1;
    bool is_same = view->ndim == dims;
    for (int i = 0; is_same && i < dims; i++)
        is_same = view->shape[i] == wanted[i];
    if (is_same)
        return true;
    if (dims == 1)
        PyErr_Format(PyExc_BufferError, "%s must have the shape (%zd,)", s->name, wanted[0]);
    else if (dims == 2)
        PyErr_Format(PyExc_BufferError, "%s must have the shape (%zd, %zd)", s->name, wanted[0], wanted[1]);
    else
        PyErr_Format(PyExc_BufferError, "%s must have the shape (%zd, %zd, %zd)", s->name, wanted[0], wanted[1],
                     wanted[2]);
    return false;
}

static bool hold_array(const struct batch *b, const struct shape *s, PyObject *array, Py_buffer *out)
{
    Py_ssize_t count =
        rows_of(b, s) * (Py_ssize_t)(s->then[0] ? s->then[0] : 1) * (Py_ssize_t)(s->then[1] ? s->then[1] : 1);
    if (s->then[1] && !s->then[0]) {
        PyErr_Format(PyExc_BufferError, "%s: this Vec has none; give tokens=K to agon.vec()", s->name);
        return false;
    }
    if (!get_view(array, s->name, out))
        return false;
    if (is_format(format_of(out), format_for(b, s)) ? has_shape(b, s, out) : true)
        if (check_view(out, s->name, format_for(b, s), count, true))
            return true;
    PyBuffer_Release(out);
    return false;
}

static void release_all(Py_buffer held[BATCH_BUFFERS])
{
    for (int i = 0; i < BATCH_BUFFERS; i++)
        if (held[i].obj)
            PyBuffer_Release(&held[i]);
}

// Binds a group to its part of the arrays.
static int bind_group(struct batch *b, const struct shape shapes[BATCH_BUFFERS], const Py_buffer held[BATCH_BUFFERS],
                      uint32_t group)
{
    struct agon_buffers to = agon_no_buffers();
    for (int i = 0; i < BATCH_BUFFERS; i++) {
        char *part = held[i].obj ? (char *)held[i].buf + held[i].len / (Py_ssize_t)b->groups * (Py_ssize_t)group : NULL;
        memcpy((char *)&to + shapes[i].offset, &part, sizeof part);
    }
    return agon_bind(b->v, group, &to);
}

// Binds all groups or none. Groups are bound back in reverse order, because every state on the way was accepted: in
// another order the old arrays could overlap the new ones of a group that is not bound back yet.
static bool bind_groups(struct batch *b, const struct shape shapes[BATCH_BUFFERS], const Py_buffer held[BATCH_BUFFERS])
{
    uint32_t bound = 0;
    int status = AGON_OK;
    while (bound < b->groups && (status = bind_group(b, shapes, held, bound)) == AGON_OK)
        bound++;
    if (status == AGON_OK)
        return true;
    raise_status(b->error, status);
    while (b->held[0].obj && bound-- > 0)
        bind_group(b, shapes, b->held, bound);
    return false;
}

// _bind({"observations": array, ...}): all buffers at once; those that are not named are not written.
static PyObject *batch_bind(PyObject *self, PyObject *arrays)
{
    struct batch *b = (struct batch *)self;
    struct shape shapes[BATCH_BUFFERS];
    Py_buffer held[BATCH_BUFFERS];
    memset(held, 0, sizeof held);
    if (!batch_is_usable(b))
        return NULL;
    if (!PyDict_Check(arrays))
        return PyErr_Format(PyExc_TypeError, "_bind takes a dict of arrays");
    list_shapes(&b->at, shapes);
    for (int i = 0; i < BATCH_BUFFERS; i++) {
        PyObject *array = PyDict_GetItemString(arrays, shapes[i].name);
        if (array && !hold_array(b, &shapes[i], array, &held[i])) {
            held[i].obj = NULL;
            release_all(held);
            return NULL;
        }
    }
    if (!batch_is_usable(b) || !bind_groups(b, shapes, held)) { // the arrays may have run code of their own
        release_all(held);
        return NULL;
    }
    Py_buffer before[BATCH_BUFFERS]; // let go of last: that may run code which uses the Vec
    memcpy(before, b->held, sizeof before);
    memcpy(b->held, held, sizeof held);
    b->actions = held[0].buf;
    release_all(before);
    Py_RETURN_NONE;
}

// ---- Open and close -------------------------------------------------------------------------------------------------

// A list of str as an array ended by NULL; the strings stay the list's. None in the list is NULL.
static bool read_words(PyObject *list, const char **out, Py_ssize_t room)
{
    Py_ssize_t count = PyList_Check(list) ? PyList_Size(list) : room;
    if (count >= room) {
        PyErr_SetString(PyExc_ValueError, "too many options or house players");
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *word = PyList_GetItem(list, i);
        out[i] = NULL;
        if (word == Py_None)
            continue;
        Py_ssize_t size;
        out[i] = PyUnicode_AsUTF8AndSize(word, &size);
        if (!out[i])
            return false;
        if (strlen(out[i]) != (size_t)size) {
            PyErr_SetString(PyExc_ValueError, "embedded null character");
            return false;
        }
    }
    out[count] = NULL;
    return true;
}

static PyObject *describe_layout(const struct batch *b)
{
    const struct agon_layout *at = &b->at;
    return Py_BuildValue("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:K,s:K}", "envs", at->envs * b->groups, "rows",
                         at->rows * b->groups, "seats", at->seats, "actions", at->actions, "vector", at->vector,
                         "mask_words", at->mask_words, "tokens", at->tokens, "components", at->components, "version",
                         at->vector_version, "state_bytes", (unsigned long long)at->state_bytes, "snapshot_bytes",
                         (unsigned long long)at->snapshot_bytes);
}

// _open(convert, game, scenario, options, house, seed, (numbers)): the layout as a dict. The package has checked
// ranges.
static PyObject *batch_open(PyObject *self, PyTypeObject *type, PyObject *const *args, Py_ssize_t count,
                            PyObject *names)
{
    struct batch *b = (struct batch *)self;
    const struct module_state *state = PyType_GetModuleState(type);
    struct agon_config c = agon_default_config();
    const char *options[256], *house[AGON_MAX_SEATS + 1] = {NULL};
    unsigned long long seed;
    unsigned n[15];
    if (b->v || count != 7 || names || !state)
        return PyErr_Format(PyExc_TypeError, "a Vec is made by agon.vec()");
    PyObject *all = PyTuple_New(7);
    for (Py_ssize_t i = 0; all && i < 7; i++) {
        Py_INCREF(args[i]);
        PyTuple_SetItem(all, i, args[i]);
    }
    PyObject *convert, *option_list, *house_list;
    bool good = all &&
                PyArg_ParseTuple(all, "OszOOK(IIIIIIIIIIIIIIIf)", &convert, &c.game, &c.scenario, &option_list,
                                 &house_list, &seed, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8],
                                 &n[9], &n[10], &n[11], &n[12], &n[13], &n[14], &c.aggro) &&
                read_words(option_list, options, 256) && read_words(house_list, house, AGON_MAX_SEATS + 1);
    if (!good) {
        Py_XDECREF(all);
        return NULL;
    }
    c.options = options, c.seed = seed;
    memcpy(c.house, house, sizeof c.house);
    c.num_envs = n[0], c.seats = n[1], c.vector = n[2], c.dtype = (uint8_t)n[3], c.rows = (uint8_t)n[4];
    c.autoreset = (uint8_t)n[5], c.illegal = (uint8_t)n[6], c.pace = (uint8_t)n[7], c.viewers_all = (uint8_t)n[8];
    c.tokens = (uint16_t)n[9], c.ticks = n[10], c.max_steps = n[11], c.threads = n[12], c.groups = n[13];
    c.rotate = (uint8_t)(n[14] & 1), c.effort = n[14] >> 1;
    int status = agon_create(&c, &b->v);
    Py_DECREF(all);
    if (status < 0)
        return raise_status(state->error, status);
    b->at = agon_no_layout();
    agon_get_layout(b->v, &b->at);
    b->groups = c.groups ? c.groups : 1;
    b->dtype = c.dtype;
    b->draws = c.seed;
    if (!b->error) { // else it was open before
        b->error = Py_NewRef(state->error);
        b->convert = Py_NewRef(convert);
    }
    return describe_layout(b);
}

static void close_now(struct batch *b)
{
    agon_vec *v = b->v;
    b->v = NULL;
    b->actions = NULL;
    b->sent = 0;
    if (v) {
        Py_BEGIN_ALLOW_THREADS // it waits for workers
            agon_destroy(v);
        Py_END_ALLOW_THREADS
    }
    Py_buffer held[BATCH_BUFFERS]; // releasing an array may run code that comes here again
    memcpy(held, b->held, sizeof held);
    memset(b->held, 0, sizeof b->held);
    release_all(held);
}

static PyObject *batch_close(PyObject *self, PyObject *Py_UNUSED(none))
{
    struct batch *b = (struct batch *)self;
    if (b->v && !batch_is_usable(b)) // busy
        return NULL;
    close_now(b);
    Py_RETURN_NONE;
}

// Arrays of a user's class can refer to the Vec that has bound them: a cycle for the collector.
static int batch_traverse(PyObject *self, visitproc visit, void *arg)
{
    const struct batch *b = (const struct batch *)self;
    for (int i = 0; i < BATCH_BUFFERS; i++)
        Py_VISIT(b->held[i].obj);
    Py_VISIT(b->convert);
    Py_VISIT(b->error);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int batch_clear(PyObject *self)
{
    close_now((struct batch *)self);
    return 0;
}

static void batch_free(PyObject *self)
{
    struct batch *b = (struct batch *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    close_now(b);
    Py_CLEAR(b->error);
    Py_CLEAR(b->convert);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyObject *batch_get_closed(PyObject *self, void *Py_UNUSED(none))
{
    return PyBool_FromLong(!((struct batch *)self)->v);
}

// ---- Actions --------------------------------------------------------------------------------------------------------

// One number of an array of integers. A value that no action can have gives -1, which no game has.
static int32_t read_number(const char *at, char format)
{
    union {
        int8_t b;
        uint8_t B;
        int16_t h;
        uint16_t H;
        int32_t i;
        uint32_t I;
        int64_t q;
        uint64_t Q;
    } u;
    switch (format) {
    case 'b':
        return memcpy(&u.b, at, 1), u.b;
    case 'B':
    case '?':
        return memcpy(&u.B, at, 1), u.B;
    case 'h':
        return memcpy(&u.h, at, 2), u.h;
    case 'H':
        return memcpy(&u.H, at, 2), u.H;
    case 'i':
        return memcpy(&u.i, at, 4), u.i;
    case 'I':
        return memcpy(&u.I, at, 4), u.I > INT32_MAX ? -1 : (int32_t)u.I;
    case 'q':
        return memcpy(&u.q, at, 8), u.q > INT32_MAX || u.q < INT32_MIN ? -1 : (int32_t)u.q;
    default:
        return memcpy(&u.Q, at, 8), u.Q > INT32_MAX ? -1 : (int32_t)u.Q;
    }
}

static bool has_rows(const struct batch *b, const Py_buffer *view)
{
    Py_ssize_t rows = (Py_ssize_t)(b->at.rows * b->groups), envs = (Py_ssize_t)(b->at.envs * b->groups);
    if (view->ndim == 1 && view->shape[0] == rows)
        return true;
    if (view->ndim == 2 && rows != envs && view->shape[0] == envs && view->shape[1] * envs == rows)
        return true;
    if (rows != envs)
        PyErr_Format(PyExc_BufferError, "actions must have the shape (%zd,) or (%zd, %zd)", rows, envs, rows / envs);
    else
        PyErr_Format(PyExc_BufferError, "actions must have the shape (%zd,)", rows);
    return false;
}

// By way of a copy: what is given may be a part of the bound array in another order.
static bool copy_numbers(struct batch *b, const Py_buffer *view, char format)
{
    Py_ssize_t outer = view->shape[0], inner = view->ndim == 2 ? view->shape[1] : 1;
    size_t bytes = (size_t)(outer * inner) * sizeof *b->actions;
    int32_t *numbers = PyMem_Malloc(bytes);
    if (!numbers) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < outer; i++)
        for (Py_ssize_t k = 0; k < inner; k++)
            numbers[i * inner + k] = read_number(
                (const char *)view->buf + i * view->strides[0] + (view->ndim == 2 ? k * view->strides[1] : 0), format);
    memcpy(b->actions, numbers, bytes);
    PyMem_Free(numbers);
    return true;
}

static bool copy_actions(struct batch *b, const Py_buffer *view)
{
    char format = format_of(view);
    if (!strchr("bB?hHiIqQ", format)) {
        PyErr_Format(PyExc_BufferError, "actions must be integers in this machine's byte order, best int32, not %s",
                     type_name(format, view->format));
        return false;
    }
    if (!has_rows(b, view))
        return false;
    if (format == 'i' && PyBuffer_IsContiguous(view, 'C')) {
        memmove(b->actions, view->buf, (size_t)view->len);
        return true;
    }
    return copy_numbers(b, view, format);
}

// Copies what the caller gave into the bound array, unless it is that.
static bool take_actions(struct batch *b, PyObject *given)
{
    Py_buffer view;
    if (given == Py_None || given == b->held[0].obj)
        return true;
    if (b->sent) { // workers may be reading them
        PyErr_SetString(PyExc_RuntimeError, "a group was sent and has not been received");
        return false;
    }
    if (!b->actions) {
        PyErr_SetString(PyExc_RuntimeError, "no buffers are bound");
        return false;
    }
    PyObject *array = NULL;
    if (PyObject_GetBuffer(given, &view, PyBUF_RECORDS_RO) != 0) {
        PyErr_Clear();
        array = PyObject_CallFunctionObjArgs(b->convert, given, NULL);
        if (!array)
            return false;
        if (PyObject_GetBuffer(array, &view, PyBUF_RECORDS_RO) != 0) {
            Py_DECREF(array);
            return false;
        }
    }
    // What is given may run code of its own, which may have closed the Vec or sent a group.
    bool good = batch_is_usable(b) && b->actions && !b->sent && copy_actions(b, &view);
    if (!good && !PyErr_Occurred())
        PyErr_SetString(PyExc_RuntimeError, "the Vec was used while its actions were read");
    PyBuffer_Release(&view);
    Py_XDECREF(array);
    return good;
}

// ---- Play -----------------------------------------------------------------------------------------------------------

static PyObject *make_result(struct batch *b, int status)
{
    return status < 0 ? raise_status(b->error, status) : PyLong_FromLong(status);
}

// Runs `call`, which sets `status`, without the GIL; meanwhile the batch is busy.
#define WITHOUT_GIL(b, call)                                                                                           \
    do {                                                                                                               \
        (b)->busy = true;                                                                                              \
        Py_BEGIN_ALLOW_THREADS call;                                                                                   \
        Py_END_ALLOW_THREADS(b)->busy = false;                                                                         \
    } while (0)

static PyObject *batch_step(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    struct batch *b = (struct batch *)self;
    int status;
    if (!batch_is_usable(b))
        return NULL;
    if (count > 1)
        return PyErr_Format(PyExc_TypeError, "step() takes one array of actions or none");
    if (count && !take_actions(b, args[0]))
        return NULL;
    if (!batch_is_usable(b)) // converting may have run other threads
        return NULL;
    WITHOUT_GIL(b, status = agon_step(b->v));
    return make_result(b, status);
}

// _play(action): a step of one environment that keeps the GIL, for adapters. 1: terminated, 2: truncated, 4: an error.
static PyObject *batch_play(PyObject *self, PyObject *action)
{
    struct batch *b = (struct batch *)self;
    long long number;
    if (!batch_is_usable(b) || !number_get(b, action, "action", INT64_MIN, INT64_MAX, &number))
        return NULL;
    if (!b->actions || b->sent)
        return PyErr_Format(PyExc_RuntimeError, "no buffers are bound, or a group was sent");
    b->actions[0] = number > INT32_MAX || number < INT32_MIN ? -1 : (int32_t)number;
    int status = agon_step(b->v);
    if (status < 0)
        return raise_status(b->error, status);
    const uint8_t *terminated = b->held[11].buf, *truncated = b->held[12].buf;
    return PyLong_FromLong((terminated && *terminated ? 1 : 0) | (truncated && *truncated ? 2 : 0) | (status ? 4 : 0));
}

// _restart(): the next episode of one environment, likewise; the seat that is asked.
static PyObject *batch_restart(PyObject *self, PyObject *Py_UNUSED(none))
{
    struct batch *b = (struct batch *)self;
    if (!batch_is_usable(b))
        return NULL;
    int status = agon_reset(b->v, NULL, NULL);
    if (status >= 0)
        status = agon_asked(b->v, 0);
    return make_result(b, status);
}

// _reset(which, seeds): arrays of bool and uint64, or None.
static PyObject *batch_reset(PyObject *self, PyObject *args)
{
    struct batch *b = (struct batch *)self;
    PyObject *which, *seeds, *out = NULL;
    Py_buffer some = {0}, each = {0};
    if (!PyArg_ParseTuple(args, "OO", &which, &seeds) || !batch_is_usable(b))
        return NULL;
    Py_ssize_t envs = (Py_ssize_t)(b->at.envs * b->groups);
    bool good = which == Py_None || buffer_get(b, which, "which", '?', envs, false, &some);
    good = good && (seeds == Py_None || buffer_get(b, seeds, "seeds", 'Q', envs, false, &each));
    if (good) {
        int status;
        WITHOUT_GIL(b, status = agon_reset(b->v, some.buf, each.buf));
        out = status < 0 ? raise_status(b->error, status) : Py_NewRef(Py_None);
    }
    if (some.obj)
        PyBuffer_Release(&some);
    if (each.obj)
        PyBuffer_Release(&each);
    return out;
}

static bool read_group(struct batch *b, PyObject *const *args, Py_ssize_t count, uint32_t *group)
{
    long long number = 0;
    if (count > 1) {
        PyErr_SetString(PyExc_TypeError, "the one argument is a group");
        return false;
    }
    if (!batch_is_usable(b) || (count && !number_get(b, args[0], "group", 0, b->groups - 1, &number)))
        return false;
    *group = (uint32_t)number;
    return true;
}

static PyObject *batch_send(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    struct batch *b = (struct batch *)self;
    uint32_t group;
    int status;
    if (!read_group(b, args, count, &group))
        return NULL;
    WITHOUT_GIL(b, status = agon_send(b->v, group)); // with threads=0 it does the work
    if (status < 0)
        return raise_status(b->error, status);
    b->sent++;
    Py_RETURN_NONE;
}

static PyObject *batch_receive(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    struct batch *b = (struct batch *)self;
    uint32_t group;
    int status;
    if (!read_group(b, args, count, &group))
        return NULL;
    WITHOUT_GIL(b, status = agon_receive(b->v, group));
    if (status >= 0)
        b->sent--;
    return make_result(b, status);
}

static PyObject *batch_ready(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    struct batch *b = (struct batch *)self;
    uint32_t group;
    if (!read_group(b, args, count, &group))
        return NULL;
    int status = agon_ready(b->v, group);
    return status < 0 ? raise_status(b->error, status) : PyBool_FromLong(status);
}

// sample(group): the bound array of actions, filled for that group or all.
static PyObject *batch_sample(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    struct batch *b = (struct batch *)self;
    uint32_t group = 0, end = b->groups;
    int status = AGON_OK;
    if (count == 1 && args[0] == Py_None)
        count = 0;
    if (!read_group(b, args, count, &group))
        return NULL;
    if (count)
        end = group + 1;
    else if (b->sent) // no group is drawn for, rather than some
        return PyErr_Format(PyExc_RuntimeError, "a group was sent; call receive first, or sample(group) for another");
    if (!b->actions)
        return PyErr_Format(PyExc_RuntimeError, "no buffers are bound");
    WITHOUT_GIL(b, for (uint32_t g = group; g < end && status >= 0; g++) status =
                       agon_sample(b->v, g, &b->draws, b->actions + (size_t)g * b->at.rows));
    return status < 0 ? raise_status(b->error, status) : Py_NewRef(b->held[0].obj);
}

// _set_draws(state): where sample() goes on.
static PyObject *batch_set_draws(PyObject *self, PyObject *state)
{
    unsigned long long draws = PyLong_AsUnsignedLongLong(state);
    if (draws == (unsigned long long)-1 && PyErr_Occurred())
        return NULL;
    ((struct batch *)self)->draws = draws;
    Py_RETURN_NONE;
}

static PyObject *batch_refresh(PyObject *self, PyObject *Py_UNUSED(none))
{
    struct batch *b = (struct batch *)self;
    int status = AGON_OK;
    if (!batch_is_usable(b))
        return NULL;
    WITHOUT_GIL(b, for (uint32_t g = 0; g < b->groups && status >= 0; g++) status = agon_refresh(b->v, g));
    return status < 0 ? raise_status(b->error, status) : Py_NewRef(Py_None);
}

// ---- The type -------------------------------------------------------------------------------------------------------

#define DOC(signature, text) signature "\n--\n\n" text

static PyMethodDef own_methods[] = {
    {"_open", (PyCFunction)(void (*)(void))batch_open, METH_METHOD | METH_FASTCALL | METH_KEYWORDS, NULL},
    {"_bind", batch_bind, METH_O, NULL},
    {"_play", batch_play, METH_O, NULL},
    {"_restart", batch_restart, METH_NOARGS, NULL},
    {"_reset", batch_reset, METH_VARARGS, NULL},
    {"_set_draws", batch_set_draws, METH_O, NULL},
    {"step", (PyCFunction)(void (*)(void))batch_step, METH_FASTCALL,
     DOC("step($self, actions=None, /)",
         "Play one action in every environment and return how many were refused.\n\n"
         "``actions`` holds one integer a row; without it ``self.actions`` is read. The arrays of the Vec are\n"
         "overwritten. The GIL is released meanwhile.\n\n"
         ">>> import agon\n"
         ">>> v = agon.vec(\"coup\", 4)\n"
         ">>> v.reset(seed=1)\n"
         ">>> v.step(v.sample())\n"
         "0\n")},
    {"send", (PyCFunction)(void (*)(void))batch_send, METH_FASTCALL,
     DOC("send($self, group=0, /)",
         "Begin a step of one group; until :meth:`receive` its arrays belong to the workers.")},
    {"receive", (PyCFunction)(void (*)(void))batch_receive, METH_FASTCALL,
     DOC("receive($self, group=0, /)", "Wait for the group that was sent and return how many actions were refused.")},
    {"ready", (PyCFunction)(void (*)(void))batch_ready, METH_FASTCALL,
     DOC("ready($self, group=0, /)", "Whether :meth:`receive` would return at once.")},
    {"sample", (PyCFunction)(void (*)(void))batch_sample, METH_FASTCALL,
     DOC("sample($self, group=None, /)",
         "Fill ``self.actions``, or the part of one group, with random legal actions and return it.\n\n"
         "The stream begins anew with ``reset(seed=...)``.")},
    {"refresh", batch_refresh, METH_NOARGS,
     DOC("refresh($self, /)", "Write rows, masks, hashes and ``asked`` again, after load, copy, resample or apply.")},
    {"close", batch_close, METH_NOARGS,
     DOC("close($self, /)",
         "Release the environments and end the workers. Twice is fine; every other call then raises\n"
         "RuntimeError.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"closed", batch_get_closed, NULL, "Whether :meth:`close` was called.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

// All methods in one table, because a type has one.
static PyMethodDef *join_methods(void)
{
    static PyMethodDef all[64];
    size_t n = 0;
    for (const PyMethodDef *m = own_methods; m->ml_name; m++)
        all[n++] = *m;
    for (const PyMethodDef *m = batch_environment_methods; m->ml_name; m++)
        all[n++] = *m;
    return all;
}

PyObject *batch_make_type(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_dealloc, (void *)batch_free},
                           {Py_tp_traverse, (void *)batch_traverse},
                           {Py_tp_clear, (void *)batch_clear},
                           {Py_tp_methods, join_methods()},
                           {Py_tp_getset, properties},
                           {Py_tp_doc, (void *)"What agon.Vec is made of."},
                           {0, NULL}};
    PyType_Spec spec = {.name = "agon._agon.Batch",
                        .basicsize = sizeof(struct batch),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                        .slots = slots};
    return PyType_FromModuleAndSpec(module, &spec, NULL);
}
