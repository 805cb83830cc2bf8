/**
 * What the sidecar itself reads of an agent, in one go: messages to the server `platform` and the body of an event. Nothing of
 * either needs many values, and many small ones hold the event loop for long (docs/decisions/0019).
 */
import { backslash, comma, openBrace, openBracket, quote } from './json-characters.ts';

/** The longest list that a tool of the platform takes has 50 items. */
export const maxPlatformValues = 1000;

/**
 * Whether the JSON in `bytes` (UTF-8) holds more than `most` values; objects and arrays count too, empty ones twice. One pass, which
 * ends at the bound and makes nothing of what it reads; text that is no JSON gets some answer.
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
