import type { ReactNode } from 'react';
import type { Grant } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { CopyableId } from '../../components/copyable-id.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { oneCallText } from '../../text/call-digest-text.ts';
import { Holder, Matter } from './grant-names.tsx';
import { durationMeaning, endpointOf, knownType, matterOf, scopeLabel } from './grant-text.ts';
import { OpenedTools } from './opened-tools.tsx';

/** What exactly is permitted to whom. */
export function GrantFacts({ grant }: { grant: Grant }) {
  const { slug } = useWorkspace();
  const { subject, scope, bound_to: bound, session_id: sessionId } = grant;
  return (
    <table className="table table-facts" aria-label="What it allows">
      <tbody>
        <FactRow label="Granted to">
          {subject.type === 'agent' ? (
            <TextLink to={pathOf(slug, 'agents', subject.id)}>
              <Holder grant={grant} />
            </TextLink>
          ) : (
            <Holder grant={grant} />
          )}
        </FactRow>
        <PermittedFact grant={grant} />
        <FactRow label="Duration">
          {scopeLabel[scope]}. {durationMeaning(grant)}
        </FactRow>
        {grant.expires_at === null ? null : (
          <FactRow label="Ends">
            <RelativeTime at={grant.expires_at} />
          </FactRow>
        )}
        {sessionId === null ? null : (
          <FactRow label="Session">
            <TextLink to={pathOf(slug, 'sessions', sessionId)}>View session</TextLink>{' '}
            <CopyableId id={sessionId} />
          </FactRow>
        )}
        {bound === null ? null : (
          <FactRow label="Limited to">
            {bound.server === null || bound.tool === null ? (
              'calls'
            ) : (
              <>
                {grant.exact_call ? `${oneCallText(bound.call_digest)}, of ` : 'the tool '}
                <VisibleText text={`${bound.server}.${bound.tool}`} />
              </>
            )}{' '}
            in <TextLink to={pathOf(slug, 'sessions', bound.session_id)}>the session that asked</TextLink>
          </FactRow>
        )}
      </tbody>
    </table>
  );
}

function PermittedFact({ grant }: { grant: Grant }) {
  const { slug } = useWorkspace();
  if (grant.grant_type === 'tool_scope') {
    return (
      <FactRow label="Can call">
        <OpenedByScope grant={grant} />
      </FactRow>
    );
  }
  if (knownType(grant.grant_type) === null) {
    return (
      <FactRow label="Details">
        <VisibleText text={JSON.stringify(grant.details)} />
      </FactRow>
    );
  }
  if (grant.grant_type === 'model_key') {
    return (
      <FactRow label="Can use the key">
        <TextLink to={pathOf(slug, 'secrets', matterOf(grant))}>
          <VisibleText text={matterOf(grant)} />
        </TextLink>{' '}
        at the endpoint <VisibleText text={endpointOf(grant) ?? '(unreadable)'} /> only, without reading it
      </FactRow>
    );
  }
  return grant.grant_type === 'spawn' ? (
    <FactRow label="Can start">
      agent{' '}
      <TextLink to={pathOf(slug, 'agents', matterOf(grant))}>
        <Matter grant={grant} />
      </TextLink>
    </FactRow>
  ) : (
    <FactRow label="Can read the secret">
      <TextLink to={pathOf(slug, 'secrets', matterOf(grant))}>
        <Matter grant={grant} />
      </TextLink>
    </FactRow>
  );
}

/** A grant for one call names its tool; any other opens what the scope opens. */
function OpenedByScope({ grant }: { grant: Grant }) {
  const { bound_to: bound, exact_call: isExact } = grant;
  return bound === null || bound.server === null || bound.tool === null ? (
    <>
      tools that need <Matter grant={grant} />
      <OpenedTools scope={matterOf(grant)} />
    </>
  ) : (
    <>
      <VisibleText text={`${bound.server}.${bound.tool}`} />
      {isExact ? ' with the approved arguments only' : ' only'}, which needs <Matter grant={grant} />
    </>
  );
}

function FactRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{children}</td>
    </tr>
  );
}
