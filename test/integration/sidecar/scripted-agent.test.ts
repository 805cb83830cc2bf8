import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { InputMessage } from '../../../contract/agent-contract.ts';
import { bundlePrograms, runnerCommand } from './programs.ts';
import { TestSession, until, userMessage } from './session.ts';

let session: TestSession;
let nextSeq = 1;

beforeAll(async () => {
  session = new TestSession(await bundlePrograms(), {
    files: {
      command: runnerCommand('mcp-server-filesystem'),
      args: ['/tmp'],
      toolScopes: { write_file: 'files.write' },
    },
  });
  await session.start();
});
afterAll(() => session.stop());
beforeEach(() => {
  session.platform.ends.length = 0;
  session.platform.events.length = 0;
});

const write = (path: string, expectation: string) => ({
  call: 'files.write_file',
  arguments: { path, content: 'written by a script' },
  expect: expectation,
});
const ask = {
  call: 'platform.request_grant',
  arguments: {
    grant_type: 'tool_scope',
    details: { scope: 'files.write' },
    scope: 'once',
    justification: 'the demo',
  },
};
const send = (text: string, kind: InputMessage['kind'] = 'user_message') => {
  nextSeq += 1;
  return session.inject({ ...userMessage(nextSeq - 1, text), kind });
};

describe('the scripted agent', () => {
  it('is refused, requests a grant, waits through a restart of the sidecar, and writes once it is approved', async () => {
    const path = join(session.directory, 'work', 'story.txt');
    session.platform.requests.length = 0;
    const exit = session.runAgent({
      steps: [
        write(path, 'permission_required'),
        ask,
        { wait_for_message: { contains: 'approved', timeout_seconds: 20 } },
        write(path, 'ok'),
        { call: 'platform.end_session', arguments: { outcome: 'completed' } },
      ],
    });
    await until(() => session.platform.requests.length === 1, 'the request');
    expect(session.platform.requests[0]).toMatchObject({
      refused_call: { server: 'files', tool: 'write_file' },
    });
    await until(() => session.platform.events.length === 3, 'the agent to wait');

    session.sidecar?.kill('SIGKILL');
    await session.startSidecar();
    session.platform.onCheck = () => ({ decision: 'allowed', granted_via: null });
    await send('something else');
    await send('Permission request was approved once');

    expect(await exit).toBe(0);
    expect(await readFile(path, 'utf8')).toBe('written by a script');
    expect(session.platform.ends).toEqual([{ outcome: 'completed', summary: null }]);
    // A status is repeated when the sidecar was killed before it could confirm it.
    const statuses = session.platform.events.map(({ payload }) => 'status' in payload && payload.status);
    expect([...new Set(statuses)]).toEqual([
      'step 1 of 5 (call files.write_file)',
      'step 2 of 5 (call platform.request_grant)',
      'step 3 of 5 (wait for a message with "approved")',
      'step 4 of 5 (call files.write_file)',
      'step 5 of 5 (call platform.end_session)',
    ]);
  });

  it('sends what earlier calls answered, and waits for a decision and for a value', async () => {
    const source = join(session.directory, 'work', 'source.txt');
    const copy = join(session.directory, 'work', 'copy.txt');
    await writeFile(source, 'the first text');
    session.platform.onCheck = () => ({ decision: 'allowed', granted_via: null });
    session.platform.requests.length = 0;
    const read = { call: 'files.read_text_file', arguments: { path: source } };
    const exit = session.runAgent({
      steps: [
        { ...ask, save: { request: 'request_id' } },
        { wait_for_message: { kind: 'permission_decision', contains: 'approved', timeout_seconds: 20 } },
        { ...read, save: { text: 'content' } },
        {
          call: 'files.write_file',
          arguments: { path: copy, content: { $saved: 'text' } },
        },
        {
          ...read,
          repeat_until: {
            path: 'content',
            equals: 'the second text',
            every_seconds: 0.05,
            timeout_seconds: 30,
          },
        },
        {
          call: 'platform.end_session',
          arguments: { outcome: 'completed', summary: { $saved: 'request' } },
        },
      ],
    });
    await until(() => session.platform.events.length === 2, 'the agent to wait');
    await send('approved, says a person who may not decide');
    await send('approved once', 'permission_decision');
    await until(() => session.platform.events.length === 5, 'the agent to look for the second text');
    expect(await readFile(copy, 'utf8')).toBe('the first text');
    expect(session.platform.ends).toEqual([]);
    await writeFile(source, 'the second text');

    expect(await exit).toBe(0);
    const [request] = session.platform.requests;
    expect(session.platform.ends).toEqual([{ outcome: 'completed', summary: request?.request_id }]);
  });

  it.each([
    [
      'a call goes otherwise than expected',
      { steps: [{ call: 'files.list_allowed_directories', expect: 'permission_required' }] },
      'step 1 of 1 (call files.list_allowed_directories): expected permission_required, got ok',
    ],
    [
      'no message comes',
      {
        steps: [{ sleep_seconds: 0 }, { wait_for_message: { contains: 'never said', timeout_seconds: 0.2 } }],
      },
      'step 2 of 2 (wait for a message with "never said"): no such message came within 0.2 s',
    ],
    [
      'a server is not its own',
      { steps: [{ call: 'mail.send' }] },
      'step 1 of 1 (call mail.send): expected ok, got error (the agent has no server "mail")',
    ],
    [
      'a result has no value to save',
      { steps: [{ call: 'files.list_allowed_directories', save: { first: 'directories.0' } }] },
      'step 1 of 1 (call files.list_allowed_directories): the result has no value at directories.0, to be saved as first',
    ],
    [
      'a value does not come',
      {
        steps: [
          {
            call: 'files.list_allowed_directories',
            repeat_until: { path: 'content', equals: '', every_seconds: 0.1, timeout_seconds: 0.3 },
          },
        ],
      },
      'step 1 of 1 (call files.list_allowed_directories): the value at content did not become "" within 0.3 s: it was "Allowed directories:\\n/tmp"',
    ],
    [
      'its instructions are wrong',
      { steps: [{ call: 'mail' }] },
      'the instructions are not usable: steps.0.call: must be <server>.<tool>',
    ],
    ['its instructions are no JSON', 'write a poem', 'the instructions are not JSON'],
  ])('ends the session as failed and says why, when %s', async (_title, instructions, summary) => {
    expect(await session.runAgent(instructions)).toBe(1);
    expect(session.platform.ends).toEqual([{ outcome: 'failed', summary }]);
  });
});
