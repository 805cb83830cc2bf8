import { List, Stack, Text, Title } from '@mantine/core';
import type { Grant } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { revocationText, usesText } from './grant-text.ts';

/** How it was created and how it ended, oldest first. */
export function GrantHistory({ grant }: { grant: Grant }) {
  const { slug } = useWorkspace();
  const { granted_by: by, request_id: requestId, reason, use_count: uses, last_used_at: lastUsed } = grant;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        History
      </Title>
      <List spacing="xs">
        <List.Item>
          Granted <RelativeTime at={grant.granted_at} /> by <VisibleText text={by.name} />
          {requestId === null ? (
            ', without a request'
          ) : (
            <>
              , in answer to{' '}
              <TextLink to={pathOf(slug, 'approvals', requestId)}>a permission request</TextLink>
            </>
          )}
          {reason === null || reason === '' ? null : (
            <Text size="sm">
              Reason: <VisibleText text={reason} />
            </Text>
          )}
        </List.Item>
        <List.Item>
          {usesText(uses)}
          {lastUsed === null ? null : (
            <>
              {uses === 1 ? ', ' : ', last '}
              <RelativeTime at={lastUsed} />
            </>
          )}
        </List.Item>
        {grant.consumed_at === null ? null : (
          <List.Item>
            Used up <RelativeTime at={grant.consumed_at} />
          </List.Item>
        )}
        {grant.revoked_at === null ? null : (
          <List.Item>
            Revoked <RelativeTime at={grant.revoked_at} />{' '}
            {grant.revoked_by === null ? (
              'by the platform'
            ) : (
              <>
                by <VisibleText text={grant.revoked_by.name} />
              </>
            )}
            {revocationText(grant.revocation_cause)}
          </List.Item>
        )}
        {grant.state === 'expired' ? <List.Item>Its session has ended</List.Item> : null}
      </List>
    </Stack>
  );
}
