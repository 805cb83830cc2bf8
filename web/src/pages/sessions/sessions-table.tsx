import { Table, Text } from '@mantine/core';
import type { Session } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SessionLabel } from '../../components/session-chain.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { numberText } from '../../text/number-text.ts';
import { SessionStatus } from './session-status.tsx';
import { stateOf } from './status-text.ts';

export function SessionsTable({ sessions }: { sessions: Session[] }) {
  return (
    <Table.ScrollContainer minWidth={860}>
      <Table verticalSpacing="sm" aria-label="Sessions">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Session</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Operator</Table.Th>
            <Table.Th ta="right">Tokens</Table.Th>
            <Table.Th>Started</Table.Th>
            <Table.Th>ID</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.map((session) => (
            <Row key={session.id} session={session} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const shownPromptLength = 160;

function Row({ session }: { session: Session }) {
  const { slug } = useWorkspace();
  const { id, agent, label, prompt, created_at: at, model_tokens: tokens } = session;
  return (
    <Table.Tr>
      <Table.Td maw={420}>
        <TextLink to={pathOf(slug, 'sessions', id)}>
          <VisibleText text={agent.name} />
        </TextLink>
        <SessionLabel label={label} />
        <Text size="sm" c="dimmed" lineClamp={2} component="div">
          <VisibleText text={prompt.slice(0, shownPromptLength)} />
        </Text>
      </Table.Td>
      <Table.Td>
        <SessionStatus status={stateOf(session)} />
      </Table.Td>
      <Table.Td>
        <Driver session={session} />
      </Table.Td>
      <Table.Td ta="right">{tokens === null ? null : numberText(tokens)}</Table.Td>
      <Table.Td>
        <RelativeTime at={at} />
      </Table.Td>
      <Table.Td>
        <CopyableId id={id} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Who drives it, or which agent started it, and for whom. */
function Driver({ session }: { session: Session }) {
  const { operator, root_operator: root, parent_agent: parent, schedule_maker: maker } = session;
  if (operator !== null) {
    return <VisibleText text={operator.name} />;
  }
  return (
    <Text span inherit c="dimmed">
      {parent === null ? (
        maker === null ? (
          'none'
        ) : (
          'started by a schedule'
        )
      ) : (
        <>
          started by <VisibleText text={parent.name} />
        </>
      )}
      {root === null ? null : (
        <>
          , for <VisibleText text={root.name} />
        </>
      )}
      {maker === null ? null : (
        <>
          {parent === null ? ' of ' : ', for a schedule of '}
          <VisibleText text={maker.name} />
        </>
      )}
    </Text>
  );
}
