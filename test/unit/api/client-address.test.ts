import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createClientAddress } from '../../../api/middleware/client-address.ts';
import { checkProperty } from '../../support/property.ts';

const request = (remoteAddress: string, forwarded?: string) => ({
  socket: { remoteAddress },
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
});

describe('the address of a caller', () => {
  it('is the connection’s where no proxy is trusted', () => {
    const addressOf = createClientAddress({ hops: 0 });
    expect(addressOf(request('198.51.100.1', '10.9.9.9'))).toBe('198.51.100.1');
    expect(addressOf(request('::ffff:198.51.100.1'))).toBe('198.51.100.1');
  });

  it('is the one that the outermost of the trusted hops saw', () => {
    const forwarded = '192.0.2.66, 203.0.113.9, 10.0.0.2';
    expect(createClientAddress({ hops: 1 })(request('10.0.0.1', forwarded))).toBe('10.0.0.2');
    expect(createClientAddress({ hops: 2 })(request('10.0.0.1', forwarded))).toBe('203.0.113.9');
    expect(createClientAddress({ hops: 9 })(request('10.0.0.1', forwarded))).toBe('192.0.2.66');
    expect(createClientAddress({ hops: 1 })(request('10.0.0.1'))).toBe('10.0.0.1');
  });

  it('is the nearest one that is not a trusted proxy', () => {
    const addressOf = createClientAddress({ ranges: ['10.0.0.0/8', '2001:db8::/32'] });
    expect(addressOf(request('10.0.0.1', '192.0.2.66, 203.0.113.9, 10.0.0.2'))).toBe('203.0.113.9');
    expect(addressOf(request('::ffff:10.0.0.1', '203.0.113.9, ::ffff:10.3.0.1'))).toBe('203.0.113.9');
    expect(addressOf(request('2001:db8::5', '2a00::1'))).toBe('2a00::1');
    expect(addressOf(request('198.51.100.1', '10.0.0.2'))).toBe('198.51.100.1');
    expect(addressOf(request('10.0.0.1', '10.0.0.2'))).toBe('10.0.0.2');
  });

  it('is its proxy’s if the proxy sent an invalid address', () => {
    const addressOf = createClientAddress({ ranges: ['10.0.0.0/8'] });
    for (const text of ['unknown', '', '203.0.113.9, ', '1.2.3', '_hidden', '203.0.113.9:80']) {
      expect(addressOf(request('10.0.0.1', text))).toBe('10.0.0.1');
    }
  });

  it('cannot be chosen by a caller, whatever headers it sends', () => {
    const ranges = ['10.0.0.0/8'];
    checkProperty(
      fc.property(fc.string(), fc.ipV4(), (sent, claimed) => {
        for (const addressOf of [createClientAddress({ ranges }), createClientAddress({ hops: 1 })]) {
          expect(addressOf(request('10.0.0.1', `${sent}, ${claimed}, 203.0.113.9`))).toBe('203.0.113.9');
        }
      }),
    );
  });
});
