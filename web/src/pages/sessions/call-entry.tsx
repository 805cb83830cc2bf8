/** Tool calls in a row that are alike: which, how they ended, and unfolded each with its grant. */
import { UnstyledButton } from '@mantine/core';
import { useId, useState } from 'react';
import { answerFaultText } from '../../../../contract/answer-fault.ts';
import type { ToolCall } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Icon } from '../../components/icon.tsx';
import { Status } from '../../components/pill.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { WhyCallButton } from '../../components/why-call.tsx';
import { absoluteTime, clockTime, durationText } from '../../text/time-text.ts';
import { CallPayloads } from './call-payloads.tsx';
import { callOutcomeText, reachedNoServer } from './call-text.ts';
import { EntryFrame } from './entry-frame.tsx';
import { useTranscript } from './transcript-context.ts';

export function CallEntry({ calls }: { calls: readonly [ToolCall, ...ToolCall[]] }) {
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  const [call] = calls;
  const { label, tone, meaning } = callOutcomeText[call.outcome];
  const isRefused = reachedNoServer(call);
  const tookMs = calls.reduce((sum, { duration_ms: ms }) => sum + ms, 0);
  return (
    <EntryFrame
      voice="call"
      entryKey={call.id}
      who="Tool call"
      at={call.at}
      node={
        isRefused ? (
          <span className="entry-mark tone-refused">
            <Icon name="gate" size={14} />
          </span>
        ) : null
      }
    >
      <div className="call-row">
        <UnstyledButton
          className="call-row-head"
          aria-expanded={isOpen}
          aria-controls={details}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
          <code className="cut">
            <VisibleText text={`${call.server}.${call.tool}`} />
          </code>
          {calls.length === 1 ? null : <span className="count">{calls.length} times</span>}
          <span className="call-row-end">
            <Status tone={tone}>{label}</Status>
            {isRefused ? null : <span className="call-row-took">{durationText(tookMs)}</span>}
          </span>
        </UnstyledButton>
        {isOpen ? (
          <div className="call-row-body" id={details}>
            <p>
              {meaning}
              {call.reason === null ? null : ` ${answerFaultText[call.reason]}.`}
            </p>
            <ShowMore items={calls}>
              {(shown) => (
                <ul>
                  {shown.map((each) => (
                    <OneCall key={each.id} call={each} isAlone={calls.length === 1} />
                  ))}
                </ul>
              )}
            </ShowMore>
          </div>
        ) : null}
      </div>
    </EntryFrame>
  );
}

/** `isAlone`: its row says when it was and how long it took. */
function OneCall({ call, isAlone }: { call: ToolCall; isAlone: boolean }) {
  const { slug, isAdmin } = useWorkspace();
  const { sessionId } = useTranscript();
  const [isWanted, setWanted] = useState(isAlone);
  const { at, duration_ms: ms, granted_via: grant } = call;
  return (
    <li>
      {isAlone ? null : <span title={absoluteTime(at)}>{clockTime(at)}</span>}
      {isAlone || reachedNoServer(call) ? null : <span>{durationText(ms)}</span>}
      {grant === null ? (
        reachedNoServer(call) ? null : (
          <span>no grant needed</span>
        )
      ) : (
        <span>
          allowed by <TextLink to={pathOf(slug, 'grants', grant)}>grant {grant.slice(0, 8)}</TextLink>
        </span>
      )}
      {grant === null ? null : <WhyCallButton sessionId={sessionId} callId={call.id} />}
      {isAdmin && !isAlone ? (
        <button
          type="button"
          className="text-button"
          aria-expanded={isWanted}
          onClick={() => setWanted(!isWanted)}
        >
          Arguments and result
        </button>
      ) : null}
      {isAdmin && isWanted ? <CallPayloads callId={call.id} /> : null}
    </li>
  );
}
