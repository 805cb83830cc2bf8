/**
 * Creates a grant for a human: checked, signed, recorded, then written by a workflow
 * (docs/grants.md#who-writes-one).
 */
import { createHash, randomUUID } from 'node:crypto';
import type { FieldProblem } from '../../contract/errors.ts';
import { type GrantInput, grantProblems, subjectMatter } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { findApproval, insertDecision } from '../../store/decisions/decisions.ts';
import { readGrant } from '../../store/grants/read.ts';
import { needsAdmin } from '../../store/grants/scopes.ts';
import { agentNameOf } from '../../store/sessions/read-session.ts';
import { asSummary } from '../../store/sessions/workflow-summaries.ts';
import { ApiError, invalid, requireAllowed, reusedKey } from '../errors.ts';
import { decideRequest } from '../permission-requests/decide-request.ts';
import { grantMaker } from '../policies/grant-maker.ts';
import { grantInQuestion, whyNotGrant } from '../policies/grants.ts';
import type { InWorkspace } from '../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { type AnsweredRequest, readAnsweredRequest } from './answered-request.ts';
import { carryOutOrWithdraw } from './carry-out.ts';
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
 * a key that another request used, 403 for what the user may not grant, 409 `already_decided`, `conflict` for
 * another call than the request's and for an approval that has expired, 503 when no worker carries it out in
 * time: it is withdrawn then, and its key free again.
 */
export async function createGrant(
  dependencies: Dependencies,
  visit: InWorkspace,
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

const sha256Of = (input: GrantInput) => createHash('sha256').update(JSON.stringify(input)).digest('hex');

/** Checks the input and records its approval. */
async function approve(
  dependencies: Dependencies,
  visit: InWorkspace,
  input: GrantInput,
  idempotencyKey: string | null,
): Promise<Approval> {
  const { db } = dependencies;
  const problems = [...grantProblems(input), ...timeProblems(input, dependencies.config, Date.now())];
  if (problems.length > 0) {
    throw invalid(problems);
  }
  const references = await readReferences(dependencies, visit, input);
  const answered = await readAnsweredRequest(db, visit, input);
  await requireMaker(dependencies, visit, { input, references, answered });
  return decide(dependencies, visit, input, { request: answered?.request ?? null, idempotencyKey });
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
  { db, signApproval, config }: Dependencies,
  visit: InWorkspace,
  input: GrantInput,
  { request, idempotencyKey }: { request: PermissionRequest | null; idempotencyKey: string | null },
): Promise<Approval> {
  const { workspace, user, role } = visit;
  const { request_id: _, call_digest: __, exact_call: isExact, expires_at: ___, ...content } = input;
  const requestId = request?.id ?? null;
  const [grantId, decisionId] = [randomUUID(), randomUUID()];
  const approval = await signApproval(decisionId, {
    ...content,
    id: grantId,
    workspace_id: workspace.id,
    granted_by_user_id: user.id,
    granted_by_role: role,
    request_id: requestId,
    expires_at: endOf(input, config, Date.now()),
    bound_call_digest: isExact === true ? (request?.refused_call?.digest ?? null) : null,
  });
  const stored = await insertDecision(db, {
    id: decisionId,
    workspaceId: workspace.id,
    requestId,
    kind: 'approve',
    userId: user.id,
    reason: content.reason,
    approval,
    origin: { grantId, idempotencyKey, inputSha256: sha256Of(input) },
  });
  const made = stored
    ? { decisionId, grantId, requestId }
    : await findEarlier(db, visit, input, idempotencyKey);
  if (made === null) {
    throw new ApiError('unavailable', 'The first request with this key was withdrawn meanwhile: try again');
  }
  return made;
}

type Cap = Pick<SessionRouteDependencies['config'], 'LIMIT_PERSISTENT_GRANT_SECONDS'>;

function timeProblems(
  { expires_at: at }: GrantInput,
  { LIMIT_PERSISTENT_GRANT_SECONDS: longest }: Cap,
  nowMs: number,
): FieldProblem[] {
  if (at === undefined) {
    return [];
  }
  const problem = (message: string) => [{ path: 'expires_at', code: 'invalid_grant', message }];
  if (Date.parse(at) <= nowMs) {
    return problem('must be in the future');
  }
  return longest > 0 && Date.parse(at) > nowMs + longest * 1000
    ? problem(`must not be more than ${longest} seconds from now`)
    : [];
}

/** When the grant ends by itself: as its maker says, else as late as the installation allows. */
function endOf(
  { scope, expires_at: at }: GrantInput,
  { LIMIT_PERSISTENT_GRANT_SECONDS: longest }: Cap,
  nowMs: number,
): string | null {
  const latest =
    scope === 'persistent' && longest > 0 ? new Date(nowMs + longest * 1000).toISOString() : null;
  return at ?? latest;
}
