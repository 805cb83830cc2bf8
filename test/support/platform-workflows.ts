import { Client, Connection } from '@temporalio/client';
import type { Platform } from './platform.ts';
import { apiVariable } from './platform-database.ts';

/** The ids of the workflows of a platform that Temporal runs now. Throws when its API does not run. */
export async function runningWorkflows(platform: Pick<Platform, 'dataDirectory'>): Promise<string[]> {
  const connection = await Connection.connect({ address: await apiVariable(platform, 'TEMPORAL_ADDRESS') });
  try {
    const client = new Client({ connection, namespace: await apiVariable(platform, 'TEMPORAL_NAMESPACE') });
    const ids: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query: 'ExecutionStatus = "Running"' })) {
      ids.push(workflowId);
    }
    return ids;
  } finally {
    await connection.close();
  }
}
