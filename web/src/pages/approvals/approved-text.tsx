/** How far an approval went, by the grant that it made: that may be less than was asked for. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { grantQuery } from '../../api/grant-query.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { approvedReach } from './choices.ts';

/** Empty until the grant is loaded, and for those who may not see it. */
export function ApprovedText({ grantId }: { grantId: string }) {
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
