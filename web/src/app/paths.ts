/** Addresses of the pages, below `/app`. Build links with these, so that one place knows them. */
export const home = '/';
export const newWorkspace = '/_/workspaces/new';
/** The person's own connections to remote servers. */
export const connections = '/_/connections';
/** With what the person approves where a passkey is asked for. */
export const passkeys = '/_/passkeys';
export const authorizationOf = (id: string) => `/_/authorizations/${encodeURIComponent(id)}`;

/**
 * Of an address as events of a session name it, the page on which the person signs in;
 * null for any other address.
 */
export const authorizationAt = (url: string): string | null =>
  /^\/app(\/_\/authorizations\/[0-9a-f-]{36})$/.exec(url)?.[1] ?? null;

/** `pathOf('demo', 'sessions', id)` is `/demo/sessions/<id>`. */
export function pathOf(slug: string, section: SectionPath, ...rest: string[]): string {
  return `/${[slug, section, ...rest].map(encodeURIComponent).join('/')}`;
}

/** What the tools of a catalog entry say, in one of its versions; in the current one without a version. */
export function toolsPathOf(slug: string, server: string, version?: number): string {
  const path = pathOf(slug, 'catalog', server, 'tools');
  return version === undefined ? path : `${path}?version=${version}`;
}

/** The audit trail of a session and of all below it. */
export const auditOfTreePath = (slug: string, sessionId: string): string =>
  `${pathOf(slug, 'audit')}?${new URLSearchParams({ tree: sessionId })}`;

/** The form that starts a session as another one was started. */
export const duplicatePath = (slug: string, sessionId: string): string =>
  `${pathOf(slug, 'sessions', 'new')}?${new URLSearchParams({ from: sessionId })}`;

export type SectionPath =
  | 'home'
  | 'sessions'
  | 'approvals'
  | 'previews'
  | 'agents'
  | 'schedules'
  | 'catalog'
  | 'secrets'
  | 'channels'
  | 'insights'
  | 'grants'
  | 'data'
  | 'audit'
  | 'members'
  | 'system'
  | 'settings';
