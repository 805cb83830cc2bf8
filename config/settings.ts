/**
 * Every variable that the platform's processes read, by the schemas that parse them. docs/settings.md and the
 * checks of what passes variables on are made from this.
 */
import type * as z from 'zod';
import { apiShape } from './api.ts';
import { containerEngineFields } from './container-engine.ts';
import { containerFields } from './containers.ts';
import { kubernetesFields } from './kubernetes.ts';
import { processFields } from './runtime.ts';
import { isSecret } from './secret-files.ts';
import { startConfig } from './start.ts';
import { workerShape } from './worker.ts';

/** The worker on whatever runtime, and what it also reads on each. */
const readers = ['API', 'worker', 'process', 'container', 'kubernetes', 'npm start'] as const;
export type Reader = (typeof readers)[number];

const fieldsOf: Readonly<Record<Reader, Readonly<Record<string, z.ZodType>>>> = {
  API: apiShape,
  worker: { ...workerShape, RUNTIME: apiShape.RUNTIME },
  process: processFields,
  container: { ...containerFields, ...containerEngineFields },
  kubernetes: { ...containerFields, ...kubernetesFields },
  'npm start': startConfig.shape,
};

export interface Setting {
  name: string;
  meaning: string;
  /** Whether `<name>_FILE`, the path of a file that holds it, is read as well. */
  isSecret: boolean;
  readBy: readonly { reader: Reader; field: z.ZodType }[];
}

const names = new Set(readers.flatMap((reader) => Object.keys(fieldsOf[reader])));

export const settings: readonly Setting[] = [...names].map((name) => {
  const readBy = readers.flatMap((reader) => {
    const field = fieldsOf[reader][name];
    return field === undefined ? [] : [{ reader, field }];
  });
  // Said once, where it is first defined.
  const meaning = readBy.flatMap(({ field }) => field.description ?? [])[0] ?? '';
  return { name, meaning, isSecret: isSecret(name), readBy };
});

/** Names of what any of these reads. */
export const variablesOf = (...of: readonly Reader[]): string[] =>
  settings.filter(({ readBy }) => readBy.some(({ reader }) => of.includes(reader))).map(({ name }) => name);
