import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { registerPasskey, usePasskeys } from '../../api/passkeys.ts';
import type { Passkey } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { home } from '../../app/paths.ts';
import { useMe } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { CodeText } from '../../components/code-text.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { RemovalDialog } from '../../components/removal-dialog.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

/** With what the person approves where a passkey is asked for. Nobody else reads it. */
export function PasskeysPage() {
  const [named, setNamed] = useState<Passkey | 'new' | null>(null);
  const [removed, setRemoved] = useState<Passkey | null>(null);
  return (
    <PageFrame
      title="Your passkeys"
      description="Some approvals ask for a passkey: your device makes sure that it is you, and signs exactly what you approve. Passkeys are added, renamed and removed shortly after you signed in again to prove who you are."
    >
      <TextLink to={home}>Go to home page</TextLink>
      <QueryState query={usePasskeys()} what="Your passkeys">
        {({ passkeys, unavailable }) => (
          <Stack>
            {unavailable === null ? null : (
              <Banner tone="wait" title="No passkeys at this address">
                {unavailable}.
              </Banner>
            )}
            {passkeys.length === 0 ? (
              <EmptyState title="No passkeys yet" text="Add one before an approval asks for it." />
            ) : (
              <PasskeysTable passkeys={passkeys} onRename={setNamed} onRemove={setRemoved} />
            )}
            <Group>
              <Button disabled={unavailable !== null} onClick={() => setNamed('new')}>
                Add a passkey
              </Button>
            </Group>
          </Stack>
        )}
      </QueryState>
      <Modal
        opened={named !== null}
        onClose={() => setNamed(null)}
        title={named === 'new' ? 'Add a passkey' : 'Rename passkey'}
      >
        {named === null ? null : <NameForm named={named} onClose={() => setNamed(null)} />}
      </Modal>
      <RemoveDialog asked={removed} onClose={() => setRemoved(null)} />
    </PageFrame>
  );
}

interface TableProps {
  passkeys: readonly Passkey[];
  onRename: (passkey: Passkey) => void;
  onRemove: (passkey: Passkey) => void;
}

function PasskeysTable({ passkeys, onRename, onRemove }: TableProps) {
  return (
    <DataTable
      label="Your passkeys"
      columns={['Name', 'Address', 'Added', 'Last used', { name: 'Actions', isHidden: true }]}
      minWidth={720}
    >
      {passkeys.map((passkey) => (
        <tr key={passkey.id}>
          <td>
            <VisibleText text={passkey.name} />
          </td>
          <td>
            <CodeText text={passkey.origin} />
          </td>
          <td>
            <RelativeTime at={passkey.created_at} />
          </td>
          <td>{passkey.last_used_at === null ? 'never' : <RelativeTime at={passkey.last_used_at} />}</td>
          <td>
            <Group gap="xs" wrap="nowrap">
              <Button
                size="xs"
                variant="default"
                aria-label={`Rename ${passkey.name}`}
                onClick={() => onRename(passkey)}
              >
                Rename
              </Button>
              <Button
                size="xs"
                variant="danger"
                aria-label={`Remove ${passkey.name}`}
                onClick={() => onRemove(passkey)}
              >
                Remove
              </Button>
            </Group>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function NameForm({ named, onClose }: { named: Passkey | 'new'; onClose: () => void }) {
  const { user } = useMe();
  const [name, setName] = useState(named === 'new' ? '' : named.name);
  const save = useApiMutation({
    done: named === 'new' ? 'Passkey added' : 'Passkey renamed',
    async send() {
      if (named === 'new') {
        await registerPasskey(user, name);
        return;
      }
      const params = { path: { passkey_id: named.id } };
      await call(api.PATCH('/api/me/passkeys/{passkey_id}', { params, body: { name } }));
    },
    onSuccess: onClose,
    invalidates: [keys.passkeys],
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Name"
          description="Such as the device that it is on."
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <FailureAlert error={save.error} values={name} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
            {named === 'new' ? 'Continue' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** `asked` is null while nothing is asked. */
function RemoveDialog({ asked, onClose }: { asked: Passkey | null; onClose: () => void }) {
  // What is shown stays while the dialog closes.
  const [last, setLast] = useState(asked);
  if (asked !== null && asked !== last) {
    setLast(asked);
  }
  const removal = useApiMutation({
    done: 'Passkey removed',
    async send() {
      if (asked !== null) {
        const params = { path: { passkey_id: asked.id } };
        await call(api.DELETE('/api/me/passkeys/{passkey_id}', { params }));
      }
    },
    onSuccess: onClose,
    invalidates: [keys.passkeys],
    invalidatesOnError: [keys.passkeys],
  });
  return (
    <RemovalDialog
      opened={asked !== null}
      onClose={onClose}
      title={`Remove ${last?.name}?`}
      confirmLabel="Remove"
      removal={removal}
    >
      It approves nothing from now on. What was approved with it stays.
    </RemovalDialog>
  );
}
