/**
 * Creates the demo workspace and leaves one session waiting for an approval. Existing content stays as it is,
 * so a second start repeats nothing and undoes no changes.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { AgentInput } from '../../contract/agent.ts';
import type { McpServerInput } from '../../contract/catalog.ts';
import { examplePrompt, exampleStartSeconds } from '../../contract/example.ts';
import type { ApiClient } from './api-client.ts';
import {
  demoAgent,
  demoAttachments,
  demoPlanner,
  demoSchedule,
  demoSecret,
  demoSecretServer,
  demoServers,
  demoSlug,
} from './demo-content.ts';
import { StartError } from './start-error.ts';

export interface DemoSeed {
  /** Both signed in. */
  ada: ApiClient;
  max: ApiClient;
  signal: AbortSignal;
  /** Whether the workload of a waiting session really exists. */
  isAlive(sessionId: string): boolean;
}

/** The session that waits, or why there is none. */
export type WaitingDemo = { sessionId: string; requestId: string } | { sessionId: string; reason: string };

/**
 * What a worker and the session's sidecar may take to start, and then its servers, which have
 * to answer before it asks.
 */
const waitLimitMs = (60 + 60 + exampleStartSeconds) * 1000;
/** Each look is two requests, of which a starting platform has enough. */
const lookEveryMs = 250;
const named = z.looseObject({ name: z.string() });
const ids = z.object({ id: z.string() });
const workspace = `/workspaces/${demoSlug}`;

export interface AgentWithAttachments {
  agent: AgentInput;
  attachments: { name: string; env: Record<string, string> }[];
}

/** Throws StartError when the API refuses something. */
export async function seedDemo(seed: DemoSeed): Promise<WaitingDemo> {
  return ensureWaitingSession(seed, seed.max, await fillDemoWorkspace(seed));
}

/**
 * The workspace without a session; returns the id of the agent whose session waits. Throws StartError when
 * the API refuses something.
 */
export async function fillDemoWorkspace({ ada, max }: Pick<DemoSeed, 'ada' | 'max'>): Promise<string> {
  await ensureWorkspace(ada, await idOf(max));
  await ensureSecret(ada, demoSecret, randomBytes(24).toString('base64url'), [demoSecretServer]);
  await ensureEntries(ada, demoServers);
  const agentId = await ensureAgent(ada, { agent: demoAgent, attachments: demoAttachments });
  await ensureAgent(ada, { agent: demoPlanner(agentId), attachments: [] });
  await ensureNamed(ada, 'schedules', 'schedules', [demoSchedule(agentId)]);
  return agentId;
}

async function ensureWorkspace(ada: ApiClient, maxId: string): Promise<void> {
  const me = z
    .object({ workspaces: z.array(z.object({ slug: z.string() })) })
    .parse(await ada.send('GET', '/me'));
  if (!me.workspaces.some(({ slug }) => slug === demoSlug)) {
    await ada.send('POST', '/workspaces', { slug: demoSlug, name: 'Demo' });
    await ada.send('PUT', `${workspace}/members/${maxId}`, { role: 'member' });
  }
}

/** A list of the workspace, whole; `field` is where its answers have the items. */
async function readAll(
  ada: ApiClient,
  path: string,
  field: string,
  more = '',
): Promise<z.infer<typeof named>[]> {
  const items: z.infer<typeof named>[] = [];
  const first = `${workspace}/${path}?limit=200${more}`;
  let next: string | null = first;
  while (next !== null) {
    const page = z.looseObject({ next_cursor: z.string().nullable() }).parse(await ada.send('GET', next));
    items.push(...z.array(named).parse(page[field]));
    next = page.next_cursor === null ? null : `${first}&cursor=${page.next_cursor}`;
  }
  return items;
}

async function idOf(person: ApiClient): Promise<string> {
  return z.object({ user: ids }).parse(await person.send('GET', '/me')).user.id;
}

/**
 * Gives a secret that is not there this value, for these entries alone where some are given; returns whether
 * it did. One that any entry may use is restricted, too: the start that made it may have ended between the
 * two requests. Throws StartError when the API refuses.
 */
export async function ensureSecret(
  ada: ApiClient,
  name: string,
  value: string,
  allowedServers?: readonly string[],
): Promise<boolean> {
  const secrets = await readAll(ada, 'secrets', 'secrets', '&include_uses=true');
  const known = secrets.find((secret) => secret.name === name);
  if (known === undefined) {
    await ada.send('PUT', `${workspace}/secrets/${name}`, { value });
  }
  if (allowedServers !== undefined && (known?.['allowed_servers'] ?? null) === null) {
    await ada.send('PATCH', `${workspace}/secrets/${name}`, { allowed_servers: allowedServers });
  }
  return known === undefined;
}

/**
 * Adds those of these entries that the catalog lacks, by name. Throws StartError when the API refuses one.
 */
export const ensureEntries = (ada: ApiClient, servers: readonly McpServerInput[]): Promise<void> =>
  ensureNamed(ada, 'mcp-servers', 'mcp_servers', servers);

/** Adds those that a list of the workspace lacks, by name; `path` and `field` as for `readAll`. */
async function ensureNamed(
  ada: ApiClient,
  path: string,
  field: string,
  wanted: readonly { name: string }[],
): Promise<void> {
  const present = await readAll(ada, path, field);
  for (const each of wanted) {
    if (!present.some(({ name }) => name === each.name)) {
      await ada.send('POST', `${workspace}/${path}`, each);
    }
  }
}

/**
 * A newly created agent gets its attachments; an existing one keeps its own. Returns its id. Throws
 * StartError when the API refuses something.
 */
export async function ensureAgent(
  ada: ApiClient,
  { agent: input, attachments }: AgentWithAttachments,
): Promise<string> {
  const agents = await readAll(ada, 'agents', 'agents');
  const present = agents.find(({ name }) => name === input.name);
  if (present !== undefined) {
    return ids.parse(present).id;
  }
  const { agent } = z.object({ agent: ids }).parse(await ada.send('POST', `${workspace}/agents`, input));
  for (const attachment of attachments) {
    await ada.send('PUT', `/agents/${agent.id}/mcp-attachments`, attachment);
  }
  return agent.id;
}

/**
 * Adds a part of the demo; what the API refuses is a line of `progress` that says what
 * there is none of, and why.
 */
export async function addUnlessRefused(
  missing: string,
  progress: (line: string) => void,
  add: () => Promise<void>,
): Promise<void> {
  try {
    await add();
  } catch (error) {
    if (!(error instanceof StartError)) {
      throw error;
    }
    progress(`The demo has ${missing}: ${error.message}`);
  }
}

async function ensureWaitingSession(seed: DemoSeed, max: ApiClient, agentId: string): Promise<WaitingDemo> {
  for (const request of await openRequests(max)) {
    if (request.agent_id === agentId && seed.isAlive(request.session_id)) {
      return { sessionId: request.session_id, requestId: request.id };
    }
  }
  const { session } = z
    .object({ session: ids })
    .parse(await max.send('POST', `${workspace}/sessions`, { agent_id: agentId, prompt: examplePrompt }));
  const deadline = Date.now() + waitLimitMs;
  while (Date.now() < deadline) {
    seed.signal.throwIfAborted();
    const request = (await openRequests(max)).find(({ session_id }) => session_id === session.id);
    if (request !== undefined) {
      return { sessionId: session.id, requestId: request.id };
    }
    const ended = await endOf(max, session.id);
    if (ended !== null) {
      return { sessionId: session.id, reason: ended };
    }
    await sleep(lookEveryMs);
  }
  return { sessionId: session.id, reason: `it did not ask for a permission within ${waitLimitMs / 1000} s` };
}

async function openRequests(max: ApiClient) {
  const answer = await max.send('GET', `${workspace}/permission-requests?status=open&limit=200`);
  const request = ids.extend({ session_id: z.string(), agent_id: z.string() });
  return z.object({ permission_requests: z.array(request) }).parse(answer).permission_requests;
}

async function endOf(max: ApiClient, sessionId: string): Promise<string | null> {
  const shape = z.object({
    session: z.object({
      status: z.string(),
      status_reason: z.string().nullable(),
      ended_at: z.string().nullable(),
    }),
  });
  const { session } = shape.parse(await max.send('GET', `/sessions/${sessionId}`));
  return session.ended_at === null ? null : `it ended as ${session.status}: ${session.status_reason}`;
}
