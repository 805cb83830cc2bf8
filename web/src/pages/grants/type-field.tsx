import { Radio, Stack } from '@mantine/core';
import { useWorkspace } from '../../app/signed-in.tsx';
import type { FieldProps } from './field-props.ts';
import { typeLabel, typeMeaning } from './grant-text.ts';
import { typesFor } from './new-grant-values.ts';

export function TypeField({ values, errors, change }: FieldProps) {
  const { isAdmin } = useWorkspace();
  const types = typesFor(values.holder, { isAdmin });
  return (
    <Radio.Group
      label="Grant type"
      value={values.type}
      onChange={(chosen) => {
        const type = types.find((candidate) => candidate === chosen);
        change(type === undefined ? {} : { type });
      }}
      error={errors['type']}
    >
      <Stack gap="xs" mt="xs">
        {types.map((type) => (
          <Radio key={type} value={type} label={typeLabel[type]} description={typeMeaning[type]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
