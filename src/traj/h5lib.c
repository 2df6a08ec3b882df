#ifdef AGON_HDF5

#include "traj/h5lib.h"

#include <dlfcn.h>
#include <stdlib.h>

struct h5lib h5;

static void *open_library(void)
{
    static const char *const names[] = {AGON_HDF5, "libhdf5_serial.so", "libhdf5.so", NULL};
    void *library = NULL;
    for (int i = 0; names[i] && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

bool h5lib_load(void)
{
    void *library = open_library();
    if (!library)
        return false;
    bool all = true;
#define H5LIB_FIND(name) all &= (*(void **)&h5.name = dlsym(library, #name)) != NULL;
    H5LIB_CALLS(H5LIB_FIND)
    H5LIB_VALUES(H5LIB_FIND)
#undef H5LIB_FIND
    unsigned major = 0, minor = 0, patch = 0;
    if (!all || h5.H5get_libversion(&major, &minor, &patch) < 0 || major != H5_VERS_MAJOR || minor != H5_VERS_MINOR ||
        h5.H5open() < 0)
        return false;
    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // failures are returned, not printed
    return true;
}

hid_t h5lib_text_type(size_t size)
{
    hid_t type = h5.H5Tcopy(*h5.H5T_C_S1_g);
    h5.H5Tset_size(type, size);
    return type;
}

bool h5lib_write_text(hid_t object, const char *name, struct span text)
{
    char *copy = malloc(text.size + 1);
    hid_t type = h5lib_text_type(H5T_VARIABLE), space = h5.H5Screate(H5S_SCALAR);
    if (!copy)
        abort();
    memcpy(copy, text.at, text.size);
    copy[text.size] = 0;
    hid_t at = h5.H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = at >= 0 && h5.H5Awrite(at, type, &copy) >= 0;
    if (at >= 0)
        good &= h5.H5Aclose(at) >= 0;
    h5.H5Sclose(space);
    h5.H5Tclose(type);
    free(copy);
    return good;
}

#endif
