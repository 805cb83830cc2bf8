/**
 * Posts one message to a webhook: through the guard of all requests, without redirects, and without
 * reading what it answers.
 */
import { OutboundError } from '../../lib/outbound/errors.ts';
import { parsePlainUrl } from '../../lib/outbound/parse-url.ts';
import type { OutboundContext } from '../../lib/outbound/send.ts';
import { exchange } from '../../lib/outbound/send.ts';
import type { SlackMessage } from './slack-message.ts';
import { type Verdict, verdictOfError, verdictOfStatus } from './webhook-answer.ts';

/** From the look-up of the host to the head of the answer. */
const timeoutMs = 10_000;
const maxAddressLength = 2048;

/**
 * `address` is a credential: nothing of it is returned, thrown or logged. `id` tells the webhook a message
 * that it had already. Throws the reason of `context.signal` and nothing else.
 */
export async function postToWebhook(
  context: OutboundContext,
  address: string,
  { id, message }: { id: string; message: SlackMessage },
): Promise<Verdict> {
  const url = addressUrl(address);
  if (url === null) {
    return { kind: 'failed', failure: 'address_invalid' };
  }
  const headers = { accept: 'text/plain, application/json', 'idempotency-key': id };
  try {
    return await exchange(
      context,
      { method: 'POST', url, headers, body: { json: message }, timeoutMs },
      async ({ status, headers: answered }) => verdictOfStatus(status, answered['retry-after'], Date.now()),
    );
  } catch (error) {
    if (error instanceof OutboundError) {
      return verdictOfError(error.code);
    }
    throw error;
  }
}

/** A value that was pasted with a line break at its end is an address all the same. */
function addressUrl(text: string): URL | null {
  const address = text.trim();
  const url = address.length <= maxAddressLength ? parsePlainUrl(address) : null;
  return url === null || url.username !== '' || url.password !== '' || url.hash !== '' ? null : url;
}
