/**
 * The URL in a text; null when there is none. In place of `URL.canParse`: on Node 20 that says yes to texts
 * beyond ASCII that are no URLs, once it was called often enough to be optimized.
 */
export function parseUrl(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/**
 * Parsers of URLs skip spaces, tabs and line breaks, and read a backslash as a slash: two of them could see
 * different hosts. The standard of URIs has none of these, and nothing beyond ASCII.
 */
const plain = /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/i;

/** The web address in a text that every parser reads alike; null when it is none. */
export const parsePlainUrl = (text: string): URL | null => (plain.test(text) ? parseUrl(text) : null);
