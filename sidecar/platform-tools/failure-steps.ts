/**
 * Pure: what an agent does after a tool of the platform failed, by its code. Each has an end, so that nobody
 * repeats a call for ever.
 */
import { afterAsking } from '../../contract/how-to-ask.ts';

const giveUp = 'continue without it, or say what you cannot do.';
const correctOnce = [
  'Nothing was done. Correct what the message names, and make the call once more.',
  `If that is refused as well, ${giveUp}`,
];
const askForLess = ['Ask for less, once.', `If that fails as well, ${giveUp}`];
const onlyLater = [
  `Nothing was done. Only if the message says in how many seconds, make the call again once after that time: several messages as one. Otherwise do not repeat it as it is: ${giveUp}`,
];
const moreSlowly = [
  'Nothing was done. Do other work for ten seconds, then make one call at a time.',
  `If that is refused as well, ${giveUp}`,
];
const findOut = [
  'The call may have taken effect: find out before you make it again, once, after ten seconds.',
  `If that fails as well, ${giveUp}`,
];

const stepsByCode = new Map<string, readonly string[]>([
  ['permission_required', ['Nothing was done. Ask as the message says.', ...afterAsking]],
  ['validation_failed', correctOnce],
  ['invalid_request', correctOnce],
  ['limit_reached', onlyLater],
  ['rate_limited', moreSlowly],
  ['too_large', askForLess],
  ['too_expensive', askForLess],
  ['internal_error', findOut],
  ['unavailable', findOut],
]);

/** Of every other code, also of one that a later release of the API adds. */
const notAgain = [`Do not repeat the call: ${giveUp}`];

export const stepsAfter = (code: string): readonly string[] => stepsByCode.get(code) ?? notAgain;
