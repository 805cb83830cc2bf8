/** Opaque cursors of lists: the sort key of the last row, as base64url JSON (design 5). */
import type { z } from 'zod';

/** A cursor that no list of ours handed out. */
export class InvalidCursorError extends Error {
  override name = 'InvalidCursorError';
}

export function encodeCursor(key: unknown): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** The key in a cursor, or null without one. Throws InvalidCursorError when it is not of the list's own shape. */
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
