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
  for (let from = 0; from < bytes.length && values <= most; ) {
    const part = countPart(bytes, from, from + bytesOfPart);
    values += part.values;
    from = part.end;
  }
  return values;
}

const bytesOfPart = 4096;

export function countPart(bytes, from, to) {
  let values = 0;
  let at = from;
  for (const stop = Math.min(to, bytes.length); at < stop; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at);
    } else if (byte === comma || byte === openBrace || byte === openBracket) {
      values += 1;
    }
  }
  return { values, end: at };
}

/** Searching natively costs as much as looking at this many bytes. */
const nearBytes = 32;

/**
 * The index of the closing quote of the string that starts at `start`; the length of the
 * text when there is none.
 */
function endOfString(bytes, start) {
  let at = start + 1;
  while (at < bytes.length) {
    for (const far = at + nearBytes; at < far; at += 1) {
      if (bytes[at] === quote) {
        return at;
      }
      at += bytes[at] === backslash ? 1 : 0;
    }
    const end = bytes.indexOf(quote, at);
    if (end === -1) {
      break;
    }
    let first = end;
    while (first > at && bytes[first - 1] === backslash) {
      first -= 1;
    }
    if ((end - first) % 2 === 0) {
      return end;
    }
    at = end + 1;
  }
  return bytes.length;
}
