/**
 * One list of special ranges, for everything that keeps a session or a request from them. `npm run docs`
 * updates what is made from it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rangeContains } from '../../../../config/address-range.ts';
import { classifyAddress, neverRanges, specialIpv4Ranges } from '../../../../lib/outbound/special-ranges.ts';
import { blockedRoutes } from '../../../../runtime/process/host/network.ts';
import { checkProperty } from '../../../support/property.ts';

const header = 'relay/static/special-ranges.h';

const rangesForC = `/* Made from lib/outbound/special-ranges.ts by \`npm run docs\`. */
#ifndef SPECIAL_RANGES_H
#define SPECIAL_RANGES_H

/* In the order in which they are closed: those that wait_for_network_policy probes come last. */
static const char *const special_ranges[] = {
${specialIpv4Ranges.map((range) => `    "${range}",\n`).join('')}};

#endif
`;

const isWithin = (ipv4: string, range: string) => rangeContains(range, `${ipv4}/32`);

describe('the special ranges', () => {
  it('are those of the network policy of containers', () => {
    if (process.env['UPDATE_DOCS'] === '1') {
      writeFileSync(header, rangesForC);
    }
    expect(readFileSync(header, 'utf8')).toBe(rangesForC);
  });

  it('come last in it where the relay probes whether it stands', () => {
    const probed = [
      ...readFileSync('relay/static/network-policy-check.c', 'utf8').matchAll(/"(\d+\.\d+\.\d+\.\d+)"/g),
    ]
      .map(([, address = '']) => specialIpv4Ranges.findIndex((range) => isWithin(address, range)))
      .toSorted((one, other) => one - other);
    expect(probed.length).toBeGreaterThan(0);
    const first = specialIpv4Ranges.length - probed.length;
    expect(probed).toEqual(probed.map((_, at) => first + at));
  });

  it('have no route in a process sandbox', () => {
    expect(blockedRoutes()).toEqual(expect.arrayContaining([...specialIpv4Ranges]));
  });

  it('are what the guard of requests refuses, and nothing else of IPv4 is', () => {
    checkProperty(
      fc.property(fc.ipV4(), (address) => {
        const isSpecial = specialIpv4Ranges.some((range) => isWithin(address, range));
        expect(classifyAddress(address) === 'public').toBe(!isSpecial);
      }),
    );
    for (const range of specialIpv4Ranges) {
      expect(classifyAddress(range.split('/')[0] ?? '')).not.toBe('public');
    }
  });

  it('hold everything that no setting allows', () => {
    for (const range of neverRanges) {
      const address = range.split('/')[0] ?? '';
      expect(classifyAddress(address)).toBe('never');
      expect(!isIPv4(address) || specialIpv4Ranges.some((special) => isWithin(address, special))).toBe(true);
    }
  });
});
