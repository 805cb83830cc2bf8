/** Which names readers would take for one another. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { agentMessage } from '../../../activities/channel-messages/slack-message.ts';
import { cleanedName, lookOfEntryName } from '../../../contract/shown-name.ts';
import { nameForms } from '../../../store/shown-names.ts';
import { checkProperty } from '../../support/property.ts';

const areSame = (one: string, other: string) => {
  const [a, b] = [nameForms(one), nameForms(other)];
  return a.name_caseless === b.name_caseless || a.name_seen === b.name_seen;
};

describe('the same name', () => {
  it.each([
    ['case', 'scribe', 'SCRIBE'],
    ['Cyrillic letters', 'scribe', 'ѕсrіbе'],
    ['Cyrillic letters in capitals', 'scope', 'ЅСОРЕ'],
    ['Greek capitals', 'TEST', 'ΤEST'],
    ['full-width letters', 'scribe', 'ｓｃｒｉｂｅ'],
    ['letters of mathematics', 'scribe', '𝐬𝐜𝐫𝐢𝐛𝐞'],
    ['zero-width characters', 'scribe', 'scr\u200bi\u2060be'],
    ['marks that turn the direction', 'scribe', '\u202escribe\u202c'],
    ['a joiner between letters', 'scribe', 'scr\u200dibe'],
    ['a capital I for an l', 'files', 'fiIes'],
    ['a digit for a letter', 'files', 'fi1es'],
    ['two letters that look like one', 'modern', 'rnodern'],
    ['a ligature', 'files', 'ﬁles'],
    ['composition', 'été', 'e\u0301te\u0301'],
    ['kinds of spaces', 'two words', 'two\u2003 words'],
    ['kinds of quotation marks', 'the "scribe"', 'the “scribe”'],
    ['a quotation mark of another size', 'the "scribe"', "the 'scribe'"],
    ['what a channel writes for an address', 'scribe.bot', 'scribe[.]bot'],
    ['case in another script', 'вася', 'ВАСЯ'],
    ['the case of ß', 'straße', 'STRASSE'],
    ['a dot above an i, which hides the one that it has', 'scribe', 'scri\u0307be'],
    ['such a dot on a j', 'joe', 'j\u0307oe'],
    ['such a dot on an i without one', 'scribe', 'scr\u0131\u0307be'],
    ['a capital with a dot', 'istanbul', '\u0130stanbul'],
    ['a final sigma', 'σος', 'ΣΟΣ'],
  ])('though it differs in %s', (_what, one, other) => expect(areSame(one, other)).toBe(true));
});

it.each([
  ['scribe', 'scribe 2'],
  ['scribe', 'scribes'],
  ['scribe', 'scríbe'],
  ['mail', 'mall'],
  ['writer', 'waiter'],
  ['scribe', 'scr\u00efbe'],
  ['node', 'no\u1e0be'],
  ['дом', 'том'],
  ['日本', '日木'],
])('%s and %s are two', (one, other) => expect(areSame(one, other)).toBe(false));

/** What readers of a channel see, as their client shows it. */
const announced = (name: string) => agentMessage({ id: 'x', agent_name: name }, '').text;
const letters = [
  ...`sSѕｓIl1eé "“«„'[].。․@＠:：(/&<`,
  ...['\u0301', '\u0323', '\u200b', '\u200d', '\u202e', '\u2003', '\u3164', '\ufe0f'],
];

it('two names that a channel prints alike are the same', () => {
  const names = new Set(letters.flatMap((one) => letters.map((other) => cleanedName(`s${one}${other}sl`))));
  const printed = new Map<string, string[]>();
  for (const name of names) {
    printed.set(announced(name), [...(printed.get(announced(name)) ?? []), name]);
  }
  const different = [...printed.values()].filter(([first = '', ...more]) =>
    more.some((each) => !areSame(first, each)),
  );
  expect(different).toEqual([]);
  // The control: there are many such names.
  expect(names.size - printed.size).toBeGreaterThan(50);
});

it('entry names look alike where their forms are the same, and nowhere else', () => {
  const names = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/);
  const swaps = { m: 'rn', rn: 'm', '0': 'o', o: '0', '1': 'l', l: '1' } as Record<string, string>;
  checkProperty(
    fc.property(names, names, (one, other) => {
      const swapped = one.replaceAll(/rn|[m0o1l]/g, (sign) => swaps[sign] ?? sign);
      for (const [a, b] of [
        [one, other],
        [one, swapped],
      ] as const) {
        expect(lookOfEntryName(a) === lookOfEntryName(b)).toBe(
          nameForms(a).name_caseless === nameForms(b).name_caseless ||
            nameForms(a).name_seen === nameForms(b).name_seen,
        );
      }
    }),
  );
});
