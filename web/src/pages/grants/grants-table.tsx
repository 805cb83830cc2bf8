import { Text } from '@mantine/core';
import type { Grant } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Status } from '../../components/pill.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { oneCallText } from '../../text/call-digest-text.ts';
import { Holder, Matter } from './grant-names.tsx';
import {
  grantStateLabel,
  grantStateTone,
  labelOfType,
  scopeLabel,
  usesText,
  warningText,
} from './grant-text.ts';

export function GrantsTable({ grants }: { grants: Grant[] }) {
  return (
    <DataTable
      isFlush
      label="Grants"
      columns={['Grant', 'Granted to', 'Duration', 'Status', 'Created', 'Usage']}
      minWidth={760}
    >
      {grants.map((grant) => (
        <GrantRow key={grant.id} grant={grant} />
      ))}
    </DataTable>
  );
}

function GrantRow({ grant }: { grant: Grant }) {
  const { slug } = useWorkspace();
  const digest = grant.bound_to?.call_digest ?? null;
  return (
    <tr>
      <td>
        <TextLink to={pathOf(slug, 'grants', grant.id)}>
          {labelOfType(grant.grant_type)}: <Matter grant={grant} />
        </TextLink>
      </td>
      <td>
        <Holder grant={grant} />
      </td>
      <td>
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
      </td>
      <td>
        <StateBadge state={grant.state} />
        {grant.warnings.map((warning) => (
          <Text key={warning.code} size="xs" c="var(--gp-wait)">
            {warningText(warning)}
          </Text>
        ))}
      </td>
      <td>
        <RelativeTime at={grant.granted_at} /> by <VisibleText text={grant.granted_by.name} />
      </td>
      <td>
        {usesText(grant.use_count)}
        {grant.last_used_at === null ? null : (
          <Text size="xs" c="dimmed">
            <RelativeTime at={grant.last_used_at} />
          </Text>
        )}
      </td>
    </tr>
  );
}

export function StateBadge({ state }: { state: Grant['state'] }) {
  return (
    <Status tone={grantStateTone[state]} icon={state === 'expired' ? 'hourglass' : undefined}>
      {grantStateLabel[state]}
    </Status>
  );
}
