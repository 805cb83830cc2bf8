/** Token servers: which get credentials, what they are asked for, and what they may answer. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Interfere, image, startTestRegistry, type TestRegistry, tar } from '../../../support/images.ts';
import { allowing, fileName, outcome } from './reading.ts';

const registries: TestRegistry[] = [];
afterEach(async () => {
  await Promise.all(registries.splice(0).map((registry) => registry.close()));
});

async function start(interfere: Interfere): Promise<TestRegistry> {
  const registry = await startTestRegistry(interfere);
  registries.push(registry);
  registry.push('team/server', '1', image({ layers: [tar([{ path: fileName, content: 'text' }])] }));
  return registry;
}

describe('a token server', () => {
  const password = 'a-very-secret-password';
  const credentials = { user: 'ada', password };
  const challenging =
    (realm: () => string): Interfere =>
    (request, response) => {
      if (request.url?.startsWith('/token')) {
        response.end(JSON.stringify({ token: 'a-token' }));
        return true;
      }
      if (request.headers.authorization !== 'Bearer a-token') {
        const challenge = `Bearer realm="${realm()}",service="s",scope="repository:other/secret:push,pull"`;
        response.writeHead(401, { 'www-authenticate': challenge }).end();
        return true;
      }
      return false;
    };

  it('of the registry itself receives the credentials, and is asked for read access to this repository only', async () => {
    let own = '';
    const registry = await start(challenging(() => `http://${own}/token`));
    own = registry.host;
    expect(await outcome(own, 'team/server:1', { credentials })).toBe('text');
    const [, token] = registry.requests;
    expect(token).toEqual({
      url: '/token?service=s&scope=repository%3Ateam%2Fserver%3Apull',
      authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`,
    });
    // One token for all requests.
    expect(registry.requests.filter(({ url }) => url.startsWith('/token'))).toHaveLength(1);
  });

  it('of another host receives none unless the operator configured it for this registry', async () => {
    const thief = await start(challenging(() => ''));
    const registry = await start(challenging(() => `http://${thief.host}/token`));
    const policy = allowing(registry.host, thief.host);
    const result = await outcome(registry.host, 'team/server:1', { credentials, policy });
    expect(result).toMatchObject({ code: 'realm_refused', message: expect.stringContaining(thief.host) });
    expect(JSON.stringify(result)).not.toContain(password);
    expect(thief.requests).toHaveLength(0);

    expect(await outcome(registry.host, 'team/server:1', { policy })).toBe('text');
    expect(thief.requests).toMatchObject([{ authorization: undefined }]);

    const named = { ...policy, realms: new Map([[registry.host, [thief.host]]]) };
    expect(await outcome(registry.host, 'team/server:1', { credentials, policy: named })).toBe('text');
  });

  it.each([
    ['a private address', 'https://10.0.0.1/token', 'address_refused'],
    ['plain http', 'http://auth.test/token', 'insecure_registry'],
    ['no address', 'token', 'invalid_response'],
    ['credentials of its own', 'https://a:b@auth.test/', 'invalid_response'],
  ])('with %s is not contacted', async (_what, realm, code) => {
    const { host } = await start(challenging(() => realm));
    expect(await outcome(host, 'team/server:1')).toMatchObject({ code });
  });

  it('that only the target of a redirect names is not contacted', async () => {
    let own = '';
    const elsewhere = await start((_request, response) => {
      response.writeHead(401, { 'www-authenticate': `Bearer realm="http://${own}/token"` }).end();
      return true;
    });
    const registry = await start((request, response) => {
      const isBlob = request.url?.includes('/blobs/') ?? false;
      if (isBlob) {
        response.writeHead(307, { location: `http://${elsewhere.host}/` }).end();
      }
      return isBlob;
    });
    own = registry.host;
    const policy = allowing(own, elsewhere.host);
    expect(await outcome(own, 'team/server:1', { policy, credentials })).toMatchObject({
      code: 'unauthorized',
    });
    expect(registry.requests.map(({ url }) => url)).not.toContainEqual(expect.stringMatching(/^\/token/));
  });

  it('that redirects is not followed', async () => {
    let own = '';
    const challenge = challenging(() => `http://${own}/token`);
    const registry = await start((request, response) => {
      if (request.url?.startsWith('/token')) {
        response.writeHead(302, { location: '/elsewhere' }).end();
        return true;
      }
      return challenge(request, response);
    });
    own = registry.host;
    expect(await outcome(own, 'team/server:1', { credentials })).toMatchObject({
      code: 'too_many_redirects',
    });
  });

  it.each([
    ['no JSON', 'x', 'invalid_response'],
    ['no token', '{}', 'invalid_response'],
    ['a token that is a header', '{"token":"a\\r\\nHost: b"}', 'invalid_response'],
    ['too much', `{"token":"${'x'.repeat(300_000)}"}`, 'too_large'],
  ])('that answers with %s is refused', async (_what, answer, code) => {
    let own = '';
    const registry = await start((request, response) => {
      if (request.url?.startsWith('/token')) {
        response.end(answer);
        return true;
      }
      return challenging(() => `http://${own}/token`)(request, response);
    });
    own = registry.host;
    expect(await outcome(own, 'team/server:1')).toMatchObject({ code });
  });

  it('whose token the registry refuses is contacted once for each request', async () => {
    let own = '';
    const registry = await start((request, response) => {
      const isToken = request.url?.startsWith('/token') ?? false;
      response.writeHead(isToken ? 200 : 401, { 'www-authenticate': `Bearer realm="http://${own}/token"` });
      response.end('{"token":"x"}');
      return true;
    });
    own = registry.host;
    expect(await outcome(own, 'team/server:1')).toMatchObject({ code: 'unauthorized' });
    expect(registry.requests).toHaveLength(3);
  });
});
