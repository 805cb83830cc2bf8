/** The scripts of docs/bring-your-own-agent.md as they stand, each as the command of an agent. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AgentConfig } from '../../../contract/agent-contract.ts';
import { claudeProgram, describeWithClaude } from '../../support/claude-package.ts';
import { startModelStub } from '../../support/model-stub/start-model-stub.ts';
import { call, failure, say, type Turn, turn } from '../../support/model-stub/turns.ts';
import { bundlePrograms, runnerCommand } from '../sidecar/programs.ts';
import { TestSession } from '../sidecar/session.ts';

const page = readFileSync('docs/bring-your-own-agent.md', 'utf8');

/** The block that begins with the name of its file. */
function scriptOf(name: string): string {
  const block = page
    .split('```sh\n')
    .map((text) => text.split('\n```')[0] ?? '')
    .find((text) => text.startsWith(`# ${name}\n`));
  if (block === undefined) {
    throw new Error(`the page has no script ${name}`);
  }
  return block;
}

let session: TestSession;

/** Runs a script to its end, without any network, with `claude` on its path. */
async function run(script: string, turns: readonly Turn[]) {
  const work = mkdtempSync(join(tmpdir(), 'cli-'));
  const socket = join(work, 'model.sock');
  const model = await startModelStub(turns, socket);
  symlinkSync(claudeProgram(), join(work, 'claude'));
  const config: AgentConfig = {
    session_id: session.id,
    agent: { id: randomUUID(), name: 'a', kind: 'worker', instructions: 'Be brief.', model: null },
    prompt: 'Write "it" & go.',
    mcpServers: { platform: session.relayLaunch('platform'), files: session.relayLaunch('files') },
  };
  writeFileSync(join(work, 'config.json'), JSON.stringify(config));
  const child = spawn('unshare', ['--net', 'sh', '-c', script], {
    cwd: work,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...{ PATH: `${work}:${process.env['PATH']}`, HOME: work, TMPDIR: work },
      ...{ PLATFORM_CONFIG: join(work, 'config.json'), PLATFORM_SIDECAR_SOCKET: session.httpSocket },
      ...{ ANTHROPIC_UNIX_SOCKET: socket, ANTHROPIC_BASE_URL: 'http://model.invalid' },
      ANTHROPIC_API_KEY: 'none',
    },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  try {
    const [code] = await once(child, 'exit');
    return { code, output, requests: model.requests };
  } finally {
    await model.close();
    rmSync(work, { recursive: true, maxRetries: 50 });
  }
}

describeWithClaude('a command-line agent', () => {
  beforeAll(async () => {
    session = new TestSession(await bundlePrograms(), {
      files: { command: runnerCommand('mcp-server-filesystem'), args: ['/tmp'] },
    });
    await session.start();
  });
  afterAll(() => session.stop());

  it('takes the map of servers and the address of the model, calls tools, and publishes what it says', async () => {
    const path = join(session.directory, 'work', 'it.txt');
    const { code, requests } = await run(scriptOf('agent.sh'), [
      turn(call('files.write_file', { path, content: 'it' })),
      turn(say('It is written.')),
    ]);
    expect(code).toBe(0);
    expect(await readFile(path, 'utf8')).toBe('it');
    expect(session.platform.events).toMatchObject([
      { type: 'agent.message', payload: { text: 'It is written.' } },
    ]);
    const tools = requests[0]?.tools?.map(({ name }) => name) ?? [];
    expect(tools).toContain('mcp__platform__request_permission');
    expect(tools.filter((name) => !/^mcp__(files|platform)__/.test(name))).toEqual([]);
    expect(JSON.stringify(requests[0]?.messages)).toContain('Write \\"it\\" & go.');
    expect(JSON.stringify(requests[0]?.system)).toContain('Be brief.');
  });

  it('that fails publishes why, and ends as failed', async () => {
    session.platform.events.length = 0;
    const { code } = await run(scriptOf('agent.sh'), [
      failure(400, 'invalid_request_error', 'this model is not among those that may be asked'),
    ]);
    expect(code).toBe(1);
    expect(session.platform.events).toMatchObject([
      { type: 'agent.error', payload: { message: expect.stringContaining('not among those that may be') } },
    ]);
  });

  it('may be any program that knows the address of the Messages API', async () => {
    const { code, output } = await run(scriptOf('ask.sh'), [turn(say('Hello.'))]);
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ content: [{ type: 'text', text: 'Hello.' }] });
  });
});
