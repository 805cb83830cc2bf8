import { isDeepStrictEqual } from 'node:util';
import type { FieldProblem } from '../../contract/errors.ts';

/** Returns the problems of fields that an edit changes: other fields of something that can no longer run stay editable, such as `approvers`. */
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
