/**
 * Rotating master keys as an operator does: the real program on the real Postgres, killed, run
 * again and run beside writers.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { clearSecret, putSecret } from '../../../commands/secrets/secrets.ts';
import { createWorkspace } from '../../../commands/workspaces/workspaces.ts';
import { readRows } from '../../../store/read-rows.ts';
import { type MasterKeys, open, seal } from '../../../store/secrets/envelope.ts';
import { countSecretsByKey, reencryptSecrets, verifyMasterKeys } from '../../../store/secrets/master-keys.ts';
import { upsertUser } from '../../../store/users/users.ts';
import { bundledProgram } from '../../support/bundled-program.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const key = (id: string) => ({ id, key: randomBytes(32) });
const [older, newer] = [key('older'), key('newer')];
const both: MasterKeys = [newer, older];
/** As many as the program takes in one transaction, and more than that again. */
const count = 250;

let database: TestDatabase;
let workspaceId: string;
let userId: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  const { db } = database;
  const user = await upsertUser(db, { issuer: 'demo', subject: 'a', email: 'a', name: 'a' });
  userId = user.id;
  workspaceId = (await createWorkspace(db, { slug: 'w', name: 'w' }, user))?.id ?? '';
  const rows = Array.from({ length: count }, (_, index) => {
    const identity = { workspaceId, name: `S_${index}` };
    const { sealedValue, sealedDataKey, keyId } = seal([older], identity, Buffer.from(textOf(identity.name)));
    const sealed = { sealed_value: sealedValue, sealed_data_key: sealedDataKey, key_id: keyId };
    return { workspace_id: workspaceId, name: identity.name, version: index, updated_by: userId, ...sealed };
  });
  await db('workspace_secrets').insert(rows);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
  }
  await database.drop();
});

const textOf = (name: string) => `the value of ${name}, which nobody may read`;

function start(args: string[] = [], keys: MasterKeys = both) {
  const MASTER_KEYS = keys.map(({ id, key: bytes }) => `${id}:${bytes.toString('base64')}`).join(',');
  const child = spawn(process.execPath, [bundledProgram('bin/reencrypt-secrets.ts'), ...args], {
    env: { ...process.env, DATABASE_URL: database.url, MASTER_KEYS },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const ended = (async () => {
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { exitCode: child.exitCode, stdout, stderr };
  })();
  return { child, ended };
}
const run = (args?: string[], keys?: MasterKeys) => start(args, keys).ended;

const row = z.looseObject({
  name: z.string(),
  sealed_value: z.instanceof(Buffer),
  sealed_data_key: z.instanceof(Buffer),
  key_id: z.string(),
});
const rowsOf = () => readRows(database.db('workspace_secrets').orderBy('id').select('*'), row);
const byKey = async () =>
  Object.fromEntries((await countSecretsByKey(database.db)).map(({ keyId, count: held }) => [keyId, held]));
const put = (db: TestDatabase['db'], name: string, value: string, keys = both) => {
  const identity = { workspaceId, name };
  return putSecret(db, identity, seal(keys, identity, Buffer.from(value)), userId);
};

/** The secrets, decrypted with the newest key alone. */
async function values(): Promise<Map<string, string>> {
  const rows = await rowsOf();
  return new Map(
    rows.map(({ name, sealed_value: sealedValue, sealed_data_key: sealedDataKey, key_id: keyId }) => [
      name,
      open([newer], { workspaceId, name }, { sealedValue, sealedDataKey, keyId }).toString(),
    ]),
  );
}

/**
 * Locks the row that the program reaches after its first transaction; `meanwhile` runs once
 * the program waits for it.
 */
async function whileHeld(name: string, meanwhile: (trx: TestDatabase['db']) => Promise<void>): Promise<void> {
  const trx = await database.db.transaction();
  try {
    await trx('workspace_secrets').where({ name }).forUpdate().first();
    await meanwhile(trx);
    await trx.commit();
  } finally {
    if (!trx.isCompleted()) {
      await trx.rollback();
    }
  }
}
const somebodyWaits = () =>
  eventually(async () => {
    const waiting = await database.db('pg_stat_activity').where({
      datname: database.db.raw('current_database()'),
      wait_event_type: 'Lock',
    });
    expect(waiting).not.toEqual([]);
  });

describe('the change of the master key', () => {
  it('resumes where it was killed, keeps everything else of a secret, and then the old key can be removed', async () => {
    const before = await rowsOf();
    const held = before[150]?.name ?? '';
    await whileHeld(held, async () => {
      const { child, ended } = start();
      await somebodyWaits();
      child.kill('SIGKILL');
      expect(await ended).toMatchObject({
        exitCode: null,
        stdout: expect.stringContaining('Sealed 100 of 250.'),
      });
      expect(await byKey()).toEqual({ newer: 100, older: 150 });
    });
    await expect(verifyMasterKeys(database.db, [newer])).rejects.toThrow('no key "older"');
    // A platform with both keys can read all of them meanwhile.
    expect(await verifyMasterKeys(database.db, both)).toEqual({ verified: count });
    const again = await run();
    expect(again).toMatchObject({ exitCode: 0, stderr: '' });
    expect(again.stdout).toContain('Secrets by master key: newer 100, older 150.');
    expect(again.stdout).toContain('150 resealed; all 250 open with "newer" alone.');
    const after = await rowsOf();
    const rest = ({
      sealed_value: _value,
      sealed_data_key: _key,
      key_id: _id,
      ...others
    }: z.infer<typeof row>) => others;
    expect(after.map(rest)).toEqual(before.map(rest));
    expect(await values()).toEqual(new Map(before.map(({ name }) => [name, textOf(name)])));
    // The old key and an old data key decrypt nothing of what is stored now.
    expect(
      after.filter((row, index) => row.sealed_value.equals(before[index]?.sealed_value ?? row.sealed_value)),
    ).toEqual([]);
    expect(await verifyMasterKeys(database.db, [newer])).toEqual({ verified: count });
    expect([again.stdout, again.stderr].join()).not.toContain('the value of');
  });

  it('keeps what is written and cleared while it waits, and what an older process still seals with the old key', async () => {
    const [replaced = '', cleared = '', late = ''] = (await rowsOf()).slice(150).map(({ name }) => name);
    const program = { ended: Promise.resolve({}) };
    await whileHeld(replaced, async (trx) => {
      program.ended = start().ended;
      await somebodyWaits();
      await put(trx, replaced, 'written meanwhile', [older]);
      await clearSecret(trx, { workspaceId, name: cleared }, userId);
      await put(trx, late, 'written with the new key');
    });
    expect(await program.ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await byKey()).toEqual({ newer: count - 1 });
    const [gone] = await database.db('workspace_secrets').where({ name: cleared });
    expect(gone).toMatchObject({ is_set: false, sealed_value: null, key_id: null });
    await database.db('workspace_secrets').where({ name: cleared }).delete();
    const now = await values();
    expect([now.get(replaced), now.get(late)]).toEqual(['written meanwhile', 'written with the new key']);
  });

  it('finds what remains when a whole batch was written meanwhile', async () => {
    const { db } = database;
    const [first = ''] = (await rowsOf()).map(({ name }) => name);
    const running = { done: Promise.resolve({}) };
    await whileHeld(first, async (trx) => {
      running.done = reencryptSecrets(db, both, { batchSize: 1 });
      await somebodyWaits();
      await put(trx, first, 'written meanwhile');
    });
    expect(await running.done).toEqual({ reencrypted: count - 1, unreadable: [] });
    expect(await byKey()).toEqual({ newer: count });
  });

  it('changes nothing in a dry run, and nothing the second time', async () => {
    const before = await rowsOf();
    const dry = await run(['--dry-run']);
    expect(dry).toMatchObject({ exitCode: 0, stderr: '' });
    expect(dry.stdout).toContain('All 250 open; 250 would be sealed with "newer". Nothing was changed.');
    expect(await rowsOf()).toEqual(before);
    await Promise.all([reencryptSecrets(database.db, both), reencryptSecrets(database.db, both)]);
    const after = await rowsOf();
    expect(await run()).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('0 resealed; all 250'),
    });
    expect(await rowsOf()).toEqual(after);
  });

  it('names what it cannot decrypt, leaves it unchanged, and does the rest', async () => {
    const { db } = database;
    await db('workspace_secrets').where({ name: 'S_1' }).update({ key_id: 'lost' });
    const other = await db('workspace_secrets').where({ name: 'S_2' }).first('sealed_value');
    await db('workspace_secrets')
      .where({ name: 'S_3' })
      .update({ sealed_value: other?.sealed_value ?? null });
    const { exitCode, stdout, stderr } = await run();
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 1 });
    expect(stderr).toContain('MASTER_KEYS has no key "lost", which sealed the secret S_1');
    expect(stderr).toContain('the secret S_3 does not open with the key "older"');
    expect(stdout + stderr).not.toContain('the value of');
    expect(await byKey()).toEqual({ newer: count - 2, older: 1, lost: 1 });
    expect(await run(['--dry-run'])).toMatchObject({ exitCode: 1 });
  });

  it('prints its usage, and refuses unknown arguments', async () => {
    const help = await run(['--help']);
    expect(help).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('--dry-run'), stderr: '' });
    const before = await rowsOf();
    expect(await run(['--dryrun'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('--dryrun'),
    });
    expect(await run([], [])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('MASTER_KEYS') });
    expect(await rowsOf()).toEqual(before);
  });
});
