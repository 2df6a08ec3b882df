// The house bots of one game as a WebAssembly module.
#pragma once

#include "kit/kit.h"

#define EXPORT(name) __attribute__((export_name(#name))) name
