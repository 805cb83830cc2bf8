/**
 * Values that a call of the scripted agent saves, in the arguments of later calls:
 * `{ "$saved": "<variable>" }`.
 */
/** `path`: where the reference is in the arguments. */
type Replacement = (variable: string, path: readonly string[]) => unknown;

/** Whether it is an object of nothing else than `$saved` with a text. */
export function isSavedReference(value: object): value is { $saved: string } {
  return Object.keys(value).length === 1 && '$saved' in value && typeof value.$saved === 'string';
}

/**
 * The arguments with each reference, at any depth, replaced by the value as it is:
 * references in that value are none.
 */
export function replaceSaved(
  given: Readonly<Record<string, unknown>>,
  replacement: Replacement,
  path: readonly string[] = [],
): Record<string, unknown> {
  const entries = Object.entries(given);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, replaceIn(value, replacement, [...path, key])]),
  );
}

function replaceIn(value: unknown, replacement: Replacement, path: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((each, index) => replaceIn(each, replacement, [...path, String(index)]));
  }
  return isSavedReference(value)
    ? replacement(value.$saved, path)
    : replaceSaved({ ...value }, replacement, path);
}
