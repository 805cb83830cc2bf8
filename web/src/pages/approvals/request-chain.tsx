/** The way of a request through the tree of sessions: who started whom, down to the one that asks. */
import { Text } from '@mantine/core';
import type { PermissionRequest } from '../../api/types.ts';
import { SessionChain } from '../../components/session-chain.tsx';
import { VisibleText } from '../../components/visible-text.tsx';
import { begunName, subjectOf } from './request-text.ts';

const isOfTree = ({ chain }: PermissionRequest) => chain.length > 1;

/**
 * "Asked by planner > reader (tickets)", below a heading that says for what. Nothing for a
 * session that no other started.
 */
export function AskedBy({ request }: { request: PermissionRequest }) {
  return isOfTree(request) ? (
    <Text size="sm" component="div">
      Asked by <Chain request={request} />
    </Text>
  ) : null;
}

/** "planner > reader (tickets) asks to call files.write_file", on its own. */
export function WhoAsksWhat({ request }: { request: PermissionRequest }) {
  const { what, name } = subjectOf(request);
  return (
    <Text size="sm" component="div">
      <Chain request={request} /> asks {what} <VisibleText text={begunName(name)} />
    </Text>
  );
}

const Chain = ({ request: { chain } }: { request: PermissionRequest }) => (
  <SessionChain members={chain.map(({ session_id: id, ...member }) => ({ id, ...member }))} />
);
