/** The repository of a session: frozen from what is registered, fetched with its secret, its patch kept. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { takePatchWith } from '../../../activities/workloads/keep-patch.ts';
import { removeRepository, setRepository } from '../../../commands/repositories/repositories.ts';
import { systemActor } from '../../../contract/session-event.ts';
import { patchId, readArtifact } from '../../../store/artifacts/artifacts.ts';
import { readBytes } from '../../../store/artifacts/contents.ts';
import { readConfiguration } from '../../../store/session-configurations/configurations.ts';
import { listSessionEvents } from '../../../store/session-events/list.ts';
import { createTestActivities, type TestActivities } from '../../support/activities.ts';
import type { Tenant } from '../../support/tenant.ts';

let activities: TestActivities;
let tenant: Tenant;

beforeAll(async () => {
  activities = await createTestActivities();
});
afterAll(() => activities.drop());
beforeEach(async () => {
  tenant = await activities.tenant();
  await tenant.secret('GIT_TOKEN', 'correct-horse-battery-staple');
  await register('team/*');
});

const register = (path: string) =>
  setRepository(
    activities.db,
    tenant.workspace.id,
    { name: 'code', host: 'git.example.com', path, credential: '${GIT_TOKEN}' },
    tenant.ada.id,
  );
const withRepository = () => tenant.agent({ repository: { name: 'code', path: 'team/one', ref: 'main' } });

describe("an agent's repository", () => {
  it('is frozen as a URL and a reference, and its secret goes to the fetch alone', async () => {
    const { id: sessionId } = await tenant.session(await withRepository());
    await activities.run('freezeConfiguration', { sessionId });
    expect((await readConfiguration(activities.db, sessionId))?.agent.repository).toEqual({
      ...{ name: 'code', url: 'https://git.example.com/team/one', ref: 'main' },
      credential: { kind: 'secret', secret_name: 'GIT_TOKEN', secret_version: 1 },
    });
    await activities.run('validateLaunch', { sessionId });
    await activities.run('startWorkload', { sessionId });
    const started = activities.runtime.started.find(
      ({ configuration }) => configuration.session_id === sessionId,
    );
    const { repositoryCredential, ...others } = started?.secrets ?? {};
    expect(repositoryCredential).toBe('correct-horse-battery-staple');
    expect(JSON.stringify(others)).not.toContain('correct-horse');
  });

  it('is refused at the start once it is registered elsewhere, or no more', async () => {
    const agent = await withRepository();
    const freeze = async () =>
      activities.run('freezeConfiguration', { sessionId: (await tenant.session(agent)).id });
    await register('others/*');
    await expect(freeze()).rejects.toThrow('is not registered for');
    await removeRepository(activities.db, tenant.workspace.id, 'code', tenant.ada.id);
    await expect(freeze()).rejects.toThrow('names the repository "code", which this workspace does not have');
  });
});

describe('the patch of a session', () => {
  const take = (sessionBytes = 1_000_000) => takePatchWith({ db: activities.db, sessionBytes });
  const patch = Buffer.alloc(600_000, 'a line\n');
  const noticesOf = async (sessionId: string) =>
    (await listSessionEvents(activities.db, sessionId, { after: 0, limit: 100 })).flatMap((event) =>
      event.type === 'platform.notice'
        ? [event.payload['message']]
        : event.type === 'agent.artifact'
          ? ['artifact']
          : [],
    );

  it('becomes one artifact, however often it is handed over', async () => {
    const { id: sessionId } = await tenant.session(await tenant.agent());
    await take()(sessionId, { patch });
    await take()(sessionId, { patch });
    await take()(sessionId, { problem: 'it is gone' });
    const id = patchId(sessionId);
    const found = await readArtifact(activities.db, { sessionId, id });
    expect(found?.artifact).toMatchObject({
      name: 'changes.patch',
      mime_type: 'text/x-diff',
      size_bytes: 600_000,
      made_by: 'platform',
    });
    const events = await listSessionEvents(activities.db, sessionId, { after: 0, limit: 100 });
    expect(events.find(({ type }) => type === 'agent.artifact')?.actor).toEqual(systemActor);
    const pieces: Buffer[] = [];
    for await (const piece of readBytes(activities.db, found?.contentId ?? '')) {
      pieces.push(piece);
    }
    expect(Buffer.concat(pieces).equals(patch)).toBe(true);
    expect(await noticesOf(sessionId)).toEqual(['artifact']);
  });

  it('is missing with one sentence, and of what is no session without one', async () => {
    const sentenceOf = async (made: Parameters<ReturnType<typeof take>>[1], sessionBytes?: number) => {
      const { id: sessionId } = await tenant.session(await tenant.agent());
      await take(sessionBytes)(sessionId, made);
      await take(sessionBytes)(sessionId, made);
      return noticesOf(sessionId);
    };
    expect(await sentenceOf({ problem: 'it is too large' })).toEqual([
      'There is no patch of the repository: it is too large',
    ]);
    expect(await sentenceOf({ patch: Buffer.alloc(0) })).toEqual([
      'The agent changed nothing in the repository.',
    ]);
    expect(await sentenceOf({ patch }, 100)).toEqual([
      'There is no patch of the repository: the session has no room for it.',
    ]);
    await take()('3f0c8f9e-52b0-4f8e-9f2b-0c4c3a1b2d10', { patch });
  });
});
