/** A request that is decided, expired or cancelled: how, by whom and when. */
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { grantQuery } from '../../api/grant-query.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { approvedReach } from './choices.ts';
import { RequestFacts } from './request-facts.tsx';
import { type LostDecision, lostTitle, outcomeText, type RequestStatus, statusTone } from './request-text.ts';

type Closed = Exclude<RequestStatus, 'open'>;

export function ClosedRequest({
  request,
  status,
  lost,
}: {
  request: PermissionRequest;
  status: Closed;
  /** The decision of this window that did not count. */
  lost: LostDecision | null;
}) {
  const { slug } = useWorkspace();
  const { title, text } = outcomeText(status);
  const outcome = (
    <>
      {title}
      <Decider request={request} />
    </>
  );
  return (
    <Stack>
      <Banner
        tone={lost === null ? statusTone[status] : 'fail'}
        role={lost === null ? 'status' : 'alert'}
        title={lost === null ? outcome : lostTitle(lost)}
      >
        {lost === null ? null : (
          <Text size="sm" component="div">
            It came too late. {outcome}, before you.
          </Text>
        )}
        {request.grant_id === null ? null : <ApprovedText grantId={request.grant_id} />}
        <Text size="sm">{text}</Text>
        {request.reason === null ? null : (
          <Text size="sm">
            Reason: <VisibleText text={request.reason} />
          </Text>
        )}
      </Banner>
      {request.grant_id === null ? null : (
        <TextLink to={pathOf(slug, 'grants', request.grant_id)}>
          {lost === null ? 'View grant' : 'View the grant, to revoke it'}
        </TextLink>
      )}
      <RequestFacts request={request} />
    </Stack>
  );
}

/** " by you, 2 minutes ago" */
function Decider({ request: { decider, decided_at: at } }: { request: PermissionRequest }) {
  const me = useMe();
  return (
    <>
      {decider === null ? null : (
        <> by {decider.id === me.user.id ? 'you' : <VisibleText text={decider.name} />}</>
      )}
      {at === null ? null : (
        <>
          , <RelativeTime at={at} />
        </>
      )}
    </>
  );
}

/** Empty until the grant is loaded, and for those who may not see it. */
function ApprovedText({ grantId }: { grantId: string }) {
  const { slug } = useWorkspace();
  const grant = useQuery(grantQuery(slug, grantId)).data?.grant;
  if (grant === undefined) {
    return null;
  }
  const { server, tool = null } = grant.bound_to ?? {};
  return (
    <Text size="sm" fw={600} component="div">
      Approved {approvedReach(grant)}
      {tool === null ? null : (
        <>
          , for {grant.exact_call ? 'exactly this call of ' : null}
          <VisibleText text={`${server}.${tool}`} />
          {grant.exact_call ? null : ' only'}
        </>
      )}
      .
    </Text>
  );
}
