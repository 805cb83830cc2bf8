/** A person's possible answers to a permission request, and what each means. Pure. */
import type { Grant, PermissionRequest } from '../../api/types.ts';

export type GrantScope = PermissionRequest['scope'];
/** Who would hold the grant: the agent that asks, or the operator of its session. */
export type HolderKind = 'agent' | 'operator';

/**
 * How far an approval goes: a scope of grants, or `exact`, which is a `once` grant
 * for the refused call alone.
 */
export type Reach = 'exact' | GrantScope;

export interface Choice {
  reach: Reach;
  holder: HolderKind;
}

const reachesByWidth: readonly Reach[] = ['exact', 'once', 'session', 'persistent'];

const scopeOf = (reach: Reach): GrantScope => (reach === 'exact' ? 'once' : reach);

/** Whether the grant would be used up by one call. */
export const isSingle = (reach: Reach): boolean => scopeOf(reach) === 'once';

type Offer = Pick<PermissionRequest, 'may_grant' | 'refused_call'>;

/** How far this person may go for either holder, narrowest first. */
export function offeredReaches(request: Offer): Reach[] {
  return reachesByWidth.filter((reach) => holdersOf(request, reach).length > 0);
}

/**
 * Who may be given such a grant; the agent first, since it is the one that asks. Only a call with a digest
 * can be approved exactly.
 */
export function holdersOf({ may_grant: may, refused_call: refused }: Offer, reach: Reach): HolderKind[] {
  const isOffered = reach !== 'exact' || (refused !== null && refused.digest !== null);
  return (['agent', 'operator'] as const).filter(
    (holder) => isOffered && may[holder].includes(scopeOf(reach)),
  );
}

/**
 * What is chosen at first: the narrowest on offer, whatever was asked, so that going further is always this
 * person's own act. Null when they may grant nothing. That is exactly the refused call also for those who
 * cannot see it: whatever else they could approve would permit that call, too.
 */
export function preselectedChoice(request: Offer): Choice | null {
  const [reach] = offeredReaches(request);
  const [holder] = reach === undefined ? [] : holdersOf(request, reach);
  return reach === undefined || holder === undefined ? null : { reach, holder };
}

/** The choice with another reach; the holder stays where that is on offer too. */
export function withReach(request: Offer, { holder }: Choice, reach: Reach): Choice {
  const holders = holdersOf(request, reach);
  return { reach, holder: holders.includes(holder) ? holder : (holders[0] ?? holder) };
}

export const choiceLabel: Record<GrantScope, string> = {
  once: 'Once',
  session: 'For this session',
  persistent: 'Until revoked',
};

type Meant = Pick<PermissionRequest, 'grant_type' | 'refused_call'>;

/** How far it goes, as the label of a choice. */
export function reachLabel({ refused_call: refused }: Pick<Meant, 'refused_call'>, reach: Reach): string {
  if (reach === 'exact') {
    return 'Exactly this call';
  }
  return reach === 'once' && refused !== null ? 'One call with any arguments' : choiceLabel[reach];
}

/**
 * Whether it is what the agent asked for. "Once" is so in two ways where the call is
 * known, and neither is marked.
 */
export const isAsRequested = (request: Offer & Pick<PermissionRequest, 'scope'>, reach: Reach): boolean =>
  reach === request.scope && !(reach === 'once' && offeredReaches(request).includes('exact'));

/** What approving does, as the label of its button. */
export function approveLabel(
  { grant_type: type, refused_call: refused }: Meant,
  { reach, holder }: Choice,
  { operatorIsMe }: { operatorIsMe: boolean },
): string {
  if (reach === 'exact') {
    return 'Approve exactly this call';
  }
  if (reach === 'once') {
    const oneCall = refused === null ? 'Approve one call' : 'Approve one call, any arguments';
    return type === 'spawn' ? 'Approve one start' : oneCall;
  }
  if (reach === 'session') {
    return 'Approve for this session';
  }
  return holder === 'agent'
    ? 'Approve for every session of the agent'
    : operatorIsMe
      ? 'Approve for all my sessions'
      : 'Approve for all sessions of this person';
}

/** What a grant of this reach permits, as a sentence without names: those are shown beside it. */
export function choiceMeaning({ grant_type: type, refused_call: refused }: Meant, reach: Reach): string {
  if (reach === 'exact') {
    return 'With these very arguments, once, and no other call.';
  }
  if (type === 'spawn') {
    return {
      once: 'One session of that agent may be started; then the permission is used up.',
      session: 'Sessions of that agent may be started until this session ends.',
      persistent:
        'Sessions of that agent may be started, now and in later sessions, until someone revokes it.',
    }[reach];
  }
  return {
    once:
      refused === null
        ? 'One call of one of these tools, in this session; then the permission is used up.'
        : 'One call of the refused tool, with whatever arguments the agent then chooses.',
    session: 'Any number of calls of these tools until this session ends.',
    persistent:
      'Any number of calls, now and in later sessions, until someone revokes it. It also covers tools that get this scope later.',
  }[reach];
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
  { reach, holder }: Choice,
  { operatorIsMe }: { operatorIsMe: boolean },
): string {
  if (reach !== 'persistent') {
    return holder === 'agent' ? 'This agent, in this session only.' : 'In this session only.';
  }
  if (holder === 'agent') {
    return 'Every session of this agent, no matter who starts it, and no other agent.';
  }
  return operatorIsMe
    ? 'Every session that you drive, with any agent.'
    : 'Every session that this person drives, with any agent.';
}

/**
 * Body of `POST /grants` that answers the request so. `request` is the one that was shown: the digest of its
 * call says what was decided on.
 */
export function grantBody(
  request: Pick<
    PermissionRequest,
    'id' | 'session_id' | 'agent_id' | 'operator' | 'grant_type' | 'details' | 'refused_call'
  >,
  { reach, holder }: Choice,
): GrantBody {
  const digest = request.refused_call?.digest ?? null;
  return {
    ...(holder === 'agent'
      ? { agent_subject_id: request.agent_id }
      : { user_subject_id: request.operator?.id ?? null }),
    grant_type: request.grant_type,
    details: request.details,
    scope: scopeOf(reach),
    ...(reach === 'session' ? { session_id: request.session_id } : {}),
    request_id: request.id,
    ...(digest === null ? {} : { call_digest: digest }),
    ...(reach === 'exact' ? { exact_call: true as const } : {}),
  };
}

type Operations = import('../../../../dist/api-types.d.ts').paths;
type GrantBody = NonNullable<
  Operations['/api/workspaces/{slug}/grants']['post']['requestBody']
>['content']['application/json'];
