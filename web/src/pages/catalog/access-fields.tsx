import { Checkbox, Radio, Stack, Textarea } from '@mantine/core';
import { useAvailability } from '../../api/use-availability.ts';
import { descriptionOr, isRuledOut } from '../../components/unavailable.tsx';
import type { EntryForm } from './shape-fields.tsx';

const features = [
  { value: 'elicitation', label: 'Ask the agent questions (elicitation)' },
  { value: 'roots', label: 'See the list of the agent’s folders (roots)' },
  { value: 'sampling', label: 'Use the agent’s model (sampling)' },
];

/** What the server may reach, who approves its gated tools, and what it may ask of the agent. */
export function AccessFields({ form }: { form: EntryForm }) {
  const here = useAvailability();
  return (
    <Stack>
      <Radio.Group label="Network" {...form.getInputProps('network')}>
        <Stack gap="xs" mt={4}>
          <Radio
            value="none"
            label="None"
            description="The safe choice for a server that works on files or alone."
          />
          <Radio
            value="internet"
            label="The internet"
            description={descriptionOr(
              'Never this machine, private networks or cloud metadata, unless a destination is opened below.',
              here?.internet,
            )}
            disabled={isRuledOut(here?.internet)}
          />
        </Stack>
      </Radio.Group>
      <Textarea
        label="Private destinations that are open to it"
        description={descriptionOr(
          'host:port or cidr:port, one a line. Each is a way past the rule above.',
          here?.private_destinations,
        )}
        // Existing destinations can still be removed.
        disabled={isRuledOut(here?.private_destinations) && form.values.egress === ''}
        placeholder="db.internal.example:5432"
        autosize
        minRows={2}
        spellCheck={false}
        {...form.getInputProps('egress')}
      />
      <Radio.Group label="Who may grant the scopes of its tools" {...form.getInputProps('approvers')}>
        <Stack gap="xs" mt={4}>
          <Radio value="operator" label="Whoever drives the session, and admins" />
          <Radio
            value="admin"
            label="Admins only"
            description="For tools whose effects reach beyond one person."
          />
        </Stack>
      </Radio.Group>
      <Checkbox.Group
        label="What it may ask of the agent"
        description="Nothing, unless it is chosen. A server that uses the agent’s model or asks it questions can influence it."
        {...form.getInputProps('clientFeatures')}
      >
        <Stack gap="xs" mt="xs">
          {features.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Stack>
  );
}
