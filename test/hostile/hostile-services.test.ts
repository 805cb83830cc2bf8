/** Services of previews that turn against the platform, against who opens them, and against each other. */
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceRequestHeader, signServiceRequest } from '../../contract/service-signature.ts';
import { controlKey } from '../../contract/session-keys.ts';
import { eventually } from '../support/eventually.ts';
import { processesMentioning } from '../support/processes.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { Arena } from './arena.ts';
import { deployEach } from './attempts/previews.ts';
import {
  connectToItself,
  connectToPorts,
  connectToSockets,
  crowdGateway,
  printALot,
  readEverything,
  replaceSocket,
  stayForever,
  wishedHeaders,
} from './attempts/services.ts';
import { hostileService } from './inside/puppets.ts';
import { HostileService } from './service.ts';
import { HostileSession } from './session.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('Hostile services of previews');
const previewId = expect.stringMatching(/^[0-9a-f-]{36}$/);
/** Runs until somebody looks, then is gone. */
const crashing = {
  name: 'crashing',
  run: { type: 'command', command: 'node', args: ['-e', 'setTimeout(() => process.exit(3), 500)'] },
};

let arena: Arena;
let session: HostileSession;
let service: HostileService;
/** Of another session. */
let otherService: HostileService;

const noted = (what: string, stoppedBy: string, check: () => Promise<void>) =>
  it(what, () => table.note({ what, by: 'agent', stoppedBy }, check));

const keyOf = (id: string) => controlKey(Buffer.from(arena.keys().session_key_seed, 'base64'), id);

/** Straight to the gateway of the service, past the API. */
function askGateway(path: string, headers: Record<string, string>): Promise<number> {
  const port = arena.controlPortOf(service.previewId);
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', () => resolve(0));
    sent.end();
  });
}

describeWith('bwrap', 'slirp4netns')('hostile services', () => {
  beforeAll(async () => {
    arena = await Arena.enter();
    const services = [hostileService, crashing];
    const start = (name: string) =>
      HostileSession.start(arena.ada, { name, servers: ['files', 'vault'], services });
    const [mine, other] = await Promise.all([start('serves'), start('serves-too')]);
    session = mine;
    [service, otherService] = await Promise.all([
      HostileService.start(arena, mine, 'puppet'),
      HostileService.start(arena, other, 'puppet'),
    ]);
  });
  afterAll(async () => {
    table.print();
    await arena.close();
  });

  describe('towards people who open them', () => {
    noted('sets cookies for the site of the platform', 'no header that sets one passes', async () => {
      const cookies = ['a=b', 'a=b; Domain=localhost; Path=/', '__Host-session=stolen; Secure; Path=/'];
      const got = await service.answers({ status: 200, headers: { 'set-cookie': cookies }, text: 'sent' });
      expect(got).toMatchObject({ status: 200, body: 'sent' });
      expect(got.headers).not.toHaveProperty(['set-cookie']);
    });

    noted('is sent cookies and tokens of whoever asks it', 'a list of headers that pass', async () => {
      const secrets = {
        cookie: 'session=of-ada',
        authorization: 'Bearer of-ada',
        'proxy-authorization': 'Basic of-ada',
        'x-internal-token': 'of-ada',
        'x-forwarded-for': 'of-ada',
        referer: 'http://platform/of-ada',
        [serviceRequestHeader]: 'of-ada',
      };
      expect(await service.send('/asked-with-secrets', { headers: secrets })).toMatchObject({
        status: 200,
        body: 'honest',
      });
      const heard = await service.heard();
      expect(heard).toContain('/asked-with-secrets');
      expect(heard).not.toContain('of-ada');
      // Nor is it told at which address it is open, with what the API signs.
      expect(heard).not.toContain(service.host.split('.')[0]);
      expect(heard).not.toContain(serviceRequestHeader);
    });

    noted('gives its page an origin, frames and devices', 'a policy of the platform’s own', async () => {
      const got = await service.answers({ status: 200, headers: wishedHeaders, text: 'sent' });
      expect(got).toMatchObject({ status: 200, body: 'sent' });
      const policy = String(got.headers['content-security-policy']);
      expect(policy).toMatch(/(^|; )sandbox allow-scripts/);
      expect(policy).not.toContain('allow-same-origin');
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('*');
      expect(got.headers).toMatchObject({
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      });
      expect(got.headers['permissions-policy']).toContain('camera=()');
      const said = JSON.stringify(got.headers);
      for (const gone of ['elsewhere.example', 'said by the service', 'max-age']) {
        expect(said).not.toContain(gone);
      }
      for (const name of ['clear-site-data', 'service-worker-allowed', 'access-control-allow-credentials']) {
        expect(got.headers).not.toHaveProperty([name]);
      }
    });

    noted('shows the UI of the platform in a frame', 'the UI’s own policy', async () => {
      const { headers } = await fetch(new URL('/app/', arena.platform.url));
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    });

    noted('leads a request on to a route of the platform', 'no redirect to elsewhere passes', async () => {
      for (const location of [`${arena.platform.url}/api/me`, '//127.0.0.1/api/me', 'http://127.0.0.1/']) {
        const got = await service.answers({ status: 302, headers: { location }, text: '' });
        const to = new URL(String(got.headers['location'] ?? '/'), `http://${service.host}/`);
        expect(to.host).toBe(service.host);
      }
    });

    noted('has a route of the platform at its own host', 'the host name alone decides', async () => {
      for (const path of ['/api/me', '/api/health', '/app/', '/internal/sessions']) {
        expect(await service.send(path)).toMatchObject({ status: 200, body: 'honest' });
      }
    });
  });

  describe('from their sandbox', () => {
    noted('looks for credentials and for the sockets of a session', 'it is given none', async () => {
      const { names, mounted, texts } = await service.run(readEverything);
      expect(names).not.toEqual([]);
      expect(names.filter((name) => /TOKEN|KEY|SECRET/.test(name))).toEqual([]);
      expect(mounted).toContain('agent/service.sock');
      expect(mounted.filter((path) => /^mcp\/.|sidecar\.sock|audit/.test(path))).toEqual([]);
      const read = texts.join('\n');
      for (const id of [service.previewId, session.id, otherService.previewId]) {
        for (const secret of [arena.tokenOf(id), keyOf(id)]) {
          expect(read).not.toContain(secret);
        }
      }
    });

    noted('calls the API, gateways and sidecars by their ports', 'a network of its own', async () => {
      const target = arena.target(session);
      const gateways = [service, otherService].map(({ previewId: id }) => arena.controlPortOf(id));
      const ports = { ...target.ports, ...Object.fromEntries(gateways.entries()) };
      const seen = await service.run(connectToPorts, { target: { ...target, ports } });
      expect(seen).not.toEqual([]);
      expect(seen).not.toContain('connected');
      // The control: it can connect to what is its own.
      expect(await service.run(connectToItself)).toBe('connected');
      // Nor does the agent reach the service past the platform.
      expect(await session.run(connectToItself)).toBe('ECONNREFUSED');
    });

    noted('connects to sockets of sessions and of other services', 'an allow-list of mounts', async () => {
      const directories = [service.previewId, session.id, otherService.previewId].map((id) =>
        arena.directoryOf(id),
      );
      const seen = await service.run(connectToSockets, { argument: directories });
      expect(seen.length).toBeGreaterThan(directories.length);
      expect([...new Set(seen)]).toEqual(['ENOENT']);
    });

    noted('replaces the socket of its gateway', 'a read-only mount', async () => {
      const seen = await service.run(replaceSocket);
      expect(seen).toEqual(seen.map(() => 'EROFS'));
    });

    noted('speaks to its gateway in the place of its relay', 'it can deceive itself alone', async () => {
      expect(await service.run(crowdGateway)).toBeGreaterThan(0);
      expect(await otherService.send('/')).toMatchObject({ status: 200, body: 'honest' });
      expect(await session.works()).toBe(true);
      // What its gateway was told is still no more than an answer of the service.
      await eventually(async () => {
        const got = await service.send('/');
        expect(got.headers).not.toHaveProperty(['set-cookie']);
        expect(got).toMatchObject({ status: 200, body: 'honest' });
      });
    });
  });

  noted('asks a service past the API, with another’s signature', 'a signed head', async () => {
    const atMs = Date.now();
    const head = { method: 'GET', target: '/forged' };
    const own = keyOf(service.previewId);
    const wrong = [
      {},
      { [serviceRequestHeader]: 'nonsense' },
      { [serviceRequestHeader]: signServiceRequest(keyOf(otherService.previewId), { ...head, atMs }) },
      { [serviceRequestHeader]: signServiceRequest(own, { ...head, atMs: atMs - 3_600_000 }) },
      { [serviceRequestHeader]: signServiceRequest(own, { ...head, target: '/other', atMs }) },
      { [serviceRequestHeader]: signServiceRequest(own, { ...head, method: 'POST', atMs }) },
    ];
    const statuses = await Promise.all(wrong.map((headers) => askGateway('/forged', headers)));
    expect(statuses.filter((status) => status !== 0 && status < 400)).toEqual([]);
    expect(await service.heard()).not.toContain('/forged');
    // The control: the same request, signed as the API signs.
    const right = signServiceRequest(own, { ...head, atMs: Date.now() });
    expect(await askGateway('/forged', { [serviceRequestHeader]: right })).toBe(200);
    expect(await service.heard()).toContain('/forged');
  });

  describe('in number and size', () => {
    noted(
      'sends without end to many who open it, and prints without end',
      'what is not read waits',
      async () => {
        const readers = Array.from({ length: 20 }, () => service.read('/endless', 6000));
        const [printed, works, { status }, ...bytes] = await Promise.all([
          otherService.run(printALot, { argument: { seconds: 5 } }),
          arena.other.works(),
          arena.ada.send('GET', '/api/health'),
          ...readers,
        ]);
        expect({ works, status }).toEqual({ works: true, status: 200 });
        expect(printed).toBeGreaterThan(0);
        expect(bytes.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0);
        await eventually(async () =>
          expect(await service.send('/')).toMatchObject({ status: 200, body: 'honest' }),
        );
      },
    );

    noted('runs more services than its session may', 'a quota, counted as each is deployed', async () => {
      const said = await session.run(deployEach, {
        argument: Array.from({ length: 3 }, () => ({ service: 'puppet' })),
      });
      expect(said).toEqual([previewId, 'limit_reached', 'limit_reached']);
      await arena.ada.ok('DELETE', `${arena.ada.workspace}/previews/${said[0]}`);
    });

    noted('runs a service that it was not configured with', 'the agent’s own record', async () => {
      const wrong = [
        { service: 'unknown' },
        { service: '../puppet' },
        { service: '' },
        { service: 'puppet', files: [{ path: 'index.html', text: 'x' }] },
        { service: 'puppet', run: { type: 'command', command: 'sh', args: [] } },
        { service: 'puppet', port: 1 },
      ];
      const said = await session.run(deployEach, { argument: wrong });
      expect(said).not.toContainEqual(previewId);
    });

    noted('crashes, again and again', 'its preview ends with a reason, and nothing else', async () => {
      for (let round = 0; round < 2; round += 1) {
        const id = await eventually(async () => {
          const [deployed = ''] = await session.run(deployEach, { argument: [{ service: 'crashing' }] });
          expect(deployed).toEqual(previewId);
          return deployed;
        });
        await eventually(async () => {
          const { preview } = await arena.ada.ok<{ preview: object }>(
            'GET',
            `${arena.ada.workspace}/previews/${id}`,
          );
          expect(preview).toMatchObject({
            is_live: false,
            service_status: { state: 'failed', reason: expect.stringContaining('exited with code 3') },
          });
        });
        await eventually(async () => expect(await processesMentioning(id)).toEqual([]));
      }
      expect(await session.works()).toBe(true);
    });

    noted('goes on after the end of its preview', 'its workload is ended as a whole', async () => {
      const mark = randomUUID();
      expect(await service.run(stayForever, { argument: mark })).toBe(5);
      // The control: they run.
      await eventually(async () => expect(await processesMentioning(mark)).toHaveLength(5));
      await service.end();
      await eventually(async () => expect(await processesMentioning(mark)).toEqual([]));
      await eventually(async () => expect(await processesMentioning(service.previewId)).toEqual([]));
      expect((await service.send('/')).status).toBe(404);
      expect(await session.works()).toBe(true);
    });

    noted('goes on after the end of its session', 'it is stopped with the session', async () => {
      const { previewId: id } = otherService;
      const { preview } = await arena.ada.ok<{ preview: { session_id: string } }>(
        'GET',
        `${arena.ada.workspace}/previews/${id}`,
      );
      await arena.ada.ok('POST', `/api/sessions/${preview.session_id}/terminate`, {});
      await eventually(async () => expect((await otherService.send('/')).body).not.toBe('honest'));
      await eventually(async () => expect(await processesMentioning(id)).toEqual([]));
    });
  });

  it('leaves other sessions working', async () => {
    expect(await arena.other.works()).toBe(true);
  });
});
