/**
 * Looks for what an unreadable line of a server says of itself: whose answer it is, and whether it is one at
 * all. It takes anything, also what is not JSON, cut off, or far too long, and holds next to nothing of it.
 * What it finds is a guess: it chooses which request fails, and nothing else.
 */
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
import { nextLoopTurn } from './loop-turn.ts';
import type { RequestId } from './message.ts';

const apostrophe = 0x27;
/** What may precede the first character: space, NUL bytes of UTF-16, and byte order marks. */
const ignoredFirst = new Set([0x09, 0x0a, 0x0d, space, 0x00, 0xef, 0xbb, 0xbf, 0xfe, 0xff]);
const byteOrderMarks = new Set([0xef, 0xfe, 0xff]);
/** What follows the bracket of a list that is JSON, and not of a log line such as `[info]`. */
const beginsItem = new Set([openBrace, openBracket, closeBracket, quote]);
/** Longer keys and ids are none that a request has. */
const maxTokenBytes = 1024;
/** Answers of one list whose ids are kept. */
const maxAnswers = 1024;
/** Scanning as many takes no longer than a turn. */
const scannedOfTurn = 8 * 1024;
const answerKeys = new Set(['result', 'error']);
const messageKeys = new Set(['jsonrpc', 'id', 'result', 'error', 'method']);
/** What programs that log in JSON call it. */
const logKeys = new Set(['level', 'lvl', 'levelname', 'severity']);

export class AnswerScan {
  /** `undecided`: nothing but space so far. */
  #kind: 'undecided' | 'noise' | 'object' | 'list' = 'undecided';
  #hasMark = false;
  #depth = 0;
  /** Of a list. */
  #hasItems = false;
  #isClosed = false;
  /** The quote that ends the string being read; 0 outside of strings. */
  #stringEnd = 0;
  #isEscaped = false;
  /** Bytes of a key, or of the value of an id. */
  #token: number[] | null = null;
  #key = '';
  #isValue = false;
  /** Of the value of an id. */
  #isQuoted = false;
  /** Of the message that is being read, or the last one. */
  #id: RequestId | null = null;
  #isCall = false;
  #hasMethod = false;
  #hasAnswer = false;
  #isMessage = false;
  #isLog = false;
  /** Of the answers in a list before that message. */
  readonly #ids: RequestId[] = [];

  /** It is no attempt at a message: neither an object nor a list, or a log line in JSON. */
  get isNoise(): boolean {
    return (
      this.#kind === 'undecided' ||
      this.#kind === 'noise' ||
      (this.#kind === 'object' && this.#isLog && !this.#isMessage)
    );
  }

  get isList(): boolean {
    return this.#kind === 'list';
  }

  get hasByteOrderMark(): boolean {
    return this.#hasMark;
  }

  /** Objects and lists are still open. */
  get isOpen(): boolean {
    return !this.isNoise && !this.#isClosed;
  }

  get isInString(): boolean {
    return this.#stringEnd !== 0;
  }

  /** It is a request or a notification of the server, or a list with some and no answer that has an id. */
  get namesMethod(): boolean {
    return this.#hasMethod && (this.#kind === 'object' || this.ids.length === 0);
  }

  get hasAnswer(): boolean {
    return this.#hasAnswer;
  }

  /** Of each answer, as far as one was found. */
  get ids(): readonly RequestId[] {
    const isOwn = this.#kind === 'object' || !this.#isCall;
    return isOwn && this.#id !== null ? [...this.#ids, this.#id] : this.#ids;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length && !this.#isClosed && this.#kind !== 'noise'; at += 1) {
      this.#take(bytes[at] ?? 0);
    }
  }

  #take(byte: number): void {
    if (this.#kind === 'undecided') {
      this.#begin(byte);
    } else if (this.#stringEnd !== 0) {
      this.#takeInString(byte);
    } else if (this.#kind === 'list' && this.#depth === 1 && this.#isFirstItem(byte)) {
      this.#kind = 'noise';
    } else {
      this.#takeOutside(byte);
    }
  }

  #begin(byte: number): void {
    if (ignoredFirst.has(byte)) {
      this.#hasMark ||= byteOrderMarks.has(byte);
    } else if (byte === openBrace || byte === openBracket) {
      this.#kind = byte === openBrace ? 'object' : 'list';
      this.#depth = 1;
    } else {
      this.#kind = 'noise';
    }
  }

  /** Of the first character in a list: whether it shows that this is none. */
  #isFirstItem(byte: number): boolean {
    if (this.#hasItems || ignoredFirst.has(byte)) {
      return false;
    }
    this.#hasItems = true;
    return !beginsItem.has(byte);
  }

  /** The depth of a message's members. */
  get #base(): number {
    return this.#kind === 'list' ? 2 : 1;
  }

  get #isIdValue(): boolean {
    return this.#depth === this.#base && this.#isValue && this.#key === 'id';
  }

  #takeInString(byte: number): void {
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (byte === backslash) {
      this.#isEscaped = true;
    } else if (byte === this.#stringEnd) {
      this.#stringEnd = 0;
      if (!this.#isValue && this.#token !== null) {
        this.#endKey(textOf(this.#token));
        this.#token = null;
      }
      return;
    }
    this.#keep(byte);
  }

  #takeOutside(byte: number): void {
    if (byte === quote || byte === apostrophe) {
      this.#stringEnd = byte;
      this.#isQuoted ||= this.#isIdValue;
      const isKey = this.#depth === this.#base && !this.#isValue;
      this.#token = isKey || this.#isIdValue ? [] : this.#token;
    } else if (byte === openBrace || byte === openBracket) {
      this.#token = null;
      this.#depth += 1;
      if (this.#depth === this.#base) {
        this.#isValue = false;
      }
    } else if (byte === closeBrace || byte === closeBracket) {
      this.#endMember();
      this.#endItem();
      this.#depth -= 1;
      this.#isClosed = this.#depth <= 0;
    } else if (byte === comma) {
      this.#endMember();
    } else if (byte === colon && this.#depth === this.#base) {
      this.#isValue = true;
      this.#token = this.#key === 'id' ? [] : null;
    } else if (this.#isIdValue && byte > space) {
      this.#keep(byte);
    }
  }

  #keep(byte: number): void {
    if (this.#token !== null && this.#token.length < maxTokenBytes) {
      this.#token.push(byte);
    }
  }

  #endKey(key: string): void {
    this.#key = key;
    this.#isCall ||= key === 'method';
    this.#hasMethod ||= this.#isCall;
    this.#hasAnswer ||= answerKeys.has(key);
    this.#isMessage ||= messageKeys.has(key);
    this.#isLog ||= logKeys.has(key);
  }

  #endMember(): void {
    if (this.#depth !== this.#base) {
      return;
    }
    if (this.#isIdValue && this.#token !== null) {
      // Of two ids in one message the last one counts, as most readers have it.
      this.#id = idOf(textOf(this.#token), this.#isQuoted) ?? this.#id;
    }
    this.#key = '';
    this.#isValue = false;
    this.#isQuoted = false;
    this.#token = null;
  }

  /** A message of a list ends here, and the next one has an id of its own. */
  #endItem(): void {
    if (this.#kind !== 'list' || this.#depth !== this.#base) {
      return;
    }
    if (this.#id !== null && !this.#isCall && this.#ids.length < maxAnswers) {
      this.#ids.push(this.#id);
    }
    this.#id = null;
    this.#isCall = false;
  }
}

/** Pushes bytes while other work gets its turn: at once, ten megabytes would block it for up to a second. */
export async function scanInTurns(scan: AnswerScan, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; from += scannedOfTurn) {
    if (from > 0) {
      await nextLoopTurn();
    }
    scan.push(bytes.subarray(from, from + scannedOfTurn));
  }
}

const textOf = (token: readonly number[]): string => Buffer.from(token).toString('utf8');

/** As the id of a request, whatever it was written as. */
function idOf(text: string, isQuoted: boolean): RequestId | null {
  if (!isQuoted && (text === '' || text === 'null' || text === 'None')) {
    return null;
  }
  const value = Number(text);
  return !isQuoted && Number.isSafeInteger(value) ? value : text;
}
