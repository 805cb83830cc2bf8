/** Which image registries the operator trusts beyond the public ones (docs/decisions/0011). */
import * as z from 'zod';
import { hostUrl, items } from './private-hosts.ts';

/**
 * `registry.internal=login.internal`: token servers that a registry's credentials may be sent to,
 * beside the registry itself.
 */
export const registryRealms = z
  .string()
  .default('')
  .transform((text, context) => {
    const realms = new Map<string, string[]>();
    for (const item of items(text)) {
      const [registry = '', realm = '', ...more] = item.split('=');
      if ([registry, realm].some((host) => hostUrl(`https://${host}`) === null) || more.length > 0) {
        context.addIssue({
          code: 'custom',
          message: 'must be pairs such as registry.internal=login.internal',
        });
        return z.NEVER;
      }
      const name = hostOf(registry);
      realms.set(name, [...(realms.get(name) ?? []), hostOf(realm)]);
    }
    return realms;
  });

/** Without the usual port, and in small letters. */
const hostOf = (text: string): string => new URL(`https://${text}`).host;
