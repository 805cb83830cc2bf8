/** Shared data as people read it. */
import type { Collection } from '../../api/types.ts';

export const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export function embedderText({ name, model }: Collection['embedder']): string {
  switch (name) {
    case 'given':
      return 'agents';
    case 'provider':
      return `embedding provider, model ${model ?? 'unknown'}`;
    case 'local-hashed-ngrams':
      return 'texts, by their spelling';
  }
}
