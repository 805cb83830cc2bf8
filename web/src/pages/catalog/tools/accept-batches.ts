import { toolListLimits } from '../../../../../contract/tool-definitions.ts';

const { accepted: mostOfOne } = toolListLimits;

/** The ids in requests that the API takes, in their order. */
export function batchesOf(ids: readonly string[]): string[][] {
  const batches: string[][] = [];
  for (let from = 0; from < ids.length; from += mostOfOne) {
    batches.push(ids.slice(from, from + mostOfOne));
  }
  return batches;
}
