import { expect, it } from '@jest/globals';
import { get, refusedRedirect } from '../../../../lib/outbound/get.ts';

it('refuses plain http before it connects, and names the setting that allows it', async () => {
  const context = {
    policy: { privateHosts: new Map(), setting: 'SETTING of the API' },
    signal: AbortSignal.timeout(5000),
    workspaceId: null,
    resolveName: async () => {
      throw new Error('nothing is looked up');
    },
  };
  await expect(get(context, new URL('http://server.test/'), {}, 0)).rejects.toMatchObject({
    code: 'insecure',
    message: 'server.test is asked over https only; SETTING of the API names the hosts that speak plain http',
  });
});

it('has the name looked up for the workspace whose configuration named the host', async () => {
  const asked: unknown[] = [];
  const context = {
    policy: { privateHosts: new Map(), setting: 'SETTING of the API' },
    signal: new AbortController().signal,
    workspaceId: 'of-one',
    resolveName: async (...given: unknown[]) => {
      asked.push(given);
      return [{ address: '127.0.0.1', family: 4 }];
    },
  };
  await expect(get(context, new URL('https://server.test/'), {}, 0)).rejects.toMatchObject({
    code: 'address_refused',
  });
  expect(asked).toEqual([['server.test', context.signal, 'of-one']]);
});

it.each([
  ['https://x.test/mcp', '/mcp/', 'the same address with a slash at its end'],
  ['https://x.test/mcp/', '/mcp', 'the same address without the slash at its end'],
  ['https://x.test/mcp', 'http://x.test/mcp/', 'the same address over http with a slash at its end'],
  ['http://x.test/mcp?a=1', 'https://x.test/mcp?a=1', 'the same address over https'],
  ['https://x.test/mcp', '/mcp/?key=secret', 'another address of its own'],
  ['https://x.test/mcp', '/secret', 'another address of its own'],
  ['https://x.test/mcp', 'https://x.test:8443/mcp/', 'x.test:8443'],
  ['https://x.test/mcp', 'https://y.test/mcp/', 'y.test'],
])('a redirect from %s to %s is said to lead to %s', (from, location, where) => {
  expect(refusedRedirect(new URL(from), location).message).toBe(
    `x.test redirects to ${where}, which is not followed`,
  );
});
