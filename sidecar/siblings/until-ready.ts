/**
 * Waits until every sibling is ready that the agent waits for; what each says of itself is its claim, and
 * decides of nothing but this.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { siblingReadyFile } from '../../contract/session-paths.ts';
import type { SiblingReport, SidecarBoot } from '../../contract/sidecar.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { EndClaim, TrackedProcess } from '../processes/tracked-process.ts';
import { type AwaitedSibling, awaitedSiblings } from './awaited-siblings.ts';

/**
 * Null once all are ready; else the first that did not get ready. One that was, before this sidecar was
 * started again, is not waited for.
 */
export async function siblingNotReady(
  boot: Pick<SidecarBoot, 'sibling_access'>,
  processes: ReadonlyMap<string, TrackedProcess>,
): Promise<SiblingReport | null> {
  const waiting = awaitedSiblings(boot)
    .filter(({ name }) => !existsSync(siblingReadyFile(name)))
    .map((sibling) => reportOf(sibling, processes.get(sibling.name)));
  const failed = Promise.race(waiting.map(onlyFailure));
  const all = Promise.all(waiting).then((reports) => reports.find((report) => report !== null) ?? null);
  return Promise.race([failed, all]);
}

/** One that is ready leaves the decision to the others. */
const onlyFailure = async (waiting: Promise<SiblingReport | null>): Promise<SiblingReport> =>
  (await waiting) ?? new Promise<never>(() => undefined);

async function reportOf(
  { name, limitMs }: AwaitedSibling,
  process: TrackedProcess | undefined,
): Promise<SiblingReport | null> {
  if (process === undefined) {
    throw new Error(`the sibling ${name} is not one of this session`);
  }
  // Its image may still be on its way.
  await process.until((state) => state !== 'not_started');
  const ended = await abandonAfter(limitMs, process.endBeforeReady(), () => 'not_in_time' as const);
  if (ended === null) {
    await remember(name);
    return null;
  }
  if (ended === 'not_in_time') {
    process.notReadyInTime();
    return { name, failure: { type: ended } };
  }
  return { name, failure: failureOf(ended) };
}

function failureOf(claim: EndClaim): SiblingReport['failure'] {
  return claim.type === 'ended' ? claim : { type: claim.type };
}

/** An agent that was started never waits again. */
async function remember(name: string): Promise<void> {
  const file = siblingReadyFile(name);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, '', { mode: 0o600 });
}
