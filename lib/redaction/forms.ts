/**
 * How a secret's bytes may be encoded in a text: raw, URL-encoded, JSON-escaped, in hex, in base64. Each form
 * is compared byte by byte, so that any degree of escaping matches. `relay/static/forms.c` is the same in C.
 */

/** How many bytes of the text the form matches; 0: no match; `more`: the text ends before that is known. */
export type Match = number | 'more';
type Matcher = (value: Buffer, text: Buffer, at: number) => Match;
export interface Form {
  match: Matcher;
  /**
   * Every byte that the form of this value may begin with; empty when the form does not apply to the value.
   */
  firstBytes(value: Buffer): readonly number[];
}

const code = (character: string) => character.charCodeAt(0);
const percent = code('%');
const plus = code('+');
const space = code(' ');
const backslash = code('\\');
const lineFeed = code('\n');
const carriageReturn = code('\r');

function hexDigit(byte: number | undefined): number {
  return byte === undefined ? -1 : Number.parseInt(String.fromCharCode(byte), 16);
}

/** Matches this number as `digits` hex digits at `at`. */
function matchNumber(wanted: number, digits: number, text: Buffer, at: number): Match {
  for (let index = 0; index < digits; index += 1) {
    if (at + index >= text.length) {
      return 'more';
    }
    if (hexDigit(text[at + index]) !== ((wanted >> (4 * (digits - 1 - index))) & 15)) {
      return 0;
    }
  }
  return digits;
}

/**
 * A form that encodes each byte, or few bytes, separately. `matchOne` also returns how many bytes
 * of the value it consumed.
 */
function bytewise(
  matchOne: (value: Buffer, index: number, text: Buffer, at: number) => { taken: number; match: Match },
): Matcher {
  return (value, text, at) => {
    let end = at;
    for (let index = 0; index < value.length; ) {
      if (end >= text.length) {
        return 'more';
      }
      const { taken, match } = matchOne(value, index, text, end);
      if (match === 'more' || match === 0) {
        return match;
      }
      index += taken;
      end += match;
    }
    return end - at;
  };
}

const plain = bytewise((value, index, text, at) => ({ taken: 1, match: text[at] === value[index] ? 1 : 0 }));

const urlEncoded = bytewise((value, index, text, at) => {
  const byte = value[index] ?? 0;
  const isItself = text[at] === byte || (byte === space && text[at] === plus);
  if (isItself && !(byte === percent && text[at + 1] === code('2'))) {
    return { taken: 1, match: 1 };
  }
  if (text[at] !== percent) {
    return { taken: 1, match: 0 };
  }
  const digits = matchNumber(byte, 2, text, at + 1);
  return { taken: 1, match: digits === 2 ? 3 : digits };
});

const shortEscapes: Readonly<Record<string, string>> = {
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\b': 'b',
  '\f': 'f',
  '"': '"',
  '/': '/',
  '\\': '\\',
};

const jsonEscaped = bytewise((value, index, text, at) => {
  const byte = value[index] ?? 0;
  if (text[at] !== backslash) {
    return { taken: 1, match: text[at] === byte ? 1 : 0 };
  }
  if (at + 1 >= text.length) {
    return { taken: 1, match: 'more' };
  }
  if (text[at + 1] === code('u')) {
    return matchUnicodeEscape(value, index, text, at);
  }
  const short = shortEscapes[String.fromCharCode(byte)];
  if (short !== undefined && text[at + 1] === code(short)) {
    return { taken: 1, match: 2 };
  }
  // An unescaped backslash.
  return { taken: 1, match: byte === backslash ? 1 : 0 };
});

function matchUnicodeEscape(value: Buffer, index: number, text: Buffer, at: number) {
  const first = value[index] ?? 0;
  const taken = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const character = value.subarray(index, index + taken).toString('utf8');
  let match = 0;
  for (let unit = 0; unit < character.length; unit += 1) {
    const start = at + match;
    if (start + 1 >= text.length) {
      return { taken, match: 'more' as const };
    }
    if (text[start] !== backslash || text[start + 1] !== code('u')) {
      return { taken, match: 0 };
    }
    const digits = matchNumber(character.charCodeAt(unit), 4, text, start + 2);
    if (digits !== 4) {
      return { taken, match: digits };
    }
    match += 6;
  }
  return { taken, match };
}

/** Between two digits: a line feed and a carriage return. */
const mostBreaks = 2;

/**
 * A form whose digits may be wrapped into lines. `digits` is null when the value is too short for the form.
 */
function inDigits(
  digits: (value: Buffer) => { from: number; to: number } | null,
  fits: (value: Buffer, index: number, byte: number) => boolean,
): Matcher {
  return (value, text, at) => {
    const range = digits(value);
    if (range === null) {
      return 0;
    }
    let end = at;
    let breaks = 0;
    for (let index = range.from; index < range.to; end += 1) {
      const byte = text[end];
      if (byte === undefined) {
        return 'more';
      }
      const isBreak =
        index > range.from && breaks < mostBreaks && (byte === lineFeed || byte === carriageReturn);
      if (!isBreak && !fits(value, index, byte)) {
        return 0;
      }
      breaks = isBreak ? breaks + 1 : 0;
      index += isBreak ? 0 : 1;
    }
    return end - at;
  };
}

const fewestHexBytes = 3;
const hex = inDigits(
  ({ length }) => (length < fewestHexBytes ? null : { from: 0, to: 2 * length }),
  (value, index, byte) => hexDigit(byte) === (((value[index >> 1] ?? 0) >> (index % 2 === 0 ? 4 : 0)) & 15),
);

const base64Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const fewestBase64Bytes = 5;

function base64Digit(byte: number): number {
  const character = String.fromCharCode(byte);
  return base64Digits.indexOf(character === '-' ? '+' : character === '_' ? '/' : character);
}

/** After `shift` other bytes: only the digits that the value alone determines. */
const base64 = (shift: number): Matcher =>
  inDigits(
    ({ length }) =>
      length < fewestBase64Bytes
        ? null
        : { from: Math.ceil((8 * shift) / 6), to: Math.floor((8 * (shift + length)) / 6) },
    (value, index, byte) => {
      const bit = 6 * index - 8 * shift;
      const [high, low] = [value[bit >> 3] ?? 0, value[(bit >> 3) + 1] ?? 0];
      return base64Digit(byte) === ((((high << 8) | low) >> (10 - (bit & 7))) & 63);
    },
  );

const firstOf = (value: Buffer) => value[0] ?? 0;

function firstHexDigit(value: Buffer): readonly number[] {
  const digit = (firstOf(value) >> 4).toString(16);
  return value.length < fewestHexBytes ? [] : [code(digit), code(digit.toUpperCase())];
}

const base64Aliases: Readonly<Record<string, string>> = { '+': '-', '/': '_' };
const firstBase64Digit = (shift: number) => (value: Buffer) => {
  const bit = 6 * Math.ceil((8 * shift) / 6) - 8 * shift;
  const digit = base64Digits[(((firstOf(value) << 8) | (value[1] ?? 0)) >> (10 - bit)) & 63] ?? '';
  return value.length < fewestBase64Bytes ? [] : [code(digit), code(base64Aliases[digit] ?? digit)];
};

export const forms: readonly Form[] = [
  { match: plain, firstBytes: (value) => [firstOf(value)] },
  {
    match: urlEncoded,
    firstBytes: (value) => [firstOf(value), percent, ...(firstOf(value) === space ? [plus] : [])],
  },
  { match: jsonEscaped, firstBytes: (value) => [firstOf(value), backslash] },
  { match: hex, firstBytes: firstHexDigit },
  ...[0, 1, 2].map((shift) => ({ match: base64(shift), firstBytes: firstBase64Digit(shift) })),
];
