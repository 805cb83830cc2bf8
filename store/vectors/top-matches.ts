/** The best matches of a search, however many vectors it looks at: memory is bounded by how many are asked for. Pure. */

export interface ScoredId {
  id: string;
  /** Cosine similarity. */
  score: number;
}

export interface TopMatches {
  add(match: ScoredId): void;
  /** The best ones first; equal ones by id. */
  list(): ScoredId[];
}

export function createTopMatches(size: number): TopMatches {
  const best: ScoredId[] = [];
  return {
    add(match) {
      const last = best.at(-1);
      if (best.length === size && last !== undefined && !isBetter(match, last)) {
        return;
      }
      const place = best.findIndex((each) => isBetter(match, each));
      best.splice(place === -1 ? best.length : place, 0, match);
      best.length = Math.min(best.length, size);
    },
    list: () => [...best],
  };
}

const isBetter = (one: ScoredId, other: ScoredId): boolean =>
  one.score > other.score || (one.score === other.score && one.id < other.id);

/** The cosine similarity of two vectors of length 1. */
export function similarity(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) {
    sum += (one[at] ?? 0) * (other[at] ?? 0);
  }
  return Math.max(-1, Math.min(1, sum));
}
