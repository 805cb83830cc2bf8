/** Creates a session's files before it starts: configuration, minimal /etc, relay, directories. No secret. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import type { PlannedContainer } from '../workload-plan/workload-plan.ts';
import { type Layout, type Programs, sessionFiles } from './layout.ts';

/** User-mode networking answers DNS at this address. */
const resolver = 'nameserver 10.0.2.3\n';

export function makeSessionDirectory(
  directory: string,
  {
    config,
    containers,
    relay,
  }: {
    /** Null for a service, which has none. */
    config: AgentConfig | null;
    containers: readonly Pick<PlannedContainer, 'name' | 'uid' | 'view'>[];
    /** How the relay for Node is run; null where the static one is used. */
    relay: { node: string; program: string } | null;
  },
): void {
  const files = sessionFiles(directory);
  for (const path of [
    directory,
    files.agentMcp,
    files.agentHttp,
    files.etc,
    files.logs,
    ...containers.map(({ view }) => join(directory, view.directory)),
    ...containers.map(({ name }) => files.workspace(name)),
  ]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
  if (config !== null) {
    writeFileSync(files.config, JSON.stringify(config, null, 2), { mode: 0o600 });
  }
  if (relay !== null) {
    // An empty environment is enough for it: both paths are absolute.
    writeFileSync(files.relay, `#!/bin/sh\nexec '${relay.node}' '${relay.program}' "$@"\n`);
    chmodSync(files.relay, 0o755);
  }
  for (const [name, text] of Object.entries(etcFiles(containers))) {
    writeFileSync(`${files.etc}/${name}`, text);
  }
}

function etcFiles(containers: readonly Pick<PlannedContainer, 'uid'>[]): Record<string, string> {
  const users = containers.map(({ uid }) => ({ uid, name: `u${uid}` }));
  return {
    passwd: users.map(({ uid, name }) => `${name}:x:${uid}:${uid}::/workspace:/bin/sh\n`).join(''),
    group: users.map(({ uid, name }) => `${name}:x:${uid}:\n`).join(''),
    hosts: '127.0.0.1 localhost\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
    'resolv.conf': resolver,
  };
}

/** How containers run the relay for Node, as they see it; null where the static one is used. */
export function nodeRelay(
  { relay, directory }: Programs,
  layout: Layout,
  isSandboxed: boolean,
): { node: string; program: string } | null {
  const program = isSandboxed ? '/opt/platform/relay.js' : `${directory}/relay.js`;
  return relay === null ? { node: layout.node, program } : null;
}
