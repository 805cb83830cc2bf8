import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Artifact, Session } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useList } from '../../api/use-list.ts';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { ListState } from '../../components/query-state.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { sizeText } from '../../text/size-text.ts';
import { artifactPath } from './artifact-path.ts';
import { ArtifactPreview } from './artifact-preview.tsx';
import { previewKind } from './preview-kind.ts';
import { useConfiguration } from './use-configuration.ts';

/**
 * What the agent handed out, and the patch of its repository. Nothing of it is run here: text is shown as
 * text, pictures as pictures.
 */
export function ArtifactsPanel({ session }: { session: Session }) {
  const { id: sessionId } = session;
  const list = useList<Artifact>({
    queryKey: keys.session(sessionId, 'artifacts'),
    async fetchPage({ cursor, signal }) {
      const query = cursor === undefined ? {} : { cursor };
      const params = { path: { session_id: sessionId }, query };
      const page = await call(api.GET('/api/sessions/{session_id}/artifacts', { params, signal }));
      return { items: page.artifacts, next_cursor: page.next_cursor };
    },
  });
  const [opened, setOpened] = useState<Artifact | null>(null);
  return (
    <Card withBorder padding="sm" component="section" aria-label="Artifacts">
      <Title order={2} size="h5" mb="xs">
        Artifacts
      </Title>
      <ListState
        list={list}
        what="The artifacts"
        empty={
          <Text size="sm" c="dimmed">
            No artifacts yet.
          </Text>
        }
      >
        {(artifacts) => (
          <Stack gap="sm" component="ul" m={0} p={0}>
            {artifacts.map((artifact) => (
              <ArtifactRow
                key={artifact.id}
                artifact={artifact}
                sessionId={sessionId}
                onPreview={() => setOpened(artifact)}
              />
            ))}
          </Stack>
        )}
      </ListState>
      {session.status === 'running' && session.may_mute ? (
        <PatchButton key={list.items?.length} sessionId={sessionId} />
      ) : null}
      <ArtifactPreview artifact={opened} sessionId={sessionId} onClose={() => setOpened(null)} />
    </Card>
  );
}

function ArtifactRow({
  artifact,
  sessionId,
  onPreview,
}: {
  artifact: Artifact;
  sessionId: string;
  onPreview: () => void;
}) {
  return (
    <Stack component="li" gap={2} style={{ listStyle: 'none' }}>
      <Text size="sm" component="div" lineClamp={3}>
        <VisibleText text={artifact.name} />
      </Text>
      <Group gap="xs">
        <Text size="xs" c="dimmed" component="div">
          <VisibleText text={artifact.mime_type} />, {sizeText(artifact.size_bytes)}
          {artifact.made_by === 'platform' ? ', made by the platform' : null}
        </Text>
        {previewKind(artifact) === null ? null : (
          <Button size="compact-xs" variant="default" onClick={onPreview}>
            Preview
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="default"
          component="a"
          href={artifactPath(sessionId, artifact.id)}
          download
        >
          Download
        </Button>
      </Group>
    </Stack>
  );
}

/**
 * Asks for the patch of a running session that has a repository. It comes as an artifact, with which a new
 * button is shown; the transcript says why where there is none.
 */
function PatchButton({ sessionId }: { sessionId: string }) {
  const { data } = useConfiguration(sessionId);
  const ask = useApiMutation({
    send() {
      const params = { path: { session_id: sessionId } };
      return call(api.POST('/api/sessions/{session_id}/patch', { params }));
    },
  });
  return data?.configuration.agent.repository === undefined ? null : (
    <Stack gap={4} mt="sm" align="flex-start">
      <Button size="compact-sm" variant="default" loading={ask.isPending} onClick={() => ask.mutate()}>
        Get patch now
      </Button>
      <Text size="xs" c="dimmed" role="status">
        {ask.isSuccess
          ? 'Asked for. It comes as an artifact, or the transcript says why there is none.'
          : 'What the agent has changed in the repository so far. It works on meanwhile.'}
      </Text>
      <FailureAlert error={ask.error} takesFocus={false} />
    </Stack>
  );
}
