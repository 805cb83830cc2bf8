import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { ListedSecret } from '../../api/types.ts';
import { fetchAll } from '../../api/use-all.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { Pill } from '../../components/pill.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SearchList } from '../../components/search-list.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { usersText } from '../../text/secret-use-text.ts';

/** All secrets of the workspace: which are set, for whom, and who uses them. Never a value. */
export function SecretsPage() {
  const { slug, isAdmin } = useWorkspace();
  const secrets = useListedSecrets(slug);
  const [opened, dialog] = useDisclosure();
  const add = isAdmin ? (
    <Button onClick={dialog.open} leftSection={<Icon name="plus" size={14} />}>
      New secret
    </Button>
  ) : null;
  return (
    <PageFrame
      title="Secrets"
      width="list"
      description={
        isAdmin
          ? 'Values are passed to MCP servers by reference, and can never be viewed here.'
          : 'Values are passed to MCP servers by reference. Only workspace admins can set them.'
      }
      actions={add}
    >
      <SearchList
        query={secrets}
        what="The list of secrets"
        textOf={({ name }) => name}
        empty={
          <EmptyState
            title="No secrets yet"
            text="A secret holds a credential, such as an API token, that an MCP server needs."
          >
            {add}
          </EmptyState>
        }
      >
        {(items) => <SecretsTable secrets={items} />}
      </SearchList>
      <SecretDialog opened={opened} onClose={dialog.close} />
    </PageFrame>
  );
}

function SecretsTable({ secrets }: { secrets: ListedSecret[] }) {
  return (
    <DataTable isFlush columns={['Name', 'Value', 'Allowed servers', 'Used by', 'Updated']} minWidth={640}>
      {secrets.map((secret) => (
        <SecretRow key={secret.name} secret={secret} />
      ))}
    </DataTable>
  );
}

function SecretRow({ secret }: { secret: ListedSecret }) {
  const { name, is_set, updated_at, updated_by, allowed_servers = null, used_by } = secret;
  const { slug } = useWorkspace();
  return (
    <tr>
      <td className="mono">
        <TextLink to={pathOf(slug, 'secrets', name)}>{name}</TextLink>
      </td>
      <td>
        <SetBadge isSet={is_set} />
      </td>
      <td>{allowedText(allowed_servers)}</td>
      <td>{used_by === undefined ? 'unknown' : usersText(used_by)}</td>
      <td>
        <RelativeTime at={updated_at} /> by <PersonName id={updated_by} />
      </td>
    </tr>
  );
}

export function SetBadge({ isSet }: { isSet: boolean }) {
  return isSet ? <Pill tone="ok">set</Pill> : <Pill tone="idle">not set</Pill>;
}

function allowedText(servers: string[] | null): string {
  if (servers === null) {
    return 'any MCP server';
  }
  return servers.join(', ') || 'no MCP server';
}

/** All secrets with who uses each of them, in one request for up to 200. */
function useListedSecrets(slug: string) {
  return useQuery({
    queryKey: keys.secrets(slug, 'with-uses'),
    queryFn: ({ signal }) =>
      fetchAll<ListedSecret>(async (page) => {
        const params = { path: { slug }, query: { ...page, include_uses: 'true' as const } };
        const answer = await call(api.GET('/api/workspaces/{slug}/secrets', { params, signal }));
        return { items: answer.secrets, next_cursor: answer.next_cursor };
      }),
  });
}
