/** Blacks secrets out of what a process writes, while it is written: a value that arrives in pieces is still found. */
import { type Form, forms, type Match } from './forms.ts';

export interface BlackOut {
  /** The next bytes as they may be shown. Keeps back what may be the beginning of a value. */
  push(bytes: Buffer): Buffer;
  /** What was kept back, at the end. */
  end(): Buffer;
}

const mark = Buffer.from('[secret]');
const shortestLineBytes = 4;
const pieceBytes = 255;
/** So much of a value at the very end is taken for one that was cut off. */
const shortestCutBytes = 8;

/** `values`: of secret variables. Each is looked for as a whole, and each of its lines for itself. */
export function createBlackOut(values: readonly string[]): BlackOut {
  const candidates = candidatesByByte(needlesOf(values));
  let state: State = { kept: Buffer.alloc(0), isMarked: false };
  const take = (bytes: Buffer, isEnd: boolean) => {
    const { shown, ...next } = clean(bytes, state, { candidates, isEnd });
    state = next;
    return shown;
  };
  return { push: (bytes) => take(bytes, false), end: () => take(Buffer.alloc(0), true) };
}

function needlesOf(values: readonly string[]): Buffer[] {
  const all = new Set<string>();
  for (const value of values) {
    const lines = value.split(/[\r\n]+/).map((line) => line.trim());
    for (const text of [value, value.trim(), ...lines.filter((line) => line.length >= shortestLineBytes)]) {
      all.add(text);
    }
  }
  const pieces = [...all].flatMap((text) => piecesOf(Buffer.from(text)));
  return [...new Map(pieces.map((piece) => [piece.toString('hex'), piece])).values()];
}

/** A long value is looked for in pieces, which bounds what one place of the text costs. Base64 keeps its phase over a piece. */
function piecesOf(value: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (; value.length - from > 2 * pieceBytes; from += pieceBytes) {
    pieces.push(value.subarray(from, from + pieceBytes));
  }
  return from < value.length ? [...pieces, value.subarray(from)] : pieces;
}

interface Candidate {
  needle: Buffer;
  form: Form;
}
/** What may stand where a byte is the first one, by that byte. */
type Candidates = readonly (readonly Candidate[])[];

function candidatesByByte(needles: readonly Buffer[]): Candidates {
  const all = needles.flatMap((needle) => forms.map((form) => ({ needle, form })));
  return Array.from({ length: 256 }, (_, byte) =>
    all.filter(({ needle, form }) => form(needle, Buffer.of(byte), 0) !== 0),
  );
}

interface State {
  kept: Buffer;
  /** The last that was shown is a mark: what follows it at once is blacked out with it. */
  isMarked: boolean;
}

function clean(
  bytes: Buffer,
  { kept, isMarked: wasMarked }: State,
  { candidates, isEnd }: { candidates: Candidates; isEnd: boolean },
): State & { shown: Buffer } {
  const text = Buffer.concat([kept, bytes]);
  const pieces: Buffer[] = [];
  let isMarked = wasMarked;
  let plainFrom = 0;
  let at = 0;
  while (at < text.length) {
    const found = longest(text, at, candidates[text[at] ?? 0] ?? []);
    const length = found === 'more' ? atEnd(text.length - at, isEnd) : found;
    if (length === 'more') {
      break;
    }
    if (length > 0) {
      pieces.push(text.subarray(plainFrom, at), isMarked ? Buffer.alloc(0) : mark);
      at += length;
      plainFrom = at;
    } else {
      at += 1;
    }
    isMarked = length > 0;
  }
  pieces.push(text.subarray(plainFrom, at));
  return { shown: Buffer.concat(pieces), kept: Buffer.from(text.subarray(at)), isMarked };
}

const atEnd = (left: number, isEnd: boolean): Match =>
  !isEnd ? 'more' : left >= shortestCutBytes ? left : 0;

/** Of everything that stands at this place; `more` when what comes could make it longer. */
function longest(text: Buffer, at: number, candidates: readonly Candidate[]): Match {
  let found: Match = 0;
  for (const { needle, form } of candidates) {
    const match = form(needle, text, at);
    if (match === 'more') {
      return 'more';
    }
    found = Math.max(found, match);
  }
  return found;
}
