/**
 * Whether the JSON in `bytes` (UTF-8) holds more than `most` values; objects and arrays count too, empty ones twice. One pass, which
 * ends at the bound; text that is no JSON gets some answer.
 */
export function holdsMoreValues(bytes: Uint8Array, most: number): boolean;

/** How many values the JSON in `bytes` holds, counted likewise; more than `most` when it stopped there. */
export function countValues(bytes: Uint8Array, most?: number): number;

/**
 * How many begin in a part, from `from` until soon after `to`: the next part begins at `end`. The first value of the whole text is not
 * among them.
 */
export function countPart(bytes: Uint8Array, from: number, to: number): { values: number; end: number };
