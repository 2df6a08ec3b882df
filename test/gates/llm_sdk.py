"""llm_sdk.py URL [CHAT]: the stub model server speaks as the official clients expect, and a chat record loads as a data set.

URL is that of test/e2e/stub/llm.mjs. Every row of the stub that an official client can see is asked for with that client.
"""
import sys

import anthropic
import openai

url = sys.argv[1]
ask = [{"role": "user", "content": "Your action?"}]
checked = 0


def check(name, true):
    global checked
    if not true:
        sys.exit(f"{name} is not what the client expects")
    checked += 1


def raises(name, kind, call):
    try:
        call()
    except kind:
        check(name, True)
    else:
        check(name, False)


client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)


def complete(model, **more):
    return client.chat.completions.create(model=model, messages=ask, **more)


for model in ["ok", "usage", "reasoning_content", "reasoning", "think", "think_open"]:
    answer = complete(model)
    check(model, isinstance(answer.choices[0].message.content, str) and answer.usage.total_tokens > 0)
check("usage", complete("usage").usage.prompt_tokens_details.cached_tokens == 640)
check("usage", complete("usage").usage.completion_tokens_details.reasoning_tokens == 400)
check("nousage", complete("nousage").usage is None)
check("length_null", complete("length_null").choices[0].finish_reason == "length" and complete("length_null").choices[0].message.content is None)
check("tool", complete("tool").choices[0].message.tool_calls[0].function.name == "act")
check("tool_two", len(complete("tool_two").choices[0].message.tool_calls) == 2)
check("refusal", complete("refusal").choices[0].message.refusal.startswith("I can't"))
check("filter", complete("filter").choices[0].finish_reason == "content_filter")
check("err200", complete("err200").choices is None)  # no error: this is why agon looks for one
raises("err_string", openai.BadRequestError, lambda: complete("err_string", response_format={"type": "json_object"}))
raises("r429", openai.RateLimitError, lambda: complete("r429"))
raises("quota", openai.RateLimitError, lambda: complete("quota"))
raises("ctx", openai.BadRequestError, lambda: complete("ctx"))
raises("ctx_llama", openai.BadRequestError, lambda: complete("ctx_llama"))
raises("maxtok", openai.BadRequestError, lambda: complete("maxtok", max_tokens=9))
raises("temp", openai.BadRequestError, lambda: complete("temp", temperature=0.2))
raises("h502", openai.InternalServerError, lambda: complete("h502"))
raises("missing", openai.NotFoundError, lambda: complete("missing"))
raises("leak", openai.AuthenticationError, lambda: complete("leak"))
for model in ["ok", "stream", "stream_crlf", "stream_nodone", "stream_bytes", "usage"]:
    text = "".join(part.choices[0].delta.content or "" for part in complete(model, stream=True) if part.choices)
    check(f"stream of {model}", '{"action":"tax"}' in text)
pieces = [part.choices[0].delta.tool_calls for part in complete("stream_tool", stream=True) if part.choices]
check("stream_tool", "".join(call.function.arguments or "" for calls in pieces if calls for call in calls) == '{"action":"steal","target":"seat_2"}')
raises("stream_err", openai.APIError, lambda: list(complete("stream_err", stream=True)))

claude = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)


def message(model):
    return claude.messages.create(model=model, max_tokens=99, messages=ask)


check("ok", message("ok").content[0].text.endswith('{"action":"tax"}'))
check("thinking", [block.type for block in message("thinking").content] == ["thinking", "redacted_thinking", "text"])
check("tool", message("tool").content[0].input == {"action": "steal", "target": "seat_2"})
check("maxtok", message("maxtok").stop_reason == "max_tokens")
check("refusal", message("refusal").stop_reason == "refusal" and message("refusal").content == [])
check("usage", message("usage").usage.cache_read_input_tokens == 540)
raises("r529", anthropic.APIStatusError, lambda: message("r529"))
raises("r429", anthropic.RateLimitError, lambda: message("r429"))
raises("long", anthropic.BadRequestError, lambda: message("long"))
raises("billing", anthropic.BadRequestError, lambda: message("billing"))
for model, kinds in [("stream", ["thinking", "redacted_thinking", "text"]), ("stream_tool", ["tool_use"])]:
    with claude.messages.stream(model=model, max_tokens=99, messages=ask) as stream:
        final = stream.get_final_message()
    check(model, [block.type for block in final.content] == kinds)


def over():
    with claude.messages.stream(model="stream_over", max_tokens=99, messages=ask) as stream:
        stream.get_final_message()


raises("stream_over", anthropic.APIStatusError, over)
print(f"{checked} answers of the stub as the official clients expect")

for path in sys.argv[2:]:
    import datasets

    rows = datasets.load_dataset("json", data_files=path, split="train")
    check(path, len(rows) > 0 and rows[0]["messages"][0]["role"] == "system" and isinstance(rows[0]["return"], float))
    print(f"{len(rows)} lines of {path} as a data set")
