/** What an agent can do by itself, in words. Names of agents are shown beside them, never inside. Pure. */
import type { AgentAuthority } from '../api/types.ts';

type Server = AgentAuthority['servers'][number];
type HeldGrant = AgentAuthority['grants'][number];

/** What there is to know of an attached server, besides its name. */
export function serverText(server: Server): string {
  const { remote, network, egress_allow: opened, unlisted_tools: unlisted } = server;
  const scopes = listText(server.tool_scopes, server.more_tool_scopes);
  const secrets = listText(server.secrets, server.more_secrets);
  return [
    ...(remote ? ['a remote server'] : []),
    `network: ${networkText({ network, egress_allow: opened })}`,
    ...(scopes === '' ? [] : [`asks for ${scopes}`]),
    openToolsText(unlisted, scopes !== ''),
    ...(secrets === '' ? [] : [`is given ${secrets}`]),
  ].join('; ');
}

function openToolsText(unlisted: Server['unlisted_tools'], isGated: boolean): string {
  if (unlisted === 'refuse') {
    return 'of its other tools only listed ones can be called';
  }
  return isGated ? 'its other tools need no grant' : 'none of its tools needs a grant';
}

/** "a, b and 3 more"; empty without any. */
const listText = (names: readonly string[], more: number): string =>
  more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`;

/** What a grant lets the agent do; the agent that a `spawn` grant is about follows. */
export function heldGrantText({
  grant_type: type,
  details,
}: Pick<HeldGrant, 'grant_type' | 'details'>): string {
  return {
    tool_scope: `call tools that need ${details['scope']}`,
    agent_env: `read the secret ${details['secret_name']}`,
    model_key: `ask a language model at ${details['endpoint']} with the key ${details['secret_name']}, which it cannot read`,
    spawn: 'start sessions of the agent',
  }[type];
}

/** What limits it, as the end of the same line. */
export function heldGrantLimit(
  { grant_type: type, scope }: HeldGrant,
  kind: AgentAuthority['agent']['kind'],
): string {
  const once = scope === 'once' ? ', once' : '';
  return type === 'spawn' && kind === 'worker' ? `${once} (no effect: it is a worker)` : once;
}

/** Where something can connect to: the internet, and the private destinations that an admin opened. */
export function networkText({
  network,
  egress_allow: opened,
}: Pick<AgentAuthority, 'network' | 'egress_allow'>): string {
  const reached = [...(network === 'internet' ? ['the internet'] : []), ...opened];
  return reached.length === 0 ? 'none' : reached.join(', ');
}
