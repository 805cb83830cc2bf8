/**
 * Creates a grant for a human: checked, signed, recorded, then written by a workflow
 * (docs/grants.md#who-writes-one).
 */
import { createHash, randomUUID } from 'node:crypto';
import { recordApproval } from '../../commands/decisions/record-approval.ts';
import { type GrantInput, grantProblems, subjectMatter } from '../../contract/grant.ts';
import type { PasskeyChallenge } from '../../contract/passkey.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { findApproval } from '../../store/decisions/decisions.ts';
import { readGrant } from '../../store/grants/read.ts';
import { needsAdmin } from '../../store/grants/scopes.ts';
import { agentNameOf } from '../../store/sessions/sessions.ts';
import { asSummary } from '../../store/sessions/workflow-summaries.ts';
import { ApiError, invalid, requireAllowed, reusedKey } from '../errors.ts';
import { decideRequest } from '../permission-requests/decide-request.ts';
import { grantMaker } from '../policies/grant-maker.ts';
import { grantInQuestion, whyNotGrant } from '../policies/grants.ts';
import type { InWorkspace } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { type AnsweredRequest, readAnsweredRequest } from './answered-request.ts';
import { carryOutOrWithdraw } from './carry-out.ts';
import { newGrant, timeProblems } from './new-grant.ts';
import { beginChallenge, challengeUsed, requirePasskey, type Visit } from './passkey-approval.ts';
import { type GrantReferences, readReferences } from './references.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'workflows' | 'signApproval' | 'config'>;

/** A recorded approval, and the grant that it creates. */
interface Approval {
  decisionId: string;
  grantId: string;
  requestId: string | null;
}

/**
 * Returns the id of the written grant; a repetition with the same key carries out the first approval, once.
 * Throws 422 for fields that contradict each other, do not fit the request or refer to nothing here, and for
 * a key that another request used, 403 for what the user may not grant, and `passkey_required` for what needs
 * a passkey's answer and has none that counts, 409 `already_decided`, `conflict` for
 * another call than the request's and for an approval that has expired, 503 when no worker carries it out in
 * time. One that was refused as it was carried out, or not carried out in time, is withdrawn, and its key
 * free again.
 */
export async function createGrant(
  dependencies: Dependencies,
  visit: Visit,
  input: GrantInput,
  idempotencyKey: string | null,
): Promise<string> {
  const { db } = dependencies;
  const earlier = () => findEarlier(db, visit, input, idempotencyKey);
  const approval =
    (await earlier()) ??
    (await approve(dependencies, visit, input, idempotencyKey).catch(async (error: unknown) => {
      // A concurrent duplicate may have been first and answered the permission request.
      const first = await earlier();
      if (first === null) {
        throw error;
      }
      return first;
    }));
  if ((await readGrant(db, approval.grantId)) === null) {
    await carryOut(dependencies, visit, input, approval);
  }
  if ((await readGrant(db, approval.grantId)) === null) {
    throw new ApiError('conflict', 'What the grant was for has been removed meanwhile');
  }
  return approval.grantId;
}

async function findEarlier(
  db: Dependencies['db'],
  { workspace, user }: InWorkspace,
  input: GrantInput,
  idempotencyKey: string | null,
): Promise<Approval | null> {
  const found =
    idempotencyKey === null
      ? null
      : await findApproval(db, { workspaceId: workspace.id, userId: user.id, idempotencyKey });
  if (found !== null && found.inputSha256 !== sha256Of(input)) {
    throw reusedKey();
  }
  return found;
}

/** Without the answer of a passkey: whoever sends the request again may have to answer again. */
const sha256Of = ({ passkey: _, ...input }: GrantInput) =>
  createHash('sha256').update(JSON.stringify(input)).digest('hex');

/** What a passkey has to sign so that `createGrant` takes the same input. Throws as that does. */
export async function beginGrantChallenge(
  dependencies: Dependencies,
  visit: Visit,
  input: GrantInput,
): Promise<PasskeyChallenge> {
  const request = await requireGrantable(dependencies, visit, input);
  return beginChallenge(dependencies, visit, { input, request });
}

/** Checks the input and records its approval. */
async function approve(
  dependencies: Dependencies,
  visit: Visit,
  input: GrantInput,
  idempotencyKey: string | null,
): Promise<Approval> {
  const request = await requireGrantable(dependencies, visit, input);
  return decide(dependencies, visit, input, { request, idempotencyKey });
}

/** The request that the grant would answer, if any. Throws for what nobody, or not this person, may grant. */
async function requireGrantable(
  dependencies: Dependencies,
  visit: InWorkspace,
  input: GrantInput,
): Promise<PermissionRequest | null> {
  const { db } = dependencies;
  const problems = [...grantProblems(input), ...timeProblems(input, dependencies.config, Date.now())];
  if (problems.length > 0) {
    throw invalid(problems);
  }
  const references = await readReferences(dependencies, visit, input);
  const answered = await readAnsweredRequest(db, visit, input);
  await requireMaker(dependencies, visit, { input, references, answered });
  return answered?.request ?? null;
}

async function carryOut(
  { db, workflows }: Dependencies,
  visit: InWorkspace,
  input: GrantInput,
  { decisionId, grantId, requestId }: Approval,
): Promise<void> {
  const subject = subjectMatter(input.grant_type, input.details);
  const decision = { id: decisionId, subject };
  if (requestId === null) {
    const agentId = input.agent_subject_id ?? null;
    const agentName = agentId === null ? null : await agentNameOf(db, agentId);
    const to = agentName === null ? '' : ` to ${agentName}`;
    const summary = asSummary(`Grant of ${subject}${to} in ${visit.workspace.slug}`);
    await carryOutOrWithdraw(db, decision, () => workflows.runGrant(grantId, decisionId, summary));
    return;
  }
  await decideRequest({ db, workflows }, { requestId, decision }, (stands) => stands.grantId === grantId);
}

async function requireMaker(
  { db }: Pick<Dependencies, 'db'>,
  visit: InWorkspace,
  made: { input: GrantInput; references: GrantReferences; answered: AnsweredRequest | null },
): Promise<void> {
  const { input, references, answered } = made;
  const asked = grantInQuestion(input, {
    agentOwnerId: references.agent?.owner_id ?? null,
    session: answered?.session ?? references.session,
    adminScope: await needsAdmin(db, visit.workspace.id, input.details),
  });
  requireAllowed(whyNotGrant(grantMaker(visit), asked));
}

/**
 * Signs the approval and records it. It names the grant's id, so it can be carried out only once. Of two
 * concurrent requests with one key the first one counts.
 */
async function decide(
  dependencies: Dependencies,
  visit: Visit,
  input: GrantInput,
  { request, idempotencyKey }: { request: PermissionRequest | null; idempotencyKey: string | null },
): Promise<Approval> {
  const { db, signApproval, config } = dependencies;
  const { workspace, user } = visit;
  const requestId = request?.id ?? null;
  const decisionId = randomUUID();
  const answered = await requirePasskey(dependencies, visit, { input, request });
  const grant =
    answered?.grant ?? newGrant(visit, input, { id: randomUUID(), request, config, nowMs: Date.now() });
  const grantId = grant.id;
  const approval = await signApproval(decisionId, grant, answered?.assertion);
  const recorded = await recordApproval(db, answered?.challenge ?? null, {
    id: decisionId,
    workspaceId: workspace.id,
    requestId,
    kind: 'approve',
    userId: user.id,
    reason: grant.reason,
    approval,
    origin: { grantId, idempotencyKey, inputSha256: sha256Of(input) },
  });
  if (recorded === 'used') {
    throw challengeUsed();
  }
  const made =
    recorded === 'stored'
      ? { decisionId, grantId, requestId }
      : await findEarlier(db, visit, input, idempotencyKey);
  if (made === null) {
    throw new ApiError('unavailable', 'The first request with this key was withdrawn meanwhile: try again');
  }
  return made;
}
