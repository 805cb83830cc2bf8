import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { maxPauseNoteLength } from '../../../../contract/schedule.ts';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Schedule } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';

/** What its maker and admins do with a schedule. */
export function ScheduleActions({ schedule }: { schedule: Schedule }) {
  const { slug } = useWorkspace();
  const { id, paused_at: pausedAt, agent } = schedule;
  const [removing, removal] = useDisclosure();
  const [pausing, pause] = useDisclosure();
  const params = { path: { slug, schedule_id: id } };
  const run = useApiMutation({
    send: () => call(api.POST('/api/workspaces/{slug}/schedules/{schedule_id}/run', { params, body: {} })),
    invalidates: [keys.sessions(slug), keys.schedules(slug)],
  });
  const resume = useApiMutation({
    send: () => call(api.POST('/api/workspaces/{slug}/schedules/{schedule_id}/resume', { params, body: {} })),
    invalidates: [keys.schedules(slug)],
  });
  return (
    <Stack align="flex-end" gap="xs">
      <Group gap="sm">
        {pausedAt === null ? (
          <>
            <Button onClick={() => run.mutate()} loading={run.isPending}>
              Run now
            </Button>
            <Button variant="default" onClick={pause.open}>
              Pause
            </Button>
          </>
        ) : (
          <Button onClick={() => resume.mutate()} loading={resume.isPending} disabled={agent === null}>
            Resume
          </Button>
        )}
        <Button component={Link} href={pathOf(slug, 'schedules', id, 'edit')} variant="default">
          Edit
        </Button>
        <Button variant="danger" onClick={removal.open}>
          Delete
        </Button>
      </Group>
      <FailureAlert error={run.error ?? resume.error} />
      {run.isSuccess ? (
        <Text size="sm" role="status">
          The run was asked for: it appears in the history when it begins.
        </Text>
      ) : null}
      <PauseDialog schedule={schedule} opened={pausing} onClose={pause.close} />
      <RemoveDialog schedule={schedule} opened={removing} onClose={removal.close} />
    </Stack>
  );
}

interface DialogProps {
  schedule: Schedule;
  opened: boolean;
  onClose: () => void;
}

function PauseDialog({ schedule: { id, name }, opened, onClose }: DialogProps) {
  const { slug } = useWorkspace();
  const [note, setNote] = useState('');
  const pause = useApiMutation({
    send: () =>
      call(
        api.POST('/api/workspaces/{slug}/schedules/{schedule_id}/pause', {
          params: { path: { slug, schedule_id: id } },
          body: { note },
        }),
      ),
    invalidates: [keys.schedules(slug)],
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={`Pause ${name}?`}
      confirmLabel="Pause schedule"
      onConfirm={() => pause.mutate()}
      pending={pause.isPending}
      error={pause.error}
      values={note}
    >
      <Text>It starts no sessions until somebody resumes it. A running session continues.</Text>
      <Textarea
        label="Note"
        description="For those who find it paused."
        maxLength={maxPauseNoteLength}
        value={note}
        onChange={(input) => setNote(input.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}

function RemoveDialog({ schedule: { id, name }, opened, onClose }: DialogProps) {
  const { slug } = useWorkspace();
  const [, navigate] = useLocation();
  const remove = useApiMutation({
    done: 'Schedule deleted',
    send: () =>
      call(
        api.DELETE('/api/workspaces/{slug}/schedules/{schedule_id}', {
          params: { path: { slug, schedule_id: id } },
        }),
      ),
    // Not the schedule itself, which is not there to be read again.
    invalidates: [keys.schedules(slug, 'of')],
    onSuccess: () => navigate(pathOf(slug, 'schedules')),
  });
  return (
    <RemovalDialog
      opened={opened}
      onClose={onClose}
      title={`Delete ${name}?`}
      confirmLabel="Delete schedule"
      removal={remove}
    >
      <Text>Its history is deleted with it. Its sessions stay, and those that run continue.</Text>
    </RemovalDialog>
  );
}
