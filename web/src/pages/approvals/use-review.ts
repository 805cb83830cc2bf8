/** Whether a person could review what the button would approve. */
import type { RefObject } from 'react';
import { serverNowMs } from '../../api/server-time.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { useArmed } from '../../components/use-armed.ts';
import type { ShownCall } from './call/use-call.ts';
import type { Choice } from './choices.ts';
import { type Unseen, unseenOf } from './unseen.ts';
import type { ShownChild } from './use-child.ts';
import { useSeen } from './use-seen.ts';

export interface Review {
  /** Whether the buttons work: what is shown has been there for a moment. */
  armed: boolean;
  unseen: Unseen;
  /** On what holds the call and the choice. */
  ref: RefObject<HTMLDivElement | null>;
  /** Brings what has not been seen yet into sight. */
  show: () => void;
}

/** `chosen` is null while nothing would be approved. */
export function useReview({
  request,
  call: { state },
  child,
  chosen,
}: {
  request: PermissionRequest;
  call: ShownCall;
  child: ShownChild;
  chosen: Choice | null;
}): Review {
  // Each of these changes what is shown, so the buttons are disarmed again.
  const subject = `${request.id} ${request.refused_call?.digest} ${state.kind} ${child.facts} ${chosen?.reach} ${chosen?.holder} ${chosen?.lastDay} ${JSON.stringify(request.changed_tools)} ${request.needs_passkey}`;
  const armed = useArmed(subject);
  const { ref, seen, show } = useSeen(subject);
  const shown = { call: state.kind, child: child.state, nowMs: serverNowMs() };
  return { armed, unseen: unseenOf(chosen, shown, seen), ref, show };
}
