/** The decision of a person in a session whose platform is a stand-in, in the platform's own words. */
import { randomUUID } from 'node:crypto';
import { decisionText } from '../../../commands/permission-requests/close.ts';
import type { PermissionDecision } from '../../../contract/permission-request.ts';
import { type TestSession, userMessage } from '../sidecar/session.ts';

/** As the platform does it: the state first, then the message, whose text it returns. */
export async function decide(session: TestSession, status: PermissionDecision['status']): Promise<string> {
  const [request] = session.platform.requests;
  if (request === undefined) {
    throw new Error('nobody has asked for anything');
  }
  const { request_id, grant_type, details, scope } = request;
  const grant_id = status === 'approved' ? randomUUID() : null;
  const decision = { request_id, grant_type, details, status, scope, grant_id, reason: null };
  session.platform.requestState = { status, grant_id, reason: null };
  if (status === 'approved') {
    session.platform.onCheck = () => ({ decision: 'allowed', granted_via: null });
  }
  const text = decisionText(decision, 'Ada Admin', { exactCall: false });
  await session.inject({ ...userMessage(1, text), kind: 'permission_decision', decision });
  return text;
}
