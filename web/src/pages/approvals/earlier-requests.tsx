/**
 * What this agent asked before of the same tool, and what people decided: facts, apart from the buttons,
 * which no count changes. An agent that had much approved may ask for something else now.
 */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { EarlierRequests, PermissionRequest } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { decidedBeforeText, earlierText } from './earlier-text.ts';
import { begunName } from './request-text.ts';

export function EarlierAsked({ request }: { request: PermissionRequest }) {
  const { slug, isAdmin } = useWorkspace();
  const [isOpen, setOpen] = useState(false);
  const { data, error } = useQuery({
    queryKey: keys.permissionRequests(slug, 'earlier', request.id),
    async queryFn({ signal }) {
      const params = { path: { slug, request_id: request.id } };
      const path = '/api/workspaces/{slug}/permission-requests/{request_id}/earlier';
      return (await call(api.GET(path, { params, signal }))).earlier;
    },
  });
  if (data === undefined) {
    // Its line is there from the beginning: nothing moves under a button that works by then.
    return (
      <p className="earlier">
        {error === null ? 'Reading what it asked before.' : 'What it asked before could not be loaded.'}
      </p>
    );
  }
  return (
    <section aria-label="Asked before">
      <p className="earlier">
        <Icon name="audit" size={14} />
        <span>
          <VisibleText text={begunName(request.agent.name)} /> {earlierText(data, { seesAll: isAdmin })}
        </span>
        {data.decided.length === 0 ? null : (
          <Button size="compact-xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        )}
      </p>
      {isOpen ? (
        <ul className="earlier-list">
          {data.decided.map((decided) => (
            <DecidedBefore key={decided.id} decided={decided} />
          ))}
        </ul>
      ) : null}
    </section>
  );
}

function DecidedBefore({ decided }: { decided: EarlierRequests['decided'][number] }) {
  const { slug } = useWorkspace();
  const me = useMe();
  const { id, session, decider, decided_at: at, status } = decided;
  return (
    <li>
      <Icon name={status === 'approved' ? 'check' : 'ban'} size={14} />
      <span>
        <TextLink to={pathOf(slug, 'approvals', id)}>{decidedBeforeText(decided)}</TextLink>
        {decider === null ? null : (
          <> by {decider.id === me.user.id ? 'you' : <VisibleText text={begunName(decider.name)} />}</>
        )}
        , <RelativeTime at={at} />, in <VisibleText text={begunName(session.title, 60)} />
      </span>
    </li>
  );
}
