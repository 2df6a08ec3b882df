// Streams in pieces of every size (L21, L28), whole answers (L15-L20, L25-L27), and what they become.
#include "llm/dialect.h"
#include "llm/sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

struct heard {
    const struct llm_dialect *dialect;
    struct llm_reply reply;
};

static void on_event(void *owner, const char *event, struct span data)
{
    struct heard *h = owner;
    h->dialect->read_event(&h->reply, event, data);
}

// The stream in pieces of `size` bytes.
static void hear(struct heard *h, const struct llm_dialect *d, const char *stream, size_t size)
{
    struct sse s;
    h->dialect = d;
    reply_init(&h->reply);
    sse_init(&s, on_event, h);
    for (struct span left = span_of(stream); left.size;) {
        size_t part = size < left.size ? size : left.size;
        sse_feed(&s, (struct span){left.at, part});
        left = (struct span){left.at + part, left.size - part};
    }
    sse_end(&s);
    sse_release(&s);
}

static bool is_text(const struct text *t, const char *wanted)
{
    return span_is(text_span(t), wanted);
}

static void test_openai(void **state)
{
    (void)state;
    static const char stream[] =
        "\xEF\xBB\xBF: OPENROUTER PROCESSING\r\n\r\n"
        "data: "
        "{\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\r\n\r\n"
        "data: {\"choices\":[{\"delta\":{\"reasoning\":\"{\\\"action\\\":\\\"income\\\"}\"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"content\":\"\xC3\xBC{\\\"action\\\":\"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"content\":\"\\\"tax\\\"}\"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
        "data: "
        "{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,\"prompt_tokens_details\":{\"cached_"
        "tokens\":3}}}\n\n"
        "data: [DONE]\n\n";
    for (size_t size = 1; size < sizeof stream; size++) {
        struct heard h;
        hear(&h, &llm_openai, stream, size);
        assert_true(h.reply.complete);
        assert_true(is_text(&h.reply.content, "\xC3\xBC{\"action\":\"tax\"}"));
        assert_true(is_text(&h.reply.reasoning, "{\"action\":\"income\"}"));
        assert_int_equal(h.reply.usage.input, 9);
        assert_int_equal(h.reply.usage.cached, 3);
        assert_string_equal(h.reply.model, "m");
        reply_release(&h.reply);
    }
}

// A stream without an end, or with an error after content, is no answer.
static void test_incomplete(void **state)
{
    (void)state;
    static const char *const streams[] = {
        "data: {\"choices\":[{\"delta\":{\"content\":\"{\\\"action\\\":\\\"tax\\\"}\"}}]}\n\n",
        ("data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: "
         "{\"error\":{\"message\":\"m\",\"code\":502}}\n\n"),
        "data: {\"choices\":[{\"delta\":{\"content\":\"x\n\n",
        "",
        "data: [DONE]\n\n",
    };
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        struct heard h;
        hear(&h, &llm_openai, streams[i], 7);
        assert_false(h.reply.complete);
        reply_release(&h.reply);
        hear(&h, &llm_anthropic, streams[i], 7);
        assert_false(h.reply.complete);
        reply_release(&h.reply);
    }
}

static void test_anthropic(void **state)
{
    (void)state;
    static const char stream[] =
        "event: message_start\ndata: "
        "{\"type\":\"message_start\",\"message\":{\"model\":\"c\",\"content\":[],\"usage\":{\"input_tokens\":5,"
        "\"cache_read_input_tokens\":7,\"cache_creation_input_tokens\":null,\"output_tokens\":1}}}\n\n"
        "event: ping\ndata: {\"type\":\"ping\"}\n\n"
        "event: content_block_start\ndata: "
        "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\"}}\n\n"
        "event: content_block_delta\ndata: "
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n"
        "event: content_block_delta\ndata: "
        "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"E\"}}"
        "\n\n"
        "event: content_block_start\ndata: "
        "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":"
        "\"act\",\"input\":{}}}\n\n"
        "event: content_block_delta\ndata: "
        "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{"
        "\\\"action\\\":\"}}\n\n"
        "event: content_block_delta\ndata: "
        "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":"
        "\"\\\"tax\\\"}\"}}\n\n"
        "event: message_delta\ndata: "
        "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":31}}\n\n"
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    for (size_t size = 1; size < 200; size++) {
        struct heard h;
        hear(&h, &llm_anthropic, stream, size);
        assert_true(h.reply.complete);
        assert_true(is_text(&h.reply.reasoning, "hm"));
        assert_int_equal(h.reply.content.size, 0);
        assert_int_equal(h.reply.usage.input, 12);
        assert_int_equal(h.reply.usage.output, 31);
        struct llm_tool_call calls[REPLY_CALLS];
        struct llm_said said = reply_said(&h.reply, calls);
        assert_int_equal(said.call_count, 2); // by the index of its block; the first has no name
        assert_true(span_is(calls[1].arguments, "{\"action\":\"tax\"}"));
        reply_release(&h.reply);
    }
}

// L17, L22, L26, L29
static void test_whole(void **state)
{
    (void)state;
    static const struct {
        const struct llm_dialect *dialect;
        const char *body;
        bool complete, failed;
        enum llm_finish finish;
    } rows[] = {
        {&llm_openai, "  \n{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"length\"}]}", true, false,
         FINISH_LENGTH},
        {&llm_openai, "{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":null}]}", true, false,
         FINISH_STOP},
        {&llm_openai, "{\"choices\":[{\"message\":{\"content\":\"\"},\"finish_reason\":\"content_filter\"}]}", true,
         false, FINISH_REFUSED},
        {&llm_openai, "{\"error\":\"text\"}", false, true, FINISH_NONE},
        {&llm_openai, "{\"error\":null,\"choices\":[{\"message\":{\"content\":\"x\"}}]}", true, false, FINISH_STOP},
        {&llm_openai, "{\"choices\":[]}", false, false, FINISH_NONE},
        {&llm_openai, "{\"choices\":null}", false, false, FINISH_NONE},
        {&llm_openai, "{\"choices\":[{\"message\":{\"content\":\"x", false, false, FINISH_NONE},
        {&llm_anthropic, "{\"type\":\"message\",\"content\":[],\"stop_reason\":\"refusal\"}", true, false,
         FINISH_REFUSED},
        {&llm_anthropic,
         "{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"stop_reason\":\"model_context_window_exceeded\"}", true,
         false, FINISH_LENGTH},
        {&llm_anthropic, "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
         false, true, FINISH_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct llm_reply r;
        reply_init(&r);
        rows[i].dialect->read(&r, span_of(rows[i].body));
        assert_int_equal(r.complete, rows[i].complete);
        assert_int_equal(r.failed, rows[i].failed);
        assert_int_equal(r.finish, rows[i].finish);
        reply_release(&r);
    }
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *body, *text, *code, *param;
    } rows[] = {
        {"{\"error\":{\"message\":\"no\",\"type\":\"t\",\"param\":\"p\",\"code\":\"c\"}}", "no", "c", "p"},
        {"{\"error\":{\"message\":\"no\",\"code\":502}}", "no", "502", ""},
        {"{\"error\":\"no\"}", "no", "", ""},
        {"{\"detail\":\"no\"}", "no", "", ""},
        {"{\"object\":\"error\",\"message\":\"no\",\"code\":40303}", "no", "40303", ""},
        {"<html>\x1b[2J</html>", "<html>\\x1b[2J</html>", "", ""},
        {"", "an empty answer", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct llm_reply r;
        reply_init(&r);
        reply_read_error(&r, span_of(rows[i].body));
        assert_true(r.failed);
        assert_string_equal(r.error, rows[i].text);
        assert_string_equal(r.error_code, rows[i].code);
        assert_string_equal(r.error_param, rows[i].param);
        reply_release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openai), cmocka_unit_test(test_incomplete), cmocka_unit_test(test_anthropic),
        cmocka_unit_test(test_whole),  cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
