/** Several grants at once: how many are selected, what would end, and what was done to each. */
import { Button, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { GrantPreview, RevocationResult } from '../../api/types.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { announce } from '../../components/toasts.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { Holder, Matter } from './grant-names.tsx';
import { inBatches, labelOfType, revokeMeaning, usesText } from './grant-text.ts';
import { WidthMark } from './width-mark.tsx';

/** The outcome of one. `unknown`: no answer came, so that only the list says how it is. */
type Outcome = RevocationResult['outcome'] | 'unknown';

const outcomeText: Record<Outcome, string> = {
  revoked: 'revoked',
  already_ended: 'had ended before',
  refused: 'not revoked: you may not revoke it',
  not_found: 'not there any more',
  failed: 'not revoked: the platform could not do it now; try again',
  unknown: 'not known: no answer came; look at the list',
};
/** To try again helps with nothing else. */
const isLeft = (outcome: Outcome | undefined) =>
  outcome === undefined || outcome === 'failed' || outcome === 'unknown';

const grantsText = (count: number) => (count === 1 ? '1 grant' : `${count} grants`);

export function RevokeSeveral({ ids, onClear }: { ids: readonly string[]; onClear: () => void }) {
  // What was asked about stays in the dialog, whatever the list behind it becomes.
  const [asked, setAsked] = useState<readonly string[] | null>(null);
  return (
    <>
      {ids.length === 0 ? null : (
        <div className="bulk-bar" role="toolbar" aria-label={`${ids.length} selected`}>
          <span role="status">{ids.length} selected</span>
          <Button variant="danger" size="compact-md" onClick={() => setAsked(ids)}>
            Revoke {grantsText(ids.length)}…
          </Button>
          <Button variant="subtle" size="compact-md" onClick={onClear}>
            Clear
          </Button>
        </div>
      )}
      {asked === null ? null : <RevokeDialog ids={asked} onClose={() => setAsked(null)} onDone={onClear} />}
    </>
  );
}

function RevokeDialog({
  ids,
  onClose,
  onDone,
}: {
  ids: readonly string[];
  onClose: () => void;
  onDone: () => void;
}) {
  const { slug } = useWorkspace();
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const preview = useQuery({
    queryKey: keys.revocation(slug, ids),
    // What was shown is what is confirmed: it is not read again while one looks at it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: ({ signal }) => previewOf(slug, ids, signal),
  });
  // What was not shown is not revoked.
  const shown = (preview.data ?? []).map(({ grant }) => grant.id);
  const left = shown.filter((id) => isLeft(outcomes.get(id)));
  const revoke = useApiMutation({
    send: () => revokeAll(slug, left),
    invalidates: [keys.grants(slug)],
    invalidatesOnError: [keys.grants(slug)],
    onSuccess(found) {
      const all = new Map([...outcomes, ...found]);
      setOutcomes(all);
      const done = shown.map((id) => all.get(id));
      if (done.every((outcome) => outcome === 'revoked' || outcome === 'already_ended')) {
        announce(`${grantsText(done.filter((outcome) => outcome === 'revoked').length)} revoked`);
        onClose();
        onDone();
      }
    },
  });
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={`Revoke ${grantsText(ids.length)}?`}
      confirmLabel={preview.data === undefined ? 'Revoke' : `Revoke ${grantsText(left.length)}`}
      onConfirm={() => (left.length === 0 ? undefined : revoke.mutate())}
      pending={revoke.isPending}
      error={revoke.error}
    >
      <QueryState query={preview} what="What would end">
        {(grants) => <Preview grants={grants} outcomes={outcomes} left={left.length} />}
      </QueryState>
    </ConfirmDialog>
  );
}

function Preview({
  grants,
  outcomes,
  left,
}: {
  grants: readonly GrantPreview[];
  outcomes: ReadonlyMap<string, Outcome>;
  left: number;
}) {
  const meanings = new Set(grants.flatMap(({ grant }) => revokeMeaning(grant.grant_type)));
  return (
    <>
      {outcomes.size === 0 ? null : (
        <Banner tone="fail" role="alert" title="Not all of them were revoked">
          The outcome of each stands below.{left === 0 ? null : ' Those that are left can be tried again.'}
        </Banner>
      )}
      <ShowMore items={grants}>
        {(shown) => (
          <ul className="revoked-grants">
            {shown.map((each) => (
              <PreviewedGrant key={each.grant.id} preview={each} outcome={outcomes.get(each.grant.id)} />
            ))}
          </ul>
        )}
      </ShowMore>
      <List spacing={4} size="sm">
        {[...meanings].map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </>
  );
}

function PreviewedGrant({
  preview: { grant, running_count: count, running_sessions: sessions },
  outcome,
}: {
  preview: GrantPreview;
  outcome: Outcome | undefined;
}) {
  const { slug } = useWorkspace();
  return (
    <li>
      <div>
        {labelOfType(grant.grant_type)}: <Matter grant={grant} />, for <Holder grant={grant} />
      </div>
      <div>
        <WidthMark grant={grant} /> · {usesText(grant.use_count).toLowerCase()}
      </div>
      <Text size="sm" c="dimmed" component="div">
        {count === 0 ? 'No session that you can see runs under it.' : 'Runs under it: '}
        {sessions.map(({ id, title }, at) => (
          <span key={id}>
            {at === 0 ? '' : ', '}
            <TextLink to={pathOf(slug, 'sessions', id)}>
              <VisibleText text={title} />
            </TextLink>
          </span>
        ))}
        {count > sessions.length ? `, and ${count - sessions.length} more` : ''}
      </Text>
      {outcome === undefined ? null : <strong>{outcomeText[outcome]}</strong>}
    </li>
  );
}

async function previewOf(slug: string, ids: readonly string[], signal: AbortSignal): Promise<GrantPreview[]> {
  const previews: GrantPreview[] = [];
  for (const batch of inBatches(ids)) {
    const params = { path: { slug }, query: { grant_ids: batch.join(',') } };
    const found = await call(api.GET('/api/workspaces/{slug}/grant-revocations', { params, signal }));
    previews.push(...found.grants);
  }
  return previews;
}

/** Batch after batch. Rejects where the first has no answer; what came before a later failure is kept. */
async function revokeAll(slug: string, ids: readonly string[]): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const batch of inBatches(ids)) {
    try {
      const { revocations } = await call(
        api.POST('/api/workspaces/{slug}/grant-revocations', {
          params: { path: { slug } },
          body: { grant_ids: batch },
        }),
      );
      for (const { grant_id: id, outcome } of revocations) {
        outcomes.set(id, outcome);
      }
    } catch (error) {
      if (outcomes.size === 0) {
        throw error;
      }
      for (const id of batch) {
        outcomes.set(id, 'unknown');
      }
    }
  }
  return outcomes;
}
