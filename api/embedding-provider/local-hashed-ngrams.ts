/**
 * Vectors of texts without any model: two texts are similar when they are spelled alike,
 * whatever they mean. Pure.
 */

export const localDimensions = 512;
const gramLengths = [3, 4];

/** Grams that are worked on without a pause: some milliseconds. */
const gramsPerStep = 500;

/**
 * The vector of a text that is not blank; not of length 1. The same text has the same vector in every
 * release: collections are made of them.
 */
export function embedLocally(text: string): Float32Array {
  const steps = embedInSteps(text);
  let step = steps.next();
  while (!step.done) {
    step = steps.next();
  }
  return step.value;
}

/** As `embedLocally`, with pauses in which others may run. */
export function* embedInSteps(text: string): Generator<undefined, Float32Array> {
  const counts = new Map<string, number>();
  let grams = 0;
  for (const gram of gramsOf(text)) {
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
    grams += 1;
    if (grams % gramsPerStep === 0) {
      yield;
    }
  }
  const vector = new Float32Array(localDimensions);
  for (const [gram, count] of counts) {
    grams += 1;
    if (grams % gramsPerStep === 0) {
      yield;
    }
    const hash = hashOf(gram);
    // A sign by another bit of the hash: what two grams in one place add cancels out on average.
    const sign = hash >>> 31 === 0 ? 1 : -1;
    const place = hash % localDimensions;
    vector[place] = (vector[place] ?? 0) + sign * Math.sqrt(count);
  }
  return vector;
}

/** Every run of characters in the words of the text, whose ends count as a character. */
function* gramsOf(text: string): Generator<string> {
  for (const word of text.normalize('NFKC').toLowerCase().split(/\s+/u)) {
    const characters = [...(word === '' ? '' : `<${word}>`)];
    for (const length of gramLengths) {
      for (let at = 0; at + length <= characters.length; at += 1) {
        yield characters.slice(at, at + length).join('');
      }
    }
  }
}

/** FNV-1a over the UTF-8 bytes, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}
