/** What the keys do on every page of a workspace. Pure. */
import type { SectionPath } from './paths.ts';

/** After `g`. */
export const sectionKeys: Readonly<Record<string, SectionPath>> = {
  h: 'home',
  s: 'sessions',
  a: 'approvals',
  c: 'schedules',
  e: 'agents',
  m: 'catalog',
  g: 'grants',
  u: 'audit',
  i: 'insights',
};

export type Shortcut = 'search' | 'legend' | 'start' | 'find' | 'fold' | { to: SectionPath };

interface Press {
  key: string;
  repeat: boolean;
  isComposing: boolean;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

interface Where {
  /** A letter is text there, or chooses something. */
  takesLetters: boolean;
  hasDialog: boolean;
  /** The person keeps keys alone from doing anything (WCAG 2.1.4). */
  hasSingleKeys: boolean;
  /** `g` was pressed just before. */
  afterG: boolean;
}

const alone: Readonly<Record<string, Shortcut>> = { '?': 'legend', n: 'start', '/': 'find', '[': 'fold' };

/**
 * What a press means; `g` for the first of two keys, null for nothing. No key does anything where somebody
 * types, below a dialog, or while it is held.
 */
export function shortcutOf(press: Press, where: Where): Shortcut | 'g' | null {
  if (where.takesLetters || where.hasDialog || press.repeat || press.isComposing || press.altKey) {
    return null;
  }
  const key = press.key.toLowerCase();
  if (press.ctrlKey || press.metaKey) {
    return key === 'k' && !press.shiftKey && press.ctrlKey !== press.metaKey ? 'search' : null;
  }
  // On some keyboards `?` and `/` need Shift.
  if (!where.hasSingleKeys || (press.shiftKey && /^\p{Letter}$/u.test(key))) {
    return null;
  }
  if (where.afterG) {
    const to = sectionKeys[key];
    return to === undefined ? null : { to };
  }
  return key === 'g' ? 'g' : (alone[key] ?? null);
}

/** What the legend lists: `keys` are pressed one after the other, those of a `+` together. */
export interface LegendEntry {
  keys: readonly string[];
  does: string;
  /** Works also for who turned single keys off. */
  isChord?: true;
}

export const legendOf = (labels: Readonly<Partial<Record<SectionPath, string>>>): readonly LegendEntry[] => [
  { keys: ['Ctrl+K', '⌘K'], does: 'Search or jump', isChord: true },
  { keys: ['Ctrl+Enter', '⌘Enter'], does: 'Send a message, start a session', isChord: true },
  { keys: ['?'], does: 'These shortcuts' },
  { keys: ['/'], does: 'The search of the page' },
  { keys: ['n'], does: 'Start a session' },
  { keys: ['['], does: 'Fold the sidebar' },
  { keys: ['j', 'k'], does: 'Next and previous request, in Approvals' },
  ...Object.entries(sectionKeys).flatMap(([key, path]) => {
    const does = labels[path];
    return does === undefined ? [] : [{ keys: ['g', key], does }];
  }),
];
