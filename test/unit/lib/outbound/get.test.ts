import { expect, it } from '@jest/globals';
import { get } from '../../../../lib/outbound/get.ts';

it('refuses plain http before it connects, and names the setting that allows it', async () => {
  const context = {
    policy: { privateHosts: new Map(), setting: 'SETTING of the API' },
    signal: AbortSignal.timeout(5000),
    resolveName: async () => {
      throw new Error('nothing is looked up');
    },
  };
  await expect(get(context, new URL('http://server.test/'), {}, 0)).rejects.toMatchObject({
    code: 'insecure',
    message: 'server.test is asked over https only; SETTING of the API names the hosts that speak plain http',
  });
});
