/** What one can do with a session beside talking to its agent. */
import { ActionIcon, Button, CopyButton, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { UseMutationResult } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Session } from '../../api/types.ts';
import { auditOfTreePath, duplicatePath } from '../../app/paths.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import type { RunningBelow } from './session-tree.ts';
import { TerminateButton } from './terminate-button.tsx';

type Again = Pick<UseMutationResult<unknown, Error, string>, 'mutate' | 'isPending'>;

export function SessionActions({
  session,
  running,
  again,
}: {
  session: Session;
  running: RunningBelow;
  again: Again;
}) {
  const { slug, isAdmin } = useWorkspace();
  // Another's prompt, or that of an agent, is read before it is sent as one's own: Duplicate shows it.
  const isOwn = session.operator_id === useMe().user.id;
  const [isRenaming, renaming] = useDisclosure();
  const { url } = session.workflow;
  return (
    <>
      <CopyButton value={window.location.href}>
        {({ copied, copy }) => (
          <Button
            className="wide-only"
            variant="subtle"
            size="xs"
            leftSection={<Icon name="link" size={14} />}
            onClick={copy}
          >
            {copied ? 'Copied' : 'Copy link'}
          </Button>
        )}
      </CopyButton>
      {isOwn ? (
        <Button
          className="wide-only"
          variant="default"
          size="xs"
          leftSection={<Icon name="refresh" size={14} />}
          loading={again.isPending}
          onClick={() => again.mutate(session.id)}
        >
          Run again
        </Button>
      ) : null}
      {session.may_terminate ? <TerminateButton session={session} running={running} /> : null}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" size={30} aria-label="More actions">
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {session.may_rename ? <Menu.Item onClick={renaming.open}>Rename</Menu.Item> : null}
          {isOwn ? <Menu.Item onClick={() => again.mutate(session.id)}>Run again</Menu.Item> : null}
          <Menu.Item component={Link} href={duplicatePath(slug, session.id)}>
            Duplicate
          </Menu.Item>
          {isAdmin ? (
            <Menu.Item component={Link} href={auditOfTreePath(slug, session.id)}>
              Audit trail
            </Menu.Item>
          ) : null}
          {url === null ? null : (
            <Menu.Item component="a" href={url} target="_blank" rel="noopener noreferrer">
              Open in the Temporal UI
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <RenameDialog session={session} opened={isRenaming} onClose={renaming.close} />
    </>
  );
}
