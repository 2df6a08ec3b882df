// Texts for the status codes of libagon: include/agon_vision.h and include/agon.h.
#include "agon_vision.h"

const char *agon_status_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } rows[] = {
        {AGON_OK, "ok"},
        {AGON_NO_FRAME, "nothing has been drawn yet"},
        {AGON_CLOSED, "the stream is closed"},
        {AGON_OVERRUN, "the writer was faster; try again"},
        {AGON_TOO_SMALL, "the buffer is too small"},
        {AGON_FORMAT, "this is no vision stream, or it is damaged"},
        {AGON_SYSTEM, "the system refused"},
        {AGON_CONFIG_REFUSED, "the configuration is refused"},
        {AGON_NO_MEMORY, "there is not enough memory"},
        {AGON_NOT_BOUND, "bind buffers and reset first"},
        {AGON_BAD_BUFFER, "a buffer is misaligned, or two of them overlap"},
        {AGON_BUSY, "a group was sent and has not been received"},
        {AGON_IDLE, "nothing was sent"},
        {AGON_FORKED, "the batch belongs to the parent process"},
        {AGON_RANGE, "an index is out of range"},
        {AGON_TOO_SHORT, "the buffer is too short"},
        {AGON_FOREIGN, "a snapshot of something else, or a damaged one"},
        {AGON_ABSENT, "there is none"},
        {AGON_ILLEGAL, "the action is not legal now"},
        {AGON_OUT_OF_SPACE, "no action has this number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].status == status)
            return rows[i].text;
    return "unknown status";
}
