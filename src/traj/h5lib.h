// The functions of libhdf5 that are used, found when they are first wanted: only a child process loads the library, so
// that a server starts without it. For this room only.
#pragma once

#include "base/span.h"

#include <hdf5.h>

// clang-format off
#define H5LIB_CALLS(X) \
    X(H5open) X(H5get_libversion) X(H5Eset_auto2) X(H5Fcreate) X(H5Fopen) X(H5Fclose) X(H5Pcreate) X(H5Pclose) \
    X(H5Pset_userblock) X(H5Pset_libver_bounds) X(H5Pset_chunk) X(H5Pset_deflate) X(H5Pset_fill_value) \
    X(H5Gcreate2) X(H5Gopen2) X(H5Gclose) X(H5Lexists) X(H5Acreate2) X(H5Aopen) X(H5Awrite) X(H5Aread) \
    X(H5Aclose) X(H5Aget_type) X(H5Screate) X(H5Screate_simple) X(H5Sclose) X(H5Sget_simple_extent_ndims) \
    X(H5Sget_simple_extent_dims) X(H5Sselect_hyperslab) X(H5Dcreate2) X(H5Dopen2) X(H5Dclose) X(H5Dset_extent) \
    X(H5Dwrite) X(H5Dread) X(H5Dget_space) X(H5Dget_type) X(H5Tcopy) X(H5Tset_size) X(H5Tget_class) \
    X(H5Tis_variable_str) X(H5Tclose)

#define H5LIB_VALUES(X) \
    X(H5T_C_S1_g) X(H5T_NATIVE_UINT64_g) X(H5T_NATIVE_INT64_g) X(H5T_NATIVE_DOUBLE_g) X(H5T_NATIVE_FLOAT_g) \
    X(H5T_NATIVE_UINT8_g) X(H5T_NATIVE_INT32_g) X(H5T_STD_U64LE_g) X(H5T_STD_I64LE_g) X(H5T_IEEE_F64LE_g) \
    X(H5T_IEEE_F32LE_g) X(H5T_STD_U8LE_g) X(H5T_STD_I32LE_g) X(H5P_CLS_FILE_CREATE_ID_g) \
    X(H5P_CLS_FILE_ACCESS_ID_g) X(H5P_CLS_DATASET_CREATE_ID_g)

struct h5lib {
#define H5LIB_CALL_FIELD(name) __typeof__(&(name)) name;
    H5LIB_CALLS(H5LIB_CALL_FIELD)
#undef H5LIB_CALL_FIELD
#define H5LIB_VALUE_FIELD(name) hid_t *name;
    H5LIB_VALUES(H5LIB_VALUE_FIELD)
#undef H5LIB_VALUE_FIELD
};
// clang-format on

// The macros of this name call the library by its own symbols.
enum { H5LIB_RDONLY = 0, H5LIB_TRUNC = 2 };

extern struct h5lib h5;
bool h5lib_load(void);                                                   // false: the library is not there
hid_t h5lib_text_type(size_t size);                                      // the caller closes it
bool h5lib_write_text(hid_t object, const char *name, struct span text); // an attribute
