/** The runner: what commands find in it, on a read-only root with only /workspace and /tmp to write to. */

import { describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { engineCommand } from '../../support/container-engine.ts';
import { platformImages, requirePlatformImages } from '../../support/platform-images.ts';
import { confinedArguments, runConfined } from './run-container.ts';

const writable = ['/workspace', '/tmp'];

(platformImages === null ? describe.skip : describe)('the runner’s image', () => {
  const run = (...command: string[]) =>
    runConfined(requirePlatformImages().runner, command, { writable, user: '20005:20005' });

  it.each([
    ['node', /^v22\./],
    ['npx', /^\d+\./],
    ['python3', /^Python 3\./],
    ['pip', /^pip \d/],
    ['uv', /^uv \d/],
    ['uvx', /^uvx? \d/],
    ['git', /^git version/],
  ])('has %s', async (program, version) => {
    const { output, exitCode } = await run(program, '--version');
    expect({ output, exitCode }).toMatchObject({ exitCode: 0, output: expect.stringMatching(version) });
  });

  it('creates a virtual environment and a repository in the workspace', async () => {
    const script =
      'python3 -m venv venv && venv/bin/python -c "print(6 * 7)" && uv venv other && git init -q here && ls -d here/.git';
    const { output, exitCode } = await run('sh', '-ec', script);
    expect({ output, exitCode }).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/42[\s\S]*here\/\.git/),
    });
  });

  it('starts a preinstalled MCP server by its name', async () => {
    const { program, args, environment } = engineCommand(
      confinedArguments(requirePlatformImages().runner, ['mcp-server-filesystem', '/workspace'], {
        writable,
      }),
    );
    // Standard input has to stay open.
    const transport = new StdioClientTransport({
      command: program,
      args: args.toSpliced(args.indexOf('run') + 1, 0, '--interactive'),
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...environment },
    });
    const client = new Client({ name: 'test', version: '1' });
    try {
      await client.connect(transport);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('write_file');
      await client.callTool({ name: 'write_file', arguments: { path: '/workspace/a.txt', content: 'text' } });
      const { content } = await client.callTool({
        name: 'read_text_file',
        arguments: { path: '/workspace/a.txt' },
      });
      expect(content).toMatchObject([{ text: 'text' }]);
    } finally {
      await client.close();
    }
  });
});
