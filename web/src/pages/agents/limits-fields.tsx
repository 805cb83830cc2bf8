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
          <Radio value="none" label="None" description="It still reaches its MCP servers." />
          <Radio
            value="internet"
            label="The internet"
            description={descriptionOr(
              'Never this machine, private networks or cloud metadata.',
              here?.internet,
            )}
            disabled={isRuledOut(here?.internet)}
          />
        </Stack>
      </Radio.Group>
      <Textarea
        label="Private destinations that are open to it"
        description={
          isAdmin
            ? descriptionOr(
                'host:port or cidr:port, one a line. Each is a way past the rule above.',
                here?.private_destinations,
              )
            : 'Only an admin of the workspace may change these.'
        }
        autosize
        minRows={2}
        spellCheck={false}
        readOnly={!isAdmin}
        disabled={isRuledOut(here?.private_destinations) && form.values.egress === ''}
        {...form.getInputProps('egress')}
      />
      <NumberInput
        label="A session ends after, in seconds"
        description="Empty: the platform’s own limit (a day, unless it is set otherwise)."
        min={1}
        max={maxSeconds}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps('totalSeconds')}
      />
      <NumberInput
        label="A session ends when nothing happened for, in seconds"
        description="Empty: the platform’s own limit (an hour, unless it is set otherwise)."
        min={1}
        max={maxSeconds}
        allowDecimal={false}
        clampBehavior="none"
        {...form.getInputProps('idleSeconds')}
      />
    </Stack>
  );
}
