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
  const agentOf = (frozen: typeof custom, given: typeof settings) => {
    const { containers } = renderContainerWorkload(frozen, given);
    const { image, argv = [], ...confinement } = containers.find(({ name }) => name === 'agent') ?? {};
    const at = argv.indexOf('--');
    return {
      reference: image?.reference,
      confinement,
      relay: argv.slice(0, at),
      program: argv.slice(at + 1),
    };
  };
  const client = ['node', '/opt/platform/acp-agent.js'];
  expect(agentOf(opencode, onEngine)).toMatchObject({
    ...{ reference: 'localhost/acp-opencode:1', program: [...client, 'opencode'] },
  });
  const agent = agentOf(custom, onCluster);
  const program = [...client, 'custom', 'my-agent', '--acp', '$(HOME)'];
  expect(agent).toMatchObject({ reference: 'localhost/acp:1', program });
  const { confinement, relay } = agentOf(configuration(), onCluster);
  expect(agent).toMatchObject({ confinement, relay });
});

it('a preset is refused without an image of its own, and on Kubernetes where it needs a loopback', () => {
  const without = { ...onEngine, acpImages: { custom: 'localhost/acp:1' } };
  expect(() => renderContainerWorkload(opencode, without)).toThrow(
    /^the agent: "opencode" runs in an image of its own; .*target acp-opencode of .* name it in ACP_IMAGES/,
  );
  expect(() => renderContainerWorkload(opencode, onCluster)).toThrow(
    /^"opencode" does not run on Kubernetes/,
  );
});
