/** A request that waits: what it is, then the ways to answer it. */
import { Button } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { useMe } from '../../app/signed-in.tsx';
import { Banner } from '../../components/banner.tsx';
import { FailureAlert } from '../../components/failure-alert.tsx';
import { failureMessage } from '../../components/failure-text.ts';
import { Icon } from '../../components/icon.tsx';
import { QuotedClaim } from '../../components/quoted-claim.tsx';
import { ToastPlace } from '../../components/toasts.tsx';
import { ArmingNote } from './arming-note.tsx';
import { countText, namedArguments } from './call/named-arguments.ts';
import { RefusedCall } from './call/refused-call.tsx';
import { type ShownCall, useCall } from './call/use-call.ts';
import { ChildFacts } from './child-facts.tsx';
import { ChoiceFields } from './choice-fields.tsx';
import { verdictOf } from './choice-text.ts';
import { approveLabel, type Choice, preselectedChoice } from './choices.ts';
import type { Decision, DecisionState } from './decision-state.ts';
import { type Denial, DenyFields } from './deny-fields.tsx';
import { EarlierAsked } from './earlier-requests.tsx';
import { OpenedTools } from './opened-tools.tsx';
import { PasskeyNote, usePasskeyObstacle } from './passkey-note.tsx';
import { Sentence } from './sentence.tsx';
import { useChild } from './use-child.ts';
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
  const obstacle = usePasskeyObstacle(request);
  const how = useRef<HTMLElement>(null);
  const opened = isDenying ? null : choice;
  return (
    <div className="request" ref={ref}>
      {notice}
      <div className="request-columns">
        <section className="request-what">
          <h4 className="request-label">What will happen</h4>
          <ChildFacts request={request} child={child} decides={!isDenying} />
          <RefusedCall request={request} call={call} decides={!isDenying && choice?.reach === 'exact'} />
          <OpenedTools request={request} choice={opened} />
          <EarlierAsked request={request} />
          {request.justification === null ? null : (
            <QuotedClaim by={request.agent.name} text={request.justification} />
          )}
        </section>
        <section className="request-how" ref={how}>
          {isDenying ? (
            <DenyFields request={request} denial={denial} onChange={onDenial} />
          ) : choice === null ? null : (
            <ChoiceFields request={request} choice={choice} onChange={setChoice} />
          )}
        </section>
      </div>
      <div className="dialog-actions request-verdict">
        <ToastPlace />
        <DecisionAlert state={state} error={error} decided={isDenying ? denial : choice} />
        {opened === null ? null : <PasskeyNote obstacle={obstacle} />}
        {opened === null ? null : (
          <VerdictText
            request={request}
            choice={opened}
            isUnseen={unseen === 'arguments'}
            onChange={() => how.current?.scrollIntoView({ block: 'start' })}
          />
        )}
        <div className="request-bar">
          <ArmingNote armed={armed} unseen={unseen} whole={wholeText(call, opened)} onShow={show} />
          {!isDenying ? (
            <Answers
              {...{ request, choice, onLater }}
              mayDeny={ready}
              mayApprove={ready && obstacle === null && (unseen === null || unseen === 'arguments')}
              sending={sending === 'approve'}
              onDeny={() => setDenying(true)}
              onApprove={(chosen) => decide({ kind: 'approve', choice: chosen })}
            />
          ) : (
            <DenialButtons
              isMuting={denial.mute}
              isReady={ready}
              sending={sending}
              onBack={() => setDenying(false)}
              onDeny={() => decide({ kind: 'deny', ...denial })}
            />
          )}
        </div>
      </div>
    </div>
  );
}

function DenialButtons({
  isMuting,
  isReady,
  sending,
  onBack,
  onDeny,
}: {
  isMuting: boolean;
  isReady: boolean;
  sending: Decision['kind'] | null;
  onBack: () => void;
  onDeny: () => void;
}) {
  return (
    <div className="request-buttons">
      <Button variant="subtle" onClick={onBack} disabled={sending !== null}>
        Back
      </Button>
      <Button className="deny-button" disabled={!isReady} loading={sending === 'deny'} onClick={onDeny}>
        {isMuting ? 'Deny and mute' : 'Deny'}
      </Button>
    </div>
  );
}

/** What was shown, once all of it was, where exactly that would be approved. */
function wholeText({ state }: ShownCall, choice: Choice | null): string | null {
  if (state.kind !== 'shown' || choice?.reach !== 'exact') {
    return null;
  }
  const named = namedArguments(state.lines);
  return `The call is shown to its end${named === null ? '' : `: ${countText(named.length)}`}.`;
}

/** What the button does, beside it; where the choices are further below, a way to them. */
function VerdictText({
  request,
  choice,
  isUnseen,
  onChange,
}: {
  request: PermissionRequest;
  choice: Choice;
  isUnseen: boolean;
  onChange: () => void;
}) {
  const whose = { operatorIsMe: request.operator?.id === useMe().user.id };
  const { who, what } = verdictOf(request, choice, whose, isUnseen);
  return (
    <p className="verdict-text">
      <Icon name="arrowRight" size={14} />
      <span>
        <Sentence pieces={who} />
        <strong>
          <Sentence pieces={what} />
        </strong>
        .
      </span>
      <Button className="verdict-change" size="compact-xs" variant="subtle" onClick={onChange}>
        Change
      </Button>
    </p>
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
    <div className="request-buttons">
      <Button variant="subtle" onClick={onLater}>
        Decide later
      </Button>
      <Button variant="default" disabled={!mayDeny} onClick={onDeny}>
        Deny…
      </Button>
      {choice === null ? null : (
        <Button disabled={!mayApprove} loading={sending} onClick={() => onApprove(choice)}>
          {approveLabel(request, choice, { operatorIsMe })}
          {request.needs_passkey ? ' with a passkey' : null}
        </Button>
      )}
    </div>
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
  if (state === 'too-late') {
    return (
      <Banner tone="fail" role="alert" title="This request was answered before">
        Your decision changed nothing. How it was answered is shown in a moment.
      </Banner>
    );
  }
  return state === 'refused' ? <FailureAlert error={error} values={decided} /> : null;
}
