import { expect, it } from '@jest/globals';
import { renderContainerWorkload } from '../../../../runtime/container-workload/render-container-workload.ts';
import { configuration } from '../../../support/frozen-configuration.ts';
import { testContainerSettings } from '../../../support/random-configurations.ts';

const acp = { type: 'builtin' as const, name: 'acp' as const };
const opencode = configuration({ agent: { run: { ...acp, preset: 'opencode' } } });
const custom = configuration({
  agent: { run: { ...acp, preset: 'custom', command: 'my-agent', args: ['--acp', '$(HOME)'] } },
});
const settings = {
  ...testContainerSettings,
  acpImages: { opencode: 'localhost/acp-opencode:1', custom: 'localhost/acp:1' },
};
const onEngine = { ...settings, networks: 'own' as const };
const onCluster = { ...settings, networks: 'shared' as const };

it('the agent acp runs in the image that an operator named for its preset, as any other agent does', () => {
  const agentOf = (frozen: typeof custom, given: typeof settings) =>
    renderContainerWorkload(frozen, given).containers.find(({ name }) => name === 'agent');
  const client = ['node', '/opt/platform/acp-agent.js'];
  expect(agentOf(opencode, onEngine)).toMatchObject({
    image: { reference: 'localhost/acp-opencode:1', credentialsOf: null },
    argv: expect.arrayContaining(['--', ...client, 'opencode']),
  });
  const { image, argv, ...confinement } = agentOf(custom, onCluster) ?? { argv: [] };
  expect(image).toEqual({ reference: 'localhost/acp:1', credentialsOf: null });
  expect(argv.slice(argv.indexOf('--') + 1)).toEqual([...client, 'custom', 'my-agent', '--acp', '$(HOME)']);
  const scripted = configuration({ agent: { run: { type: 'builtin', name: 'scripted' } } });
  const { image: _, argv: usual, ...usualConfinement } = agentOf(scripted, onCluster) ?? { argv: [] };
  expect(confinement).toEqual(usualConfinement);
  expect(argv.slice(0, argv.indexOf('--'))).toEqual(usual.slice(0, usual.indexOf('--')));
});

it('a preset is refused without an image of its own, and on Kubernetes where it needs a loopback', () => {
  const without = { ...onEngine, acpImages: { custom: 'localhost/acp:1' } };
  expect(() => renderContainerWorkload(opencode, without)).toThrow(
    /^the agent: "opencode" runs in an image of its own; .* target acp-opencode of .* name it in ACP_IMAGES/,
  );
  expect(() => renderContainerWorkload(opencode, onCluster)).toThrow(
    /^"opencode" does not run on Kubernetes/,
  );
});
