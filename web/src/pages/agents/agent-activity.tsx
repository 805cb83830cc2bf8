/** What an agent may, by the grants that it holds, and what it did last. Each with the way to all of it. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Agent, Grant, Session } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { Matter } from '../grants/grant-names.tsx';
import { labelOfType, scopeLabel, usesText } from '../grants/grant-text.ts';
import { SessionStatus } from '../sessions/session-status.tsx';
import { SessionTitle } from '../sessions/session-title.tsx';
import { stateOf } from '../sessions/status-text.ts';
import { Part } from './form-part.tsx';

const shownRows = 5;

/** Those that permit something now, whoever starts it; the grants of people are theirs. */
export function GrantsPart({ agent: { id } }: { agent: Agent }) {
  const { slug } = useWorkspace();
  const query = useQuery({
    queryKey: keys.grants(slug, 'held-by', id),
    queryFn: async ({ signal }): Promise<Grant[]> => {
      const filter = { agent_subject_id: id, state: 'active' as const, limit: shownRows };
      const params = { path: { slug }, query: filter };
      return (await call(api.GET('/api/workspaces/{slug}/grants', { params, signal }))).grants;
    },
  });
  const all = `${pathOf(slug, 'grants')}?${new URLSearchParams({ subject: `agent:${id}` })}`;
  return (
    <Part title="Grants" description="What it may without asking, whoever starts it.">
      <QueryState query={query} what="The grants">
        {(grants) =>
          grants.length === 0 ? (
            <Text c="dimmed">None: it asks for what is gated.</Text>
          ) : (
            <>
              <DataTable
                label="Grants of the agent"
                columns={['Grant', 'Duration', 'Granted', 'Usage']}
                isStacked
              >
                {grants.map((grant) => (
                  <tr key={grant.id}>
                    <td>
                      <TextLink to={pathOf(slug, 'grants', grant.id)}>
                        {labelOfType(grant.grant_type)}: <Matter grant={grant} />
                      </TextLink>
                    </td>
                    <td>
                      {scopeLabel[grant.scope]}
                      {grant.expires_at === null ? null : (
                        <>
                          , ends <RelativeTime at={grant.expires_at} />
                        </>
                      )}
                    </td>
                    <td>
                      <RelativeTime at={grant.granted_at} /> by <VisibleText text={grant.granted_by.name} />
                    </td>
                    <td>
                      {usesText(grant.use_count)}
                      {grant.last_used_at === null ? null : (
                        <>
                          , last <RelativeTime at={grant.last_used_at} />
                        </>
                      )}
                    </td>
                  </tr>
                ))}
              </DataTable>
              <TextLink to={all}>Show all</TextLink>
            </>
          )
        }
      </QueryState>
    </Part>
  );
}

/** Those that this person may read. */
export function SessionsPart({ agent: { id } }: { agent: Agent }) {
  const { slug } = useWorkspace();
  const query = useQuery({
    queryKey: keys.sessions(slug, 'last-of', id),
    queryFn: async ({ signal }): Promise<Session[]> => {
      const params = { path: { slug }, query: { agent_id: id, limit: shownRows } };
      return (await call(api.GET('/api/workspaces/{slug}/sessions', { params, signal }))).sessions;
    },
  });
  const all = `${pathOf(slug, 'sessions')}?${new URLSearchParams({ agent: id })}`;
  return (
    <Part title="Recent sessions">
      <QueryState query={query} what="The sessions">
        {(sessions) =>
          sessions.length === 0 ? (
            <Text c="dimmed">None that you can open.</Text>
          ) : (
            <>
              <DataTable
                label="Recent sessions"
                columns={[
                  { name: 'Status', width: 190 },
                  'Title',
                  { name: 'Started by', width: 180 },
                  { name: 'Started', width: 140, isRight: true },
                ]}
                isStacked
              >
                {sessions.map((session) => (
                  <tr key={session.id}>
                    <td>
                      <SessionStatus status={stateOf(session)} />
                    </td>
                    <td className="cut">
                      <TextLink to={pathOf(slug, 'sessions', session.id)}>
                        <SessionTitle session={session} />
                      </TextLink>
                    </td>
                    <td>
                      {session.operator === null ? 'no person' : <PersonName id={session.operator.id} />}
                    </td>
                    <td className="right">
                      <RelativeTime at={session.created_at} />
                    </td>
                  </tr>
                ))}
              </DataTable>
              <TextLink to={all}>Show all</TextLink>
            </>
          )
        }
      </QueryState>
    </Part>
  );
}
