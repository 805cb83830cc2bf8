/**
 * Where the agent reaches its siblings: sockets of the sidecar, copied to connections that the relay
 * beside each sibling dials.
 */

import { agentSiblingSocket, siblingSocket } from '../../contract/session-paths.ts';
import type { SidecarBoot } from '../../contract/sidecar.ts';
import { joinLimits } from '../../lib/timing/join-connections.ts';
import { type CopiedSocket, openCopiedSocket } from '../dialed-connections/copied-socket.ts';

/** As many as the relay has room for. */
const limits = { ...joinLimits, mostConnections: 64, connectMs: 5000 };

/** Of each sibling that listens. Throws when a socket cannot be created. */
export const openSiblingSockets = ({
  sibling_access,
}: Pick<SidecarBoot, 'sibling_access'>): Promise<CopiedSocket[]> =>
  Promise.all(
    sibling_access
      .filter(({ listens }) => listens)
      .map(({ name }) =>
        openCopiedSocket({
          path: agentSiblingSocket(name),
          dialedPath: siblingSocket(name),
          limits,
        }),
      ),
  );
