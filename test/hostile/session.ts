/** A real session whose agent, and whose server `mallory`, do what the test tells them. */
import { randomUUID } from 'node:crypto';
import { untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import type { Attempt, Target, Who } from './attempts/attempt.ts';
import { callPlatform } from './attempts/trees.ts';
import type { Kit } from './inside/kit.ts';
import { agentProgram, type Order } from './inside/puppets.ts';

const resultsLimitMs = 240_000;

interface AgentOptions {
  name: string;
  kind?: 'worker' | 'orchestrator';
  servers: string[];
  /** By server. */
  env?: Record<string, Record<string, string>>;
  network?: 'none' | 'internet';
  /** The slug of another than the door's. */
  workspace?: string;
  /** Of the agent's record. */
  services?: object[];
}

const workspaceOf = (door: FrontDoor, { workspace }: AgentOptions): string =>
  workspace === undefined ? door.workspace : `/api/workspaces/${workspace}`;

/** The hostile agent, attached to `servers`; returns its id. */
export async function createHostileAgent(door: FrontDoor, options: AgentOptions): Promise<string> {
  const { name, servers, env = {}, network = 'none', services = [] } = options;
  const { agent } = await door.ok<{ agent: { id: string } }>('POST', `${workspaceOf(door, options)}/agents`, {
    name,
    kind: options.kind ?? 'worker',
    network,
    ...agentProgram,
    env: { CONFIGURED: 'yes' },
    services,
  });
  for (const server of servers) {
    await door.ok('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name: server, env: env[server] ?? {} });
  }
  return agent.id;
}

export class HostileSession {
  readonly id: string;
  readonly agentId: string;
  private readonly door: FrontDoor;
  /** How its agent is told something. */
  private readonly tell: (text: string) => Promise<unknown>;

  private constructor(
    door: FrontDoor,
    ids: { id: string; agentId: string },
    tell: (text: string) => Promise<unknown>,
  ) {
    this.door = door;
    this.id = ids.id;
    this.agentId = ids.agentId;
    this.tell = tell;
  }

  /** Starts a session with the hostile agent and waits until it runs. */
  static async start(door: FrontDoor, options: AgentOptions): Promise<HostileSession> {
    const agentId = await createHostileAgent(door, options);
    const started = { agent_id: agentId, prompt: 'go' };
    const { session } = await door.ok<{ session: { id: string } }>(
      'POST',
      `${workspaceOf(door, options)}/sessions`,
      started,
    );
    const { id } = session;
    await untilRunning(door, id);
    return new HostileSession(door, { id, agentId }, (text) =>
      door.ok('POST', `/api/sessions/${id}/messages`, { text }),
    );
  }

  /**
   * A session of the hostile agent that this one has started: it takes orders from this one,
   * since no person drives it.
   */
  async below(id: string): Promise<HostileSession> {
    await untilRunning(this.door, id);
    const { agent_id: agentId } = await this.door.session(id);
    return new HostileSession(this.door, { id, agentId }, async (text) => {
      const [sent] = await this.run(callPlatform, {
        argument: [{ tool: 'inject_message', args: { session_id: id, text } }],
      });
      if (typeof sent === 'string') {
        throw new Error(`the order did not reach the child: ${sent}`);
      }
    });
  }

  /**
   * A session of the hostile agent that a schedule has started: it had its orders in its
   * prompt, and takes no others.
   */
  static async scheduled(door: FrontDoor, id: string): Promise<HostileSession> {
    await untilRunning(door, id);
    const { agent_id: agentId } = await door.session(id);
    return new HostileSession(door, { id, agentId }, async () => {
      throw new Error('nobody drives this session');
    });
  }

  /** Has the agent run programs one after the other; returns each result, by name. */
  async order(orders: Order[], target: unknown): Promise<Record<string, unknown>> {
    return this.resultsOf(await this.begin(orders, target));
  }

  /** Like `order`, without waiting: for `resultsOf`. */
  async begin(orders: Order[], target: unknown): Promise<string> {
    const id = randomUUID();
    const text = JSON.stringify({ id, orders, target });
    await this.tell(text);
    return id;
  }

  async resultsOf(id: string): Promise<Record<string, unknown>> {
    const artifact = await untilFound(
      `the results of the orders ${id}`,
      async () => {
        const { artifacts } = await this.door.ok<{ artifacts: { id: string; name: string }[] }>(
          'GET',
          `/api/sessions/${this.id}/artifacts?limit=20`,
        );
        const found = artifacts.find(({ name }) => name === id);
        const { ended_at, status_reason } = await this.door.session(this.id);
        if (found === undefined && ended_at !== null) {
          throw new Error(`the session ended before the agent had told anything: ${status_reason}`);
        }
        return found;
      },
      resultsLimitMs,
    );
    return this.door.ok('GET', `/api/sessions/${this.id}/artifacts/${artifact.id}`);
  }

  /** One program of the test's own. */
  async run<Value>(
    program: (kit: Kit, target: Target, argument: never) => Value,
    { target = {}, argument }: { target?: unknown; argument?: unknown } = {},
  ): Promise<Awaited<Value>> {
    const results = await this.order([{ name: 'it', source: `(${program})`, argument }], target);
    return results['it'] as Awaited<Value>;
  }

  /** Every attempt, by the agent itself or by the server `mallory` that it asks to. */
  attempts(attempts: Attempt[], who: Who, target: Target): Promise<Record<string, unknown>> {
    const inTurn = who === 'agent' ? orderOf : (attempt: Attempt) => throughServer(orderOf(attempt));
    return this.order(attempts.map(inTurn), target);
  }

  /** What the vault carried out, from its own notes: the marks of the calls. */
  async ledger(): Promise<string[]> {
    const answer = JSON.stringify(await this.run((kit: Kit) => kit.callTool('vault', 'ledger')));
    const lines: string[] = JSON.parse(JSON.parse(answer).result.content[0].text);
    return lines.map((line) => JSON.parse(line)?.mark);
  }

  /** Makes a call that should pass; `true` when the files server answers normally. */
  async works(): Promise<boolean> {
    const answer = await this.run(honestCall);
    return JSON.stringify(answer).includes('Allowed directories');
  }
}

const untilRunning = (door: FrontDoor, id: string) =>
  untilFound(`session ${id} to run`, async () => {
    const { status, status_reason } = await door.session(id);
    if (['failed', 'completed', 'terminated'].includes(status)) {
      throw new Error(`the hostile session ended: ${status_reason}`);
    }
    return status === 'running' ? true : null;
  });

export const orderOf = ({ what, run }: Pick<Attempt, 'what' | 'run'>): Order => ({
  name: what,
  source: `(${run})`,
});

const throughServer = ({ name, source }: Order): Order => ({
  name,
  source: `(${inServer})`,
  argument: source,
});

const honestCall = (kit: Kit) => kit.callTool('files', 'list_allowed_directories');

/** Has the server run the program, and reads its report from the answer. */
const inServer = async (kit: Kit, target: Target, source: string): Promise<unknown> => {
  const answer = await kit.callTool('mallory', 'run', { source, target });
  const text = JSON.stringify(answer ?? null);
  const content = answer === null ? undefined : JSON.parse(text).result?.content?.[0]?.text;
  return content === undefined ? text : JSON.parse(content);
};
