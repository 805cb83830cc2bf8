/**
 * Who may use a route, in addition to resolving its scope: one value on each route, evaluated before its body
 * is read. Pure, so that the table of docs/api.md is generated from it.
 */
import type { Agent } from '../../contract/agent.ts';
import type { WorkspaceRole } from '../../contract/workspace.ts';
import { whyNotEditAgent } from './agents.ts';
import type { Refusal } from './refusal.ts';
import {
  type SessionKeepers,
  whyNotChangeSession,
  whyNotEndSession,
  whyNotMessageSession,
  whyNotReadSession,
} from './sessions.ts';
import { type AdminAction, whyNotAdmin } from './workspace.ts';

interface Asking {
  user: { id: string };
  role: WorkspaceRole;
}

/** What the rules look at of a route's scope (`ContextByScope` has more). */
export interface AskingByScope {
  public: unknown;
  user: unknown;
  workspace: Asking;
  agent: Asking & { agent: Pick<Agent, 'owner_id'> };
  session: Asking & { session: SessionKeepers; isShared: boolean };
  internal: unknown;
  sidecar: unknown;
  workload: unknown;
  gateway: unknown;
}

export interface Access<Scope extends keyof AskingByScope> {
  whyNot(asking: AskingByScope[Scope]): Refusal;
}

const everyone = { whyNot: () => null };

export const anybody: Access<'public'> = everyone;
export const anySignedIn: Access<'user'> = everyone;
export const anyMember: Access<'workspace' | 'agent'> = everyone;
/** The sidecar whose token it is. */
export const itsSidecar: Access<'internal' | 'sidecar' | 'workload' | 'gateway'> = everyone;

export const admins = (action: AdminAction): Access<'workspace' | 'agent' | 'session'> => ({
  whyNot: ({ role }) => whyNotAdmin(role, action),
});
export const agentEditors: Access<'agent'> = {
  whyNot: ({ user, role, agent }) => whyNotEditAgent({ userId: user.id, role }, agent),
};

const visitorOf = ({ user, role }: Asking) => ({ userId: user.id, role });

export const sessionReaders: Access<'session'> = {
  whyNot: (asking) => whyNotReadSession(visitorOf(asking), asking.session, asking.isShared),
};
export const sessionOperator: Access<'session'> = {
  whyNot: (asking) => whyNotMessageSession(visitorOf(asking), asking.session),
};
export const sessionEnders: Access<'session'> = {
  whyNot: (asking) => whyNotEndSession(visitorOf(asking), asking.session),
};
export const sessionChangers: Access<'session'> = {
  whyNot: (asking) => whyNotChangeSession(visitorOf(asking), asking.session),
};
