import { expect, it } from '@jest/globals';
import { renderContainerWorkload } from '../../../../runtime/container-workload/render-container-workload.ts';
import { configuration } from '../../../support/frozen-configuration.ts';
import { testContainerSettings } from '../../../support/random-configurations.ts';

const frozen = configuration({ agent: { run: { type: 'builtin', name: 'claude' } } });

it('the agent claude runs in the image that an operator named', () => {
  const { containers } = renderContainerWorkload(frozen, testContainerSettings);
  const agent = containers.find(({ name }) => name === 'agent');
  expect(agent?.image).toEqual({ reference: 'localhost/claude:1', credentialsOf: null });
  expect(agent?.argv.slice(-2)).toEqual(['node', '/opt/platform/claude-agent.js']);
});

it('the agent claude is refused without an image, with what to do', () => {
  const images = { ...testContainerSettings.images, claude: null };
  expect(() => renderContainerWorkload(frozen, { ...testContainerSettings, images })).toThrow(
    /^the agent: the built-in agent "claude" runs in an image of its own; .* name it by CLAUDE_IMAGE/,
  );
});
