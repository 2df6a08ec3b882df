// A view that is read for display, not to play from.
#pragma once

// Added to the phase that read_view gets (codec.h) if the viewer may not be asked. read_view removes it first, and
// finds out from the view who is asked.
enum { CODEC_FOR_DISPLAY = 1 << 8 };
