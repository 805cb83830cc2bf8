/**
 * The agent as a plain process, with the same settings, the same servers beside it, and the model at a port.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openAcpSession } from '../../agents/acp/acp-session.ts';
import { launchOf } from '../../agents/acp/presets.ts';
import { agentConfig } from '../../contract/agent-contract.ts';
import type { MeasuredAgent } from './measured-agent.ts';
import { modelName, promptOf, serverNames, startBenchModel } from './model.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

export async function openBareAgent(): Promise<MeasuredAgent> {
  const model = await startBenchModel(0);
  const directory = mkdtempSync(join(tmpdir(), 'bare-agent-'));
  const server = { command: resolve('node_modules/.bin/mcp-server-everything'), args: [], env: {} };
  const config = agentConfig.parse({
    ...{ session_id: nobody, prompt: '' },
    agent: { id: nobody, name: 'bare', kind: 'worker', model: modelName, instructions: '' },
    mcpServers: Object.fromEntries(serverNames.map((name) => [name, server])),
  });
  let onWords = (): void => undefined;
  const launch = launchOf('opencode', {
    ...{ config, command: [], ownTools: [], directory, password: 'of-nobody' },
    packages: resolve('agents/acp/packages/opencode'),
    env: {
      ...{ PATH: process.env['PATH'], HOME: directory, MODEL_DIALECT: 'messages' },
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}`,
    },
  });
  const session = await openAcpSession(
    {
      ...{ launch, servers: config.mcpServers, instructions: '' },
      onStep: ({ type }) => (type === 'piece' ? onWords() : undefined),
      hasRoom: async () => undefined,
    },
    null,
  );
  return {
    async ask(task) {
      const askedMs = performance.now();
      let firstWordsMs = Number.NaN;
      onWords = () => {
        firstWordsMs = Number.isNaN(firstWordsMs) ? performance.now() - askedMs : firstWordsMs;
      };
      await session.prompt(promptOf(task));
      return { firstWordsMs, endMs: performance.now() - askedMs };
    },
    async close() {
      await session.stop();
      await model.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
