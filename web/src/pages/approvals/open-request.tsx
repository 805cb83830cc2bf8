/** A request that waits: what it is, then the ways to answer it. */
import { Button, Divider, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import type { PermissionRequest } from '../../api/types.ts';
import { QuotedClaim } from '../../components/quoted-claim.tsx';
import { ArmingNote } from './arming-note.tsx';
import { ChoiceFields } from './choice-fields.tsx';
import { approveLabel, type Choice, preselectedChoice } from './choices.ts';
import { DecisionAlert } from './decision-alert.tsx';
import type { DecisionState } from './decision-state.ts';
import { type Denial, DenyFields } from './deny-fields.tsx';
import { RequestFacts } from './request-facts.tsx';
import { useArmed } from './use-armed.ts';
import type { Decision } from './use-request.ts';

interface OpenRequestProps {
  request: PermissionRequest;
  state: DecisionState;
  error: unknown;
  sending: Decision['kind'] | null;
  decide: (decision: Decision) => void;
  onLater: () => void;
}

export function OpenRequest({ request, state, error, sending, decide, onLater }: OpenRequestProps) {
  // Made once: what the button would do never changes but by this person's hand.
  const [choice, setChoice] = useState<Choice | null>(() => preselectedChoice(request));
  const [denial, setDenial] = useState<Denial | null>(null);
  // What is shown changes with each of these, so the buttons wait anew.
  const armed = useArmed(`${request.id} ${denial === null ? 'choose' : 'deny'}`);
  const ready = armed && sending === null && state !== 'asking';
  return (
    <Stack>
      <RequestFacts request={request} chosen={choice?.scope} />
      <QuotedClaim by={request.agent.name} text={request.justification} />
      <Divider />
      {denial !== null ? (
        <DenyFields request={request} denial={denial} onChange={setDenial} />
      ) : choice === null ? null : (
        <ChoiceFields request={request} choice={choice} onChange={setChoice} />
      )}
      <DecisionAlert state={state} error={error} />
      <div className="dialog-actions">
        <ArmingNote armed={armed} />
        {denial === null ? (
          <Group justify="space-between" mt={4}>
            <Button variant="subtle" px="xs" onClick={onLater}>
              Decide later
            </Button>
            <Group gap="xs">
              <Button
                variant="default"
                disabled={!ready}
                onClick={() => setDenial({ reason: '', mute: false })}
              >
                Deny…
              </Button>
              {choice === null ? null : (
                <Button
                  disabled={!ready}
                  loading={sending === 'approve'}
                  onClick={() => decide({ kind: 'approve', choice })}
                >
                  {approveLabel[choice.scope]}
                </Button>
              )}
            </Group>
          </Group>
        ) : (
          <Group justify="space-between" mt={4}>
            <Button variant="subtle" px="xs" onClick={() => setDenial(null)} disabled={sending !== null}>
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
