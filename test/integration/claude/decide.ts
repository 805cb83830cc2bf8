/** The decision of a person in a session whose platform is a stand-in. */
import { randomUUID } from 'node:crypto';
import type { InputMessage } from '../../../contract/agent-contract.ts';
import { type TestSession, userMessage } from '../sidecar/session.ts';

type Decision = NonNullable<InputMessage['decision']>;

/** As the platform does it: the state first, then the message. */
export async function decide(session: TestSession, status: Decision['status'], text: string): Promise<void> {
  const [request] = session.platform.requests;
  if (request === undefined) {
    throw new Error('nobody has asked for anything');
  }
  const { request_id, grant_type, details } = request;
  const grant_id = status === 'approved' ? randomUUID() : null;
  const decision: Decision = {
    ...{ request_id, grant_type, details, status, grant_id },
    ...{ scope: request.scope, reason: null },
  };
  session.platform.requestState = { status, grant_id, reason: null };
  if (status === 'approved') {
    session.platform.onCheck = () => ({ decision: 'allowed', granted_via: null });
  }
  await session.inject({ ...userMessage(1, text), kind: 'permission_decision', decision });
}

export const approvedText = 'Permission request was approved once. You can retry the call.';
