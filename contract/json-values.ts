/**
 * How many JSON values a text holds, counted before anything is made of it: who reads many small ones at once, by a schema above all,
 * holds up everything else in its process for up to a second a megabyte.
 */

/** Of a message of an agent to the server `platform`, or of its event: the longest list that a tool of the platform takes has 50 items. */
export const maxAgentValues = 1000;
/** Of a request to the API: a sidecar reports 500 calls at a time, and a manifest names 1,000 tools. */
export const maxRequestValues = 10_000;

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const openBrace = 0x7b;

/**
 * Whether the JSON in `bytes` (UTF-8) holds more than `most` values; objects and arrays count too, empty ones twice. One pass, which
 * ends at the bound; text that is no JSON gets some answer.
 */
export function holdsMoreValues(bytes: Uint8Array, most: number): boolean {
  if (bytes.length <= most) {
    return false;
  }
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
  return values > most;
}
