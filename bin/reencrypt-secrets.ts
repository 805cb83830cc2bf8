/**
 * Seals every stored secret with the first key of MASTER_KEYS, so that the others can be retired
 * (docs/operations.md, Keys).
 */
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { type MasterKeys, masterKeys } from '../config/keys.ts';
import { ConfigurationError } from '../config/parse.ts';
import type { Db } from '../store/database.ts';
import { eraseCheckTextsOfOtherKeys } from '../store/mcp-checks/checks.ts';
import { UnreadableSecretError } from '../store/secrets/envelope.ts';
import { countSecretsByKey, reencryptSecrets, verifyMasterKeys } from '../store/secrets/master-keys.ts';
import { eraseOutputsOfOtherKeys } from '../store/session-processes/outputs.ts';
import { resealRenewals } from '../store/sign-ins/renewals.ts';
import { requireUsableDatabase } from '../store/usable-server.ts';
import { databaseVariables, onDatabase, runCommand } from './run-command.ts';

const help = `node dist/reencrypt-secrets.js [--dry-run]

Seals every stored secret, and what sign-ins are renewed with, with the first key of MASTER_KEYS, and erases what processes of sessions wrote and results of checks under other keys. It needs DATABASE_URL and MASTER_KEYS (or DATABASE_URL_FILE and
MASTER_KEYS_FILE), which has to hold the old keys as well. It is safe beside a running platform whose processes all have the
first key, and may be ended and run again. It ends with 0 when the first key alone opens everything, else with 1.

  --dry-run  says how many secrets each key seals and whether all of them open, and changes nothing
  --help     prints this
`;

async function main(db: Knex, keys: MasterKeys, { dryRun }: { dryRun: boolean }): Promise<void> {
  await requireUsableDatabase(db, 'command');
  const before = await printCounts(db);
  const [newest, ...older] = keys;
  const total = before.filter(({ keyId }) => keyId !== newest?.id).reduce((sum, { count }) => sum + count, 0);
  if (dryRun) {
    const { verified } = await verifyMasterKeys(db, keys);
    console.log(`All ${verified} open; ${total} would be sealed with "${newest?.id}". Nothing was changed.`);
    return;
  }
  const { reencrypted, unreadable } = await reencryptSecrets(db, keys, {
    onBatch: (done) => console.log(`Sealed ${done} of ${Math.max(done, total)}.`),
  });
  await printCounts(db);
  const erased = newest === undefined ? 0 : await eraseOutputsOfOtherKeys(db, newest.id);
  if (erased > 0) {
    console.log(`Erased what ${erased} processes of sessions wrote, which other keys sealed.`);
  }
  const ofChecks = newest === undefined ? 0 : await eraseCheckTextsOfOtherKeys(db, newest.id);
  if (ofChecks > 0) {
    console.log(`Erased ${ofChecks} results of checks, which other keys sealed.`);
  }
  const ofSignIns = await resealRenewals(db, keys);
  if (ofSignIns.resealed + ofSignIns.removed > 0) {
    const { resealed, removed } = ofSignIns;
    console.log(`Renewals of sign-ins: ${resealed} resealed; ${removed} that no key opens were removed.`);
  }
  if (unreadable.length > 0) {
    throw new UnreadableSecretError(`These were left as they are:\n  ${unreadable.join('\n  ')}`);
  }
  const { verified } = await verifyMasterKeys(db, keys.slice(0, 1));
  const retire = older.length === 0 ? '' : ' The other keys may be taken out of MASTER_KEYS.';
  console.log(`${reencrypted} resealed; all ${verified} open with "${newest?.id}" alone.${retire}`);
}

async function printCounts(db: Db) {
  const counts = await countSecretsByKey(db);
  const texts = counts.map(({ keyId, count }) => `${keyId} ${count}`);
  console.log(`Secrets by master key: ${texts.join(', ') || 'none'}.`);
  return counts;
}

function readOptions(): { help: boolean; dryRun: boolean } {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values } = parseArgs({ options: { help: flag, 'dry-run': flag } });
    return { help: values.help, dryRun: values['dry-run'] };
  } catch (error) {
    throw new ConfigurationError(`${error instanceof Error ? error.message : error}\n\n${help}`);
  }
}

await runCommand(async () => {
  const options = readOptions();
  if (options.help) {
    console.log(help);
    return;
  }
  const form = databaseVariables.extend({ MASTER_KEYS: masterKeys });
  await onDatabase(form, (db, { MASTER_KEYS }) => main(db, MASTER_KEYS, options));
});
