import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { grantQuery } from '../../api/grant-query.ts';
import type { Grant } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { GrantFacts } from './grant-facts.tsx';
import { GrantHistory } from './grant-history.tsx';
import { grantStateMeaning, labelOfType, warningText } from './grant-text.ts';
import { GrantUses } from './grant-uses.tsx';
import { StateBadge } from './grants-table.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';

/** What it permits, how it was created, what it was used for, and how to revoke it. */
export function GrantPage({ id }: { id: string }) {
  const { slug } = useWorkspace();
  const query = useQuery(grantQuery(slug, id));
  return (
    <QueryState query={query} what="The grant">
      {({ grant }) => <ShownGrant grant={grant} />}
    </QueryState>
  );
}

function ShownGrant({ grant }: { grant: Grant }) {
  const { slug, isAdmin } = useWorkspace();
  const [asking, ask] = useDisclosure();
  return (
    <PageFrame
      title={`Grant: ${labelOfType(grant.grant_type)}`}
      parent={{ to: pathOf(slug, 'grants'), label: 'All grants' }}
      actions={
        grant.state !== 'active' ? null : (
          <Button
            variant="danger"
            onClick={ask.open}
            disabled={!grant.may_revoke}
            title={grant.may_revoke ? undefined : 'Only people who can create this grant can revoke it'}
          >
            Revoke
          </Button>
        )
      }
    >
      <Stack gap="lg">
        <Group gap="sm">
          <StateBadge state={grant.state} />
          <Text>{grantStateMeaning[grant.state]}</Text>
          <CopyableId id={grant.id} />
        </Group>
        {grant.warnings.map((warning) => (
          <Banner key={warning.code} role="note" tone="wait">
            {warningText(warning)}
          </Banner>
        ))}
        <GrantFacts grant={grant} />
        <GrantHistory grant={grant} />
        <GrantUses grant={grant} />
        {isAdmin ? (
          <TextLink to={`${pathOf(slug, 'audit')}?resource=${grant.id}`}>View in audit trail</TextLink>
        ) : null}
      </Stack>
      <RevokeDialog grant={asking ? grant : null} onClose={ask.close} />
    </PageFrame>
  );
}
