/** The operator makes an admin: the real program on the real Postgres. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { applyGroupRules } from '../../../commands/members/apply-rules.ts';
import { putMember } from '../../../commands/members/members.ts';
import { createWorkspace } from '../../../commands/workspaces/workspaces.ts';
import { systemActor } from '../../../contract/session-event.ts';
import { upsertUser } from '../../../store/users/users.ts';
import { bundledProgram } from '../../support/bundled-program.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function run(...args: string[]) {
  const child = spawn(process.execPath, [bundledProgram('bin/make-admin.ts'), ...args], {
    env: { PATH: process.env['PATH'], DATABASE_URL: database.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { exitCode: child.exitCode, stdout, stderr };
}

const person = (name: string) =>
  upsertUser(database.db, { issuer: 'https://id.example', subject: name, email: `${name}@x.test`, name });

it('makes somebody an admin whom no rule takes that from, audited, and again changes nothing', async () => {
  const [ada, ida] = [await person('ada'), await person('ida')];
  const workspace = await createWorkspace(database.db, { slug: 'acme', name: 'Acme' }, ada);
  const member = { workspaceId: workspace?.id ?? '', userId: ida.id };
  await putMember(database.db, { ...member, role: 'admin', by: systemActor, madeBy: 'rule' });
  for (let time = 0; time < 2; time += 1) {
    expect(await run('--workspace', 'acme', '--person', ida.id)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('is an admin of acme'),
    });
  }
  await applyGroupRules(
    database.db,
    ida,
    { values: new Set() },
    { rules: [], lossPercent: 100, renewal: null },
  );
  expect(await database.db('members').where({ user_id: ida.id }).first('role', 'by_rule')).toEqual({
    role: 'admin',
    by_rule: false,
  });
  const events = await database
    .db('audit_events')
    .where({ event: 'workspace.member.role_changed', resource_id: ida.id })
    .select('actor_type', 'data');
  expect(events).toEqual([
    {
      actor_type: 'system',
      data: { from: 'admin', role: 'admin', made_by: 'person', by_operator: true },
    },
  ]);
});

it.each<[string, () => string[], string]>([
  [
    'an unknown workspace',
    () => ['--workspace', 'nowhere', '--person', randomUUID()],
    'no workspace "nowhere"',
  ],
  ['who never signed in', () => ['--workspace', 'acme', '--person', randomUUID()], 'has to sign in once'],
  ['an address in place of an id', () => ['--workspace', 'acme', '--person', 'ida@x.test'], '--person'],
  ['no workspace', () => ['--person', randomUUID()], '--workspace is required'],
])('refuses %s', async (_what, args, message) => {
  expect(await run(...args())).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) });
});
