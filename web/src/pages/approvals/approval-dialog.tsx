/**
 * One permission request, to be answered. It shows the stored request; it stays until the person has answered
 * it, closes it or moves on, whatever happens to the request meanwhile, and no other replaces it by itself.
 */
import { Button, Group, Modal, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import { ApiFailure } from '../../api/failure.ts';
import type { PermissionRequest } from '../../api/types.ts';
import { useMe, useWorkspace } from '../../app/signed-in.tsx';
import { AgentAvatar } from '../../components/avatar.tsx';
import { Banner } from '../../components/banner.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { ToastPlace } from '../../components/toasts.tsx';
import { useDraft } from '../../components/use-draft.ts';
import { useExpired } from '../../components/use-expired.ts';
import { useLeadToProblem } from '../../components/use-lead-to-problem.ts';
import { VisibleText } from '../../components/visible-text.tsx';
import { ClosedRequest } from './closed-request.tsx';
import { useDecidedToast } from './decided-toast.ts';
import { decisionState, hasLost } from './decision-state.ts';
import { noDenial } from './deny-fields.tsx';
import { OpenRequest } from './open-request.tsx';
import { AskedBy } from './request-chain.tsx';
import { RequestFacts, WhoAsks } from './request-facts.tsx';
import { begunName, moreWaiting, subjectOf, whyNotMine } from './request-text.ts';
import { useFocusAfter, useFocusWithin } from './use-focus-after.ts';
import { useHeldKeys } from './use-held-keys.ts';
import { useDecide, useRequest, useShownRequest } from './use-request.ts';

interface ApprovalDialogProps {
  /** The request to show; null closes the dialog. */
  requestId: string | null;
  /** How many others wait for this person. */
  others: number;
  onNext: () => void;
  /** It is answered: the next that waits is shown, if there is one. */
  onDecided: () => void;
  onClose: () => void;
}

export function ApprovalDialog({ requestId, ...rest }: ApprovalDialogProps) {
  const small = useMediaQuery('(max-width: 40em)') ?? false;
  useFocusAfter(requestId !== null);
  return (
    <Modal
      opened={requestId !== null}
      onClose={rest.onClose}
      title={<VisuallyHidden>Permission request</VisuallyHidden>}
      classNames={{ content: 'request-dialog' }}
      size={1000}
      yOffset="1dvh"
      fullScreen={small}
      // A click outside that was meant for the page below decides nothing, not even to postpone.
      closeOnClickOutside={false}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      {requestId === null ? null : <Content key={requestId} requestId={requestId} {...rest} />}
    </Modal>
  );
}

function Content({ requestId, ...rest }: ApprovalDialogProps & { requestId: string }) {
  const query = useRequest(requestId);
  return (
    <QueryState query={query} what="This request">
      {(request) => <Loaded request={request} {...rest} />}
    </QueryState>
  );
}

type LoadedProps = Omit<ApprovalDialogProps, 'requestId'> & { request: PermissionRequest };

function Loaded({ request: stored, others, onNext, onDecided, onClose }: LoadedProps) {
  const { shown: request, replacements, replace, isOutdated } = useShownRequest(stored);
  const announceDecided = useDecidedToast(request);
  const decide = useDecide(request, {
    onRecorded(decision, grantId) {
      announceDecided(decision, grantId);
      forgetDenial();
    },
    onDecided,
  });
  const expired = useExpired(request.expires_at);
  const { user } = useMe();
  const state = decisionState(decide);
  const sent = decide.variables?.kind ?? null;
  const [denial, setDenial, forgetDenial] = useDenialDraft(request);
  const content = useRef<HTMLDivElement>(null);
  useFocusWithin(content);
  useHeldKeys(content);
  const { error, reset } = decide;
  const isAnswerable = request.status === 'open' && !expired && request.may_decide;
  useEffect(() => {
    // Not before: what is displayed stays until this person has answered it.
    if (isOutdated && error instanceof ApiFailure && error.code === 'conflict') {
      reset();
      replace();
    }
  });
  return (
    <Stack ref={content} gap="sm">
      <Subject request={request} />
      {isAnswerable ? null : <ToastPlace />}
      {request.status !== 'open' ? (
        <ClosedRequest
          request={request}
          status={request.status}
          lost={
            hasLost(state, sent, { status: request.status, isMine: request.decider?.id === user.id })
              ? sent
              : null
          }
        />
      ) : expired ? (
        <TimeIsOver request={request} />
      ) : request.may_decide ? (
        <OpenRequest
          // Another call is another question: nothing is chosen yet.
          key={replacements}
          request={request}
          notice={replacements === 0 ? null : <ReplacedCallAlert replacements={replacements} />}
          state={state}
          error={error}
          sending={decide.isPending ? decide.variables.kind : null}
          denial={denial}
          onDenial={setDenial}
          decide={decide.mutate}
          onLater={onClose}
        />
      ) : (
        <NotMine request={request} />
      )}
      <Onward others={others} done={request.status !== 'open' || expired} onNext={onNext} onClose={onClose} />
    </Stack>
  );
}

/** The typed reason is kept until the request is answered. */
function useDenialDraft({ id, status }: PermissionRequest) {
  const [denial, setDenial, forget] = useDraft(`denial of ${id}`, noDenial);
  useEffect(() => {
    if (status !== 'open') {
      forget();
    }
  }, [status, forget]);
  return [denial, setDenial, forget] as const;
}

/** Takes the focus when a request appears, so that nothing else has it. */
function Subject({ request }: { request: PermissionRequest }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const { what, name } = subjectOf(request);
  // Their names in full are among the facts.
  return (
    <div className="request-head">
      <AgentAvatar name={request.agent.name} />
      <div>
        <h3 tabIndex={-1} data-autofocus ref={heading} className="quiet-focus">
          <VisibleText text={begunName(request.agent.name)} /> wants {what}{' '}
          <span className="call-tool">
            <VisibleText text={begunName(name)} />
          </span>
        </h3>
        <WhoAsks request={request} />
        <AskedBy request={request} />
      </div>
    </div>
  );
}

function NotMine({ request }: { request: PermissionRequest }) {
  const { isAdmin } = useWorkspace();
  return (
    <>
      <Text role="status">{whyNotMine(isAdmin)}</Text>
      <RequestFacts request={request} />
    </>
  );
}

/** Still open on record, but past its deadline: the platform refuses every decision, so none is offered. */
function TimeIsOver({ request }: { request: PermissionRequest }) {
  return (
    <>
      <Banner tone="idle" role="status" title="This request has expired">
        It can no longer be answered. The platform closes it shortly and tells the agent.
      </Banner>
      <RequestFacts request={request} />
    </>
  );
}

/** The button to go on, when something else waits or nothing is left to do here. */
function Onward({
  others,
  done,
  onNext,
  onClose,
}: {
  others: number;
  done: boolean;
  onNext: () => void;
  onClose: () => void;
}) {
  if (others === 0 && !done) {
    return null;
  }
  return (
    <Group justify="space-between">
      <Text size="sm" role="status">
        {others === 0 ? '' : moreWaiting(others)}
      </Text>
      <Group gap="xs">
        {others === 0 ? null : (
          <Button variant="default" onClick={onNext}>
            {done ? 'Next request' : 'Skip to next'}
          </Button>
        )}
        {done ? (
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        ) : null}
      </Group>
    </Group>
  );
}

/**
 * Above a call that is not the one that this person approved; comes into view and takes the focus, each time.
 */
function ReplacedCallAlert({ replacements }: { replacements: number }) {
  const ref = useRef<HTMLDivElement>(null);
  useLeadToProblem(ref, replacements, { takesFocus: true });
  return (
    <div ref={ref}>
      <Banner
        tone="fail"
        role="alert"
        tabIndex={-1}
        className="quiet-focus"
        title="The call of this request is another one by now"
      >
        Your decision was on the call that was shown before. It was refused, and nothing is approved. Review
        the call that is shown now before you decide.
      </Banner>
    </div>
  );
}
