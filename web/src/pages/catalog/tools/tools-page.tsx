/** What the tools of an entry say of themselves: what waits for an admin, and what is accepted. */
import { Button, Select, Text } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import type { McpServer } from '../../../api/types.ts';
import { pathOf } from '../../../app/paths.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { PageFrame } from '../../../components/page-frame.tsx';
import { QueryState } from '../../../components/query-state.tsx';
import { EmptyState } from '../../../components/state-views.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { useEntry } from '../use-entry.ts';
import { Accepted } from './accepted.tsx';
import { Differences } from './differences.tsx';
import { PinnedText } from './pinned-text.tsx';
import { usePinned } from './use-tools.ts';
import { shownVersion, versionsOf } from './versions.ts';

export default function ToolsPage({ name }: { name: string }) {
  const { slug } = useWorkspace();
  const query = useEntry(slug, name);
  return (
    <QueryState query={query} what="The MCP server">
      {(entry) => <Tools entry={entry} />}
    </QueryState>
  );
}

function Tools({ entry }: { entry: McpServer }) {
  const { slug } = useWorkspace();
  const { name } = entry;
  const [params] = useSearchParams();
  const version = shownVersion(params.get('version'), entry.version);
  const of = { slug, name, version };
  const pinned = usePinned(of);
  return (
    <PageFrame
      title={`Tools of ${name}`}
      description="The first complete list of a server is accepted. What it says of its tools from then on waits for an admin."
      actions={<VersionSelect shown={version} current={entry.version} />}
    >
      <TextLink to={pathOf(slug, 'catalog', name)}>Catalog entry</TextLink>
      <QueryState query={pinned} what="The accepted tools">
        {(list) =>
          list === null ? (
            <NothingSeen name={name} />
          ) : (
            <>
              <Text size="sm" component="div">
                <PinnedText pinned={list} />
              </Text>
              <Differences entry={entry} version={version} />
              <Accepted of={of} />
            </>
          )
        }
      </QueryState>
    </PageFrame>
  );
}

/** A session may run with an earlier version of the entry. */
function VersionSelect({ shown, current }: { shown: number; current: number }) {
  const [, setParams] = useSearchParams();
  const choices = versionsOf(shown, current).map((version) => ({
    value: String(version),
    label: version === current ? `${version} (current)` : String(version),
  }));
  return choices.length === 1 ? null : (
    <Select
      label="Version of the entry"
      data={choices}
      value={String(shown)}
      allowDeselect={false}
      w={180}
      onChange={(value) =>
        setParams(value === null || value === String(current) ? {} : { version: value }, { replace: true })
      }
    />
  );
}

function NothingSeen({ name }: { name: string }) {
  const { slug, isAdmin } = useWorkspace();
  return (
    <EmptyState
      title="No session has listed its tools yet"
      text={isAdmin ? 'Check the entry to pin them.' : 'An admin can check the entry to pin them.'}
    >
      {isAdmin ? (
        <Button component={Link} href={pathOf(slug, 'catalog', name, 'check')} variant="default">
          Check
        </Button>
      ) : null}
    </EmptyState>
  );
}
