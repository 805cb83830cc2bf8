/**
 * Siblings in containers: how their agent reaches them, and where containers cannot keep them from others.
 */
import { expect, it } from '@jest/globals';
import type { FrozenConfiguration } from '../../../../contract/session.ts';
import type { ContainerSettings } from '../../../../runtime/container-workload/container-settings.ts';
import type { ContainerWorkload } from '../../../../runtime/container-workload/container-workload.ts';
import { renderContainerWorkload } from '../../../../runtime/container-workload/render-container-workload.ts';
import { UnsupportedWorkloadError } from '../../../../runtime/workload.ts';
import { configuration, serverNamed } from '../../../support/frozen-configuration.ts';
import { testContainerSettings } from '../../../support/random-configurations.ts';

const sibling = {
  name: 'db',
  run: { type: 'command' as const, command: 'db', args: ['-x'] },
  image: null,
  env: {},
};
const internet = { network: 'internet' as const };
const render = (frozen: FrozenConfiguration, networks: ContainerSettings['networks'] = 'shared') =>
  renderContainerWorkload(frozen, { ...testContainerSettings, networks });
const named = ({ containers }: ContainerWorkload, name: string) => {
  const found = containers.find((each) => each.name === name);
  if (found === undefined) {
    throw new Error(`no container ${name}`);
  }
  return found;
};
const variablesOf = (workload: ContainerWorkload, name: string) =>
  Object.fromEntries(
    named(workload, name).env.map((each) => [each.name, 'value' in each ? each.value : null]),
  );

it('has an agent reach its siblings by sockets, and on its own loopback where it has one', () => {
  const ready = { type: 'port' as const, timeout_seconds: 90 };
  const listening = configuration({ siblings: [{ ...sibling, port: 5432, ready }] });
  const own = render(listening, 'own');
  expect(named(own, 'sibling-db').argv.join(' ')).toContain(
    ' --dial /run/platform-report/.agent.sock --port 5432 --ready-port 5432 ',
  );
  expect(named(own, 'agent').argv.join(' ')).toContain(
    ' --wait-limit-ms 1290000 --listen 5432=/run/platform/siblings/db.sock -- ',
  );
  expect(variablesOf(own, 'agent')).toMatchObject({ SIBLING_DB_ADDRESS: '127.0.0.1:5432' });
  const shared = render(listening, 'shared');
  expect(named(shared, 'agent').argv).not.toContain('--listen');
  expect(variablesOf(shared, 'agent')).toMatchObject({
    SIBLING_DB_SOCKET: '/run/platform/siblings/db.sock',
  });
  expect(variablesOf(shared, 'agent')).not.toHaveProperty('SIBLING_DB_ADDRESS');
  expect(named(shared, 'sibling-db').argv.join(' ')).toContain(' --network listen ');
  expect(named(render(configuration({ siblings: [sibling] })), 'sibling-db').argv.join(' ')).toContain(
    ' --network none ',
  );
  expect(variablesOf(shared, 'sibling-db')).not.toHaveProperty('SIBLING_DB_SOCKET');
  expect(shared.directories).toContain('agent/siblings');
  expect(shared.boot.sibling_access).toEqual([{ name: 'db', listens: true, ready_seconds: 90 }]);
});

it('refuse a port that an MCP server with the internet could reach in the same Pod', () => {
  const frozen = configuration({
    servers: [serverNamed('far', internet)],
    siblings: [{ ...sibling, port: 5432 }],
  });
  expect(() => render(frozen, 'shared')).toThrow(UnsupportedWorkloadError);
  expect(() => render(frozen, 'shared')).toThrow(/^the sibling "db" listens on a port.*"far"/);
  expect(() => render(frozen, 'own')).not.toThrow();
  expect(() => render({ ...frozen, siblings: [sibling] }, 'shared')).not.toThrow();
  expect(() => render({ ...frozen, servers: [serverNamed('near')] }, 'shared')).not.toThrow();
});
