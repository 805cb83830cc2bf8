/** The elements of a JSON array as they are written: parsing and serializing would change numbers. Pure. */

/** Call it only with text that `JSON.parse` reads as an array. */
export function splitArray(text: string): string[] {
  const elements: string[] = [];
  let depth = 0;
  let from = text.indexOf('[') + 1;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') {
      at = endOfString(text, at);
    } else if (sign === '[' || sign === '{') {
      depth += 1;
    } else if (sign === ']' || sign === '}') {
      depth -= 1;
    }
    if ((sign === ',' && depth === 1) || (sign === ']' && depth === 0)) {
      elements.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return elements.length === 1 && elements[0] === '' ? [] : elements;
}

/** The index of the quote that closes the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at;
}
