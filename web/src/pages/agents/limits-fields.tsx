import { NumberInput, Radio, Stack, Textarea } from '@mantine/core';
import { useAvailability } from '../../api/use-availability.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { descriptionOr, isRuledOut } from '../../components/unavailable.tsx';
import type { AgentFormState } from './agent-form-type.ts';

const maxSeconds = 7 * 24 * 3600;

/** What the agent may reach, and how long a session of it may take. */
export function LimitsFields({ form }: { form: AgentFormState }) {
  const { isAdmin } = useWorkspace();
  const here = useAvailability();
  return (
    <Stack gap="sm">
      <Radio.Group label="Network" {...form.getInputProps('network')}>
        <Stack gap="xs" mt={4}>
          <Radio value="none" label="None" description="The agent can still use its MCP servers." />
          <Radio
            value="internet"
            label="The internet"
            description={descriptionOr(
              'Not this machine, private networks or cloud metadata.',
              here?.internet,
            )}
            disabled={isRuledOut(here?.internet)}
          />
        </Stack>
      </Radio.Group>
      <Textarea
        label="Allowed private destinations"
        description={
          isAdmin
            ? descriptionOr(
                'host:port or cidr:port, one per line. Each is an exception to the rule above.',
                here?.private_destinations,
              )
            : 'Only workspace admins can change these.'
        }
        autosize
        minRows={2}
        spellCheck={false}
        readOnly={!isAdmin}
        disabled={isRuledOut(here?.private_destinations) && form.values.egress === ''}
        {...form.getInputProps('egress')}
      />
      <NumberInput
        label="Maximum session duration (seconds)"
        description="Leave empty for the platform default (one day unless configured otherwise)."
        min={1}
        max={maxSeconds}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps('totalSeconds')}
      />
      <NumberInput
        label="Idle timeout (seconds)"
        description="Leave empty for the platform default (one hour unless configured otherwise)."
        min={1}
        max={maxSeconds}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps('idleSeconds')}
      />
    </Stack>
  );
}
