import type { PermissionRequest } from '../../api/types.ts';
import { AuthorityPart } from '../../components/agent-authority.tsx';
import { Banner } from '../../components/banner.tsx';
import { type ShownChild, useChild } from './use-child.ts';

interface ChildFactsProps {
  request: PermissionRequest;
  child: ShownChild;
  /** As for the choice: each line has to be in sight before an approval. */
  decides?: boolean;
}

/** What a `spawn` request would set to work; nothing for other requests. */
export function ChildFacts({
  request: { grant_type: type, child_agent: agent },
  child,
  decides = false,
}: ChildFactsProps) {
  if (type !== 'spawn') {
    return null;
  }
  return agent === null ? (
    <Banner role="note" tone="fail" title="This agent no longer exists">
      No session of it can be started.
    </Banner>
  ) : (
    <AuthorityPart query={child.query} decides={decides} />
  );
}

/** For those who do not decide. What is true now says nothing of a request that was closed before. */
export function ChildFactsToRead({ request }: { request: PermissionRequest }) {
  const child = useChild(request);
  return <ChildFacts request={request} child={child} />;
}
