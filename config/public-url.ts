/**
 * Where browsers reach the platform, in one notation: `https://Agents.example.com.:443/` is
 * `https://agents.example.com`.
 */
import * as z from 'zod';

/**
 * The origin of an address over http or https: its name in small letters and without a dot at its
 * end, its port unless it is the usual one. Null for a text that is no such address, or that says
 * more than an origin does.
 */
export function originIn(text: string): string | null {
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(text) || !URL.canParse(text)) {
    return null;
  }
  const url = new URL(text);
  const name = url.hostname.replace(/\.$/, '');
  if (name === '' || name.endsWith('.')) {
    return null;
  }
  url.hostname = name;
  return url.origin;
}

/** An address that is an origin, as `originIn` writes it. */
export const publicUrl = z.string().transform((text, context) => {
  const origin = originIn(text.replace(/\/$/, ''));
  if (origin === null) {
    context.addIssue({
      code: 'custom',
      message: 'must be an address such as https://agents.example.com, without a path',
    });
    return z.NEVER;
  }
  return origin;
});
