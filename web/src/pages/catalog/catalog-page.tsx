import { Button, Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { McpServer } from '../../api/types.ts';
import { useAllServers } from '../../api/use-all.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
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
import { gatedText } from '../../text/tool-policy-text.ts';
import { Health } from './health.tsx';

/** The MCP servers that agents of the workspace can be attached to. */
export function CatalogPage() {
  const { slug, isAdmin } = useWorkspace();
  const servers = useAllServers(slug);
  const actions = isAdmin ? (
    <>
      <Button component={Link} href={pathOf(slug, 'catalog', '_', 'gallery')} variant="default">
        Gallery
      </Button>
      <Button component={Link} href={pathOf(slug, 'catalog', '_', 'import')} variant="default">
        Import configuration
      </Button>
      <Button
        component={Link}
        href={pathOf(slug, 'catalog', '_', 'new')}
        leftSection={<Icon name="plus" size={14} />}
      >
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
            text="MCP servers give agents tools. Pick one from the gallery, enter one, or import the configuration of a desktop client."
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
    <DataTable
      isFlush
      columns={[
        { name: 'Name', width: '20%' },
        'Runs',
        { name: 'Health', width: '25%' },
        { name: 'Gated tools', width: 130 },
        { name: 'Secrets', width: 80 },
        { name: 'Updated', width: 240 },
      ]}
      minWidth={1000}
    >
      {servers.map((server) => (
        <EntryRow key={server.id} server={server} />
      ))}
    </DataTable>
  );
}

function EntryRow({ server }: { server: McpServer }) {
  const { slug } = useWorkspace();
  const { name, shape, manifest, updated_at, updated_by, version } = server;
  const gated = gatedText(server);
  const secrets = Object.values(manifest.env).filter(({ kind }) => kind === 'secret').length;
  return (
    <tr>
      <td>
        <span className="named">
          <span className="cut" title={name}>
            <TextLink to={pathOf(slug, 'catalog', name)}>{name}</TextLink>
          </span>
          <EntryStateBadge entry={server} />
        </span>
      </td>
      <td className="cut">
        <Text span inherit c="dimmed">
          {shapeLabels[shape.type]}
        </Text>{' '}
        <span className="mono">
          <VisibleText text={shapeText(shape)} />
        </span>
      </td>
      <td>
        <Health server={server} />
      </td>
      <td>{gated.isOpen ? <Pill tone="wait">{gated.text}</Pill> : gated.text}</td>
      <td>{secrets === 0 ? 'none' : secrets}</td>
      <td className="cut">
        version {version}, <RelativeTime at={updated_at} /> by <PersonName id={updated_by} />
      </td>
    </tr>
  );
}
