/**
 * Parses the bytes of JSON text incrementally, in one pass, so that a long line does not block
 * everything else (docs/decisions/0019). It gives exactly the combined result of `JSON.parse` and
 * `inspectJson`; the tests compare them.
 */
import type { JsonInspection } from './inspect-json.ts';
import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
  space,
} from './json-characters.ts';
import { anyFrame, type Frame, frameIn } from './json-frames.ts';
import { KeyReader } from './json-keys.ts';
import {
  continuesCharacter,
  endOfEscape,
  endOfNumber,
  endOfPlainText,
  literalAt,
  numberAt,
} from './json-tokens.ts';

/** Arguments as written are bytes here. */
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

/** A long string is read in pieces of about this length. */
const bytesOfPiece = 4096;
/** As many take about as long as a token by itself. */
const bytesOfToken = 64;

export class JsonReader {
  readonly #bytes: Buffer;
  readonly #keys: KeyReader;
  readonly #maxDepth: number;
  readonly #keepsPayloads: boolean;
  readonly #open: Frame[] = [];
  readonly #reading: JsonReading = { value: undefined, problem: null, rawId: null, rawArguments: null };
  #at = 0;
  #expected: Expected = 'value';
  #string: OpenString | null = null;

  /**
   * `bytes` are UTF-8. `maxDepth`: objects and arrays inside one another. Without `keepsPayloads` the objects
   * and arrays that a call or a result carries are checked as everything is, and empty in the value: a
   * megabyte of them would be as many objects.
   */
  constructor(bytes: Buffer, { maxDepth, keepsPayloads }: { maxDepth: number; keepsPayloads: boolean }) {
    this.#bytes = bytes;
    this.#keys = new KeyReader(bytes);
    this.#maxDepth = maxDepth;
    this.#keepsPayloads = keepsPayloads;
  }

  /** What is before this index has been read, and holds no control byte. */
  get at(): number {
    return this.#at;
  }

  /**
   * Reads that many more tokens, or fewer long ones. Returns null while there are more. Throws
   * NotJsonError, also at a control byte.
   */
  read(tokens: number): JsonReading | null {
    for (let left = tokens; left > 0; ) {
      const start = this.#at;
      if (this.#string !== null) {
        this.#readPiece(this.#string);
      } else {
        const byte = this.#skipSpace();
        if (byte === undefined) {
          if (this.#expected !== 'nothing') {
            throw new NotJsonError();
          }
          return this.#reading;
        }
        this.#readToken(byte);
      }
      left -= 1 + (this.#at - start) / bytesOfToken;
    }
    return null;
  }

  /** The byte after the space; undefined at the end. */
  #skipSpace(): number | undefined {
    let byte = this.#bytes[this.#at];
    while (byte === space) {
      this.#at += 1;
      byte = this.#bytes[this.#at];
    }
    return byte;
  }

  #readToken(byte: number): void {
    const expected = this.#expected;
    if (expected === ', or end') {
      this.#readNext(byte);
    } else if (
      (expected === 'value or ]' && byte === closeBracket) ||
      (expected === 'key or }' && byte === closeBrace)
    ) {
      this.#close();
    } else if (expected === 'value' || expected === 'value or ]') {
      this.#readValue(byte);
    } else if (expected === 'key' || expected === 'key or }') {
      this.#readKey(byte);
    } else {
      throw new NotJsonError();
    }
  }

  #readNext(byte: number): void {
    const isList = this.#open.at(-1)?.list !== null;
    if (byte === comma) {
      this.#at += 1;
      this.#expected = isList ? 'value' : 'key';
    } else if (byte === (isList ? closeBracket : closeBrace)) {
      this.#close();
    } else {
      throw new NotJsonError();
    }
  }

  #readValue(byte: number): void {
    const start = this.#at;
    if (byte === quote) {
      this.#enterString(false);
    } else if (byte === openBrace || byte === openBracket) {
      this.#enter(byte === openBracket);
    } else {
      this.#take(this.#readScalar(), start);
    }
  }

  #readScalar(): unknown {
    const literal = literalAt(this.#bytes, this.#at);
    if (literal !== undefined) {
      this.#at += literal.length;
      return literal.value;
    }
    const start = this.#at;
    const end = endOfNumber(this.#bytes, start);
    if (end === -1) {
      throw new NotJsonError();
    }
    this.#at = end;
    return this.#isKept ? numberAt(this.#bytes, start, end) : undefined;
  }

  /** Whether a value that comes next is kept. */
  get #isKept(): boolean {
    return this.#open.at(-1)?.isKept !== false;
  }

  #enterString(isKey: boolean): void {
    const start = this.#at;
    this.#at += 1;
    this.#readPiece({ isKey, start, from: this.#at, decoded: '', isKept: !isKey && this.#isKept });
  }

  /**
   * Ends with the string, or between two of its characters: not inside an escape, so that each piece
   * can be decoded by itself.
   */
  #readPiece(string: OpenString): void {
    const bytes = this.#bytes;
    const far = Math.min(this.#at + bytesOfPiece, bytes.length);
    let hasEscapes = false;
    let at = endOfPlainText(bytes, this.#at, far);
    while (at < far && bytes[at] === backslash) {
      hasEscapes = true;
      const end = endOfEscape(bytes, at);
      if (end === -1) {
        throw new NotJsonError();
      }
      at = endOfPlainText(bytes, end, far);
    }
    if (bytes[at] === quote) {
      this.#decode(string, at, hasEscapes);
      this.#at = at + 1;
      this.#endString(string);
      return;
    }
    while (continuesCharacter(bytes[at])) {
      at += 1;
    }
    if (at < far || at >= bytes.length) {
      throw new NotJsonError();
    }
    this.#decode(string, at, hasEscapes);
    this.#at = at;
    this.#string = string;
  }

  #decode(string: OpenString, end: number, hasEscapes: boolean): void {
    if (string.isKept) {
      const written = this.#bytes.toString('utf8', string.from, end);
      string.decoded += hasEscapes ? JSON.parse(`"${written}"`) : written;
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

  #readKey(byte: number): void {
    if (byte !== quote) {
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
    const key = this.#keys.read(start, end);
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
      this.#reading.rawId = this.#bytes.toString('utf8', start, this.#at);
    } else if (depth === 2 && key === 'arguments' && this.#open[0]?.key === 'params') {
      this.#reading.rawArguments = this.#bytes.subarray(start, this.#at);
    }
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
