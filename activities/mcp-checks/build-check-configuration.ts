/**
 * What a check runs as (docs/decisions/0029): a session's workload with the entry as its only server, and the
 * platform's scripted agent, which asks for the tools and ends. Pure.
 */
import { entrySettingsOf, type McpServer } from '../../contract/catalog.ts';
import type { SignIn } from '../../contract/remote-server.ts';
import type { FrozenConfiguration } from '../../contract/session.ts';
import type { CheckRow } from '../../store/mcp-checks/checks.ts';
import { freezeServer, type SecretVersions } from '../sessions/freeze-configuration.ts';

/** The artifact that the agent hands out. */
const listingArtifact = 'tools.json';

export interface CheckSources {
  check: CheckRow;
  entry: McpServer;
  /** Of a remote server whose registration is ready. */
  signIn: SignIn | null;
  secretVersions: SecretVersions;
  totalSeconds: number;
  frozenAt: string;
}

/**
 * The id of the check stands where a session's would: the workload, its token and its keys are of that id.
 */
export function buildCheckConfiguration(sources: CheckSources): FrozenConfiguration {
  const { check, entry, signIn, secretVersions, totalSeconds, frozenAt } = sources;
  const steps = [{ list_tools: entry.name, artifact: listingArtifact }];
  return {
    session_id: check.id,
    workspace_id: check.workspace_id,
    agent: {
      id: check.id,
      name: 'check',
      kind: 'worker',
      run: { type: 'builtin', name: 'scripted' },
      image: null,
      instructions: JSON.stringify({ steps }),
      model: null,
      env: {},
      network: 'none',
      egress_allow: [],
      limits: { total_seconds: totalSeconds, idle_seconds: null },
    },
    prompt: '',
    servers: [freezeServer({ ...attached(check, entry), sign_in: signIn }, secretVersions)],
    siblings: [],
    services: [],
    has_operator: false,
    log_tool_payloads: false,
    frozen_at: frozenAt,
  };
}

function attached(
  { env }: CheckRow,
  { id: entry_id, version: entry_version, ...entry }: McpServer,
): Omit<Parameters<typeof freezeServer>[0], 'sign_in'> {
  const { name, shape, manifest, image_digest, image_command, image_volumes } = entry;
  return {
    ...{ name, entry_id, entry_version, shape, manifest, env },
    ...{ image_digest, image_command, image_volumes },
    ...entrySettingsOf(entry),
    // Its agent calls no tool.
    ...{ changed_tools: 'tell', unlisted_tools: 'allow', listed_tools: [] },
  };
}
