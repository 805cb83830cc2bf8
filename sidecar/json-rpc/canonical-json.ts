/**
 * One text for all ways to write the same JSON: keys sorted, no space, strings as `JSON.stringify` writes
 * them. Each number keeps its text, since different ones may be equal after `JSON.parse`. Call it only with
 * text that `parseLine` let pass: no key is there twice, and the depth is limited.
 */
import { endOfString } from './inspect-json.ts';
import { closeBrace, closeBracket, comma, openBrace, openBracket, quote, space } from './json-characters.ts';

export type CanonicalJson =
  | { text: string; sizeBytes: number }
  /** It is too large; the size is then as it was written, which is never less. */
  | { text: null; sizeBytes: number };

/**
 * An escape takes six bytes for a character of one. What is longer without space in it
 * is too large in any case.
 */
const writtenBytesPerByte = 6;

/**
 * `raw`: one JSON value as text or as UTF-8. Without a text when that takes more than `maxBytes` of UTF-8, or
 * when the value was written with more than six times as many bytes. The work is bounded by `maxBytes`,
 * whatever the length of `raw`.
 */
export function canonicalJson(raw: string | Uint8Array, maxBytes: number): CanonicalJson {
  const writtenBytes = typeof raw === 'string' ? Buffer.byteLength(raw) : raw.length;
  if (writtenBytes <= maxBytes * writtenBytesPerByte) {
    const writer = new CanonicalWriter(textOf(raw), maxBytes);
    try {
      return { text: writer.value(), sizeBytes: writer.sizeBytes };
    } catch (error) {
      if (!(error instanceof TooLargeError)) {
        throw error;
      }
    }
  }
  return { text: null, sizeBytes: writtenBytes };
}

/** Unlike a decoder of streams, it leaves a byte order mark where it is. */
const textOf = (raw: string | Uint8Array): string =>
  typeof raw === 'string' ? raw : Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString();

class TooLargeError extends Error {}

/** Reads a text from its beginning, value by value. */
class CanonicalWriter {
  /** Of what was written so far. */
  sizeBytes = 0;
  readonly #text: string;
  readonly #maxBytes: number;
  #at = 0;

  constructor(text: string, maxBytes: number) {
    this.#text = text;
    this.#maxBytes = maxBytes;
  }

  /** The value that comes next. Throws TooLargeError when all values so far take more than the limit. */
  value(): string {
    const code = this.#nextCode();
    if (code === openBrace) {
      return this.#object();
    }
    if (code === openBracket) {
      return this.#list();
    }
    return code === quote ? this.#string().written : this.#scalar();
  }

  #object(): string {
    const members: { key: string; text: string }[] = [];
    this.#enter();
    while (this.#nextCode() !== closeBrace) {
      this.#pass(comma);
      this.#nextCode();
      const { value: key, written } = this.#string();
      this.#nextCode();
      // The colon.
      this.#at += 1;
      this.#count(members.length === 0 ? 1 : 2);
      members.push({ key, text: `${written}:${this.value()}` });
    }
    this.#at += 1;
    // By UTF-16 code units; no two are equal.
    members.sort((one, other) => (one.key < other.key ? -1 : 1));
    return `{${members.map(({ text }) => text).join()}}`;
  }

  #list(): string {
    const items: string[] = [];
    this.#enter();
    while (this.#nextCode() !== closeBracket) {
      this.#pass(comma);
      this.#count(items.length === 0 ? 0 : 1);
      items.push(this.value());
    }
    this.#at += 1;
    return `[${items.join()}]`;
  }

  /** An object or a list begins. */
  #enter(): void {
    this.#at += 1;
    this.#count(2);
  }

  #string(): { value: string; written: string } {
    const end = endOfString(this.#text, this.#at);
    const token = this.#text.slice(this.#at, end + 1);
    this.#at = end + 1;
    // Without an escape it is written in the one way already.
    const value = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
    const written = token.includes('\\') ? JSON.stringify(value) : token;
    this.#count(Buffer.byteLength(written));
    return { value, written };
  }

  /** A number, `true`, `false` or `null`. */
  #scalar(): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !endsScalar(this.#text.charCodeAt(this.#at))) {
      this.#at += 1;
    }
    this.#count(this.#at - start);
    return this.#text.slice(start, this.#at);
  }

  /** The character after the space. */
  #nextCode(): number {
    while (this.#text.charCodeAt(this.#at) <= space) {
      this.#at += 1;
    }
    return this.#text.charCodeAt(this.#at);
  }

  #pass(code: number): void {
    if (this.#text.charCodeAt(this.#at) === code) {
      this.#at += 1;
    }
  }

  #count(bytes: number): void {
    this.sizeBytes += bytes;
    if (this.sizeBytes > this.#maxBytes) {
      throw new TooLargeError();
    }
  }
}

const endsScalar = (code: number): boolean =>
  code === comma || code === closeBrace || code === closeBracket || code <= space;
