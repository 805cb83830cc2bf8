/**
 * Makes visible what text can hide: characters that have no shape, and those that
 * reorder what is around them.
 */

export interface TextPiece {
  text: string;
  /**
   * Set for a run of one hidden character: its code point and what it does, such as
   * `U+202E right-to-left override`.
   */
  hidden: string | null;
  count: number;
}

const names: Record<number, string> = {
  160: 'no-break space',
  173: 'soft hyphen',
  847: 'combining grapheme joiner',
  1564: 'Arabic letter mark',
  6158: 'Mongolian vowel separator',
  8203: 'zero-width space',
  8204: 'zero-width non-joiner',
  8205: 'zero-width joiner',
  8206: 'left-to-right mark',
  8207: 'right-to-left mark',
  8232: 'line separator',
  8233: 'paragraph separator',
  8234: 'left-to-right embedding',
  8235: 'right-to-left embedding',
  8236: 'pop directional formatting',
  8237: 'left-to-right override',
  8238: 'right-to-left override',
  8239: 'narrow no-break space',
  8288: 'word joiner',
  8294: 'left-to-right isolate',
  8295: 'right-to-left isolate',
  8296: 'first strong isolate',
  8297: 'pop directional isolate',
  12288: 'ideographic space',
  65279: 'byte order mark',
};

/** What a character without a name of its own is; the first that fits. */
const kinds: readonly [RegExp, string][] = [
  [/[\u{E0000}-\u{E007F}]/u, 'tag character'],
  [/\p{Variation_Selector}/u, 'variation selector'],
  [/\p{Zs}/u, 'unusual space'],
  [/\p{Cc}/u, 'control character'],
  [/\p{Co}/u, 'private-use character'],
  [/\p{Cs}/u, 'half of a surrogate pair'],
  [/\p{Cn}/u, 'unassigned character'],
];

/**
 * Control, format, private and unassigned characters, odd spaces, and letters that are drawn as nothing.
 * Tab and newline are plain.
 */
const hiddenCharacter =
  /(?![\t\n])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}\u2800\ufffc]|(?! )\p{Zs}/gu;

/** The text in pieces, in order; put together again they are the text. */
export function visiblePieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(hiddenCharacter)) {
    if (index > from) {
      pieces.push({ text: text.slice(from, index), hidden: null, count: 1 });
    }
    const last = pieces.at(-1);
    const hidden = nameOfCharacter(character);
    if (last?.hidden === hidden) {
      last.text += character;
      last.count += 1;
    } else {
      pieces.push({ text: character, hidden, count: 1 });
    }
    from = index + character.length;
  }
  if (from < text.length) {
    pieces.push({ text: text.slice(from), hidden: null, count: 1 });
  }
  return pieces;
}

/** `U+202E right-to-left override`: the code point of one character, and what it is. */
export function nameOfCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const [, kind = 'invisible character'] = kinds.find(([pattern]) => pattern.test(character)) ?? [];
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')} ${names[code] ?? kind}`;
}

/** Whether a text has a character that is hidden, or that reorders those around it. */
export const hasHidden = (text: string): boolean => text.search(hiddenCharacter) !== -1;
