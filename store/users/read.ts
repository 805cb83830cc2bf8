/** Reading people. */
import type { User } from '../../contract/workspace.ts';
import type { Db } from '../database.ts';

export async function readUser(db: Db, id: string): Promise<User | null> {
  return (await db('users').where({ id }).first('id', 'email', 'name')) ?? null;
}

/** The person with this `(issuer, subject)`, or null. */
export async function findUser(db: Db, issuer: string, subject: string): Promise<User | null> {
  return (await db('users').where({ issuer, subject }).first('id', 'email', 'name')) ?? null;
}
