/**
 * `npm run bench:gate`: the gate's cost per call, compared with a direct socket and other proxies,
 * all measured in one run.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { aimsReached, type Part } from './gate/aims.ts';
import { measureMemory } from './gate/memory.ts';
import { leaveOutMissing } from './gate/missing.ts';
import { measureNeighbour } from './gate/neighbour.ts';
import { readOptions } from './gate/options.ts';
import { Processes } from './gate/processes.ts';
import { reportOf } from './gate/report.ts';
import { measureShape, openTargets } from './gate/rounds.ts';
import { type Place, targets } from './gate/targets.ts';
import { conclude } from './shared/harness.ts';

const turnMs = 400;
const inFlight = [1, 64];
const pinnedTo = 0;
const memory = '/dev/shm';
const peers = new URL('./gate/peers/node_modules', import.meta.url).pathname;

const options = readOptions(process.argv.slice(2));
const progress = (text: string) => console.error(`  ${text}`);
const { rows, cores } = leaveOutMissing(
  options,
  { path: process.env['PATH'] ?? '', peers, memory },
  progress,
);
const chosen = targets.filter(({ name }) => rows.has(name));
const duration = { cellMs: options.seconds * 1000, turnMs };

/**
 * Runs `work` with processes and directories that are removed when it is done or the bench is interrupted.
 */
async function inPlace<Result>(
  core: number | null,
  work: (processes: Processes, place: Place) => Promise<Result>,
): Promise<Result> {
  const processes = new Processes(core);
  const directories = [options.directory, memory]
    .filter((parent) => existsSync(parent))
    .map((parent) => mkdtempSync(join(parent, 'bg-')));
  const cleanUp = async () => {
    await processes.close();
    for (const directory of directories) {
      rmSync(directory, { recursive: true, force: true });
    }
  };
  const stop = () => void cleanUp().then(() => process.exit(130));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const [directory = '', memoryDirectory = null] = directories;
    return await work(processes, { directory, memoryDirectory, peers, sidecar: options.sidecar });
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await cleanUp();
  }
}

const measurePart = (name: Part['cores']) =>
  inPlace(name === 'pinned' ? pinnedTo : null, async (processes, place): Promise<Part> => {
    const load = await processes.startLoadGenerator();
    const opened = await openTargets(chosen, processes, load, place);
    const cells: Part['cells'] = [];
    for (const sizeBytes of options.sizesBytes) {
      for (const count of inFlight) {
        progress(`${name}: ${sizeBytes} bytes, ${count} at a time`);
        cells.push(...(await measureShape(opened, { sizeBytes, inFlight: count }, load, duration)));
      }
    }
    return { cores: name, cells };
  });

const besideNeighbour = () =>
  inPlace(null, async (processes, place) => {
    progress('beside a neighbour');
    const load = await processes.startLoadGenerator();
    const flood = await processes.startLoadGenerator();
    const withNeighbour = ['direct', 'socat', 'sidecar'];
    const compared = chosen.filter(({ name }) => withNeighbour.includes(name));
    return measureNeighbour(await openTargets(compared, processes, load, place), load, flood, duration);
  });

const sidecarMemory = () =>
  inPlace(null, async (processes, place) => {
    progress('memory');
    return measureMemory(processes, await processes.startLoadGenerator(), place);
  });

const parts: Part[] = [];
for (const name of cores) {
  parts.push(await measurePart(name));
}
const results = {
  parts,
  neighbour: rows.has('neighbour') ? await besideNeighbour() : [],
  memory: rows.has('memory') ? await sidecarMemory() : null,
};
console.log(reportOf(results));
const reached = aimsReached(results);
process.exitCode = conclude(options, { figures: { ...results, reached }, aims: reached });
