import { expect, it } from '@jest/globals';
import { renderContainerWorkload } from '../../../../runtime/container-workload/render-container-workload.ts';

import { configuration, serverNamed } from '../../../support/frozen-configuration.ts';
import { testContainerSettings } from '../../../support/random-configurations.ts';

const run = { type: 'command' as const, command: 'db', args: [] };
const sibling = { name: 'db', run, image: null, env: {} };

it.each(['none', 'internet'] as const)(
  'the package managers of every container are told when there is no network: %s',
  (network) => {
    const servers = [serverNamed('files', { network })];
    const { containers } = renderContainerWorkload(
      configuration({ agent: { network }, servers, siblings: [sibling] }),
      testContainerSettings,
    );
    const told = containers.filter(({ env }) => env.some(({ name }) => name === 'UV_OFFLINE'));
    const all = ['mcp-files', 'sibling-db', 'agent'];
    expect(told.map(({ name }) => name)).toEqual(network === 'none' ? all : []);
  },
);
