/** Plain JavaScript: worker threads load it unmodified. Its types are in count-json-values.d.mts. */

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;

export function holdsMoreValues(bytes, most) {
  return bytes.length > most && countValues(bytes, most) > most;
}

/** Stops soon after `most`. */
export function countValues(bytes, most = Number.POSITIVE_INFINITY) {
  let values = 1;
  let isInString = false;
  for (let at = 0; at < bytes.length && values <= most; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      isInString = !isInString;
    } else if (isInString) {
      at += byte === backslash ? 1 : 0;
    } else if (byte === comma || byte === openBrace || byte === openBracket) {
      values += 1;
    }
  }
  return values;
}
