/** A human makes a grant: checked, signed, put on record, then written by a workflow (design 2, 7). */
import { randomUUID } from 'node:crypto';
import { type GrantInput, grantProblems } from '../../../contract/grant.ts';
import { insertDecision } from '../../../store/decisions/decisions.ts';
import { readGrant } from '../../../store/grants/read.ts';
import { needsAdmin } from '../../../store/grants/scope-approvers.ts';
import { subjectMatter } from '../../../store/permission-requests/audit.ts';
import { asSummary, readRequestSummary } from '../../../store/sessions/workflow-summaries.ts';
import { ApiError, forbidden, invalid } from '../../errors.ts';
import { grantMaker } from '../../policies/grant-maker.ts';
import { whyNotGrant } from '../../policies/grants.ts';
import type { InWorkspace } from '../../route.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';
import { type AnsweredRequest, readAnsweredRequest } from './answered-request.ts';
import { type GrantReferences, readReferences } from './references.ts';

type Dependencies = Pick<SessionRouteDependencies, 'db' | 'workflows' | 'signApproval'>;

/**
 * Returns the id of the written grant. Throws 422 for fields that contradict each other, do not fit the request or refer to nothing
 * here, 403 for what the user may not grant, 409 `already_decided`, 503 when no worker carries it out in time.
 */
export async function createGrant(
  dependencies: Dependencies,
  visit: InWorkspace,
  input: GrantInput,
): Promise<string> {
  const { db, workflows } = dependencies;
  const problems = grantProblems(input);
  if (problems.length > 0) {
    throw invalid(problems);
  }
  const references = await readReferences(db, visit.workspace.id, input);
  const answered = await readAnsweredRequest(db, visit.workspace.id, input);
  await requireMaker(dependencies, visit, { input, references, answered });
  const { grantId, decisionId } = await decide(dependencies, visit, input, answered);
  if (answered === null) {
    const subject = subjectMatter(input.grant_type, input.details);
    await workflows.runGrant(
      grantId,
      decisionId,
      asSummary(`Grant of ${subject} in ${visit.workspace.slug}`),
    );
  } else {
    const outcome = await workflows.decide(
      answered.request.id,
      decisionId,
      await readRequestSummary(db, answered.request.id),
    );
    if (outcome.grantId !== grantId) {
      throw new ApiError('already_decided', `The permission request is already ${outcome.status}`);
    }
  }
  if ((await readGrant(db, grantId)) === null) {
    throw new ApiError('conflict', 'What the grant was for has been removed meanwhile');
  }
  return grantId;
}

async function requireMaker(
  { db }: Pick<Dependencies, 'db'>,
  visit: InWorkspace,
  made: { input: GrantInput; references: GrantReferences; answered: AnsweredRequest | null },
): Promise<void> {
  const { input, references, answered } = made;
  const rule = whyNotGrant(grantMaker(visit), {
    grantType: input.grant_type,
    scope: input.scope,
    userSubjectId: input.user_subject_id,
    agentOwnerId: references.agent?.owner_id ?? null,
    session: answered?.session ?? references.session,
    adminScope: await needsAdmin(db, visit.workspace.id, input.details),
  });
  if (rule !== null) {
    throw forbidden(rule);
  }
}

/** Signs the approval and puts it on record. It names the grant's id, so it can be carried out only once. */
async function decide(
  { db, signApproval }: Dependencies,
  { workspace, user, role }: InWorkspace,
  { request_id: _, ...content }: GrantInput,
  answered: AnsweredRequest | null,
): Promise<{ grantId: string; decisionId: string }> {
  const [grantId, decisionId] = [randomUUID(), randomUUID()];
  const requestId = answered?.request.id ?? null;
  const approval = await signApproval(decisionId, {
    ...content,
    id: grantId,
    workspace_id: workspace.id,
    granted_by_user_id: user.id,
    granted_by_role: role,
    request_id: requestId,
  });
  await insertDecision(db, {
    id: decisionId,
    workspaceId: workspace.id,
    requestId,
    kind: 'approve',
    userId: user.id,
    reason: content.reason,
    approval,
  });
  return { grantId, decisionId };
}
