/**
 * What a model does that knows nothing but the platform's texts: it asks once, waits, and
 * makes the approved call once.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import * as z from 'zod';
import { describeWithClaude } from '../../support/claude-package.ts';
import { eventually } from '../../support/eventually.ts';
import { type LiteralModel, literalModel } from '../../support/model-stub/literal-model.ts';
import { call, newResults, newTexts, say, type Turn, turn } from '../../support/model-stub/turns.ts';
import { bundlePrograms, runnerCommand } from '../sidecar/programs.ts';
import { TestSession, until, userMessage } from '../sidecar/session.ts';
import { bundleClaudeAgent, type ClaudeAgent, startClaudeAgent } from './claude-session.ts';
import { decide } from './decide.ts';

let session: TestSession;
let bundled: ReturnType<typeof bundleClaudeAgent>;
let agent: ClaudeAgent;

const nothing = { model: '', messages: [] };
const start = (script: readonly Turn[]) =>
  startClaudeAgent(bundled.program, session, script, { servers: ['files'] });

const scriptOf = (model: LiteralModel, turns: number): Turn[] =>
  Array.from({ length: turns }, () => model.answer);

describeWithClaude('the agent claude and permissions', () => {
  beforeAll(async () => {
    bundled = bundleClaudeAgent();
  });
  afterAll(() => bundled.remove());
  beforeEach(async () => {
    session = new TestSession(await bundlePrograms(), {
      files: {
        command: runnerCommand('mcp-server-filesystem'),
        args: ['/tmp'],
        toolScopes: { write_file: 'files.write' },
      },
    });
    await session.start();
  });
  afterEach(async () => {
    await agent.stop();
    await session.stop();
  });

  const write = () => {
    const path = join(session.directory, 'work', 'report.txt');
    return call('files.write_file', { path, content: 'the report' });
  };

  it('is refused, asks once, waits in the call, and makes the approved call once', async () => {
    const model = literalModel({ wanted: write, waitSeconds: 60 });
    agent = await start(scriptOf(model, 9));
    await until(() => session.platform.requests.length === 1, 'the request');
    await decide(session, 'approved');
    await until(() => model.did.includes('finished'), 'the model to finish');

    expect(await readFile(join(session.directory, 'work', 'report.txt'), 'utf8')).toBe('the report');
    // The decision is also a message: told again, the model would write again.
    await session.inject(userMessage(2, 'and stop'));
    await until(() => model.did.includes('gave up'), 'the model to read on');
    expect(model.did).toEqual(['called', 'asked', 'called', 'finished', 'gave up']);
    expect(newTexts(agent.model.requests.at(-1) ?? nothing)).toEqual(['and stop']);
    expect(session.platform.requests).toHaveLength(1);
    expect(session.platform.requests[0]).toMatchObject({
      refused_call: { server: 'files', tool: 'write_file' },
    });
  });

  it('ends its turn while nobody decides, and goes on with the decision', async () => {
    const model = literalModel({ wanted: write, waitSeconds: 0 });
    agent = await start(scriptOf(model, 9));
    await until(() => model.did.includes('waited'), 'the model to wait');
    expect(session.platform.requests).toHaveLength(1);
    const text = await decide(session, 'approved');
    await until(() => model.did.includes('finished'), 'the model to finish');
    expect(model.did).toEqual(['called', 'asked', 'waited', 'called', 'finished']);
    expect(newTexts(agent.model.requests[3] ?? nothing)).toEqual([
      `Message from the platform, a decision of a person on what you asked for:\n${text}`,
    ]);
  });

  it.each(['denied', 'expired'] as const)('stops when what it asked for is %s', async (status) => {
    const model = literalModel({ wanted: write, waitSeconds: 60 });
    agent = await start(scriptOf(model, 9));
    await until(() => session.platform.requests.length === 1, 'the request');
    await decide(session, status);
    await until(() => model.did.includes('gave up'), 'the model to stop');
    expect(model.did).toEqual(['called', 'asked', 'gave up']);
    expect(session.platform.requests).toHaveLength(1);
  });

  it('leaves what was refused to the records of the platform', async () => {
    const model = literalModel({ wanted: write, waitSeconds: 0 });
    agent = await start(scriptOf(model, 9));
    const shown = () => session.platform.events.map(({ payload }) => Object.values(payload)[0]);
    const recorded = () => session.platform.calls.map(({ tool, outcome }) => [tool, outcome]);
    await eventually(async () => {
      expect(shown()).toEqual(['I wait.']);
      expect(recorded()).toEqual([
        ['write_file', 'permission_required'],
        ['request_permission', 'ok'],
      ]);
    });
  });

  it('asks the user by request_input and reads the answer once', async () => {
    agent = await start([
      turn(call('platform.request_input', { prompt: 'Which one?', wait_seconds: 60 })),
      (request) => turn(say(newResults(request)[0]?.text ?? '')),
      (request) => turn(say(newTexts(request).join())),
    ]);
    const asked = () => session.platform.events.find(({ type }) => type === 'agent.input_requested');
    await until(() => asked() !== undefined, 'the question');
    const asking = z.object({ input_request_id: z.string() }).parse(asked()?.payload);
    await session.inject({ ...userMessage(1, 'the second'), kind: 'input_answer', ...asking });
    await until(() => agent.model.requests.length === 2, 'the answer to be read');
    expect(newResults(agent.model.requests[1] ?? nothing)[0]?.text).toContain('the second');
    await session.inject(userMessage(2, 'thank you'));
    await until(() => agent.model.requests.length === 3, 'the next message');
    expect(newTexts(agent.model.requests[2] ?? nothing)).toEqual(['thank you']);
    expect(session.platform.requests).toEqual([]);
  });
});
