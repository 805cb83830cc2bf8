/** The value of a JSON text; null for what is none, as for the text `null`. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
