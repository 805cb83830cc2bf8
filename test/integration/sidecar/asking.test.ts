import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '@modelcontextprotocol/client';
import type { InputMessage } from '../../../contract/agent-contract.ts';
import { bundlePrograms } from './programs.ts';
import { TestSession, until, userMessage } from './session.ts';

let session: TestSession;
let client: Client;
let nextSeq = 1;

beforeAll(async () => {
  session = new TestSession(await bundlePrograms(), {});
  await session.start();
  client = await session.connect('platform');
});
afterAll(() => session.stop());
beforeEach(() => {
  session.platform.requests.length = 0;
});

const send = async (text: string, more: Partial<InputMessage>) => {
  const message = { ...userMessage(nextSeq, text), ...more };
  nextSeq += 1;
  expect(await session.inject(message)).toMatchObject({ status: 200 });
};
const tool = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
const errorOf = async (name: string, args: Record<string, unknown>) => {
  const result = await tool(name, args);
  expect(result.isError).toBe(true);
  return result._meta?.['platform/error'];
};
const asksForWrite = {
  grant_type: 'tool_scope',
  details: { scope: 'files.write' },
  scope: 'once',
  justification: 'to write',
};

describe('asking for a permission', () => {
  it('sends a request and nothing more: request_grant returns immediately', async () => {
    const result = await tool('request_grant', asksForWrite);
    const [report] = session.platform.requests;
    expect(result.structuredContent).toEqual({
      request_id: report?.request_id,
      status: 'sent',
      next_step: expect.stringMatching(/Do not ask again .* arrives as a message/),
    });
    expect(report).toMatchObject({ ...asksForWrite, refused_call: null });
  });

  it.each([
    ['a scope that is none', { details: { scope: 'Files' } }],
    ['fields that the type does not have', { details: { scope: 'files.write', more: true } }],
    ['no details', { details: {} }],
    [
      'spawn beyond the session',
      { grant_type: 'spawn', details: { child_agent_id: randomUUID() }, scope: 'once' },
    ],
  ])('is refused before it is sent, for %s', async (_title, wrong) => {
    expect(await errorOf('request_grant', { ...asksForWrite, ...wrong })).toMatchObject({
      code: 'invalid_request',
    });
    expect(session.platform.requests).toEqual([]);
  });

  it('reports to the agent why the platform refuses it', async () => {
    const onRequest = session.platform.onRequest;
    session.platform.onRequest = () => ({
      status: 'refused',
      code: 'recently_denied',
      message: 'denied a minute ago: not now',
    });
    expect(await errorOf('request_grant', asksForWrite)).toEqual({
      code: 'recently_denied',
      message: 'denied a minute ago: not now',
      next_steps: [expect.stringContaining('Do not repeat the call')],
    });
    session.platform.onRequest = onRequest;
  });

  const unlimited = { status: 'approved', grant_id: randomUUID(), reason: null } as const;
  it.each([
    ['approved', unlimited, { next_step: 'Make the refused call again.' }],
    [
      'approved',
      { ...unlimited, exact_call: true },
      { exact_call: true, next_step: expect.stringContaining('exactly the refused call again') },
    ],
    [
      'denied',
      { ...unlimited, status: 'denied', grant_id: null },
      { next_step: expect.stringContaining('Do not ask for it again') },
    ],
    [
      'expired',
      { ...unlimited, status: 'expired', grant_id: null },
      { next_step: expect.stringContaining('Continue without it') },
    ],
  ] as const)('waits for the decision: request_permission answers %s of %j', async (status, state, more) => {
    session.platform.requestState = state;
    const { grant_id } = state;
    const pending = tool('request_permission', { ...asksForWrite, wait_seconds: 20 });
    await until(() => session.platform.requests.length > 0, 'the request');
    const request_id = session.platform.requests[0]?.request_id ?? '';
    await send(`Permission request ${request_id} was ${status}`, {
      kind: 'permission_decision',
      decision: {
        ...{ request_id, grant_type: 'tool_scope', details: { scope: 'files.write' } },
        ...{ status, scope: 'once', grant_id, reason: null },
      },
    });
    const granted = grant_id === null ? {} : { grant_id };
    expect((await pending).structuredContent).toEqual({ request_id, status, ...granted, ...more });
  });

  it('is pending when it was not decided in time', async () => {
    session.platform.requestState = { status: 'open', grant_id: null, reason: null };
    const result = await tool('request_permission', { ...asksForWrite, wait_seconds: 0 });
    expect(result.structuredContent).toMatchObject({
      status: 'pending',
      next_step: expect.stringMatching(/Do not ask again .* arrives as a message/),
    });
  });
});
