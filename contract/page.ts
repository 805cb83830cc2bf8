/** Paging of every list: opaque `cursor`, `limit` up to 200, `next_cursor` null at the end. */
import * as z from 'zod';

export const pageQuery = z.object({
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type PageQuery = z.infer<typeof pageQuery>;

export const nextCursor = z.string().nullable();

export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}
