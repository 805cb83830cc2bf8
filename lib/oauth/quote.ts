/** Text of a server nobody vouches for, made fit for a sentence that a person reads. Pure. */

const maxShown = 200;
/** Controls, invisible and unassigned characters, those that turn the direction of text, and separators of lines. */
const unreadable = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s]+/gu;

/** The text in quotes, on one line, without invisible characters and quotes of its own, cut to 200 characters. */
export function quote(text: string): string {
  // Cut before the characters are looked at: a server may send megabytes.
  const visible = text
    .slice(0, maxShown * 10)
    .replace(unreadable, ' ')
    .replaceAll('"', "'")
    .trim();
  const signs = [...visible];
  return `"${signs.slice(0, maxShown).join('')}${signs.length > maxShown ? '…' : ''}"`;
}

/** Quotes what a field holds, whatever its type. */
export function quoteValue(value: unknown): string {
  return typeof value === 'string'
    ? quote(value)
    : Array.isArray(value)
      ? 'a list'
      : `${value === null ? 'null' : typeof value}`;
}
