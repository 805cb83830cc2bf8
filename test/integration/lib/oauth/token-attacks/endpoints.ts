/** Endpoints to which no credential goes. */
import type { ResolveName } from '../../../../../lib/outbound/guarded-lookup.ts';

export interface EndpointAttack {
  name: string;
  /** `own` is the origin of the hostile server, which is listed; `other` that of one that is not. */
  url(own: string, other: string): string;
  resolveName?: ResolveName;
  says: string;
}

const at =
  (...addresses: string[]): ResolveName =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const fixed: [name: string, url: string, says: string, resolveName?: ResolveName][] = [
  ['a metadata service', 'https://169.254.169.254/latest/meta-data', 'an address that is never connected to'],
  ['a private address', 'https://10.0.0.1/token', 'a private address'],
  ['this machine', 'https://127.0.0.1/token', 'a private address'],
  ['this machine in one number', 'https://2130706433/token', 'a private address'],
  ['this machine in octal', 'https://0177.0.0.1/token', 'a private address'],
  ['this machine as IPv6', 'https://[::1]/token', 'a private address'],
  ['this machine as IPv4 in IPv6', 'https://[::ffff:127.0.0.1]/token', 'a private address'],
  ['a metadata service as IPv4 in IPv6', 'https://[64:ff9b::169.254.169.254]/', 'never connected to'],
  ['a user name', 'https://honest.test@evil.test/token', 'holds a user name or password'],
  ['a fragment', 'https://honest.test/token#x', 'has a fragment'],
  ['a backslash', 'https://honest.test\\@evil.test/', 'is not a web address'],
  ['a line break', 'https://honest.test/\r\nHost: evil.test', 'is not a web address'],
  ['a file', 'file:///etc/passwd', 'is not a web address'],
  ['a script', 'javascript:alert(1)', 'is not a web address'],
  ['another scheme', 'gopher://127.0.0.1:6379/_x', 'is not a web address'],
  ['no encryption', 'http://honest.test/token', 'is not https'],
  ['a name of this machine', 'https://evil.test/token', 'a private address', at('127.0.0.1')],
  ['a name of a metadata service', 'https://evil.test/token', 'never connected to', at('169.254.169.254')],
  [
    'a name with a good and a bad address',
    'https://evil.test/token',
    'a private address',
    at('8.8.8.8', '127.0.0.1'),
  ],
  ['a name without an address', 'https://evil.test/token', 'has no address', at()],
];

export const endpointAttacks: EndpointAttack[] = [
  ...fixed.map(([name, url, says, resolveName]) => ({
    name,
    url: () => url,
    says,
    ...(resolveName === undefined ? {} : { resolveName }),
  })),
  { name: 'a server that is not listed', url: (_own, other) => `${other}/token`, says: 'is not https' },
  {
    name: 'a server that is not listed, encrypted',
    url: (_own, other) => `${other.replace('http:', 'https:')}/token`,
    says: 'a private address',
  },
  {
    name: 'encryption where the list says there is none',
    url: (own) => `${own.replace('http:', 'https:')}/token`,
    says: 'could not agree on an encrypted connection',
  },
];
