import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { queryOptions } from '../../../../agents/claude/query-options.ts';
import { runClaudeAgent } from '../../../../agents/claude/run-claude-agent.ts';
import type { Query } from '../../../../agents/claude/sdk.ts';
import type { AgentConfig } from '../../../../contract/agent-contract.ts';
import { eventually } from '../../../support/eventually.ts';

const requestId = '00000000-0000-4000-8000-000000000001';
const config: AgentConfig = {
  session_id: '00000000-0000-4000-8000-000000000002',
  agent: {
    ...{ id: '00000000-0000-4000-8000-000000000003', name: 'writer', kind: 'worker' },
    ...{ instructions: '', model: null },
  },
  prompt: 'write',
  has_operator: false,
  mcpServers: {},
};
const decision = {
  ...{ id: '00000000-0000-4000-8000-000000000004', seq: 1, at: new Date(0).toISOString() },
  ...{ kind: 'permission_decision', text: 'It was denied.', input_request_id: null },
  decision: {
    ...{ request_id: requestId, grant_type: 'tool_scope', details: { scope: 'files.write' } },
    ...{ status: 'denied', scope: 'once', grant_id: null, reason: null },
  },
};

const assistant = (...content: object[]) => ({ type: 'assistant', message: { content } });
const says = (text: string) => assistant({ type: 'text', text });
const turnEnded = { type: 'result', is_error: false, result: '', queued_turn_count: 0 };
const asks = [
  assistant({ type: 'tool_use', id: 'a', name: 'mcp__platform__request_permission', input: {} }),
  {
    type: 'user',
    message: {
      content: [
        {
          ...{ type: 'tool_result', tool_use_id: 'a' },
          content: JSON.stringify({ request_id: requestId, status: 'pending' }),
        },
      ],
    },
  },
];

let directory: string;
let sidecar: Server;
/** Where the agent reads its messages, once it does. */
let input: ServerResponse | undefined;
let published: string[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'run-'));
  published = [];
  input = undefined;
  sidecar = createServer(async (request, response) => {
    if (request.url === '/input') {
      input = response.writeHead(200, { 'content-type': 'text/event-stream' });
      return;
    }
    const { payload } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    published.push(payload.text ?? payload.status);
    response.writeHead(202).end();
  }).listen(join(directory, 's.sock'));
  await once(sidecar, 'listening');
});
afterEach(async () => {
  sidecar.closeAllConnections();
  sidecar.close();
  rmSync(directory, { recursive: true });
});

it('hears the turn of a message that came in the moment in which the turn before ended', async () => {
  const query: Query = async function* ({ prompt }) {
    const inputs = prompt[Symbol.asyncIterator]();
    await inputs.next();
    yield* asks;
    await eventually(() => expect(input?.write(`data: ${JSON.stringify(decision)}\n\n`)).toBe(true));
    // Taken by the SDK, but not yet by what counts the turns that wait.
    await inputs.next();
    yield turnEnded;
    yield says('Then not.');
    yield turnEnded;
    expect(await inputs.next()).toMatchObject({ done: true });
  };
  const options = queryOptions(config, { ownTools: [], stateDirectory: directory, env: {} });
  const sidecarSocket = join(directory, 's.sock');
  expect(await runClaudeAgent({ config, sidecarSocket, query, options })).toBe(0);
  expect(published).toEqual(['Then not.']);
});
