/**
 * Another tenant: an honest agent in a workspace of another person, who approves each of
 * its requests immediately.
 */
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Arena, registerServers } from './arena.ts';
import { askAndCall } from './attempts/floods.ts';
import { vaultServer } from './inside/vault.ts';
import { HostileSession } from './session.ts';

const workspace = 'elsewhere';
const base = `/api/workspaces/${workspace}`;

export class Neighbour {
  private readonly max: FrontDoor;
  private readonly session: HostileSession;

  private constructor(max: FrontDoor, session: HostileSession) {
    this.max = max;
    this.session = session;
  }

  static async moveIn({ platform }: Arena): Promise<Neighbour> {
    const max = await FrontDoor.signIn(platform.url, 'max@demo.test');
    await max.ok('POST', '/api/workspaces', { slug: workspace, name: 'Elsewhere' });
    await registerServers(max, { vault: vaultServer }, base);
    const session = await HostileSession.start(max, { name: 'neighbour', servers: ['vault'], workspace });
    return new Neighbour(max, session);
  }

  /** The median time from a refused call through an approval to the call that passes. */
  async approvalMs(seconds: number): Promise<{ medianMs: number; rounds: number }> {
    const asking = this.session.run(askAndCall, { argument: { seconds, leastRounds: 7 } });
    let goesOn = true;
    const approving = (async () => {
      while (goesOn) {
        await this.approveAll();
      }
    })();
    const { roundsMs, wrong } = await asking.finally(() => {
      goesOn = false;
    });
    await approving;
    if (wrong.length > 0) {
      throw new Error(`a round of the other tenant went wrong: ${wrong.join('; ')}`);
    }
    const sorted = roundsMs.toSorted((a, b) => a - b);
    return { medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0, rounds: sorted.length };
  }

  private async approveAll(): Promise<void> {
    const { permission_requests: open } = await this.max.ok<{ permission_requests: PermissionRequest[] }>(
      'GET',
      `${base}/permission-requests?status=open&limit=200`,
    );
    for (const { id, agent_id, grant_type, details, scope, refused_call: call } of open) {
      await this.max.ok('POST', `${base}/grants`, {
        agent_subject_id: agent_id,
        grant_type,
        details,
        scope,
        request_id: id,
        call_digest: call?.digest ?? undefined,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
