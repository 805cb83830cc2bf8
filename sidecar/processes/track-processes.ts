/** Every process of the session that is reported to this sidecar. */
import type { Logger } from 'pino';
import type { ProcessKind } from '../../contract/session-process.ts';
import type { SidecarBoot } from '../../contract/sidecar.ts';
import type { PlatformApi } from '../platform-api/platform-api.ts';
import { awaitedSiblings } from '../siblings/awaited-siblings.ts';
import { createProcessReporter } from './process-reporter.ts';
import { openReportSocket } from './report-socket.ts';
import { createStartServer, type StartServer } from './server-start.ts';
import { TrackedProcess } from './tracked-process.ts';

export interface ProcessTracking {
  siblings: ReadonlyMap<string, TrackedProcess>;
  startServer(server: SidecarBoot['servers'][number]): StartServer;
  /** Reports what is pending, within `limitMs`. */
  close(limitMs: number): Promise<void>;
}

/** Throws when a report socket cannot be created. */
export async function trackProcesses(
  boot: SidecarBoot,
  { api, logger }: { api: PlatformApi; logger: Logger },
): Promise<ProcessTracking> {
  const reporter = createProcessReporter(api, logger);
  const track = (kind: ProcessKind, name: string, options?: { saysWhenReady: boolean }) => {
    const onChange = (isUrgent: boolean) => reporter.changed(process, isUrgent);
    const process: TrackedProcess = new TrackedProcess(kind, name, onChange, options);
    return process;
  };
  const servers = new Map(boot.servers.map(({ name }) => [name, track('server', name)]));
  const awaited = new Set(awaitedSiblings(boot).map(({ name }) => name));
  const siblings = new Map(
    boot.siblings.map((name) => [name, track('sibling', name, { saysWhenReady: awaited.has(name) })]),
  );
  const others = [track('agent', 'agent'), ...siblings.values()];
  const sockets = await Promise.all([...servers.values(), ...others].map(openReportSocket));
  return {
    siblings,
    startServer({ name, network, loads_packages: loadsPackages, handshake_timeout_ms: ownTimeoutMs }) {
      const process = servers.get(name);
      if (process === undefined) {
        throw new Error(`the server ${name} is not one of this session`);
      }
      const handshakeTimeoutMs = ownTimeoutMs ?? boot.limits.server_handshake_timeout_ms;
      return createStartServer(process, { network, loadsPackages }, { handshakeTimeoutMs });
    },
    async close(limitMs) {
      await Promise.all(sockets.map((socket) => socket.close()));
      await reporter.finish(limitMs);
    },
  };
}
