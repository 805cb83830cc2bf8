/** What people see of a session whose start waits for packages: a notice in its transcript. */
import { expect, it } from '@jest/globals';
import { listSessionEvents } from '../../../../store/session-events/list.ts';
import { createTestActivities } from '../../../support/activities.ts';
import { eventually } from '../../../support/eventually.ts';
import { describeWith } from '../../../support/sandbox-programs.ts';
import { node, stays } from '../driver-under-test.ts';
import { open, registry, usePackageRegistry } from './package-sessions.ts';

usePackageRegistry();

describeWith('bwrap')('a session whose packages are not there yet', () => {
  it('says in its transcript that they are being loaded; one that finds them says nothing', async () => {
    const activities = await createTestActivities();
    const runtime = await open();
    activities.dependencies.runtime = runtime;
    try {
      const tenant = await activities.tenant();
      const shape = { type: 'command' as const, command: 'npx', args: ['-y', 'probe-server'] };
      await tenant.server('probe', { env: {} }, { shape, network: 'internet' });
      const agent = await tenant.agent(node(stays));
      await tenant.attach(agent, 'probe', {});
      const started = async () => {
        const { id: sessionId } = await tenant.session(agent);
        await activities.run('freezeConfiguration', { sessionId });
        await activities.run('validateLaunch', { sessionId });
        await activities.run('startWorkload', { sessionId });
        await runtime.stop(sessionId);
        return sessionId;
      };
      const noticesOf = async (sessionId: string) =>
        (await listSessionEvents(activities.db, sessionId, { after: 0, limit: 100 })).flatMap((event) =>
          event.type === 'platform.notice' ? [event.payload] : [],
        );

      const first = await started();
      await eventually(async () =>
        expect(await noticesOf(first)).toEqual([
          {
            code: 'packages_loading',
            message: 'The packages of the MCP server "probe" are being loaded: probe-server',
          },
        ]),
      );
      registry().requests.length = 0;
      const second = await started();
      expect(registry().requests).toEqual([]);
      expect(await noticesOf(second)).toEqual([]);
    } finally {
      await activities.drop();
    }
  });
});
