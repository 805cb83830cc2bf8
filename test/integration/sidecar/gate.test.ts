import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bundlePrograms, runnerCommand } from './programs.ts';
import { TestSession } from './session.ts';

let session: TestSession;
const filesIn = (directory: string) => join(directory, 'work');

beforeAll(async () => {
  const programs = await bundlePrograms();
  session = new TestSession(programs, {
    files: {
      command: 'sh',
      args: ['-c', `exec ${runnerCommand('mcp-server-filesystem')} "$PWD"`],
      toolScopes: { write_file: 'files.write', edit_file: 'files.write' },
    },
    everything: { command: runnerCommand('mcp-server-everything'), args: [] },
  });
  await session.start();
}, 60_000);
afterAll(() => session.stop());

const platformError = (result: { _meta?: Record<string, unknown> | undefined }) => result._meta?.['platform/error'];

describe('a gated tool of a real filesystem server', () => {
  it('is refused without a grant, and says which scope it needs and how to ask', async () => {
    const client = await session.connect('files');
    const path = join(process.cwd(), 'never-written.txt');
    const result = await client.callTool({ name: 'write_file', arguments: { path, content: 'x' } });
    expect(result.isError).toBe(true);
    expect(platformError(result)).toMatchObject({
      code: 'permission_required',
      scope: 'files.write',
      server: 'files',
      tool: 'write_file',
    });
    const [text] = result.content;
    expect(JSON.parse(text?.type === 'text' ? text.text : '')).toEqual(platformError(result));
    await expect(readFile(path)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await session.recordOf('files', 'write_file')).toMatchObject({ outcome: 'permission_required' });
    await client.close();
  });

  it('still answers everything else on the same connection', async () => {
    const client = await session.connect('files');
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain('write_file');
    const result = await client.callTool({ name: 'list_allowed_directories', arguments: {} });
    expect(result.isError).toBeFalsy();
    expect(await session.recordOf('files', 'list_allowed_directories')).toMatchObject({ outcome: 'ok' });
    await client.close();
  });
});
