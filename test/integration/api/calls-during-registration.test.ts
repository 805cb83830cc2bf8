/** Calls of a bridge, which asks the API for its tokens, while an admin has their server discovered again. */
import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from '@jest/globals';
import type { AccessTokenAnswer } from '../../../contract/remote-server.ts';
import { readRegistrationOf } from '../../../store/mcp-registrations/registrations.ts';
import { eventually, waitLimitMs } from '../../support/eventually.ts';
import { honestReplies, paths, type Reply } from '../../support/remote-server.ts';
import {
  type AgentSide,
  configFor,
  quickLimits,
  startBridge,
  stopBridges,
} from '../relay/remote/agent-side.ts';
import { startTokenServer, type TokenReply } from '../relay/remote/token-server.ts';
import { ask, connect, entryId, json, registered, useTokenQuestions } from './token-questions.ts';
import { admin, api, base, member, server } from './two-remote-servers.ts';

useTokenQuestions();

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await stopBridges();
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Answers of the tool `wait`, which the test sends. */
let held: (() => void)[];

const initialized = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'notes', version: '1' },
};

/** Serves whoever has the token; anybody else, as a discovery is, gets `others`. */
const servesOver =
  (others: Reply): Reply =>
  (request, response, body) => {
    if (request.headers.authorization !== 'Bearer access-token-1') {
      answerWith(others, response);
      return;
    }
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) {
      response.writeHead(202).end();
      return;
    }
    const result = method === 'initialize' ? initialized : { content: [] };
    const send = () => response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (params?.name === 'wait') {
      held.push(send);
    } else {
      send();
    }
  };

function answerWith(reply: Reply, response: ServerResponse): void {
  if (typeof reply !== 'function') {
    response.writeHead(reply.status ?? 200, { ...json, ...reply.headers }).end(JSON.stringify(reply.json));
  }
}

/** As the sidecar passes it on. The bridge asks for each request, since no token lasts. */
async function passOn(question: object): Promise<TokenReply> {
  const { status, body } = await ask(question);
  const answer = body as AccessTokenAnswer;
  return status !== 200
    ? { status }
    : answer.result === 'token'
      ? { ...answer, expires_at: new Date().toISOString() }
      : answer;
}

async function openBridge(): Promise<AgentSide> {
  held = [];
  await connect(member);
  serves('honestly');
  const tokens = await startTokenServer(passOn);
  closing.push(tokens.close);
  const side = startBridge(configFor(server, { token_socket: tokens.socketPath }), {
    limits: { ...quickLimits, accessTokenMs: waitLimitMs },
  });
  expect(await side.initialize()).toHaveProperty('result');
  return side;
}

function serves(how: 'honestly' | 'in trouble'): void {
  const honest = honestReplies(server.origin)[paths.mcp] ?? { json: {} };
  const others = how === 'honestly' ? honest : { status: 503, json: {} };
  server.change({ [paths.mcp]: servesOver(others), 'GET /mcp': { status: 405, json: {} } });
}

const retry = () => admin.ok('POST', `${base}/mcp-servers/notes/registration/retry`);
const statusOf = async () => (await readRegistrationOf(api.db, entryId))?.status;
const echo = (side: AgentSide) => side.request('tools/call', { name: 'echo' });

it('calls go on while a server in use is discovered again, however long it is in trouble', async () => {
  const side = await openBridge();
  const open = side.request('tools/call', { name: 'wait' });
  await eventually(() => expect(held).toHaveLength(1));
  serves('in trouble');
  await retry();
  expect(await echo(side)).toHaveProperty('result');
  expect(await statusOf()).toBe('pending');
  held[0]?.();
  expect(await open).toHaveProperty('result');
  serves('honestly');
  await registered();
  expect(await echo(side)).toHaveProperty('result');
});

it('calls wait for the outcome where the server had failed, and are made then', async () => {
  const side = await openBridge();
  const open = side.request('tools/call', { name: 'wait' });
  await eventually(() => expect(held).toHaveLength(1));
  server.change({ [paths.issuer]: { json: {} } });
  await retry();
  await eventually(async () => expect(await statusOf()).toBe('failed'));
  serves('in trouble');
  await retry();
  const later = echo(side);
  expect(await ask()).toMatchObject({ status: 503 });
  held[0]?.();
  expect(await open).toHaveProperty('result');
  server.change({ [paths.issuer]: honestReplies(server.origin)[paths.issuer] ?? { json: {} } });
  serves('honestly');
  await registered();
  expect(await later).toHaveProperty('result');
});
