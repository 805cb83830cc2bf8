/** Which requests are for the platform, at whatever notation of its public address they were sent. */
import { afterAll, describe, expect, it } from '@jest/globals';
import Koa from 'koa';
import { pino } from 'pino';
import { linkOriginOf } from '../../../api/addresses.ts';
import { isSecure } from '../../../api/auth/sign-in.ts';
import { ApiError } from '../../../api/errors.ts';
import { checkHost } from '../../../api/middleware/host.ts';
import { logRequests } from '../../../api/middleware/log.ts';
import { checkOrigin } from '../../../api/middleware/origin.ts';
import { listen, type RunningServer } from '../../../api/server.ts';
import { publicUrl } from '../../../config/public-url.ts';
import { requestAtHost } from '../../support/request-at-host.ts';

const open: RunningServer[] = [];
afterAll(() => Promise.all(open.map((server) => server.close(0))));

/** The status of a request to an API with this configuration, and the origin that it would put into links. */
async function serve(settings: { HOST: string; PUBLIC_URL?: string }) {
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    await next().catch((error: unknown) => {
      ctx.status = error instanceof ApiError && error.code === 'forbidden' ? 403 : 500;
    });
  });
  app.use(logRequests(pino({ level: 'silent' })));
  app.use(checkHost(settings)).use(checkOrigin(settings));
  app.use((ctx) => {
    ctx.body = linkOriginOf(settings, ctx);
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  open.push(server);
  return async (host: string, origin?: string) => {
    const headers: Record<string, string> = origin === undefined ? {} : { origin };
    const method = origin === undefined ? 'GET' : 'POST';
    const url = `http://127.0.0.1:${server.port}`;
    const { status, body } = await requestAtHost(url, { host, path: '/', headers, method });
    return status === 200 ? body : status;
  };
}

const asWritten = ['https://agents.example.com', 'HTTPS://Agents.Example.com.:443/'];
const name = 'agents.example.com';

describe.each(asWritten)('a platform at %s', (text) => {
  const PUBLIC_URL = publicUrl.parse(text);
  const asked = serve({ HOST: '0.0.0.0', PUBLIC_URL });

  it('says https, whatever its letters are', () => {
    expect(isSecure({ PUBLIC_URL })).toBe(true);
  });

  it.each([name, `${name}:443`, 'Agents.Example.com', `${name}.`, `${name}.:443`])(
    'is asked at %s',
    async (host) => {
      expect(await (await asked)(host)).toBe('https://agents.example.com');
      expect(await (await asked)(host, `https://${host}`)).toBe('https://agents.example.com');
    },
  );

  it.each([
    ...[`${name}:80`, `${name}:8443`, `${name}..`, 'evil.test', `evil.test@${name}`, `${name}@evil.test`],
    ...[`${name}/`, `${name}#`, `${name}\\.evil.test`, '127.0.0.1', ''],
  ])('is not asked at "%s"', async (host) => {
    expect(await (await asked)(host)).toBe(403);
  });

  it.each([
    'null',
    '',
    `http://${name}`,
    `https://${name}:8443`,
    `https://${name}.evil.test`,
    `https://x@${name}`,
  ])('takes no change from a page of "%s"', async (origin) => {
    expect(await (await asked)(name, origin)).toBe(403);
  });
});

describe('a platform without a public address', () => {
  const asked = serve({ HOST: '127.0.0.1' });

  it('is asked at loopback names, and writes their origin as browsers do', async () => {
    const ask = await asked;
    expect(await ask('localhost:80')).toBe('http://localhost');
    expect(await ask('LOCALHOST:8080', 'http://localhost:8080')).toBe('http://localhost:8080');
    expect(await ask('[::1]', 'http://[::1]')).toBe('http://[::1]');
    expect(await ask('localhost:99999')).toBe(403);
    expect(await ask('localhost:8080', 'null')).toBe(403);
    expect(await ask('localhost:8080', 'http://127.0.0.1:8080')).toBe(403);
  });
});
