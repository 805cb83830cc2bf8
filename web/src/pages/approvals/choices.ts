/** A person's possible answers to a permission request, and what each means. Pure. */
import type { Grant, PermissionRequest } from '../../api/types.ts';

export type GrantScope = PermissionRequest['scope'];
/** Who would hold the grant: the agent that asks, or the operator of its session. */
export type HolderKind = 'agent' | 'operator';

export interface Choice {
  scope: GrantScope;
  holder: HolderKind;
}

const scopesByWidth: readonly GrantScope[] = ['once', 'session', 'persistent'];

/** Scopes that the person may grant to either holder, narrowest first. */
export function offeredScopes({ may_grant }: Pick<PermissionRequest, 'may_grant'>): GrantScope[] {
  return scopesByWidth.filter((scope) => holdersOf({ may_grant }, scope).length > 0);
}

/** Who may be given a grant of this scope; the agent first, since it is the one that asks. */
export function holdersOf(
  { may_grant: may }: Pick<PermissionRequest, 'may_grant'>,
  scope: GrantScope,
): HolderKind[] {
  return (['agent', 'operator'] as const).filter((holder) => may[holder].includes(scope));
}

/**
 * What is chosen at first: the narrowest on offer, whatever was asked, so that going further is always this person's own
 * act. Null when they may grant nothing.
 */
export function preselectedChoice(request: Pick<PermissionRequest, 'may_grant'>): Choice | null {
  const [scope] = offeredScopes(request);
  const [holder] = scope === undefined ? [] : holdersOf(request, scope);
  return scope === undefined || holder === undefined ? null : { scope, holder };
}

/** The choice with another scope; the holder stays where that is on offer too. */
export function withScope(
  request: Pick<PermissionRequest, 'may_grant'>,
  { holder }: Choice,
  scope: GrantScope,
): Choice {
  const holders = holdersOf(request, scope);
  return { scope, holder: holders.includes(holder) ? holder : (holders[0] ?? holder) };
}

export const choiceLabel: Record<GrantScope, string> = {
  once: 'Once',
  session: 'For this session',
  persistent: 'Until revoked',
};

type Meant = Pick<PermissionRequest, 'grant_type' | 'refused_call'>;

/** What approving does, as the label of its button. */
export function approveLabel(
  { grant_type: type, refused_call: refused }: Meant,
  { scope, holder }: Choice,
  { operatorIsMe }: { operatorIsMe: boolean },
): string {
  const isSpawn = type === 'spawn';
  if (scope === 'once') {
    return isSpawn ? 'Approve one start' : refused === null ? 'Approve one call' : 'Approve this one call';
  }
  if (scope === 'session') {
    return 'Approve for this session';
  }
  return holder === 'agent'
    ? 'Approve for every session of the agent'
    : operatorIsMe
      ? 'Approve for all my sessions'
      : 'Approve for all sessions of this person';
}

/** What a grant of this scope permits, as a sentence without names: those are shown beside it. */
export function choiceMeaning({ grant_type: type, refused_call: refused }: Meant, scope: GrantScope): string {
  if (type === 'spawn') {
    return {
      once: 'One session of that agent may be started; then the permission is used up.',
      session: 'Sessions of that agent may be started until this session ends.',
      persistent:
        'Sessions of that agent may be started, now and in later sessions, until someone revokes it.',
    }[scope];
  }
  return {
    once:
      refused === null
        ? 'One call of one of these tools, in this session; then the permission is used up.'
        : 'One call of the tool that was refused, with whatever arguments the agent then chooses, in this session; then the permission is used up.',
    session: 'Any number of calls of these tools until this session ends.',
    persistent:
      'Any number of calls, now and in later sessions, until someone revokes it. It also covers tools that get this scope later.',
  }[scope];
}

/** How far the grant of an approval reaches, as the end of a sentence. */
export function approvedReach({ scope, subject }: Pick<Grant, 'scope' | 'subject'>): string {
  return {
    once: 'once',
    session: 'for this session',
    persistent:
      subject.type === 'agent'
        ? 'until it is revoked, for every session of the agent'
        : 'until it is revoked, for all sessions of the person who drove this one',
  }[scope];
}

/** Whose the grant is, as a label for the person who decides. */
export function holderLabel(holder: HolderKind, { operatorIsMe }: { operatorIsMe: boolean }): string {
  if (holder === 'agent') {
    return 'For the agent';
  }
  return operatorIsMe ? 'For me' : 'For the person who drives the session';
}

/** Which sessions the holder's grant reaches. */
export function holderMeaning(
  { scope, holder }: Choice,
  { operatorIsMe }: { operatorIsMe: boolean },
): string {
  if (scope !== 'persistent') {
    return holder === 'agent' ? 'This agent, in this session only.' : 'In this session only.';
  }
  if (holder === 'agent') {
    return 'Every session of this agent, no matter who starts it, and no other agent.';
  }
  return operatorIsMe
    ? 'Every session that you drive, with any agent.'
    : 'Every session that this person drives, with any agent.';
}

/** Body of `POST /grants` that answers the request so. */
export function grantBody(
  request: Pick<PermissionRequest, 'id' | 'session_id' | 'agent_id' | 'operator' | 'grant_type' | 'details'>,
  { scope, holder }: Choice,
): GrantBody {
  return {
    ...(holder === 'agent'
      ? { agent_subject_id: request.agent_id }
      : { user_subject_id: request.operator?.id ?? null }),
    grant_type: request.grant_type,
    details: request.details,
    scope,
    ...(scope === 'session' ? { session_id: request.session_id } : {}),
    request_id: request.id,
  };
}

type Operations = import('../../api/schema.d.ts').paths;
type GrantBody = NonNullable<
  Operations['/api/workspaces/{slug}/grants']['post']['requestBody']
>['content']['application/json'];
