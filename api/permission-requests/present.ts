/** Permission requests as people read them: with what the platform itself knows next to the agent's claim. */
import * as z from 'zod';
import { grantScope } from '../../contract/grant.ts';
import { named, uuid } from '../../contract/names.ts';
import { changedTool, type PermissionRequest, permissionRequest } from '../../contract/permission-request.ts';
import { openedTools } from '../../contract/session-event.ts';
import type { Db } from '../../store/database.ts';
import { noTools } from '../../store/grants/first-tools.ts';
import { readPasskeyNeeds } from '../../store/grants/passkey-needs.ts';
import { scopesThatNeedAdmin } from '../../store/grants/scopes.ts';
import { listWithoutSignIn, readChangedTools } from '../../store/permission-requests/called-servers.ts';
import {
  type RequestContext,
  readOpenedTools,
  readRequestContexts,
} from '../../store/permission-requests/context.ts';
import { type LineageMember, readLineages } from '../../store/sessions/tree.ts';
import { grantMaker } from '../policies/grant-maker.ts';
import { grantChoices, type RequestInQuestion, whyNotDeny } from '../policies/permission-requests.ts';
import { mayReadSession, readableMembers, whyNotChangeSession } from '../policies/sessions.ts';
import type { InWorkspace } from '../route.ts';

const scopes = z.array(grantScope);

export const shownRequest = permissionRequest.extend({
  /**
   * The agent's claim; null for who may not read the session, as are `reason` and what of
   * `refused_call` is about its arguments.
   */
  justification: z.string().nullable(),
  agent: named,
  /** What the session that asks is called; null for who may not read it. */
  session_title: z.string().nullable(),
  /** Who drives the session; null for child and scheduled sessions. */
  operator: named.nullable(),
  root_operator: named.nullable(),
  /** The agent that a `spawn` request asks to start. */
  child_agent: named.nullable(),
  /**
   * The sessions from the root of the tree down to the one that asks, as far as the caller may read them; the
   * one that asks is the last in any case.
   */
  chain: z.array(z.strictObject({ session_id: uuid, agent: named, label: z.string().nullable() })),
  /** Who answered it; null while it is open, and when nobody did. */
  decider: named.nullable(),
  /** What the scope opens in this session; nothing for other types than `tool_scope`. */
  ...openedTools.shape,
  /** Of an open request: those of the tools above, and of the refused call, that changed since. */
  changed_tools: z.array(changedTool),
  /**
   * Whether the caller may answer it now: deny it, or grant it in one of the scopes below.
   * False once it is closed.
   */
  may_decide: z.boolean(),
  /**
   * Whether it may be shown with others of the same agent, server and tool, each to be approved for its one
   * call: not where only admins decide, a passkey is asked for, people sign in, or the tool changed.
   */
  may_decide_together: z.boolean(),
  /** Whether the caller may deny it and mute the session with it. */
  may_mute: z.boolean(),
  /** Whether it has to be approved with a passkey. */
  needs_passkey: z.boolean(),
  /** Scopes that the caller may grant, narrowest first, by who would hold the grant. */
  may_grant: z.strictObject({ agent: scopes, operator: scopes }),
});
export type ShownRequest = z.infer<typeof shownRequest>;

type Visit = Pick<InWorkspace, 'user' | 'role' | 'workspace'>;

/** Keeps the order given; omits requests that were removed meanwhile. */
export async function presentRequests(
  db: Db,
  visit: Visit,
  requests: readonly PermissionRequest[],
): Promise<ShownRequest[]> {
  const tools = await readOpenedTools(db, requests);
  const inQuestion = await questionsOf(db, visit.workspace.id, requests);
  const lineages = await readLineages(db, requests.map(sessionOf));
  const open = requests.filter(({ status }) => status === 'open');
  const toolsOf = ({ id, refused_call: call }: PermissionRequest) => {
    const { tools: opened } = tools.get(id) ?? noTools;
    return call === null || opened.some(isOf(call)) ? opened : [call, ...opened];
  };
  const changed = await readChangedTools(db, visit.workspace.id, open, toolsOf);
  const withoutSignIn = await listWithoutSignIn(db, open);
  const needsPasskey = await readPasskeyNeeds(db, visit.workspace.id, requests.map(detailsOf));
  return requests.flatMap((request) => {
    const asked = inQuestion.get(request.id);
    if (asked === undefined) {
      return [];
    }
    const { agent, operator, rootOperator, childAgent, decider, sessionTitle } = asked.context;
    const isReadable = mayReadSession(visit, asked.session);
    const answers = answersOf(visit, request, asked);
    const changedTools = changed.get(request.id) ?? [];
    return [
      {
        ...(isReadable ? request : withoutWords(request)),
        agent: { id: agent.id, name: agent.name },
        session_title: isReadable ? sessionTitle : null,
        operator,
        root_operator: rootOperator,
        child_agent: childAgent,
        chain: chainOf(visit, lineages.get(request.session_id) ?? []),
        decider,
        ...(tools.get(request.id) ?? noTools),
        changed_tools: changedTools,
        ...answers,
        may_decide_together:
          isOfOneCall(request, answers) &&
          !asked.adminScope &&
          withoutSignIn.has(request.id) &&
          !needsPasskey(request.details) &&
          !changedTools.some(isOf(request.refused_call)),
        needs_passkey: needsPasskey(request.details),
      },
    ];
  });
}

type NamedTool = { server: string; tool: string };

const isOf =
  (call: NamedTool | null) =>
  ({ server, tool }: NamedTool) =>
    server === call?.server && tool === call.tool;

/** Whether the caller may approve exactly the call that was refused, for the agent. */
const isOfOneCall = (
  { grant_type: type, refused_call: call }: PermissionRequest,
  { may_decide: may, may_grant: { agent } }: Pick<ShownRequest, 'may_decide' | 'may_grant'>,
): boolean => may && type === 'tool_scope' && (call?.digest ?? null) !== null && agent.includes('once');

/**
 * As an agent's owner sees a request of a session that they may not read: that there is one, and for what.
 */
function withoutWords(request: PermissionRequest) {
  const { refused_call: call } = request;
  return {
    ...request,
    justification: null,
    reason: null,
    refused_call: call && { ...call, digest: null, arguments_size_bytes: null },
  };
}

/** Those of the requests that the visitor may answer now, each with what it is about. */
export async function listDecidable(
  db: Db,
  visit: Visit,
  requests: readonly PermissionRequest[],
): Promise<{ request: PermissionRequest; context: RequestContext }[]> {
  const inQuestion = await questionsOf(db, visit.workspace.id, requests);
  return requests.flatMap((request) => {
    const asked = inQuestion.get(request.id);
    return asked !== undefined && answersOf(visit, request, asked).may_decide
      ? [{ request, context: asked.context }]
      : [];
  });
}

function answersOf(visit: Visit, { status }: PermissionRequest, asked: RequestInQuestion) {
  const maker = grantMaker(visit);
  const mayDeny = whyNotDeny(maker, asked) === null;
  return status === 'open'
    ? {
        may_decide: mayDeny,
        may_mute: mayDeny && whyNotChangeSession(maker, asked.session) === null,
        may_grant: grantChoices(maker, asked),
      }
    : { may_decide: false, may_mute: false, may_grant: { agent: [], operator: [] } };
}

export type Question = RequestInQuestion & { context: RequestContext };

/** Each request as policy input, by id; omits requests that were removed meanwhile. */
export async function questionsOf(
  db: Db,
  workspaceId: string,
  requests: readonly PermissionRequest[],
): Promise<Map<string, Question>> {
  const contexts = await readRequestContexts(db, requests.map(idOf));
  const adminScopes = await scopesThatNeedAdmin(db, workspaceId, requests.flatMap(scopeOf));
  const questions = new Map<string, Question>();
  for (const request of requests) {
    const found = contexts.get(request.id);
    if (found !== undefined) {
      const { agent, operator, rootOperator, scheduleMakerId, isShared } = found;
      questions.set(request.id, {
        request,
        session: {
          operator_id: operator?.id ?? null,
          root_operator_id: rootOperator?.id ?? null,
          schedule_maker_id: scheduleMakerId,
          isShared,
        },
        agentOwnerId: agent.ownerId,
        adminScope: scopeOf(request).some((scope) => adminScopes.has(scope)),
        context: found,
      });
    }
  }
  return questions;
}

/**
 * Those who may answer know the session that asks, but what another agent called it is for its readers only.
 */
function chainOf(visit: Visit, lineage: readonly LineageMember[]): ShownRequest['chain'] {
  const readable = new Set(readableMembers(visit, lineage));
  return lineage.flatMap((member, at) => {
    const isReadable = readable.has(member);
    const { id: session_id, agent } = member;
    return isReadable || at === lineage.length - 1
      ? [{ session_id, agent, label: isReadable ? member.label : null }]
      : [];
  });
}

const sessionOf = ({ session_id }: PermissionRequest) => session_id;
const detailsOf = ({ details }: PermissionRequest) => details;
const idOf = ({ id }: PermissionRequest) => id;
const scopeOf = ({ details: { scope } }: PermissionRequest) => (typeof scope === 'string' ? [scope] : []);
