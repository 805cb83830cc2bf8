import { Badge, Table, Text } from '@mantine/core';
import type { Grant } from '../../api/types.ts';
import { useNames } from '../../api/use-names.ts';
import { pathOf } from '../../app/paths.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import {
  labelOfType,
  matterOf,
  scopeLabel,
  stateColor,
  stateLabel,
  usesText,
  warningText,
} from './grant-text.ts';

export function GrantsTable({ grants }: { grants: Grant[] }) {
  return (
    <Table.ScrollContainer minWidth={760}>
      <Table verticalSpacing="sm" aria-label="Grants">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Lets them</Table.Th>
            <Table.Th>Held by</Table.Th>
            <Table.Th>For</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Granted</Table.Th>
            <Table.Th>Used</Table.Th>
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
      <Table.Td>{scopeLabel[grant.scope]}</Table.Td>
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
    <Badge variant="dot" color={stateColor[state]} tt="none">
      {stateLabel[state]}
    </Badge>
  );
}

/** The scope, the agent or the secret that it names. */
export function Matter({ grant }: { grant: Grant }) {
  const { nameOf } = useNames();
  const matter = matterOf(grant);
  return <VisibleText text={(grant.grant_type === 'spawn' ? nameOf(matter) : null) ?? matter} />;
}

export function Holder({ grant: { subject } }: { grant: Grant }) {
  const isMe = useMe().user.id === subject.id;
  return (
    <>
      {subject.type === 'agent' ? 'agent ' : ''}
      <VisibleText text={subject.name} />
      {isMe ? ' (you)' : ''}
    </>
  );
}
