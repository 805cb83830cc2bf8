/** Where the process runtime gets packages of `npx` and `uvx` entries from, and how much of them it keeps. */
import * as z from 'zod';
import { hostList, httpsProxyFields } from './https-proxy.ts';
import { count, isLoopbackUrl } from './parse.ts';

const mebibyte = 1024 * 1024;

/** Visible to sandboxes, so it must hold no credential. */
const packageRegistry = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((url) => {
    const { username, password } = new URL(url);
    return username === '' && password === '';
  }, 'must have no user name and no password, because sandboxes see it');

/** Sent in a header. */
const token = z.string().regex(/^[\x21-\x7e]+$/, 'must be one word, or user:password');

const isHost = (text: string) =>
  URL.canParse(`https://${text}`) && new URL(`https://${text}`).host === text.replace(/:443$/, '');

export const packageFields = {
  NPM_REGISTRY_URL: packageRegistry.optional().describe('registry in place of the public one'),
  PYPI_INDEX_URL: packageRegistry
    .optional()
    .describe('index in place of the public one; ends with `/simple/`'),
  NPM_REGISTRY_TOKEN: token
    .optional()
    .describe('token or `user:password` for it, which only npm has while it loads packages'),
  PYPI_INDEX_TOKEN: token
    .optional()
    .describe('token or `user:password` for it, which only uv has while it loads packages'),
  SANDBOX_CA_FILE: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe('PEM with all authorities that programs in sandboxes with internet trust'),
  ...httpsProxyFields,
  PACKAGE_FILE_HOSTS: hostList
    .refine((all) => all.every(isHost), 'must be hosts, or host:port, separated by commas')
    .describe('further hosts that registries keep files at; asked over https without credentials'),
  PACKAGE_MAX_BYTES: count(512 * mebibyte).describe('packages of one entry'),
  PACKAGE_CACHE_BYTES: count(2048 * mebibyte).describe('packages of a workspace'),
  PACKAGE_LOAD_SECONDS: count(300).describe('until all packages of a session are there'),
} as const;

const credentials = [
  ['NPM_REGISTRY_TOKEN', 'NPM_REGISTRY_URL'],
  ['PYPI_INDEX_TOKEN', 'PYPI_INDEX_URL'],
] as const;

type Credentials = Partial<Record<(typeof credentials)[number][number], string | undefined>>;

/** A token requires an explicit registry, and may be sent in plaintext on this machine only. */
export function refuseStrayTokens(
  config: Credentials,
  refuse: (variable: string, message: string) => void,
): void {
  for (const [token, registry] of credentials) {
    const url = config[registry];
    if (config[token] === undefined) {
      continue;
    }
    if (url === undefined) {
      refuse(token, `needs ${registry}: it is sent to no other registry`);
    } else if (URL.canParse(url) && !url.startsWith('https:') && !isLoopbackUrl(url)) {
      refuse(token, `needs an https URL in ${registry}`);
    }
  }
}
