// A message as a hostile client would send it: every member in turn replaced by every nasty value, left out and doubled.
// Texts are strings of bytes (latin1), because some are not UTF-8.

const nest = (open, close, levels) => open.repeat(levels) + close.repeat(levels);

export const nasty = [
  'null', 'true', 'false', '0', '-0', '-1', '1.0', '0.5', '1e2', '1e400', '-1e400', '1e308', '1e-400', '256', '65536',
  '2147483648', '-2147483649', '4294967296', '9007199254740993', '9223372036854775808', '-9223372036854775809',
  '18446744073709551616', '9'.repeat(400), `0.${'3'.repeat(700)}`,
  '""', '" "', '"\\u0000"', '"a\\u0000b"', '"\\ud800"', '"\\udc00\\ud800"', '"\xc0\x80"', '"\xed\xa0\x80"', '"\xff"', '"\xe2\x80\xae"', '"\\u001b[2J"',
  '"../../etc/passwd"', '"a\\r\\nX-Injected: 1"', '"%s%n%99999d"', '"__proto__"', '"-1"',
  `"${'x'.repeat(300)}"`, `"${'x'.repeat(5000)}"`, `"${'\\u0000'.repeat(300)}"`, `"${'\xf0\x9f\x98\x80'.repeat(100)}"`,
  '[]', '{}', '[null]', '[[]]', '[{}]', '["a","a"]', '{"":1}', '{"\\u0000":1}', '{"a":1,"a":2}', `[${'0,'.repeat(2000)}0]`,
  nest('[', ']', 31), nest('[', ']', 70), `${nest('{"a":', '}', 62).replace(':}', ':1}')}`,
  '', 'nul', 'NaN', '01', '+1', '.5', "'a'", '"', '{', '[1,]', '{"a":1,}', '\x00', '"\x01"', '"{\\"type\\":\\n\\"x\\"}"',
];

// Of a string that is right: what hides its end from C, and what is no text.
const tails = ['\\u0000', ' ', '\\ud800', '\xff', 'x'];

// Every value in a box of its own, so that equal ones are different places.
class Place {
  constructor(value) {
    if (Array.isArray(value)) this.value = value.map((v) => new Place(v));
    else if (value && typeof value === 'object') this.value = Object.fromEntries(Object.entries(value).map(([k, v]) => [k, new Place(v)]));
    else this.value = value;
  }
  get members() {
    return this.value && typeof this.value === 'object' ? Object.entries(this.value) : [];
  }
  *all(path = '') {
    yield [this, path];
    for (const [k, v] of this.members) yield* v.all(`${path}/${k}`);
  }
  // Its text, where the text of one place is another one.
  write(at, raw) {
    if (this === at) return raw;
    if (Array.isArray(this.value)) return `[${this.value.map((v) => v.write(at, raw)).join(',')}]`;
    if (!this.members.length) return JSON.stringify(this.value);
    return `{${this.members.map(([k, v]) => `${JSON.stringify(k)}:${v.write(at, raw)}`).join(',')}}`;
  }
}

// {path, raw, text} of each; `below`: only what lies below this path.
export function* mutations(message, below = '') {
  const root = new Place(message);
  for (const [place, path] of root.all()) {
    if (!path.startsWith(below)) continue;
    const of = (raw, text) => ({ path, raw, text: root.write(place, text) });
    for (const raw of nasty) yield of(raw, raw);
    if (typeof place.value === 'string') for (const tail of tails) yield of(`+${tail}`, `${JSON.stringify(place.value).slice(0, -1)}${tail}"`);
    if (Array.isArray(place.value)) continue;
    for (const [key, value] of place.members) {
      const name = JSON.stringify(key), whole = place.write().slice(1, -1);
      yield of(`without ${key}`, `{${place.members.filter(([k]) => k !== key).map(([k, v]) => `${JSON.stringify(k)}:${v.write()}`).join(',')}}`);
      yield of(`${key} first null`, `{${name}:null,${whole}}`);
      yield of(`${key} last {}`, `{${whole},${name}:{}}`);
      yield of(`${key} twice`, `{${whole},${name}:${value.write()}}`);
      yield of(`${key} with NUL`, `{"${key}\\u0000":1,${whole}}`);
    }
  }
}

export const isUtf8 = (text) => Buffer.from(Buffer.from(text, 'latin1').toString()).toString('latin1') === text;
