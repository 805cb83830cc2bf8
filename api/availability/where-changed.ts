import { isDeepStrictEqual } from 'node:util';
import type { FieldProblem } from '../../contract/errors.ts';

/** The problems of fields that an edit changes: what cannot run by now can still be edited otherwise, as to keep it to admins. */
export function whereChanged(
  problems: readonly FieldProblem[],
  before: object,
  after: object,
): FieldProblem[] {
  const old = new Map<string, unknown>(Object.entries(before));
  const changed = new Set(
    Object.entries(after).flatMap(([field, value]) =>
      isDeepStrictEqual(old.get(field), value) ? [] : [field],
    ),
  );
  return problems.filter(({ path }) => changed.has(path.split('.')[0] ?? path));
}
