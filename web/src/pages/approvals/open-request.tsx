/** A request that waits: what it is, then the ways to answer it. */
import { Button, Divider, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { useMe } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { failureMessage } from '../../components/failure-text.ts';
import { QuotedClaim } from '../../components/quoted-claim.tsx';
import { ArmingNote } from './arming-note.tsx';
import { RefusedCall } from './call/refused-call.tsx';
import { useCall } from './call/use-call.ts';
import { ChildFacts } from './child-facts.tsx';
import { ChoiceFields } from './choice-fields.tsx';
import { approveLabel, type Choice, preselectedChoice } from './choices.ts';
import type { DecisionState } from './decision-state.ts';
import { type Denial, DenyFields } from './deny-fields.tsx';
import { WhatItOpens, WhoAsks } from './request-facts.tsx';
import { useChild } from './use-child.ts';
import type { Decision } from './use-request.ts';
import { useReview } from './use-review.ts';

interface OpenRequestProps {
  request: PermissionRequest;
  /** What the person has to know before anything else. */
  notice: ReactNode;
  state: DecisionState;
  error: unknown;
  sending: Decision['kind'] | null;
  /** What goes with a denial, as far as it was typed. */
  denial: Denial;
  onDenial: (denial: Denial) => void;
  decide: (decision: Decision) => void;
  onLater: () => void;
}

export function OpenRequest({
  request,
  notice,
  state,
  error,
  sending,
  denial,
  onDenial,
  decide,
  onLater,
}: OpenRequestProps) {
  // Initialized once: only this person's own input ever changes what the button would do.
  const [choice, setChoice] = useState<Choice | null>(() => preselectedChoice(request));
  const [isDenying, setDenying] = useState(false);
  const call = useCall(request, true);
  const child = useChild(request);
  const { armed, unseen, ref, show } = useReview({ request, call, child, chosen: isDenying ? null : choice });
  const ready = armed && sending === null;
  return (
    <Stack gap="sm">
      {notice}
      <WhatItOpens request={request} />
      <Stack gap="sm" ref={ref}>
        <ChildFacts request={request} child={child} decides={!isDenying} />
        <RefusedCall request={request} call={call} decides={!isDenying && choice?.reach === 'exact'} />
        {isDenying ? (
          <DenyFields request={request} denial={denial} onChange={onDenial} />
        ) : choice === null ? null : (
          <ChoiceFields request={request} choice={choice} onChange={setChoice} />
        )}
      </Stack>
      <DecisionAlert state={state} error={error} decided={isDenying ? denial : choice} />
      <Divider />
      {request.justification === null ? null : (
        <QuotedClaim by={request.agent.name} text={request.justification} />
      )}
      <WhoAsks request={request} />
      <div className="dialog-actions">
        <ArmingNote armed={armed} unseen={unseen} onShow={show} />
        {!isDenying ? (
          <Answers
            {...{ request, choice, onLater }}
            mayDeny={ready}
            mayApprove={ready && (unseen === null || unseen === 'arguments')}
            sending={sending === 'approve'}
            onDeny={() => setDenying(true)}
            onApprove={(chosen) => decide({ kind: 'approve', choice: chosen })}
          />
        ) : (
          <Group justify="space-between" mt={4}>
            <Button variant="subtle" px="xs" onClick={() => setDenying(false)} disabled={sending !== null}>
              Back
            </Button>
            <Button
              color="red"
              disabled={!ready}
              loading={sending === 'deny'}
              onClick={() => decide({ kind: 'deny', ...denial })}
            >
              {denial.mute ? 'Deny and mute' : 'Deny'}
            </Button>
          </Group>
        )}
      </div>
    </Stack>
  );
}

interface AnswersProps {
  request: PermissionRequest;
  choice: Choice | null;
  mayDeny: boolean;
  mayApprove: boolean;
  /** An approval is under way. */
  sending: boolean;
  onLater: () => void;
  onDeny: () => void;
  onApprove: (choice: Choice) => void;
}

function Answers({
  request,
  choice,
  mayDeny,
  mayApprove,
  sending,
  onLater,
  onDeny,
  onApprove,
}: AnswersProps) {
  const operatorIsMe = request.operator?.id === useMe().user.id;
  return (
    <Group justify="space-between" mt={4} gap="xs">
      <Button variant="subtle" px="xs" onClick={onLater}>
        Decide later
      </Button>
      <Group gap="xs">
        <Button variant="default" disabled={!mayDeny} onClick={onDeny}>
          Deny…
        </Button>
        {choice === null ? null : (
          <Button disabled={!mayApprove} loading={sending} onClick={() => onApprove(choice)}>
            {approveLabel(request, choice, { operatorIsMe })}
          </Button>
        )}
      </Group>
    </Group>
  );
}

/** The outcome of a decision that did not go through; `decided` is what the dialog would send now. */
function DecisionAlert({
  state,
  error,
  decided,
}: {
  state: DecisionState;
  error: unknown;
  decided: unknown;
}) {
  if (state === 'trying') {
    return (
      <Banner tone="wait" role="alert" title="Your decision was sent, but is not confirmed yet">
        Retrying for up to five minutes, or until the request expires. A request is decided only once. Closing
        this dialog stops the retries.
      </Banner>
    );
  }
  if (state === 'unanswered') {
    return (
      <Banner tone="wait" role="alert" title="Your decision was not confirmed in time">
        {failureMessage(error)} You can send your decision again: a request is decided only once.
      </Banner>
    );
  }
  return state === 'refused' ? <FailureAlert error={error} values={decided} /> : null;
}
