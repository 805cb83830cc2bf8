/**
 * The sidecar of a service preview: the only way to its service, which runs in a sandbox of its own
 * (docs/previews.md#services). The API asks at the control port, each request signed; the relay beside the
 * service keeps a connection at a Unix socket for the next one.
 */

import { serviceSocket } from '../../contract/session-paths.ts';
import type { SidecarBoot } from '../../contract/sidecar.ts';
import { listenForPlatform } from '../control/listen-for-platform.ts';
import { openDialedConnections } from '../dialed-connections/dialed-connections.ts';
import { closeHttp } from '../http/listen-http.ts';
import { createPlatformApi } from '../platform-api/platform-api.ts';
import { openReportSocket } from '../processes/report-socket.ts';
import { TrackedProcess } from '../processes/tracked-process.ts';
import type { RunningSidecar } from '../start-sidecar.ts';
import { createGatewayHttp } from './gateway-http.ts';
import { gatewayLimits } from './limits.ts';

/**
 * Starts in the current directory, which must be the workload's. Throws when a socket or
 * the port is unavailable.
 */
export async function startServiceGateway(boot: SidecarBoot): Promise<RunningSidecar> {
  const { api_url: apiUrl, session_id: sessionId, internal_token: token, control_key: controlKey } = boot;
  const api = createPlatformApi({ apiUrl, sessionId, token });
  // Whoever reports on the service's process finds its socket. Nobody is told: the
  // runtime knows how it ended.
  const reports = await openReportSocket(new TrackedProcess('agent', 'agent', () => undefined));
  const connections = await openDialedConnections(serviceSocket());
  const gateway = createGatewayHttp({ controlKey, connections, limits: gatewayLimits });
  const controlUrl = await listenForPlatform(gateway.server, boot.control_host, boot.control_port);
  const stopping = new AbortController();
  return {
    controlUrl,
    ready: api.ready(controlUrl, stopping.signal).then(() => undefined),
    async close() {
      stopping.abort();
      gateway.endUpgraded();
      await Promise.all([closeHttp(gateway.server), connections.close(), reports.close()]);
    },
  };
}
