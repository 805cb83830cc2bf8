import type { Knex } from 'knex';
import { titleStartCharacters } from '../../contract/session-title.ts';
import type { Db } from '../database.ts';

/** As much of the prompt as a title is made of (`sessionTitle`); `of` is the table or its alias. */
export const promptStart = (db: Db, of: string): Knex.Raw =>
  db.raw(`left(ltrim(??.prompt, E' \\t\\r\\n'), ?)`, [of, titleStartCharacters]);
