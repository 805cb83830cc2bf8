/** Versions of an entry whose tools can be shown. Pure. */
import { toolListLimits } from '../../../../../contract/tool-definitions.ts';

/** The version that the address names, when the entry had it; else the current one. */
export function shownVersion(given: string | null, current: number): number {
  const version = Number(given ?? current);
  return Number.isInteger(version) && version >= 1 && version <= current ? version : current;
}

/** The latest first, with the one that is shown. */
export function versionsOf(shown: number, current: number): number[] {
  const kept = Array.from(
    { length: Math.min(toolListLimits.versions, current) },
    (_, back) => current - back,
  );
  return kept.includes(shown) ? kept : [...kept, shown];
}
