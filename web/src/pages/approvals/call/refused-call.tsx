/**
 * The call that was refused before the agent asked, as the platform recorded it: apart from
 * what the agent claims of it.
 */
import { Box, Button, Group, Loader, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { PermissionRequest } from '../../../api/types.ts';
import { VisibleText } from '../../../components/visible-text.tsx';
import { keepsRefusedCallsLabel } from '../../../text/setting-labels.ts';
import { sizeText } from '../../../text/size-text.ts';
import { ChangedMark } from '../changed-mark.tsx';
import type { CallLine } from './call-lines.ts';
import { CallTokenText } from './call-piece.tsx';
import { countText, namedArguments } from './named-arguments.ts';
import { ShownArguments } from './shown-call.tsx';
import { type ShownCall, useCall } from './use-call.ts';

type Request = Pick<
  PermissionRequest,
  'id' | 'grant_type' | 'refused_call' | 'changed_tools' | 'status' | 'may_decide'
>;

/** Of a request that is not answered here: the arguments are shown when somebody asks for them. */
export function RecordedCall({ request }: { request: Request }) {
  const [isWanted, setWanted] = useState(false);
  const call = useCall(request, isWanted);
  // Whether a closed request was this person's to decide is known to the platform alone.
  const isOthers = request.status === 'open' && !request.may_decide;
  return isOthers ? (
    <RefusedCall request={request} call={{ ...call, state: { kind: 'unread' } }} />
  ) : (
    <RefusedCall request={request} call={call} onRead={() => setWanted(true)} />
  );
}

/**
 * `onRead` asks for the arguments; null where they are not for this person. `decides` as for the arguments.
 */
export function RefusedCall({
  request,
  call,
  decides = false,
  onRead = null,
}: {
  request: Request;
  call: ShownCall;
  decides?: boolean;
  onRead?: (() => void) | null;
}) {
  const { grant_type: type, refused_call: refused } = request;
  if (type === 'spawn') {
    return null;
  }
  return (
    <section className="recorded-call" aria-label="The call that was refused">
      {refused === null ? null : (
        <div className="call-head">
          <span className="call-tool">
            <VisibleText text={`${refused.server}.${refused.tool}`} />
          </span>
          <ChangedMark request={request} tool={refused} decides={decides} />
          {refused.digest === null || refused.arguments_size_bytes === null ? null : (
            <span className="call-size">
              {call.state.kind === 'shown' ? `${argumentCount(call.state.lines)}, ` : ''}
              {sizeText(refused.arguments_size_bytes)}
            </span>
          )}
        </div>
      )}
      <Content digest={refused?.digest ?? ''} call={call} decides={decides} onRead={onRead} />
    </section>
  );
}

function argumentCount(lines: readonly CallLine[]): string {
  const named = namedArguments(lines);
  return named === null ? 'a value without names' : countText(named.length);
}

function Content({
  digest,
  call: { state, retry },
  decides,
  onRead,
}: {
  digest: string;
  call: ShownCall;
  decides: boolean;
  onRead: (() => void) | null;
}): ReactNode {
  switch (state.kind) {
    case 'shown':
      return <ShownArguments lines={state.lines} digest={digest} decides={decides} />;
    case 'unreadable':
      return (
        <>
          <Note>
            Its arguments are not in the form that the platform records. They are shown as they are:
          </Note>
          <Box
            className="call-text"
            role="group"
            aria-label="Arguments"
            {...{ tabIndex: 0, ...(decides ? { 'data-decides': true } : {}) }}
          >
            <CallTokenText text={state.argumentsText} decides={decides} />
          </Box>
        </>
      );
    case 'loading':
      return (
        <Group gap="xs" role="status">
          <Loader size="xs" role="img" aria-label="Loading" />
          <Text size="sm">Reading the arguments of the call.</Text>
        </Group>
      );
    case 'failed':
      return (
        <Group gap="xs" role="alert">
          <Text size="sm">The arguments of the call could not be loaded.</Text>
          <Button size="compact-xs" variant="default" onClick={retry}>
            Try again
          </Button>
        </Group>
      );
    case 'unread':
      return onRead === null ? (
        <Note>Only people who may decide on this request and read its session see the arguments.</Note>
      ) : (
        <Button size="compact-xs" variant="default" mt={4} onClick={onRead}>
          Show arguments
        </Button>
      );
    case 'withheld':
      return <Note>Its arguments are not shown to you. {state.rule}.</Note>;
    case 'too-large':
      return (
        <Note>
          Its arguments are too large to show, {sizeText(state.sizeBytes)}: it can be approved only for any
          arguments.
        </Note>
      );
    case 'not-kept':
      return (
        <Note>
          Its arguments were not recorded: it can be approved only for any arguments. They are recorded while
          the workspace’s setting “{keepsRefusedCallsLabel}” is on.
        </Note>
      );
    case 'erased':
      return <Note>Its arguments were erased, or cannot be read any more.</Note>;
    case 'replaced':
      return <Note>Its arguments are not shown: the request has another call by now.</Note>;
    case 'none':
      return <Note>No call was recorded with this request.</Note>;
  }
}

const Note = ({ children }: { children: ReactNode }) => (
  <Text size="sm" component="div">
    {children}
  </Text>
);
