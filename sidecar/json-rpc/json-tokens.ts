/** Where the tokens of JSON text end, in its bytes. */
import {
  backslash,
  letterE,
  letterU,
  minus,
  nine,
  plus,
  point,
  quote,
  space,
  zero,
} from './json-characters.ts';

/**
 * Of each byte: 1 where it stands for itself in a string; for the letter of an escape;
 * for a hexadecimal digit.
 */
const standsForItself = tableOf((byte) => byte >= space && byte !== quote && byte !== backslash);
const isEscapeLetter = tableOf((byte) => Buffer.from('"\\/bfnrt').includes(byte));
const isHexDigit = tableOf((byte) => Buffer.from('0123456789abcdefABCDEF').includes(byte));

function tableOf(isSet: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => (isSet(byte) ? 1 : 0));
}

/**
 * The index of the first byte from `at` on that is a quote, a backslash or a control byte; `stop`
 * when there is none before.
 */
export function endOfPlainText(bytes: Uint8Array, at: number, stop: number): number {
  let end = at;
  while (end < stop && standsForItself[bytes[end] ?? 0] === 1) {
    end += 1;
  }
  return end;
}

/** The index after the escape that starts at `at`; -1 when none does. */
export function endOfEscape(bytes: Uint8Array, at: number): number {
  const letter = bytes[at + 1] ?? 0;
  if (letter !== letterU) {
    return isEscapeLetter[letter] === 1 ? at + 2 : -1;
  }
  const end = at + 6;
  for (let digit = at + 2; digit < end; digit += 1) {
    if (isHexDigit[bytes[digit] ?? 0] !== 1) {
      return -1;
    }
  }
  return end;
}

/** The index after the number that starts at `at`; -1 when none does. */
export function endOfNumber(bytes: Uint8Array, at: number): number {
  const whole = bytes[at] === minus ? at + 1 : at;
  let end = endOfDigits(bytes, whole);
  if (end === whole || (bytes[whole] === zero && end > whole + 1)) {
    return -1;
  }
  if (bytes[end] === point) {
    const fraction = end + 1;
    end = endOfDigits(bytes, fraction);
    if (end === fraction) {
      return -1;
    }
  }
  if (((bytes[end] ?? 0) | lowerCase) === letterE) {
    const sign = bytes[end + 1];
    const exponent = end + (sign === plus || sign === minus ? 2 : 1);
    end = endOfDigits(bytes, exponent);
    return end === exponent ? -1 : end;
  }
  return end;
}

/** The number that is written from `start` to `end`. */
export function numberAt(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start] === minus ? start + 1 : start;
  if (end - first <= exactDigits && endOfDigits(bytes, first) === end) {
    let value = 0;
    for (let at = first; at < end; at += 1) {
      value = value * 10 + (bytes[at] ?? 0) - zero;
    }
    return first === start ? value : -value;
  }
  return Number(bytes.toString('latin1', start, end));
}

/** An integer of as many is exact in each of its steps. */
const exactDigits = 15;
/** Set in small letters of ASCII. */
const lowerCase = 0x20;

function endOfDigits(bytes: Uint8Array, at: number): number {
  let end = at;
  for (let byte = bytes[end]; byte !== undefined && byte >= zero && byte <= nine; byte = bytes[end]) {
    end += 1;
  }
  return end;
}

/** By their first byte. */
const literals = new Map(
  [true, false, null].map((value) => {
    const word = Buffer.from(String(value));
    return [word[0], { word, value }];
  }),
);

/** The literal that starts at `at`, with its length; undefined when none does. */
export function literalAt(
  bytes: Uint8Array,
  at: number,
): { value: boolean | null; length: number } | undefined {
  const literal = literals.get(bytes[at]);
  return literal?.word.every((byte, index) => bytes[at + index] === byte)
    ? { value: literal.value, length: literal.word.length }
    : undefined;
}

/** Whether a character of UTF-8 that began before continues with this byte; false where there is none. */
export const continuesCharacter = (byte = 0): boolean => (byte & 0xc0) === 0x80;
