/** The inbox: one row for each request, those that wait for this person in amber. */
import { Button } from '@mantine/core';
import { Link } from 'wouter';
import type { PermissionRequest } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { AgentAvatar, Named } from '../../components/avatar.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Status } from '../../components/pill.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { useExpired } from '../../components/use-expired.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { AskedBy } from './request-chain.tsx';
import { StartedBy } from './request-facts.tsx';
import { statusLabel, statusTone, subjectOf } from './request-text.ts';
import { SessionLink } from './session-link.tsx';
import { inQueue } from './use-queue-keys.ts';

/** `search`: the filters of the address, which stay while a request is open. */
export function RequestsTable({
  requests,
  search,
}: {
  requests: readonly PermissionRequest[];
  search: string;
}) {
  return (
    <DataTable
      label="Permission requests"
      columns={[
        { name: 'Status', width: 160 },
        { name: 'Agent', width: '18%' },
        'Wants',
        { name: 'Session', width: '20%' },
        { name: 'Asked', width: 170, isRight: true },
        { name: 'Open', width: 110, isHidden: true, isRight: true },
      ]}
      minWidth={820}
      className="requests"
      isFlush
      isStacked
    >
      {requests.map((request) => (
        <Row key={request.id} request={request} search={search} />
      ))}
    </DataTable>
  );
}

function Row({ request, search }: { request: PermissionRequest; search: string }) {
  const { slug } = useWorkspace();
  const { what, name } = subjectOf(request);
  const { status, agent, may_decide: mine } = request;
  const expired = useExpired(request.expires_at);
  const open = status === 'open' && !expired;
  // The platform closes it in a moment; nothing can be decided now.
  const shown = status === 'open' && expired ? 'expired' : status;
  return (
    <tr className={open && mine ? 'row-waits' : undefined}>
      <td>
        <Status
          tone={open && !mine ? 'idle' : statusTone[shown]}
          icon={shown === 'expired' || (open && !mine) ? 'hourglass' : undefined}
        >
          {open && !mine ? 'Waiting for others' : statusLabel[shown]}
        </Status>
      </td>
      <td>
        <Named avatar={<AgentAvatar name={agent.name} />} title={agent.name}>
          <VisibleText text={agent.name} />
        </Named>
      </td>
      <td>
        {what}{' '}
        <span className="mono">
          <VisibleText text={name} />
        </span>
        <AskedBy request={request} />
      </td>
      <td>
        <SessionLink request={request} />, <StartedBy request={request} />
      </td>
      <td className="right">
        <When request={request} isOpen={open} />
      </td>
      <td className="right">
        <Button
          component={Link}
          {...inQueue}
          href={`${pathOf(slug, 'approvals', request.id)}${search}`}
          size="compact-sm"
          variant={open && mine ? 'filled' : 'default'}
          aria-label={`${open && mine ? 'Review' : 'View'} the request of ${agent.name} for ${name}`}
        >
          {open && mine ? 'Review' : 'View'}
        </Button>
      </td>
    </tr>
  );
}

/** When it was asked and until when it can be answered, or by whom it was. */
function When({ request, isOpen }: { request: PermissionRequest; isOpen: boolean }) {
  const me = useMe();
  const { decider, decided_at: decidedAt } = request;
  return (
    <>
      <RelativeTime at={request.created_at} />
      {isOpen ? (
        <div className="row-more">
          expires <RelativeTime at={request.expires_at} />
        </div>
      ) : null}
      {decider === null || decidedAt === null ? null : (
        <div className="row-more">
          by {decider.id === me.user.id ? 'you' : <VisibleText text={decider.name} />},{' '}
          <RelativeTime at={decidedAt} />
        </div>
      )}
    </>
  );
}
