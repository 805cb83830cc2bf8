/** Hosts that the operator trusts beyond those of the internet, for one purpose each. */
import * as z from 'zod';

/**
 * `registry.internal:5000,http://127.0.0.1:5000`, by `host` of a URL: hosts that may have a private address,
 * and those that speak plain HTTP.
 */
export const privateHosts = z
  .string()
  .default('')
  .transform((text, context) => {
    const hosts = new Map<string, 'https' | 'http'>();
    for (const item of items(text)) {
      const plain = item.startsWith('http://');
      const url = hostUrl(plain ? item : `https://${item.replace(/^https:\/\//, '')}`);
      if (url === null) {
        context.addIssue({
          code: 'custom',
          message: 'must be hosts such as registry.internal:5000, with http:// before those without TLS',
        });
        return z.NEVER;
      }
      hosts.set(url.host, plain ? 'http' : 'https');
    }
    return hosts;
  });

/** Comma-separated items without empty ones. */
const items = (text: string) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** Null unless the text is a scheme and a host, with or without a port, and nothing else. */
function hostUrl(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:\/\/[^/?#@\s]+$/.test(text) ? url : null;
}

/**
 * `registry.internal=login.internal`: token servers that a registry's credentials may be sent to,
 * beside the registry itself (docs/decisions/0011).
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
