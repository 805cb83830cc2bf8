import { Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '../../api/settings-query.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import type { FieldProps } from './field-props.ts';
import { type GrantScope, scopeLabel, scopeMeaning, scopesOf } from './grant-text.ts';

/** How far it reaches, narrowest first. */
export function ScopeField({ values, errors, change }: FieldProps) {
  const whyNotPersistent = useWhyNotPersistent(values.holder);
  const scopes = scopesOf(values.type);
  const whyNot = (scope: GrantScope) => (scope === 'persistent' ? whyNotPersistent : null);
  return (
    <Radio.Group
      label="Duration"
      value={values.scope}
      onChange={(chosen) => {
        const scope = scopes.find((candidate) => candidate === chosen);
        change(scope === undefined ? {} : { scope });
      }}
      error={errors['scope']}
    >
      <Stack gap="xs" mt="xs">
        {scopes.map((scope) => (
          <Radio
            key={scope}
            value={scope}
            label={scopeLabel[scope]}
            disabled={whyNot(scope) !== null}
            description={whyNot(scope) ?? scopeMeaning(values.type, scope)}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** The rule that forbids a member a persistent grant for an agent; null where there is none. */
function useWhyNotPersistent(holder: string): string | null {
  const { slug, isAdmin } = useWorkspace();
  const { data } = useQuery({ ...settingsQuery(slug), enabled: !isAdmin });
  const allowed =
    isAdmin || !holder.startsWith('agent:') || data?.workspace.settings.members_grant_persistent;
  return allowed ? null : 'Only admins can create these for agents in this workspace.';
}
