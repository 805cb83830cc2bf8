import { Button, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Agent } from '../../api/types.ts';
import { pathOf } from '../../app/paths.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Pill } from '../../components/pill.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { grantOfSecret, useAgentGrants, useMakeGrant } from './use-agent-grants.ts';

/**
 * Whether an admin granted the agent what it needs a secret for, and for admins the way to do so.
 * `children`: what that means.
 */
export function SecretGrant({
  agent,
  type,
  secretName,
  endpoint,
  grantedText,
  action,
  confirmLabel,
  children,
}: {
  agent: Agent;
  type: 'agent_env' | 'model_key';
  secretName: string;
  /** Of a model key: the one endpoint that it is for. */
  endpoint?: string;
  grantedText: string;
  /** What the button says, and the dialog asks. */
  action: string;
  confirmLabel: string;
  children: ReactNode;
}) {
  const { slug, isAdmin } = useWorkspace();
  const grants = useAgentGrants(agent.id, type).data;
  const [asking, setAsking] = useState(false);
  const make = useMakeGrant();
  if (grants === undefined) {
    return null;
  }
  const grant = grantOfSecret(grants, { secretName, endpoint });
  if (grant !== undefined) {
    return (
      <TextLink to={pathOf(slug, 'grants', grant.id)}>
        <Pill tone={type === 'agent_env' ? 'wait' : 'run'}>{grantedText}</Pill>
      </TextLink>
    );
  }
  const allow = () =>
    make.mutate(
      {
        agent_subject_id: agent.id,
        grant_type: type,
        details: { secret_name: secretName, ...(endpoint === undefined ? {} : { endpoint }) },
        scope: 'persistent',
      },
      { onSuccess: () => setAsking(false) },
    );
  return (
    <>
      <Text size="sm">
        Not granted: sessions will not start.{isAdmin ? '' : ' A workspace admin has to grant it.'}
      </Text>
      {isAdmin ? (
        <Button
          size="compact-sm"
          variant="default"
          h="auto"
          mih={26}
          styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
          onClick={() => setAsking(true)}
        >
          {action}
        </Button>
      ) : null}
      <ConfirmDialog
        opened={asking}
        onClose={() => setAsking(false)}
        title={`${action}?`}
        confirmLabel={confirmLabel}
        onConfirm={allow}
        pending={make.isPending}
        error={make.error}
      >
        <Text component="div">{children}</Text>
      </ConfirmDialog>
    </>
  );
}
