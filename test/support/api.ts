/** The API on a port of its own, over a fresh database, with people who are signed in. */
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { createApp } from '../../api/app.ts';
import { demoIssuer } from '../../api/auth/routes.ts';
import type { FinishDependencies } from '../../api/authorizations/sign-in.ts';
import { embeddingServersWith } from '../../api/embedding-provider/provider-url.ts';
import { upgradePreviews } from '../../api/previews/upgrade-previews.ts';
import type { AnyRoute } from '../../api/route.ts';
import { configurationRoutes } from '../../api/routes.ts';
import type { FollowDependencies } from '../../api/schedules/follow.ts';
import { listen } from '../../api/server.ts';
import type { WebFiles } from '../../api/web-files/load-web-files.ts';
import { putMember } from '../../commands/members/members.ts';
import { createWorkspace } from '../../commands/workspaces/workspaces.ts';
import { type ApiConfig, apiConfig } from '../../config/api.ts';
import type { User, Workspace, WorkspaceRole } from '../../contract/workspace.ts';
import { createPatternChecker } from '../../lib/patterns/pattern-checker.ts';
import { upsertUser } from '../../store/users/users.ts';
import { createTestDatabase } from './database.ts';
import { fixedLimitsIn } from './limits.ts';
import { loopbackServers } from './loopback-servers.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

/** Someone who sends requests; signed in when there is a cookie. */
export interface Caller {
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Like `send`, but must succeed; returns the body. */
  ok<Body>(method: string, path: string, body?: unknown): Promise<Body>;
}

export interface Person extends Caller {
  user: User;
  cookie: string;
}

export interface TestApi {
  url: string;
  db: Knex;
  config: ApiConfig;
  /** What is mounted. */
  routes: readonly AnyRoute[];
  /** Everything that was logged so far. */
  logged(): string;
  /** Sessions that were told to end. */
  signalled: string[];
  anonymous: Caller;
  /** A new person, signed in through the demo sign-in. */
  person(name?: string): Promise<Person>;
  /** A new workspace with an admin and a member. */
  workspace(): Promise<{ workspace: Workspace; admin: Person; member: Person; base: string }>;
  join(workspace: Workspace, person: Person, role: WorkspaceRole): Promise<void>;
  stop(): Promise<void>;
}

/** The environment of an API, with keys of its own and no limit in the way of a test. */
export function testEnvironment(overrides: Record<string, string> = {}): Record<string, string> {
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const key = () => randomBytes(32).toString('base64');
  return {
    DATABASE_URL: 'postgres://unused@127.0.0.1/unused',
    TEMPORAL_ADDRESS: 'unused',
    MASTER_KEYS: `first:${key()}`,
    SESSION_KEY_SEED: key(),
    APPROVAL_PRIVATE_KEY: Buffer.from(privateKey).toString('base64'),
    COOKIE_KEY: key(),
    DEMO_SIGN_IN: 'true',
    RATE_SIGN_IN_PER_MINUTE: '100000',
    RATE_SIGN_IN_FAILURES_PER_MINUTE: '100000',
    RATE_USER_PER_MINUTE: '100000',
    LIMIT_RUNNING_SESSIONS_PER_USER: '100000',
    LIMIT_RUNNING_SESSIONS_PER_WORKSPACE: '100000',
    RATE_SESSIONS_PER_HOUR_PER_USER: '100000',
    RATE_SESSIONS_PER_HOUR_PER_WORKSPACE: '100000',
    // Every kind of agent and server runs here; tests of those that cannot run override it.
    RUNTIME: 'container',
    ...overrides,
  };
}

/** Overrides may also name limits that no variable sets. */
export const testConfig = (overrides: Record<string, string> = {}): ApiConfig => {
  const environment = testEnvironment(overrides);
  return { ...apiConfig.parse(environment), ...fixedLimitsIn(environment) };
};

export function caller(url: string, cookie?: string): Caller {
  const send: Caller['send'] = async (method, path, body, headers = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie === undefined ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    return { status: response.status, headers: response.headers, text: answer, body: parsed(answer) };
  };
  return {
    send,
    async ok<Body>(method: string, path: string, body?: unknown) {
      const answer = await send(method, path, body);
      if (answer.status >= 300) {
        throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
      }
      return answer.body as Body;
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * `moreRoutes` are mounted beside the API's own, `web` beside both. On a free port,
 * unless `overrides` name one.
 */
export async function startTestApi(
  overrides: Record<string, string> = {},
  moreRoutes: (db: Knex, config: ApiConfig) => AnyRoute[] = () => [],
  web: WebFiles | null = null,
  moreWorkflows: Partial<FinishDependencies['workflows'] & FollowDependencies['workflows']> = {},
): Promise<TestApi> {
  const { db, url: databaseUrl, drop } = await createTestDatabase();
  const config = testConfig({ DATABASE_URL: databaseUrl, ...overrides });
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const log = pino({ level: 'debug' }, sink);
  const signalled: string[] = [];
  const workflows = {
    signalSession: async (id: string) => {
      signalled.push(id);
      return true;
    },
    reviseRegistration: async () => {},
    startAuthorization: async () => {},
    settleAuthorization: async () => true,
    schedules: { put: async () => true, remove: async () => {} },
    ...moreWorkflows,
  };
  const patterns = createPatternChecker();
  const routes = [
    ...configurationRoutes({
      ...{ db, config, workflows, patterns, log, remoteServers: loopbackServers },
      embeddingServers: embeddingServersWith(config.PRIVATE_EMBEDDING_HOSTS),
    }),
    ...moreRoutes(db, config),
  ];
  const at = { host: '127.0.0.1', port: 'PORT' in overrides ? config.PORT : 0 };
  const running = await listen(createApp({ db, config, log }, routes, web), at, upgradePreviews(config));
  // Longer than any caller keeps a connection: the server never closes one at the moment of its reuse.
  running.server.keepAliveTimeout = 120_000;
  const url = `http://127.0.0.1:${running.port}`;
  const anonymous = caller(url);

  const person = async (name = 'Person') => {
    const email = `${name.toLowerCase().replaceAll(' ', '.')}.${randomUUID()}@demo.test`;
    const user = await upsertUser(db, { issuer: demoIssuer, subject: email, email, name });
    const answer = await anonymous.send('POST', '/api/auth/demo-sign-in', { email });
    const cookie = (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
    return { user, cookie, ...caller(url, cookie) };
  };
  const join = async (workspace: Workspace, who: Person, role: WorkspaceRole) => {
    await putMember(db, {
      workspaceId: workspace.id,
      userId: who.user.id,
      role,
      by: { type: 'system', id: null },
    });
  };

  return {
    url,
    db,
    config,
    routes,
    logged: () => lines.join(''),
    signalled,
    anonymous,
    person,
    async workspace() {
      const admin = await person('Ada Admin');
      const member = await person('Max Member');
      const workspace = await createWorkspace(
        db,
        { slug: `w-${randomBytes(8).toString('hex')}`, name: 'W' },
        admin.user,
      );
      if (workspace === null) {
        throw new Error('the slug is taken');
      }
      await join(workspace, member, 'member');
      return { workspace, admin, member, base: `/api/workspaces/${workspace.slug}` };
    },
    join,
    async stop() {
      await running.close(1000);
      await patterns.close();
      await drop();
    },
  };
}
