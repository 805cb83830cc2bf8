/** Who may open and end a preview (docs/previews.md#who-may-open-one). */
import type { Preview } from '../../contract/preview.ts';
import type { Session } from '../../contract/session.ts';
import type { Refusal } from './refusal.ts';
import { isOwnSession, type SessionVisitor, whyNotReadSession } from './sessions.ts';

/** All members may open one for the workspace: whoever asks is one. */
export function whyNotOpenPreview(
  { audience }: Pick<Preview, 'audience'>,
  ...asked: Parameters<typeof whyNotReadSession>
): Refusal {
  return audience === 'workspace' ? null : whyNotReadSession(...asked);
}

export function whyNotEndPreview(
  visitor: SessionVisitor,
  session: Pick<Session, 'operator_id' | 'root_operator_id'>,
): Refusal {
  return visitor.role === 'admin' || isOwnSession(visitor, session)
    ? null
    : 'Only the operator of its session or a workspace admin may end a preview';
}

/** A page elsewhere must not open a preview in a person's browser. `site` is the header `Sec-Fetch-Site`; empty where there is none. */
export function whyNotOpenFrom(site: string): Refusal {
  return site === '' || site === 'same-origin' || site === 'none'
    ? null
    : 'A preview is opened from its page on the platform';
}
