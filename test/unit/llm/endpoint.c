// Names, settings, prices and verdicts (L1-L5, L11, L91, L92, L100-L103).
#include "llm/endpoint.h"
#include "llm/price.h"
#include "llm/retry.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *where, *model, *url;
        int api;
    } rows[] = {
        {"m@http://h:1", "m", "http://h:1/v1/chat/completions", LLM_OPENAI},
        {"m@http://h:1/", "m", "http://h:1/v1/chat/completions", LLM_OPENAI},
        {"m@http://h/v1", "m", "http://h/v1/chat/completions", LLM_OPENAI},
        {"m@http://h/v1/", "m", "http://h/v1/chat/completions", LLM_OPENAI},
        {"m@http://h/x/chat/completions", "m", "http://h/x/chat/completions", LLM_OPENAI},
        {"a/b:c@d@https://h/v1", "a/b:c@d", "https://h/v1/chat/completions", LLM_OPENAI},
        {"a%20b@https://h/v1", "a b", "https://h/v1/chat/completions", LLM_OPENAI},
        {"m@https://api.anthropic.com", "m", "https://api.anthropic.com/v1/messages", LLM_ANTHROPIC},
        {"m@https://api.anthropic.com/v1", "m", "https://api.anthropic.com/v1/messages", LLM_ANTHROPIC},
        {"m@http://h/v1/messages", "m", "http://h/v1/messages", LLM_ANTHROPIC},
        {"m@http://h/v1#api=anthropic", "m", "http://h/v1/messages", LLM_ANTHROPIC},
        {"m@http://h#template=standard@1,api=openai", "m", "http://h/v1/chat/completions", LLM_OPENAI},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct llm_endpoint n;
        char why[ENDPOINT_WHY] = "";
        assert_true(llm_endpoint_read(&n, rows[i].where, NULL, SPAN(""), false, why));
        assert_string_equal(n.model, rows[i].model);
        assert_string_equal(n.url, rows[i].url);
        assert_int_equal(n.settings.api, rows[i].api);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        "m",
        "@http://h",
        "http://h",
        "m@ftp://h",
        "m@http://",
        "m@http://u:p@h/",
        "m@http://h/?key=1",
        "m@http://h#key=1",
        "m@http://h#legal=perhaps",
        "m@http://h#retries=99",
        "m@http://h#retries=1.5",
        "m@http://h#temperature=x",
        "m@http://h#extra=[]",
        "m@http://h#legal",
        "m@http://h#effort=2048",
        "m@http://h#key_file=/etc/passwd",
        "m@http://169.254.1.1/",
        "m@http://[fe80::1]/",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct llm_endpoint n;
        char why[ENDPOINT_WHY] = "";
        if (llm_endpoint_read(&n, rows[i], NULL, SPAN(""), false, why))
            fail_msg("%s is taken", rows[i]);
        assert_true(*why);
    }
}

static void test_order(void **state)
{
    (void)state;
    struct llm_endpoint n;
    char why[ENDPOINT_WHY];
    assert_true(llm_endpoint_read(&n, "m@http://h#retries=1,extra={\"a\":[1,2],\"b\":{\"c\":3}},stream=off", NULL,
                                  SPAN("retries=5,legal=off"), false, why));
    assert_int_equal(n.settings.retries, 1);
    assert_false(n.settings.legal);
    assert_false(n.settings.stream);
    assert_string_equal(n.settings.extra, "{\"a\":[1,2],\"b\":{\"c\":3}}");
    assert_true(isnan(n.settings.temperature));
}

static void test_prices(void **state)
{
    (void)state;
    char path[] = "/tmp/agon-prices-XXXXXX", why[ENDPOINT_WHY];
    static const char file[] =
        "{\"currency\":\"EUR\",\"per\":1000,\"models\":{\"a\":{\"input\":1,\"output\":2},\"q*\":{\"input\":5,"
        "\"output\":5},"
        "\"qw*\":{\"input\":1,\"cached\":0.5,\"cache_write\":2,\"output\":4,\"reasoning\":8,\"request\":0.001}}}";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, file, sizeof file - 1), sizeof file - 1);
    close(fd);
    struct llm_prices p;
    assert_true(prices_open(&p, path, why));
    unlink(path);
    struct llm_price a = prices_find(&p, "a"), q = prices_find(&p, "qwen"), none = prices_find(&p, "x");
    struct llm_usage u = {.input = 100, .cached = 40, .cache_write = 10, .output = 30, .reasoning = 20, .cost = -1};
    assert_int_equal(price_of(&a, &u), 100 * 1000000 + 30 * 2000000);
    assert_int_equal(price_of(&q, &u),
                     50 * 1000000 + 40 * 500000 + 10 * 2000000 + 10 * 4000000 + 20 * 8000000 + 1000000);
    assert_int_equal(price_of(&none, &u), -1);
    u.cost = 7;
    assert_int_equal(price_of(&none, &u), 7);
    prices_close(&p);
}

static void test_verdicts(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *body;
        bool first;
        enum llm_retry verdict;
    } rows[] = {
        {0, "", false, RETRY_LATER},
        {408, "", true, RETRY_LATER},
        {429, "{\"error\":{\"message\":\"slow\"}}", true, RETRY_LATER},
        {429, "{\"error\":{\"message\":\"no\",\"code\":\"insufficient_quota\"}}", false, RETRY_NEVER},
        {500, "", true, RETRY_LATER},
        {503, "<html>", true, RETRY_LATER},
        {524, "", true, RETRY_LATER},
        {529, "", true, RETRY_LATER},
        {200, "{\"error\":{\"message\":\"Provider returned error\",\"code\":502}}", true, RETRY_LATER},
        {401, "", false, RETRY_NEVER},
        {403, "", false, RETRY_NEVER},
        {404, "", false, RETRY_NEVER},
        {307, "", false, RETRY_NEVER},
        {413, "", false, RETRY_SHORTER},
        {400, "{\"error\":{\"message\":\"x\",\"code\":\"context_length_exceeded\"}}", false, RETRY_SHORTER},
        {400, "{\"error\":{\"message\":\"prompt is too long: 2 > 1\"}}", false, RETRY_SHORTER},
        {200, "{\"error\":{\"message\":\"m\",\"type\":\"exceed_context_size_error\"}}", false, RETRY_SHORTER},
        {400, "{\"error\":{\"message\":\"Your credit balance is too low\"}}", false, RETRY_NEVER},
        {400, "{\"error\":{\"message\":\"odd\"}}", true, RETRY_NEVER},
        {400, "{\"error\":{\"message\":\"odd\"}}", false, RETRY_LATER},
        {400, "{\"error\":{\"message\":\"x\",\"param\":\"temperature\"}}", true, RETRY_ADAPTED},
        {400, "{\"error\":\"'response_format.type' must be 'json_schema' or 'text'\"}", true, RETRY_ADAPTED},
        {422, "{\"detail\":\"stream_options: extra fields not permitted\"}", true, RETRY_ADAPTED},
    };
    struct llm_endpoint n;
    char why[ENDPOINT_WHY], change[REPLY_ERROR];
    assert_true(llm_endpoint_read(&n, "m@http://h#answer=schema", NULL, SPAN(""), false, why));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct llm_adapted a = {0};
        struct llm_request q = {.endpoint = &n, .adapted = &a, .form = LLM_SCHEMA, .effort = ""};
        struct llm_response_status arrival = {.status = rows[i].status, .should_retry = -1, .first = rows[i].first};
        struct llm_reply r;
        reply_init(&r);
        if (rows[i].status)
            reply_read_error(&r, span_of(rows[i].body));
        assert_int_equal(retry_decide(&arrival, &r, &q, &a, change), rows[i].verdict);
        reply_release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),  cmocka_unit_test(test_refusals), cmocka_unit_test(test_order),
        cmocka_unit_test(test_prices), cmocka_unit_test(test_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
