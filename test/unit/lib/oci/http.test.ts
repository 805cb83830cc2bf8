import { expect, it } from '@jest/globals';
import { get } from '../../../../lib/oci/http.ts';
import { publicRegistriesOnly } from '../../../../lib/oci/registry-policy.ts';

it('refuses plain http before it connects, and names the setting that allows it', async () => {
  const context = {
    policy: publicRegistriesOnly,
    signal: AbortSignal.timeout(5000),
    resolveName: async () => {
      throw new Error('nothing is looked up');
    },
  };
  await expect(get(context, new URL('http://registry.test/v2/'), {}, 0)).rejects.toMatchObject({
    code: 'insecure_registry',
    message:
      'registry.test is asked over https only; PRIVATE_REGISTRIES of the API and the worker names the hosts that speak plain http',
  });
});
