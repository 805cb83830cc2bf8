import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Preview } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { usePreview } from '../../api/use-previews.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { Fact, FactList } from '../../components/fact-list.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { PreviewSession } from '../../components/preview-session.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { QuotedClaim } from '../../components/quoted-claim.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';
import { ServiceState } from '../../components/service-state.tsx';
import { useExpired } from '../../components/use-expired.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { contentText, hasStopped, overAt, overWord, serviceStateWord } from '../../text/preview-text.ts';

/** What a preview is, before it is opened. */
export function PreviewPage({ id }: { id: string }) {
  return (
    <QueryState query={usePreview(id)} what="The preview">
      {({ preview }) => <Shown preview={preview} />}
    </QueryState>
  );
}

function Shown({ preview }: { preview: Preview }) {
  const { slug } = useWorkspace();
  const [asking, ask] = useDisclosure();
  const isExpired = useExpired(preview.expires_at);
  // A service that has failed has no page any more, also in the moment before its preview is ended.
  const isLive = preview.is_live && !isExpired && !hasStopped(preview);
  return (
    <PageFrame
      title={`Preview ${preview.id.slice(0, 8)}`}
      parent={{ to: pathOf(slug, 'previews'), label: 'All live previews' }}
      actions={
        isLive && preview.may_end ? (
          <Button variant="danger" onClick={ask.open}>
            End preview
          </Button>
        ) : null
      }
    >
      <Stack gap="lg">
        {preview.title === null ? null : <QuotedClaim by={preview.agent.name} text={preview.title} />}
        {isLive ? <OpenPart preview={preview} /> : <Over preview={preview} />}
        <Facts preview={preview} isLive={isLive} />
      </Stack>
      <EndDialog preview={preview} opened={asking} onClose={ask.close} />
    </PageFrame>
  );
}

function OpenPart({ preview: { id, service, service_status } }: { preview: Preview }) {
  const { slug } = useWorkspace();
  const isStarting = service_status !== null && serviceStateWord(service_status, true) === 'starting';
  return (
    <Banner
      role="note"
      tone="wait"
      title={service === null ? 'An agent wrote these pages' : 'A service of an agent makes these pages'}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          Nobody checked them, and they are not the platform. Do not type passwords or anything confidential
          into them{service === null ? '' : ': what you send goes to the service'}. They run apart from the
          platform: they cannot read your data or act for you here. A page can still lead you to another
          website, and tell it what you typed.
        </Text>
        <Button
          component="a"
          href={`/api/workspaces/${encodeURIComponent(slug)}/previews/${encodeURIComponent(id)}/open`}
          target="_blank"
          rel="noopener noreferrer"
        >
          Open in a new tab
        </Button>
        {isStarting ? (
          <Text size="sm">The service is starting. The page that you open waits for it.</Text>
        ) : null}
      </Stack>
    </Banner>
  );
}

function Over({ preview }: { preview: Preview }) {
  const reason = preview.service_status?.reason ?? null;
  const word = overWord(preview);
  const hasFailed = word === 'failed';
  return (
    <Banner
      role="note"
      tone={hasFailed ? 'fail' : 'idle'}
      title={hasFailed ? 'The service of this preview failed' : `This preview has ${word}`}
    >
      <Stack gap="xs">
        {hasFailed && reason !== null ? <VisibleText text={reason} /> : null}
        <span>
          It can no longer be opened.
          {preview.session_ended === false ? ' The agent of its session can deploy another one.' : null}
        </span>
      </Stack>
    </Banner>
  );
}

function Facts({ preview, isLive }: { preview: Preview; isLive: boolean }) {
  const { agent, audience, created_at, expires_at } = preview;
  return (
    <FactList label="Facts of the preview">
      <Fact name="Agent">
        <VisibleText text={agent.name} />
      </Fact>
      <Fact name="Session">
        <PreviewSession preview={preview} />
      </Fact>
      <Fact name="Who can open it">
        {audience === 'workspace' ? 'all members of the workspace' : 'those who may read its session'}
      </Fact>
      <Fact name="Content">{contentText(preview)}</Fact>
      {preview.service_status === null ? null : (
        <Fact name="Service">
          <ServiceState preview={preview} isLive={isLive} />
        </Fact>
      )}
      <Fact name="Deployed">
        <RelativeTime at={created_at} />
      </Fact>
      <Fact name={isLive ? 'Expires' : 'Ended'}>
        <RelativeTime at={isLive ? expires_at : overAt(preview)} />
      </Fact>
    </FactList>
  );
}

function EndDialog({ preview, opened, onClose }: { preview: Preview; opened: boolean; onClose: () => void }) {
  const { slug } = useWorkspace();
  const end = useApiMutation({
    send: () => {
      const params = { path: { slug, preview_id: preview.id } };
      return call(api.DELETE('/api/workspaces/{slug}/previews/{preview_id}', { params }));
    },
    invalidates: [keys.previews(slug)],
    onRefetched: onClose,
  });
  return (
    <RemovalDialog
      opened={opened}
      onClose={onClose}
      title="End this preview?"
      confirmLabel="End preview"
      removal={end}
    >
      <Text>
        {preview.service === null ? 'Its files are erased' : 'Its service is stopped'}, and it is closed for
        everybody who has it open. This cannot be undone.
        {preview.session_ended === false ? ' The session continues.' : null}
      </Text>
    </RemovalDialog>
  );
}
