/** The inbox: what agents ask in all sessions that one may see, and the request that the address names. */

import { Button, Select } from '@mantine/core';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { useList } from '../../api/use-list.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { withParam } from '../../app/with-param.ts';
import { Icon } from '../../components/icon.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { ListState } from '../../components/query-state.tsx';
import { EmptyState } from '../../components/state-views.tsx';
import { dayAndClockText } from '../../text/time-text.ts';
import { ApprovalDialog } from './approval-dialog.tsx';
import { ChangedServers } from './changed-servers.tsx';
import { type RequestStatus, statusLabel } from './request-text.ts';
import { RequestsTable } from './requests-table.tsx';
import { TogetherDialog } from './together-dialog.tsx';
import { TogetherOffers } from './together-offers.tsx';
import { useQueueKeys } from './use-queue-keys.ts';
import { lookEveryMs } from './use-request.ts';

const all = 'all';
const choices = [
  ...Object.entries(statusLabel).map(([value, label]) => ({ value, label })),
  { value: all, label: 'All' },
];

export function ApprovalsPage({ requestId }: { requestId: string | null }) {
  const { slug, isAdmin } = useWorkspace();
  const [, navigate] = useLocation();
  const [params, setParams] = useSearchParams();
  const status = choices.find(({ value }) => value === params.get('status'))?.value ?? 'open';
  /** Ids only: what is shown together is what the list says of them by then. */
  const [together, setTogether] = useState<readonly string[] | null>(null);
  const from = timeIn(params.get('from'));
  const list = useRequests(slug, {
    status: status === all ? undefined : (status as RequestStatus),
    from,
    isDecidedOn: together !== null,
  });
  const waiting = (list.items ?? []).filter(({ id, may_decide: mine }) => mine && id !== requestId);
  const search = params.size === 0 ? '' : `?${params}`;
  const show = (...rest: string[]) => navigate(`${pathOf(slug, 'approvals', ...rest)}${search}`);
  useQueueKeys({ ids: (list.items ?? []).map(({ id }) => id), shown: requestId, show });
  return (
    <PageFrame
      title="Approvals"
      width="list"
      description="Permission requests from agents. Nothing is allowed until someone approves it."
      actions={
        <>
          <QueueKeys />
          {from === undefined ? null : (
            <Button
              size="xs"
              variant="default"
              rightSection={<Icon name="close" size={12} />}
              aria-label={`Asked since ${dayAndClockText(from)}: show earlier ones, too`}
              onClick={() => setParams((before) => withParam(before, 'from', null))}
            >
              Asked since {dayAndClockText(from)}
            </Button>
          )}
          <Select
            aria-label="Status"
            data={choices}
            value={status}
            allowDeselect={false}
            w={160}
            onChange={(value) =>
              setParams((before) => withParam(before, 'status', value === 'open' ? null : value))
            }
          />
        </>
      }
    >
      {isAdmin && status === 'open' ? <ChangedServers /> : null}
      <ListState list={list} what="The requests" empty={<NothingHere status={status} />}>
        {(items) => (
          <>
            <TogetherOffers requests={items} onReview={setTogether} />
            <RequestsTable requests={items} search={search} />
          </>
        )}
      </ListState>
      <TogetherDialog
        ids={requestId === null ? together : null}
        listed={list.items ?? []}
        onClose={() => setTogether(null)}
      />
      <ApprovalDialog
        requestId={requestId}
        others={waiting.length}
        onNext={() => show(...waiting.slice(-1).map(({ id }) => id))}
        onDecided={() => show(...waiting.slice(-1).map(({ id }) => id))}
        onClose={() => show()}
      />
    </PageFrame>
  );
}

/** Of an address; undefined for what is no time. */
const timeIn = (text: string | null): string | undefined =>
  text === null || Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();

/** Not for phones, which have no keys. */
const QueueKeys = () => (
  <span className="queue-keys">
    Next <kbd>J</kbd> Previous <kbd>K</kbd>
  </span>
);

function useRequests(
  slug: string,
  {
    status,
    from,
    isDecidedOn,
  }: { status: RequestStatus | undefined; from: string | undefined; isDecidedOn: boolean },
) {
  return useList<PermissionRequest>({
    queryKey: keys.permissionRequests(slug, 'list', status ?? all, from),
    refetchInterval: () => (isDecidedOn ? lookEveryMs : false),
    async fetchPage({ cursor, signal }) {
      const query = {
        ...(status === undefined ? {} : { status }),
        ...(from === undefined ? {} : { from }),
        ...(cursor === undefined ? {} : { cursor }),
      };
      const path = '/api/workspaces/{slug}/permission-requests';
      const page = await call(api.GET(path, { params: { path: { slug }, query }, signal }));
      return { items: page.permission_requests, next_cursor: page.next_cursor };
    },
  });
}

function NothingHere({ status }: { status: string }) {
  return status === 'open' ? (
    <EmptyState
      title="No open requests"
      text="When an agent asks for permission, its request appears here, in the navigation and in the title of this tab."
    />
  ) : (
    <EmptyState title="No matching requests" />
  );
}
