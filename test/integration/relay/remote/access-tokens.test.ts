/**
 * Access tokens: asked for on the socket, sent to the server, replaced once when it refuses
 * them, and never let out.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, expect, it } from '@jest/globals';
import { eventually, waitLimitMs } from '../../../support/eventually.ts';
import { type AgentSide, configFor, quickLimits, startBridge, stopBridges } from './agent-side.ts';
import { startTokenServer, type TokenReply, type TokenServer, token } from './token-server.ts';
import { startEarlierToolServer, type ToolServer } from './tool-servers.ts';

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await stopBridges();
  await Promise.all(running.splice(0).map((each) => each.close()));
});

/** Refuses a request by its token; null lets it pass. */
type Refusal = (token: string, request: IncomingMessage) => { status: number; challenge: string } | null;

const invalid = { status: 401, challenge: 'Bearer error="invalid_token"' };
const accepts =
  (...good: string[]): Refusal =>
  (sent) =>
    good.includes(sent) ? null : invalid;

async function open(
  refuse: Refusal,
  replies: readonly TokenReply[],
  limits = quickLimits,
): Promise<{ server: ToolServer; tokens: TokenServer; side: AgentSide }> {
  const before = (request: IncomingMessage, response: ServerResponse) => {
    const refused = refuse(request.headers.authorization?.replace(/^Bearer /, '') ?? '', request);
    if (refused !== null) {
      response.writeHead(refused.status, { 'www-authenticate': refused.challenge }).end('<b>no</b>');
    }
    return refused !== null;
  };
  const server = await startEarlierToolServer({ before });
  const tokens = await startTokenServer(replies);
  running.push(server, tokens);
  const side = startBridge(configFor(server, { token_socket: tokens.socketPath }), { limits });
  return { server, tokens, side };
}

const echo = (side: AgentSide) => side.request('tools/call', { name: 'echo', arguments: { text: 'x' } });
const signInAgain: TokenReply = {
  result: 'authorization_required',
  message: 'Ada has to sign in to "notes" again.',
};

it('one token serves all requests, the stream and the end of the session', async () => {
  const startedAtMs = performance.now();
  const { server, tokens, side } = await open(accepts('a'), [token('a', 3_600_000)]);
  await side.initialize();
  await Promise.all([echo(side), echo(side), echo(side)]);
  await eventually(() => expect(server.requests.map(({ method }) => method)).toContain('GET'));
  await side.close();
  expect(server.openSessions()).toBe(0);
  // Once, and again after 5 s, which a busy machine may take.
  const most = 1 + Math.floor((performance.now() - startedAtMs) / 5000);
  expect(tokens.questions.length).toBeLessThanOrEqual(most);
  expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer a']));
});

it('a token that has expired is asked for again', async () => {
  const { tokens, side } = await open(accepts('a', 'b'), [token('a', 0), token('b')]);
  await side.initialize();
  await echo(side);
  await echo(side);
  expect(tokens.questions).toEqual([{}, {}]);
});

it('a token that is refused is replaced once for all, and the calls made again', async () => {
  let good = 'a';
  const { server, tokens, side } = await open(
    (sent) => accepts(good)(sent, {} as IncomingMessage),
    [token('a'), token('b')],
  );
  await side.initialize();
  await eventually(() => expect(server.requests.map(({ method }) => method)).toContain('GET'));
  good = 'b';
  const answers = await Promise.all([echo(side), echo(side), echo(side), echo(side)]);
  expect(answers.every(({ result }) => result !== undefined)).toBe(true);
  expect(tokens.questions).toEqual([{}, { rejected: 'id-of-a' }]);
  expect(server.events.calls).toHaveLength(4);
});

it('a second refusal is told to the platform, whose sentence reaches the agent', async () => {
  const { server, tokens, side } = await open(accepts(), [token('a'), token('b'), signInAgain]);
  expect(await echo(side)).toMatchObject({
    error: { data: { code: 'authorization_required' }, message: 'Ada has to sign in to "notes" again.' },
  });
  expect(tokens.questions).toEqual([
    {},
    { rejected: 'id-of-a' },
    { rejected: 'id-of-b', renewed: true, said: 'invalid_token' },
  ]);
  expect(server.requests).toHaveLength(2);
});

it('a second refusal is an error that says what to do, and nothing is executed', async () => {
  const { server, tokens, side } = await open(accepts(), [token('a'), token('b'), token('c')]);
  expect(await echo(side)).toMatchObject({
    error: {
      code: -32603,
      data: { code: 'authorization_required' },
      message: expect.stringMatching(/refuses a new access token, too; the operator has to sign in/),
    },
  });
  expect(tokens.questions).toHaveLength(3);
  expect(server.requests).toHaveLength(2);
  expect(side.lines.join() + side.reports.join()).not.toMatch(/Bearer|<b>/);
});

it("the platform's sentence reaches the agent, and each call asks again", async () => {
  const { server, tokens, side } = await open(accepts('a'), [signInAgain, signInAgain, token('a')]);
  for (let time = 0; time < 2; time += 1) {
    expect(await side.request('ping')).toMatchObject({
      error: { data: { code: 'authorization_required' }, message: 'Ada has to sign in to "notes" again.' },
    });
  }
  expect(server.requests).toEqual([]);
  expect(await side.initialize()).toHaveProperty('result');
  expect(tokens.questions).toEqual([{}, {}, {}]);
});

it('scopes that are missing are asked for, once', async () => {
  const challenge = 'Bearer error="insufficient_scope", scope="notes.write notes.read"';
  const refuse: Refusal = (sent) => (sent === 'b' ? null : { status: 403, challenge });
  const { tokens, side } = await open(refuse, [token('a'), token('b')]);
  expect(await side.initialize()).toHaveProperty('result');
  expect(tokens.questions).toEqual([
    {},
    { rejected: 'id-of-a', missing_scopes: ['notes.write', 'notes.read'] },
  ]);
  const never = await open(
    (sent) => (sent === 'x' ? null : { status: 403, challenge }),
    [token('a'), token('b')],
  );
  expect(await echo(never.side)).toMatchObject({
    error: {
      data: { code: 'authorization_required' },
      message: expect.stringMatching(/further permissions/),
    },
  });
  expect(never.tokens.questions).toHaveLength(2);
});

it('a scope that no scope can be called is not repeated', async () => {
  const challenge = 'Bearer error="insufficient_scope", scope="a\\\\b"';
  const { tokens, side } = await open(
    (sent) => (sent === 'b' ? null : { status: 403, challenge }),
    [token('a'), token('b')],
  );
  expect(await side.initialize()).toHaveProperty('result');
  expect(tokens.questions[1]).toEqual({ rejected: 'id-of-a' });
});

it('a refusal for another reason is not taken for a sign-in', async () => {
  const { tokens, side } = await open(() => ({ status: 403, challenge: 'Bearer' }), [token('a')]);
  expect(await echo(side)).toMatchObject({
    error: { data: { code: 'credential_refused' }, message: expect.stringMatching(/does not permit this/) },
  });
  expect(tokens.questions).toHaveLength(1);
});

it('a sign-in that is asked for at a call alone is an error that says so', async () => {
  let asks = false;
  const server = await startEarlierToolServer({
    before: (_request, response) => {
      if (asks) {
        response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://x.test/"' }).end();
      }
      return asks;
    },
  });
  running.push(server);
  const side = startBridge(configFor(server));
  await side.initialize();
  asks = true;
  expect(await echo(side)).toMatchObject({
    error: {
      data: { code: 'credential_refused' },
      message: expect.stringMatching(/asks for a sign-in for this \(401\), and asked for none when/),
    },
  });
});

it('a platform that is busy is asked until it answers', async () => {
  const { tokens, side } = await open(accepts('a'), [{ status: 503 }, { status: 503 }, token('a')]);
  expect(await side.initialize()).toHaveProperty('result');
  expect(tokens.questions).toHaveLength(3);
});

it('calls that are made while the platform gives no token wait for it, and the one that is open goes on', async () => {
  const replies = [token('a', 0)] as TokenReply[];
  const answersWith = (reply: TokenReply) => replies.splice(0, 1, reply);
  const limits = { ...quickLimits, accessTokenMs: waitLimitMs };
  const { server, tokens, side } = await open(accepts('a'), replies, limits);
  await side.initialize();
  const held = side.request('tools/call', { name: 'wait' });
  await eventually(() => expect(server.events.calls).toEqual(['wait']));
  // As while the server is being registered again.
  answersWith({ status: 503 });
  const askedBefore = tokens.questions.length;
  const later = [echo(side), echo(side)];
  await eventually(() => expect(tokens.questions.length).toBeGreaterThan(askedBefore + 2));
  server.events.release.shift()?.();
  expect(await held).toHaveProperty('result');
  expect(server.events.calls).toEqual(['wait']);
  answersWith(token('a'));
  for (const answer of await Promise.all(later)) {
    expect(answer).toHaveProperty('result');
  }
  expect(server.events.calls).toEqual(['wait', 'echo', 'echo']);
});

it.each<[string, TokenReply]>([
  ['stays busy', { status: 503 }],
  ['refuses', { status: 403 }],
  ['answers with something else', { status: 200, body: '{"access_token":"secret"}' }],
  ['answers without end', { status: 200, body: 'x'.repeat(300_000) }],
  ['gives a token that is none', token('secret\r\nx: y')],
])('a platform that %s leaves an error, and nothing is sent', async (_what, reply) => {
  const { server, side } = await open(accepts('a'), [reply], { ...quickLimits, accessTokenMs: 500 });
  const { error } = await echo(side);
  expect(error?.data?.code).toMatch(/^(server_unavailable|credential_refused)$/);
  expect(JSON.stringify(error) + side.reports).not.toContain('secret');
  expect(server.requests).toEqual([]);
});

it('a socket that is not there yet is waited for', async () => {
  const server = await startEarlierToolServer({});
  running.push(server);
  const limits = { ...quickLimits, accessTokenMs: 500 };
  const side = startBridge(configFor(server, { token_socket: '/nowhere/token.sock' }), { limits });
  expect(await echo(side)).toMatchObject({ error: { data: { code: 'server_unavailable' } } });
});

it('an error of the server that repeats the token is not quoted', async () => {
  const server = await startEarlierToolServer({
    before: (request, response) => {
      const message = `bad token ${request.headers.authorization}`;
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 1, message } }));
      return true;
    },
  });
  const tokens = await startTokenServer([token('secret')]);
  running.push(server, tokens);
  const side = startBridge(configFor(server, { token_socket: tokens.socketPath }));
  const { error } = await echo(side);
  expect(error?.message).toMatch(/refuses the request \(400\)$/);
  expect(side.lines.join() + side.reports.join()).not.toContain('secret');
});
