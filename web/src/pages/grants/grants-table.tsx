import { Badge, Table, Text } from '@mantine/core';
import type { Grant } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { oneCallText } from '../../text/call-digest-text.ts';
import { Holder, Matter } from './grant-names.tsx';
import {
  grantStateColor,
  grantStateLabel,
  labelOfType,
  scopeLabel,
  usesText,
  warningText,
} from './grant-text.ts';

export function GrantsTable({ grants }: { grants: Grant[] }) {
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table verticalSpacing="sm" aria-label="Grants">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Grant</Table.Th>
            <Table.Th>Granted to</Table.Th>
            <Table.Th>Duration</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>Usage</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {grants.map((grant) => (
            <GrantRow key={grant.id} grant={grant} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function GrantRow({ grant }: { grant: Grant }) {
  const { slug } = useWorkspace();
  const digest = grant.bound_to?.call_digest ?? null;
  return (
    <Table.Tr>
      <Table.Td>
        <TextLink to={pathOf(slug, 'grants', grant.id)}>
          {labelOfType(grant.grant_type)}: <Matter grant={grant} />
        </TextLink>
      </Table.Td>
      <Table.Td>
        <Holder grant={grant} />
      </Table.Td>
      <Table.Td>
        {scopeLabel[grant.scope]}
        {grant.expires_at === null ? null : (
          <Text size="xs" c="dimmed">
            ends <RelativeTime at={grant.expires_at} />
          </Text>
        )}
        {!grant.exact_call ? null : (
          <Text size="xs" c="dimmed">
            {oneCallText(digest)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <StateBadge state={grant.state} />
        {grant.warnings.map((warning) => (
          <Text key={warning.code} size="xs" c="orange.9">
            {warningText(warning)}
          </Text>
        ))}
      </Table.Td>
      <Table.Td>
        <RelativeTime at={grant.granted_at} /> by <VisibleText text={grant.granted_by.name} />
      </Table.Td>
      <Table.Td>
        {usesText(grant.use_count)}
        {grant.last_used_at === null ? null : (
          <Text size="xs" c="dimmed">
            <RelativeTime at={grant.last_used_at} />
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

export function StateBadge({ state }: { state: Grant['state'] }) {
  return (
    <Badge variant="dot" color={grantStateColor[state]} tt="none">
      {grantStateLabel[state]}
    </Badge>
  );
}
