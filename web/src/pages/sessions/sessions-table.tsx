import { Text } from '@mantine/core';
import type { Session } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { AgentAvatar, Named, PersonAvatar } from '../../components/avatar.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SessionLabel } from '../../components/session-chain.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { numberText } from '../../text/number-text.ts';
import { SessionStatus } from './session-status.tsx';
import { SessionTitle } from './session-title.tsx';
import { stateOf } from './status-text.ts';

export function SessionsTable({ sessions }: { sessions: Session[] }) {
  return (
    <DataTable
      label="Sessions"
      columns={[
        { name: 'Status', width: 190 },
        'Title',
        { name: 'Agent', width: '18%' },
        { name: 'Started by', width: '18%' },
        { name: 'Tokens', width: 90, isRight: true },
        { name: 'Started', width: 150, isRight: true },
      ]}
      minWidth={820}
      className="sessions"
      isFlush
      isStacked
    >
      {sessions.map((session) => (
        <Row key={session.id} session={session} />
      ))}
    </DataTable>
  );
}

function Row({ session }: { session: Session }) {
  const { slug } = useWorkspace();
  const { id, agent, label, created_at: at, model_tokens: tokens } = session;
  return (
    <tr>
      <td>
        <SessionStatus status={stateOf(session)} />
      </td>
      <td className="cut" title={id}>
        <TextLink to={pathOf(slug, 'sessions', id)}>
          <SessionTitle session={session} />
        </TextLink>
        <SessionLabel label={label} />
      </td>
      <td>
        <Named avatar={<AgentAvatar name={agent.name} />} title={agent.name}>
          <TextLink to={pathOf(slug, 'agents', agent.id)}>
            <VisibleText text={agent.name} />
          </TextLink>
        </Named>
      </td>
      <td className="who">
        <Driver session={session} />
      </td>
      <td className="right">{tokens === null ? null : numberText(tokens)}</td>
      <td className="right">
        <RelativeTime at={at} />
      </td>
    </tr>
  );
}

/** Who drives it, or which agent started it, and for whom. */
function Driver({ session }: { session: Session }) {
  const { operator, root_operator: root, parent_agent: parent, schedule_maker: maker } = session;
  if (operator !== null) {
    return (
      <Named avatar={<PersonAvatar name={operator.name} />} title={operator.name}>
        <VisibleText text={operator.name} />
      </Named>
    );
  }
  return (
    <Text span inherit c="dimmed">
      {parent === null ? (
        maker === null ? (
          'no person'
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
