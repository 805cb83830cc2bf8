/** Each package of the gallery, registered as it is and checked: it starts, and lists what is said of it. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { McpCheck } from '../../contract/mcp-check.ts';
import { serverGallery } from '../../contract/server-gallery.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { uvProgram } from '../support/uv.ts';

const servers = '/api/workspaces/demo/mcp-servers';

let platform: Platform;
let ada: FrontDoor;

describeWith('bwrap', 'slirp4netns')('the gallery', () => {
  beforeAll(async () => {
    const { NODE_EXTRA_CA_CERTS: caFile, PATH } = process.env;
    const given = Object.entries(process.env).filter(([name]) => /^(NPM|PYPI|PACKAGE|SANDBOX)_/.test(name));
    platform = await startPlatform({
      withoutDemoSession: true,
      env: {
        ...(caFile === undefined ? {} : { SANDBOX_CA_FILE: caFile }),
        ...(uvProgram === null ? {} : { PATH: `${dirname(uvProgram)}:${PATH}` }),
        ...Object.fromEntries(given.map(([name, value]) => [name, value ?? ''])),
      },
    });
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  });
  afterAll(() => platform?.stop());

  it.each(serverGallery.map((server) => [server.input.name, server] as const))(
    'has %s, which starts and lists its tools',
    async (name, { input, tools }) => {
      const entry = { ...input, name: `gallery-${name}` };
      await ada.ok('POST', servers, entry);
      const checks = `${servers}/${entry.name}/checks`;
      const { mcp_check: started } = await ada.ok<{ mcp_check: McpCheck }>('POST', checks, { env: {} });
      const ended = await untilFound(`the end of the check of ${name}`, async () => {
        const { mcp_check: now } = await ada.ok<{ mcp_check: McpCheck }>('GET', `${checks}/${started.id}`);
        return now.ended_at === null ? null : now;
      });
      expect(ended).toMatchObject({ status: 'completed', reason: null });
      expect(ended.listing?.tools.map((tool) => tool.name).toSorted()).toEqual([...tools].toSorted());
    },
  );
});
