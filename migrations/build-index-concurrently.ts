import type { Knex } from 'knex';

/**
 * Builds an index while others write to its table. For migrations that run without a transaction
 * (`export const config = { transaction: false }`). Idempotent: the remains of an interrupted build are removed first.
 */
export async function buildIndexConcurrently(
  knex: Knex,
  { name, on, unique = false }: { name: string; on: string; unique?: boolean },
): Promise<void> {
  const { rows } = await knex.raw('select indisvalid from pg_index where indexrelid = to_regclass(?)', [
    name,
  ]);
  if (rows[0]?.indisvalid === true) {
    return;
  }
  await knex.raw(`drop index concurrently if exists ${name}`);
  await knex.raw(`create ${unique ? 'unique ' : ''}index concurrently ${name} on ${on}`);
}
