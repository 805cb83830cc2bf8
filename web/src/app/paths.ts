/** Addresses of the pages, below `/app`. Build links with these, so that one place knows them. */
export const home = '/';
export const newWorkspace = '/_/workspaces/new';

/** `pathOf('demo', 'sessions', id)` is `/demo/sessions/<id>`. */
export function pathOf(slug: string, section: SectionPath, ...rest: string[]): string {
  return `/${[slug, section, ...rest].map(encodeURIComponent).join('/')}`;
}

/** What the tools of a catalog entry say, in one of its versions; in the current one without a version. */
export function toolsPathOf(slug: string, server: string, version?: number): string {
  const path = pathOf(slug, 'catalog', server, 'tools');
  return version === undefined ? path : `${path}?version=${version}`;
}

export type SectionPath =
  | 'sessions'
  | 'approvals'
  | 'agents'
  | 'catalog'
  | 'secrets'
  | 'grants'
  | 'audit'
  | 'members'
  | 'system'
  | 'settings';
