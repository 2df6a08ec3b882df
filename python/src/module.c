// The module: versions, the games as data, the class of errors.
#include "batch.h"

PyObject *raise_text(PyObject *kind, int status, PyObject *text)
{
    PyObject *value = text ? PyObject_CallFunctionObjArgs(kind, text, NULL) : NULL;
    PyObject *number = value ? PyLong_FromLong(status) : NULL;
    if (number && PyObject_SetAttrString(value, "status", number) == 0)
        PyErr_SetObject(kind, value);
    Py_XDECREF(number);
    Py_XDECREF(value);
    Py_XDECREF(text);
    return NULL;
}

PyObject *raise_status(PyObject *error, int status)
{
    const char *text = agon_last_error();
    PyObject *kind = error;
    if (status == AGON_NO_MEMORY)
        kind = PyExc_MemoryError;
    else if (status == AGON_BAD_BUFFER)
        kind = PyExc_BufferError;
    else if (status == AGON_BUSY || status == AGON_IDLE || status == AGON_FORKED || status == AGON_NOT_BOUND)
        kind = PyExc_RuntimeError; // V46
    if (!text || !*text)
        text = agon_status_text(status);
    // A long name is cut off, perhaps inside a character.
    return raise_text(kind, status, PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace"));
}

static PyObject *raise_error(PyObject *module, int status)
{
    struct module_state *state = PyModule_GetState(module);
    return raise_status(state->error, status);
}

static PyObject *module_game_count(PyObject *module, PyObject *Py_UNUSED(none))
{
    (void)module;
    return PyLong_FromLong(agon_game_count());
}

static PyObject *make_names(const char *const *list, int most)
{
    int count = 0;
    while (list && count < most && list[count])
        count++;
    PyObject *out = PyTuple_New(count);
    for (int i = 0; out && i < count; i++) {
        PyObject *name = PyUnicode_FromString(list[i]);
        if (!name || PyTuple_SetItem(out, i, name) != 0)
            Py_CLEAR(out);
    }
    return out;
}

static PyObject *module_get_game(PyObject *module, PyObject *index)
{
    struct agon_game g = agon_no_game();
    int status = PyUnicode_Check(index) ? 0 : 1;
    if (status == 0) {
        const char *name = PyUnicode_AsUTF8AndSize(index, NULL);
        if (!name)
            return NULL;
        status = agon_find_game(name, &g);
    } else {
        long at = PyLong_AsLong(index);
        if (at == -1 && PyErr_Occurred())
            return NULL;
        status = agon_get_game(at < -1 || at > INT32_MAX ? -1 : (int)at, &g);
    }
    if (status < 0)
        return raise_error(module, status);
    return Py_BuildValue("{s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:N,s:N,s:N}", "name", g.name, "title",
                         g.title, "summary", g.summary, "num_actions", g.actions, "min_seats", g.min_seats, "max_seats",
                         g.max_seats, "default_seats", g.default_seats, "teams", g.teams, "tick_ms", g.tick_ms,
                         "vectors", g.vectors, "token_kinds", g.token_kinds, "rules_version", g.rules_version,
                         "scenarios", make_names(g.scenarios, 1000), "components", make_names(g.components, 1000),
                         "bots", make_names(g.bots, AGON_MAX_BOTS));
}

// vector_size(game, vector): elements of a row.
static PyObject *module_vector_size(PyObject *module, PyObject *args)
{
    const char *game;
    unsigned vector;
    if (!PyArg_ParseTuple(args, "sI", &game, &vector))
        return NULL;
    int size = agon_vector_size(game, vector);
    return size < 0 ? raise_error(module, size) : PyLong_FromLong(size);
}

// get_element(game, vector, index): name, group, low, high, step, since.
static PyObject *module_get_element(PyObject *module, PyObject *args)
{
    const char *game;
    unsigned vector, index;
    struct agon_element e = agon_no_element();
    if (!PyArg_ParseTuple(args, "sII", &game, &vector, &index))
        return NULL;
    int status = agon_get_element(game, vector, index, &e);
    if (status < 0)
        return raise_error(module, status);
    return Py_BuildValue("IssdddI", e.offset, e.name, e.group, (double)e.low, (double)e.high, (double)e.step, e.since);
}

static PyObject *module_action_name(PyObject *module, PyObject *args)
{
    const char *game;
    unsigned action;
    char name[256];
    if (!PyArg_ParseTuple(args, "sI", &game, &action))
        return NULL;
    int size = agon_action_name(game, action, name, sizeof name);
    return size < 0 ? raise_error(module, size) : PyUnicode_FromStringAndSize(name, size);
}

static PyObject *module_find(PyObject *module, PyObject *args)
{
    const char *game, *name;
    int vector; // -1: an action
    if (!PyArg_ParseTuple(args, "sis", &game, &vector, &name))
        return NULL;
    int at = vector < 0 ? agon_find_action(game, name) : agon_find_element(game, (uint32_t)vector, name);
    return at < 0 ? raise_error(module, at) : PyLong_FromLong(at);
}

static PyMethodDef functions[] = {
    {"game_count", module_game_count, METH_NOARGS, NULL},
    {"get_game", module_get_game, METH_O, NULL},
    {"vector_size", module_vector_size, METH_VARARGS, NULL},
    {"get_element", module_get_element, METH_VARARGS, NULL},
    {"action_name", module_action_name, METH_VARARGS, NULL},
    {"find", module_find, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static const char error_doc[] =
    "A configuration, number or snapshot that libagon refused: its sentence, and the number "
    "``status``.";

static int execute(PyObject *module)
{
    struct module_state *state = PyModule_GetState(module);
    state->error = PyErr_NewExceptionWithDoc("agon.Error", error_doc, PyExc_ValueError, NULL);
    if (!state->error || PyModule_AddObjectRef(module, "Error", state->error) < 0)
        return -1;
    PyObject *type = batch_make_type(module);
    if (!type || PyModule_AddObjectRef(module, "Batch", type) < 0) {
        Py_XDECREF(type);
        return -1;
    }
    Py_DECREF(type);
    if (PyModule_AddStringConstant(module, "version", agon_version()) < 0)
        return -1;
    return PyModule_AddIntConstant(module, "abi", (long)agon_abi());
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    struct module_state *state = PyModule_GetState(module);
    Py_VISIT(state->error);
    return 0;
}

static int clear(PyObject *module)
{
    struct module_state *state = PyModule_GetState(module);
    Py_CLEAR(state->error);
    return 0;
}

static struct PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)execute}, {0, NULL}};

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "agon._agon",
                                        .m_doc = "libagon for the package agon, which is what programs use.",
                                        .m_size = sizeof(struct module_state),
                                        .m_methods = functions,
                                        .m_slots = slots,
                                        .m_traverse = traverse,
                                        .m_clear = clear};

PyMODINIT_FUNC PyInit__agon(void);
PyMODINIT_FUNC PyInit__agon(void)
{
    return PyModuleDef_Init(&definition);
}
