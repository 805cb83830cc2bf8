/** A workspace with people, an agent and what it is attached to, through the platform's own commands. */
import { randomBytes, randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { createAgent } from '../../commands/agents/save.ts';
import { attach } from '../../commands/attachments/attachments.ts';
import { registerMcpServer } from '../../commands/mcp-servers/mcp-servers.ts';
import { putMember } from '../../commands/members/members.ts';
import { createSchedule } from '../../commands/schedules/save.ts';
import { putSecret } from '../../commands/secrets/secrets.ts';
import { createSession } from '../../commands/sessions/create.ts';
import { createWorkspace } from '../../commands/workspaces/workspaces.ts';
import type { MasterKeys } from '../../config/keys.ts';
import { type Agent, agentInput } from '../../contract/agent.ts';
import { type Manifest, type McpServer, mcpServerInput } from '../../contract/catalog.ts';
import { runPattern } from '../../contract/run-pattern.mjs';
import { type Schedule, scheduleInput } from '../../contract/schedule.ts';
import type { Session } from '../../contract/session.ts';
import type { User, Workspace } from '../../contract/workspace.ts';
import type { Db } from '../../store/database.ts';
import { seal } from '../../store/secrets/envelope.ts';
import { upsertUser } from '../../store/users/users.ts';
import { entrySave } from './entry-save.ts';

export const testMasterKeys = (): MasterKeys => [{ id: 'test', key: randomBytes(32) }];

export interface Tenant {
  workspace: Workspace;
  /** An admin. */
  ada: User;
  /** A member. */
  max: User;
  agent(fields?: Partial<z.input<typeof agentInput>>): Promise<Agent>;
  server(
    name: string,
    manifest: z.input<typeof mcpServerInput>['manifest'],
    fields?: Partial<z.input<typeof mcpServerInput>>,
  ): Promise<McpServer>;
  attach(agent: Agent, name: string, env: Record<string, string>): Promise<void>;
  secret(name: string, value: string): Promise<void>;
  /** A session of the agent, driven by Max. */
  session(agent: Agent): Promise<Session>;
  /**
   * A schedule of Max's, of an agent of its own and with times that are far away, unless `fields` say
   * otherwise. Temporal has no copy yet.
   */
  schedule(fields?: Partial<z.input<typeof scheduleInput>>): Promise<Schedule>;
}

export const envOf = (env: Manifest['env']) => ({ env, tool_scopes: {} });

export async function createTenant(db: Db, masterKeys: MasterKeys): Promise<Tenant> {
  const person = (name: string) => {
    const email = `${name.toLowerCase().replace(' ', '.')}.${randomUUID()}@demo.test`;
    return upsertUser(db, { issuer: 'demo', subject: email, email, name });
  };
  const [ada, max] = [await person('Ada Admin'), await person('Max Member')];
  const slug = `t-${randomBytes(6).toString('hex')}`;
  const workspace = present(await createWorkspace(db, { slug, name: 'Test' }, ada));
  const workspaceId = workspace.id;
  const agent: Tenant['agent'] = async (fields = {}) => {
    const input = agentInput.parse({
      name: `agent-${randomUUID()}`,
      run: { type: 'builtin', name: 'scripted' },
      ...fields,
    });
    const saved = await createAgent(db, workspaceId, input, max.id);
    if (saved.result !== 'saved') {
      throw new Error(JSON.stringify(saved));
    }
    return saved.agent;
  };
  const by = { type: 'user', id: ada.id } as const;
  await putMember(db, { workspaceId, userId: max.id, role: 'member', by });
  return {
    workspace,
    ada,
    max,
    agent,
    async server(name, manifest, fields = {}) {
      const shape = { type: 'command' as const, command: 'mcp-server' };
      const input = mcpServerInput.parse({ name, shape, manifest, ...fields });
      return present(await registerMcpServer(db, workspaceId, entrySave(input, ada.id))).server;
    },
    async attach(agent, name, env) {
      const saved = await attach(db, {
        workspaceId,
        agent,
        name,
        env,
        userId: max.id,
        maxPerAgent: 32,
        rights: { mayCreate: async () => true, mayList: true },
        judge: runPattern,
      });
      if (saved.result !== 'saved') {
        throw new Error(JSON.stringify(saved));
      }
    },
    async secret(name, value) {
      const sealed = seal(masterKeys, { workspaceId, name }, Buffer.from(value));
      await putSecret(db, { workspaceId, name }, sealed, ada.id);
    },
    session: (agent) =>
      createSession(db, {
        id: randomUUID(),
        workspaceId,
        agentId: agent.id,
        operatorId: max.id,
        rootOperatorId: max.id,
        parentSessionId: null,
        prompt: 'Do it',
      }),
    async schedule(fields = {}) {
      const input = scheduleInput.parse({
        name: randomUUID(),
        prompt: 'Look around',
        spec: { kind: 'cron', expression: '0 0 1 1 *' },
        ...fields,
        agent_id: fields.agent_id ?? (await agent()).id,
      });
      const limits = { limit: 1000, shortestIntervalSeconds: 1 };
      const saved = await createSchedule(db, { workspaceId, makerId: max.id }, input, limits);
      if (saved.result !== 'saved') {
        throw new Error(JSON.stringify(saved));
      }
      return saved.schedule;
    },
  };
}

function present<Value>(value: Value | null): Value {
  if (value === null) {
    throw new Error('the tenant could not be set up');
  }
  return value;
}
