/** The endpoint of language models (docs/operations.md#models). */
import * as z from 'zod';

const rule =
  'must be the address of an endpoint such as https://models.example.com, without a user name, a password, a query or a fragment';

export const modelBaseUrl = z
  .string()
  .refine((text) => endpointOf(text) !== null, rule)
  .default('https://api.anthropic.com');

/** The address in a text; null when it is none, or says more than an address. */
function endpointOf(text: string): URL | null {
  try {
    const url = new URL(text);
    const isPlain = url.username === '' && url.password === '' && !/[?#]/.test(text);
    return /^https?:$/.test(url.protocol) && isPlain ? url : null;
  } catch {
    return null;
  }
}

/** Why an endpoint cannot be used; null when it can. One that speaks plain HTTP is listed as such. */
export function unlistedEndpoint(
  text: string,
  privateHosts: ReadonlyMap<string, 'https' | 'http'>,
): string | null {
  const url = endpointOf(text);
  return url?.protocol === 'http:' && privateHosts.get(url.host) !== 'http'
    ? `must be https, or PRIVATE_MCP_HOSTS has to list http://${url.host}`
    : null;
}
