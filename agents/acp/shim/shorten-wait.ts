/** Pure: calls of `platform` that wait, and agents that give a call up sooner than it may wait. */
import { platformServerName } from '../../../contract/platform-server-name.ts';
import { type Frame, toolOf } from './frames.ts';

/** Waits a minute where nothing else is said. */
const waitsUnasked = 'request_permission';

/**
 * The line of a request, with a wait that its agent endures: an agent that gave up would take its call for
 * failed, and the decision of the person for lost. Any other line as it is.
 */
export function withShortWait(
  server: string,
  { line, message }: Frame & { type: 'request' },
  maxWaitSeconds: number,
): string {
  const call = server === platformServerName ? toolOf(message) : null;
  const asked = call?.arguments?.['wait_seconds'];
  const isTooLong =
    typeof asked === 'number'
      ? asked > maxWaitSeconds
      : asked === undefined && call?.name === waitsUnasked && call.arguments !== undefined;
  if (call === null || !isTooLong) {
    return line;
  }
  const shortened = { ...call.arguments, wait_seconds: maxWaitSeconds };
  return JSON.stringify({ ...message, params: { ...message.params, arguments: shortened } });
}
