/** Calls of the tools of collections, for tests. */
import { expect } from '@jest/globals';
import type { ToolCaller } from '../../../api/platform-tools/tool.ts';
import type { PlatformToolAnswer } from '../../../contract/platform-tools.ts';
import type { Collection, Match } from '../../../contract/vectors.ts';
import type { TestTools } from '../../support/platform-tools.ts';

export interface Upserted {
  created: number;
  updated: number;
  items: number;
  dimensions: number;
  embedder: { name: string; model: string | null };
}

export const item = (id: string, vector: unknown, metadata: Record<string, unknown> = {}) => ({
  ...{ id, vector, metadata },
});
export const textItem = (id: string, text: unknown, metadata: Record<string, unknown> = {}) => ({
  ...{ id, text, metadata },
});
export const idsOf = ({ matches }: { matches: Match[] }) => matches.map(({ id }) => id);

/** The tools by short names; `by` is who calls, by default `current`. */
export function vectorCalls(tools: TestTools, current: () => ToolCaller) {
  return {
    upsert: (collection: string, items: unknown[], by = current()) =>
      tools.ok<Upserted>(by, 'vector_upsert', { collection, items }),
    search: (given: unknown, by = current()) =>
      tools.ok<{ matches: Match[]; truncated: boolean }>(by, 'vector_search', given),
    remove: async (given: unknown, by = current()) =>
      (await tools.ok<{ deleted: number }>(by, 'vector_delete', given)).deleted,
    list: async (by = current()) =>
      (await tools.ok<{ collections: Collection[] }>(by, 'list_collections', {})).collections,
    failure: async (name: string, given: unknown, by = current()): Promise<PlatformToolAnswer> => {
      const answer = await tools.call(by, name, given);
      expect(answer.status).toBe('failed');
      return answer;
    },
  };
}

export type VectorCalls = ReturnType<typeof vectorCalls>;
