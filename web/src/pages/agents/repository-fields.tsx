import { Select, Stack, TextInput } from '@mantine/core';
import { useAvailability } from '../../api/use-availability.ts';
import { useRepositories } from '../../api/use-repositories.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { descriptionOr } from '../../components/unavailable.tsx';
import { type AgentFormState, errorText } from './agent-form-type.ts';

/** Which of the registered repositories the agent's sessions begin with, and at what. */
export function RepositoryFields({ form }: { form: AgentFormState }) {
  const { slug } = useWorkspace();
  const here = useAvailability();
  const { data = [] } = useRepositories(slug);
  const { name } = form.values.repository;
  const offered = data.map(({ name: value, host, path }) => ({ value, label: `${value} (${host}/${path})` }));
  // One that is gone is shown as what it is, so that a save says what is wrong with it.
  const isKnown = name === '' || offered.some((each) => each.value === name);
  return (
    <Stack gap="sm">
      <Select
        label="Repository"
        description={descriptionOr(
          'The platform fetches it; the agent is given no credential of its host. Leave empty for none.',
          here?.repository,
        )}
        placeholder={data.length === 0 ? 'An admin registers repositories in the settings' : 'None'}
        data={isKnown ? offered : [...offered, { value: name, label: name }]}
        value={name === '' ? null : name}
        onChange={(chosen) => form.setFieldValue('repository.name', chosen ?? '')}
        error={errorText(form.errors['repository.name'])}
        clearable
      />
      {name === '' ? null : (
        <>
          <TextInput
            label="Path"
            description="Where the registered path has a *. Leave empty for the registered path itself."
            {...form.getInputProps('repository.path')}
          />
          <TextInput label="Branch, tag or commit" required {...form.getInputProps('repository.ref')} />
        </>
      )}
    </Stack>
  );
}
