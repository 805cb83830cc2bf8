/**
 * Names that people choose for what others read: what is stored is what is shown, without
 * characters that have no shape.
 */
import * as z from 'zod';

export const maxShownName = 100;

/** Every space, those among the symbols and the letters as well, is a plain one. */
const spaces = /[\p{Zs}\u2800\u3164\uffa0]+/gu;
const controls = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/**
 * What has no shape, turns the direction of text or stands for nothing. A joiner between letters is part of
 * how these are written, and stays.
 */
const invisible =
  /(?!(?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L}))[\p{C}\p{Zl}\p{Zp}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}\ufffc]/gu;
/** Something that has a shape of its own, which no mark has. */
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u;
/** Marks that pile up reach into the lines above and below. */
const piledMarks = /(\p{M}{3})\p{M}+/gu;

/**
 * The name as it is stored and shown: trimmed, in form NFC, on one line and with no invisible character.
 * Empty where nothing of it can be seen.
 */
export function cleanedName(text: string): string {
  const clean = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')
    .replace(spaces, ' ')
    .replace(invisible, '')
    .replace(piledMarks, '$1')
    .replace(/ +/g, ' ')
    .trim()
    .normalize('NFC');
  return visible.test(clean) ? clean : '';
}

/** The first of these texts of which something can be seen, cleaned and no longer than a name. */
export function firstShown(texts: readonly (string | undefined)[]): string {
  const found = texts.map((text) => cleanedName(text ?? '')).find((text) => text !== '') ?? '';
  return [...found].slice(0, maxShownName).join('').trim();
}

/** A name as somebody types it, at most 100 characters; becomes what `cleanedName` makes of it. */
export const shownName = z
  .string()
  .min(1)
  .max(maxShownName)
  .transform((text, context) => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (controls.test(text.trim())) {
      return refuse('must be one line without control characters');
    }
    const clean = cleanedName(text);
    if (clean.length > maxShownName) {
      return refuse(`must have at most ${maxShownName} characters`);
    }
    return clean === '' ? refuse('must show something: it has only characters that nobody sees') : clean;
  });

/**
 * The same of two entry names that readers would take for one, so that the catalog has only one of them:
 * those of `store/shown-names.ts`, for the signs of an entry name.
 */
export const lookOfEntryName = (name: string): string =>
  name.replaceAll('m', 'rn').replaceAll('0', 'o').replaceAll('1', 'l');
