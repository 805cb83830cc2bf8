import { expect, it } from '@jest/globals';
import { controlUrl } from '../../../../contract/sidecar.ts';
import { hostOf } from '../../../../runtime/kubernetes/pod.ts';
import { podWith } from './pods.ts';

const ips = (...all: string[]) => ({ podIP: all[0], podIPs: all.map((ip) => ({ ip })) });

it.each([
  ['none yet', {}, null],
  ['an IPv4 one', ips('10.1.2.3'), '10.1.2.3'],
  ['both, IPv4 first', ips('10.1.2.3', 'fd00::7'), '10.1.2.3'],
  ['both, IPv6 first', ips('fd00::7', '10.1.2.3'), '10.1.2.3'],
  ['an IPv6 one', ips('fd00::7'), '[fd00::7]'],
  ['an IPv6 one that is written at length', ips('FD00:0:0:0::0007'), '[fd00::7]'],
])('of a Pod with %s is as a parsed URL has it', (_what, status, host) => {
  expect(hostOf(podWith({ status }))).toBe(host);
});

it.each([
  ['http://10.1.2.3:7070', true],
  ['http://[fd00::7]:7070', true],
  ['http://[::ffff:a01:203]:7070', true],
  ['http://[fd00::7%25eth0]:7070', false],
  ['http://[fd00:::7]:7070', false],
  ['http://[fd00::7]', false],
  ['http://fd00::7:7070', false],
  ['https://[fd00::7]:7070', false],
  ['http://user@[fd00::7]:7070', false],
  ['http://[fd00::7]:7070/path', false],
  ['http://sidecar.internal:7070', false],
])('%s as what a sidecar reports', (text, isTaken) => {
  expect(controlUrl.safeParse(text).success).toBe(isTaken);
});
