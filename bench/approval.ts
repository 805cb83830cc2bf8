/**
 * `npm run bench:approval`: from the click on "approve" to the forwarded call, and how long a
 * session's history becomes.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTemporal } from '../bin/start/temporal.ts';
import { temporalProgram } from '../test/support/temporal-program.ts';
import { type HistoryFigures, measureHistory, serverLimits } from './approval/history.ts';
import { readOptions, warmUps } from './approval/options.ts';
import { openPeer, type Peer } from './approval/peer.ts';
import { type AskingSession, openAskingSession } from './approval/platform.ts';
import { aimsTable, atMost, conclude, machineLine, median, quantile, table } from './shared/harness.ts';

/** A human takes longer: whoever asks has finished asking. */
const beforeTheClickMs = 300;

interface Times {
  platform: number[];
  bare: number[];
}

const options = readOptions(process.argv.slice(2));
const progress = (text: string) => console.error(`  ${text}`);
const bundle = { code: readFileSync('dist/workflows.js', 'utf8') };
const directory = mkdtempSync(join(tmpdir(), 'approval-'));
const toClose: (() => Promise<unknown>)[] = [async () => rmSync(directory, { recursive: true, force: true })];
/** Whatever was opened last is closed first. */
async function opened<Opened>(value: Opened, close: (value: Opened) => Promise<unknown>): Promise<Opened> {
  toClose.unshift(() => close(value));
  return value;
}

async function closeAll(): Promise<void> {
  for (let close = toClose.shift(); close !== undefined; close = toClose.shift()) {
    await close();
  }
}

async function measureApprovals(session: AskingSession, peer: Peer, count: number): Promise<Times> {
  const took: Times = { platform: [], bare: [] };
  const turns = {
    platform: async () => {
      await session.asked();
      await sleep(beforeTheClickMs);
      return session.approve();
    },
    bare: async () => {
      const request = await peer.ask();
      await sleep(beforeTheClickMs);
      return request.approve();
    },
  };
  for (let round = 0; round < count; round += 1) {
    const order = round % 2 === 0 ? (['platform', 'bare'] as const) : (['bare', 'platform'] as const);
    for (const name of order) {
      const tookMs = await turns[name]();
      if (round >= warmUps) {
        took[name].push(tookMs);
      }
    }
  }
  return took;
}

/** Prints figures and aims; returns what `--json` writes. */
function report(took: Times, history: HistoryFigures) {
  const row = (name: string, times: readonly number[]) => [
    name,
    String(times.length),
    ...[0, 0.5, 0.95].map((share) => `${quantile(times, share).toFixed(1)} ms`),
  ];
  const { events, sizeBytes, replayMs, runs } = history;
  const aims = [
    atMost('click to forwarded call / bare workflows', 1.5, median(took.platform) / median(took.bare)),
    atMost('events of the history / server limit', 0.04, events / serverLimits.events),
    atMost('size of the history / server limit', 0.04, sizeBytes / serverLimits.sizeBytes),
    atMost('replay of the history, seconds', 1, replayMs / 1000),
  ];
  console.log(
    [
      table([
        ['approval', 'n', 'min', 'median', 'p95'],
        row('platform: click to forwarded call', took.platform),
        row('bare: update to delivered message', took.bare),
      ]),
      `history after ${options.approvals} approvals and ${options.calls.toLocaleString('en')} calls: ${events} events, ${(sizeBytes / 1024).toFixed(0)} KiB in ${runs === 1 ? 'one run' : `the longest of ${runs} runs`}; replayed in ${replayMs.toFixed(0)} ms`,
      aimsTable(aims),
      machineLine(),
    ].join('\n\n'),
  );
  return { took, history, aims };
}

process.once('SIGINT', () => void closeAll().finally(() => process.exit(130)));
let results: ReturnType<typeof report>;
try {
  progress('starting a Temporal server and a platform');
  const program = temporalProgram();
  const temporal = await opened(await startTemporal({ program, directory, hasUi: false }), (it) => it.stop());
  const { approvals, calls } = options;
  const session = await opened(await openAskingSession(temporal.address, { approvals, calls }), (it) =>
    it.close(),
  );
  const peer = await opened(await openPeer(temporal.address, bundle), (it) => it.close());
  progress(`${approvals} approvals`);
  const took = await measureApprovals(session, peer, approvals);
  progress(`${calls} calls`);
  const answered = await session.calls();
  if (answered !== calls) {
    throw new Error(`${answered} of ${calls} calls were answered`);
  }
  results = report(took, await measureHistory(peer.client, session.sessionId, bundle));
} finally {
  await closeAll();
}
process.exit(conclude(options, { figures: results, aims: results.aims }));
