/** Servers that can be added as they are, with gates to begin with. What cannot run here is last. */
import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { unavailableEntry } from '../../../../contract/available-runs.ts';
import { type GalleryServer, serverGallery } from '../../../../contract/server-gallery.ts';
import type { McpServer } from '../../api/types.ts';
import { useAllServers } from '../../api/use-all.ts';
import { useAvailability } from '../../api/use-availability.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { sentence } from '../../components/unavailable.tsx';
import './gallery.css';
import { Health } from './health.tsx';

export default function GalleryPage() {
  const { slug } = useWorkspace();
  const here = useAvailability();
  const there = useAllServers(slug);
  const servers = serverGallery.map((server) => ({
    server,
    reason: here === undefined ? null : unavailableEntry(server.input, here),
  }));
  const inOrder = [
    ...servers.filter(({ reason }) => reason === null),
    ...servers.filter(({ reason }) => reason !== null),
  ];
  return (
    <PageFrame
      title="Gallery"
      width="list"
      parent={{ to: pathOf(slug, 'catalog'), label: 'MCP servers' }}
      description="Packages in a version that was looked at, with gates to begin with. Each is loaded from its registry, and has the internet. You see all of it before it is registered."
    >
      <QueryState query={there} what="The catalog">
        {(entries) => (
          <ul className="gallery" aria-label="Servers to add">
            {inOrder.map(({ server, reason }) => (
              <GalleryCard
                key={server.input.name}
                server={server}
                reason={reason}
                entry={entries.find(({ name }) => name === server.input.name)}
              />
            ))}
          </ul>
        )}
      </QueryState>
    </PageFrame>
  );
}

function GalleryCard({
  server,
  reason,
  entry,
}: {
  server: GalleryServer;
  reason: string | null;
  /** Of its name in this workspace. */
  entry: McpServer | undefined;
}) {
  const { slug } = useWorkspace();
  const { about, registry, package: packageName, version, licence, tools, input } = server;
  const gated = Object.keys(input.manifest?.tool_scopes ?? {}).length;
  const secrets = Object.values(input.manifest?.env ?? {}).filter(({ kind }) => kind === 'secret').length;
  return (
    <li>
      <div className="gallery-head">
        <span className="gallery-tile">
          <Icon name="catalog" size={18} />
        </span>
        <div className="gallery-name">
          <h2>{input.name}</h2>
          <Text size="xs" c="dimmed">
            from {registry} · {licence}
          </Text>
        </div>
        {entry !== undefined ? (
          <span className="gallery-there">
            <Icon name="check" size={14} />
            Added
          </span>
        ) : reason === null ? (
          <Button
            component={Link}
            href={`${pathOf(slug, 'catalog', '_', 'new')}?from=${input.name}`}
            size="xs"
            variant="default"
            leftSection={<Icon name="plus" size={14} />}
            aria-label={`Add ${input.name}`}
          >
            Add
          </Button>
        ) : null}
      </div>
      <p>{about}</p>
      <p className="gallery-package">{`${packageName} ${version}`}</p>
      <p className="gallery-foot">
        {tools.length === 1 ? '1 tool' : `${tools.length} tools`},{' '}
        {gated === 0 ? 'none gated' : `${gated} gated to begin with`}
        {secrets === 0 ? '' : `, ${secrets === 1 ? '1 secret' : `${secrets} secrets`}`}
      </p>
      {entry === undefined ? null : <Health server={entry} />}
      {reason === null ? null : <p className="gallery-reason">Cannot run here. {sentence(reason)}</p>}
    </li>
  );
}
