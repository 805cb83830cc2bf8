/** What a server says of its tools that is not accepted, for an admin to decide on. */
import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useRef, useState } from 'react';
import type { McpServer, ToolDifference } from '../../../api/types.ts';
import { useWorkspace } from '../../../app/signed-in.tsx';
import { FailureAlert } from '../../../components/failure-alert.tsx';
import { ListState } from '../../../components/query-state.tsx';
import { useArmed } from '../../../components/use-armed.ts';
import { AcceptAllDialog } from './accept-all-dialog.tsx';
import { AcceptButton, DifferenceCard } from './difference-card.tsx';
import { useAccept, useDifferences } from './use-tools.ts';

const heading = 'New and changed tools';

export function Differences({ entry, version }: { entry: McpServer; version: number }) {
  const { slug } = useWorkspace();
  const of = { slug, name: entry.name, version };
  const title = useRef<HTMLHeadingElement>(null);
  const list = useDifferences(of);
  // What had the focus is gone with what was accepted.
  const accept = useAccept(of, () => title.current?.focus());
  return (
    <Card withBorder component="section" aria-label={heading}>
      <Stack gap="sm">
        <div>
          <Title order={2} size="h4" tabIndex={-1} ref={title} className="quiet-focus">
            {heading}
          </Title>
          <Text size="sm" role="status">
            {accept.isSuccess ? acceptedText(accept.data) : null}
          </Text>
        </div>
        {accept.error === null ? null : <FailureAlert error={accept.error} />}
        <ListState
          list={list}
          what="What has changed"
          empty={<Text c="dimmed">None: the server says of its tools what was accepted.</Text>}
        >
          {(items) => (
            <Waiting
              server={entry.name}
              changedTools={version === entry.version ? entry.changed_tools : null}
              items={items}
              hasMore={list.hasMore}
              accept={accept}
            />
          )}
        </ListState>
      </Stack>
    </Card>
  );
}

function Waiting({
  server,
  changedTools,
  items,
  hasMore,
  accept,
}: {
  server: string;
  /** Null for an earlier version, whose rule is not known here. */
  changedTools: McpServer['changed_tools'] | null;
  items: readonly ToolDifference[];
  hasMore: boolean;
  accept: ReturnType<typeof useAccept>;
}) {
  const { isAdmin } = useWorkspace();
  // A click that was meant for another item accepts nothing.
  const isArmed = useArmed(items.map(({ id }) => id).join());
  // Exactly what was on the page when the person chose to accept it.
  const [asked, setAsked] = useState<readonly ToolDifference[] | null>(null);
  const accepting = accept.isPending ? accept.variables : undefined;
  return (
    <>
      <Text size="sm">{meaningText(changedTools, isAdmin)}</Text>
      {isAdmin && items.length > 1 ? (
        <Group gap="sm">
          <Button variant="default" disabled={!isArmed || accept.isPending} onClick={() => setAsked(items)}>
            Accept all {items.length} shown
          </Button>
          {hasMore ? <Text size="sm">More are not shown yet.</Text> : null}
        </Group>
      ) : null}
      <Stack gap="sm" component="ul" m={0} p={0} aria-label={heading}>
        {items.map((difference) => (
          <DifferenceCard
            key={difference.id}
            server={server}
            difference={difference}
            action={
              isAdmin ? (
                <AcceptButton
                  difference={difference}
                  isArmed={isArmed}
                  accepting={accepting}
                  onAccept={() => accept.mutate([difference.id])}
                />
              ) : null
            }
          />
        ))}
      </Stack>
      <AcceptAllDialog asked={asked} accept={accept} onClose={() => setAsked(null)} />
    </>
  );
}

/** Another admin may have accepted some of them before. */
const acceptedText = (accepted: number): string =>
  accepted === 0
    ? 'Nothing was accepted now: none of them waited any longer.'
    : accepted === 1
      ? '1 definition accepted.'
      : `${accepted} definitions accepted.`;

function meaningText(changedTools: McpServer['changed_tools'] | null, isAdmin: boolean): string {
  const effect = {
    refuse: 'Calls of these tools are refused until an admin accepts them.',
    tell: 'Calls of these tools pass meanwhile.',
    unknown: '',
  }[changedTools ?? 'unknown'];
  const claim = 'What is quoted is the server’s own claim, not verified.';
  return [effect, claim, ...(isAdmin ? [] : ['An admin decides whether to accept it.'])].join(' ').trim();
}
