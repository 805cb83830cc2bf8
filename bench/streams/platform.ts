/**
 * The API as it is built, on a Postgres of its own, with sessions that their workspaces share and
 * people who look at them.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import * as z from 'zod';
import { demoIssuer } from '../../api/auth/routes.ts';
import { startPostgres } from '../../bin/start/postgres.ts';
import { putMember } from '../../commands/members/members.ts';
import { openDatabase } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { upsertUser } from '../../store/users/users.ts';
import { caller } from '../../test/support/api.ts';
import { createTenant, testMasterKeys } from '../../test/support/tenant.ts';
import { Processes } from '../gate/processes.ts';
import { freePort, untilPort } from '../gate/wait.ts';

/** A session, and the cookies of those who may look at it. */
export interface WatchedSession {
  id: string;
  agentId: string;
  cookies: readonly string[];
}

export interface StreamPlatform {
  url: string;
  db: Knex;
  apiPid: number;
  sessions: readonly WatchedSession[];
  /**
   * Transactions that Postgres has committed in the platform's database so far; each
   * statement of a stream is one.
   */
  committed(): Promise<number>;
  close(): Promise<void>;
}

const sessionsOfWorkspace = 10;
const peopleOfWorkspace = 5;
const many = '1000000';

export async function openStreamPlatform(options: {
  api: string;
  sessions: number;
}): Promise<StreamPlatform> {
  const directory = mkdtempSync(join(tmpdir(), 'streams-'));
  const postgres = await startPostgres({ directory, password: randomBytes(16).toString('hex') });
  const db = openDatabase(postgres.url(), { poolSize: 4 });
  const processes = new Processes(null);
  const close = async () => {
    await processes.close();
    await db.destroy();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await migrate(db);
    const port = await freePort();
    const env = environmentOf(postgres.url(), port);
    const named = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const api = processes.start(['env', ...named, process.execPath, options.api]);
    // Its log is not read; a pipe that is full would stop it.
    api.stdout?.resume();
    await untilPort(port);
    const url = `http://127.0.0.1:${port}`;
    const sessions = await makeSessions(db, url, options.sessions);
    await db.raw('vacuum analyze');
    return { url, db, apiPid: api.pid ?? 0, sessions, committed: () => committed(db), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function environmentOf(databaseUrl: string, port: number): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const key = () => randomBytes(32).toString('base64');
  return {
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    // Never connected to: streams need no workflow.
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    MASTER_KEYS: `first:${key()}`,
    SESSION_KEY_SEED: key(),
    APPROVAL_PRIVATE_KEY: Buffer.from(privateKey).toString('base64'),
    COOKIE_KEY: key(),
    DEMO_SIGN_IN: 'true',
    RATE_SIGN_IN_PER_MINUTE: many,
    RATE_USER_PER_MINUTE: many,
    // A user's share of it grows with it.
    LIMIT_EVENT_STREAMS_PER_PROCESS: many,
  };
}

async function makeSessions(db: Knex, url: string, count: number): Promise<WatchedSession[]> {
  const sessions: WatchedSession[] = [];
  while (sessions.length < count) {
    const tenant = await createTenant(db, testMasterKeys());
    const agent = await tenant.agent();
    const cookies: string[] = [];
    for (let person = 0; person < peopleOfWorkspace; person += 1) {
      cookies.push(await signIn(db, url, tenant.workspace.id, tenant.ada.id));
    }
    for (let made = 0; made < sessionsOfWorkspace && sessions.length < count; made += 1) {
      const { id } = await tenant.session(agent);
      sessions.push({ id, agentId: agent.id, cookies });
    }
  }
  await db('sessions').update({ shared_with_workspace: true });
  return sessions;
}

/** A new member of the workspace; returns the cookie. */
async function signIn(db: Knex, url: string, workspaceId: string, adminId: string): Promise<string> {
  const email = `${randomBytes(8).toString('hex')}@bench.test`;
  const user = await upsertUser(db, { issuer: demoIssuer, subject: email, email, name: 'Viewer' });
  await putMember(db, { workspaceId, userId: user.id, role: 'member', by: { type: 'user', id: adminId } });
  const answer = await caller(url).send('POST', '/api/auth/demo-sign-in', { email });
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function committed(db: Knex): Promise<number> {
  const result = await db.raw(
    'select xact_commit::int as count from pg_stat_database where datname = current_database()',
  );
  return z.object({ rows: z.tuple([z.object({ count: z.int() })]) }).parse(result).rows[0].count;
}
