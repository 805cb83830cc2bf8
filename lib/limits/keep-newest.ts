/**
 * Removes the first entry of a map that has more than `most`, in the order in which they were set. To be
 * called after each one is set.
 */
export function keepNewest(map: Map<unknown, unknown>, most: number): void {
  if (map.size > most) {
    map.delete(map.keys().next().value);
  }
}
