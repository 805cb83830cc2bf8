/** The API as a program asks for groups by itself, and is killed while it applies them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createWorkspace } from '../../../commands/workspaces/workspaces.ts';
import { upsertUser } from '../../../store/users/users.ts';
import { testEnvironment } from '../../support/api.ts';
import { bundledProgram } from '../../support/bundled-program.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually, untilFound } from '../../support/eventually.ts';
import { chooseTestPort } from '../../support/free-port.ts';
import { type GroupProvider, startGroupProvider } from '../../support/group-provider.ts';
import { SignInBrowser } from '../../support/sign-in-browser.ts';
import { temporalAddress } from '../../support/temporal.ts';

const publicUrl = 'http://localhost:4996';
let database: TestDatabase;
let idp: GroupProvider;
let environment: Record<string, string>;
let url: string;
let running: ChildProcess | null = null;

beforeAll(async () => {
  [database, idp] = await Promise.all([createTestDatabase(), startGroupProvider(publicUrl)]);
  const port = await chooseTestPort();
  url = `http://127.0.0.1:${port}`;
  environment = testEnvironment({
    ...{ DATABASE_URL: database.url, TEMPORAL_ADDRESS: temporalAddress(), PORT: String(port) },
    ...{ OIDC_ISSUER: idp.issuer, OIDC_CLIENT_ID: 'platform', OIDC_CLIENT_SECRET: 'client-secret' },
    ...{ PUBLIC_URL: publicUrl, OIDC_MORE_SCOPES: 'groups', LOG_LEVEL: 'error' },
    OIDC_GROUP_RULES: JSON.stringify([{ value: 'team', workspace: 'acme', role: 'member' }]),
  });
});
afterEach(() => end('SIGKILL'));
afterAll(async () => {
  await idp.stop();
  await database.drop();
});

async function start(): Promise<void> {
  running = spawn(process.execPath, [bundledProgram('bin/api.ts')], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await untilFound('the API', () =>
    fetch(`${url}/api/health`).then(
      () => true,
      () => null,
    ),
  );
}

async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  const child = running;
  running = null;
  if (child === null || child.exitCode !== null || child.signalCode !== null) {
    return null;
  }
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
  return child.exitCode;
}

const makeDue = () => database.db('sign_in_renewals').update({ renew_at: database.db.fn.now() });
const workspaces = async (browser: SignInBrowser) => {
  const { status, body } = await browser.go(`${publicUrl}/api/me`);
  return { status, slugs: (body as { workspaces: { slug: string }[] }).workspaces.map(({ slug }) => slug) };
};
const removals = () => database.db('audit_events').where({ event: 'workspace.member.removed' }).select('id');

it('takes a lost role by itself, once, also where it was killed in the middle of it', async () => {
  await start();
  const ada = await upsertUser(database.db, {
    ...{ issuer: 'demo', subject: 'ada', email: 'ada@demo.test', name: 'Ada' },
  });
  const workspace = await createWorkspace(database.db, { slug: 'acme', name: 'Acme' }, ada);
  const browser = new SignInBrowser({ url }, publicUrl);
  idp.claims.set('ida', { groups: ['team'] });
  await browser.go(await browser.reachCallback('ida'));
  expect(await workspaces(browser)).toEqual({ status: 200, slugs: ['acme'] });

  idp.claims.set('ida', { groups: [] });
  const holder = await database.db.transaction();
  // What is applied waits in the middle: it has the workspace, and somebody holds the membership.
  await holder('members')
    .where({ workspace_id: workspace?.id ?? '' })
    .forKeyShare()
    .select('user_id');
  await makeDue();
  await untilFound('a statement that waits for the membership', async () => {
    const { rows } = await database.db.raw(
      `select pid from pg_stat_activity where datname = current_database()
         and wait_event_type = 'Lock' and query like '%delete from "members"%'`,
    );
    return rows[0] ?? null;
  });
  await end('SIGKILL');
  await holder.rollback();
  expect(await removals()).toEqual([]);

  await start();
  expect(await workspaces(browser)).toEqual({ status: 200, slugs: ['acme'] });
  await makeDue();
  await eventually(async () => expect(await workspaces(browser)).toEqual({ status: 200, slugs: [] }));
  expect(await removals()).toHaveLength(1);
  expect(await end('SIGTERM')).toBe(0);
});
