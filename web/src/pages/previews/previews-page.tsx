import { Group } from '@mantine/core';
import { keys } from '../../api/keys.ts';
import type { Preview } from '../../api/types.ts';
import { usePreviews } from '../../api/use-previews.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { PreviewSession } from '../../components/preview-session.tsx';
import { PreviewTitle } from '../../components/preview-title.tsx';
import { ListState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ServiceState } from '../../components/service-state.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { contentText } from '../../text/preview-text.ts';

/** Live previews that the person may open. */
export function PreviewsPage() {
  const { slug } = useWorkspace();
  const list = usePreviews(keys.previews(slug));
  return (
    <PageFrame
      title="Previews"
      width="list"
      description="Pages and services that agents show, until they expire. Nobody checked them."
    >
      <ListState
        list={list}
        what="The list of previews"
        empty={
          <EmptyState
            title="No live previews"
            text="An agent shows a page, a small website or one of its services with its tool preview_deploy. You see those for the whole workspace, and those of the sessions that you may read."
          />
        }
      >
        {(previews) => <PreviewsTable previews={previews} />}
      </ListState>
    </PageFrame>
  );
}

/** On a phone, whose agent and session it is of is on its page. */
function PreviewsTable({ previews }: { previews: Preview[] }) {
  const { slug } = useWorkspace();
  return (
    <DataTable
      isFlush
      columns={[
        'Title',
        { name: 'Agent', isWide: true },
        { name: 'Session', isWide: true },
        'Content',
        'Expires',
      ]}
      minWidth={320}
      className="whole-words"
    >
      {previews.map((preview) => (
        <tr key={preview.id}>
          <td>
            <TextLink to={pathOf(slug, 'previews', preview.id)}>
              <PreviewTitle title={preview.title} />
            </TextLink>
          </td>
          <td className="wide-only">
            <VisibleText text={preview.agent.name} />
          </td>
          <td className="wide-only">
            <PreviewSession preview={preview} />
          </td>
          <td>
            <Group gap="xs">
              {contentText(preview)}
              <ServiceState preview={preview} isLive={preview.is_live} />
            </Group>
          </td>
          <td>
            <RelativeTime at={preview.expires_at} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
