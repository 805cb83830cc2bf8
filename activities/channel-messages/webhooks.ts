/**
 * Which webhooks are posted to: those of the internet, and those that the operator lists in
 * `PRIVATE_WEBHOOK_HOSTS`.
 */
import type { OutboundPolicy } from '../../lib/outbound/policy.ts';
import { namesUnder } from '../../lib/outbound/resolve-names.ts';
import type { ActivityDependencies } from '../dependencies.ts';

export const webhooksWith = (
  privateHosts: OutboundPolicy['privateHosts'],
): ActivityDependencies['webhooks'] => ({
  policy: { privateHosts, setting: 'PRIVATE_WEBHOOK_HOSTS of the worker' },
  resolveName: namesUnder({ privateHosts }),
});
