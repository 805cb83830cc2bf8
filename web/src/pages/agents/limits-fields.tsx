import { Radio, Stack, Textarea } from '@mantine/core';
import { useAvailability } from '../../api/use-availability.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { DurationInput } from '../../components/duration-input.tsx';
import { descriptionOr, isRuledOut } from '../../components/unavailable.tsx';
import type { AgentFormState } from './agent-form-type.ts';

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
      <DurationInput
        label="Ends after"
        description="At the latest, at most 7 days. Empty: the platform’s own limit, one day unless configured otherwise."
        value={form.values.totalSeconds}
        onChange={(seconds) => form.setFieldValue('totalSeconds', seconds)}
        error={form.errors['totalSeconds']}
      />
      <DurationInput
        label="Ends when idle for"
        description="Empty: the platform’s own limit, one hour unless configured otherwise."
        value={form.values.idleSeconds}
        onChange={(seconds) => form.setFieldValue('idleSeconds', seconds)}
        error={form.errors['idleSeconds']}
        choices={[300, 900, 3600]}
      />
    </Stack>
  );
}
