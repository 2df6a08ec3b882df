// The extension module agon._agon: libagon behind the stable ABI of CPython 3.11.
//
// module.c has the games as data; batch.c the type Batch around one agon_vec, its buffers and steps; environment.c what
// concerns one environment. Arrays come from Python, are checked here through the buffer protocol and held until other
// ones are bound. No function of a step makes an object but its result, a small int.
//
// Threads: a Batch is used by one thread at a time. Calls that release the GIL mark it busy, and a second thread gets a
// RuntimeError instead of a data race.
#ifndef AGON_PYTHON_BATCH_H
#define AGON_PYTHON_BATCH_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifdef Py_GIL_DISABLED
#error "agon has no build for free-threaded Python: use an interpreter with the GIL"
#endif

#include <agon.h>
#include <stdbool.h>

enum { BATCH_BUFFERS = 19 };

struct batch {
    PyObject_HEAD agon_vec *v; // NULL: not opened, or closed
    PyObject *error;           // the class agon.Error
    PyObject *convert;         // callable: makes an array of what is none, for actions
    struct agon_layout at;
    uint32_t groups, sent; // sent: how many groups are under way
    uint8_t dtype;
    bool busy; // a thread is inside a call without the GIL
    uint64_t draws;
    int32_t *actions;
    Py_buffer held[BATCH_BUFFERS]; // obj NULL: not bound
};

struct module_state {
    PyObject *error;
};

// The exception that belongs to a negative status. Returns NULL.
PyObject *raise_status(PyObject *error, int status);
PyObject *raise_text(PyObject *kind, int status, PyObject *text); // takes the text

// Whether the batch may be used now, else an exception is set.
bool batch_is_usable(struct batch *b);

// A C-contiguous buffer of `format` and `count` elements for a call, else an exception that names it. Release it. The
// batch is usable afterwards, which reading the object may change.
bool buffer_get(struct batch *b, PyObject *from, const char *name, char format, Py_ssize_t count, bool writable,
                Py_buffer *out);

// An int of Python from `low` to `high`, else an exception that names it. The batch is usable afterwards.
bool number_get(struct batch *b, PyObject *from, const char *name, long long low, long long high, long long *out);

extern PyMethodDef batch_environment_methods[];
PyObject *batch_make_type(PyObject *module);

#endif
