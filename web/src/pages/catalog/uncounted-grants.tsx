import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Grant } from '../../api/types.ts';
import { fetchAll } from '../../api/use-all.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

/** As many scopes as one request can name, however long they are. */
const scopesPerRequest = 39;
const mostShown = 10;
const mostGrants = 2_000;

/**
 * Grants of members for scopes of an entry that is restricted to admins: before it is saved those that lose
 * their effect (`when` is `saving`), on its page those that no longer have one. Beside `scopes` it asks for
 * those that the entry gates with already, today and in sessions that run with an earlier version of it.
 */
export function UncountedGrants({
  entryName,
  scopes: given,
  when,
}: {
  /** Null for an entry that does not exist yet. */
  entryName: string | null;
  scopes: readonly string[];
  when: 'saving' | 'saved';
}) {
  const { slug } = useWorkspace();
  const ofEntry = useScopesOf(entryName);
  const scopes = [...new Set([...given, ...(ofEntry ?? [])])].sort();
  const found = useQuery({
    queryKey: keys.grants(slug, 'made-by-members', scopes.join(',')),
    queryFn: ({ signal }) => readGrants(slug, scopes, signal),
    enabled: ofEntry !== undefined && scopes.length > 0,
  }).data;
  const grants = (found ?? []).filter((grant) => isUncounted(grant) === (when === 'saved'));
  if (grants.length === 0) {
    return null;
  }
  return (
    <Banner
      role="note"
      tone="wait"
      title={`Grants from members ${when === 'saving' ? 'will have no effect' : 'have no effect'}`}
    >
      <Text size="sm">
        {when === 'saving'
          ? 'Once this is saved, they no longer allow any call.'
          : 'They do not allow any call.'}{' '}
        They are kept, and an admin can create them again.
      </Text>
      <List size="sm">
        {grants.slice(0, mostShown).map((grant) => (
          <List.Item key={grant.id}>
            <TextLink to={pathOf(slug, 'grants', grant.id)}>{String(grant.details['scope'])}</TextLink>,
            granted to <VisibleText text={grant.subject.name} /> by{' '}
            <VisibleText text={grant.granted_by.name} />
          </List.Item>
        ))}
        {grants.length > mostShown ? <List.Item>and more</List.Item> : null}
      </List>
    </Banner>
  );
}

/** Undefined while they are read. */
function useScopesOf(name: string | null): string[] | undefined {
  const { slug } = useWorkspace();
  const { data } = useQuery({
    queryKey: keys.mcpServers(slug, 'scopes', name),
    queryFn: ({ signal }) => {
      const params = { path: { slug, name: name ?? '' }, query: { limit: 1 } };
      return call(api.GET('/api/workspaces/{slug}/mcp-servers/{name}/uses', { params, signal }));
    },
    enabled: name !== null,
  });
  return name === null ? [] : data?.scopes;
}

const isUncounted = ({ warnings }: Grant) => warnings.some(({ code }) => code === 'needs_admin');

async function readGrants(slug: string, scopes: readonly string[], signal: AbortSignal): Promise<Grant[]> {
  const lists = [];
  for (let from = 0; from < scopes.length; from += scopesPerRequest) {
    lists.push(scopes.slice(from, from + scopesPerRequest).join(','));
  }
  const found = await Promise.all(
    lists.map((tool_scope) =>
      fetchAll(async (page) => {
        const query = { ...page, tool_scope, granted_by_role: 'member', state: 'active' } as const;
        const params = { path: { slug }, query };
        const { grants, next_cursor } = await call(
          api.GET('/api/workspaces/{slug}/grants', { params, signal }),
        );
        return { items: grants, next_cursor };
      }, mostGrants),
    ),
  );
  return found.flat();
}
