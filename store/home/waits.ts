/** What sessions wait for that only this one person can do. */
import * as z from 'zod';
import type { NeededAnswer, NeededSignIn } from '../../contract/home.ts';
import { entryName, timestamp, uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';
import { readRows } from '../read-rows.ts';
import { type HomeOf, mostRows, readableSessions, titled, titledShape } from './sessions.ts';

const signInRow = z.object({
  ...titledShape,
  id: uuid,
  mcp_server: entryName,
  is_for_more: z.boolean(),
  created_at: timestamp,
});

/** Sign-ins at remote servers that unfinished sessions wait for, oldest first. */
export async function listNeededSignIns(db: Db, home: HomeOf): Promise<NeededSignIn[]> {
  const query = readableSessions(db, home, { unfinished: true })
    .join('oauth_authorizations as o', 'o.session_id', 's.id')
    .join('mcp_registrations as r', 'r.id', 'o.registration_id')
    .where({ 'o.user_id': home.userId, 'o.status': 'pending' })
    .whereRaw('o.expires_at > now()')
    .orderBy(['o.created_at', 'o.id'])
    .limit(mostRows)
    .select({
      id: 'o.id',
      mcp_server: 'r.entry_name',
      is_for_more: db.raw('o.missing_scopes is not null'),
      created_at: 'o.created_at',
    });
  const rows = await readRows(query, signInRow);
  return rows.map(({ id, mcp_server, is_for_more, created_at, ...session }) => ({
    ...{ id, mcp_server, is_for_more, created_at },
    session: titled(session),
  }));
}

const answerRow = z.object({ ...titledShape, asked_at: timestamp });

/** Sessions of this operator, who alone may answer (`whyNotMessageSession`); the oldest question first. */
export async function listNeededAnswers(db: Db, home: HomeOf): Promise<NeededAnswer[]> {
  const open = db('input_requests as i').whereRaw('i.session_id = s.id').whereNull('i.answered_at');
  const query = readableSessions(db, home, { unfinished: true })
    .where('s.operator_id', home.userId)
    .whereExists(open.clone().select('i.id'))
    .orderBy(['asked_at', 's.id'])
    .limit(mostRows)
    .select(open.clone().min('i.created_at').as('asked_at'));
  const rows = await readRows(query, answerRow);
  return rows.map(({ asked_at, ...session }) => ({ session: titled(session), asked_at }));
}
