import { Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { McpServer } from '../../api/types.ts';
import { useAllServers, useChangedServers } from '../../api/use-all.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { Pill } from '../../components/pill.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SearchList } from '../../components/search-list.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { EntryStateBadge } from '../../components/unavailable.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { shapeLabels, shapeText } from '../../text/shape-text.ts';
import { waitingText } from '../../text/tool-change-text.ts';
import { gatedText } from '../../text/tool-policy-text.ts';

/** The MCP servers that agents of the workspace can be attached to. */
export function CatalogPage() {
  const { slug, isAdmin } = useWorkspace();
  const servers = useAllServers(slug);
  const actions = isAdmin ? (
    <>
      <Button component={Link} href={pathOf(slug, 'catalog', '_', 'import')} variant="default">
        Import configuration
      </Button>
      <Button component={Link} href={pathOf(slug, 'catalog', '_', 'new')}>
        Add server
      </Button>
    </>
  ) : null;
  return (
    <PageFrame
      title="MCP servers"
      width="list"
      description={
        isAdmin
          ? 'MCP servers that you can attach to agents.'
          : 'MCP servers that you can attach to agents. Only workspace admins can edit the catalog.'
      }
      actions={actions}
    >
      <SearchList
        query={servers}
        what="The catalog"
        textOf={({ name, shape }) => `${name} ${shapeText(shape)}`}
        empty={
          <EmptyState
            title="No MCP servers yet"
            text="MCP servers give agents tools. Add one, or import the configuration of a desktop client."
          >
            <Group>{actions}</Group>
          </EmptyState>
        }
      >
        {(items) => <EntriesTable servers={items} />}
      </SearchList>
    </PageFrame>
  );
}

function EntriesTable({ servers }: { servers: McpServer[] }) {
  return (
    <DataTable isFlush columns={['Name', 'Runs', 'Gated tools', 'Secrets', 'Updated']} minWidth={720}>
      {servers.map((server) => (
        <EntryRow key={server.id} server={server} />
      ))}
    </DataTable>
  );
}

function EntryRow({ server }: { server: McpServer }) {
  const { slug } = useWorkspace();
  const changed = useChangedServers(slug).data?.find(({ id }) => id === server.id);
  const { name, shape, manifest, updated_at, updated_by, version } = server;
  const gated = gatedText(server);
  const secrets = Object.values(manifest.env).filter(({ kind }) => kind === 'secret').length;
  return (
    <tr>
      <td>
        <TextLink to={pathOf(slug, 'catalog', name)}>{name}</TextLink>
        <div>
          <EntryStateBadge entry={server} />
        </div>
        {changed === undefined ? null : (
          <Pill tone="wait" title={waitingText(changed.waiting)}>
            tools changed
          </Pill>
        )}
      </td>
      <td>
        <Text size="xs" c="dimmed">
          {shapeLabels[shape.type]}
        </Text>
        <Text size="sm" ff="monospace" lineClamp={2} component="div">
          <VisibleText text={shapeText(shape)} />
        </Text>
      </td>
      <td>{gated.isOpen ? <Pill tone="wait">{gated.text}</Pill> : gated.text}</td>
      <td>{secrets === 0 ? 'none' : secrets}</td>
      <td>
        <Text size="sm" component="div">
          version {version}, <RelativeTime at={updated_at} /> by <PersonName id={updated_by} />
        </Text>
      </td>
    </tr>
  );
}
