/**
 * The servers of the run for a platform that neither kills nor reads its own: a database and a Temporal
 * namespace that no other test sees.
 */
import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common';
import { searchAttributes } from '../../contract/workflows.ts';
import { createTestDatabase } from './database.ts';
import { temporalAddress } from './temporal.ts';

export interface RunServers {
  /** What names them to `dist/start.js`. */
  env: Record<string, string>;
  /** Removes the database; the namespace goes with the server. */
  release(): Promise<void>;
}

/** Temporal's number for `searchAttributeType`. */
const keyword = 2;

/** Saves the platform two servers of its own, which take as much processor time as its API and worker. */
export async function openRunServers(): Promise<RunServers> {
  const [database, namespace] = await Promise.all([createTestDatabase(), registerNamespace()]);
  return {
    env: {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: temporalAddress(),
      TEMPORAL_NAMESPACE: namespace,
    },
    release: database.drop,
  };
}

async function registerNamespace(): Promise<string> {
  const namespace = `platform-${randomUUID()}`;
  const connection = await Connection.connect({ address: temporalAddress() });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(Object.values(searchAttributes).map((name) => [name, keyword])),
    });
    return namespace;
  } finally {
    await connection.close();
  }
}
