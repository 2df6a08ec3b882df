#include "front/arena/transcript.h"

#include "base/json_read.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEPTH = 32 };

struct transcript {
    FILE *file;
    char agent[UUID_TEXT + 1];
};

struct transcript *transcript_open(const char *folder, struct uuid agent, int64_t now_ms, uint32_t number)
{
    char path[4096];
    struct transcript *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    uuid_format(t->agent, agent);
    snprintf(path, sizeof path, "%s/%lld-%u-%s.jsonl", folder, (long long)now_ms, number, t->agent);
    // Transcripts hold what one player saw: nobody else may read them.
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    t->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (t->file)
        return t;
    if (fd >= 0)
        close(fd);
    free(t);
    return NULL;
}

void transcript_close(struct transcript *t)
{
    if (!t)
        return;
    fclose(t->file);
    free(t);
}

// A client may send anything, but a line must stay one JSON object.
static bool is_object(struct span payload)
{
    struct json_reader r = json_reader_of(payload, DEPTH);
    if (json_peek(&r) != JSON_OBJECT)
        return false;
    json_skip(&r);
    return json_finish(&r) == OK && !memchr(payload.at, '\n', payload.size) && !memchr(payload.at, '\r', payload.size);
}

void transcript_add(struct transcript *t, int64_t now_ms, bool from_client, const struct uuid *match,
                    struct span payload)
{
    if (!t || (from_client && !is_object(payload)))
        return;
    char id[UUID_TEXT + 1] = "";
    if (match)
        uuid_format(id, *match);
    fprintf(t->file,
            "{\"timestamp_ms\":%lld,\"direction\":\"%s\",\"actor\":\"%s\"%s%s%s,\"payload\":", (long long)now_ms,
            from_client ? "client_to_server" : "server_to_client", t->agent, match ? ",\"match_id\":\"" : "", id,
            match ? "\"" : "");
    fwrite(payload.at, 1, payload.size, t->file);
    fputs("}\n", t->file);
    // hub_outgoing.c writes the line before the frame leaves: the client must not have what the file lacks.
    fflush(t->file);
}
