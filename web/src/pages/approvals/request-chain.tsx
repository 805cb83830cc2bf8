/** The way of a request through the tree of sessions: who started whom, down to the one that asks. */
import { Text } from '@mantine/core';
import type { PermissionRequest } from '../../api/types.ts';
import { SessionChain } from '../../components/session-chain.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { begunName, subjectOf } from './request-text.ts';

/** "planner > reader (tickets) asks to use tools that need files.write". Nothing for a session that no other started. */
export function RequestChain({ request }: { request: PermissionRequest }) {
  const { chain } = request;
  if (chain.length < 2) {
    return null;
  }
  const { what, name } = subjectOf(request);
  return (
    <Text size="sm" component="div">
      <SessionChain members={chain.map(({ session_id: id, ...member }) => ({ id, ...member }))} /> asks {what}{' '}
      <VisibleText text={begunName(name)} />
    </Text>
  );
}
