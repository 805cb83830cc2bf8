/** A character split by truncation becomes a replacement character. */
export function cutText(text: string, maxCharacters: number): string {
  return text.slice(0, maxCharacters).toWellFormed();
}
