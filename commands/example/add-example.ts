/**
 * Adds the example to a workspace by the commands that its parts are added by, whole or not at all. What is
 * there already is used only when it is the example's own: nobody's server and agent of the same name are
 * taken for it.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Agent } from '../../contract/agent.ts';
import type { McpServer } from '../../contract/catalog.ts';
import { exampleAgent, exampleServer, hasExampleGates } from '../../contract/example.ts';
import { readAgentByName } from '../../store/agents/agents.ts';
import { listAttachments } from '../../store/attachments/attachments.ts';
import { type Db, inTransaction, type Transaction } from '../../store/database.ts';
import { readMcpServer } from '../../store/mcp-servers/mcp-servers.ts';
import { lockQuota } from '../../store/quotas/quotas.ts';
import { createAgent, type EditorRights } from '../agents/save.ts';
import { attach } from '../attachments/attachments.ts';
import type { RegistrationAddresses } from '../mcp-registrations/registrations.ts';
import { registerMcpServer } from '../mcp-servers/mcp-servers.ts';

export interface ExampleSave {
  workspaceId: string;
  userId: string;
  addresses: RegistrationAddresses;
  quotas: { servers: { limit: number }; agents: { limit: number }; attachmentsPerAgent: number };
  /** What the person may do with the agent. */
  rightsOn: (agent: Agent) => EditorRights;
}

/** Something else has the name of a part. */
export class ExampleInTheWayError extends Error {
  override name = 'ExampleInTheWayError';
  readonly part: 'server' | 'agent';
  readonly partName: string;

  constructor(part: 'server' | 'agent', partName: string) {
    super(`another ${part} has the name of the example's`);
    this.part = part;
    this.partName = partName;
  }
}

/**
 * Returns the example's agent. Idempotent. Throws ExampleInTheWayError, and QuotaExceededError at a limit of
 * the workspace; nothing is added then.
 */
export async function addExample(db: Db, save: ExampleSave): Promise<Agent> {
  return inTransaction(db, async (trx) => {
    // Of two at once, the second finds what the first added.
    await lockQuota(trx, { workspaceId: save.workspaceId });
    await ensureServer(trx, save);
    const agent = await ensureAgent(trx, save);
    await ensureAttached(trx, save, agent);
    return agent;
  });
}

async function ensureServer(trx: Transaction, save: ExampleSave): Promise<void> {
  const { workspaceId, userId, addresses, quotas } = save;
  const entry = { input: exampleServer, image: null, userId, addresses, quota: quotas.servers };
  const server =
    (await readMcpServer(trx, workspaceId, exampleServer.name)) ??
    (await registerMcpServer(trx, workspaceId, entry))?.server ??
    null;
  if (server === null || !isExampleServer(server)) {
    throw new ExampleInTheWayError('server', exampleServer.name);
  }
}

/** The same program and rules, no variable, and at least the example's gates. */
const isExampleServer = ({ shape, manifest, network, approvers, unlisted_tools }: McpServer): boolean =>
  isDeepStrictEqual(shape, exampleServer.shape) &&
  network === exampleServer.network &&
  approvers === exampleServer.approvers &&
  unlisted_tools === exampleServer.unlisted_tools &&
  Object.keys(manifest.env).length === 0 &&
  hasExampleGates(manifest);

async function ensureAgent(trx: Transaction, save: ExampleSave): Promise<Agent> {
  const { workspaceId, userId, quotas } = save;
  const there = await readAgentByName(trx, workspaceId, exampleAgent.name);
  const saved =
    there === null
      ? await createAgent(trx, workspaceId, exampleAgent, userId, quotas.agents)
      : ({ result: 'saved', agent: there } as const);
  if (saved.result !== 'saved' || !isExampleAgent(saved.agent)) {
    throw new ExampleInTheWayError('agent', exampleAgent.name);
  }
  return saved.agent;
}

/** As it was added: nothing more runs with it, and it reaches no further. */
const isExampleAgent = (agent: Agent): boolean =>
  agent.archived_at === null &&
  Object.entries(exampleAgent).every(([field, value]) =>
    isDeepStrictEqual(agent[field as keyof typeof exampleAgent], value),
  );

async function ensureAttached(trx: Transaction, save: ExampleSave, agent: Agent): Promise<void> {
  const attached = await listAttachments(trx, agent.id);
  if (attached.some(({ name }) => name !== exampleServer.name)) {
    throw new ExampleInTheWayError('agent', exampleAgent.name);
  }
  if (attached.length > 0) {
    return;
  }
  const saved = await attach(trx, {
    ...{ workspaceId: save.workspaceId, userId: save.userId, agent, name: exampleServer.name, env: {} },
    // It takes no variables: there is no expression to run.
    judge: () => ({ result: 'not_checked' }),
    maxPerAgent: save.quotas.attachmentsPerAgent,
    rights: save.rightsOn(agent),
  });
  if (saved.result === 'invalid') {
    throw new Error(`the example's server cannot be attached: ${saved.problems[0]?.message}`);
  }
}
