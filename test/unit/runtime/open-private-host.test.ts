import { describe, expect, it } from '@jest/globals';
import type { ResolveName } from '../../../lib/outbound/guarded-lookup.ts';
import { openPrivateHost } from '../../../runtime/open-private-host.ts';

const resolvesTo =
  (...addresses: string[]): ResolveName =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
const notAsked: ResolveName = () => Promise.reject(new Error('an address is not looked up'));

describe('a private host that is opened', () => {
  it('stands for the addresses that it has now, each once', async () => {
    const found = resolvesTo('10.1.2.3', 'fd00:1::5', '10.1.2.3', '93.184.216.34');
    expect(await openPrivateHost('https://mcp.internal', found)).toEqual({
      name: 'mcp.internal',
      addresses: ['10.1.2.3', 'fd00:1::5', '93.184.216.34'],
      port: 443,
    });
  });

  it.each([
    ['http://10.1.2.3:9000', '10.1.2.3', 9000],
    ['https://[fd00:1::5]', 'fd00:1::5', 443],
  ])('may be an address: %s', async (origin, address, port) => {
    expect(await openPrivateHost(origin, notAsked)).toEqual({ name: null, addresses: [address], port });
  });

  it.each([
    ['http://169.254.169.254', notAsked],
    ['http://127.0.0.1:9000', notAsked],
    ['http://[::1]:9000', notAsked],
    ['http://0.0.0.0:9000', notAsked],
    ['https://mcp.internal', resolvesTo('127.0.0.1')],
    ['https://mcp.internal', resolvesTo('10.1.2.3', '127.8.8.8')],
    ['https://mcp.internal', resolvesTo('10.1.2.3', '169.254.169.254')],
    ['https://mcp.internal', resolvesTo('::ffff:127.0.0.1')],
    ['https://mcp.internal', resolvesTo('::ffff:169.254.169.254')],
  ])('is never a metadata service or the container itself: %s', async (origin, resolve) => {
    await expect(openPrivateHost(origin, resolve)).rejects.toMatchObject({
      name: 'WorkloadFailedError',
      message: expect.stringContaining('never connected to'),
    });
  });

  it.each([
    ['no address', resolvesTo()],
    ['a resolver that fails', notAsked],
  ] as const)('is refused with %s, in a sentence without the resolver’s words', async (_, resolve) => {
    await expect(openPrivateHost('https://mcp.internal', resolve)).rejects.toMatchObject({
      name: 'WorkloadFailedError',
      message:
        'mcp.internal of PRIVATE_MCP_HOSTS has no address where the worker looks it up; an operator has to check its name',
    });
  });
});
