/**
 * The last step of every check: what its server listed becomes readable, without the values of its secrets.
 */

import { endCheck } from '../../commands/mcp-checks/checks.ts';
import { type ToolListing, toolListing } from '../../contract/mcp-check.ts';
import { causeText } from '../../contract/session-process.ts';
import type { ObservedCheckEnd } from '../../contract/workflows.ts';
import { resolvedSecret, secretVariables } from '../../runtime/variables.ts';
import {
  type CheckEnding,
  type CheckRow,
  readCheck,
  readCheckConfiguration,
} from '../../store/mcp-checks/checks.ts';
import { type CheckTextKey, readCheckText } from '../../store/mcp-checks/texts.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { resolveSecrets } from '../secrets/resolve-secrets.ts';
import { listingWithoutValues } from './listing-without-values.ts';

/**
 * Redacts the listing and ends the check, in one transaction. Idempotent: a recorded end stays. A listing
 * whose secrets can no longer be read, or are too many, cannot be redacted and is erased. Returns the end
 * that is recorded; null when the check was removed.
 */
export async function recordCheckEnd(
  dependencies: ActivityDependencies,
  { checkId, observed }: { checkId: string; observed: ObservedCheckEnd },
): Promise<RecordedCheckEnd | null> {
  const { db, masterKeys } = dependencies;
  const check = await readCheck(db, checkId);
  if (check !== null && check.ended_at === null) {
    const { shown, erased } = await resultOf(dependencies, check);
    await endCheck(db, masterKeys, check, { shown, ending: erased ?? endingOf(observed, check, shown) });
  }
  const ended = await readCheck(db, checkId);
  return ended && { status: ended.status, reason: ended.reason };
}

type RecordedCheckEnd = Pick<CheckRow, 'status' | 'reason'>;

interface Result {
  /** What may be shown of what was listed. */
  shown: ToolListing | null;
  /** Why nothing may be shown of it. */
  erased: CheckEnding | null;
}

async function resultOf(dependencies: ActivityDependencies, check: CheckRow): Promise<Result> {
  const listed = await readListing(dependencies, {
    workspaceId: check.workspace_id,
    checkId: check.id,
    kind: 'raw_listing',
  });
  if (listed === null) {
    return { shown: null, erased: null };
  }
  const values = await secretValues(dependencies, check);
  if (values === null) {
    return { shown: null, erased: secretsChanged };
  }
  const shown = await listingWithoutValues(listed, values);
  return { shown, erased: shown === null ? tooManyValues : null };
}

const secretsChanged: CheckEnding = {
  status: 'failed',
  reason: 'The result cannot be shown: a secret of the check was changed while it ran. Check again',
};

const tooManyValues: CheckEnding = {
  status: 'failed',
  reason:
    'The result cannot be shown: the secrets of the check have too many lines to search it for their values. Use shorter secrets',
};

/** A cause comes from the closed list; nothing the server wrote is repeated. */
function endingOf(observed: ObservedCheckEnd, check: CheckRow, listing: ToolListing | null): CheckEnding {
  if (observed.kind !== 'ended') {
    return { status: observed.kind, reason: observed.reason };
  }
  if (listing?.outcome === 'listed') {
    return { status: 'completed', reason: null };
  }
  const cause = check.process?.cause;
  const what = cause != null ? causeText[cause] : outcomeText[listing?.outcome ?? 'none'];
  return { status: 'failed', reason: `The server ${what}` };
}

const outcomeText: Readonly<Record<Exclude<ToolListing['outcome'], 'listed'> | 'none', string>> = {
  none: 'could not be asked for its tools',
  not_connected: 'did not answer its first request',
  refused: 'answered the request for its tools with an error',
  timed_out: 'did not list its tools in time',
  not_understood: 'answered the request for its tools with something that is not of the protocol',
};

/** Null when there is none, or it is invalid. */
async function readListing(
  { db, masterKeys }: ActivityDependencies,
  key: CheckTextKey,
): Promise<ToolListing | null> {
  const text = await readCheckText(db, masterKeys, key).catch(() => null);
  return text === null ? null : (toolListing.safeParse(JSON.parse(text.bytes.toString('utf8'))).data ?? null);
}

/**
 * Values of the check's secret variables as they were passed to it; null when they are no longer available.
 */
async function secretValues(
  { db, masterKeys }: ActivityDependencies,
  { id }: CheckRow,
): Promise<string[] | null> {
  const configuration = await readCheckConfiguration(db, id);
  if (configuration === null) {
    return null;
  }
  const resolved = await resolveSecrets({ db, masterKeys }, configuration).catch(() => null);
  return (
    resolved &&
    configuration.servers.flatMap(({ name, env }) =>
      secretVariables(env).map((variable) =>
        resolvedSecret({ name, role: 'server', subject: name }, variable, resolved),
      ),
    )
  );
}
