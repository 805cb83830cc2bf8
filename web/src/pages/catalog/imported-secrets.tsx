import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAllSecrets } from '../../api/use-all.ts';
import { useWorkspace } from '../../app/signed-in.tsx';
import { Pill } from '../../components/pill.tsx';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { VisibleText } from '../../components/visible-text.tsx';

/** The values that were left behind, to be set as secrets of the same names. */
export function ImportedSecrets({ names }: { names: readonly string[] }) {
  const { slug } = useWorkspace();
  const secrets = useAllSecrets(slug).data ?? [];
  const [setting, setSetting] = useState<string | null>(null);
  if (names.length === 0) {
    return null;
  }
  return (
    <Stack gap="xs">
      <Text>Set the secrets whose values were not imported:</Text>
      {names.map((name) => {
        const isSet = secrets.some((secret) => secret.name === name && secret.is_set);
        return (
          <Group key={name} gap="xs">
            <Text ff="monospace">
              <VisibleText text={name} />
            </Text>
            {isSet ? (
              <Pill tone="ok">set</Pill>
            ) : (
              <Button size="compact-sm" variant="default" onClick={() => setSetting(name)}>
                Set {name}
              </Button>
            )}
          </Group>
        );
      })}
      <SecretDialog
        key={setting}
        opened={setting !== null}
        onClose={() => setSetting(null)}
        suggestedName={(setting ?? '').toUpperCase()}
      />
    </Stack>
  );
}
