import type { UseFormReturnType } from '@mantine/form';
import type { AgentValues } from './agent-values.ts';

export type AgentFormState = UseFormReturnType<AgentValues>;

export const errorText = (error: unknown): string | undefined =>
  typeof error === 'string' ? error : undefined;
