/** What holds of a plan whatever the configuration is and wherever it runs. */

import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { availabilityOf } from '../../../../contract/available-runs.ts';
import type { FrozenConfiguration } from '../../../../contract/session.ts';
import { reportSocket } from '../../../../contract/session-paths.ts';
import { UnsupportedWorkloadError } from '../../../../runtime/workload.ts';
import { type PlanRules, planWorkload } from '../../../../runtime/workload-plan/plan-workload.ts';
import { configuration, remoteNamed, serverNamed } from '../../../support/frozen-configuration.ts';
import { testEndpoints } from '../../../support/model-endpoints.ts';
import { checkProperty } from '../../../support/property.ts';
import { randomLaunch } from '../../../support/random-configurations.ts';

const rules: PlanRules = {
  available: availabilityOf('kubernetes', []),
  networks: 'own',
  privateDestinations: 'direct',
  firstUid: 2000,
  privateHosts: new Map([['127.0.0.1:9000', 'http']]),
  modelEndpoints: testEndpoints(),
};
const randomRules = fc.record({
  networks: fc.constantFrom('own' as const, 'shared' as const),
  privateDestinations: fc.constantFrom('direct' as const, 'forwarded' as const),
});
const ofAny = (check: (plan: ReturnType<typeof planWorkload>, frozen: FrozenConfiguration) => void) =>
  checkProperty(
    fc.property(randomLaunch, randomRules, ({ configuration: frozen }, chosen) =>
      check(planWorkload(frozen, { ...rules, ...chosen }), frozen),
    ),
  );

describe('any plan', () => {
  it('shows no directory of sockets to two containers, and each container its own', () => {
    ofAny(({ containers }) => {
      const seen = containers.flatMap(({ view, report }) => [
        ...new Set([view.directory, ...(report === null ? [] : [report.directory])]),
      ]);
      expect(new Set(seen).size).toBe(seen.length);
      const overlaps = (one: string) =>
        seen.some((other) => other !== one && `${other}/`.startsWith(`${one}/`));
      expect(seen.filter(overlaps)).toEqual([]);
    });
  });

  it('has every socket in a directory that one container sees', () => {
    ofAny(({ containers, sockets, start }) => {
      const seen = containers.flatMap(({ view, report }) => [view, ...(report === null ? [] : [report])]);
      for (const socket of [...sockets, start.socket]) {
        const places = seen.filter(({ directory }) => `${dirname(socket)}/`.startsWith(`${directory}/`));
        expect({ socket, views: new Set(places.map(({ directory }) => directory)).size }).toEqual({
          socket,
          views: 1,
        });
      }
    });
  });

  it('has each program reported where the sidecar listens, but for the platform’s own', () => {
    ofAny(({ containers, sockets }) => {
      const expected = containers.flatMap(({ role, subject }) =>
        role === 'agent' || role === 'server' || role === 'sibling'
          ? [reportSocket(role, subject ?? '')]
          : [],
      );
      expect(sockets.filter((socket) => socket.endsWith('/.report.sock'))).toEqual(expected);
      expect(containers.filter(({ report }) => report === null).every(({ role }) => role === 'model')).toBe(
        true,
      );
    });
  });

  it('has a user for each container, a name for each, and none of them is root', () => {
    ofAny(({ containers }) => {
      for (const values of [containers.map(({ uid }) => uid), containers.map(({ name }) => name)]) {
        expect(new Set<unknown>(values).size).toBe(containers.length);
      }
      expect(Math.min(...containers.map(({ uid }) => uid))).toBe(rules.firstUid);
    });
  });

  it('gives no container another network than its configuration asks for', () => {
    ofAny(({ containers }, { agent, servers }) => {
      for (const { role, subject, network } of containers) {
        const server = servers.find(({ name }) => role === 'server' && name === subject);
        expect(network).toBe(role === 'model' ? 'internet' : (server ?? agent).network);
      }
    });
  });

  it('names no secret', () => {
    const env = { TOKEN: { kind: 'secret' as const, secret_name: 'THE_SECRET', secret_version: 3 } };
    const plan = planWorkload(
      configuration({ agent: { env }, servers: [serverNamed('files', { env })] }),
      rules,
    );
    expect(plan.containers.map((each) => each.env)).toEqual([
      { TOKEN: { kind: 'secret' } },
      { TOKEN: { kind: 'secret' } },
    ]);
    expect(JSON.stringify(plan)).not.toContain('THE_SECRET');
  });
});

describe('the plan of a server', () => {
  const far = remoteNamed('far', { shape: { type: 'remote', url: 'http://127.0.0.1:9000/mcp' } });
  const planOf = (privateDestinations: PlanRules['privateDestinations']) =>
    planWorkload(configuration({ servers: [far] }), { ...rules, privateDestinations });

  it('reaches a host on the worker’s loopback only where that is forwarded', () => {
    expect(planOf('forwarded').containers[1]).toMatchObject({
      privateOrigin: 'http://127.0.0.1:9000',
      program: { bridge: { host_socket: '/run/platform/mcp/.host.sock' } },
    });
    expect(() => planOf('direct')).toThrow(/"far": 127\.0\.0\.1:9000 would be its own container here/);
  });

  it.each(['own', 'shared'] as const)(
    'never takes the socket of the platform’s own, with a network that is %s',
    (networks) => {
      const frozen = configuration({ servers: [serverNamed('platform')] });
      const plan = () => planWorkload(frozen, { ...rules, networks });
      expect(plan).toThrow(UnsupportedWorkloadError);
      expect(plan).toThrow(/"platform" is the name of the platform's own server/);
    },
  );
});
