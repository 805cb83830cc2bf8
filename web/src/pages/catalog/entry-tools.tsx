import { Text } from '@mantine/core';
import type { McpServer } from '../../api/types.ts';
import { useChangedServers } from '../../api/use-all.ts';
import { toolsPathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { waitingText } from '../../text/tool-change-text.ts';
import { PinnedText } from './tools/pinned-text.tsx';
import { usePinned } from './tools/use-tools.ts';

/** How the entry's tools were accepted, and whether some wait for an admin. */
export function EntryTools({ entry: { name, version } }: { entry: McpServer }) {
  const { slug, isAdmin } = useWorkspace();
  const pinned = usePinned({ slug, name, version });
  return (
    <>
      <ChangedTools name={name} />
      <QueryState query={pinned} what="The accepted tools">
        {(list) =>
          list === null ? (
            <Text c="dimmed">
              No session has listed its tools yet; {isAdmin ? '' : 'an admin can '}check the entry to pin
              them.
            </Text>
          ) : (
            <Text size="sm" component="div">
              <PinnedText pinned={list} /> <TextLink to={toolsPathOf(slug, name)}>View its tools</TextLink>
            </Text>
          )
        }
      </QueryState>
    </>
  );
}

/** Leads to what waits for an admin; nothing while nothing does. */
export function ChangedTools({ name }: { name: string }) {
  const { slug, isAdmin } = useWorkspace();
  const changed = useChangedServers(slug).data?.find((server) => server.name === name);
  return changed === undefined ? null : (
    <Banner tone="wait" role="status" title="Its tools are not as they were accepted">
      <Text size="sm">
        {waitingText(changed.waiting)}.{' '}
        <TextLink to={toolsPathOf(slug, name, changed.version)}>
          {isAdmin ? 'Review what changed' : 'View what changed'}
        </TextLink>
      </Text>
    </Banner>
  );
}
