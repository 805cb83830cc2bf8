/**
 * What the programs that operators run by hand have in common: they do one thing on the database, say
 * the outcome of it, and end.
 */
import type { Knex } from 'knex';
import * as z from 'zod';
import { databaseUrl, parseEnvironment } from '../config/parse.ts';
import { openDatabase } from '../store/database.ts';
import { readEnvironment } from './read-environment.ts';
import { isForeseen } from './report-failure.ts';

/** What each of them needs of the environment. */
export const databaseVariables = z.object({ DATABASE_URL: databaseUrl });

/**
 * Runs the program to its end. One that failed ends with 1: it prints the message alone of what was foreseen,
 * or of one of its own refusals, and everything of what was not.
 */
export async function runCommand(
  work: () => Promise<void>,
  refusal?: new (message: string) => Error,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isExpected = isForeseen(error) || (refusal !== undefined && error instanceof refusal);
    console.error(isExpected ? error.message : error);
    process.exitCode = 1;
  }
}

/**
 * Does the work on connections to the database that are closed after it, with what `form` reads of the
 * environment. Throws ConfigurationError.
 */
export async function onDatabase<Variables extends z.infer<typeof databaseVariables>>(
  form: z.ZodType<Variables>,
  work: (db: Knex, variables: Variables) => Promise<void>,
  { poolSize = 1 }: { poolSize?: number } = {},
): Promise<void> {
  const variables = parseEnvironment(form, readEnvironment());
  const db = openDatabase(variables.DATABASE_URL, { poolSize });
  await work(db, variables).finally(() => db.destroy());
}
