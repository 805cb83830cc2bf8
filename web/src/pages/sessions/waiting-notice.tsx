/** Links from the list of sessions to what waits for the person. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { Link } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Session } from '../../api/types.ts';
import { WaitingCount } from '../../app/page-title.ts';
import { pathOf } from '../../app/paths.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';

export function WaitingNotice() {
  const { slug } = useWorkspace();
  const waiting = useContext(WaitingCount);
  const sessions = useSessionsToSignIn(slug);
  const [first] = sessions;
  return (
    <>
      {waiting === 0 ? null : (
        <Notice
          text={`${waiting === 1 ? '1 permission request is' : `${waiting} permission requests are`} waiting for you`}
          action="Review"
          to={pathOf(slug, 'approvals')}
        />
      )}
      {first === undefined ? null : (
        <Notice
          text={`${sessions.length === 1 ? '1 session is' : `${sessions.length} sessions are`} waiting for you to sign in to a remote server`}
          action="Open session"
          to={pathOf(slug, 'sessions', first.id)}
        />
      )}
    </>
  );
}

function Notice({ text, action, to }: { text: string; action: string; to: string }) {
  return (
    <div className="waiting-notice" role="status">
      <Icon name="clockFilled" size={14} />
      <span>{text}</span>
      <Button component={Link} href={to} size="compact-xs">
        {action}
      </Button>
    </div>
  );
}

/** Those that the person drives, newest first; nobody else can sign in for a session. */
function useSessionsToSignIn(slug: string): Session[] {
  const { user } = useMe();
  const { data } = useQuery({
    queryKey: keys.sessions(slug, 'to-sign-in'),
    queryFn({ signal }) {
      const params = { path: { slug }, query: { waiting_for: 'sign_in' as const, limit: 200 } };
      return call(api.GET('/api/workspaces/{slug}/sessions', { params, signal }));
    },
  });
  return data?.sessions.filter(({ operator }) => operator?.id === user.id) ?? [];
}
