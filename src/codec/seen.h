// A view that is read to be looked at, not to be played from.
#pragma once

// Added to the phase that read_view gets (codec.h) where the viewer may not be asked. Whoever reads such a view takes
// it off first, and finds out from the view who is asked.
enum { CODEC_SEEN = 1 << 8 };
