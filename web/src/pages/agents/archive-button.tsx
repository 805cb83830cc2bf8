import { Button, List, Radio, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { ApiFailure, type Use } from '../../api/failure.ts';
import { stale } from '../../api/stale.ts';
import type { Agent } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

/** Archives an agent after a question, or takes it back into use. */
export function ArchiveButton({ agent }: { agent: Agent }) {
  const [asking, dialog] = useDisclosure();
  return agent.archived_at === null ? (
    <>
      <Button variant="default" onClick={dialog.open}>
        Archive
      </Button>
      <ArchiveDialog agent={agent} opened={asking} onClose={dialog.close} />
    </>
  ) : (
    <UnarchiveButton agent={agent} />
  );
}

type Choice = 'end' | 'let_finish';

function ArchiveDialog({
  agent: { id, name },
  opened,
  onClose,
}: {
  agent: Agent;
  opened: boolean;
  onClose: () => void;
}) {
  const { slug } = useWorkspace();
  const [choice, setChoice] = useState<Choice>('end');
  const [running, setRunning] = useState<readonly Use[]>([]);
  const archive = useApiMutation({
    done: 'Agent archived',
    send: () =>
      call(
        api.POST('/api/agents/{agent_id}/archive', {
          params: { path: { agent_id: id } },
          // What happens to them is asked once it is known that some run.
          body: running.length === 0 ? {} : { running_sessions: choice },
        }),
      ),
    invalidates: stale.archive(slug, id),
    onSuccess: onClose,
    onError: (error) => setRunning(usesOf(error)),
  });
  const close = () => {
    archive.reset();
    setRunning([]);
    onClose();
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={close}
      title="Archive this agent?"
      confirmLabel="Archive agent"
      onConfirm={() => archive.mutate()}
      pending={archive.isPending}
      error={running.length > 0 ? null : archive.error}
    >
      <Text component="div">
        Nobody will be able to start <VisibleText text={name} />. Its grants are revoked, and those that let
        other agents start it; its open permission requests are closed, its schedules pause, and it is taken
        off every channel. Its sessions, requests and grants stay to be read, and its name stays taken.
      </Text>
      <Text>Unarchiving it gives none of that back.</Text>
      {running.length === 0 ? null : <RunningSessions uses={running} choice={choice} onChoose={setChoice} />}
    </ConfirmDialog>
  );
}

const usesOf = (error: Error): readonly Use[] => (error instanceof ApiFailure ? error.uses : []);

function RunningSessions({
  uses,
  choice,
  onChoose,
}: {
  uses: readonly Use[];
  choice: Choice;
  onChoose: (choice: Choice) => void;
}) {
  const { slug } = useWorkspace();
  return (
    <Banner tone="wait" role="alert" title="Sessions of this agent are running">
      <Stack gap="sm">
        <List size="sm">
          {uses.map(({ id, name }) => (
            <List.Item key={id}>
              <TextLink to={pathOf(slug, 'sessions', id)}>
                <VisibleText text={`${name} (${id.slice(0, 8)})`} />
              </TextLink>
            </List.Item>
          ))}
        </List>
        <Radio.Group
          label="What happens to them"
          value={choice}
          onChange={(value) => onChoose(value === 'end' ? 'end' : 'let_finish')}
        >
          <Stack gap="xs" mt={4}>
            <Radio value="end" label="End them" />
            <Radio value="let_finish" label="Let them finish, without the agent’s grants" />
          </Stack>
        </Radio.Group>
      </Stack>
    </Banner>
  );
}

function UnarchiveButton({ agent: { id } }: { agent: Agent }) {
  const { slug } = useWorkspace();
  const unarchive = useApiMutation({
    done: 'Agent brought back',
    send: () =>
      call(api.POST('/api/agents/{agent_id}/unarchive', { params: { path: { agent_id: id } }, body: {} })),
    invalidates: stale.archive(slug, id),
  });
  return (
    <>
      <Button variant="default" onClick={() => unarchive.mutate()} loading={unarchive.isPending}>
        Unarchive
      </Button>
      <FailureAlert error={unarchive.error} />
    </>
  );
}
