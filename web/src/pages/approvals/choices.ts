/** A person's possible answers to a permission request, and what each means. Pure. */
import type { Grant, PermissionRequest } from '../../api/types.ts';
import { absoluteTime } from '../../text/time-text.ts';

export type GrantScope = PermissionRequest['scope'];
/** Who would hold the grant: the agent that asks, or the operator of its session. */
export type HolderKind = 'agent' | 'operator';

/**
 * How far an approval goes: a scope of grants; `exact`, which is a `once` grant for the refused call alone;
 * or `date`, which is a `persistent` grant that ends by itself.
 */
export type Reach = 'exact' | GrantScope | 'date';

export interface Choice {
  reach: Reach;
  holder: HolderKind;
  /** The last day of a `date`, as `2026-12-31` in the reader's time; empty while none is chosen. */
  lastDay?: string;
}

const reachesByWidth: readonly Reach[] = ['exact', 'once', 'session', 'date', 'persistent'];

function scopeOf(reach: Reach): GrantScope {
  if (reach === 'exact') {
    return 'once';
  }
  return reach === 'date' ? 'persistent' : reach;
}

/** Whether the grant would be used up by one call. */
export const isSingle = (reach: Reach): boolean => scopeOf(reach) === 'once';

/**
 * Whether it opens more than one call that is known or one start: any call of one of several tools is as wide
 * as the widest of them.
 */
export const isWide = (
  { grant_type: type, refused_call: refused }: Pick<PermissionRequest, 'grant_type' | 'refused_call'>,
  reach: Reach,
): boolean => !isSingle(reach) || (type !== 'spawn' && refused === null);

type Offer = Pick<PermissionRequest, 'may_grant' | 'refused_call'>;

/**
 * What this person may choose, narrowest first. Each is for the agent, which is the one that asks; for the
 * person who started its session only where nothing else is on offer.
 */
export function offeredChoices(request: Offer): Choice[] {
  return reachesByWidth.flatMap((reach) => {
    const [holder] = holdersOf(request, reach);
    return holder === undefined ? [] : [{ reach, holder }];
  });
}

/** Who may be given such a grant; the agent first. Only a call with a digest can be approved exactly. */
function holdersOf({ may_grant: may, refused_call: refused }: Offer, reach: Reach): HolderKind[] {
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
export const preselectedChoice = (request: Offer): Choice | null => offeredChoices(request)[0] ?? null;

/** The day after, as a field for dates holds it. */
export function dayAfter(nowMs: number): string {
  const day = new Date(nowMs);
  day.setDate(day.getDate() + 1);
  return dayOf(day.getTime());
}

/** The day in the reader's time, as a field for dates holds it. */
export function dayOf(nowMs: number): string {
  const day = new Date(nowMs);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** When the last day is over; null for what is no day. */
export function endOf(lastDay: string | undefined): string | null {
  const end = new Date(`${lastDay}T23:59:59`);
  return Number.isNaN(end.getTime()) ? null : end.toISOString();
}

/** Whether the choice says all that a grant needs: a day to come, where it ends with one. */
export function isComplete({ reach, lastDay }: Choice, nowMs: number): boolean {
  const end = reach === 'date' ? endOf(lastDay) : null;
  return reach !== 'date' || (end !== null && Date.parse(end) > nowMs);
}

export const choiceLabel: Record<GrantScope, string> = {
  once: 'Once',
  session: 'For this session',
  persistent: 'Until revoked',
};

type Meant = Pick<PermissionRequest, 'grant_type' | 'refused_call'>;

/** How far it goes, as the label of a choice. */
export function reachLabel(request: Meant, { reach, holder }: Choice, whose: Whose): string {
  return `${reachWords(request, reach)}${holder === 'agent' ? '' : `, ${forOperator(whose)}`}`;
}

/** Whether the person who started the session is the one who decides. */
export interface Whose {
  operatorIsMe: boolean;
}

const forOperator = ({ operatorIsMe }: Whose) =>
  operatorIsMe ? 'for you' : 'for the person who started the session';

function reachWords({ grant_type: type, refused_call: refused }: Meant, reach: Reach): string {
  const one = type === 'spawn' ? 'One start' : refused === null ? 'One call' : 'One call, any arguments';
  return {
    exact: 'This call only',
    once: one,
    session: 'This session',
    date: 'Until a date',
    persistent: 'Until revoked',
  }[reach];
}

/**
 * Whether it is what the agent asked for. "Once" is so in two ways where the call is
 * known, and neither is marked.
 */
export const isAsRequested = (request: Offer & Pick<PermissionRequest, 'scope'>, reach: Reach): boolean =>
  reach === request.scope &&
  !(reach === 'once' && offeredChoices(request).some((choice) => choice.reach === 'exact'));

/** What approving does, as the label of its button. */
export function approveLabel(request: Meant, { reach, holder }: Choice, whose: Whose): string {
  const end = holder === 'agent' || isSingle(reach) ? '' : `, ${forOperator(whose)}`;
  if (reach === 'session') {
    return `Approve for this session${end}`;
  }
  const words = reachWords(request, reach);
  return `Approve ${words.charAt(0).toLowerCase()}${words.slice(1)}${end}`;
}

/** How far the grant of an approval reaches, as the end of a sentence. */
export function approvedReach({
  scope,
  subject,
  expires_at: end,
}: Pick<Grant, 'scope' | 'subject' | 'expires_at'>): string {
  const until = end === null ? 'until it is revoked' : `until ${absoluteTime(end)}`;
  return {
    once: 'once',
    session: 'for this session',
    persistent:
      subject.type === 'agent'
        ? `${until}, for every session of the agent`
        : `${until}, for all sessions of the person who started this one`,
  }[scope];
}

/**
 * Body of `POST /grants` that answers the request so. `request` is the one that was shown: the digest of its
 * call says what was decided on. Throws for a choice without its last day: no grant is wider than what was
 * chosen.
 */
export function grantBody(
  request: Pick<
    PermissionRequest,
    'id' | 'session_id' | 'agent_id' | 'operator' | 'grant_type' | 'details' | 'refused_call'
  >,
  { reach, holder, lastDay }: Choice,
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
    ...(reach === 'date' ? { expires_at: requiredEnd(lastDay) } : {}),
    request_id: request.id,
    ...(digest === null ? {} : { call_digest: digest }),
    ...(reach === 'exact' ? { exact_call: true as const } : {}),
  };
}

function requiredEnd(lastDay: string | undefined): string {
  const end = endOf(lastDay);
  if (end === null) {
    throw new Error('The grant has no last day.');
  }
  return end;
}

type Operations = import('../../../../dist/api-types.d.ts').paths;
type GrantBody = NonNullable<
  Operations['/api/workspaces/{slug}/grants']['post']['requestBody']
>['content']['application/json'];
