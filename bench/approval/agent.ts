/**
 * The agent of the bench, which runs in a session's sandbox and does as little as possible by itself: it is
 * refused, asks, waits for the decision's message and calls again, as often as its instructions say; then it
 * makes the calls that need no grant.
 */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { AgentConfig, InputMessage } from '../../contract/agent-contract.ts';

/** The agent's instructions, as JSON. */
export interface AgentTask {
  approvals: number;
  /** Without a grant, after the approvals. */
  calls: number;
}

interface Answer {
  id: number;
  result?: { isError?: boolean; content: { text: string }[] };
}

const inFlight = 64;
const config: AgentConfig = JSON.parse(readFileSync(process.env['PLATFORM_CONFIG'] ?? '', 'utf8'));
const task: AgentTask = JSON.parse(config.agent.instructions);
const socketPath = process.env['PLATFORM_SIDECAR_SOCKET'] ?? '';
const server = connect((config.mcpServers['clock']?.args[1] ?? '').replace('UNIX-CONNECT:', ''));

const waiting = new Map<number, (answer: Answer) => void>();
createInterface({ input: server }).on('line', (line) => {
  const answer: Answer = JSON.parse(line);
  waiting.get(answer.id)?.(answer);
  waiting.delete(answer.id);
});
let lastId = 0;
function ask(method: string, params: object): Promise<Answer> {
  lastId += 1;
  const id = lastId;
  server.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** What the server said; null when the call was refused. */
async function call(name: 'free' | 'gated'): Promise<string | null> {
  const { result } = await ask('tools/call', { name, arguments: {} });
  return result === undefined || result.isError === true ? null : (result.content[0]?.text ?? '');
}

/** By request; each is decided once. */
const decided = new Map<string, () => void>();
request({ socketPath, path: '/input', agent: false }, (response) => {
  createInterface({ input: response }).on('line', (line) => {
    const message: Partial<InputMessage> = line.startsWith('data: ') ? JSON.parse(line.slice(6)) : {};
    decided.get(message.decision?.request_id ?? '')?.();
  });
}).end();

function publish(type: string, payload: object): Promise<{ request_id?: string }> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' };
    request({ socketPath, path: '/event', method: 'POST', headers, agent: false }, async (response) => {
      resolve(JSON.parse((await response.toArray()).join('')));
    }).end(JSON.stringify({ type, payload }));
  });
}

const tell = (status: string, detail: string) => publish('agent.status', { status, detail });

async function approvedCall(): Promise<string | null> {
  await call('gated');
  const { request_id = '' } = await publish('agent.permission_request', {
    ...{ grant_type: 'tool_scope', details: { scope: 'bench.call' }, scope: 'once' },
    justification: 'To be measured.',
  });
  await new Promise<void>((resolve) => decided.set(request_id, resolve));
  return call('gated');
}

async function work(): Promise<void> {
  const clientInfo = { name: 'bench', version: '1.0.0' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  server.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  for (let made = 0; made < task.approvals; made += 1) {
    await tell('arrived', (await approvedCall()) ?? 'refused');
  }
  let left = task.calls;
  let made = 0;
  const callInTurn = async () => {
    while (left > 0) {
      left -= 1;
      const isAnswered = (await call('free')) !== null;
      made += isAnswered ? 1 : 0;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, callInTurn));
  await tell('finished', String(made));
}

void work();
