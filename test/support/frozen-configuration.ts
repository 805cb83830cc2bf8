/** Frozen configurations for the renderers, from what a test cares about. */
import type { FrozenConfiguration, FrozenServer } from '../../contract/session.ts';

const id = (last: number) => `00000000-0000-4000-8000-${String(last).padStart(12, '0')}`;

export const sessionId = id(1);

export function serverNamed(name: string, changes: Partial<FrozenServer> = {}): FrozenServer {
  return {
    name,
    entry_id: id(3),
    entry_version: 1,
    shape: { type: 'command', command: 'mcp-server-everything', args: [] },
    image_digest: null,
    image_command: null,
    image_volumes: null,
    registry_credentials: null,
    env: {},
    manifest_env: {},
    tool_scopes: { write_file: 'files.write' },
    approvers: 'operator',
    network: 'none',
    egress_allow: [],
    client_features: [],
    changed_tools: 'tell',
    unlisted_tools: 'allow',
    listed_tools: [],
    start_seconds: null,
    sign_in: null,
    ...changes,
  };
}

/** A server at a URL, which nobody signs in to unless a test says otherwise. */
export const remoteNamed = (name: string, changes: Partial<FrozenServer> = {}): FrozenServer =>
  serverNamed(name, {
    shape: { type: 'remote', url: 'https://far.test/mcp' },
    network: 'internet',
    sign_in: 'none',
    ...changes,
  });

export function configuration(
  changes: Omit<Partial<FrozenConfiguration>, 'agent'> & {
    agent?: Partial<FrozenConfiguration['agent']>;
  } = {},
): FrozenConfiguration {
  return {
    session_id: sessionId,
    workspace_id: id(4),
    prompt: 'do it',
    servers: [],
    siblings: [],
    services: [],
    has_operator: true,
    log_tool_payloads: false,
    frozen_at: '2026-01-01T00:00:00Z',
    ...changes,
    agent: {
      id: id(2),
      name: 'tester',
      kind: 'worker',
      run: { type: 'builtin', name: 'scripted' },
      image: null,
      instructions: '{"steps":[]}',
      model: null,
      env: {},
      network: 'none',
      egress_allow: [],
      limits: { total_seconds: null, idle_seconds: null },
      ...changes.agent,
    },
  };
}
