#include "base/json_read.h"
#include "traj/internal.h"

void traj_footer_init(struct traj_footer *s)
{
    *s = (struct traj_footer){.content = crypto_sum_create()};
}

void traj_footer_release(struct traj_footer *s)
{
    crypto_sum_destroy(s->content);
    s->content = NULL;
}

bool traj_make_header(struct text *out, struct span members)
{
    text_puts(out, "{\"k\":\"header\",");
    size_t at = out->size;
    if (!traj_put_canonical_json(out, members) || out->at[at] != '{')
        return false;
    memmove(out->at + at, out->at + at + 1, out->size - at - 1); // its own brace
    out->size--;
    return true;
}

void traj_footer_set_header(struct traj_footer *s, struct span header)
{
    uint8_t digest[CRYPTO_SHA256_BYTES];
    crypto_sha256(digest, header.at, header.size);
    traj_hash_text(digest, s->header_hash);
}

void traj_footer_add(struct traj_footer *s, enum traj_kind kind, struct span record)
{
    struct span hash;
    if ((kind == TRAJ_RESET || kind == TRAJ_STEP) && json_find_member(record, "state_hash", &hash) &&
        hash.size < sizeof s->last_hash) {
        memcpy(s->last_hash, hash.at, hash.size);
        s->last_hash[hash.size] = 0;
    }
    crypto_sum_add(s->content, record.at, record.size);
    crypto_sum_add(s->content, "\n", 1);
    s->steps += kind == TRAJ_STEP;
    s->episodes += kind == TRAJ_RESET;
    s->steps_in_episode = kind == TRAJ_RESET ? 0 : s->steps_in_episode + (kind == TRAJ_STEP);
}

void traj_footer_write(const struct traj_footer *s, struct text *footer)
{
    uint8_t digest[CRYPTO_SHA256_BYTES];
    char sum[TRAJ_HASH_ROOM];
    crypto_sum_peek(s->content, digest);
    traj_hash_text(digest, sum);
    json_begin_object(footer);
    json_put_text(footer, "k", "footer");
    json_put_uint(footer, "steps", s->steps);
    json_put_uint(footer, "episodes", s->episodes);
    json_put_raw(footer, "final_state_hash", s->last_hash[0] ? span_of(s->last_hash) : SPAN("null"));
    json_put_text(footer, "content_sha256", sum);
    json_put_text(footer, "header_sha256", s->header_hash);
    json_end_object(footer);
}
