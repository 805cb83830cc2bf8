/** The form for creating a grant without a request, and the request body that it becomes. */
import { defaultEndpointName } from '../../../../contract/model-endpoint.ts';
import type { paths } from '../../../../dist/api-types.d.ts';
import { type GrantScope, type GrantType, scopesOf } from './grant-text.ts';

export interface GrantFormValues {
  /** `user:<id>` or `agent:<id>`; empty until it is chosen. */
  holder: string;
  type: GrantType;
  /** By type: the scope of the tools, the id of the agent to start, the name of the secret. */
  matter: string;
  /** Of the key of a model: the one endpoint that it is for. */
  endpoint: string;
  scope: GrantScope;
  /** Of a grant for one session. */
  session: string;
  /** When a persistent grant ends, as a local date and time of an input field; empty for never. */
  expires: string;
  reason: string;
}

export type Body = NonNullable<
  paths['/api/workspaces/{slug}/grants']['post']['requestBody']
>['content']['application/json'];

/** The narrowest choices. */
export const emptyValues: GrantFormValues = {
  holder: '',
  type: 'tool_scope',
  matter: '',
  endpoint: defaultEndpointName,
  scope: 'once',
  session: '',
  expires: '',
  reason: '',
};

const typesOfUsers: readonly GrantType[] = ['tool_scope'];
const typesOfAgents: readonly GrantType[] = ['tool_scope', 'spawn', 'agent_env', 'model_key'];
/** Which only admins make. */
const typesOfSecrets: readonly GrantType[] = ['agent_env', 'model_key'];

/** Types that this holder may have, of those that the person may grant. */
export function typesFor(holder: string, { isAdmin }: { isAdmin: boolean }): readonly GrantType[] {
  const types = holder.startsWith('user:') ? typesOfUsers : typesOfAgents;
  return isAdmin ? types : types.filter((type) => !typesOfSecrets.includes(type));
}

/** The values after a change, without combinations that are no longer valid. */
export function changed(
  values: GrantFormValues,
  change: Partial<GrantFormValues>,
  maker: { isAdmin: boolean },
): GrantFormValues {
  const next = { ...values, ...change };
  const types = typesFor(next.holder, maker);
  const type = types.includes(next.type) ? next.type : 'tool_scope';
  const scope = scopesOf(type).includes(next.scope) ? next.scope : 'once';
  return {
    ...next,
    type,
    scope,
    matter: type === values.type ? next.matter : '',
    session: next.holder === values.holder && scope === 'session' ? next.session : '',
    expires: scope === 'persistent' ? next.expires : '',
  };
}

/** What is missing before it can be sent, by field. */
export function missingIn({
  holder,
  matter,
  scope,
  session,
}: GrantFormValues): Partial<Record<keyof GrantFormValues, string>> {
  return {
    ...(holder === '' ? { holder: 'Choose who gets it' } : {}),
    ...(matter === '' ? { matter: 'Choose what it allows' } : {}),
    ...(scope === 'session' && session === '' ? { session: 'Choose the session' } : {}),
  };
}

export function bodyOf({ holder, type, matter, endpoint, ...values }: GrantFormValues): Body {
  const { scope, session, expires, reason } = values;
  const [subject, id = ''] = holder.split(':');
  const details = {
    tool_scope: { scope: matter },
    spawn: { child_agent_id: matter },
    agent_env: { secret_name: matter },
    model_key: { secret_name: matter, endpoint },
  };
  return {
    ...(subject === 'user' ? { user_subject_id: id } : { agent_subject_id: id }),
    grant_type: type,
    details: details[type],
    scope,
    ...(scope === 'session' ? { session_id: session } : {}),
    ...(scope === 'persistent' && expires ? { expires_at: new Date(expires).toISOString() } : {}),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
  };
}

/** Which field shows a path of the API. */
export function fieldOf(path: string): string {
  if (path === 'details.endpoint') {
    return 'endpoint';
  }
  if (path.startsWith('details')) {
    return 'matter';
  }
  const fields: Record<string, keyof GrantFormValues> = {
    user_subject_id: 'holder',
    agent_subject_id: 'holder',
    grant_type: 'type',
    session_id: 'session',
    expires_at: 'expires',
  };
  return fields[path] ?? path;
}
