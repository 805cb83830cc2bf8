import * as z from 'zod';
import { timestamp, uuid } from '../../contract/names.ts';
import type { Page, PageQuery } from '../../contract/page.ts';
import type { Db } from '../database.ts';
import { pageByTime } from '../page-by-time.ts';
import { readableCondition } from '../sessions/readable.ts';

/** A call that a grant permitted; for an `agent_env` grant, a session that started with the secret. */
const grantUse = z.object({
  /** The call's id, as in the audit trail. */
  id: uuid,
  session_id: uuid,
  /** Both empty for a session that began. */
  server: z.string(),
  tool: z.string(),
  at: timestamp,
});
export type GrantUse = z.infer<typeof grantUse>;

/** Newest first; with `readableBy`, only in sessions that this user may read without being an admin. Throws InvalidCursorError. */
export function listGrantUses(
  db: Db,
  grantId: string,
  { readableBy }: { readableBy: string | undefined },
  page: PageQuery,
): Promise<Page<GrantUse>> {
  const uses = db('grant_uses')
    .where({ grant_id: grantId })
    .select(
      'call_id as id',
      'session_id',
      'server',
      'at',
      db.raw(`case server when '' then '' else tool end as tool`),
    );
  if (readableBy !== undefined) {
    uses.whereRaw(`session_id in (select id from sessions where ${readableCondition})`, {
      userId: readableBy,
    });
  }
  return pageByTime(db, db.from(uses.as('uses')), grantUse, 'at', page);
}
