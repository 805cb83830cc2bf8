import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { guardedLookup } from '../../../../lib/outbound/guarded-lookup.ts';
import { classifyAddress, literalAddress } from '../../../../lib/outbound/special-ranges.ts';
import { checkProperty } from '../../../support/property.ts';

describe('an address', () => {
  it.each([
    ['public', ['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700::1111', '64:ff9b::808:808', '::ffff:8.8.8.8']],
    [
      'private',
      [
        '127.0.0.1',
        '10.1.2.3',
        '172.16.0.1',
        '172.31.255.255',
        '192.168.1.1',
        '100.64.0.1',
        '198.18.0.1',
        '::1',
        'fd12::1',
        'fc00::1',
        '2002:7f00:1::',
        '2001:0:1::1',
        '2001:db8::1',
        '::ffff:127.0.0.1',
        '::ffff:7f00:1',
        '64:ff9b::10.0.0.1',
        '::7f00:1',
      ],
    ],
    [
      'never',
      [
        '169.254.169.254',
        '169.254.170.2',
        '0.0.0.0',
        '100.100.100.200',
        '168.63.129.16',
        '224.0.0.1',
        '255.255.255.255',
        '::',
        'fe80::1',
        'fe80::1%eth0',
        'fd00:ec2::254',
        'ff02::1',
        '::ffff:169.254.169.254',
        '64:ff9b::a9fe:a9fe',
        // The zeros of these are left out when the address is written in its short form.
        '64:ff9b::0.0.0.0',
        '64:ff9b::0.0.1.2',
        '::ffff:0.0.0.0',
        '::a9fe:a9fe',
        '::ffff:0:a9fe:a9fe',
        '2002:a9fe:a9fe::',
        '64:ff9b:1::a9fe:a9fe',
        'fd00:42::42',
        'fd00:a9fe:a9fe::1',
      ],
    ],
  ])('%s: %j', (kind, addresses) => {
    for (const address of addresses) {
      expect([address, classifyAddress(address)]).toEqual([address, kind]);
    }
  });

  it('an IPv4 address is the same when it is written as IPv6', () => {
    checkProperty(
      fc.property(fc.ipV4(), (address) => {
        expect(classifyAddress(`::ffff:${address}`)).toBe(classifyAddress(address));
        expect(classifyAddress(`64:ff9b::${address}`)).toBe(classifyAddress(address));
      }),
    );
  });

  it.each([
    ['[::1]', '::1'],
    ['127.0.0.1', '127.0.0.1'],
    ['registry.test', null],
  ])('the host %s is recognised as the address %s', (host, address) => {
    expect(literalAddress(host)).toBe(address);
  });
});

describe('the look-up of a connection', () => {
  const look = (addresses: string[], privateAllowed = false, all = false) =>
    new Promise((resolve) => {
      const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      const url = new URL('https://registry.test');
      const privateHosts = new Map(privateAllowed ? [[url.host, 'https' as const]] : []);
      const policy = { privateHosts, setting: 'PRIVATE_REGISTRIES of the API and the worker' };
      const lookup = guardedLookup(policy, url, async () => found);
      lookup('registry.test', { all }, (error, answer) => resolve(error?.message ?? answer));
    });

  it('returns the addresses of the name', async () => {
    expect(await look(['1.1.1.1'])).toBe('1.1.1.1');
    expect(await look(['1.1.1.1', '2606:4700::1111'], false, true)).toHaveLength(2);
    expect(await look(['10.0.0.1'], true)).toBe('10.0.0.1');
  });

  it('fails when any of the addresses is refused, and when there is none', async () => {
    expect(await look(['1.1.1.1', '10.0.0.1'])).toBe(
      'registry.test has a private address and is not asked; PRIVATE_REGISTRIES of the API and the worker names the hosts that may have one',
    );
    expect(await look(['1.1.1.1', '169.254.169.254'], true)).toMatch(/never connected to/);
    expect(await look([])).toMatch(/no address/);
  });
});
