/** The first step of every check: a snapshot of what it will run with. */
import { isSignedIn, readBinding } from '../../commands/oauth-connections/connections.ts';
import { referencedSecrets } from '../../contract/attachment-validation.ts';
import { referencedSecretName } from '../../contract/names.ts';
import type { FrozenServer } from '../../contract/session.ts';
import { type Db, inSnapshot } from '../../store/database.ts';
import { readCheck, freezeCheck as storeFrozen } from '../../store/mcp-checks/checks.ts';
import { readSignIn } from '../../store/mcp-registrations/registrations.ts';
import { readMcpServer } from '../../store/mcp-servers/mcp-servers.ts';
import { readKnownSecrets } from '../../store/secrets/secrets.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { launchRefused } from '../failures.ts';
import { launchPatterns, launchProblems } from '../sessions/validate-launch.ts';
import { shownOf } from '../workflow-owner.ts';
import { buildCheckConfiguration } from './build-check-configuration.ts';

export interface FrozenCheck {
  workspaceId: string;
  /** False: an earlier run of this check was lost. */
  isNew: boolean;
  /** From the start of the sandbox to the end. */
  limitMs: number;
  subject: string | null;
  searchAttributesKnown: boolean;
}

/**
 * Stores what the check will run with; the first that is stored stays. Throws `launch_refused`
 * when the entry was changed since the check was asked for, and for whatever an attachment with
 * this env would be refused for.
 */
export async function freezeCheck(
  dependencies: ActivityDependencies,
  { checkId }: { checkId: string },
): Promise<FrozenCheck> {
  const { db, limits, patterns } = dependencies;
  const { check, entry, secrets, signIn } = await inSnapshot(db, async (trx) => {
    const check = await readCheck(trx, checkId);
    const entry = check === null ? null : await readMcpServer(trx, check.workspace_id, check.server_name);
    if (check === null || entry === null) {
      throw launchRefused('The entry was removed');
    }
    const ofRegistry = entry.shape.type === 'image' ? entry.shape.registry_secret : undefined;
    const registry = referencedSecretName(ofRegistry ?? '');
    const names = [...referencedSecrets(entry.manifest, check.env), ...(registry === null ? [] : [registry])];
    const signIn = await readSignIn(trx, entry.id);
    return { check, entry, signIn, secrets: await readKnownSecrets(trx, check.workspace_id, names) };
  });
  if (entry.version !== check.entry_version) {
    throw launchRefused('The entry was changed meanwhile; check it again');
  }
  const secretVersions = new Map([...secrets].map(([name, { version }]) => [name, version]));
  const totalSeconds = limits.CHECK_SECONDS;
  const frozenAt = new Date().toISOString();
  const built = buildCheckConfiguration({ check, entry, signIn, secretVersions, totalSeconds, frozenAt });
  const owner = { userId: check.started_by, workspaceId: check.workspace_id };
  const judge = await patterns.check(owner, launchPatterns(built));
  const granted = { exposedSecrets: new Set<string>(), modelKeys: new Set<string>() };
  const facts = { secrets, ...granted, judge, hasOperator: true, isChild: false };
  const problems = launchProblems(built, facts);
  if (problems.length > 0) {
    throw launchRefused(problems.join('; '));
  }
  await requireSignIn(db, check.started_by, built.servers);
  await storeFrozen(db, built);
  return {
    workspaceId: check.workspace_id,
    isNew: check.status === 'pending',
    limitMs: totalSeconds * 1000,
    ...(await shownOf(dependencies, 'check', checkId)),
  };
}

/** Nothing waits for a sign-in during a check, so it comes first. */
async function requireSignIn(db: Db, userId: string, servers: readonly FrozenServer[]): Promise<void> {
  for (const server of servers.filter(({ sign_in }) => sign_in === 'oauth')) {
    const found = await readBinding(db, server);
    if (found.kind !== 'bound' || !(await isSignedIn(db, userId, found.binding))) {
      throw launchRefused(
        `You are not signed in to "${server.name}"; sign in on its page, then check it again`,
      );
    }
  }
}
