// Included first in rooms that are optimised where undefined behaviour traps (AGON_COMPUTE_OPTIONS). GCC would join the
// traps of several lines into one, and the stack would name any of them. A pragma, because clang's tools read the same
// command lines and refuse the options.
#pragma once

#ifndef __clang__
#pragma GCC optimize("no-crossjumping", "no-tree-tail-merge")
#endif
