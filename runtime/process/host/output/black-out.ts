/** Blacks secrets out of what a process writes, while it is written: a value that arrives in pieces is still found. */
import { type Form, forms } from './forms.ts';

export interface BlackOut {
  /** The next bytes as they may be shown. Keeps back what may be the beginning of a value. */
  push(bytes: Buffer): Buffer;
  /** What was kept back, at the end. What is pushed next is another text. */
  end(): Buffer;
  /** There is more to look for than can be: all that is shown is a mark. */
  readonly showsNothing: boolean;
  /** How often something is compared with a text, at most. */
  comparisons(bytes: Buffer): number;
}

const mark = Buffer.from('[secret]');
const shortestLineBytes = 4;
const mostPieceBytes = 255;
/** So much of a value at the very end is taken for one that was cut off. */
const shortestCutBytes = 8;

/** As many as the relay in C looks for. */
const mostNeedles = 4096;

/**
 * `values`: of secret variables. Each is looked for as a whole, and each of its lines for itself. Of values that have more lines than
 * can be looked for, nothing is shown: see `showsNothing`.
 */
export function createBlackOut(values: readonly string[]): BlackOut {
  const needles = needlesOf(values);
  const candidates = candidatesByByte(needles ?? []);
  let state: State = { kept: Buffer.alloc(0), isMarked: false };
  const take = (bytes: Buffer, isEnd: boolean) => {
    const step = needles === null ? hide(bytes, state) : clean(bytes, state, { candidates, isEnd });
    state = { kept: step.kept, isMarked: step.isMarked && !isEnd };
    return step.shown;
  };
  return {
    push: (bytes) => take(bytes, false),
    end: () => take(Buffer.alloc(0), true),
    showsNothing: needles === null,
    comparisons: (bytes) => bytes.reduce((sum, byte) => sum + (candidates[byte]?.length ?? 0), 0),
  };
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
  return [value, value.trim(), ...lines.filter((line) => line.length >= shortestLineBytes)];
}

/**
 * A long value is looked for in pieces, which bounds what one place of the text costs. None cuts a character, which JSON may write as
 * one escape.
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

/** Base64 keeps its phase over the first four; one of them ends a character, but where all characters have three bytes. */
const pieceSizes = [255, 252, 249, 246, 254, 253];

function pieceSize(value: Buffer): number {
  const isContinuation = (byte = 0) => (byte & 0xc0) === 0x80;
  return pieceSizes.find((size) => !isContinuation(value[size])) ?? mostPieceBytes;
}

interface Candidate {
  needle: Buffer;
  form: Form;
}
/** What may stand where a byte is the first one, by that byte. */
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
  /** The last that was shown is a mark: what follows it at once is blacked out with it. */
  isMarked: boolean;
}

const hide = (bytes: Buffer, { kept, isMarked }: State): State & { shown: Buffer } => ({
  shown: isMarked || bytes.length === 0 ? Buffer.alloc(0) : mark,
  kept,
  isMarked: isMarked || bytes.length > 0,
});

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
    const { longest, mayBeLonger } = matchAt(text, at, candidates[text[at] ?? 0] ?? []);
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
  /** Of everything that stands at this place; 0 for nothing. */
  longest: number;
  /** What comes could make it longer. */
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
