import { describe, expect, it } from '@jest/globals';
import { fits, fittingGroups, mostOfGroup, stepped } from '../../../web/src/app/palette-entries.ts';
import { sectionKeys, shortcutOf } from '../../../web/src/app/shortcuts.ts';
import { filterName, searchIn } from '../../../web/src/pages/sessions/session-search.ts';

const press = (key: string, more: object = {}) => ({
  ...{
    key,
    repeat: false,
    isComposing: false,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
  },
  ...more,
});
const where = { takesLetters: false, hasDialog: false, hasSingleKeys: true, afterG: false };

describe('a key', () => {
  it('does what the legend says', () => {
    const found = ['?', 'n', '/', '[', 'g', 'x', 'N'].map((key) => shortcutOf(press(key), where));
    expect(found).toEqual(['legend', 'start', 'find', 'fold', 'g', null, 'start']);
    expect(shortcutOf(press('?', { shiftKey: true }), where)).toBe('legend');
    for (const [key, to] of Object.entries(sectionKeys)) {
      expect(shortcutOf(press(key), { ...where, afterG: true })).toEqual({ to });
    }
    for (const chord of [{ ctrlKey: true }, { metaKey: true }]) {
      expect(shortcutOf(press('k', chord), where)).toBe('search');
    }
  });

  it.each<[string, object, object]>([
    ['in a field', {}, { takesLetters: true }],
    ['below a dialog', {}, { hasDialog: true }],
    ['while it is held', { repeat: true }, {}],
    ['that composes a character', { isComposing: true }, {}],
    ['with Alt', { altKey: true }, {}],
  ])('does nothing %s', (_, how, there) => {
    for (const key of ['?', 'n', '/', '[', 'g', 's']) {
      expect(shortcutOf(press(key, how), { ...where, afterG: key === 's', ...there })).toBeNull();
    }
    expect(shortcutOf(press('k', { ctrlKey: true, ...how }), { ...where, ...there })).toBeNull();
  });

  it('alone does nothing for who turned that off, or as a shortcut of the browser', () => {
    const off = { ...where, hasSingleKeys: false };
    expect(['?', 'n', '/', '[', 'g'].map((key) => shortcutOf(press(key), off))).toEqual(Array(5).fill(null));
    expect(shortcutOf(press('k', { ctrlKey: true }), off)).toBe('search');
    expect(['n', '/', 'g'].map((key) => shortcutOf(press(key, { ctrlKey: true }), where))).toEqual(
      Array(3).fill(null),
    );
    expect(shortcutOf(press('N', { shiftKey: true }), where)).toBeNull();
  });
});

describe('the palette', () => {
  const entry = (label: string) => ({ id: label, label, icon: 'home' as const, does: '/' });

  it('lists what has words that begin so, some of each group, and no group without any', () => {
    expect(['sc', 'KEEP re', 'release-k', ''].map((typed) => fits('release-Keeper scribe', typed))).toEqual(
      Array(4).fill(true),
    );
    expect(['eeper', 'scribes', 'keep x'].map((typed) => fits('release-Keeper scribe', typed))).toEqual(
      Array(3).fill(false),
    );
    const many = Array.from({ length: 9 }, (_, at) => entry(`page ${at}`));
    const groups = fittingGroups(
      [
        { label: 'Go to', entries: many },
        { label: 'Do', entries: [entry('else')] },
      ],
      'pag',
    );
    expect(groups).toEqual([{ label: 'Go to', entries: many.slice(0, mostOfGroup) }]);
  });

  it('moves around its ends', () => {
    expect([stepped(0, -1, 3), stepped(2, 1, 3), stepped(1, 1, 3), stepped(0, 1, 0)]).toEqual([2, 0, 2, 0]);
  });
});

describe('a filter of sessions', () => {
  it('is named by what it asks for', () => {
    const all = { state: 'failed', agent: 'scribe', search: 'rel', rootsOnly: true } as const;
    expect(filterName(all)).toBe('Failed · scribe · “rel” · started by people');
    expect(filterName({ state: null, agent: null, search: undefined, rootsOnly: false })).toBe('');
    expect(searchIn(new URLSearchParams({ q: '  ' }))).toBeUndefined();
    expect(searchIn(new URLSearchParams({ q: ` a${'b'.repeat(300)}` }))).toHaveLength(200);
  });
});
