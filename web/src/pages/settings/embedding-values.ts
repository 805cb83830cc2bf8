/** The form of the embedding provider, and what is sent of it. */
import type { EmbeddingProvider, EmbeddingProviderCheck } from '../../api/types.ts';
import { nameInReference } from '../catalog/secret-reference.ts';

export interface EmbeddingValues {
  base_url: string;
  model: string;
  /** Empty: as many as the model makes. */
  dimensions: number | '';
  /** A secret's name; empty for none. */
  secret: string;
}

export const embeddingValuesOf = (provider: EmbeddingProvider | null): EmbeddingValues => ({
  base_url: provider?.base_url ?? '',
  model: provider?.model ?? '',
  dimensions: provider?.dimensions ?? '',
  secret: nameInReference(provider?.api_key ?? undefined),
});

export const embeddingInputOf = ({ base_url, model, dimensions, secret }: EmbeddingValues) => ({
  base_url: base_url.trim(),
  model: model.trim(),
  dimensions: dimensions === '' ? null : dimensions,
  api_key: secret === '' ? null : `\${${secret}}`,
});

export const checkText = (check: EmbeddingProviderCheck): string =>
  check.outcome === 'works'
    ? `It works: its vectors have ${check.dimensions} dimensions.`
    : `It does not work: ${check.reason}`;
