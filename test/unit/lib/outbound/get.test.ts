import { expect, it } from '@jest/globals';
import { get } from '../../../../lib/outbound/get.ts';

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
