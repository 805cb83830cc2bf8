/** The agent in a session of the built platform, as a person uses it: what is asked is a message. */
import { createParser } from 'eventsource-parser';
import type { Agent } from '../../contract/agent.ts';
import { type StreamMessage, streamMessage } from '../../contract/browser-stream.ts';
import type { Session } from '../../contract/session.ts';
import { chooseTestPort } from '../../test/support/free-port.ts';
import { startPlatform } from '../../test/support/platform.ts';
import { processesMentioning } from '../../test/support/processes.ts';
import { memoryOf } from '../gate/process-figures.ts';
import { type PlatformClient, signInToDemo } from '../shared/client.ts';
import { roomyLimits } from '../shared/roomy-limits.ts';
import { until } from '../shared/until.ts';
import type { Asked, MeasuredAgent } from './measured-agent.ts';
import { firstWords, lastWords, modelName, promptOf, serverNames, startBenchModel } from './model.ts';

export interface AgentInSession extends MeasuredAgent {
  /** PSS of the platform's client of the agent with its links to four servers. */
  clientBytes(): Promise<number>;
}

const inTime = { everyMs: 5, limitMs: 180_000 };

export async function openAgentInSession(): Promise<AgentInSession> {
  const port = await chooseTestPort();
  const model = await startBenchModel(port);
  const toClose: (() => unknown)[] = [() => model.close()];
  const close = async () => {
    for (const end of toClose.reverse()) {
      await end();
    }
  };
  try {
    return { ...(await open(port, toClose)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(port: number, toClose: (() => unknown)[]): Promise<Omit<AgentInSession, 'close'>> {
  const platform = await startPlatform({
    env: {
      ...roomyLimits,
      MODEL_BASE_URL: `http://127.0.0.1:${port}`,
      PRIVATE_MCP_HOSTS: `http://127.0.0.1:${port}`,
    },
    withoutDemoSession: true,
  });
  toClose.push(() => platform.stop());
  const client = await signInToDemo(platform.url);
  const session = await startSession(client);
  const stream = await openStream(client, session.id);
  toClose.push(() => stream.close());
  await stream.first(({ isWhole }) => isWhole);
  return {
    async ask(task): Promise<Asked> {
      stream.forget();
      const askedMs = performance.now();
      await client.send('POST', `/api/sessions/${session.id}/messages`, { text: promptOf(task) });
      const firstMs = (await stream.first(({ text }) => text.includes(firstWords))).atMs;
      const endMs = (await stream.first(({ text, isWhole }) => isWhole && text.includes(lastWords))).atMs;
      return { firstWordsMs: firstMs - askedMs, endMs: endMs - askedMs };
    },
    async clientBytes() {
      const clients = await processesMentioning('acp-agent.js');
      return clients.reduce((sum, { pid }) => sum + memoryOf(pid).pssBytes, 0);
    },
  };
}

async function startSession(client: PlatformClient): Promise<Session> {
  const workspace = '/api/workspaces/demo';
  const secret = 'MODEL_KEY';
  await client.send('PUT', `${workspace}/secrets/${secret}`, { value: 'sk-of-the-bench' });
  const { agent } = await client.send<{ agent: Agent }>('POST', `${workspace}/agents`, {
    ...{ name: 'coder', run: { type: 'builtin', name: 'acp', preset: 'opencode' }, model: modelName },
    model_access: { api_key: `\${${secret}}`, models: [modelName] },
  });
  await client.send('POST', `${workspace}/grants`, {
    ...{ agent_subject_id: agent.id, grant_type: 'model_key', scope: 'persistent' },
    details: { secret_name: secret, endpoint: 'default' },
  });
  for (const name of serverNames) {
    const shape = { type: 'command', command: 'mcp-server-everything', args: [] };
    await client.send('POST', `${workspace}/mcp-servers`, { name, shape, manifest: {}, network: 'none' });
    await client.send('PUT', `/api/agents/${agent.id}/mcp-attachments`, { name, env: {} });
  }
  const { session } = await client.send<{ session: Session }>('POST', `${workspace}/sessions`, {
    ...{ agent_id: agent.id, prompt: promptOf('answer') },
  });
  return session;
}

interface Shown {
  text: string;
  /** An event, no piece of one. */
  isWhole: boolean;
  atMs: number;
}

/** The agent's words as a browser receives them. */
async function openStream(client: PlatformClient, sessionId: string) {
  let shown: Shown[] = [];
  const parser = createParser({
    onEvent({ data }) {
      const told = textIn(streamMessage.parse(JSON.parse(data)));
      if (told !== null) {
        shown.push({ ...told, atMs: performance.now() });
      }
    },
  });
  const close = await client.stream(`/api/me/stream?sessions=${sessionId}:0`, (text) => parser.feed(text));
  return {
    close,
    forget() {
      shown = [];
    },
    async first(fits: (shown: Shown) => boolean): Promise<Shown> {
      await until(() => shown.some(fits), inTime);
      const found = shown.find(fits);
      if (found === undefined) {
        throw new Error(`the agent said no such thing: ${JSON.stringify(shown)}`);
      }
      return found;
    },
  };
}

function textIn(message: StreamMessage): Omit<Shown, 'atMs'> | null {
  if (message.type === 'session.text') {
    return { text: message.text, isWhole: false };
  }
  return message.type === 'session.event' && message.event.type === 'agent.message'
    ? { text: String(message.event.payload['text']), isWhole: true }
    : null;
}
