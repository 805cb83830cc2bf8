import type { Knex } from 'knex';
import * as z from 'zod';
import type { Db } from './database.ts';
import { readRows } from './read-rows.ts';

export interface FirstItems {
  items: string[];
  /** How many there are beyond these. */
  more: number;
}

export const noItems: FirstItems = { items: [], more: 0 };

const row = z.object({ key: z.string(), item: z.string(), total: z.int() });

/**
 * The first items of each key, in their order, and how many more it has. `items` is a query with the columns
 * `key` and `item`; the rest is not fetched.
 */
export async function readFirstOfEach(
  db: Db,
  items: Knex.Raw,
  most: number,
): Promise<Map<string, FirstItems>> {
  const statement = db.raw(
    `select key, item, total from (
       select found.*, row_number() over (partition by key order by item) as position,
         count(*) over (partition by key) as total
       from (?) as found
     ) as ranked
     where position <= ?
     order by key, position`,
    [items, most],
  );
  const first = new Map<string, FirstItems>();
  for (const { key, item, total } of await readRows(statement, row)) {
    const known = first.get(key) ?? { items: [], more: Math.max(0, total - most) };
    known.items.push(item);
    first.set(key, known);
  }
  return first;
}
