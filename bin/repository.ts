/** In a sandbox: fetches a repository, starts an agent in one, or makes a patch of what the agent left. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runAgent } from '../runtime/process/repositories/inside/agent-job.ts';
import { fetchCommit } from '../runtime/process/repositories/inside/fetch-job.ts';
import { makePatch } from '../runtime/process/repositories/inside/patch-job.ts';
import { jobFailureOf } from '../runtime/process/repositories/inside/run-git.ts';
import {
  credentialName,
  encodeRecord,
  type JobOrder,
  type JobResult,
  jobOrder,
  jobSockets,
} from '../runtime/process/repositories/job-stream.ts';

async function make(
  order: Exclude<JobOrder, { type: 'agent' }>,
): Promise<{ result: JobResult; files: string[] }> {
  const credential = process.env[credentialName] ?? null;
  try {
    return order.type === 'fetch' ? await fetchCommit(order, credential) : await makePatch(order);
  } catch (error) {
    return { result: { type: 'failed', why: jobFailureOf(error) }, files: [] };
  }
}

const order = jobOrder.parse(JSON.parse(process.argv[2] ?? ''));
if (order.type === 'agent') {
  await runAgent(order);
} else {
  const { result, files } = await make(order);
  const socket = connect(join(jobSockets.directory, jobSockets.result));
  const closed = once(socket, 'close');
  socket.resume();
  socket.write(encodeRecord(result));
  for (const file of files) {
    await pipeline(createReadStream(file), socket, { end: false });
  }
  // The other side ends the connection when it has taken all of it.
  await closed;
  process.exit(0);
}
