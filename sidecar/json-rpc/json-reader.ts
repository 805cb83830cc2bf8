/**
 * Parses JSON text incrementally, so that a long line does not block everything else (docs/decisions/0019). It gives exactly
 * the combined result of `JSON.parse` and `inspectJson`; the tests compare them.
 */
import { type JsonInspection, keyAt } from './inspect-json.ts';
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
} from './json-characters.ts';
import { anyFrame, type Frame, frameIn } from './json-frames.ts';

export type JsonReading = JsonInspection & { value: unknown };

/** The text is not JSON. */
export class NotJsonError extends Error {}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ', or end' | 'nothing';

/** A string that has begun and not ended. */
interface OpenString {
  isKey: boolean;
  /** Its opening quote. */
  start: number;
  /** What follows has not been decoded yet. */
  from: number;
  decoded: string;
  isKept: boolean;
}

const space = 0x20;
const letterU = 0x75;
/** A long string is read in pieces of about this length. */
const charactersOfPiece = 4096;
/** As many take about as long as a token by itself. */
const charactersOfToken = 64;

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literals: [string, unknown][] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

export class JsonReader {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #keepsPayloads: boolean;
  readonly #open: Frame[] = [];
  readonly #reading: JsonReading = { value: undefined, problem: null, rawId: null, rawArguments: null };
  #at = 0;
  #expected: Expected = 'value';
  #string: OpenString | null = null;
  #backslash = -1;

  /**
   * `text` has no control characters. `maxDepth`: objects and arrays inside one another. Without `keepsPayloads` the objects and arrays
   * that a call or a result carries are checked as everything is, and empty in the value: a megabyte of them would be as many objects.
   */
  constructor(text: string, { maxDepth, keepsPayloads }: { maxDepth: number; keepsPayloads: boolean }) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#keepsPayloads = keepsPayloads;
  }

  /** Reads that many more tokens, or fewer long ones. Returns null while there are more. Throws NotJsonError. */
  read(tokens: number): JsonReading | null {
    for (let left = tokens; left > 0; ) {
      const start = this.#at;
      if (this.#string !== null) {
        this.#readPiece(this.#string);
      } else {
        const code = this.#skipSpace();
        if (Number.isNaN(code)) {
          if (this.#expected !== 'nothing') {
            throw new NotJsonError();
          }
          return this.#reading;
        }
        this.#readToken(code);
      }
      left -= 1 + (this.#at - start) / charactersOfToken;
    }
    return null;
  }

  #skipSpace(): number {
    let code = this.#text.charCodeAt(this.#at);
    while (code === space) {
      this.#at += 1;
      code = this.#text.charCodeAt(this.#at);
    }
    return code;
  }

  #readToken(code: number): void {
    const expected = this.#expected;
    if (expected === ', or end') {
      this.#readNext(code);
    } else if (
      (expected === 'value or ]' && code === closeBracket) ||
      (expected === 'key or }' && code === closeBrace)
    ) {
      this.#close();
    } else if (expected === 'value' || expected === 'value or ]') {
      this.#readValue(code);
    } else if (expected === 'key' || expected === 'key or }') {
      this.#readKey(code);
    } else {
      throw new NotJsonError();
    }
  }

  #readNext(code: number): void {
    const isList = this.#open.at(-1)?.list !== null;
    if (code === comma) {
      this.#at += 1;
      this.#expected = isList ? 'value' : 'key';
    } else if (code === (isList ? closeBracket : closeBrace)) {
      this.#close();
    } else {
      throw new NotJsonError();
    }
  }

  #readValue(code: number): void {
    const start = this.#at;
    if (code === quote) {
      this.#enterString(false);
    } else if (code === openBrace || code === openBracket) {
      this.#enter(code === openBracket);
    } else {
      this.#take(this.#readScalar(), start);
    }
  }

  #readScalar(): unknown {
    for (const [word, value] of literals) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    number.lastIndex = this.#at;
    const found = number.exec(this.#text);
    if (found === null) {
      throw new NotJsonError();
    }
    this.#at += found[0].length;
    return Number(found[0]);
  }

  #enterString(isKey: boolean): void {
    const start = this.#at;
    this.#at += 1;
    const isKept = !isKey && this.#open.at(-1)?.isKept !== false;
    const string = { isKey, start, from: this.#at, decoded: '', isKept };
    const end = this.#text.indexOf('"', this.#at);
    if (end !== -1 && end < this.#nextBackslash()) {
      this.#decode(string, end, false);
      this.#at = end + 1;
      this.#endString(string);
    } else {
      this.#string = string;
      this.#readPiece(string);
    }
  }

  /** Where the next backslash is; each part of the text is searched once. */
  #nextBackslash(): number {
    if (this.#backslash < this.#at) {
      const found = this.#text.indexOf('\\', this.#at);
      this.#backslash = found === -1 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#backslash;
  }

  /** Ends with the string, or between two of its characters: not inside an escape, so that each piece can be decoded by itself. */
  #readPiece(string: OpenString): void {
    const text = this.#text;
    const far = this.#at + charactersOfPiece;
    let escapeEnd = 0;
    for (let at = this.#at; at < text.length; at += 1) {
      if (at >= far && at >= escapeEnd) {
        this.#decode(string, at, escapeEnd !== 0);
        this.#at = at;
        return;
      }
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.#decode(string, at, escapeEnd !== 0);
        this.#at = at + 1;
        this.#endString(string);
        return;
      }
      if (code === backslash) {
        escapeEnd = at + (text.charCodeAt(at + 1) === letterU ? 6 : 2);
        at += 1;
      }
    }
    throw new NotJsonError();
  }

  #decode(string: OpenString, end: number, hasEscapes: boolean): void {
    if (hasEscapes || string.isKept) {
      const written = this.#text.slice(string.from, end);
      const decoded = hasEscapes ? decode(written) : written;
      string.decoded += string.isKept ? decoded : '';
    }
    string.from = end;
  }

  #endString({ isKey, start, decoded }: OpenString): void {
    this.#string = null;
    if (isKey) {
      this.#endKey(start);
    } else {
      this.#take(decoded, start);
    }
  }

  #readKey(code: number): void {
    if (code !== quote) {
      throw new NotJsonError();
    }
    this.#enterString(true);
  }

  /** The key that starts at `start` ends here. */
  #endKey(start: number): void {
    const end = this.#at - 1;
    if (this.#skipSpace() !== colon) {
      throw new NotJsonError();
    }
    this.#at += 1;
    this.#expected = 'value';
    const frame = this.#open.at(-1);
    if (this.#reading.problem !== null || frame?.members == null) {
      return;
    }
    const key = keyAt(this.#text, start, end);
    if (key === null) {
      this.#reading.problem = 'bad_key';
    } else if (frame.isKept ? Object.hasOwn(frame.members, key) : frame.keys?.has(key)) {
      this.#reading.problem = 'duplicate_key';
    } else if (frame.isKept) {
      frame.key = key;
    } else {
      frame.keys ??= new Set();
      frame.keys.add(key);
    }
  }

  #enter(isList: boolean): void {
    if (this.#open.length >= this.#maxDepth) {
      this.#reading.problem ??= 'too_deep';
    }
    this.#open.push(
      this.#reading.problem === null
        ? frameIn(this.#open, { start: this.#at, isList, keepsPayloads: this.#keepsPayloads })
        : anyFrame(isList),
    );
    this.#at += 1;
    this.#expected = isList ? 'value or ]' : 'key or }';
  }

  #close(): void {
    this.#at += 1;
    const closed = this.#open.pop();
    this.#take(closed?.list ?? closed?.members, closed?.start ?? 0);
  }

  /** A value ends here. */
  #take(value: unknown, start: number): void {
    const frame = this.#open.at(-1);
    this.#expected = frame === undefined ? 'nothing' : ', or end';
    if (this.#reading.problem !== null) {
      return;
    }
    if (frame === undefined) {
      this.#reading.value = value;
    } else if (!frame.isKept) {
      return;
    } else if (frame.list !== null) {
      frame.list.push(value);
    } else if (frame.members !== null) {
      setMember(frame.members, frame.key, value);
      this.#watch(frame, start);
    }
  }

  /** Keeps the members that the gate compares as they were written. */
  #watch({ key }: Frame, start: number): void {
    const depth = this.#open.length;
    if (depth === 1 && key === 'id') {
      this.#reading.rawId = this.#text.slice(start, this.#at);
    } else if (depth === 2 && key === 'arguments' && this.#open[0]?.key === 'params') {
      this.#reading.rawArguments = this.#text.slice(start, this.#at);
    }
  }
}

function decode(written: string): string {
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    throw new NotJsonError();
  }
}

/** As `JSON.parse`: `__proto__` is a member like any other. */
function setMember(members: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(members, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    members[key] = value;
  }
}
