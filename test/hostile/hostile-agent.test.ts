/**
 * A real agent in a real session that tries each way out, and a malicious server
 * beside it that tries the same.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SessionProcess } from '../../contract/session-process.ts';
import { processesMentioning } from '../support/processes.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { Arena } from './arena.ts';
import type { Attempt, Target, Who } from './attempts/attempt.ts';
import { fileAttempts, processAttempts } from './attempts/files.ts';
import { kernelAttempts } from './attempts/kernel.ts';
import { outwardAttempts, portAttempts } from './attempts/network.ts';
import { agentReportAttempts, serverReportAttempts } from './attempts/reports.ts';
import { beBusy, resourceAttempts, stopBeingBusy } from './attempts/resources.ts';
import { agentSocketAttempts, serverSocketAttempts, socketAttempts } from './attempts/sockets.ts';
import { HostileSession } from './session.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('A hostile agent, and the same from a malicious server');
let arena: Arena;
let session: HostileSession;
let target: Target;
/** Each exit code that a process of the session had at some moment: `mallory 65`. */
const exits = new Set<string>();
let isOver = false;
let watching: Promise<void> | null = null;

const readProcesses = async () =>
  (await arena.ada.ok<{ processes: SessionProcess[] }>('GET', `/api/sessions/${session.id}/processes`))
    .processes;

async function watchExits(): Promise<void> {
  while (!isOver) {
    for (const { name, exit_code: code } of await readProcesses().catch(() => [])) {
      exits.add(`${name} ${code}`);
    }
    await sleep(200);
  }
}

/** Runs the attempts and their controls once, and defines a test for each. */
function describeAttempts(
  title: string,
  attempts: Attempt[],
  { by, rights = false, of = () => session }: { by: Who; rights?: boolean; of?: () => HostileSession },
): void {
  describe(title, () => {
    let seen: Record<string, unknown>;
    let controls: Record<string, unknown>;

    beforeAll(async () => {
      controls = arena.controls(attempts, target, { rights });
      seen = await of().attempts(attempts, by, target);
    });

    it.each(attempts.map((attempt) => [attempt.what, attempt] as const))('%s', (what, attempt) =>
      table.note({ what, by, stoppedBy: attempt.stoppedBy }, () => {
        if ('outside' in attempt) {
          expect({ control: controls[what] }).toEqual({ control: attempt.outside });
        }
        const inside = by === 'server' && 'insideServer' in attempt ? attempt.insideServer : attempt.inside;
        expect(seen[what]).toEqual(inside);
      }),
    );

    it('leaves the session working', async () => {
      expect(await of().works()).toBe(true);
    });
  });
}

describeWith('bwrap', 'slirp4netns')('in a session', () => {
  beforeAll(async () => {
    arena = await Arena.enter();
    session = await HostileSession.start(arena.ada, {
      name: 'hostile',
      servers: ['files', 'mallory', 'vault'],
    });
    target = arena.target(session);
    watching = watchExits();
  });
  afterAll(async () => {
    table.print();
    isOver = true;
    await watching;
    await arena.close();
  });

  for (const by of ['agent', 'server'] as const) {
    describe(`the ${by}`, () => {
      describeAttempts('in files and its environment', fileAttempts, { by });
      describeAttempts('on processes', processAttempts, { by });
      describeAttempts('on the kernel', kernelAttempts, { by, rights: true });
      describeAttempts('on ports', [...portAttempts, ...outwardAttempts('none')], { by });
      describeAttempts('on shared resources', resourceAttempts, { by });
      const own =
        by === 'agent'
          ? [...agentSocketAttempts, ...agentReportAttempts]
          : // In this order: what it leaves at its own socket makes the next call fail.
            [...serverReportAttempts, ...serverSocketAttempts];
      describeAttempts('on sockets', [...socketAttempts, ...own], { by });
    });
  }

  it('accepts claims of the server about itself only, from the closed list', async () => {
    // The control: its permitted claim has arrived. Later ends of its process may have replaced it since.
    expect([...exits].filter((exit) => / 6[56]$/.test(exit))).toEqual(['mallory 65']);
    const processes = await readProcesses();
    expect(processes.map(({ name }) => name).sort()).toEqual(['agent', 'files', 'mallory', 'vault']);
    expect(JSON.stringify(processes)).not.toContain('img src');
  });

  it('delays no other session at full load', () =>
    table.note(
      { what: 'keeps every processor and all memory busy', by: 'agent', stoppedBy: 'its share' },
      async () => {
        const order = (source: string) => session.order([{ name: 'it', source: `(${source})` }], {});
        expect(await order(beBusy)).toEqual({ it: 'busy' });
        expect(await arena.other.works()).toBe(true);
        expect(await session.works()).toBe(true);
        expect(await order(stopBeingBusy)).toEqual({ it: 'stopped' });
      },
    ));

  it('leaves no inherited descriptor open in the sidecar', () => {
    const directory = `/proc/${arena.sidecarPid(session.id)}/fd`;
    const open = readdirSync(directory).map((fd) => readlinkSync(`${directory}/${fd}`));
    expect(open.length).toBeGreaterThan(5);
    expect(open.filter((path) => path.includes('handed-over'))).toEqual([]);
  });

  describe('on the internet', () => {
    let connected: HostileSession;

    beforeAll(async () => {
      connected = await HostileSession.start(arena.ada, {
        name: 'connected',
        servers: ['files'],
        network: 'internet',
      });
    });

    const attempts = [...portAttempts, ...outwardAttempts('internet')];
    describeAttempts('the agent on ports', attempts, { by: 'agent', of: () => connected });
  });

  it('leaves nothing of a session when it ends', async () => {
    for (const { id } of [session, arena.other]) {
      await arena.ada.ok('POST', `/api/sessions/${id}/terminate`, { reason: 'seen enough' });
      expect(await arena.ada.ended(id)).toMatchObject({ status: 'terminated' });
      expect(await processesMentioning(id)).toEqual([]);
    }
  });
});
