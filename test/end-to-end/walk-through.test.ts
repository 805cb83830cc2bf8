/** The walk-through of the documents, followed literally. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import type { ScheduleRun, ShownSchedule } from '../../contract/schedule.ts';
import { untilFound } from '../support/eventually.ts';
import { FrontDoor } from '../support/front-door.ts';
import { sharedPlatform } from '../support/shared-platform.ts';
import { sessionsBelow } from '../support/tree-steps.ts';

const [, walkThrough = ''] = readFileSync('docs/walk-through.md', 'utf8').split('<!-- walk-through:');
const [section = ''] = walkThrough.split('\n## ');
const blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);

describe('the walk-through', () => {
  let url: string;
  const directory = mkdtempSync(join(tmpdir(), 'walk-through-'));

  // In the demo's own workspace, which no other file uses on this platform.
  beforeAll(async () => {
    ({ url } = await sharedPlatform());
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  async function startPlanner(): Promise<{ ada: FrontDoor; id: string }> {
    const ada = await FrontDoor.signIn(url, 'ada@demo.test');
    const { agents } = await ada.ok<{ agents: Agent[] }>('GET', `${ada.workspace}/agents`);
    const planner = agents.find(({ name }) => name === 'planner');
    const { id } = await ada.startSession(planner?.id ?? '');
    return { ada, id };
  }

  it('ends in the audit event of the write, with the id of the grant', () => {
    expect(blocks.length).toBeGreaterThanOrEqual(5);
    const script = blocks.join('\n').replaceAll('http://127.0.0.1:8080', url);
    const output = execFileSync('bash', ['-euo', 'pipefail', '-c', `${script}\necho "grant: $grant"`], {
      cwd: directory,
      encoding: 'utf8',
      timeout: 240_000,
    });
    const grant = /grant: (\S+)$/.exec(output.trim())?.[1];
    expect(grant).toMatch(/^[0-9a-f-]{36}$/);
    const event = output.slice(output.lastIndexOf("event: 'session.mcp.tool_called'"));
    expect(event).toContain("tool: 'write_file'");
    expect(event).toContain(`granted_via: '${grant}'`);
    expect(event).toContain("outcome: 'ok'");
    expect(output).toContain('"type":"permission.decided"');
  });

  it('has a schedule, whose session asks for its write, too', async () => {
    const ada = await FrontDoor.signIn(url, 'ada@demo.test');
    const { schedules } = await ada.ok<{ schedules: ShownSchedule[] }>('GET', `${ada.workspace}/schedules`);
    const own = schedules.find(({ name }) => name === 'Monthly report');
    const path = `${ada.workspace}/schedules/${own?.id}`;
    await ada.ok('POST', `${path}/run`);
    const sessionId = await untilFound('the session of its run', async () => {
      const { runs } = await ada.ok<{ runs: ScheduleRun[] }>('GET', `${path}/runs`);
      return runs[0]?.session_id;
    });
    await ada.approve(await ada.openRequest(sessionId));
    expect(await ada.ended(sessionId)).toMatchObject({ status: 'completed' });
  });

  it('has an agent that starts another when a person allows it, and reads its outcome', async () => {
    const { ada, id } = await startPlanner();
    await ada.approve(await ada.openRequest(id));
    const child = await untilFound('the session below it', async () => (await sessionsBelow(ada, id))[0]);
    await ada.approve(await ada.openRequest(child.id));
    expect(await ada.ended(child.id)).toMatchObject({ status: 'completed' });
    expect(await ada.ended(id)).toMatchObject({
      status: 'completed',
      outcome: { summary: 'The report is written.' },
    });
    const said = (await ada.events(id)).filter(({ type }) => type === 'agent.message');
    expect(said).toMatchObject([{ payload: { text: 'Wrote report.md.' } }]);
  });

  it('has an agent that gives up, with the reason, when nobody allows it to start another', async () => {
    const { ada, id } = await startPlanner();
    const request = await ada.openRequest(id);
    await ada.ok('POST', `${ada.workspace}/permission-requests/${request.id}/deny`, {});
    expect(await ada.ended(id)).toMatchObject({
      status: 'failed',
      status_reason: expect.stringContaining('permission_required'),
    });
    expect(await sessionsBelow(ada, id)).toEqual([]);
  });
});
