/** Who may open and end a preview (docs/previews.md#who-may-open-one). */
import type { Preview } from '../../contract/preview.ts';
import type { Refusal } from './refusal.ts';
import { keepsSession, type SessionKeepers, type SessionVisitor, whyNotReadSession } from './sessions.ts';

/** All members may open one for the workspace: whoever asks is one. */
export function whyNotOpenPreview(
  { audience }: Pick<Preview, 'audience'>,
  ...asked: Parameters<typeof whyNotReadSession>
): Refusal {
  return audience === 'workspace' ? null : whyNotReadSession(...asked);
}

export function whyNotEndPreview(visitor: SessionVisitor, session: SessionKeepers): Refusal {
  return visitor.role === 'admin' || keepsSession(visitor, session)
    ? null
    : 'Only the operator of its session, the maker of its schedule or a workspace admin may end a preview';
}

export interface ServiceRequest {
  method: string;
  /** Headers; empty where there is none. */
  origin: string;
  site: string;
  /** The preview's own. */
  ownOrigin: string;
}

/**
 * A request for a service must come from a page of its own preview, or from no page. Such a page has an
 * opaque origin, so its browser says `Origin: null` and `Sec-Fetch-Site: cross-site`, with a form as with a
 * fetch or a WebSocket. A page elsewhere that names its origin is told by that. One that hides it (in a
 * sandbox, or without a referrer) says the same as the preview's own and cannot be told from it: what keeps
 * it out is that it would have to know the preview's name, 160 random bits that only this browser was given,
 * and that no cookie or other credential comes with a request, so it has nothing of the person to borrow.
 * `same-site` is a page of another preview that would have an origin, which none has.
 */
export function whyNotAskService({ method, origin, site, ownOrigin }: ServiceRequest): Refusal {
  const isRead = method === 'GET' || method === 'HEAD';
  const isForeign = origin !== '' && origin !== 'null' && origin !== ownOrigin;
  // A browser names the origin, or hides it, with each request that changes something.
  const isHidden = !isRead && (site === 'same-site' || (site === 'cross-site' && origin === ''));
  return isForeign || isHidden ? 'A service of a preview is asked by the pages of its preview only' : null;
}
