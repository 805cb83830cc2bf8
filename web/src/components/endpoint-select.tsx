import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, call } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/signed-in.tsx';

const dialectText = {
  messages: 'Messages',
  chat_completions: 'Chat Completions',
  responses: 'Responses',
};

/** One of the endpoints of language models that the operator lists for the workspace. */
export function EndpointSelect({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (name: string) => void;
  error: ReactNode;
}) {
  const { slug } = useWorkspace();
  const { data = [] } = useQuery({
    queryKey: keys.modelEndpoints(slug),
    queryFn: async ({ signal }) => {
      const params = { path: { slug } };
      const answer = await call(api.GET('/api/workspaces/{slug}/model-endpoints', { params, signal }));
      return answer.model_endpoints;
    },
  });
  const offered = data.map(({ name, dialect }) => ({
    value: name,
    label: `${name} (${dialectText[dialect]})`,
  }));
  // One that is gone is shown as what it is, so that a save says what is wrong with it.
  const isKnown = offered.some((each) => each.value === value);
  return (
    <Select
      label="Endpoint"
      description="Where the key is sent. The agent has to speak its dialect."
      allowDeselect={false}
      data={isKnown ? offered : [...offered, { value, label: value }]}
      value={value}
      onChange={(name) => onChange(name ?? value)}
      error={error}
    />
  );
}
