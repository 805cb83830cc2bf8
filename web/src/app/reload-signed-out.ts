import { forgetDrafts } from './drafts.ts';

/** Leaves nothing behind after a sign-out: a reload forgets everything that this page knew. */
export function reloadSignedOut(): void {
  forgetDrafts();
  window.location.assign('/app/');
}
