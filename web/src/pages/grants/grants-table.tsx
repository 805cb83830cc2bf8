import { Checkbox, Text } from '@mantine/core';
import type { Grant } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { AgentAvatar, Named, PersonAvatar } from '../../components/avatar.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Status } from '../../components/pill.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { numberText } from '../../text/number-text.ts';
import { Holder, Matter } from './grant-names.tsx';
import {
  endOfWidth,
  endsSoon,
  grantStateLabel,
  grantStateTone,
  isUnused,
  knownType,
  labelOfType,
  warningText,
  widthOf,
} from './grant-text.ts';
import { WidthMark } from './width-mark.tsx';

interface Selection {
  ids: ReadonlySet<string>;
  select: (ids: readonly string[], isSelected: boolean) => void;
}

/** Those that the person may revoke can be selected. */
export function GrantsTable({ grants, selection }: { grants: Grant[]; selection: Selection }) {
  const revocable = grants.filter(({ may_revoke: may }) => may).map(({ id }) => id);
  const chosen = revocable.filter((id) => selection.ids.has(id)).length;
  return (
    <>
      {revocable.length === 0 ? null : (
        <Checkbox
          className="select-all"
          label="Select all shown that you can revoke"
          checked={chosen === revocable.length}
          indeterminate={chosen > 0 && chosen < revocable.length}
          onChange={(input) => selection.select(revocable, input.currentTarget.checked)}
        />
      )}
      <DataTable
        isFlush
        isStacked
        className="grants"
        label="Grants"
        columns={[
          'Allows',
          { name: 'Given to', width: '18%' },
          { name: 'How far', width: 190 },
          { name: 'Ends', width: 150 },
          { name: 'Last used', width: 130 },
          { name: 'Uses', width: 64, isRight: true },
          { name: 'Made by', width: 130 },
        ]}
      >
        {grants.map((grant) => (
          <GrantRow key={grant.id} grant={grant} selection={selection} />
        ))}
      </DataTable>
    </>
  );
}

function GrantRow({ grant, selection }: { grant: Grant; selection: Selection }) {
  const isSelected = selection.ids.has(grant.id);
  const { subject, granted_by: maker } = grant;
  return (
    <tr className={isSelected ? 'selected' : undefined}>
      <td>
        <span className="selectable">
          <Checkbox
            size="xs"
            aria-label={`Select the grant ${labelOfType(grant.grant_type)} for ${subject.name}`}
            title={grant.may_revoke ? undefined : 'You cannot revoke it'}
            disabled={!grant.may_revoke}
            checked={isSelected}
            onChange={(input) => selection.select([grant.id], input.currentTarget.checked)}
          />
          <span>
            <Allows grant={grant} />
            {grant.warnings.map((warning) => (
              <Text key={warning.code} size="xs" c="var(--gp-wait)">
                {warningText(warning)}
              </Text>
            ))}
          </span>
        </span>
      </td>
      <td>
        <Named
          avatar={
            subject.type === 'agent' ? (
              <AgentAvatar name={subject.name} />
            ) : (
              <PersonAvatar name={subject.name} />
            )
          }
          title={subject.name}
        >
          <Holder grant={grant} />
        </Named>
      </td>
      <td>
        <WidthMark grant={grant} />
      </td>
      <td>
        <End grant={grant} />
      </td>
      <td className={isUnused(grant, Date.now()) ? 'long-unused' : undefined}>
        {grant.last_used_at === null ? 'never' : <RelativeTime at={grant.last_used_at} />}
      </td>
      <td className="right">
        {grant.use_count >= 1000 ? '1,000 or more' : numberText(grant.use_count)}
        <span className="narrow-only">{grant.use_count === 1 ? ' use' : ' uses'}</span>
      </td>
      <td>
        <span className="cut" title={maker.name}>
          <VisibleText text={maker.name} />
        </span>
      </td>
    </tr>
  );
}

/** The scope behind the gate's mark, the agent to start, the secret; it leads to the grant. */
export function Allows({ grant }: { grant: Grant }) {
  const { slug } = useWorkspace();
  const type = knownType(grant.grant_type);
  const matter = (
    <TextLink to={pathOf(slug, 'grants', grant.id)}>
      <Matter grant={grant} />
    </TextLink>
  );
  switch (type) {
    case 'tool_scope':
      return (
        <span className="scope-chip">
          <Icon name="gate" size={12} />
          {matter}
        </span>
      );
    case 'spawn':
      return <span>start {matter}</span>;
    case 'agent_env':
      return <span>has {matter} in its environment</span>;
    case 'model_key':
      return <span>uses the key {matter}</span>;
    default:
      return (
        <span>
          {labelOfType(grant.grant_type)}: {matter}
        </span>
      );
  }
}

function End({ grant }: { grant: Grant }) {
  if (grant.state !== 'active') {
    return <StateBadge state={grant.state} />;
  }
  if (grant.expires_at === null) {
    return (
      <Text c="dimmed" inherit span>
        {endOfWidth[widthOf(grant)]}
      </Text>
    );
  }
  const end = <RelativeTime at={grant.expires_at} />;
  return endsSoon(grant, Date.now()) ? <Status tone="wait">{end}</Status> : end;
}

export function StateBadge({ state }: { state: Grant['state'] }) {
  return (
    <Status tone={grantStateTone[state]} icon={state === 'expired' ? 'hourglass' : undefined}>
      {grantStateLabel[state]}
    </Status>
  );
}
