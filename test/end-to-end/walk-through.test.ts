/** The README's walk-through, followed literally. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedPlatform } from '../support/shared-platform.ts';

const [, walkThrough = ''] = readFileSync('README.md', 'utf8').split('<!-- walk-through:');
const [section = ''] = walkThrough.split('\n## ');
const blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);

describe("the README's walk-through", () => {
  let url: string;
  const directory = mkdtempSync(join(tmpdir(), 'walk-through-'));

  // In the demo's own workspace, which no other file uses on this platform.
  beforeAll(async () => {
    ({ url } = await sharedPlatform());
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('ends in the audit event of the write, with the id of the grant', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(5);
    const script = blocks.join('\n').replaceAll('http://127.0.0.1:8080', url);
    const output = execFileSync('bash', ['-euo', 'pipefail', '-c', `${script}\necho "grant: $grant"`], {
      cwd: directory,
      encoding: 'utf8',
      timeout: 240_000,
    });
    const grant = /grant: (\S+)$/.exec(output.trim())?.[1];
    expect(grant).toMatch(/^[0-9a-f-]{36}$/);
    const event = output.slice(output.lastIndexOf("event: 'session.mcp.tool_called'"));
    expect(event).toContain("tool: 'write_file'");
    expect(event).toContain(`granted_via: '${grant}'`);
    expect(event).toContain("outcome: 'ok'");
    expect(output).toContain('"type":"permission.decided"');
  });
});
