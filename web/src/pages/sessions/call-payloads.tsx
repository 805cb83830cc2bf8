/** What was sent and what came back in one call, as far as the workspace kept it. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { KeptPayloads } from '../../api/types.ts';
import { QueryState } from '../../components/query-state.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { CallArguments } from '../approvals/call/call-arguments.tsx';
import { callLines } from '../approvals/call/call-lines.ts';
import { useTranscript } from './transcript-context.ts';

export function CallPayloads({ callId }: { callId: string }) {
  const { sessionId } = useTranscript();
  const query = useQuery({
    queryKey: keys.session(sessionId, 'payloads', callId),
    queryFn({ signal }) {
      const params = { path: { session_id: sessionId, call_id: callId } };
      return call(api.GET('/api/sessions/{session_id}/tool-calls/{call_id}/payloads', { params, signal }));
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <div className="call-payloads">
      <QueryState query={query} what="What was kept of the call">
        {({ arguments: sent, result }) =>
          sent === null && result === null ? (
            <Text size="xs" c="dimmed">
              Neither its arguments nor its result were kept.
            </Text>
          ) : (
            <>
              <Payload name="Arguments" payload={sent} />
              <Payload name="Result" payload={result} />
            </>
          )
        }
      </QueryState>
    </div>
  );
}

function Payload({ name, payload }: { name: string; payload: KeptPayloads['arguments'] }) {
  if (payload === null) {
    return null;
  }
  const lines = callLines(payload.json);
  return (
    <>
      <Text size="xs" fw={600}>
        {name}
        {payload.truncated ? ', cut off' : ''}
      </Text>
      {lines === null ? (
        <pre className="call-raw" {...{ tabIndex: 0 }}>
          <VisibleText text={payload.json} />
        </pre>
      ) : (
        <CallArguments lines={lines} decides={false} />
      )}
    </>
  );
}
