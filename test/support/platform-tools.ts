/** Tools that the API runs, called as its route calls them, on a fresh database. */
import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import type { Knex } from 'knex';
import { pino } from 'pino';
import type { EmbeddingServers } from '../../api/embedding-provider/ask-provider.ts';
import { embeddingServersWith } from '../../api/embedding-provider/provider-url.ts';
import { createChildWaits } from '../../api/platform-tools/child-waits.ts';
import { platformTools } from '../../api/platform-tools/routes.ts';
import type { ToolCaller, ToolDependencies } from '../../api/platform-tools/tool.ts';
import type { ApiConfig } from '../../config/api.ts';
import type { PlatformToolAnswer } from '../../contract/platform-tools.ts';
import { type ByteBudget, createByteBudget } from '../../lib/limits/byte-budget.ts';
import { createKeyedMutex } from '../../lib/limits/mutex.ts';
import { openSessionEventFeed } from '../../store/session-events/feed.ts';
import { testConfig } from './api.ts';
import { createTestDatabase } from './database.ts';
import { createTenant, type Tenant } from './tenant.ts';

export interface TestTools {
  db: Knex;
  config: ApiConfig;
  searchBudget: ByteBudget;
  /** Messages whose delivery was begun. */
  begun: string[];
  /** A test replaces what it lets fail. */
  workflows: ToolDependencies['workflows'];
  /** Previews whose service was begun. */
  services: string[];
  /** Sessions whose workflow was started, and signals that were sent as `<signal> <session id>`. */
  started: string[];
  signals: string[];
  /** All that was logged. */
  logged(): string;
  /** A session in a workspace of its own. */
  caller(): Promise<ToolCaller>;
  /** The caller's workspace, with its people and what is in it. */
  tenantOf(caller: ToolCaller): Tenant;
  /** Another session of the caller's workspace. */
  colleague(of: ToolCaller): Promise<ToolCaller>;
  /** Each call has an id of its own unless a test sends one again. */
  call(caller: ToolCaller, name: string, given: unknown, callId?: string): Promise<PlatformToolAnswer>;
  /** As `call`, but must succeed; returns the result. */
  ok<Result>(caller: ToolCaller, name: string, given: unknown, callId?: string): Promise<Result>;
  close(): Promise<void>;
}

export async function openTools(
  overrides: Record<string, string> = {},
  embeddingServers: EmbeddingServers = embeddingServersWith(new Map()),
): Promise<TestTools> {
  const { db, url, drop } = await createTestDatabase();
  const config = testConfig({ DATABASE_URL: url, ...overrides });
  const searchBudget = createByteBudget(64 * 1024 * 1024);
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const begun: string[] = [];
  const services: string[] = [];
  const started: string[] = [];
  const signals: string[] = [];
  const workflows = {
    startChannelMessage: async (id: string) => {
      begun.push(id);
    },
    startServicePreview: async (id: string) => {
      services.push(id);
    },
    startSession: async (id: string) => {
      started.push(id);
    },
    signalSession: async (id: string, signal: string) => {
      signals.push(`${signal} ${id}`);
      return true;
    },
  };
  const log = pino({ level: 'debug' }, sink);
  const runExclusive = createKeyedMutex();
  const feed = openSessionEventFeed(url);
  const childWaits = createChildWaits(feed);
  const dependencies = {
    db,
    config,
    log,
    workflows,
    embeddingServers,
    searchBudget,
    runExclusive,
    childWaits,
  };
  const tenants = new Map<string, Tenant>();
  const open = async (tenant: Tenant) => tenant.session(await tenant.agent());
  const tenantOf: TestTools['tenantOf'] = ({ workspace_id }) => {
    const tenant = tenants.get(workspace_id);
    if (tenant === undefined) {
      throw new Error('the caller is of no workspace of this test');
    }
    return tenant;
  };
  const call: TestTools['call'] = (caller, name, given, callId = randomUUID()) => {
    const tool = platformTools.find((each) => each.name === name);
    if (tool === undefined) {
      throw new Error(`there is no tool ${name}`);
    }
    return tool.answer(
      given,
      { ...caller, call_id: callId, link_origin: config.PUBLIC_URL ?? null },
      dependencies,
    );
  };
  return {
    db,
    config,
    begun,
    services,
    started,
    signals,
    workflows,
    searchBudget,
    logged: () => lines.join(''),
    async caller() {
      const tenant = await createTenant(db, config.MASTER_KEYS);
      tenants.set(tenant.workspace.id, tenant);
      return open(tenant);
    },
    tenantOf,
    colleague: (of) => open(tenantOf(of)),
    call,
    async ok<Result>(caller: ToolCaller, name: string, given: unknown, callId?: string) {
      const answer = await call(caller, name, given, callId);
      if (answer.status !== 'ok') {
        throw new Error(`${name} failed: ${JSON.stringify(answer)}`);
      }
      return answer.result as Result;
    },
    async close() {
      await feed.close();
      await drop();
    },
  };
}
