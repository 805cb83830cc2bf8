/** Another issuer or resource than the one that was accepted, side by side, for an admin to decide on. */
import { Button, Code, Group, Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { McpRegistration, SignInParties } from '../../../api/types.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { Banner } from '../../../components/banner.tsx';
import { CodeText } from '../../../components/code-text.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Fact, FactList } from '../../../components/fact-list.tsx';
import { VisibleText } from '../../../components/visible-text.tsx';
import { changedPart, differingPart } from './registration-text.ts';

type Parties = NonNullable<McpRegistration['parties']>;
type Accept = UseMutationResult<unknown, Error, SignInParties>;

const rows: { field: keyof Parties; label: string }[] = [
  { field: 'issuer', label: 'Issuer' },
  { field: 'resource', label: 'Resource' },
  { field: 'authorization_host', label: 'Sign-in page' },
];

export function ChangedParties({
  name,
  parties,
  found,
  accept,
}: {
  name: string;
  parties: Parties;
  found: Parties;
  accept: Accept;
}) {
  const { isAdmin } = useWorkspace();
  const [asked, setAsked] = useState<Parties | null>(null);
  const what = changedPart(parties, found);
  return (
    <Banner tone="fail" role="note" title={`The server names another ${what} than the one that was accepted`}>
      <DataTable
        label="Accepted and found"
        columns={[{ name: 'Part', isHidden: true, width: 110 }, 'Accepted', 'Found now']}
      >
        {rows.map(({ field, label }) => (
          <tr key={field}>
            <th scope="row">{label}</th>
            <td>
              <Compared text={parties[field]} other={found[field]} className="diff-removed" />
            </td>
            <td>
              <Compared text={found[field]} other={parties[field]} className="diff-added" />
            </td>
          </tr>
        ))}
      </DataTable>
      <Text size="sm" my="xs">
        Sessions that use this server cannot start meanwhile. Whoever runs the new one receives the sign-ins
        of its users: ask the server’s operator whether it moved.
        {isAdmin ? '' : ' An admin decides whether to accept it.'}
      </Text>
      {isAdmin ? (
        <Group>
          <Button
            loading={accept.isPending}
            onClick={() => {
              accept.reset();
              setAsked(found);
            }}
          >
            Accept the new {what}
          </Button>
        </Group>
      ) : null}
      <AcceptDialog name={name} what={what} asked={asked} accept={accept} onClose={() => setAsked(null)} />
    </Banner>
  );
}

/** Where the other text differs, this one is emphasised. */
function Compared({ text, other, className }: { text: string; other: string; className: string }) {
  const { before, differing, after } = differingPart(text, other);
  return (
    <Code>
      <VisibleText text={before} />
      {differing === '' ? null : (
        <strong className={className}>
          <VisibleText text={differing} />
        </strong>
      )}
      <VisibleText text={after} />
    </Code>
  );
}

/** Sends what it shows: what was on the page when it was asked for. */
function AcceptDialog({
  name,
  what,
  asked,
  accept,
  onClose,
}: {
  name: string;
  what: string;
  /** Null while nothing is asked. */
  asked: Parties | null;
  accept: Accept;
  onClose: () => void;
}) {
  // What is shown stays while the dialog closes.
  const [last, setLast] = useState(asked);
  if (asked !== null && asked !== last) {
    setLast(asked);
  }
  return (
    <ConfirmDialog
      opened={asked !== null}
      onClose={onClose}
      title={`Accept the new ${what} of ${name}?`}
      confirmLabel={`Accept the new ${what}`}
      onConfirm={() => {
        if (asked !== null) {
          accept.mutate(asked, { onSettled: onClose });
        }
      }}
      pending={accept.isPending}
    >
      <Text size="sm">From then on people sign in there, and everybody has to sign in again.</Text>
      {last === null ? null : (
        <FactList label="To be accepted">
          {rows.map(({ field, label }) => (
            <Fact key={field} name={label}>
              <CodeText text={last[field]} />
            </Fact>
          ))}
        </FactList>
      )}
    </ConfirmDialog>
  );
}
