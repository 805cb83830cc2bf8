/** What the palette lists besides sessions, and what of it fits what was typed. Pure. */
import type { SectionPath } from './paths.ts';

export interface PaletteEntry {
  /** Unlike that of every other one. */
  id: string;
  label: string;
  /** Somebody's words: hidden characters in them are shown. */
  isName?: true;
  detail?: string;
  icon: SectionPath | 'plus' | 'help' | 'menu';
  /** Where it leads, or what it does here. */
  does: string | (() => void);
}

export interface PaletteGroup {
  label: string;
  entries: readonly PaletteEntry[];
}

/** Of one group; who looks for others types more. */
export const mostOfGroup = 6;

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[\s\p{P}]+/u)
    .filter((word) => word !== '');

/**
 * Whether each word of `typed` begins one of `text`, as sessions are found, of which a single character finds
 * none that goes on. All fit where nothing is typed.
 */
export function fits(text: string, typed: string): boolean {
  const words = wordsOf(text);
  return wordsOf(typed).every((begun) => words.some((word) => word.startsWith(begun)));
}

/** The first ones of each group that fit; without the groups of which none does. */
export const fittingGroups = (groups: readonly PaletteGroup[], typed: string): PaletteGroup[] =>
  groups
    .map(({ label, entries }) => ({
      label,
      entries: entries.filter((entry) => fits(entry.label, typed)).slice(0, mostOfGroup),
    }))
    .filter(({ entries }) => entries.length > 0);

/** The index after or before `at` among `count`, around the ends. */
export const stepped = (at: number, step: 1 | -1, count: number): number =>
  count === 0 ? 0 : (at + step + count) % count;

/** What one can begin, by its page; `adminOnly` as the API has it. */
export const beginnings: readonly {
  label: string;
  section: SectionPath;
  rest: readonly string[];
  adminOnly: boolean;
}[] = [
  { label: 'Start a session', section: 'sessions', rest: ['new'], adminOnly: false },
  { label: 'New agent', section: 'agents', rest: ['new'], adminOnly: false },
  { label: 'New schedule', section: 'schedules', rest: ['new'], adminOnly: false },
  { label: 'New grant', section: 'grants', rest: ['new'], adminOnly: false },
  { label: 'Add a server from the gallery', section: 'catalog', rest: ['_', 'gallery'], adminOnly: true },
  { label: 'Import a server’s configuration', section: 'catalog', rest: ['_', 'import'], adminOnly: true },
  { label: 'New channel', section: 'channels', rest: ['_', 'new'], adminOnly: true },
];
