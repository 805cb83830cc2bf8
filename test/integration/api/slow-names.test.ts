/**
 * Name servers of one tenant that keep silent, beside another tenant: their requests and look-ups take at
 * most three times as long.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { lookUpLimits, resolveTenantName, shareLookUps } from '../../../lib/outbound/resolve-names.ts';
import { type Person, startTestApi, type TestApi } from '../../support/api.ts';
import { bestRatio } from '../../support/loop-hold.ts';
import { type NameServer, startNameServer } from '../../support/name-server.ts';

const mostSlowdown = 3;
const rounds = 20;
/** What a list and a look-up count as at least. */
const leastMs = 10;
/** More than a process looks up at a time. */
const slowNames = Array.from({ length: 2 * lookUpLimits.whole }, (_, index) => `${index}.silent.test`);
const directory = mkdtempSync(join(tmpdir(), 'slow-names-'));

let api: TestApi;
let admin: Person;
let base: string;
let nameServer: NameServer;
let lookUp: ReturnType<typeof shareLookUps>;

beforeAll(async () => {
  api = await startTestApi();
  ({ admin, base } = await api.workspace());
  nameServer = await startNameServer({ 'quick.test': { 1: [192, 0, 2, 1] } });
  const services = {
    hostsFile: join(directory, 'hosts'),
    resolverFile: join(directory, 'resolv.conf'),
    servers: [nameServer.address],
    limitMs: lookUpLimits.limitMs,
  };
  writeFileSync(services.hostsFile, '');
  writeFileSync(services.resolverFile, '');
  // As the API has them.
  lookUp = shareLookUps((hostname, signal) => resolveTenantName(hostname, signal, services), lookUpLimits);
});
afterAll(async () => {
  await api.stop();
  nameServer.close();
  rmSync(directory, { recursive: true });
});

async function beginSlowOnes(): Promise<() => Promise<void>> {
  const ended = new AbortController();
  const ask = (name: string) => lookUp(name, AbortSignal.any([ended.signal]), 'slow');
  const slow = slowNames.map((name) => ask(name).catch((error: unknown) => error));
  return async () => {
    ended.abort(new Error('seen enough'));
    await Promise.all(slow);
  };
}

async function workOfOthers(): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const [found] = await Promise.all([
      lookUp('quick.test', undefined, 'other'),
      admin.ok('GET', `${base}/agents`),
    ]);
    expect(found).toEqual([{ address: '192.0.2.1', family: 4 }]);
  }
}

it('leave the requests and look-ups of others three times their time at most', async () => {
  await workOfOthers();
  const ratio = await bestRatio({
    subject: workOfOthers,
    control: workOfOthers,
    beside: beginSlowOnes,
    of: 'clock',
    below: mostSlowdown,
    rounds: 5,
    leastControlMs: rounds * leastMs,
  });
  expect(ratio).toBeLessThan(mostSlowdown);
  expect(nameServer.asked).toContain(slowNames[0]);
});
