/** Sessions of one test on the container runtime. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import * as z from 'zod';
import type { FrozenConfiguration } from '../../../contract/session.ts';
import type { SessionPlan } from '../../../runtime/container/container-plan.ts';
import type { LaunchSecrets, Runtime } from '../../../runtime/workload.ts';
import { eventually } from '../../support/eventually.ts';
import type { configuration } from '../../support/frozen-configuration.ts';
import {
  configurationThatStays,
  containerIn,
  node,
  secretsWith,
  stays,
} from '../runtime/driver-under-test.ts';
import { type ContainerDriver, gatewayOf } from './container-driver.ts';

const probeScript = readFileSync(fileURLToPath(new URL('./inside/probe.cjs', import.meta.url)), 'utf8');
const seen = z.object({
  env: z.record(z.string(), z.string()),
  uid: z.number(),
  groups: z.array(z.number()),
  capabilities: z.array(z.string()),
  noNewPrivileges: z.string(),
  seccomp: z.string(),
  processes: z.array(z.string()),
  files: z.array(z.string()),
  writes: z.record(z.string(), z.string()),
  removes: z.string(),
  fills: z.string(),
  devices: z.string(),
  interfaces: z.array(z.string()),
  connects: z.record(z.string(), z.string()),
  routes: z.record(z.string(), z.string()),
});
export type Seen = z.infer<typeof seen>;

/** A program that probes its surroundings; `targets` are `host:port`, `routes` are addresses. */
export const probe = (targets: string[], routes: string[] = []) => ({
  ...node(probeScript),
  env: {
    TARGETS: { kind: 'value' as const, value: targets.join() },
    ROUTES: { kind: 'value' as const, value: routes.join() },
  },
});

export function parseSeen(log: string): Seen {
  const [, line = ''] = /^SEEN (.*)$/m.exec(log) ?? [];
  return seen.parse(JSON.parse(line));
}

/** The address of this machine for sessions with the internet. The first of these makes their network. */
export async function internetGateway(
  { docker, settings }: ContainerDriver,
  sessions: ReturnType<typeof createSessions>,
): Promise<string> {
  await sessions.start(sessions.prepare({ agent: { ...node(stays), network: 'internet' } }));
  return gatewayOf(docker(), settings.internetNetwork);
}

export function createSessions(runtime: () => Runtime<SessionPlan>) {
  const started: string[] = [];
  const prepare = (changes: Parameters<typeof configuration>[0] = {}): FrozenConfiguration => {
    const frozen = configurationThatStays(changes);
    started.push(frozen.session_id);
    return frozen;
  };
  return {
    prepare,
    async start(frozen: FrozenConfiguration, secrets: Partial<LaunchSecrets> = {}): Promise<string> {
      await runtime().start(runtime().render(frozen), secretsWith(frozen.session_id, secrets));
      return frozen.session_id;
    },
    /** What the probe in a container saw. */
    seen: (sessionId: string, container = 'agent') =>
      eventually(async () => parseSeen(await runtime().logs(sessionId, container, 1_000_000))),
    exit: (sessionId: string, container = 'agent') =>
      eventually(async () => {
        const state = containerIn(await runtime().inspect(sessionId), container);
        expect(state).toMatchObject({ state: 'exited' });
        return state;
      }),
    stopAll: () => Promise.all(started.map((id) => runtime().stop(id))),
  };
}
