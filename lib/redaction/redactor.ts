/**
 * Redacts secrets from a process's output as it streams, where a value split over chunks is still found, and
 * from whole texts.
 */
import { type Form, forms } from './forms.ts';

export interface Redactor {
  /** The next bytes, redacted. Holds back a possible beginning of a value. */
  push(bytes: Buffer): Buffer;
  /** Flushes what was held back, at the end. The next push begins a new text. */
  end(): Buffer;
  /** As `push`, or as both, and stops after some milliseconds at most to be asked to go on. */
  inTurns(bytes: Buffer, options: { isEnd: boolean }): Turns;
  /** What is held back: a beginning of a value, as it was pushed. */
  readonly held: Buffer;
  /** There is too much to search for: only a mark is shown. */
  readonly showsNothing: boolean;
  /** Max number of comparisons for a text. */
  comparisons(bytes: Buffer): number;
}

export type Turns = Generator<undefined, Buffer, undefined>;

/** What is shown in the place of a value. */
export const secretMark = '[secret]';
const mark = Buffer.from(secretMark);
/** Shorter values and lines are in too many words that have nothing to do with them. */
const shortestBytes = 4;
const mostPieceBytes = 255;
/** Min length of a value's prefix at the very end that counts as a truncated value. */
export const shortestCutBytes = 8;

/** The same limit as in the C relay. */
const mostNeedles = 4096;
/**
 * In whole texts: well under a second of work. The longest listing of a check, with secrets of six hundred
 * lines, takes a third of it.
 */
const mostComparisons = 4_000_000;

/**
 * `values`: of secret variables. Each is searched for as a whole, and by line. When the values have more
 * lines than can be searched for, nothing is shown: see `showsNothing`.
 */
export const createRedactor = (values: readonly string[]): Redactor => redactorsOf(values)();

/** For several texts at a time, which share what is costly to prepare: what is searched for. */
export function redactorsOf(values: readonly string[]): () => Redactor {
  const needles = needlesOf(values);
  const candidates = candidatesByByte(needles ?? []);
  return () => {
    let state: State = { kept: Buffer.alloc(0), isMarked: false };
    function* inTurns(bytes: Buffer, { isEnd }: { isEnd: boolean }): Turns {
      const step = needles === null ? hide(bytes, state) : yield* clean(bytes, state, { candidates, isEnd });
      state = { kept: step.kept, isMarked: step.isMarked && !isEnd };
      return step.shown;
    }
    return {
      push: (bytes) => resultOf(inTurns(bytes, { isEnd: false })),
      end: () => resultOf(inTurns(Buffer.alloc(0), { isEnd: true })),
      inTurns,
      get held() {
        return state.kept;
      },
      showsNothing: needles === null,
      comparisons: (bytes) => bytes.reduce((sum, byte) => sum + (candidates[byte]?.length ?? 0), 0),
    };
  };
}

function resultOf(turns: Turns): Buffer {
  let step = turns.next();
  while (step.done !== true) {
    step = turns.next();
  }
  return step.value;
}

/** One whole text, between others. */
export const redactText = (redactor: Redactor, text: string): string =>
  Buffer.concat([redactor.push(Buffer.from(text)), redactor.end()]).toString('utf8');

/**
 * Returns a function that redacts one text: each by itself, in full, since a truncated one may end within a
 * value. Null when there is too much to search for in `texts`, which are all that it will be called with.
 */
export function createTextRedactor(
  values: readonly string[],
  texts: readonly string[],
): ((text: string) => string) | null {
  const redactor = createRedactor(values);
  if (redactor.showsNothing || redactor.comparisons(Buffer.from(texts.join(''))) > mostComparisons) {
    return null;
  }
  return (text) => redactText(redactor, text);
}

/** Null when they are too many. */
function needlesOf(values: readonly string[]): Buffer[] | null {
  const needles = new Map<string, Buffer>();
  for (const text of new Set(values.flatMap(textsOf))) {
    for (const piece of piecesOf(Buffer.from(text))) {
      needles.set(piece.toString('latin1'), piece);
    }
    if (needles.size > mostNeedles) {
      return null;
    }
  }
  return [...needles.values()];
}

function textsOf(value: string): string[] {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  return [value, value.trim(), ...lines].filter((text) => Buffer.byteLength(text) >= shortestBytes);
}

/**
 * A long value is searched for in pieces, which bounds the cost per position. None splits a character, which
 * JSON may write as one escape.
 */
function piecesOf(value: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  let rest = value;
  while (rest.length > 2 * mostPieceBytes) {
    const size = pieceSize(rest);
    pieces.push(rest.subarray(0, size));
    rest = rest.subarray(size);
  }
  return rest.length === 0 ? pieces : [...pieces, rest];
}

/**
 * The first four keep base64's phase; one of them ends at a character boundary, except when all
 * characters have three bytes.
 */
const pieceSizes = [255, 252, 249, 246, 254, 253];

function pieceSize(value: Buffer): number {
  const isContinuation = (byte = 0) => (byte & 0xc0) === 0x80;
  return pieceSizes.find((size) => !isContinuation(value[size])) ?? mostPieceBytes;
}

interface Candidate {
  needle: Buffer;
  form: Form;
}
/** Possible matches by first byte. */
type Candidates = readonly (readonly Candidate[])[];

function candidatesByByte(needles: readonly Buffer[]): Candidates {
  const candidates = Array.from({ length: 256 }, (): Candidate[] => []);
  for (const needle of needles) {
    for (const form of forms) {
      for (const byte of new Set(form.firstBytes(needle))) {
        candidates[byte]?.push({ needle, form });
      }
    }
  }
  return candidates;
}

interface State {
  kept: Buffer;
  /** The last output was a mark: a match that directly follows is merged into it. */
  isMarked: boolean;
}

const hide = (bytes: Buffer, { kept, isMarked }: State): State & { shown: Buffer } => ({
  shown: isMarked || bytes.length === 0 ? Buffer.alloc(0) : mark,
  kept,
  isMarked: isMarked || bytes.length > 0,
});

/** A comparison of long values that are alike takes two microseconds, others a fiftieth of that. */
const turnComparisons = 2000;

function* clean(
  bytes: Buffer,
  { kept, isMarked: wasMarked }: State,
  { candidates, isEnd }: { candidates: Candidates; isEnd: boolean },
): Generator<undefined, State & { shown: Buffer }, undefined> {
  const text = Buffer.concat([kept, bytes]);
  const pieces: Buffer[] = [];
  let isMarked = wasMarked;
  let plainFrom = 0;
  let at = 0;
  let comparisons = 0;
  while (at < text.length) {
    const here = candidates[text[at] ?? 0] ?? [];
    comparisons += here.length;
    if (comparisons > turnComparisons) {
      comparisons = 0;
      yield;
    }
    const { longest, mayBeLonger } = matchAt(text, at, here);
    if (mayBeLonger && !isEnd) {
      break;
    }
    const left = text.length - at;
    const length = mayBeLonger && left >= shortestCutBytes ? left : longest;
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

interface Found {
  /** The longest match at this position; 0 for none. */
  longest: number;
  /** Further input could make it longer. */
  mayBeLonger: boolean;
}

function matchAt(text: Buffer, at: number, candidates: readonly Candidate[]): Found {
  const found: Found = { longest: 0, mayBeLonger: false };
  for (const { needle, form } of candidates) {
    const match = form.match(needle, text, at);
    if (match === 'more') {
      found.mayBeLonger = true;
    } else if (match > found.longest) {
      found.longest = match;
    }
  }
  return found;
}
