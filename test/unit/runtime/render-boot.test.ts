import { expect, it } from '@jest/globals';
import { sidecarBoot } from '../../../contract/sidecar.ts';
import { renderBoot, sessionDescription } from '../../../runtime/render-boot.ts';
import { configuration, serverNamed } from '../../support/frozen-configuration.ts';
import { roomySidecarLimits } from '../../support/sidecar-limits.ts';

it('tells the sidecar which version of each entry the session froze, for the digests of its calls', () => {
  const servers = [serverNamed('files', { entry_version: 7 }), serverNamed('mail')];
  const boot = sidecarBoot.shape.servers.parse(sessionDescription(configuration({ servers })).servers);
  expect(boot).toMatchObject([
    { name: 'files', entry_version: 7, tool_scopes: { write_file: 'files.write' } },
    { name: 'mail', entry_version: 1 },
  ]);
});

it.each([true, false])('tells the sidecar whether a person drives the session: %s', (has_operator) => {
  const described = sessionDescription(configuration({ has_operator }));
  const places = { session_directory: '/s', agent_config: null, control_host: '127.0.0.1', control_port: 0 };
  const settings = {
    apiUrl: 'http://127.0.0.1:1',
    auditSync: 'within-100-ms' as const,
    sidecarLimits: roomySidecarLimits,
  };
  const boot = renderBoot(described, settings, places);
  const keyed = { ...boot, internal_token: 'token', control_key: 'key' };
  expect(sidecarBoot.parse(keyed).has_operator).toBe(has_operator);
});
