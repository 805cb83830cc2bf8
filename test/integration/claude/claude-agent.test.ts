import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { describeWithClaude } from '../../support/claude-package.ts';
import { call, newResults, say, turn } from '../../support/model-stub/turns.ts';
import { bundlePrograms, runnerCommand } from '../sidecar/programs.ts';
import { TestSession } from '../sidecar/session.ts';
import { bundleClaudeAgent, type ClaudeAgent, startClaudeAgent } from './claude-session.ts';

let session: TestSession;
let bundled: ReturnType<typeof bundleClaudeAgent>;
let agent: ClaudeAgent;

describeWithClaude('the agent claude', () => {
  beforeAll(async () => {
    bundled = bundleClaudeAgent();
    session = new TestSession(await bundlePrograms(), {
      files: {
        command: runnerCommand('mcp-server-filesystem'),
        args: ['/tmp'],
        toolScopes: { write_file: 'files.write' },
      },
    });
    await session.start();
  });
  afterAll(async () => {
    await session.stop();
    bundled.remove();
  });
  beforeEach(() => {
    session.platform.events.length = 0;
    session.platform.ends.length = 0;
    session.platform.requests.length = 0;
  });
  afterEach(() => agent.stop());

  it('calls tools in parallel, shows what it says and does, and ends the session', async () => {
    const path = join(session.directory, 'work', 'a.txt');
    session.platform.onCheck = () => ({ decision: 'allowed', granted_via: null });
    agent = await startClaudeAgent(
      bundled.program,
      session,
      [
        turn(
          say('I write both.'),
          call('files.write_file', { path, content: 'one' }),
          call('files.list_allowed_directories'),
        ),
        (request) => {
          expect(newResults(request).map(({ failed }) => failed)).toEqual([false, false]);
          return turn(call('platform.end_session', { outcome: 'completed', summary: 'written' }));
        },
        turn(say('Done.')),
      ],
      { servers: ['files'] },
    );
    const code = await agent.exit;
    expect(code).toBe(0);
    expect(await readFile(path, 'utf8')).toBe('one');
    expect(session.platform.ends).toEqual([{ outcome: 'completed', summary: 'written' }]);
  });
});
