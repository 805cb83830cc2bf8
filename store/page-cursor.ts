/** Opaque cursors of lists: the sort key of the last row, as base64url JSON. */
import type * as z from 'zod';

/** A cursor that none of our lists issued. */
export class InvalidCursorError extends Error {
  override name = 'InvalidCursorError';
}

export function encodeCursor(key: unknown): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** The key in a cursor, or null without one. Throws InvalidCursorError when it does not match the list's schema. */
export function decodeCursor<Schema extends z.ZodType>(
  cursor: string | undefined,
  schema: Schema,
): z.infer<Schema> | null {
  if (cursor === undefined) {
    return null;
  }
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw new InvalidCursorError('is not a cursor of this list');
  }
}
