import { Alert, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Manifest } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

/** As many scopes as one request can name, however long they are. */
const scopesPerRequest = 39;
const mostShown = 10;

/** Before an entry is saved that keeps its scopes to admins: the grants of members that no call passes on then. */
export function UncountedGrants({ manifest }: { manifest: Manifest | null }) {
  const { slug } = useWorkspace();
  const scopes = [...new Set(Object.values(manifest?.tool_scopes ?? {}))].sort();
  const grants = useQuery({
    queryKey: keys.grants(slug, 'made-by-members', scopes.join(',')),
    queryFn: ({ signal }) => readGrants(slug, scopes, signal),
    enabled: scopes.length > 0,
  }).data;
  if (scopes.length === 0 || grants === undefined || grants.length === 0) {
    return null;
  }
  return (
    <Alert role="note" color="yellow" title="Grants that members made stop counting">
      <Text size="sm">
        No call passes on these any more once this is saved. They stay, and an admin can make them again.
      </Text>
      <List size="sm">
        {grants.slice(0, mostShown).map((grant) => (
          <List.Item key={grant.id}>
            <TextLink to={pathOf(slug, 'grants', grant.id)}>{String(grant.details['scope'])}</TextLink>, held
            by <VisibleText text={grant.subject.name} />, made by <VisibleText text={grant.granted_by.name} />
          </List.Item>
        ))}
        {grants.length > mostShown ? <List.Item>and more</List.Item> : null}
      </List>
    </Alert>
  );
}

async function readGrants(slug: string, scopes: readonly string[], signal: AbortSignal) {
  const lists = [];
  for (let from = 0; from < scopes.length; from += scopesPerRequest) {
    lists.push(scopes.slice(from, from + scopesPerRequest).join(','));
  }
  const pages = await Promise.all(
    lists.map((tool_scope) => {
      const query = { tool_scope, granted_by_role: 'member', state: 'active', limit: mostShown + 1 } as const;
      return call(api.GET('/api/workspaces/{slug}/grants', { params: { path: { slug }, query }, signal }));
    }),
  );
  return pages.flatMap((page) => page.grants);
}
