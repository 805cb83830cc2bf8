import { forgetDrafts } from './drafts.ts';
import { forgetPersonalChoices } from './kept-choice.ts';

/** Leaves nothing behind after a sign-out: a reload forgets everything that this page knew. */
export function reloadSignedOut(): void {
  forgetDrafts();
  forgetPersonalChoices();
  window.location.assign('/app/');
}
