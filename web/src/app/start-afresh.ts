import { forgetDrafts } from './drafts.ts';

/** Who signed out leaves nothing behind: a new load forgets everything that this page knew. */
export function startAfresh(): void {
  forgetDrafts();
  window.location.assign('/app/');
}
