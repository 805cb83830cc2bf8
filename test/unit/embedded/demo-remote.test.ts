import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { demoRemoteProgram, placeDemoRemote, privateHostsOf } from '../../../bin/start/demo-remote.ts';
import { committer, ticketClerk } from '../../../bin/start/demo-remote-content.ts';
import { privateHosts } from '../../../config/private-hosts.ts';
import { parseInstructions } from '../../../contract/scripted-instructions.ts';

let data: string;
let lines: string[];
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'demo-remote-'));
  lines = [];
});
afterEach(() => rmSync(data, { recursive: true }));

const place = () => placeDemoRemote(data, (line) => lines.push(line));

describe('the demo’s remote server', () => {
  it('has the same two addresses at every start', async () => {
    const first = await place();
    expect(first?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    expect(first?.issuer).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(new URL(first?.url ?? '').port).not.toBe(new URL(first?.issuer ?? '').port);
    expect(await place()).toEqual(first);
    expect(lines).toEqual([]);
  });

  it('has others where they were lost', async () => {
    await place();
    writeFileSync(join(data, 'demo-remote', 'ports.json'), '{"server":');
    const again = await place();
    expect(again).not.toBeNull();
    expect(await place()).toEqual(again);
  });

  it('has no empty token, as of a start that was killed', async () => {
    const { token } = (await place())?.push ?? {};
    expect(token).toMatch(/^[\w-]{43}$/);
    writeFileSync(join(data, 'demo-remote', 'push-token'), '\n');
    const again = (await place())?.push.token;
    expect(again).toMatch(/^[\w-]{43}$/);
    expect((await place())?.push.token).toBe(again);
  });

  it.each(['url', 'issuer'] as const)('does not run where its %s is taken, which is said', async (which) => {
    const placed = await place();
    const port = Number(new URL(placed?.[which] ?? '').port);
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    expect(await place()).toBeNull();
    expect(lines).toEqual([expect.stringContaining(`port ${port} is taken`)]);
    other.close();
    await once(other, 'close');
    expect(await place()).toEqual(placed);
  });

  it('is listed with both hosts, and knows nothing of the platform', async () => {
    const placed = await place();
    if (placed === null) {
      throw new Error('it has no place');
    }
    const hosts = privateHosts.parse(privateHostsOf(placed).join(','));
    expect(hosts).toEqual(new Map([placed.url, placed.issuer].map((url) => [new URL(url).host, 'http'])));
    const { environment } = demoRemoteProgram('/project', placed);
    expect(Object.keys(environment).sort()).toEqual(['DATA_DIR', 'ISSUER', 'SERVER_URL']);
  });

  it('is used by agents whose steps are valid', () => {
    expect(parseInstructions(committer.agent.instructions)).toContainEqual(
      expect.objectContaining({ call: 'repository.push', expect: 'permission_required' }),
    );
    expect(parseInstructions(ticketClerk.agent.instructions)).toContainEqual(
      expect.objectContaining({ call: 'tickets.whoami' }),
    );
  });
});
