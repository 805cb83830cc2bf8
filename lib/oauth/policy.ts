/** Which hosts may be remote MCP servers and authorization servers beyond those of the internet. */
import type { OutboundPolicy } from '../outbound/policy.ts';

/** The policy of the setting `PRIVATE_MCP_HOSTS` of the API and the worker. */
export const remotePolicy = (privateHosts: OutboundPolicy['privateHosts']): OutboundPolicy => ({
  privateHosts,
  setting: 'PRIVATE_MCP_HOSTS of the API and the worker',
});
