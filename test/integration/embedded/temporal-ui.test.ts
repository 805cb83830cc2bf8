/** The embedded Temporal UI answers only under its own address, not under other names that resolve to it. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningTemporal, startTemporal } from '../../../bin/start/temporal.ts';
import { openTemporalUi, type TemporalUi } from '../../../bin/start/temporal-ui.ts';
import { eventually } from '../../support/eventually.ts';
import { listeningPortsOf } from '../../support/listening-ports.ts';
import { temporalProgram } from '../../support/temporal-program.ts';

let directory: string;
let temporal: RunningTemporal;
let ui: TemporalUi;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'temporal-ui-'));
  temporal = await startTemporal({ program: temporalProgram(), directory, hasUi: true });
  ui = await openTemporalUi(0, temporal.ui ?? { host: '', port: 0 });
  // The UI starts beside the server: when it asked before the server listened, it tries again a second later.
  await eventually(async () => expect((await ask(door(), { headers: ownHost() })).status).toBe(200));
});
afterAll(async () => {
  ui.close();
  await temporal.stop();
  rmSync(directory, { recursive: true });
});

const namespaces = '/api/v1/namespaces';

async function ask(
  to: { host: string; port: number },
  { path = namespaces, ...options }: { path?: string; method?: string; headers?: Record<string, string> },
): Promise<{ status: number | undefined; body: string }> {
  const sent = request({ ...to, path, agent: false, ...options }).end();
  const [answer] = await once(sent, 'response');
  return { status: answer.statusCode, body: await text(answer) };
}

const door = () => ({ host: '127.0.0.1', port: Number(new URL(ui.url).port) });
const ownHost = () => ({ host: new URL(ui.url).host });

describe('the embedded Temporal UI', () => {
  it('answers its own address, by either of its names', async () => {
    const { port } = door();
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      expect(await ask(door(), { headers: { host } })).toEqual({
        status: 200,
        body: expect.stringContaining('NAMESPACE_STATE_REGISTERED'),
      });
    }
    expect((await ask(door(), { path: '/' })).body).toContain('<html');
  });

  it.each(['rebound.example', 'rebound.example:8233', '127.0.0.1', 'localhost', '127.0.0.1.rebound.example'])(
    'refuses the host %s',
    async (host) => {
      expect(await ask(door(), { headers: { host } })).toEqual({
        status: 403,
        body: expect.not.stringContaining('NAMESPACE'),
      });
    },
  );

  it('refuses changes from a page of another site', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await ask(door(), { method: 'POST', headers })).status).toBe(403);
    expect((await ask(door(), { headers })).status).toBe(200);
  });

  it('no other port of the server answers a foreign host on 127.0.0.1, which a page could scan', async () => {
    const ports = listeningPortsOf(temporal.process.pid, '127.0.0.1');
    expect(ports).toContain(temporal.port);
    for (const port of ports) {
      const seen = await ask(
        { host: '127.0.0.1', port },
        { headers: { host: `rebound.example:${port}` } },
      ).catch(() => ({ body: '' }));
      expect(seen.body).not.toContain('NAMESPACE_STATE');
    }
  });

  it('names the variable to change when its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(openTemporalUi(port, door())).rejects.toThrow(/TEMPORAL_UI_PORT/);
    other.close();
  });

  it('reports that the server is unreachable', async () => {
    const away = await openTemporalUi(0, { host: '127.0.0.1', port: 9 });
    expect((await fetch(away.url)).status).toBe(502);
    away.close();
  });
});
