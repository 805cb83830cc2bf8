import { expect, it } from '@jest/globals';
import { sidecarBoot } from '../../../contract/sidecar.ts';
import { sessionDescription } from '../../../runtime/render-boot.ts';
import { configuration, serverNamed } from '../../support/frozen-configuration.ts';

it('tells the sidecar which version of each entry the session froze, for the digests of its calls', () => {
  const servers = [serverNamed('files', { entry_version: 7 }), serverNamed('mail')];
  const boot = sidecarBoot.shape.servers.parse(sessionDescription(configuration({ servers })).servers);
  expect(boot).toMatchObject([
    { name: 'files', entry_version: 7, tool_scopes: { write_file: 'files.write' } },
    { name: 'mail', entry_version: 1 },
  ]);
});
