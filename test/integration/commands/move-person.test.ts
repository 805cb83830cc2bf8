/** Moving a person as an operator does: the real program on the real Postgres. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createWorkspace } from '../../../commands/workspaces/workspaces.ts';
import type { User } from '../../../contract/workspace.ts';
import { createSignIn } from '../../../store/sign-ins/sign-ins.ts';
import { upsertUser } from '../../../store/users/users.ts';
import { bundledProgram } from '../../support/bundled-program.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const [old, renamed] = ['https://old.example', 'https://new.example/realm'];
const address = 'ida@company.test';

let database: TestDatabase;
let ida: User;
let slug: string;
let runs = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  runs += 1;
  slug = `company-${runs}`;
  ida = await upsertUser(database.db, { ...was(), email: address, name: 'Ida' });
  await createWorkspace(database.db, { slug, name: slug }, ida);
  await createSignIn(database.db, ida.id, 3600);
});

const was = () => ({ issuer: old, subject: `s-${runs}` });
const is = () => ({ issuer: renamed, subject: `t-${runs}` });

async function run(...args: string[]) {
  const child = spawn(process.execPath, [bundledProgram('bin/move-person.ts'), ...args], {
    env: { PATH: process.env['PATH'], DATABASE_URL: database.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { exitCode: child.exitCode, stdout, stderr };
}

type Named = { issuer: string; subject: string };
const move = (from: Named, to: Named, ...more: string[]) =>
  run(
    ...['--from-issuer', from.issuer, '--from-subject', from.subject],
    ...['--to-issuer', to.issuer, '--to-subject', to.subject, ...more],
  );
const idOf = async (named: Named) => (await database.db('users').where(named).first('id'))?.id;
const liveSignIns = (userId: string) =>
  database.db('sign_ins').where({ user_id: userId, revoked_at: null }).pluck('id');

it('keeps workspaces under the new subject, ends sign-ins and is audited', async () => {
  expect(await move(was(), is(), '--dry-run')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(slug),
  });
  expect(await idOf(was())).toBe(ida.id);
  expect(await move(was(), is())).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await idOf(is())).toBe(ida.id);
  expect(await idOf(was())).toBeUndefined();
  expect(await liveSignIns(ida.id)).toEqual([]);
  const events = await database
    .db('audit_events')
    .where({ event: 'workspace.member.moved', resource_id: ida.id })
    .select('actor_type', 'data');
  expect(events).toEqual([{ actor_type: 'system', data: { from: was(), to: is() } }]);
  expect(await move(was(), is())).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(ida.id) });
});

it('exchanges both where the new subject has signed in already, and is undone by the opposite', async () => {
  const empty = await upsertUser(database.db, { ...is(), email: address, name: 'Ida again' });
  await createSignIn(database.db, empty.id, 3600);
  const listed = await run('--list', address.toUpperCase());
  expect(listed.stdout).toContain(`subject ${was().subject}\n  workspaces ${slug}`);
  expect(listed.stdout).toContain(`subject ${is().subject}\n  workspaces none`);
  expect(await move(was(), is())).toMatchObject({ exitCode: 0 });
  expect([await idOf(is()), await idOf(was())]).toEqual([ida.id, empty.id]);
  expect(await liveSignIns(empty.id)).toEqual([]);
  expect(await move(is(), was())).toMatchObject({ exitCode: 0 });
  expect([await idOf(is()), await idOf(was())]).toEqual([empty.id, ida.id]);
});

it('takes nothing from somebody who is in a workspace under the new subject', async () => {
  const other = await upsertUser(database.db, { ...is(), email: address, name: 'Other' });
  await createWorkspace(database.db, { slug: `${slug}-other`, name: 'other' }, other);
  expect(await move(was(), is())).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`${slug}-other`),
  });
  expect([await idOf(was()), await idOf(is())]).toEqual([ida.id, other.id]);
});

it('says what is missing or wrong, and changes nothing', async () => {
  expect(await run('--from-issuer', old)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--from-subject is required'),
  });
  expect(await move(was(), was())).toMatchObject({ exitCode: 1, stderr: 'Both name the same person\n' });
  expect(await run('--email', address)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--list'),
  });
  expect(await run('--help')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('--dry-run') });
});
